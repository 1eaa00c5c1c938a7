"""The units of a project, as it is and with all its mutants in it, compiled one by one by the project's own commands.

Both texts are in the work folder of a run of perturb that came to its instrumented build.
"""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import runs
import subjects


@dataclass(frozen=True)
class Unit:
    name: str  # its file, below the project
    plain: subjects.Command
    instrumented: subjects.Command
    is_instrumented: bool  # false: the file is the same in both


def units_of(work):
    """Every way in which the project compiles a file of its own, each once."""
    work = Path(work).resolve()
    shadow = work / "shadow" / "instrumented"
    found = {}
    for plain in commands_of(work):
        name = os.path.relpath(plain.file, work / "tree")
        # The instrumented text stands beside the file, which includes it.
        is_instrumented = (shadow / "tree" / f"{name}.perturb").exists()
        unit = Unit(name, plain, moved(plain, work, shadow), is_instrumented)
        found.setdefault((name, *compile_arguments(plain.arguments)), unit)
    return list(found.values())


def commands_of(work):
    """The commands of the plain build: CMake's and Meson's list, or what was captured of another build."""
    database, captured = work / "build" / "compile_commands.json", work / "capture.json"
    entries = json.loads(database.read_text()) if database.exists() else json.loads(captured.read_text())["captured"]["commands"]
    return [subjects.Command.of(entry) for entry in entries]


def moved(command, work, shadow):
    def move(text):
        return re.sub(re.escape(str(work)) + r"/(tree|build)(?=/|$)", lambda found: f"{shadow}/{found.group(1)}", text)

    return subjects.Command(move(command.directory), move(command.file), tuple(map(move, command.arguments)))


def compile_arguments(arguments):
    """The project's own arguments without its output, its dependency files and errors made of warnings."""
    kept, skip = [], False
    for argument in arguments:
        if skip:
            skip = False
        elif argument in ("-o", "-MF", "-MT", "-MQ"):
            skip = True
        elif argument in ("-MD", "-MMD", "-MP", "-Werror") or argument.startswith("-Werror="):
            pass
        else:
            kept.append("-pedantic" if argument == "-pedantic-errors" else argument)
    return [*kept, "-Wno-error"]


def compile_to(output, command, flags=()):
    """Compiles with these flags behind the project's own, and tells the CPU seconds that took."""
    return run([*compile_arguments(command.arguments), *flags, "-o", str(output)], command.directory)


def run(command, directory=None):
    """CPU seconds of a command that must succeed."""
    process = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=runs.environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subjects.Unavailable(f"in {directory or '.'}: this fails: {' '.join(map(str, command))}")
    return usage.ru_utime + usage.ru_stime
