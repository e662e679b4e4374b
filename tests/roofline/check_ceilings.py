"""check_ceilings.py CEILINGS FOLDER: a quick run writes a machine file; bad input does not."""

import json
import math
import os
import shutil
import subprocess
import sys

program, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
path = os.path.join(folder, "machine.json")


def run(*arguments):
    return subprocess.run([program, *arguments], text=True, capture_output=True, check=False)


def rates(value):
    """All numbers that must be positive: every measured one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key != "bytes" or inner is not None:
                yield from rates(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from rates(inner)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


done = run("--quick", "--json", path)
assert done.returncode == 0, done.stderr
with open(path, encoding="utf-8") as file:
    document = json.load(file)
assert document["app"] == "ceilings" and document["results"]["quick"] is True
ceilings = document["results"]["ceilings"]
assert [c["backend"] for c in ceilings] == document["build"]["backends"]
for c in ceilings:
    assert c["threads"] > 0
    assert all(math.isfinite(v) and v > 0 for v in rates(c)), c["backend"]
    assert {r["stream"] for r in c["sweep"]} == {"read", "copy", "triad", "random", "tree"}
    assert set(c["operations_per_second"]) == {"float", "double", "integer"}
    shapes = {"scalar", "vector"} if c["on_host"] else {"thread"}
    for kind, peaks in c["operations_per_second"].items():
        assert set(peaks) == shapes, kind
        for shape, peak in peaks.items():
            chains = [r["operations_per_second"] for r in c["chains"]
                      if (r["type"], r["shape"]) == (kind, shape)]
            assert len(chains) > 3 and peak == max(chains)
    assert {a["memory"] for a in c["atomics"]} == {"scratch", "global"}
    assert bool(c["transfers"]) != c["on_host"]
    assert c["levels"][-1]["name"] == "memory"
assert len(document["fom"]) == len(ceilings)

backend = document["build"]["backends"][0]
one = run("--quick", "--backend", backend, "--json", path)
assert one.returncode == 0, one.stderr
with open(path, encoding="utf-8") as file:
    assert [c["backend"] for c in json.load(file)["results"]["ceilings"]] == [backend]

os.remove(path)
for arguments, word in ((["--output", "x.h5"], "--output"), (["--dry-run"], "--dry-run"),
                        (["--quick", "--verify"], "--quick"), (["--backend", "vax"], "vax")):
    refused = run(*arguments, "--json", path)
    assert refused.returncode == 2, (arguments, refused.returncode)
    assert word in refused.stderr and refused.stderr.count("error:") == 1, refused.stderr
    assert not os.path.exists(path)
