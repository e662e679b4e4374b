"""check_experiment.py PERF EXPERIMENT FOLDER OPTIONS...: runs an experiment quickly, checks what it
wrote, and draws it.

Ends with 4, which ctest reports as skipped, where this build lacks what the experiment needs.
"""

import glob
import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys

perf, name, folder, *options = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
command = [sys.executable, os.path.join(perf, "run.py"), name, "--quick", "--results", folder,
           "--machine", "here", *options]
done = subprocess.run(command, text=True, capture_output=True, check=False)
print(done.stdout, done.stderr, sep="")
if done.returncode == 4:
    assert len(done.stderr.strip().splitlines()) >= 1, "skipped without a word"
    assert not glob.glob(f"{folder}/here/*/*.json"), "half-written"
    sys.exit(4)
assert done.returncode == 0, f"ended with {done.returncode}"

written = os.listdir(os.path.join(folder, "here", name))
assert len(written) == 1 and written[0].endswith(".json"), written
path = os.path.join(folder, "here", name, written[0])
assert done.stdout.strip() == path, done.stdout
with open(path, encoding="utf-8") as file:
    document = json.load(file)

assert document["schema"] == 1 and document["quick"] is True
assert document["experiment"] == name and document["source"] and document["title"]
assert document["commit"] and document["machine"]["cores"] > 0
assert written[0].startswith(document["commit"][:7])
assert document["published"] and document["rows"] and document["runs"]
assert document["metric"]["column"] and document["panels"]


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


seen = set()
for row in document["rows"]:
    found = list(numbers(row))
    assert found and all(math.isfinite(v) for v in found), row
    key = tuple(str(row.get(k)) for k in document["keys"])
    assert key not in seen, f"two rows are alike: {key}"
    seen.add(key)
    assert row.get(document["metric"]["column"]) is not None, row
    if not document["metric"]["exact"]:
        assert row["samples"] and min(row["samples"]) <= row[document["metric"]["column"]] \
            <= max(row["samples"]), row
    assert 0 <= row["run"] < len(document["runs"])
assert len(document["context"]["runs"]) == len(document["runs"])
for run, context in zip(document["runs"], document["context"]["runs"]):
    assert run["verification"]["passed"] or not run["verification"]["requested"]
    assert context["command"] and context["wall_seconds"] > 0
    for part in ("cpu", "gpu"):  # joules, or the reason why there are none
        assert context[f"{part}_joules"] is not None or ":" in document["context"]["energy"][part]
assert any(run["verification"]["passed"] for run in document["runs"]) \
    or name == "energy", "nothing was verified"

if importlib.util.find_spec("matplotlib") is None:
    print("matplotlib is missing: not drawn")
    sys.exit(0)
picture = os.path.join(folder, "picture.png")
subprocess.run([sys.executable, os.path.join(perf, "plot.py"), path, "-o", picture], check=True)
with open(picture, "rb") as file:
    data = file.read()
assert data.startswith(b"\x89PNG") and len(data) > 5000, "the picture is no PNG, or empty"
