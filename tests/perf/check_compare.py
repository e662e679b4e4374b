"""check_compare.py PERF FOLDER: the comparison finds changes of known size and says when
noise hides them.

Samples are drawn here, from a seed: the true ratio of each row is known.
"""

import json
import math
import os
import random
import shutil
import subprocess
import sys

perf, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
draw = random.Random(7)


def result(path, rows, **changes):
    """A result whose rows are {name: samples}, or {name: count} of an exact metric."""
    exact = not isinstance(next(iter(rows.values())), list)
    document = {
        "schema": 2, "experiment": "made", "source": "", "command": "", "quick": False,
        "commit": "abc", "machine": {"cpu": "a", "cores": 2}, "published": {}, "notes": [],
        "context": {"started": "2026-01-01"}, "runs": [], "keys": ["name"],
        "metric": {"column": "value", "unit": "s", "better": "smaller", "exact": exact},
        "rows": [{"name": name, "value": v if exact else sorted(v)[len(v) // 2], "run": place,
                  **({} if exact else {"samples": v})}
                 for place, (name, v) in enumerate(rows.items())],
        **changes}
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return path


def samples(center, spread, count=15):
    return [center * math.exp(draw.gauss(0, spread)) for _ in range(count)]


def compare(before, after, *options):
    table = os.path.join(folder, "table.json")
    done = subprocess.run([sys.executable, os.path.join(perf, "compare.py"), before, after,
                           "--json", table, *options], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        return 2, done.stderr
    with open(table, encoding="utf-8") as file:
        rows = [row for table in json.load(file).values() for row in table]
    return done.returncode, {row["row"].split(" ")[1]: row for row in rows}


KNOWN = {  # name: true ratio, noise of both sides, verdict
    "slower": (1.20, 0.01, "regression"),
    "faster": (0.80, 0.01, "improvement"),
    "same": (1.00, 0.01, "no difference"),
    "hidden": (1.20, 0.60, "too noisy"),  # the same change as `slower`
    "small": (1.02, 0.004, "no difference"),  # real but below the threshold
}
before = result("before/m/made/a.json", {k: samples(1.0, n) for k, (_, n, _) in KNOWN.items()})
after = result("after/m/made/b.json", {k: samples(r, n) for k, (r, n, _) in KNOWN.items()})
code, found = compare(before, after)
assert code == 1, code
for key, (ratio, noise, verdict) in KNOWN.items():
    row = found[key]
    assert row["verdict"] == verdict, (key, row)
    assert row["low"] <= row["ratio"] <= row["high"], row
    assert row["low"] <= ratio <= row["high"] or noise > 0.1, (key, row)
assert compare(after, before)[1]["faster"]["verdict"] == "regression"
assert compare(os.path.join(folder, "before"), os.path.join(folder, "after"))[0] == 1

# Larger is better: the same numbers mean the opposite.
rates = {"column": "value", "unit": "1/s", "better": "larger", "exact": False}
up = result("up.json", {"rate": samples(1.2, 0.01)}, metric=rates)
flat = result("flat.json", {"rate": samples(1.0, 0.01)}, metric=rates)
assert compare(flat, up)[1]["rate"]["verdict"] == "improvement"
assert compare(up, flat)[0] == 1

# Rows of four samples on a side are not compared, which a note says; with no other row that is an
# error of one sentence. The interval covers the truth as often as it says: 99 of 100, give or take
# what 80 trials allow.
rare, other = [1.0, 1.1, 1.0, 1.1], [2.0, 2.1, 2.0, 2.1]
code, sentence = compare(result("few.json", {"x": rare}), result("more.json", {"x": other}))
assert code == 2 and "rows with fewer than 5 samples" in sentence, sentence
code, sentence = compare(result("here.json", {"x": rare * 2}), result("there.json", {"y": other * 2}))
assert code == 2 and "no row of both sides" in sentence, sentence
one = result("f0.json", {"x": rare * 2, "y": rare * 2})
two = result("f1.json", {"x": other, "y": other * 2})
found = compare(one, two)
assert found[0] == 1 and set(found[1]) == {"y"}, found
said = subprocess.run([sys.executable, os.path.join(perf, "compare.py"), one, two],
                      capture_output=True, text=True, check=False).stdout
assert "note: fewer than 5 samples before or after, not compared: name x\n" in said, said
many = compare(result("m0.json", {f"{i}": samples(1.0, 0.05) for i in range(80)}),
               result("m1.json", {f"{i}": samples(1.1, 0.05) for i in range(80)}))[1]
covered = sum(row["low"] <= 1.1 <= row["high"] for row in many.values())
assert covered >= 74, covered

enough = compare(result("five.json", {"x": [1.0, 1.1, 1.0, 1.1, 1.0]}),
                 result("other5.json", {"x": [2.0, 2.1, 2.0, 2.1, 2.0]}))
assert enough[0] == 1 and enough[1]["x"]["verdict"] == "regression", enough

# Rows of runs that other programs disturbed are not compared, which a note says; with no other row
# that is an error. Runs on devices and runs of older results, which do not say, are compared.
calm = {"x": [1.0, 1.1] * 4, "y": [1.0, 1.1] * 4, "z": [1.0, 1.1] * 4}
one = result("d0.json", calm, runs=[{"disturbed": False}, {"disturbed": None}, {}])
two = result("d1.json", {name: [2 * v for v in values] for name, values in calm.items()},
             runs=[{"disturbed": True}, {"disturbed": None}, {}])
found = compare(one, two)
assert found[0] == 1 and set(found[1]) == {"y", "z"}, found
assert set(compare(two, one)[1]) == {"y", "z"}
said = subprocess.run([sys.executable, os.path.join(perf, "compare.py"), one, two],
                      capture_output=True, text=True, check=False).stdout
assert "note: other programs disturbed a run, not compared: name x\n" in said, said
one = result("d2.json", {"x": calm["x"]}, runs=[{"disturbed": True}])
code, sentence = compare(one, one)
assert code == 2 and "measure again on a quiet machine" in sentence, sentence
counts = result("d3.json", {"x": 5}, runs=[{"disturbed": True}])
assert compare(counts, counts)[0] == 0

# Rows of different inputs are not compared, however much they differ, and a note says so; where a
# run does not tell its input, they are.


def with_inputs(path, seconds, checksums):
    """A row for each checksum, {name: checksum or None}, which its own run reports."""
    return result(path, dict.fromkeys(checksums, [seconds] * 5),
                  runs=[{"input": c} for c in checksums.values()])


one = with_inputs("i0.json", 1.0, {"equal": "aa", "other": "aa", "untold": "aa"})
two = with_inputs("i1.json", 2.0, {"equal": "aa", "other": "bb", "untold": None})
found = compare(one, two)
assert found[0] == 1 and set(found[1]) == {"equal", "untold"}, found
said = subprocess.run([sys.executable, os.path.join(perf, "compare.py"), one, two],
                      capture_output=True, text=True, check=False).stdout
assert "note: different inputs, not compared: name other\n" in said, said

# Counts have no noise.
exact = compare(result("e0.json", {"worse": 10, "same": 5}), result("e1.json", {"worse": 11,
                                                                                "same": 5}))
assert exact[0] == 1 and exact[1]["worse"]["verdict"] == "regression"
assert exact[1]["same"]["verdict"] == "no difference"

# What cannot be compared.
assert compare(before, result("quick.json", {"same": [1.0] * 3}, quick=True))[0] == 2
assert compare(before, result("other.json", {"same": [1.0] * 3}, experiment="other"))[0] == 2
assert compare(before, folder)[0] == 2
assert compare(before, os.path.join(folder, "none.json"))[0] == 2
