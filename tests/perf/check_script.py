"""check_experiment.py SCRIPT FOLDER OPTIONS...: runs an experiment quickly and checks what it wrote.

Ends with 4, which ctest reports as skipped, where this orb lacks what the experiment needs or Python
lacks matplotlib.
"""

import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys

script, folder, *options = sys.argv[1:]
if importlib.util.find_spec("matplotlib") is None:
    print("matplotlib is missing")
    sys.exit(4)
shutil.rmtree(folder, ignore_errors=True)
done = subprocess.run([sys.executable, script, "--out", folder, "--quick", *options], text=True,
                      capture_output=True, check=False)
print(done.stdout, done.stderr, sep="")
if done.returncode == 4:
    assert len(done.stderr.strip().splitlines()) >= 1, "skipped without a word"
    assert not [f for f in os.listdir(folder) if f.endswith((".json", ".png"))], "half-written"
    sys.exit(4)
assert done.returncode == 0, f"ended with {done.returncode}"

name = os.path.splitext(os.path.basename(script))[0]
assert sorted(os.listdir(folder)) == [f"{name}.json", f"{name}.png"], os.listdir(folder)
with open(os.path.join(folder, f"{name}.png"), "rb") as file:
    picture = file.read()
assert picture.startswith(b"\x89PNG") and len(picture) > 5000, "the picture is no PNG, or empty"
with open(os.path.join(folder, f"{name}.json"), encoding="utf-8") as file:
    document = json.load(file)

assert document["experiment"] == name and document["source"] and document["commit"]
assert document["machine"]["cores"] > 0
assert document["published"]
assert document["rows"] and document["runs"]


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


def has_published(row):
    return any(key.startswith(("published", "ideal")) for key in row)


for row in document["rows"]:
    found = list(numbers(row))
    assert found and all(math.isfinite(v) for v in found), row
assert any(has_published(row) for row in document["rows"]), "no published value beside the measured"
assert any(run["verification"]["passed"] for run in document["runs"]), "nothing was verified"
for run in document["runs"]:
    assert run["verification"]["passed"] or not run["verification"]["requested"]
