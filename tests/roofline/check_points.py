"""check_points.py ROOFLINE FOLDER CEILINGS ORB TRAVERSAL GRAVITY: from runs to a table and a picture.

Oracle of the work models: the bytes of a build that orb's own model finds without knowing them
(miniapps/orb/model/traffic.hpp). Of those of gravity: the flops that the program reports, which a test counts
in the code (tests/common/gravity/test_flops.cpp).
"""

import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys

roofline, folder, ceilings, orb, traversal, gravity = sys.argv[1:]
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
