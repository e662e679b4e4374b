"""gravity.py GRAVITY: the exercises of docs/gravity.md that run the program."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile


def run(*options):
    """The results of a run."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.json"
        subprocess.run([sys.argv[1], *map(str, options), "--repeat", "1", "--quiet", "--json", file],
                       check=True, stdout=subprocess.DEVNULL)
        return json.loads(file.read_text(encoding="utf-8"))["results"]


# [begin angle]
# 2. Half the angle doubles the distance of every node in units of its size. Its error relative to
# its own field falls by 2^(p + 1). But a target also meets about eight times as many nodes, each
# with an eighth of the mass. If their errors point in random directions, the sum falls by another
# sqrt(8). So the exponent of a walk lies between p + 1 and p + 2.5.
def median_error(order, theta):
    return run("--generate", "plummer", "--particles", 20000, "--method", "particle", "--order",
               order, "--theta", theta, "--targets", 1000)["methods"][0]["acceleration_error"]["median"]


for p in 1, 2, 3, 4:
    exponent = math.log2(median_error(p, 0.6) / median_error(p, 0.3))
    assert p + 1 < exponent < p + 2.5  # 2.4, 3.5, 4.2 and 5.3
# [end angle]


# [begin leaves]
# 3. Both rules decide alike about inner nodes. They differ only for a leaf that a bucket would
# accept, but an outer node of the bucket could not decide about: instead of one cell the bucket
# gets the leaf's bodies. So the ratio is the mean size of these leaves: at most a bucket.
def counts(rule, bucket):
    return run("--generate", "nfw", "--particles", 20000, "--method", "lists", "--leaf-rule", rule,
               "--bucket-size", bucket, "--targets", 1)["methods"][0]


def bodies_per_cell(bucket):
    deferred, whole = counts("deferred", bucket), counts("whole-outer", bucket)
    return (whole["bodies"] - deferred["bodies"]) / (deferred["cells"] - whole["cells"])


for bucket in 16, 32:
    assert 1 < bodies_per_cell(bucket) < bucket


def extremes(bodies, cells, half_units):
    """The least and the largest ratio of two differences of rounded numbers."""
    (few, many), (less, more) = ((value - error, value + error)
                                 for value, error in zip((bodies, cells), half_units))
    return few / more, many / less if less > 0 else math.inf


# Table 4.2, in 10^6. A number is off by up to half a unit of its last digit.
lambs = extremes(4300 - 3370, 1000 - 955, (5 + 5, 5 + 0.5))
lambb = extremes(117000 - 96100, 53300 - 53000, (500 + 50, 50 + 50))
dwf1 = extremes(4520 - 4020, 1520 - 1490, (5 + 5, 5 + 5))
zoom = extremes(42900 - 41200, 19900 - 19800, (50 + 50, 50 + 50))
assert 18 < lambs[0] < lambs[1] < 24 and 12 < dwf1[0] < dwf1[1] < 26
assert lambb[0] > 50  # does not fit buckets of 32
assert zoom[0] <= 8 and zoom[1] == math.inf  # the digits say nothing
# [end leaves]


# [begin steps]
# 4. With direct sums only the step is wrong: half the step, a quarter of the drift. With a tree the
# drift hardly depends on the step: what is left is the error of the walk. A smaller angle lowers
# it; a smaller step only costs time.
def drift(dt, *options):
    return run("--generate", "plummer", "--particles", 2000, "--softening", 0.05, "--dt", dt,
               "--steps", round(1 / dt), *options)["motion"]["energy_drift"]


direct = drift(0.04, "--method", "direct"), drift(0.02, "--method", "direct")
assert 3 < direct[0] / direct[1] < 6  # measured: 4.7
tree = drift(0.04), drift(0.02)
assert 0.8 < tree[0] / tree[1] < 1.25 and tree[1] > 5 * direct[1]  # measured: 0.95, 18
assert drift(0.02, "--theta", 0.2) < tree[1] / 4
# [end steps]
