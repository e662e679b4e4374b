"""check_reference_runs.py ROOT NAME=PROGRAM...: reference runs of the READMEs give the stated results.

A row of a table "| run | results |" has a command and, after it, fields of the report's `results`:
`FIELD = VALUE`, or `FIELD = VALUE ± PERCENT %` for a number that rounding or the backend may change.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
apps = dict(argument.split("=", 1) for argument in sys.argv[2:])


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


compared = 0
for name, program in apps.items():
    text = (root / "miniapps" / name / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^\| run \| results \|\n\|.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert table, f"{name} has no reference runs"
    for line in table.group(1).splitlines():
        command, *expected = re.findall(r"`([^`]+)`", line)
        words = shlex.split(command)
        assert words[0] == name and expected, line
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            done = subprocess.run([program, *words[1:], "--repeat", "1", "--quiet", "--verify",
                                   "--json", report], capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stderr}"
            results = json.loads(report.read_text(encoding="utf-8"))["results"]
        for pair in expected:
            key, _, value = pair.partition(" = ")
            found = field(results, key)
            assert agrees(found, value), f"{command}: {key} is {found}, the README has {value}"
            compared += 1
assert compared > 5 * len(apps), compared
