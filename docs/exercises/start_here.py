"""start_here.py ORB FOF HAS_CGAL: the exercises of docs/start-here.md, by running the programs."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

orb, fof = sys.argv[1:3]
has_cgal = sys.argv[3] == "1"


def said(*command):
    """The output of a program, which must succeed."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def report(*command):
    """The JSON report of a run."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.json"
        said(*command, "--repeat", "1", "--quiet", "--json", str(file))
        return json.loads(file.read_text(encoding="utf-8"))


# [begin bytes]
# 1. A dry run allocates nothing and prints the memory that a run would need, on host and device.
def bytes_a_particle(particles):
    text = said(orb, "--particles", f"{particles:.0f}", "--leaves", "4096", "--dry-run")
    sizes = re.findall(r"([\d.]+) ([KMGT]?)i?B\b", text)
    total = sum(float(size) * 1024 ** " KMGT".index(prefix or " ") for size, prefix in sizes)
    return total / particles


assert bytes_a_particle(1e9) > 32  # a position and a row number, before and after a move
assert abs(bytes_a_particle(1e8) / bytes_a_particle(1e9) - 1) < 0.02  # proportional to the particles
# [end bytes]


# [begin cuts]
# 2. No: cuts are keys of particles, and the search method does not change which keys.
def checksum(cut):
    run = report(orb, "--particles", "1e5", "--leaves", "64", "--cut", cut)
    return run["results"]["checksum"]


assert checksum("histogram") == checksum("bisection") == checksum("select")
# [end cuts]

# [begin methods]
# 3. Yes: the labels of four methods are compared with each other and with the definition of a
# group. The fifth method triangulates, which excludes periodic boxes: without one its groups are
# the default's.
nfw = ("--generate", "nfw", "--particles", "2e4", "--verify")
checks = report(fof, *nfw, "--method", "all")["verification"]["checks"]
same = [check for check in checks if "_equals_" in check["name"]]
assert len(same) >= 3 and all(check["passed"] for check in checks)
if has_cgal:
    fifth, first = (report(fof, *nfw, "--isolated", "--method", method)
                    for method in ("emst-delaunay", "leaf-pairs"))
    assert fifth["verification"]["passed"] and first["verification"]["passed"]
    for count in "components", "groups", "largest_group", "particles_in_groups":
        assert fifth["results"][count] == first["results"][count]
# [end methods]
