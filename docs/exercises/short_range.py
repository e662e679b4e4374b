"""short_range.py COLLIDE: the exercises of docs/short-range.md."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile


def run(*options):
    """The results of the one method of a run."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.json"
        subprocess.run([sys.argv[1], *map(str, options), "--repeat", "1", "--quiet", "--json", file],
                       check=True, stdout=subprocess.DEVNULL)
        return json.loads(file.read_text(encoding="utf-8"))["results"]["methods"][0]


# [begin candidates]
# 1. A particle looks into 3^D cells of side s, in units of the cutoff, and finds density * s^D
# particles in each. A circle of the cutoff would hold pi * density of them if their places were
# independent. They are not: particles in contact push each other apart within a few steps.
def candidates(density, side, dimensions=2):
    return 3 ** dimensions * density * side ** dimensions


assert math.isclose(candidates(0.2, 2), 7.2) and math.isclose(candidates(0.2, 1), 1.8)
course = run("--particles", 1000, "--seed", 1, "--steps", 1000, "--method", "cells")
settled = [r["contacts"] / 1000 for r in course["records"][100:]]
assert sum(settled) / len(settled) < math.pi * 0.2 / 4  # 0.1 contacts, not 0.63
# [end candidates]


# [begin swaps]
# 2. Two ends of intervals swap when their particles pass each other on that axis, however far apart
# they are on the others. On a line of length L, n^2 / 2 pairs with a mean relative speed E|dv| pass
# each other n^2 E|dv| dt / (2 L) times in a step, and in every passage four pairs of ends swap. The
# first velocities are uniform in [-1, 1], so E|dv| = 2/3.
def swaps_per_particle(n, dt=0.0005):
    return 2 * n * (2 / 3) * dt / math.sqrt(0.0005 * n)


assert math.isclose(swaps_per_particle(1000), 0.943, abs_tol=0.001)
# Neither O(n) nor O(n^2): n swaps of sqrt(n) each.
assert math.isclose(swaps_per_particle(10**5) / swaps_per_particle(10**3), 10)
# [end swaps]


# [begin order]
# 3. 0 + a + b and 0 + b + a are the same number, because a sum of two is rounded once and does not
# depend on its order. A sum of three is rounded twice.
def total(terms):
    result = 0.0
    for term in terms:
        result += term
    return result


assert total([0.1, 0.7]) == total([0.7, 0.1])
assert total([0.1, 0.7, 0.2]) != total([0.7, 0.2, 0.1])
# [end order]


# [begin steps]
# 4. Kick and drift alone are of first order in the energy: half the step, half the change. With half
# a kick before and after, the change falls by four at first. It does not go on like that: the force
# of a spring that ends at the cutoff has a bend there, which every contact crosses twice.
def change(halvings, integrator):
    return run("--force", "soft-sphere", "--particles", 500, "--seed", 1, "--method", "cells",
               "--steps", 1000 * 2 ** halvings, "--dt", 0.0005 / 2 ** halvings,
               "--integrator", integrator)["energy_change"]


euler = change(1, "euler") / change(2, "euler")
leapfrog = change(0, "leapfrog") / change(1, "leapfrog")
assert 1.5 < euler < 3  # measured: 2.2
assert 3 < leapfrog < 6  # measured: 4.3
# [end steps]
