"""check_build_bytes.py ORB REPORT

The phase of a build reports the bytes it must move. Oracle: the sum over levels and rounds done here,
by hand, for the two engines of the default placement; single precision.
"""

import json
import subprocess
import sys

orb, report = sys.argv[1:]
PARTICLES = 100000
LEVEL = 4.4 + 4 + 36  # selection, partition's count, key and row moved
ROUND = 2 * (12 + 1.6) + 2 + 32  # two sweeps and their lists, a row's leaf, the move

# One thread: three levels produce eight subtrees, a fourth leaves an even number of levels below
# them.
cases = {("--leaves", "1024"): 4 * LEVEL + 32,
         ("--leaves", "8"): 3 * LEVEL,
         # Equal rounds while cells have 2^10 particles; the first round generates the row numbers.
         ("--leaves", "64", "--placement", "fused"): ROUND - 4,
         ("--leaves", "4096", "--placement", "fused"): 2 * ROUND - 4,
         # Positions only: no index is read or written.
         ("--leaves", "8", "--positions-only"): 3 * (LEVEL - 8),
         ("--leaves", "1024", "--positions-only"): 4 * (LEVEL - 8) + 24,
         ("--leaves", "4096", "--placement", "fused", "--positions-only"): 2 * (ROUND - 8)}
for options, expected in cases.items():
    subprocess.run([orb, "--generate", "uniform", "--particles", str(PARTICLES), "--backend", "serial",
                    "--repeat", "1", "--json", report, *options],
                   check=True, stdout=subprocess.DEVNULL)
    with open(report) as file:
        document = json.load(file)
    [build] = [p for p in document["phases"] if p["name"] == "copse::orb::build_serial"]
    assert abs(build["bytes"] / PARTICLES - expected) < 1e-6, (options, build["bytes"], expected)
