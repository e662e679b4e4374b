"""check_reference_runs.py ROOT MPIEXEC NUMPROC_FLAG NAME=PROGRAM...: reference runs of the READMEs give
the stated results on every backend of the build, and on 3 ranks.

A row of a table "| run | results |" has a command and, after it, fields of the report's `results`:
`FIELD = VALUE`, or `FIELD = VALUE ± PERCENT %` for a number that rounding or the backend may change.
`3 ranks: FIELD = VALUE` is the result on 3 ranks where it differs. Programs that run on one rank must refuse 3.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
MPIRUN = [sys.argv[2], sys.argv[3], "3"]
apps = dict(argument.split("=", 1) for argument in sys.argv[4:])
ON_ONE_RANK = ("traversal", *(f"gravity --method {method}" for method in ("direct", "fmm", "lists")))
# Groups of targets end at the borders of coarse leaves, so these have other numbers over ranks.
OTHER_GROUPS = ("gravity", "gravity --method breadth")
OVER_RANKS = "3 ranks: "


def field(results, path):
    for part in path.split("."):
        results = results[int(part)] if isinstance(results, list) else results[part]
    return results


def agrees(found, stated):
    value, within, percent = stated.partition(" ± ")
    if not within:
        return str(found) == value
    share = float(percent.removesuffix(" %")) / 100
    return abs(found - float(value)) <= share * abs(float(value))


def backends(program):
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    said = re.search(r"--backend.*?\n  --", text, re.DOTALL)[0]
    return [name for name in ("serial", "openmp", "cuda") if re.search(rf"\b{name}\b", said)]


def places(name, program):
    """(what to write in a message, what stands before the program, options) of each run."""
    found = [(backend, [], ["--backend", backend]) for backend in backends(program)]
    return found + [("3 ranks", MPIRUN, ["--backend", "serial"])]


def kind_of(words):
    """The program of a command, and its method if it is given."""
    if "--method" not in words:
        return words[0]
    return f"{words[0]} --method {words[words.index('--method') + 1]}"


def compare(name, program, line):
    """The number of values of a row that agreed."""
    command, *expected = re.findall(r"`([^`]+)`", line)
    words = shlex.split(command)
    assert words[0] == name and expected, line
    compared = 0
    for where, before, more in places(name, program):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            done = subprocess.run([*before, program, *words[1:], *more, "--repeat", "1", "--quiet",
                                   "--verify", "--json", report], capture_output=True, text=True,
                                  check=False)
            if before and (name in ON_ONE_RANK or kind_of(words) in ON_ONE_RANK):
                assert done.returncode == 2 and "one rank" in done.stderr, f"{command}: {done.stderr}"
                continue
            assert done.returncode == 0, \
                f"{command} on {where} ended with {done.returncode}: {done.stderr}"
            results = json.loads(report.read_text(encoding="utf-8"))["results"]
        apart = before and kind_of(words) in OTHER_GROUPS
        stated = [pair.removeprefix(OVER_RANKS) for pair in expected
                  if pair.startswith(OVER_RANKS) == bool(apart)]
        assert stated, f"{command}: the README has no result on {where}"
        for pair in stated:
            key, _, value = pair.partition(" = ")
            found = field(results, key)
            assert agrees(found, value), \
                f"{command} on {where}: {key} is {found}, the README has {value}"
            compared += 1
    return compared


compared = 0
for name, program in apps.items():
    text = (root / "miniapps" / name / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^\| run \| results \|\n\|.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert table, f"{name} has no reference runs"
    compared += sum(compare(name, program, line) for line in table.group(1).splitlines())
assert compared > 10 * len(apps), compared
