"""Real projects with tests, and functions drawn from them: what is asked of all mutants of a function costs less for each."""

import collections
import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import runs
import subjects

MUSL = subjects.Subject("musl", "musl", "C")
# Of musl's src/math: functions of long double whose name does not tell, and what needs musl's own atomics. Two of long double are in
# the macros of its math.h.
MUSL_IN_MACROS = {"__fpclassifyl", "__signbitl"}
MUSL_WITHOUT = {"__invtrigl", "__polevll", "fma", "nexttoward", "nexttowardf"}
MUSL_HEADERS = ("include/math.h", "src/internal/libm.h", "arch/generic/fp_arch.h")


def project(name, folder, kept):
    """The project's source, with tests; where these are ours, it is made in `folder`."""
    if name == MUSL.name:
        return with_suite(folder / "musl", kept)
    source = subjects.untouched(name, kept)
    return with_round_trips(folder / "roundtrip", source) if name == "lz4" else source


def with_round_trips(made, lz4):
    shutil.copytree(subjects.BENCH / "roundtrip", made)
    for file in ("lib/lz4.c", "lib/lz4.h"):
        (made / file).parent.mkdir(exist_ok=True)
        shutil.copy(lz4 / file, made / file)
    return made


def with_suite(made, kept):
    """musl's mathematical functions in C, none of long double, with headers that go along with the host's."""
    ready = subjects.Ready(MUSL, Path(kept).resolve() / MUSL.name)
    subjects.fetch(ready, ready.source)
    ours = subjects.BENCH / "musl"
    (made / "include" / "bits").mkdir(parents=True)
    (made / "src" / "math").mkdir(parents=True)
    for file in ("CMakeLists.txt", "suite.c"):
        shutil.copy(ours / file, made)
    shutil.copy(ours / "features.h", made / "include")
    shutil.copy(ours / "alltypes.h", made / "include" / "bits")
    for file in MUSL_HEADERS:
        shutil.copy(ready.source / file, made / "include")
    functions = ready.source / "src" / "math"
    for file in sorted([*functions.glob("*.c"), *functions.glob("*_data.h")]):
        is_long = file.stem.endswith("l") and file.with_name(f"{file.stem[:-1]}.c").exists()
        if file.stem in MUSL_IN_MACROS or not is_long and file.stem not in MUSL_WITHOUT:
            shutil.copy(file, made / "src" / "math")
    return made


def functions(perturb, source, work, paths, most, seed):
    """Options for functions that together have so many mutants; whole functions, as one is built once for all of its mutants."""
    if most is None:
        return [*paths]
    mutants = asked(perturb, "mutants", source, work, paths)
    sizes = collections.Counter(mutant["function"] for mutant in mutants if mutant["function"])
    names = sorted(sizes)
    random.Random(seed).shuffle(names)
    chosen = []
    for function in names:
        # One function must not be most of the sample.
        if sizes[function] <= min(most, most // 4 + 100):
            chosen.append(function)
            most -= sizes[function]
    return [*paths, *(word for function in chosen for word in ("--function", function))]


def asked(perturb, command, source, work, options):
    """The objects that a command of perturb prints."""
    words = [str(perturb), command, "--project", str(source), "--work", str(work), "--quiet", "--format", "jsonl", *options]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=runs.environment())
    if done.returncode != 0:
        raise subjects.Unavailable(f"perturb {command} ended with {done.returncode}: {done.stderr[-300:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def function_of(name):
    """The function in a mutant's name: `src/ring.c:31:30 AOR push(): '+' -> '-'`; none for what is outside of all."""
    found = re.match(r"\S+ \w+ (\S+)\(\): ", name)
    return found.group(1) if found else ""
