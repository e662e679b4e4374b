"""check_points.py ROOFLINE FOLDER CEILINGS ORB TRAVERSAL GRAVITY COLLIDE: from runs to a table and a picture.

Oracle of the work models: the bytes of a build that orb's own model finds without knowing them
(miniapps/orb/model/traffic.hpp). Of those of gravity: the flops that the program reports, which a test counts
in the code (tests/common/gravity/test_flops.cpp). Of those of collide: all pairs of particles that do not move.
"""

import importlib.util
import itertools
import json
import math
import os
import random
import shutil
import subprocess
import sys

roofline, folder, ceilings, orb, traversal, gravity, collide = sys.argv[1:]
sys.path[:0] = [roofline, os.path.join(roofline, "..", "tests", "support")]
from program_checks import backends  # noqa: E402
from work_models import apply, load_models  # noqa: E402

shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)


def path(name):
    return os.path.join(folder, name)


def run(*command, code=0):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
    return done


def script(name, *arguments, code=0):
    return run(sys.executable, os.path.join(roofline, name), *arguments, code=code)


def load(name):
    with open(path(name), encoding="utf-8") as file:
        return json.load(file)


run(ceilings, "--quick", "--backend", "serial", "--json", path("machine.json"))
common = ("--backend", "serial", "--repeat", "1", "--kernel-times", "--quiet", "--json")
run(orb, "--particles", "2e5", "--leaves", "1024", *common, path("orb.json"))
run(traversal, "--particles", "3000", "--walk", "all", *common, path("walks.json"))

for name in ("orb", "walks"):
    done = script("points.py", path(f"{name}.json"), "--machine", path("machine.json"), "--json",
                  path(f"{name}_points.json"))
    assert "of bound" in done.stdout and "modelled kernels are" in done.stdout
    document = load(f"{name}_points.json")
    assert document["points"] and document["machine"]
    for point in document["points"]:
        assert point["label"] in done.stdout and point["binding"] in point["least_seconds"]
        assert all(math.isfinite(v) and v >= 0 for v in point["least_seconds"].values())
        assert point["of_bound"] > 0 and point["share"] > 0
walks = {p["of"].split()[0]: p for p in load("walks_points.json")["points"] if "of" in p}
assert set(walks) == {"recursive", "ropes", "lockstep", "fsm", "group"}
# Packets read a node once for all their queries, and queries compute the same alone or together.
assert walks["fsm"]["L1"] < walks["ropes"]["L1"]
assert math.isclose(walks["fsm"]["flops"], walks["ropes"]["flops"])

modelled = sum(p["memory"] for p in load("orb_points.json")["points"])
build = [p["bytes"] for p in load("orb.json")["phases"] if p["name"] == "copse::orb::build_serial"]
assert 0.8 < modelled / build[0] < 1.2, (modelled, build)

# Gravity, one method at a time: every kernel of its own has a model, and those of the walk have the flops that
# the program reports. The dual walk of lists tests on the host; a direct sum has each body with itself.
UNMODELLED = {"copse::gravity::check_column", "copse::gravity::count_leaves",
              "copse::gravity::net_force"}
WALKS = ("copse::gravity::", "copse::walk::")


def gravity_points(name, *options):
    run(gravity, *options, *common, path(f"{name}.json"))
    done = script("points.py", path(f"{name}.json"), "--machine", path("machine.json"), "--json",
                  path(f"{name}_points.json"))
    points = load(f"{name}_points.json")["points"]
    own = {k["name"] for k in load(f"{name}.json")["kernels"]
           if k["name"].startswith((*WALKS, "copse::multipoles", "copse::gravity_tree"))}
    return done.stdout, points, own - {p["label"] for p in points}


for method in ("breadth", "bucket", "lists", "fmm", "particle", "direct"):
    for options in (("--order", "2"), ("--order", "4", "--mac", "changa"),
                    ("--softening", "0.01", "--softening-kernel", "spline")):
        if method == "fmm" and "spline" in options or method == "direct" and "--order" in options:
            continue
        text, points, unmodelled = gravity_points(
            method, "--generate", "plummer", "--particles", "2000", "--targets", "0", "--method",
            method, *options)
        assert unmodelled <= UNMODELLED, (method, unmodelled)
        of = load(f"{method}.json")["results"]["methods"][0]
        walk = sum(p.get("flops", 0) for p in points if p["label"].startswith(WALKS))
        walk += {"lists": of["tests"] * of["flops_per_test"],
                 "direct": -2000 * of["flops_per_body"]}.get(method, 0)
        assert math.isclose(walk, of["flops"]), (method, options, walk, of["flops"])
        assert all(p["share"] > 0 for p in points)
# A run of steps has no counts of interactions; it has models of what steps add.
_, points, unmodelled = gravity_points("steps", "--generate", "plummer", "--particles", "500",
                                       "--softening", "0.01", "--steps", "2", "--dt", "0.01")
assert {f"copse::gravity::{k}" for k in ("kick", "drift", "round", "accelerate")} <= {
    p["label"] for p in points}

# Collide, one method at a time: every kernel of a step has a model, and where candidates are counted, the flops are
# those of all pairs in a unit square. Coordinates are multiples of 1/1024 and a step is too short to change contacts.
CUTOFF, STEPS = 0.0495, 3
draw = random.Random(1)
bodies = [(0, 0), (1024, 1024)]
bodies += draw.sample([p for p in itertools.product(range(1025), repeat=2) if p not in bodies], 298)
bodies = [(x / 1024, y / 1024) for x, y in bodies]
with open(path("bodies.csv"), "w", encoding="utf-8") as file:
    file.writelines(["x,y,z\n", *(f"{x},{y},{y}\n" for x, y in bodies)])


def block(x):
    return min(int(10 * x), 9)  # of side 0.1, just above two cutoffs


def pairs(near, among=bodies):
    """Ordered pairs, those of a particle with itself included."""
    return sum(near(abs(a[0] - b[0]), abs(a[1] - b[1])) for a in among for b in among)


def overlaps(among=bodies):
    return (pairs(lambda dx, dy: max(dx, dy) <= CUTOFF, among) - len(among)) // 2


n, halves = len(bodies), (0, 0.5)
contacts = pairs(lambda dx, dy: math.hypot(dx, dy) <= CUTOFF) - n
blocks = [(block(x), block(y)) for x, y in bodies]
in_blocks = pairs(lambda dx, dy: max(dx, dy) <= 1, blocks)
known = [[(x, y) for x, y in bodies if abs(x - left - 0.25) < 0.25 + CUTOFF and abs(y - low - 0.25) < 0.25 + CUTOFF]
         for left in halves for low in halves]  # to the four regions
by_blocks = in_blocks * 6 + contacts * 11 + n * (8 + 4)
FLOPS = {"brute-force": n * n * 6 + n * 8, "cells-tiled": by_blocks - n * 4, "microblocks": by_blocks,
         "microblocks-locked": by_blocks, "microblocks-slots": by_blocks,
         "microblocks-slots rescan": by_blocks + (100 - 1) * n * 4,
         "sweep-and-prune": overlaps() * 6 + contacts * 11 + n * (8 + 4),
         "sweep-regions": sum(map(overlaps, known)) * 6 + contacts * 11 + n * (8 + 6)
                          + sum(map(len, known)) * 4}
SLOTS = 4
while SLOTS < max(map(blocks.count, blocks)):
    SLOTS *= 2
THREADED = ("microblocks-locked", "sweep-regions")
# Sorts, what a load does, and a kernel whose phase has a model.
OTHERS = {"copse::collide::" + kernel for kernel in
          ("gather", "sort_partners", "each_strip", "strips_border", "number_by_strip", "index_keys",
           "largest_change", "slots_fill", "migrate_locked")}
models = load_models()
listed = [line.split()[0] for line in run(collide, "--list").stdout.splitlines() if line.startswith("  ")]
assert set(THREADED) < set(listed) and {key.split()[0] for key in FLOPS} < set(listed)
for method in listed:
    backend = "openmp" if method in THREADED else "serial"
    if backend not in backends(collide):
        continue
    for variant in ("rescan", "migrate", "fused", "thread-per-particle", "macro-blocks") \
            if method == "microblocks-slots" else ("",):
        run(collide, "--input", path("bodies.csv"), "--cutoff", str(CUTOFF), "--dt", "1e-12", "--steps", str(STEPS),
            "--method", method, *(["--slots-variant", variant] if variant else []),
            *(["--regions", "4"] if method == "sweep-regions" else []), "--backend", backend, *common[2:],
            path("collide.json"))
        report = load("collide.json")
        points = [p for p in apply(report, models) if p["label"].startswith("copse::collide::")]
        modelled = {p["label"] for p in points}
        own = {k["name"] for k in report["kernels"] if k["name"].startswith("copse::collide::")}
        if f"copse::collide::steps_{method}" not in modelled:
            assert own - modelled <= OTHERS, (method, variant, own - modelled)
        flops = FLOPS.get(f"{method} {variant}", FLOPS.get(method))
        found = sum(p.get("flops", 0) for p in points)
        assert flops is None or math.isclose(found, STEPS * flops), (method, variant, found, STEPS * flops)
        figures = report["results"]["methods"][0]["figures"]
        assert not variant or figures == {"blocks": 100, "slots_per_block": SLOTS}, figures

# Counters compared with the models: half of the launches, twice the bytes.
move = next(p for p in load("orb_points.json")["points"] if p["label"] == "copse::partition::move")
with open(path("counters.json"), "w", encoding="utf-8") as file:
    json.dump({"kernels": {move["label"]: {"launches": move["launches"] / 2,
                                           "memory": move["memory"], "L1": 1.0}}}, file)
done = script("points.py", path("orb.json"), "--machine", path("machine.json"), "--counters",
              path("counters.json"), "--json", path("counted.json"))
assert " 2.00" in done.stdout
counted = next(p for p in load("counted.json")["points"] if "counted" in p)["counted"]
assert math.isclose(counted["memory_over_model"], 2.0)

refused = script("points.py", path("machine.json"), "--machine", path("orb.json"), code=2)
assert refused.stderr.count("error:") == 1
script("points.py", path("orb.json"), "--machine", path("nowhere.json"), code=2)

if importlib.util.find_spec("matplotlib") is None:
    print("matplotlib is missing: nothing is drawn")
    sys.exit(4)
script("plot.py", "--machine", path("machine.json"), "--backend", "serial", "--points",
       path("counted.json"), path("walks_points.json"), "--vendor", "NVIDIA H200", "--out",
       path("roofline.png"))
with open(path("roofline.png"), "rb") as file:
    picture = file.read()
assert picture.startswith(b"\x89PNG") and len(picture) > 20000
for wrong in (("--backend", "cuda"), ("--backend", "serial", "--vendor", "Cray-1"),
              ("--backend", "serial", "--points", path("orb.json"))):
    script("plot.py", "--machine", path("machine.json"), *wrong, "--out", path("no.png"), code=2)
assert not [f for f in os.listdir(folder) if f.startswith("no.png") or f.endswith(".part")]
