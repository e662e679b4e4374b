"""check_weight_file.py ORB FOLDER

`orb --weights column --input FILE` cuts by the file's weights. Oracle: the weighted tree built here,
cell by cell from sorted lists, with the weights that were written ([Rehmann 2022] eq. 6, complete rule). A
file without weights, or with an invalid weight, is refused in one sentence.
"""

import json
import os
import random
import struct
import subprocess
import sys

orb, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
LEAVES = 16


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def write(name, header, rows):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        print(header, file=file)
        for row in rows:
            print(*(repr(value) for value in row), sep=",", file=file)
    return path


def run(path, *options):
    report = os.path.join(folder, "run.json")
    done = subprocess.run([orb, "--input", path, "--leaves", str(LEAVES), "--backend", "serial",
                           "--box", "1",
                           "--repeat", "1", "--verify", "--json", report, *options],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return done.returncode, done.stderr
    with open(report) as file:
        return 0, json.load(file)["results"]


def leaves_of(rows, lower, upper, leaves):
    if leaves == 1:
        return [rows]
    axis = max(range(3), key=lambda a: (single(upper[a] - lower[a]), -a))
    rows = sorted(rows, key=lambda row: row[axis])
    share = sum(row[3] for row in rows) * (leaves // 2) // leaves
    left, weight = 0, 0
    while weight + rows[left][3] <= share:
        weight += rows[left][3]
        left += 1
    cut = single((rows[left - 1][axis] + rows[left][axis]) / 2)
    middle_up, middle_low = list(upper), list(lower)
    middle_up[axis] = middle_low[axis] = cut
    return (leaves_of(rows[:left], lower, middle_up, leaves // 2)
            + leaves_of(rows[left:], middle_low, upper, leaves // 2))


draw = random.Random(5)
rows = [tuple(single(draw.random()) for _ in range(3)) + (draw.choice((1, 2, 3, 40)),)
        for _ in range(3000)]
path = write("weights.csv", "weight,x,z,y,other", [(r[3], r[0], r[2], r[1], 7.5) for r in rows])
code, found = run(path, "--weights", "column")
assert code == 0, found

expected = leaves_of(rows, (0, 0, 0), (1, 1, 1), LEAVES)
sizes = [len(leaf) for leaf in expected]
weights = [sum(row[3] for row in leaf) for leaf in expected]
assert (found["smallest_leaf"], found["largest_leaf"]) == (min(sizes), max(sizes)), (found, sizes)
imbalance = max(weights) * LEAVES / sum(weights)
assert abs(found["weight_imbalance"] - imbalance) < 1e-12, (found, imbalance)
assert found["work_imbalance"] == found["weight_imbalance"], found
assert max(sizes) - min(sizes) > 1, "weights that change nothing show nothing"

# Without weights, leaves have unequal work.
code, found = run(path, "--weights", "column", "--weight-exponent", "0")
assert code == 0, found
expected = leaves_of([row[:3] + (1,) + row[3:] for row in rows], (0, 0, 0), (1, 1, 1), LEAVES)
work = [sum(row[4] for row in leaf) for leaf in expected]
imbalance = max(work) * LEAVES / sum(work)
assert abs(found["work_imbalance"] - imbalance) < 1e-12, (found, imbalance)
assert imbalance > 1.01 and found["weight_imbalance"] < found["work_imbalance"], found

for name, header, refused_rows, sentence in [
        ("none.csv", "x,y,z", [r[:3] for r in rows], "--weights column: the input has no weight column"),
        ("negative.csv", "x,y,z,weight", [r[:3] + (-1.0,) for r in rows], "weight"),
        ("nan.csv", "x,y,z,weight", [r[:3] + (float("nan"),) for r in rows], "weight")]:
    code, said = run(write(name, header, refused_rows), "--weights", "column")
    assert code == 2 and said.count("orb: error:") == 1 and sentence in said, (name, code, said)
