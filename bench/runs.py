"""`perturb run`, followed from outside: what each of its phases costs, and what becomes of each mutant.

CPU is user and system time of perturb and of all that it starts: builds, cells, tests. It is read from /proc for the
whole tree of processes whenever an event tells that a phase ends, and from the kernel's account when perturb has ended.
"""

import json
import os
import sqlite3
import subprocess
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import subjects

PLAIN = "the project as it is"
INSTRUMENTED = "the project with all mutants in it"
COPIES = "copies of the project for mutants of their own"
FORECAST = "a copy of the project for mutants of their own"

# Which phase an event ends. What lies between two phases, writing to the store and planning, counts for the second.
ENDS = {
    ("build started", PLAIN): "prepare",
    ("build finished", PLAIN): "build",
    ("baseline finished", None): "baseline",
    ("build started", INSTRUMENTED): "prepare",
    ("build finished", INSTRUMENTED): "instrument",
    ("record finished", None): "record",
    ("build started", FORECAST): "execute",
    ("build finished", FORECAST): "copies",
    ("build started", COPIES): "execute",
    ("build finished", COPIES): "copies",
    ("execute finished", None): "execute",
}
TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


@dataclass
class Run:
    work: Path
    cpu_s: Counter = field(default_factory=Counter)  # by phase; what comes after the last is "finish"
    tests: int = 0
    switched: int = 0  # mutants in the instrumented build
    rebuilt: int = 0  # mutants that cannot be in it
    outcomes: dict = field(default_factory=dict)  # id -> the event that tells it
    sample: dict = field(default_factory=dict)  # the event that tells what the mutants drawn say
    left_out: dict = field(default_factory=dict)  # tests that do not pass on the original -> why

    @property
    def total_s(self):
        return sum(self.cpu_s.values())

    def executions(self):
        """For each mutant that was executed: how many tests were run on it, and their CPU in seconds. The work folder must
        have been empty before the run."""
        rows = self._asked("SELECT mutant, count(*), sum(cpu) / 1e6 FROM execution GROUP BY mutant")
        return {f"{mutant % 2**64:016x}": (count, cpu_s) for mutant, count, cpu_s in rows}

    def killing(self):
        """The pairs of a mutant and a test that were executed and showed a difference. The work folder must have been empty
        before the run."""
        rows = self._asked("SELECT mutant, test_name.name FROM execution JOIN test_name ON test_name.id = test WHERE verdict <> 0")
        return {(f"{mutant % 2**64:016x}", test) for mutant, test in rows}

    def plain_tests_s(self):
        """The CPU of each test that passes on the original, in seconds."""
        return [cpu_s for (cpu_s,) in self._asked("SELECT cpu / 1e6 FROM test WHERE baseline = 1")]

    def _asked(self, query):
        database = f"file:{self.work / 'store.sqlite'}?mode=ro"
        with closing(sqlite3.connect(database, uri=True)) as store:
            return store.execute(query).fetchall()


def follow(perturb, source, work, options=(), variables=None):
    """Runs perturb on the project to its end, with all that it writes in the folder `work`."""
    # What compilers do beside the tests would be counted with these.
    tce = () if "--tce" in options else ("--tce", "off")
    equivalence = () if "--equivalence" in options else ("--equivalence", "off")
    command = [str(perturb), "run", "--project", str(source), "--work", str(work), "--events", "json", "--quiet", *tce, *equivalence, *options]
    run, seen_s = Run(Path(work)), 0.0
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                   env={**environment(), **(variables or {})})
        for line in process.stdout:
            event = json.loads(line)
            take(run, event)
            phase = ENDS.get((event["event"], event.get("what")))
            assert phase or not event["event"].startswith("build "), f"unknown to this benchmark: {event}"
            if phase:
                now_s = tree_cpu_s(process.pid)
                run.cpu_s[phase] += now_s - seen_s
                seen_s = now_s
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        run.cpu_s["finish"] += usage.ru_utime + usage.ru_stime - seen_s
        if process.returncode != 0:
            errors.seek(0)
            told = errors.read().decode("utf-8", "replace").strip().splitlines()
            raise subjects.Unavailable(f"perturb ended with {process.returncode}: {' / '.join(told[-3:])}")
    return run


def take(run, event):
    match event["event"]:
        case "baseline finished":
            run.tests = event["passed"]
        case "instrumented":
            run.switched, run.rebuilt = event["switched"], event["rebuilt"]
        case "sample":
            run.sample = event
        case "test left out":
            run.left_out[event["test"]] = event["why"]
        case "mutant":
            run.outcomes[event["id"]] = event


def environment():
    """Ours, without a compiler's cache: what is compiled is to be paid for."""
    return {**os.environ, "CCACHE_DISABLE": "1"}


def tree_cpu_s(root):
    """CPU of a process, of all below it, and of all that these have waited for. What ends meanwhile goes over to the process
    that waits for it and would be counted twice or not at all: then we look again."""
    while True:
        before = times_of(root)
        parents, ticks = {}, {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            if found := times_of(int(name)):
                parents[int(name)], ticks[int(name)] = found.parent, found.own + found.waited_for
        after = times_of(root)
        if before.waited_for == after.waited_for:
            return TICK_S * sum(count for process, count in ticks.items() if is_below(process, root, parents))


class Times(NamedTuple):
    parent: int
    own: int  # in ticks
    waited_for: int


def times_of(process):
    """None for a process that has ended."""
    try:
        text = Path("/proc", str(process), "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The program's name, in brackets, may hold anything.
    numbers = text[text.rindex(")") + 2:].split()
    return Times(int(numbers[1]), sum(map(int, numbers[11:13])), sum(map(int, numbers[13:15])))


def is_below(process, root, parents):
    while process and process != root:
        process = parents.get(process)
    return process == root
