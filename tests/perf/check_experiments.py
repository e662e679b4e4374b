"""check_experiments.py PERF FOLDER OPTIONS... -- EXPERIMENT...: runs experiments quickly, checks
what they wrote and that a dry run had announced every command, and draws them.

For an experiment that this build cannot run, the runner must say so in one sentence.
"""

import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys

split = sys.argv.index("--")
perf, folder, *options = sys.argv[1:split]
experiments = sys.argv[split + 1:]


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


def check_rows(document):
    seen, column = set(), document["metric"]["column"]
    for row in document["rows"]:
        found = list(numbers(row))
        assert found and all(math.isfinite(v) for v in found), row
        key = tuple(str(row.get(k)) for k in document["keys"])
        assert key not in seen, f"two rows are alike: {key}"
        seen.add(key)
        assert row.get(column) is not None, row
        if "samples" in row:
            assert not document["metric"]["exact"], row
            assert min(row["samples"]) <= row[column] <= max(row["samples"]), row
        assert 0 <= row["run"] < len(document["runs"])
    # A panel draws columns that some row has.
    columns = {key for row in document["rows"] for key in row}
    for panel in document["panels"]:
        x = panel["x"] if isinstance(panel["x"], list) else [panel["x"]]
        wanted = {*x, panel["y"], *panel.get("series", []), *panel.get("only", {})}
        wanted |= {panel[k] for k in ("published",) if k in panel}
        shown = [row.get(panel["y"]) for row in document["rows"]
                 if all(row.get(k) == v for k, v in panel.get("only", {}).items())]
        if panel.get("only") == {"peer": True} and not any(row.get("peer") for row in document["rows"]):
            continue  # no other program is installed
        # Joules are not available everywhere, and one backend is not compared with others.
        alone = len(document["build"]["backends"]) == 1 and \
            {"backend", "threads"} & {*x, *panel.get("series", [])}
        assert any(v is not None for v in shown) or "joules" in panel["y"] or alone, panel
        assert wanted <= columns | set(document["keys"]), (document["experiment"],
                                                           wanted - columns)


def check(name, path, announced):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    assert document["schema"] == 2 and document["quick"] is True
    assert document["experiment"] == name and document["source"] and document["title"]
    assert document["commit"] and document["machine"]["cores"] > 0
    assert document["published"]["source"] and len(document["published"]) > 1
    assert document["rows"] and document["runs"] and document["panels"]
    check_rows(document)
    for run in document["runs"]:
        assert run["verified"] or "--verify" not in run["command"].split()
        assert run["command"] and run["wall_seconds"] > 0
        assert any(line.endswith(run["command"]) for line in announced), run["command"]
        for part in ("cpu", "gpu"):  # joules, or the reason why there are none
            assert run[f"{part}_joules"] is not None or ":" in document["context"]["energy"][part]
    assert any(run["verified"] for run in document["runs"]) or name in ("energy", "fig15"), name
    if name == "fof_tables":  # in phase space the triangulation loses links, if this build has it
        lost = [row["lost_links"] for row in document["rows"] if row["lost_links"] is not None]
        assert all(number > 0 for number in lost), lost
        assert lost or any("which this build lacks" in note for note in document["notes"])
    # Every row and every run is a line.
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip(",\n") for line in file]
    for item in document["rows"] + document["runs"]:
        assert f" {json.dumps(item)}" in lines, item


shutil.rmtree(folder, ignore_errors=True)
command = [sys.executable, os.path.join(perf, "run.py"), *experiments, "--quick", "--results", folder,
           "--machine", "here", *options]
dry = subprocess.run([*command, "--dry-run"], text=True, capture_output=True, check=False)
assert dry.returncode in (0, 4) and not os.path.exists(folder), dry.stderr
done = subprocess.run(command, text=True, capture_output=True, check=False)
print(done.stdout, done.stderr, sep="")
assert done.returncode in (0, 4), f"ended with {done.returncode}"
written = []
for experiment in experiments:
    place = os.path.join(folder, "here", experiment)
    files = os.listdir(place) if os.path.isdir(place) else []
    if not files:
        assert f"run.py: {experiment} is left out: " in done.stderr, experiment
        continue
    assert len(files) == 1 and files[0].endswith(".json"), files
    written.append(os.path.join(place, files[0]))
    check(experiment, written[-1], dry.stdout.splitlines())
assert written, "nothing could be run"
assert done.stdout.split() == written, done.stdout

if importlib.util.find_spec("matplotlib") is None:
    print("matplotlib is missing: not drawn")
    sys.exit(0)
drawn = subprocess.run([sys.executable, os.path.join(perf, "plot.py"), *written],
                       text=True, capture_output=True, check=True)
assert not drawn.stderr, drawn.stderr
for path in written:
    with open(os.path.splitext(path)[0] + ".png", "rb") as file:
        data = file.read()
    assert data.startswith(b"\x89PNG") and len(data) > 5000, f"{path}: no PNG, or empty"
