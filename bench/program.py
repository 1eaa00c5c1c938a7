"""Finding and running the program that the benchmarks measure, and applying the mutants that it lists."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import subjects

NOTHING_TO_MUTATE = 4  # perturb's exit code


def add_arguments(parser):
    parser.add_argument("--perturb", type=Path, metavar="FILE",
                        help="the program to measure [default: built from this repository, release profile]")
    parser.add_argument("--subjects", type=Path, metavar="DIR", default=subjects.default_folder(),
                        help="where the subjects are kept [default: %(default)s]")
    parser.add_argument("--save", action="store_true", help="write the result, dated, to bench/results")


def find(arguments):
    """The program's path; builds it unless the user named one."""
    if arguments.perturb:
        if not os.access(arguments.perturb, os.X_OK):
            subjects.give_up(f"{arguments.perturb} is not a program")
        return arguments.perturb.resolve()
    build = ["cargo", "build", "--release", "--locked", "--package", "perturb"]
    if subprocess.run(build, cwd=subjects.REPOSITORY).returncode != 0:
        subjects.give_up("perturb does not build")
    target = Path(os.environ.get("CARGO_TARGET_DIR") or "target")
    return (subjects.REPOSITORY / target / "release" / "perturb").resolve()


def arguments_of(ready, work, options=()):
    """The arguments of `perturb mutants` for a subject; what it must write goes to the folder `work`."""
    return ["mutants", "--project", str(ready.source), "--compile-commands", str(ready.database),
            "--work", str(work), "--format", "jsonl", *options]


def list_mutants(perturb, ready, options=()):
    """Every mutant of the subject, perhaps none, and the lines that perturb told on stderr."""
    with tempfile.TemporaryDirectory(prefix="perturb-work-") as work:
        done = subprocess.run([str(perturb), *arguments_of(ready, work, options)],
                              stdin=subprocess.DEVNULL, capture_output=True)
    notes = done.stderr.decode("utf-8", "replace").splitlines()
    if done.returncode not in (0, NOTHING_TO_MUTATE):
        raise subjects.Unavailable(f"perturb ended with {done.returncode}: {' / '.join(notes[-3:])}")
    return [json.loads(line) for line in done.stdout.splitlines()], notes


def count_mutants(perturb, ready, options=()):
    """How many there are, without ever holding them: Linux counts the memory of the process that starts a program
    into that program's peak, so a benchmark of memory must stay small itself."""
    with tempfile.TemporaryDirectory(prefix="perturb-work-") as work:
        process = subprocess.Popen([str(perturb), *arguments_of(ready, work, options)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        count = sum(1 for _ in process.stdout)
        status = process.wait()
    if status not in (0, NOTHING_TO_MUTATE):
        raise subjects.Unavailable(f"perturb ended with {status}")
    return count


def mutate(source, mutant):
    """The file's bytes with the mutant's range replaced; lines and byte columns count from 1."""
    starts = [0]
    while (found := source.find(b"\n", starts[-1])) >= 0:
        starts.append(found + 1)
    begin = starts[mutant["line"] - 1] + mutant["column"] - 1
    end = starts[mutant["end_line"] - 1] + mutant["end_column"] - 1
    if source[begin:end] != mutant["original"].encode():
        raise AssertionError(f"{mutant['name']}: the range holds {source[begin:end]!r}")
    return source[:begin] + mutant["replacement"].encode() + source[end:]
