"""check_commands.py ROOT ORB FOF TRAVERSAL GRAVITY COLLIDE: commands in README and docs work.

Every command of the suite on a page (page_commands.py) is run in a scratch folder and must succeed:

- Programs of the build get --dry-run (DRY_RUN). Those that write a file also run on a small input (SMALL),
  for the commands that read the file. An --input, which has no dry run, is replaced by eight particles.
- Scripts get small inputs in place of what a page only names (STAND_INS), and write into the scratch folder
  (MORE). perf/run.py gets --dry-run.
- A backend that this build lacks is replaced by another.

Not run:

- Commands of others. Presets, targets and options of cmake and ctest must exist. What mpirun and srun start
  runs without them, because ranks take long to start; other tests run the programs over ranks.
- NOT_RUN: scripts that install, format, draw the README's pictures or run all tests, perf/sanitize.py, which
  needs a GPU, and docs/book.py, which docs/pages and docs/site run and which takes long. They must know their
  options; those in Python must accept their arguments.
- Programs that this build lacks, such as perf/peers. A CMakeLists.txt must name them. A script that ends with
  exit code 4 (a requirement is missing) or lacks a Python module passes too.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1]).resolve()
apps = {name: pathlib.Path(path).resolve()
        for name, path in zip(("orb", "fof", "traversal", "gravity", "collide"), sys.argv[2:7])}
built = apps["orb"].parent
sys.path[:0] = [str(root / "docs"), str(root / "perf"), str(root / "tests" / "perf")]
sys.dont_write_bytecode = True
import page_commands  # noqa: E402
import report_fixture  # noqa: E402
from bookmaker import pages  # noqa: E402
from laboratory import sizes  # noqa: E402
from laboratory.programs import KNOWN, Programs  # noqa: E402

OF_OTHERS = ("module",)
NOT_RUN = (".ci/run", "cmake/check-format.sh", "cmake/install-dependencies.sh", "docs/book.py",
           "docs/pictures/draw.sh", "perf/sanitize.py")
OUTPUTS = ("--json", "--output", "--out", "-o")
ASKS = {"--help", "--list", "--version", "--dry-run"}
DRY_RUN = {"ceilings": "--list", "lab": "--list-tests"}  # lab: all lab_*; other programs have --dry-run
SMALL = {"--particles": 2000, "--leaves": 64, "--steps": 20, "--repeat": 1}  # at most
folder = tempfile.TemporaryDirectory()
scratch = pathlib.Path(folder.name)
results = pathlib.Path(shutil.copytree(root / "perf" / "results", scratch / "results"))
# What a script gets beside its arguments; the last value of an option counts.
MORE = {
    "perf/run.py": ["--dry-run", "--build", built.parent],
    "perf/plot.py": ["--results", results],  # it draws beside the results
    "perf/report.py": ["--results", report_fixture.write(scratch / "fixture"), "--out", "page.html"],
    "perf/peers/python_groups.py": ["--particles", "2000", "--repeat", "1"],
    "roofline/profile.py": ["--csv", root / "tests" / "roofline" / "ncu_raw.csv"],  # instead of ncu
}
STAND_INS = {
    "BEFORE.json": min(results.glob("epyc2/threads/*.json")),
    "AFTER.json": min(results.glob("epyc2/threads/*.json")),
    "/tmp/before": results / "epyc2-avx2", "/tmp/after": results / "epyc2-avx2",
    "roofline/machines/NAME.json": root / "roofline" / "machines" / "h200.json",
    "PREFIX/bin/fof": apps["fof"], "NAME": "fig26",
}
presets = json.loads((root / "CMakePresets.json").read_text(encoding="utf-8"))
options_of_cmake = (root / "cmake/CopseOptions.cmake").read_text(encoding="utf-8") + "Kokkos_ROOT ArborX_ROOT"
lists = "".join(file.read_text(encoding="utf-8") for folder in ("docs", "tests", "perf", "roofline",
                "miniapps", "cmake") for file in (root / folder).rglob("*")
                if file.name == "CMakeLists.txt" or file.suffix == ".cmake")


def small_input(name):
    """A file of eight particles or points, in the format of its name."""
    points = [[i & 1, i >> 1 & 1, i >> 2] for i in range(8)]
    if name.endswith(".npy"):
        head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (8, 3), }"
        head += b" " * (64 - 11 - len(head) % 64) + b"\n"
        data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head
        data += b"".join(struct.pack("<3f", *point) for point in points)
    elif name.endswith(".idx"):
        data = struct.pack(">4B3I", 0, 0, 8, 3, 8, 4, 4) + bytes(range(128))
    elif name.endswith(".std"):
        data = struct.pack("<d5i4x", 0.0, 8, 3, 0, 8, 0)
        data += b"".join(struct.pack("<9f", 1, *point, 0, 0, 0, 0, 0) for point in points)
    else:
        data = "".join("{} {} {}\n".format(*point) for point in points).encode()
    path = scratch / os.path.basename(name)
    path.write_bytes(data)
    return path


def fitted(words):
    """Arguments whose files and backends exist here."""
    for before, word in zip(["", *words], words):
        base = os.path.basename(word)
        if before in OUTPUTS:
            yield base
        elif before == "--input":
            yield str(small_input(word))
        elif before == "--subsample" and "--input" in words:
            yield "5"  # of the eight
        elif before == "--backend" and word in KNOWN and word not in backends:
            yield backends[-1]
        elif word in STAND_INS:
            yield str(STAND_INS[word])
        elif word.startswith("build/") and base in apps:
            yield str(apps[base])
        elif (root / word).exists():
            yield str(root / word)
        else:
            yield base if (scratch / base).exists() else word


def smaller(words):
    """Arguments of a run of a mini-app that takes a moment."""
    given = {"--input", "--restart"} & set(words)
    for before, word in zip(["", *words], words):
        yield str(min(sizes.number(word), SMALL[before], key=int)) if before in SMALL else word
    for option in ("--repeat",) if given else ("--repeat", "--particles"):
        if option not in words:
            yield from (option, str(SMALL[option]))


def run(words, assigned):
    """None, or why a command failed; what ran before is not run again."""
    command = tuple(map(str, words))
    key = (*sorted(assigned.items()), *command)
    if key not in ran:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=scratch,
                              env={**os.environ, **assigned})
        ran[key] = None
        if done.returncode != 0 or "0 matching test cases" in done.stdout:
            ran[key] = f"{shlex.join(command)}\n    ended with {done.returncode}: {done.stderr.strip()}"
        if command[0] == sys.executable and (done.returncode == 4 or MISSING.search(done.stderr)):
            ran[key] = None
    return ran[key]


def check_program(program, arguments, assigned):
    """A program of the build."""
    arguments = list(fitted(arguments))
    if ASKS & set(arguments):
        return run([program, *arguments], assigned)
    reads, problem = {"--input", "--restart"} & set(arguments), None
    if not reads:
        dry = DRY_RUN.get(program.name.partition("_")[0], "--dry-run")
        problem = run([program, *arguments, dry], assigned)
        if dry != "--dry-run":
            return problem
    if reads or set(OUTPUTS) & set(arguments):
        problem = problem or run([program, *smaller(arguments)], assigned)
    return problem


def check_script(path, arguments, assigned):
    if not os.access(root / path, os.X_OK):
        return f"{path} cannot be executed"
    if path in NOT_RUN:
        text = (root / path).read_text(encoding="utf-8")
        unknown = [word for word in arguments if word.startswith("--") and word not in text]
        if unknown or not path.endswith(".py"):
            return f"{path} knows no {unknown[0]}" if unknown else None
        return run([sys.executable, root / path, *arguments, "--help"], assigned)  # reads the others first
    split = arguments.index("--") if "--" in arguments else len(arguments)
    called = arguments[split + 1:]
    return run([sys.executable, root / path, *fitted(arguments[:split]), *MORE.get(path, [])],
               assigned) or (check(called) if called else None)


def check_cmake(arguments):
    names = {preset["name"] for kind in ("configure", "build", "test", "workflow")
             for preset in presets[f"{kind}Presets"]}
    for word, following in zip(arguments, arguments[1:] + [""]):
        if word == "--preset" and following not in names:
            return f"there is no preset {following}"
        if word == "--target" and not re.search(rf"\b{re.escape(following)}\b", lists):
            return f"there is no target {following}"
        if word.startswith("-D"):
            option = word[2:].partition("=")[0] or following.partition("=")[0]
            if not option.startswith("CMAKE_") and option not in options_of_cmake:
                return f"there is no option {option}"
    return None


def check(command):
    """None, or what is wrong with a command."""
    assigned = {}
    while re.fullmatch(r"\w+=.*", command[0]):
        name, _, value = command.pop(0).partition("=")
        assigned[name] = str(STAND_INS.get(value, value))
    if command[0] in ("mpirun", "srun"):
        starts = [n for n, word in enumerate(command) if os.path.basename(word) in apps]
        command = command[starts[0]:] if starts else command
    program, *arguments = command
    name = os.path.basename(program)
    if name in apps:
        return check_program(apps[name], arguments, assigned)
    if program.startswith("build/"):
        if not re.search(rf"\b{name}\b", lists):
            return f"no CMakeLists.txt names {name}"
        return check_program(built / name, arguments, assigned) if (built / name).is_file() else None
    if (root / program).is_file():
        return check_script(program, arguments, assigned)
    if name in ("cmake", "ctest"):
        return check_cmake(arguments)
    return None if name in OF_OTHERS else "is no program of the suite, and not on the list of those of others"


MISSING = re.compile(r"is needed(: |, which)|needs matplotlib|No module named '(h5py|matplotlib|numpy)'")
backends = Programs(built).backends("orb")
wrong, seen, ran = [], 0, {}
for page in pages.of_repository(root):
    for words in page_commands.commands(page.read_text(encoding="utf-8")):
        seen += 1
        told = shlex.join(words)
        problem = check(words)
        if problem:
            wrong.append(f"{page.relative_to(root)}: {told}\n    {problem}")
folder.cleanup()
assert not wrong, "\n".join(wrong)
assert seen > 200, f"only {seen} commands were found"
