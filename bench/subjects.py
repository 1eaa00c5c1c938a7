"""The real projects that the benchmarks measure: how each is fetched, configured and listed.

A subject lives in FOLDER/<name>/: `source` (the unpacked Debian source package) and `build` (where CMake configured
it), with a real compile_commands.json. Nothing here runs the project's programs or tests.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent
REPOSITORY = BENCH.parent


@dataclass(frozen=True)
class Subject:
    name: str
    package: str
    language: str  # "C" or "C++": which goal holds
    cmake: tuple = ()  # options for CMake; unused where `make` says how to build
    cmake_folder: str = "."  # where CMakeLists.txt is, below the source
    make: tuple = ()  # commands run in the source folder, the compilers recorded by bear


SUBJECTS = (
    Subject("jansson", "jansson", "C", cmake=("-DJANSSON_BUILD_DOCS=OFF",)),
    Subject("cjson", "cjson", "C", cmake=("-DENABLE_CJSON_UTILS=ON",)),
    Subject("libyaml", "libyaml", "C"),
    Subject("lz4", "lz4", "C", cmake_folder="build/cmake"),
    Subject("mxml", "mxml", "C", make=(("./configure",), ("make", "libmxml.a", "testmxml"))),
    Subject("mbedtls", "mbedtls", "C", cmake=("-DENABLE_TESTING=OFF", "-DENABLE_PROGRAMS=OFF")),
    Subject("tinyxml2", "tinyxml2", "C++"),
    Subject("pugixml", "pugixml", "C++", cmake=("-DPUGIXML_BUILD_TESTS=ON",)),
    Subject("jsoncpp", "libjsoncpp", "C++", cmake=("-DJSONCPP_WITH_POST_BUILD_UNITTEST=OFF",)),
    Subject("leveldb", "leveldb", "C++", cmake=("-DLEVELDB_BUILD_TESTS=OFF", "-DLEVELDB_BUILD_BENCHMARKS=OFF")),
    Subject("snappy", "snappy", "C++", cmake=("-DSNAPPY_BUILD_TESTS=OFF", "-DSNAPPY_BUILD_BENCHMARKS=OFF")),
    Subject("fmt", "fmtlib", "C++", cmake=("-DFMT_TEST=OFF", "-DFMT_DOC=OFF")),
)

EXAMPLE = "telemetry"
SIMULATION = "simulation"  # long tests
# Long tests of a real project; for what is executed only, so that the benchmarks over all subjects do not take it.
GSL = Subject("gsl", "gsl", "C")

# No build type: the flags that the project itself chooses, with its assertions, and without the cost of an optimiser
# that no type error depends on.
GENERIC_CMAKE = ("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",)


@dataclass(frozen=True)
class Ready:
    """A subject that is unpacked and configured."""

    subject: Subject
    folder: Path

    @property
    def name(self):
        return self.subject.name

    @property
    def source(self):
        return self.folder / "source"

    @property
    def database(self):
        return self.folder / "build" / "compile_commands.json"

    def commands(self):
        """The compile database's entries, each as a Command."""
        return [Command.of(entry) for entry in json.loads(self.database.read_text())]


@dataclass(frozen=True)
class Command:
    directory: str
    file: str  # absolute, symbolic links resolved
    arguments: tuple

    @staticmethod
    def of(entry):
        arguments = entry.get("arguments") or shlex.split(entry["command"])
        file = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        return Command(entry["directory"], file, tuple(arguments))


class Unavailable(Exception):
    """A subject that cannot be fetched or configured here; the benchmark goes on without it and says so."""


def default_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "perturb-bench" / "subjects"


def choose(names):
    """The subjects with these names; all of them when there are none."""
    known = {subject.name: subject for subject in SUBJECTS}
    unknown = [name for name in names if name not in known]
    if unknown:
        give_up(f"no such subject: {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names] or list(SUBJECTS)


def give_up(message):
    """Ends the benchmark with the exit code for what could not be measured."""
    print(message, file=sys.stderr)
    sys.exit(2)


def untouched(name, folder):
    """The source of a subject as a new user has it: not configured, nothing built in it. `telemetry` is our own example."""
    if name == EXAMPLE:
        return REPOSITORY / "examples" / EXAMPLE
    if name == SIMULATION:
        return BENCH / SIMULATION
    [subject] = [GSL] if name == GSL.name else choose([name])
    ready = Ready(subject, Path(folder).resolve() / name)
    # What make builds, it builds in the source.
    source = ready.folder / "untouched" if subject.make else ready.source
    fetch(ready, source)
    return source


def prepare(subject, folder):
    """Fetches and configures the subject unless a former run did."""
    ready = Ready(subject, Path(folder).resolve() / subject.name)
    fetch(ready, ready.source)
    if not ready.database.exists():
        ready.database.parent.mkdir(parents=True, exist_ok=True)
        configure(ready)
    return ready


def fetch(ready, source):
    if not source.exists():
        run((str(BENCH / "fetch"), ready.subject.package, str(source)), ready, cwd=BENCH)


def configure(ready):
    subject = ready.subject
    if subject.make:
        need("bear")
        *configuring, building = subject.make
        for command in configuring:
            run(command, ready, cwd=ready.source)
        run(("bear", "--output", str(ready.database), "--", *building), ready, cwd=ready.source)
        return
    need("cmake")
    source, build = ready.source / subject.cmake_folder, ready.database.parent
    run(("cmake", "-S", str(source), "-B", str(build), *GENERIC_CMAKE, *subject.cmake), ready, cwd=ready.folder)


def need(tool):
    if not shutil.which(tool):
        raise Unavailable(f"{tool} is missing: apt-get install {tool}")


def run(command, ready, cwd):
    """Runs a step of the set-up; its output goes to a log that is named when it fails."""
    ready.folder.mkdir(parents=True, exist_ok=True)
    log = ready.folder / "setup.log"
    with open(log, "a") as output:
        print("$", *command, file=output, flush=True)
        status = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output).returncode
    if status != 0:
        raise Unavailable(f"{command[0]} failed, see {log}")
