"""check_commands.py ROOT ORB FOF TRAVERSAL GRAVITY COLLIDE: commands in README and docs work.

Every command in a shell block is checked. Mini-apps are run with --dry-run, or with a small file
instead of the named input; a backend that this build lacks is replaced by another. Scripts and other
programs of the build are run with --help, which must name the options; experiments that are named
must exist, and docs/book.py check and perf/run.py --list are run as they are. For commands of others
it is checked that their presets, targets and files exist.
"""

import json
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1]).resolve()
apps = {name: pathlib.Path(path) for name, path in zip(("orb", "fof", "traversal", "gravity", "collide"),
        sys.argv[2:7])}
sys.path.insert(0, str(root / "docs"))
from bookmaker import pages  # noqa: E402

BLOCK = re.compile(r"^```(?:sh|bash)\n(.*?)^```", re.DOTALL | re.MULTILINE)
NOT_OURS = {"cd", "git", "mpirun", "export", "module", "srun", "sbatch", "ls", "source", "spack",
            "apt-get", "make", "open", "xdg-open", "nvidia-smi"}
presets = json.loads((root / "CMakePresets.json").read_text(encoding="utf-8"))
options_of_cmake = (root / "cmake/CopseOptions.cmake").read_text(encoding="utf-8") + "Kokkos_ROOT ArborX_ROOT"
lists = "".join(file.read_text(encoding="utf-8") for folder in ("docs", "tests", "perf", "roofline",
                "miniapps", "cmake") for file in (root / folder).rglob("*")
                if file.name == "CMakeLists.txt" or file.suffix == ".cmake")


def words_of(text):
    """The commands of a block as lists of words; variables are expanded, loops run once."""
    text = re.sub(r"\\\n", " ", text)
    variables = {}
    for line in text.splitlines():
        for name, value in variables.items():
            line = re.sub(rf"\$\{{?{name}\}}?(?!\w)", lambda _, v=value: v, line)
        words = shlex.split(line, comments=True)
        if len(words) == 1 and re.fullmatch(r"\w+=.*", words[0]):
            name, _, variables[name] = words[0].partition("=")
            continue
        words = [word for word in shlex.split(re.sub(r"(&&|\|\||[;|])", r" \1 ", line),
                                              comments=True)]
        command = []
        for word in words + [";"]:
            if word in ("&&", "||", ";", "|", "do", "done"):
                if command[:1] == ["for"]:
                    variables[command[1]] = command[3]
                elif command:
                    yield command
                command = []
            else:
                command.append(word)


def small_input(folder, name):
    """A file of eight particles or points, in the format of its name."""
    path = os.path.join(folder, os.path.basename(name))
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
    with open(path, "wb") as file:
        file.write(data)
    return path


def run_app(name, arguments, folder, backends):
    """None, or the error of a mini-app's command."""
    arguments = list(arguments)
    if "--restart" in arguments:  # a file that the command before would write
        start = arguments.index("--restart")
        del arguments[start:start + 2]
    for number, word in enumerate(arguments[:-1]):
        if word == "--input":
            arguments[number + 1] = small_input(folder, arguments[number + 1])
        elif word == "--subsample" and "--input" in arguments:
            arguments[number + 1] = "5"  # of the eight
        elif word in ("--json", "--output"):
            arguments[number + 1] = os.path.join(folder, os.path.basename(arguments[number + 1]))
        elif word == "--backend" and arguments[number + 1] not in backends:
            arguments[number + 1] = backends[-1]
    if not {"--help", "--list", "--version", "--dry-run", "--input"} & set(arguments):
        arguments.append("--dry-run")
    done = subprocess.run([apps[name], *arguments], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"ended with {done.returncode}: {done.stderr.strip()}"


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


def check_help(program, arguments, shown):
    """The program's --help must name every option; `shown` is its name in a message."""
    if program not in helps:
        done = subprocess.run([program, "--help"], capture_output=True, text=True, check=False)
        helps[program] = done.stdout if done.returncode == 0 else None
        if done.returncode != 0 and "No module named" in done.stderr:
            helps[program] = ""
    if helps[program] is None:
        return f"{shown} --help fails"
    end = arguments.index("--") if "--" in arguments else len(arguments)
    for word in arguments[:end]:
        option = word.split("=")[0]
        if helps[program] and re.fullmatch(r"--[a-z][\w-]*", option) and not re.search(
                rf"(?<![\w-]){option}(?![\w-])", helps[program]):
            return f"{shown} knows no {option}"
    return None


def check_script(path, arguments):
    """A script of the repository: its options, the experiments that it is given, and some runs."""
    if path in ("perf/run.py", "perf/plot.py"):
        names = [word for word, before in zip(arguments, ["", *arguments])
                 if not word.startswith("-") and not before.startswith("--")]
        unknown = [name for name in names if name not in ("all", "NAME") and
                   not (root / f"perf/experiments/{name}.toml").is_file()]
        if unknown:
            return f"there is no experiment {', '.join(unknown)}"
    if [path, *arguments] in (["docs/book.py", "check"], ["perf/run.py", "--list"]):
        done = subprocess.run([root / path, *arguments], capture_output=True, text=True, check=False)
        return None if done.returncode == 0 else f"ended with {done.returncode}: {done.stderr}"
    text = (root / path).read_text(encoding="utf-8")
    if not re.match(r"#!.*python", text):  # a shell script may do its work whatever it is asked
        unknown = [word for word in arguments if word.startswith("--") and word not in text]
        return f"{path} knows no {unknown[0]}" if unknown else None
    return check_help(root / path, arguments, path)


def check_built(name, arguments):
    """A program of the build beside the mini-apps, if this build has it."""
    target = re.sub(r"NAME$|[^\w]+$", "", name)
    if target not in lists:
        return f"no CMakeLists.txt names {name}"
    program = apps["orb"].parent / name
    return check_help(program, arguments, name) if program.is_file() else None


def check(command, folder, backends):
    while command and re.fullmatch(r"\w+=.*", command[0]):
        command = command[1:]
    if command and command[0] in ("mpirun", "srun"):
        places = [n for n, word in enumerate(command) if os.path.basename(word) in apps]
        command = command[places[0]:] if places else command
    if not command:
        return None
    program, arguments = command[0], command[1:]
    name = os.path.basename(program)
    if name in apps and any(re.fullmatch("[A-Z]{2,}", word) for word in arguments):
        return None  # a form to fill in
    if name in apps:
        return run_app(name, arguments, folder, backends)
    if name == "cmake":
        return check_cmake(arguments)
    if name == "ctest":
        return check_cmake(arguments)
    if program.startswith("build/"):
        return check_built(name, arguments)
    if (root / program).is_file():
        if not os.access(root / program, os.X_OK):
            return f"{program} cannot be executed"
        return check_script(program, arguments)
    if name.startswith("python") and arguments and (root / arguments[0]).is_file():
        return check_script(arguments[0], arguments[1:])
    if name in NOT_OURS or program.startswith("kokkos-tools/"):
        return None
    return "is no program of the suite, and not on the list of those of others"


listed = subprocess.run([apps["orb"], "--help"], capture_output=True, text=True, check=True).stdout
built = [name for name in ("serial", "openmp", "cuda") if re.search(rf"\b{name}\b", re.search(
    r"--backend.*?\n  --", listed, re.DOTALL).group(0))]
wrong, seen, helps = [], 0, {}
with tempfile.TemporaryDirectory() as scratch:
    for page in pages.of_repository(root):
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for words in words_of(block):
                seen += 1
                problem = check(words, scratch, built)
                if problem:
                    wrong.append(f"{page.relative_to(root)}: {shlex.join(words)}\n    {problem}")
assert not wrong, "\n".join(wrong)
assert seen > 40, f"only {seen} commands were found"
