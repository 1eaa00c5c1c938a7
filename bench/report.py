"""Tables, and results saved with the date, the machine and the versions."""

import datetime
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import subjects

RESULTS = subjects.BENCH / "results"


def table(header, rows):
    """A Markdown table whose columns line up; numbers to the right."""
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    right = [all(re.match(r"[-<≤ \d.,]+", row[column]) for row in cells[1:]) for column in range(len(header))]

    def line(row):
        padded = (cell.rjust(width) if numeric else cell.ljust(width)
                  for cell, width, numeric in zip(row, widths, right))
        return "| " + " | ".join(padded) + " |\n"

    rule = "|" + "|".join("-" * (width + 1) + (":" if numeric else "-") for width, numeric in zip(widths, right)) + "|\n"
    return line(cells[0]) + rule + "".join(line(row) for row in cells[1:])


def save(name, text, perturb, arguments):
    """Writes bench/results/<date>-<name>.md and tells so."""
    today = datetime.date.today().isoformat()
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{today}-{name}.md"
    facts = "".join(f"- {fact}: {value}\n" for fact, value in surroundings(perturb, arguments))
    path.write_text(f"# bench/{name}, {today}\n\n{facts}\n{text}")
    print(f"saved {path}", file=sys.stderr)


def surroundings(perturb, arguments):
    origin = "a program given by --perturb" if arguments.perturb else f"commit {commit()}"
    return [
        ("machine", f"{os.cpu_count()} cores, {processor()}"),
        ("system", first_line(Path("/etc/os-release"), r'PRETTY_NAME="(.*)"')),
        ("perturb", f"{output(str(perturb), '--version')}, {origin}"),
        ("compilers", f"{output('gcc', '--version')}; {output('g++', '--version')}"),
        ("libclang", libclang(perturb)),
    ]


def processor():
    return first_line(Path("/proc/cpuinfo"), r"model name\s*: (.*)")


def commit():
    git = ["git", "-C", str(subjects.REPOSITORY)]
    changed = output(*git, "status", "--porcelain", "--untracked-files=no", "--", "crates", "Cargo.lock")
    return output(*git, "rev-parse", "--short", "HEAD") + (" with uncommitted changes" if changed else "")


def libclang(perturb):
    """What `perturb doctor` says that it parses with."""
    with tempfile.TemporaryDirectory(prefix="perturb-doctor-") as folder:
        (Path(folder) / "empty.c").write_text("int nothing;\n")
        told = subprocess.run([str(perturb), "doctor", "--project", folder], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True).stdout
    match = re.search(r"libclang +(.*)", told)
    return match.group(1) if match else "unknown"


def first_line(path, pattern):
    try:
        match = re.search(pattern, path.read_text())
    except OSError:
        match = None
    return match.group(1) if match else "unknown"


def output(*command):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError:
        return "none"
    return (done.stdout.strip().splitlines() or [""])[0]
