"""check_laboratory.py PERF FOLDER: the laboratory's parts against numbers computed by hand, and
every experiment file against the machines on which its programs may run.
"""

import ctypes
import importlib.util
import itertools
import os
import shutil
import sys

perf, folder = sys.argv[1:]
sys.path.insert(0, perf)
sys.dont_write_bytecode = True
from laboratory import catalogue, energy, intervals, machine  # noqa: E402
from laboratory import portability, rows, sizes, sweep  # noqa: E402
from laboratory import programs as laboratory_programs  # noqa: E402
from laboratory.execute import Runner  # noqa: E402
from laboratory.failures import Failed, Unsupported  # noqa: E402
from laboratory.programs import Programs, Roles  # noqa: E402

shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)

# Numbers.
assert sizes.number("2^20") == 1048576 and sizes.number("1e7") == 10**7
assert sizes.spread("2^1..2^4") == [2, 4, 8, 16] and sizes.spread("2^4..2^9:4") == [16, 64, 256]
assert sizes.choose({"full": "2^3", "quick": 1}, True) == 1
assert sizes.given("0.5") == 0.5 and sizes.given("1e3") == 1000 and sizes.given("nfw") == "nfw"

# Names of machines.
assert machine.short_name("NVIDIA H200") == "h200"
assert machine.short_name("AMD EPYC", 2) == "epyc2"
assert machine.short_name("AMD EPYC 7742 64-Core Processor", 128) == "epyc-7742-128"
assert machine.short_name("Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", 56) == "xeon-gold-6330-56"
assert machine.short_name("Intel(R) Xeon(R) Processor", 16) == "xeon16"

# Ranks share the cores, unless the number of threads is given.
THREADS = "OMP_NUM_THREADS"
kept = os.environ.pop(THREADS, None)
runner = Runner(None, None)
share = str(max(1, machine.cores() // 2))
assert runner.environment(sweep.Point({}, [], "orb", ranks=2))[THREADS] == share
assert runner.environment(sweep.Point({}, [], "orb", ranks=10**6))[THREADS] == "1"
assert runner.environment(sweep.Point({}, [], "orb", ranks=2, threads=3))[THREADS] == "3"
assert THREADS not in runner.environment(sweep.Point({}, [], "orb"))
os.environ[THREADS] = "7"
assert runner.environment(sweep.Point({}, [], "orb", ranks=2))[THREADS] == "7"
del os.environ[THREADS]
if kept is not None:
    os.environ[THREADS] = kept

# Performance portability: two platforms at 1 and 1/3 have the harmonic mean 1/2.
assert abs(portability.score([1.0, 1 / 3]) - 0.5) < 1e-15
assert portability.score([1.0, 0.0]) == 0.0 and portability.score([]) is None
found = portability.application_efficiencies({("a", "x"): 2.0, ("b", "x"): 1.0, ("a", "y"): 3.0})
assert found == {("a", "x"): 0.5, ("b", "x"): 1.0, ("a", "y"): 1.0}
# Twice as fast with four times the bandwidth is half as efficient.
assert portability.bandwidth_efficiencies({"x": 2.0, "y": 1.0}, {"x": 1.0, "y": 4.0}) == \
    {"x": 1.0, "y": 0.5}
assert portability.cascade([0.5, 1.0]) == [(1.0, 1.0), (0.5, 2 / 3)]

# Energy: RAPL's counters, one of which wraps; domains that are not packages are not counted.
DOMAINS = (("intel-rapl:0", "package-0", 900), ("intel-rapl:1", "package-1", 10_000_000),
           ("intel-rapl:0:0", "core", 5), ("intel-rapl:2", "psys", 5))


def write(domain, name, value):
    os.makedirs(os.path.join(folder, domain), exist_ok=True)
    with open(os.path.join(folder, domain, name), "w", encoding="utf-8") as file:
        file.write(f"{value}\n")


for domain, name, value in DOMAINS:
    write(domain, "name", name)
    write(domain, "energy_uj", value)
    write(domain, "max_energy_range_uj", 1000)
rapl = energy.Rapl(folder)
before = rapl.read()
write("intel-rapl:0", "energy_uj", 100)  # 900 -> 1000 = 0 -> 100
write("intel-rapl:1", "energy_uj", 12_000_000)
assert abs(rapl.joules(before, rapl.read()) - (200 + 2_000_000) / 1e6) < 1e-12
nothing = energy.Rapl(os.path.join(folder, "none"))
assert nothing.joules(nothing.read(), nothing.read()) is None and "RAPL" in nothing.reason


class StandIn:
    """NVML with two GPUs; it accepts only device handles of the right type."""

    def __init__(self, code):
        self.code, self.millijoules = code, [1000, 5000]

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetCount_v2(self, count):
        count._obj.value = 2
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index, device):
        device._obj.value = index + 1
        return 0

    def nvmlDeviceGetTotalEnergyConsumption(self, device, result):
        assert isinstance(device, ctypes.c_void_p)
        result._obj.value = self.millijoules[device.value - 1]
        return self.code


library = StandIn(0)
nvml = energy.Nvml(library)
before = nvml.read()
library.millijoules = [3500, 5500]
assert nvml.joules(before, nvml.read()) == 3.0
for visible, joules in (("1", 0.5), ("0,1", 3.0), ("GPU-5ca1ab1e", 3.0), ("", None), ("7", None),
                        ("-1", None), ("1,-1,0", 0.5)):
    os.environ["CUDA_VISIBLE_DEVICES"] = visible
    library = StandIn(0)
    nvml = energy.Nvml(library)
    before = nvml.read()
    library.millijoules = [3500, 5500]
    assert nvml.joules(before, nvml.read()) == joules, visible
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
assert "does not tell" in energy.Nvml(StandIn(3)).reason
assert "NVML" in energy.Nvml("libnone-of-this-name.so").reason

# Power of two GPUs, by a clock that counts their lines: 100 W from 1 to 5, 50 W from 2 to 6.
LINES = "print('0, 100\\n1, 50\\n' * 3, flush=True)"
clock = itertools.count(1)
power = energy.NvidiaSmi((sys.executable, "-c", LINES), lambda: next(clock))
power.stop()
assert power.joules(0, power.read()) == 100.0, power.read()  # the second one's, by its own lines
del os.environ["CUDA_VISIBLE_DEVICES"]
clock = itertools.count(1)
power = energy.NvidiaSmi((sys.executable, "-c", LINES), lambda: next(clock))
power.stop()
assert power.joules(0, power.read()) == 600.0, power.read()
silent = energy.NvidiaSmi((sys.executable, "-c", "print('0, [N/A]')"))
assert silent.joules(silent.read(), silent.read()) is None and "no power" in silent.reason

# A bootstrap interval of constants is a point; of noise it holds the truth.
assert intervals.bootstrap([2.0] * 5, [3.0] * 5) == (1.5, 1.5)

# Four samples are too few however clear they are, five are enough, and none is no error.
assert intervals.judge([1.0] * 4, [2.0] * 4) == {"verdict": "too noisy", "ratio": 2.0, "low": None,
                                                 "high": None}
assert intervals.judge([1.0] * 5, [2.0] * 5)["verdict"] == "regression"
for none in (([], [1.0]), ([1.0], []), ([], [])):
    for better in ("smaller", "larger"):
        assert intervals.judge(*none, better) == {"verdict": "too noisy", "ratio": None,
                                                  "low": None, "high": None}

# Derived columns find their base among rows that are the same in everything else.
with open(os.path.join(folder, "made.toml"), "w", encoding="utf-8") as file:
    file.write("""title = "made"
source = "here"
program = "orb"
needs = {}
published = {}
[options]
leaves = "= 2 * ranks"
placement = "= None if ranks == 1 else 'host'"
dry-run = "= ranks > 1"
[sweep]
ranks = { full = "2^0..2^2", quick = [1, 2] }
backend = ["slower", "faster", "gpu"]
[metric]
column = "seconds"
unit = "s"
better = "smaller"
value = "1 / ranks"
[derived.speed_up]
base = { ranks = "first" }
value = "base['seconds'] / seconds"
""")
made = catalogue.load("made", folder)
roles = Roles(["serial", "openmp"])
points = sweep.points(made, roles, sweep.Settings(quick=True, gpus=0))
assert [(p.ranks, p.values["backend"]) for p in points] == [
    (1, "serial"), (1, "openmp"), (2, "serial"), (2, "openmp")] and roles.stood_in
assert points[0].arguments == ["--leaves", "2", "--backend", "serial"], points[0].arguments
assert "--dry-run" in points[2].arguments and "host" in points[2].arguments
table = [{"ranks": n, "backend": b, "seconds": s} for n, b, s in
         ((1, "serial", 8.0), (1, "openmp", 3.0), (2, "serial", 4.0), (2, "openmp", 1.0))]
assert [r["speed_up"] for r in rows.derive(made, table, roles)] == [1.0, 1.0, 2.0, 3.0]
# A GPU alone does not replace a CPU.
alone = Roles(["cuda"])
assert (alone.cpu, alone.slower, alone.device, alone.faster) == (None, None, "cuda", "cuda")
assert {p.values["backend"] for p in sweep.points(made, alone, sweep.Settings(gpus=1))} == {"cuda"}
assert rows.derive(made, [{"ranks": 2, "backend": "cuda", "seconds": 1.0}], alone)
chosen = sweep.Settings(quick=True, overrides={"ranks": [4], "leaves": [9]}, gpus=0)
assert sweep.points(made, roles, chosen)[0].arguments[:2] == ["--leaves", "9"]

# Older results get the columns that follow from their rows; bars of shares end at the whole, the published
# ones beside the measured ones.
shares = catalogue.load("collide_ranks")
result = {"rows": [{"particles": 500, "ranks": 2, "method": "microblocks", "computing_percent": 70.0,
                    "waiting_percent": 20.0, "seconds": 1.0}], "commit": "a", "quick": False}
rows.complete(shares, result["rows"])
assert result["rows"][0]["percent"] == {"computing": 70.0, "communicating": 10.0, "synchronising": 20.0}
assert "speed_up" not in result["rows"][0]
if importlib.util.find_spec("matplotlib"):
    from laboratory import panels
    axes = next(a for a in panels.draw(result, shares).axes if a.get_title() == "figure 16")
    tops = {}
    for bar in axes.patches:
        at = bar.get_x() + bar.get_width() / 2
        tops[at] = max(tops.get(at, 0), bar.get_y() + bar.get_height())
    assert len(tops) == 10 and all(abs(top - 100) < 1e-9 for top in tops.values()), tops
    assert [bar.get_height() for bar in axes.patches[:2]] == [70.0, 59.2]

# Peers must have orb's particles, tree and leaves; Zoltan's tree differs.
finish = catalogue.load("peers").hooks["finish"]
BESIDE = {"checksum": "a", "tree_checksum": "b", "smallest_leaf": 90, "largest_leaf": 110}
for changed, part in (({}, None), ({"tree_checksum": None}, None), ({"smallest_leaf": 87}, None),
                      ({"checksum": "c"}, "particles"), ({"tree_checksum": "c"}, "trees"),
                      ({"largest_leaf": 122}, "leaves")):
    beside = [{**BESIDE, "variant": "orb", "who": "orb"},
              {**BESIDE, **changed, "variant": "other", "who": "peer"}]
    try:
        assert finish(beside, {}, lambda sentence: None) == beside and part is None, part
    except Failed as error:
        assert part and part in str(error), error

# A script finds the programs of the build, and running them again is another call.
programs = Programs(folder)
assert programs.environment("orb") == {}
assert programs.environment("python_groups.py")["PATH"].split(os.pathsep)[0] == \
    os.path.abspath(folder)
with open(os.path.join(folder, "fof"), "w", encoding="utf-8") as file:
    file.write("a program")
assert [os.path.basename(f) for f in programs.files("python_groups.py")] == \
    ["python_groups.py", "fof"]

# The best build is one whose programs start here: one with CUDA may lack the driver.
for name, cuda, code in (("cuda", "ON", 127), ("openmp", "OFF", 0)):
    place = os.path.join(folder, "checkout", "build", name)
    os.makedirs(os.path.join(place, "bin"))
    with open(os.path.join(place, "CMakeCache.txt"), "w", encoding="utf-8") as file:
        file.write(f"COPSE_ENABLE_CUDA:BOOL={cuda}\n")
    with open(os.path.join(place, "bin", "orb"), "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nexit {code}\n")
    os.chmod(file.name, 0o755)
everywhere, laboratory_programs.ROOT = laboratory_programs.ROOT, os.path.join(folder, "checkout")
assert [os.path.basename(build) for build in laboratory_programs.builds()] == ["openmp"]
with open(os.path.join(folder, "checkout", "build", "cuda", "bin", "orb"), "w",
          encoding="utf-8") as file:
    file.write("#!/bin/sh\nprintf 'Options:\\n  --backend NAME One of serial, openmp, cuda'\n")
assert [os.path.basename(build) for build in laboratory_programs.builds()] == ["cuda", "openmp"]
assert [os.path.basename(b) for b in laboratory_programs.builds(with_cuda=False)] == ["openmp"]

# Hosts' backends of a build with CUDA run in the build without; a quick run may do without that.
gpu, host = (Programs(os.path.join(folder, "checkout", "build", b)) for b in ("cuda", "openmp"))
for backend, own in (("cuda", True), ("openmp", False), ("serial", False)):
    point = sweep.Point({"backend": backend}, [], "orb")
    assert Runner(gpu, None, host=host).programs_of(point) is (gpu if own else host), backend
    assert Runner(gpu, None, quick=True).programs_of(point) is gpu, backend
    assert Runner(host, None).programs_of(point) is host, backend
    try:
        assert Runner(gpu, None).programs_of(point) is gpu and own, backend
    except Unsupported as error:
        assert not own and "--host-build" in str(error), error
laboratory_programs.ROOT = everywhere

# A variant's step in the cascade.
finish = catalogue.load("portability").hooks["finish"]
table = [{"variant": v, "backend": b, "seconds": s, "level": "variant", "problem": "p"}
         for v, b, s in (("a", "serial", 2.0), ("b", "serial", 1.0), ("a", "openmp", 1.0),
                         ("b", "openmp", 3.0))]
found = {(r["variant"], r["backend"]): (r["place"], round(r["score"], 3))
         for r in finish(table, {}, None)}
assert found == {("a", "serial"): (2, 0.667), ("a", "openmp"): (1, 1.0),
                 ("b", "serial"): (1, 1.0), ("b", "openmp"): (2, 0.5)}, found

# The program's choice against all other walks of the same run, by case.
finish, told = catalogue.load("divergence").hooks["finish"], []
table = [{"benchmark": "b", "input": i, "backend": "openmp", "walk": w, "schedule": s, "scheduling": how,
          "seconds": t}
         for i, w, s, how, t in (("i", "fsm", "auto", "device", 1.2), ("i", "fsm", "none", "device", 1.0),
                                 ("i", "recursive", "none", "device", 1.5), ("i", "fsm", "auto", "defaults", 9.0),
                                 ("j", "recursive", "auto", "device", 2.0),
                                 ("j", "recursive", "auto", "defaults", 2.0))]
found = [(r["input"], r["walk"], r["over_best"], round(r["over_recursive"], 9)) for r in finish(table, {}, told.append)
         if r["chosen"]]
assert found == [("i", "fsm", 1.2, 0.8), ("j", "recursive", 1.0, 1.0)], found
assert [t.split(" takes ")[1] for t in told] == [
    "at most 1.200 times as long as the best: b of i",
    "at most 1.000 times as long as the fastest recursive walk: b of j"], told

# Programs beside the suite are compared with it in their own process, and only if answers are equal.
hooks = catalogue.load("hosts").hooks
table = [{"work": "w", "by": by, "run": run, "seconds": s, "peer": peer}
         for by, run, s, peer in (("traversal", 0, 1.0, False), ("copse", 1, 2.0, False), ("x", 1, 6.0, True))]
found = [r["over_copse"] for r in hooks["finish"](table, {"at_least": {"w": 2}}, lambda sentence: None)]
assert found == [None, None, 3.0], found
# Spanning trees are a work of their own: their base is the suite's tree of all particles, and the aim of groups is
# not theirs.
seconds = {"copse": 1.0, "emst_boruvka": 2.0, "copse_mst": 4.0, "arborx": 5.0, "arborx_mst": 12.0}
report = {"app": "peer_groups", "input": {"checksum": "c"}, "run": {"backend": "openmp"},
          "results": {"finders": {name: {} for name in seconds}}}
table = [{**row, "run": 0} for row in hooks["rows"]({
    "report": report, "work": "groups", "samples": lambda phase: [seconds[phase.split("::")[-1]]]})]
told = []
found = {(r["work"], r["by"]): (r["over_copse"], r["at_least"])
         for r in hooks["finish"](table, {"at_least": {"groups": 5}}, told.append)}
assert found == {
    ("groups", "copse"): (None, None), ("groups", "arborx"): (5.0, 5),
    ("groups by spanning tree", "copse"): (None, None), ("groups by spanning tree", "emst-boruvka"): (None, None),
    ("groups by spanning tree", "arborx_mst"): (3.0, None)}, found
assert len(told) == 1 and told[0].startswith("washington"), told
# A spanning tree of ArborX does not hide that its groups are missing.
without = [row for row in table if row["by"] != "arborx"]
told.clear()
hooks["finish"](without, {"at_least": {}}, told.append)
assert [t.split(" ")[0] for t in told] == ["arborx", "washington"], told
phases = {"peer::a::build": [1.0, 2.0, 3.0], "peer::a::nearest_tree": [4.0, 4.0, 5.0],
          "peer::a::count_tree": [1.0, 1.0, 1.0]}
report = {"app": "peer_neighbors", "input": {"checksum": "c"}, "run": {"backend": "openmp"},
          "parameters": {"library": "a,absent"}, "results": {"a": {}}}
found = hooks["rows"]({"report": report, "query_order": "tree", "samples": phases.__getitem__})
assert [(r["work"], r["seconds"]) for r in found] == [("8 neighbours", 6.0), ("34 counted", 3.0)], found

# A misspelled table, a broken expression and an unknown name are refused.
for text, part in (("[swep]\na = 1\n", "swep"), ("[options]\nleaves = \"= rank\"\n", "rank")):
    with open(os.path.join(folder, "bad.toml"), "w", encoding="utf-8") as file:
        file.write('title = "t"\nsource = "s"\nprogram = "orb"\nneeds = {}\npublished = {}\n')
        file.write(text + '[metric]\ncolumn = "c"\nunit = "s"\nbetter = "smaller"\nvalue = "1"\n')
    try:
        sweep.points(catalogue.load("bad", folder), roles, sweep.Settings(gpus=0))
        raise AssertionError(f"{text!r} was taken")
    except Failed as error:
        assert part in str(error), error

# Every experiment is also run by another test.
listed = os.path.join(os.path.dirname(os.path.abspath(__file__)), "CMakeLists.txt")
with open(listed, encoding="utf-8") as file:
    words = file.read().replace(")", " ").split()
assert set(catalogue.names()) <= set(words), set(catalogue.names()) - set(words)

# Every experiment has points on hosts and on GPUs, full and quick, and none twice.
for name in catalogue.names():
    experiment = catalogue.load(name)
    assert experiment.get("panel") and experiment.get("published"), name
    assert {"memory_gib", "quick_seconds"} == \
        set(experiment.get("needs", {})) - {"undisturbed"}, f"{name}: needs"
    for backends, gpus in ((["serial"], 0), (["serial", "openmp"], 0),
                           (["serial", "openmp", "cuda"], 2)):
        for quick in (True, False):
            settings = sweep.Settings(quick=quick, cores=6, gpus=gpus)
            try:
                points = sweep.points(experiment, Roles(backends), settings)
            except Unsupported as error:
                assert backends == ["serial"] or str(error).startswith("the input "), (name, backends)
                continue
            # What has samples to compare has enough of them; `energy` has an axis of repeats.
            if "samples" in experiment["metric"] and not quick and name != "energy":
                assert all(p.repeat >= intervals.FEWEST for p in points), f"{name}: repeat"
            calls = {(p.program, *p.arguments, p.ranks, p.threads, p.repeat,
                      *p.environment.items()) for p in points}
            # One backend is the slower and the faster, one core is one thread and one rank, and
            # strong and weak scaling share their last point.
            shared = len(backends) == 1 or name in ("peers", "threads")
            assert len(calls) == len(points) or shared, f"{name}: two calls are alike"
