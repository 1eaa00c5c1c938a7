"""All inputs of the functions of fixtures/nequivack, where contracts make them few: what truly is different.

Each program becomes a project with a test for each function, which calls it and a copy of the original with every input, with arrays right before
and right behind pages that trap, and what is undefined made a trap. `perturb run` executes the mutants, so that none runs outside of the sandbox; it knows nothing of `perturb equiv`.
"""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import runs

ALONE = ("--tce", "off", "--discard", "off", "--equivalence", "off", "--audit", "0", "--run-tests", "all", "--operators", "milu")
FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "nequivack"
FLAGS = "-O1 -w -fsanitize=undefined -fsanitize-undefined-trap-on-error -ftrivial-auto-var-init=pattern"


@dataclass(frozen=True)
class Function:
    name: str
    result: str
    # Each from one number to another, both included; with a third, so many elements.
    parameters: tuple
    number: str = "int"  # what parameters are that are no arrays

    @property
    def contract(self):
        entries = [f"{low}..{high}" + "".join(f"[{count}]" for count in counts) for low, high, *counts in self.parameters]
        return f"// @perturb({', '.join(entries)})"


def numbers(name, *parameters, result="int", number="int"):
    return Function(name, result, parameters, number)


PROGRAMS = {
    "branching": (numbers("classify", *3 * [(-6, 6)]), numbers("days_in_month", (-3, 20), (-1, 2)), numbers("median", *3 * [(-6, 6)])),
    "looping": (numbers("sum_positive", (-1, 1, 6), (-1, 7)), numbers("count_digits", (-300, 1200)), numbers("collatz_steps", (0, 255), number="unsigned char")),
    "msb": (numbers("msb", (-3, 1100)),),
    "factorial": (numbers("factorial", (-3, 20), result="unsigned"),),
    "fibonacci": (numbers("fibonacci", (-3, 60)),),
    "gcd": (numbers("gcd", (0, 63), (0, 63), result="unsigned", number="unsigned"),),
    "prime_palindrome": (numbers("is_palindrome", (-3, 1300)), numbers("is_prime", (-3, 700)), numbers("next_prime_palindrome", (-3, 150))),
    "simple_math": (*(numbers(name, (-20, 20), (-20, 20)) for name in ("add", "subtract", "divide", "remainder_of")), numbers("multiply", (-20, 20), (-20, 20), number="short")),
    "bubble": (numbers("bubble_sort", (0, 3, 6), (6, 6), result="void"),),
    "insertion": (numbers("insertion_sort", (0, 3, 6), (6, 6), result="void"),),
    "merge": (numbers("merge", (0, 3, 6), (0, 0), (2, 2), (5, 5), result="void"),),
    "quick": (numbers("quick_sort", (0, 3, 6), (0, 0), (5, 5), result="void"),),
    "selection": (numbers("selection_sort", (0, 3, 6), (6, 6), result="void"),),
}

CMAKE = """cmake_minimum_required(VERSION 3.13)
project(brute_force C)
enable_testing()
set(CMAKE_C_FLAGS "${{CMAKE_C_FLAGS}} {flags}")
foreach(name {names})
  add_executable(test_${{name}} {subject}.c original.c test_${{name}}.c)
  add_test(NAME ${{name}} COMMAND test_${{name}})
endforeach()
"""

TEST = r"""#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
RESULT NAME(TYPES), original_NAME(TYPES);
static sigjmp_buf back;
static volatile int is_original;
static char *page;
static int *array;
static int input[INPUTS];
static void on_trap(int number)
{
    if (is_original)
        siglongjmp(back, 1);
    signal(number, SIG_DFL);
    raise(number);
}
/* Whether both do the same; inputs on which the original traps are none. */
static int is_same(void)
{
    int expected[ELEMENTS + 1];
    long long original = 0, other = 0;
    array = (int *)(void *)page;
    PLACE
    is_original = 1;
    if (sigsetjmp(back, 1))
        return 1;
    ORIGINAL
    memcpy(expected, array, sizeof(int) * ELEMENTS);
    PLACE
    is_original = 0;
    OTHER
    return original == other && memcmp(expected, array, sizeof(int) * ELEMENTS) == 0;
}
int main(void)
{
    char *all = mmap(0, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(all + 4096, 4096, PROT_READ | PROT_WRITE);
    const int numbers[] = {SIGILL, SIGSEGV, SIGFPE, SIGBUS, SIGTRAP};
    for (int at = 0; at < 5; at++)
        signal(numbers[at], on_trap);
    for (int side = 0; side < 2; side++) {
        page = all + 4096 + (side ? 4096 - sizeof(int) * ELEMENTS : 0);
        LOOPS
            if (!is_same())
                return 1;
    }
    return 0;
}
"""


def verdicts(perturb, name, work):
    """What all inputs show of each mutant of a program: the event that tells what became of it, by its id."""
    with tempfile.TemporaryDirectory(prefix="perturb-brute-") as folder:
        source = Path(folder)
        text = annotated(name)
        (source / f"{name}.c").write_text(text)
        renamed = "".join(f"#define {other} original_{other}\n" for other in re.findall(r"^\w+ (\w+)\(", text, re.MULTILINE))
        (source / "original.c").write_text(renamed + text)
        functions = PROGRAMS[name]
        (source / "CMakeLists.txt").write_text(CMAKE.format(flags=FLAGS, subject=name, names=" ".join(function.name for function in functions)))
        for function in functions:
            (source / f"test_{function.name}.c").write_text(test(function))
        run = runs.follow(perturb, source, Path(work) / f"brute-{name}", [f"{name}.c", *selection(name), *ALONE])
    return run.outcomes


def selection(name):
    return [word for function in PROGRAMS[name] for word in ("--function", function.name)]


def annotated(name):
    """The program with contracts that leave few inputs."""
    text = (FOLDER / f"{name}.c").read_text()
    for function in PROGRAMS[name]:
        text, found = re.subn(rf"^// @klee.*\n(?=\w+ {function.name}\()", f"{function.contract}\n", text, flags=re.MULTILINE)
        assert found == 1, function.name
    return text


def test(function):
    """A program that fails where the function does not do what the original does."""
    inputs, arguments, types, place, elements = 0, [], [], "", 0
    loops = []
    for low, high, *counts in function.parameters:
        count = counts[0] if counts else 1
        loops += [f"for (input[{at}] = {low}; input[{at}] <= {high}; input[{at}]++)" for at in range(inputs, inputs + count)]
        if counts:
            place, elements = f"memcpy(array, input + {inputs}, sizeof(int) * {count});", count
        arguments.append("array" if counts else f"input[{inputs}]")
        types.append("int *" if counts else function.number)
        inputs += count
    call = f"NAME({', '.join(arguments)});"
    is_void = function.result == "void"
    words = {"ORIGINAL": f"original_{call}" if is_void else f"original = original_{call}", "OTHER": call if is_void else f"other = {call}", "LOOPS": " ".join(loops),
             "PLACE": place, "ELEMENTS": elements, "INPUTS": inputs, "TYPES": ", ".join(types), "RESULT": function.result, "NAME": function.name}
    text = TEST
    for word, by in words.items():
        text = re.sub(rf"(?<![A-Z]){word}(?![A-Z])", str(by), text)
    return text
