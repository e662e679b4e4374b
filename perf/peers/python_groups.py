#!/usr/bin/python3
"""Groups by the libraries Python people take, beside fof, from the same file of particles.

    perf/peers/python_groups.py --fof build/openmp/bin/fof --particles 1e5 --json groups.json

| library | how |
|---|---|
| scikit-learn | DBSCAN with min_samples = 1, whose clusters are the groups of friends; one thread |
| SciPy | cKDTree.query_pairs, then connected components of a sparse graph; one thread |

fof runs on as many threads as OMP_NUM_THREADS says, by default one as the libraries do, and isolated,
as DBSCAN knows no periodic boxes. All must find the same partition. The libraries compute distances
in double precision and fof in the precision it was built with, so a linking length is chosen that no
pair of particles is within 10^-6 of. The report has the keys of the mini-apps' and, for each library,
the figure of merit `speedup`: its seconds over fof's, tree included.

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
AMBIGUOUS = 1e-6  # relative


def fail(sentence):
    print(f"python_groups.py: error: {sentence}", file=sys.stderr)
    sys.exit(2)


try:
    import numpy
    import scipy.sparse
    import scipy.sparse.csgraph
    import scipy.spatial
    import sklearn.cluster
except ImportError as missing:
    fail(f"{missing.name} is needed (Debian: python3-scipy, python3-sklearn)")


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
    """A linking length near `wanted` that no pair of points is close to."""
    tree = scipy.spatial.cKDTree(points.astype(float))
    for step in range(200):
        length = float(numpy.float32(wanted * (1 - 1e-4 * step)))
        between = tree.count_neighbors(tree, length * (1 + AMBIGUOUS)) \
            - tree.count_neighbors(tree, length * (1 - AMBIGUOUS))
        if between == 0:
            return length
    return fail("every linking length tried is the distance of some pair; take fewer particles")


def smallest_rows(labels):
    """The same partition, each group called by its smallest row."""
    _, first, group = numpy.unique(labels, return_index=True, return_inverse=True)
    return first[group]


def by_sklearn(points, length):
    return sklearn.cluster.DBSCAN(eps=length, min_samples=1, algorithm="kd_tree").fit(points).labels_


def by_scipy(points, length):
    pairs = scipy.spatial.cKDTree(points).query_pairs(length, output_type="ndarray")
    ones = numpy.ones(len(pairs), dtype=bool)
    graph = scipy.sparse.coo_matrix((ones, (pairs[:, 0], pairs[:, 1])), shape=2 * (len(points),))
    return scipy.sparse.csgraph.connected_components(graph, directed=False)[1]


def by_fof(options, points, length):
    """Its labels, and its report."""
    with tempfile.TemporaryDirectory() as folder:
        place = {name: os.path.join(folder, name) for name in ("in.npy", "out.grp", "report.json")}
        numpy.save(place["in.npy"], points)
        command = [options.fof, "--input", place["in.npy"], "--box", "1", "--isolated", "--inclusive",
                   "--linking-length", repr(length), "--min-members", "1", "--repeat",
                   str(options.repeat), "--output", place["out.grp"], "--json", place["report.json"],
                   *(["--backend", options.backend] if options.backend else [])]
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env={"OMP_NUM_THREADS": "1", **os.environ})
        if done.returncode != 0:
            fail(f"fof ended with {done.returncode}: {done.stderr.strip()}")
        with open(place["report.json"], encoding="utf-8") as file:
            report = json.load(file)
        # A Tipsy array: the number of particles, then the group of each.
        labels = numpy.loadtxt(place["out.grp"], dtype=numpy.int64, skiprows=1)
    return labels, report


def timed(work, repeat):
    samples = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        samples.append(time.perf_counter() - start)
    return result, samples


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fof", required=True)
    parser.add_argument("--backend", help="of fof")
    parser.add_argument("--particles", type=float, default=1e5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--json", help="write the report")
    parser.add_argument("--sabotage", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    n = int(options.particles)
    if n < 2 or options.repeat < 1:
        fail("at least 2 particles and 1 repeat are needed")

    points = clumps(n, options.seed)
    length = clear_length(points, MEAN_SEPARATIONS * n ** (-1 / 3))
    labels, report = by_fof(options, points, length)
    if options.sabotage:
        labels[0] = labels.max() + 1 if (labels == labels[0]).sum() > 1 else labels[1]
    ours = smallest_rows(labels)
    doubles = points.astype(float)
    checks, phases, fom = [], list(report["phases"]), []
    seconds = next(p["seconds"]["median"] for p in report["phases"]
                   if p["name"].startswith("copse::fof::run_"))
    for name, work in (("scikit-learn", by_sklearn), ("scipy", by_scipy)):
        theirs, samples = timed(lambda work=work: work(doubles, length), options.repeat)
        wrong = int((smallest_rows(theirs) != ours).sum())
        checks.append({"name": f"labels_unlike_{name}", "value": wrong, "tolerance": 0,
                       "passed": wrong == 0})
        middle = statistics.median(samples)
        phases.append({"name": f"peer::groups_{name}",
                       "seconds": {"median": middle, "min": min(samples), "samples": samples}})
        fom.append({"name": f"speedup_{name}", "value": middle / seconds, "unit": "1"})
    passed = all(check["passed"] for check in checks)
    document = {**report, "app": "python_groups", "phases": phases, "fom": fom if passed else [],
                "verification": {"requested": True, "passed": passed, "checks": checks}}
    if options.json:
        with open(options.json + ".partial", "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
        os.replace(options.json + ".partial", options.json)
    for check in checks:
        print(f"{check['name']:32} {check['value']} {'passed' if check['passed'] else 'FAILED'}")
    if not passed:
        print("python_groups.py: error: the groups differ", file=sys.stderr)
        sys.exit(1)
    print(f"fof {seconds:.4g} s; " + ", ".join(f"{f['name']} {f['value']:.3g}" for f in fom))


if __name__ == "__main__":
    main()
