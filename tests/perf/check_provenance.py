"""check_provenance.py PERF: which results are provisional, one reason at a time, and what --commit may say."""

import copy
import sys

perf, = sys.argv[1:]
sys.path.insert(0, perf)
sys.dont_write_bytecode = True
from laboratory import catalogue, document, provenance  # noqa: E402
from laboratory.failures import Failed  # noqa: E402

GOOD = {
    "quick": False, "commit": "a" * 40, "machine": {"cores": 8}, "notes": [],
    "build": {"backends": ["serial", "openmp"], "flags": "-O3 -DNDEBUG"}, "metric": {"exact": False},
    "context": {"load_before": 2.0, "cores": 2, "missing": 0},
    "rows": [{"samples": [1.0] * 5, "run": 0}, {"samples": [1.0] * 9, "run": 1}],
    "runs": [{"backend": "openmp", "disturbed": None}, {"backend": "serial", "disturbed": False}]}
assert provenance.reasons(GOOD) == []


def changed(path, value, base=None):
    """A copy with one member set, by the keys that lead to it."""
    result = copy.deepcopy(base or GOOD)
    place = result
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return result


for path, value, part in (
        (("quick",), True, "quick"), (("commit",), "a" * 40 + "-dirty", "dirty"),
        (("commit",), "unknown", "not known"), (("commit",), "a" * 7, "by hand"),
        (("runs", 1, "commit"), "unknown", "not known"),
        (("runs", 0, "commit"), "a" * 40 + "-dirty", "dirty"), (("runs", 1, "commit"), "b" * 40, "different commits"),
        (("rows", 0), {"run": 0}, "fewer"), (("context", "load_before"), None, "not known"),
        (("context", "load_before"), 2.6, "2.6 on 2 cores"), (("context", "missing"), 1, "1 case"),
        (("rows", 1, "samples"), [1.0] * 4, "fewer than 5"), (("rows", 0, "samples"), [], "fewer"),
        (("runs", 1, "disturbed"), True, "disturbed"),
        (("build", "flags"), "-O1 -DNDEBUG -march=x86-64-v3", "not optimised"),
        (("build", "backends"), ["serial", "openmp", "cuda"], "build for CUDA")):
    found = provenance.reasons(changed(path, value))
    assert len(found) == 1 and part in found[0], (path, value, found)

# Commits may be written short if a run names all digits.
assert provenance.reasons(changed(("runs", 0, "commit"), "a" * 7)) == []
assert provenance.reasons(changed(("commit",), "a" * 7, changed(("runs", 0, "commit"), "a" * 40))) == []
# A load of all cores is left by the experiment before; watched runs need no load.
assert provenance.reasons(changed(("context", "load_before"), 2.5)) == []
watched = changed(("runs", 0, "disturbed"), False)
assert provenance.reasons(changed(("context", "load_before"), 9.0, watched)) == []
# Older results have no `missing`: the runner's note stands for it.
older = changed(("notes",), ["this program cannot do that: fof: error: no CGAL"])
del older["context"]["missing"]
assert provenance.reasons(older) == ["1 case of the experiment missing"]
# Counts depend on no machine and need no samples.
counted = changed(("metric", "exact"), True, changed(("context", "load_before"), 9.0))
assert provenance.reasons(changed(("rows", 0, "samples"), [1.0], counted)) == []
assert provenance.reasons(changed(("context", "missing"), 2, counted))
# One row may be provisional and another not; GPU rows of a build for CUDA are not.
cuda = changed(("runs", 0, "backend"), "cuda", changed(("build", "backends"), ["serial", "cuda"]))
assert provenance.reasons(cuda, cuda["rows"][:1]) == [] and provenance.reasons(cuda, cuda["rows"][1:])
placed = changed(("rows", 0, "placement"), "host", cuda)
assert "build for CUDA" in provenance.reasons(placed, placed["rows"][:1])[0]
noted = changed(("notes",), ["runs of hosts' backends are of a build without CUDA: GCC"], cuda)
assert provenance.reasons(noted) == []

# What --set and --backend leave out of an experiment, and what they only change. On 16 cores ranks are 1, 2, 4, 8, 16.
experiment = catalogue.Experiment("e", "e.toml", {
    "program": "orb", "options": {"particles": {"full": 400000, "quick": 1000}, "input": "= data('file')"},
    "sweep": {"ranks": {"full": "cores", "quick": [1]}, "backend": ["every"]},
    "variant": [{"label": "a"}, {"label": "b", "options": {"backend": "gpu"}}]}, {})


def asked(words, overrides, build=("serial", "openmp", "cuda")):
    return provenance.asked({**GOOD, "command": f"perf/run.py e {words}", "build": {"backends": list(build)},
                             "context": {"cores": 16, "gpus": 0, "overrides": overrides}}, experiment)


assert asked("", {}) == ([], [])
assert asked("", {"ranks": [1, 2, 4]}) == (["ranks 1, 2, 4 of 1, 2, 4, 8, 16"], [])
assert asked("", {"ranks": [1, 3]}) == (["ranks 1, 3 instead of 1, 2, 4, 8, 16"], [])
assert asked("", {"ranks": [16, 8, 4, 2, 1]}) == ([], [])
assert asked("", {"particles": [50000]}) == ([], ["particles 50000 instead of 400000"])
assert asked("", {"particles": [2**20]}) == ([], ["particles 2^20 instead of 400000"])
# Five ranks on three backends, with two variants, the second of which replaces the backend: 30 cases, 10 of hosts.
assert asked("--backend cuda", {}) == (["backend cuda of serial, openmp, cuda: 10 of 30 cases left out"], [])
assert asked("--backend cuda", {"ranks": [1]})[0][1:] == ["backend cuda of serial, openmp, cuda: 2 of 6 cases left out"]
assert asked("--backend openmp,serial", {}, []) == ([], [])
gone = copy.deepcopy(GOOD)
gone.update(command="perf/run.py e --backend openmp", context={"overrides": {"leaves": [2]}})
assert provenance.asked(gone, experiment) == ([], []), "an option that the experiment has no more"


def report(commit, dirty=False):
    return {"git": {"commit": commit, "dirty": dirty}}


A, B = "a" * 40, "b" * 40
assert document.commit_of([report(A), report(A)]) == A
assert document.commit_of([report(A)], "aaaaaaa") == A
assert document.commit_of([report("unknown")], "ccc") == "ccc"
assert document.commit_of([report("unknown")]) == "unknown"
assert document.commit_of([report(A, True)]) == A + "-dirty"
for reports, given in (([report(A)], "bbb"), ([report(A, True)], "aaaaaaa"), ([report(A), report(B)], "aaa"),
                       ([report(A), report("unknown")], "bbb"), ([report(A), report(B)], None)):
    try:
        raise AssertionError(document.commit_of(reports, given))
    except Failed as error:
        assert "from" in str(error), error
