#!/usr/bin/python3
"""Compares groups by common Python libraries with fof, from the same file of particles.

    perf/peers/python_groups.py --fof build/openmp/bin/fof --particles 1e5 --json groups.json

| library | how |
|---|---|
| fof leaf-pairs | the suite's best method |
| fof emst-delaunay | CGAL's Delaunay triangulation, Boost's spanning tree; one thread |
| scikit-learn | DBSCAN with min_samples = 1, whose clusters are the groups of friends; one thread |
| SciPy | cKDTree.query_pairs, then connected components of a sparse graph; one thread |

fof runs on OMP_NUM_THREADS threads, by default one like the libraries, and isolated, because DBSCAN and
a triangulation do not support periodic boxes. All must find the same partition. The libraries compute
distances in double precision and fof in the precision of its build, so the linking length is chosen such
that no pair of particles is within 3 10^-7 of it. Methods that this fof or its backend lacks, and a missing
scikit-learn, are skipped. The report has the keys of the mini-apps' reports, a phase
peer::groups::LIBRARY for each library and, for all except leaf-pairs, the figure of merit `speedup`: its
seconds over those of leaf-pairs, tree included.

Exit codes: 0; 1 if the groups differ; 2 for bad input or a library that is missing.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

MEAN_SEPARATIONS = 0.2
# No pair is so near the linking length, as a part of it. Measured: distances in float differ from exact ones by 8e-8
# and less (30,000 and 100,000 particles of clumps, pairs of 0.9 to 1 linking lengths).
AMBIGUOUS = 3e-7
METHODS = ("leaf-pairs", "emst-delaunay")


def fail(sentence):
    print(f"python_groups.py: error: {sentence}", file=sys.stderr)
    sys.exit(2)


try:
    import numpy
    import scipy.sparse
    import scipy.sparse.csgraph
    import scipy.spatial
except ImportError as missing:
    fail(f"{missing.name} is needed, which this Python lacks (Debian: python3-scipy)")
try:
    import sklearn.cluster
except ImportError:
    sklearn = None


def clumps(n, seed):
    """Half of the particles uniform in the unit box, half in clumps of about a hundred; float32."""
    random = numpy.random.default_rng(seed)
    uniform = random.random((n // 2, 3))
    centres = random.random((max(1, n // 200), 3))
    near = centres[random.integers(len(centres), size=n - n // 2)]
    near = near + random.normal(scale=0.3 * n ** (-1 / 3), size=near.shape)
    points = numpy.concatenate([uniform, near % 1.0]).astype(numpy.float32)
    return random.permutation(numpy.minimum(points, numpy.float32(1 - 2**-24)))


def clear_length(points, wanted):
    """A linking length just below `wanted` that is not close to the distance of any pair: the middle of
    the widest gap between distances."""
    points = points.astype(float)
    pairs = scipy.spatial.cKDTree(points).query_pairs(wanted, output_type="ndarray")
    length = numpy.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    near = numpy.sort(length[length > 0.99 * wanted])
    near = numpy.concatenate([[0.99 * wanted], near, [wanted]])
    widest = numpy.argmax(numpy.diff(near))
    if near[widest + 1] - near[widest] < 4 * AMBIGUOUS * wanted:
        fail("every linking length is near the distance of some pair; take fewer particles")
    return float(numpy.float32((near[widest] + near[widest + 1]) / 2))


def smallest_rows(labels):
    """The same partition, with each group labelled by its smallest row."""
    _, first, group = numpy.unique(labels, return_index=True, return_inverse=True)
    return first[group]


def by_sklearn(points, length):
    return sklearn.cluster.DBSCAN(eps=length, min_samples=1, algorithm="kd_tree").fit(points).labels_


def by_scipy(points, length):
    pairs = scipy.spatial.cKDTree(points).query_pairs(length, output_type="ndarray")
    ones = numpy.ones(len(pairs), dtype=bool)
    graph = scipy.sparse.coo_matrix((ones, (pairs[:, 0], pairs[:, 1])), shape=2 * (len(points),))
    return scipy.sparse.csgraph.connected_components(graph, directed=False)[1]


def by_fof(options, method, points, length):
    """The labels and the report of fof; (None, None) if it lacks the method on this backend."""
    with tempfile.TemporaryDirectory() as folder:
        place = {name: os.path.join(folder, name) for name in ("in.npy", "out.grp", "report.json")}
        numpy.save(place["in.npy"], points)
        command = [options.fof, "--input", place["in.npy"], "--box", "1", "--isolated", "--inclusive",
                   "--linking-length", repr(length), "--min-members", "1", "--method", method,
                   "--repeat", str(options.repeat), "--output", place["out.grp"],
                   "--json", place["report.json"], *(["--verify"] if options.verify else []),
                   *(["--backend", options.backend] if options.backend else [])]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  env={"OMP_NUM_THREADS": "1", **os.environ})
        except OSError as error:
            fail(f"{options.fof} cannot be started: {error.strerror}")
        if done.returncode == 2 and ("needs CGAL" in done.stderr or "hosts only" in done.stderr):
            return None, None
        if done.returncode != 0:
            fail(f"fof ended with {done.returncode}: {done.stderr.strip()}")
        with open(place["report.json"], encoding="utf-8") as file:
            report = json.load(file)
        report["input"]["source"] = report["parameters"]["input"] = "clumps, in a file"
        # A Tipsy array: the number of particles, then the group of each.
        labels = numpy.loadtxt(place["out.grp"], dtype=numpy.int64, skiprows=1)
    return labels, report


def waited():
    """Seconds that this thread was ready to run without a core; 0 where the kernel does not tell."""
    try:
        with open("/proc/self/schedstat", encoding="ascii") as file:
            return 1e-9 * int(file.read().split()[1])
    except OSError:
        return 0.0


def timed(work, repeat):
    """The result, and seconds of `repeat` runs after an untimed one, like the mini-apps; and whether
    other programs disturbed them, by the rule of common/copse/app/cpu_meter.hpp."""
    result, samples = work(), []
    before = waited()
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        samples.append(time.perf_counter() - start)
    return result, samples, sum(samples) >= 0.1 and waited() - before > 0.05 * sum(samples)


def measure(options, points, length):
    """{library: (labels, samples)} of the available libraries, and the report of leaf-pairs, which is
    marked as disturbed if any of the libraries was."""
    found, reports, disturbed = {}, [], False
    for method in METHODS:
        labels, report = by_fof(options, method, points, length)
        if report is None:
            continue
        reports.append(report)
        found[f"fof {method}"] = labels, next(
            p["seconds"]["samples"] for p in report["phases"]
            if p["name"].startswith("copse::fof::run_"))
    doubles = points.astype(float)
    libraries = {"SciPy": by_scipy, **({"scikit-learn": by_sklearn} if sklearn else {})}
    for name, work in libraries.items():
        *found[name], noisy = timed(lambda work=work: work(doubles, length), options.repeat)
        disturbed |= noisy
    disturbed |= any(bool(report["run"]["disturbed"]) for report in reports)
    return found, {**reports[0], "run": {**reports[0]["run"], "disturbed": disturbed}}


def document_of(report, found):
    """The report of leaf-pairs with the times of all libraries, and whether their groups are equal."""
    (ours, own), *_ = found.values()
    ours = smallest_rows(ours)
    checks = list(report["verification"]["checks"])
    phases, fom, libraries = list(report["phases"]), [], {}
    for name, (labels, samples) in found.items():
        middle = statistics.median(samples)
        theirs = smallest_rows(labels)
        libraries[name] = {"groups": len(numpy.unique(theirs))}
        phases.append({"name": f"peer::groups::{name}", "seconds": {
            "median": middle, "min": min(samples), "max": max(samples), "samples": samples}})
        if samples is own:
            continue
        wrong = int((theirs != ours).sum())
        checks.append({"name": f"labels_unlike_{name}", "value": wrong, "tolerance": 0,
                       "passed": wrong == 0})
        fom.append({"name": f"speedup {name}", "value": middle / statistics.median(own),
                    "unit": "1"})
    passed = all(check["passed"] for check in checks)
    return {**report, "app": "python_groups", "phases": phases, "fom": fom if passed else [],
            "results": {**report["results"], "libraries": libraries},
            "verification": {"requested": True, "passed": passed, "checks": checks}}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fof", default="fof", help="the fof program (default: the one on the PATH)")
    parser.add_argument("--backend", help="backend of fof")
    parser.add_argument("--particles", type=float, default=1e5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--verify", action="store_true",
                        help="let fof verify its groups as well; they are compared in any case")
    parser.add_argument("--json", help="write the report")
    options = parser.parse_args()
    n = int(options.particles)
    if n < 2 or options.repeat < 1:
        fail("at least 2 particles and 1 repeat are needed")

    points = clumps(n, options.seed)
    length = clear_length(points, MEAN_SEPARATIONS * n ** (-1 / 3))
    found, report = measure(options, points, length)
    document = document_of(report, found)
    if options.json:
        with open(options.json + ".partial", "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
        os.replace(options.json + ".partial", options.json)
    for check in document["verification"]["checks"]:
        print(f"{check['name']:32} {check['value']:g} {'passed' if check['passed'] else 'FAILED'}")
    if not document["verification"]["passed"]:
        print("python_groups.py: error: the groups differ", file=sys.stderr)
        sys.exit(1)
    for name, (_, samples) in found.items():
        print(f"{name:20} {statistics.median(samples):.4g} s")
    print(", ".join(f"{f['name']} {f['value']:.3g}" for f in document["fom"]))


if __name__ == "__main__":
    main()
