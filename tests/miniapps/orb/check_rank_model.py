"""check_rank_model.py MPIEXEC NUMPROC_FLAG ORB REPORT float|double

`orb --model` on two ranks compares a prediction with the measured time. Oracle: the sum done
here, by hand, from the measured bandwidths in the report.
"""

import json
import subprocess
import sys

mpiexec, numproc, orb, report = sys.argv[1:5]
real = {"float": 4, "double": 8}[sys.argv[5]]
PARTICLES, RANKS, LEVELS, NETWORK = 40000, 2, 6, 2.0

subprocess.run(
    [mpiexec, numproc, str(RANKS), orb, "--generate", "uniform", "--particles", str(PARTICLES),
     "--leaves", str(2**LEVELS), "--backend", "serial", "--reshuffle", "local", "--repeat", "1",
     "--model", "corrected", "--model-network", str(NETWORK), "--json", report],
    check=True, stdout=subprocess.DEVNULL)
with open(report) as file:
    document = json.load(file)
model = document["results"]["model"]
[run] = model["measured"]
[serial] = [b for b in model["backends"] if b["backend"] == "serial"]
[build] = [p for p in document["phases"] if p["name"] == "copse::orb::build_serial"]

row = 3 * real + 8
# Every level is shared: histogram sweeps and the partition's count, then key, row in and row out.
sweeps = -(-8 * real // 11)
read = LEVELS * (sweeps + 1) * real
moved = LEVELS * (real + 2 * row)
expected = PARTICLES / RANKS * (
    read / serial["read_bytes_per_second"] + moved / serial["copy_bytes_per_second"]
    + (1 - 1 / RANKS) * row / (NETWORK * 1e9))

assert run["ranks"] == RANKS and run["reshuffle"] == "local", run
assert abs(run["predicted_seconds"] / expected - 1) < 1e-9, (run, expected)
assert run["measured_seconds"] == build["seconds"]["median"], (run, build)
