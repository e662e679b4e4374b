#!/usr/bin/env python3
"""Runs the traversal mini-app as a user would: sound runs pass, corrupted results are caught by the
check that is named for them, bad input ends with one sentence and exit code 2.

Usage: check_traversal.py PROGRAM FOLDER sound|trees|traces|correlation|gravity|sabotage|refusals
The PROGRAM of sabotage is traversal_sabotaged (sabotaged_traversal.cpp).
"""
import itertools
import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from program_checks import backends, check, report, run  # noqa: E402

BENCHMARKS = ["point-correlation", "nearest-neighbor", "knn", "ball-tree", "vantage-point"]
BOXES = BENCHMARKS[:3]
# For each corruption that COPSE_SABOTAGE names, the check that must detect it.
SABOTAGES = [
    (["barnes-hut"], "force", "final_median_error"),
    *((["barnes-hut", "--generate", "plummer", "--particles", "30000", "--backend", "serial", "--walk",
        walk], "no-quadrupoles", "final_median_error") for walk in ("ropes", "group")),
    *((["barnes-hut", "--generate", "nfw", "--particles", bodies, "--backend", "serial", "--walk",
        walk], "no-quadrupoles", "final_median_error")
      for walk in ("ropes", "group") for bodies in ("2000", "10000", "20000")),
    # Quadrupoles hardly change the error at an angle of 1, nor of few bodies: expansions show them.
    *((["barnes-hut", "--generate", model, "--theta", theta, "--walk", walk], "no-quadrupoles",
       "final_errors_of_expansions") for walk in ("ropes", "fsm", "group") for theta in ("0.3", "1")
      for model in ("uniform", "plummer")),
]
INSPECTION = {"depth": ["--profile-depth", "4"], "steps": ["--profile-steps", "2"],
              "scheduler": ["--scheduler", "host"]}
REFUSALS = [
    ["--benchmark", "orbit"],
    ["--benchmark", "knn", "--trace"],
    ["--benchmark", "knn", "--trace", "--walk", "fsm", "--json", "unwritten.json"],
    ["--benchmark", "point-correlation", "--from-root"],
    ["--benchmark", "knn", "--from-root", "--queries", "split"],
    ["--benchmark", "barnes-hut", "--dimension", "2"],
    ["--benchmark", "barnes-hut", "--queries", "split"],
    ["--benchmark", "barnes-hut", "--generate", "clustered"],
    ["--benchmark", "ball-tree", "--walk", "group"],
    ["--correlation", "--walk", "group"],
    ["--benchmark", "barnes-hut", "--theta", "-0.1"],
    ["--benchmark", "barnes-hut", "--theta", "nan"],
    ["--benchmark", "knn", "--theta", "0.5"],
    ["--benchmark", "nearest-neighbor", "--neighbors", "3"],
    ["--benchmark", "barnes-hut", "--neighbors", "3"],
    ["--benchmark", "knn", "--radius", "0.1"],
    ["--benchmark", "ball-tree", "--mean-neighbors", "10"],
    ["--benchmark", "vantage-point", "--monopole"],
    ["--benchmark", "point-correlation", "--softening", "0.1"],
    ["--benchmark", "ball-tree", "--tree", "hilbert"],
    ["--benchmark", "barnes-hut", "--tree", "kd"],
    ["--benchmark", "knn", "--tree", "oak"],
    ["--benchmark", "knn", "--correlation"],
    ["--radius", "0.1", "--mean-neighbors", "10"],
    ["--correlation", "--radius", "0.1"],
    ["--correlation", "--mean-neighbors", "10"],
    ["--correlation", "--queries", "split"],
    ["--bins", "4"],
    ["--max-separation", "0.1"],
    ["--random-factor", "2"],
    ["--correlation", "--bins", "0"],
    ["--correlation", "--bins", "17"],
    ["--correlation", "--bins", "few"],
    ["--correlation", "--min-separation", "0.1", "--max-separation", "0.1"],
    ["--correlation", "--min-separation", "0.2", "--max-separation", "0.1"],
    ["--correlation", "--min-separation", "10"],
    ["--correlation", "--min-separation", "0"],
    ["--correlation", "--max-separation", "-1"],
    ["--correlation", "--max-separation", "nan"],
    ["--correlation", "--min-separation", "nan", "--max-separation", "0.1"],
    ["--correlation", "--max-separation", "inf"],
    ["--correlation", "--max-separation", "1e30"],
    ["--correlation", "--min-separation", "0.1", "--max-separation", "0.1000001", "--bins", "16"],
    ["--correlation", "--random-factor", "0"],
    ["--correlation", "--random-factor", "1e7"],
    ["--correlation", "--random-factor", "1e7", "--dry-run"],
    ["--correlation", "--particles", "1"],
    ["--correlation", "--dimension", "9"],
    ["--correlation", "--input", "/does/not/exist.npy", "--box", "1", "--dimension", "2"],
    ["--correlation", "--input", "/does/not/exist.npy", "--box", "1:periodic"],
    ["--benchmark", "knn", "--input", "/does/not/exist.npy", "--box", "1"],
    ["--dimension", "9"],
    ["--dimension", "0"],
    ["--walk", "fast"],
    ["--schedule", "best"],
    ["--neighbors", "33", "--benchmark", "knn"],
    ["--neighbors", "0"],
    ["--radius", "-1"],
    ["--radius", "wide"],
    ["--profile-depth", "16"], *(["--schedule", schedule, option, value] for schedule in ("none", "sorted")
                                 for option, value in (("--profile-depth", "4"), ("--profile-steps", "2"),
                                                       ("--profile-memory", "1e6"), ("--scheduler", "host"))),
    ["--generate", "geographic", "--dimension", "3"],
    ["--generate", "plummer", "--dimension", "2"],
    ["--generate", "nothing"],
    ["--columns", "1-3"],
    ["--subsample", "0"],
    ["--particles", "100", "--subsample", "101"],
    ["--input", "/does/not/exist.npy"],
    ["--input", "/does/not/exist.npy", "--dry-run"],
    ["--profile-memory", "100", "--schedule", "hybrid", "--scheduler", "host"],
    ["--particles", "1", "--queries", "split"],
    ["--profile-memory", "100", "--schedule", "hybrid"],
    ["--profile-memory", "1e9"], ["--profile-memory", "1e9", "--schedule", "hybrid", "--benchmark", "knn"],
    *(["--benchmark", benchmark, "--schedule", "hybrid", "--profile-steps", "2"]
      for benchmark in ("point-correlation", "barnes-hut")),
    # What --schedule auto ignores: orders that are free, and all but a few depths.
    *(["--benchmark", benchmark, *INSPECTION[option]] for benchmark in (*BENCHMARKS, "barnes-hut")
      for option in INSPECTION),
    *(["--benchmark", benchmark, "--queries", "split", *INSPECTION[option]]
      for benchmark in BENCHMARKS for option in ("steps", "scheduler")),
    *(["--benchmark", benchmark, "--queries", "split", "--backend", "serial", *INSPECTION["depth"]]
      for benchmark in BENCHMARKS if benchmark != "point-correlation"),
    ["--queries", "split", "--walk", "group", "--backend", "serial", *INSPECTION["depth"]],
    ["--correlation", "--profile-depth", "4"],
    ["--sabotage", "count"],
    ["--output", "out.h5"],
]


def sound(program, folder):
    fingerprints = {}
    for backend in backends(program):
        for benchmark in BENCHMARKS:
            for dimension, model, queries in ((3, "uniform", "own"), (2, "geographic", "split"),
                                              (7, "covtype-like", "split")):
                for scheduler, tree in (("device", "kd"), ("host", "hilbert")):
                    out = folder / "report.json"
                    # Among points at equal distance the first in tree order is the neighbour,
                    # so only walks of the same tree agree. Backends have different default trees.
                    boxes = ["--tree", tree] if benchmark in BOXES else []
                    r = run(program, "--benchmark", benchmark, "--dimension", str(dimension),
                            "--generate", model, "--queries", queries, "--particles", "3000",
                            "--walk", "all", "--schedule", "all", "--scheduler", scheduler,
                            "--backend", backend, "--repeat", "1", "--verify", "--json", str(out),
                            *boxes)
                    check(r.returncode == 0, f"{benchmark} {dimension}-D on {backend} failed", r)
                    check("FOM queries_per_second_fsm_hybrid" in r.stdout, "no figure of merit", r)
                    document = report(out)
                    configurations = document["results"]["configurations"]
                    check(len(configurations) >= 12, "configurations are missing", r)
                    key = (benchmark, dimension, *boxes)
                    found = {c["fingerprint"] for c in configurations}
                    check(len(found) == 1, "results differ between configurations", r)
                    fingerprints.setdefault(key, found)
                    check(fingerprints[key] == found, f"{backend} has other results", r)
                    by = {(c["walk"], c["schedule"], c["automatic"]): c for c in configurations}
                    if benchmark == "point-correlation":
                        # The nodes that a query visits do not depend on its packet.
                        alone = by[("ropes", "none", False)]["packet_nodes"]
                        check(by[("fsm", "none", False)]["lane_nodes"] == alone,
                              "lanes visit other nodes than queries that walk alone", r)
                    # On a device, ball and vantage-point trees are scheduled by first leaf.
                    check(("fsm", "sorted", True) in by or ("fsm", "hybrid", True) in by,
                          "random order is left as it is by auto", r)
                    if queries == "split":
                        # Neighbours, alone, on a host, among few points of the plane: no sort pays.
                        kept = backend != "cuda" and dimension == 2 and benchmark != "point-correlation"
                        check((("ropes", "none", True) in by) == kept, "auto sorts what it need not", r)
                    check(by[("fsm", "hybrid", False)]["packet_nodes"]
                          < by[("fsm", "none", False)]["packet_nodes"],
                          "scheduling did not bring queries together", r)
                    check(by[("fsm", "sorted", False)]["packet_nodes"]
                          < by[("fsm", "none", False)]["packet_nodes"],
                          "sorting did not bring queries together", r)


def trees(program, folder):
    """The results do not depend on the order of the points."""
    out = folder / "tree.json"
    for backend in backends(program):
        for benchmark in (["point-correlation"], ["point-correlation", "--correlation"],
                          ["nearest-neighbor"], ["knn"]):
            answers = {}
            sizes = {}
            # Also test neighbour searches that start from the root.
            more = ["hilbert --from-root"] if benchmark[0] in ("nearest-neighbor", "knn") else []
            for tree in ("kd", "hilbert", "morton", *more):
                r = run(program, "--benchmark", *benchmark, "--tree", *tree.split(), "--particles",
                        "3000", "--walk", "all", "--schedule", "sorted", "--backend", backend,
                        "--repeat", "1", "--verify", "--json", str(out))
                check(r.returncode == 0, f"{benchmark} over {tree} failed on {backend}", r)
                results = report(out)["results"]
                answers[tree] = ({c["fingerprint"] for c in results["configurations"]},
                                 results.get("correlation"))
                sizes[tree] = results["configurations"][0]["lane_nodes"]
            check(all(answer == answers["kd"] for answer in answers.values()),
                  f"{benchmark}: trees have different answers", r)
            check(len(set(sizes.values())) == len(sizes), f"{benchmark}: two trees are the same", r)


def traces(program, folder):
    """A trace agrees with the counters, and a schedule shortens it."""
    out = folder / "trace.json"
    for benchmark in (["knn", "--from-root"], ["point-correlation"],
                      ["barnes-hut", "--generate", "plummer"]):
        # A single packet, so the counters are those of the trace.
        r = run(program, "--benchmark", *benchmark, "--particles", "16", "--bucket-size", "1",
                "--walk", "lockstep", "--schedule", "none", "--backend", "serial", "--repeat", "1",
                "--trace", "--json", str(out))
        check(r.returncode == 0, f"a trace of {benchmark} failed", r)
        results = report(out)["results"]
        (trace,), (counted,) = results["traces"], results["configurations"]
        check(trace["packet"] == 0 and counted["packets"] == 1, "which packet?", r)
        check(len(trace["nodes"]) == len(trace["lanes"]) == counted["packet_nodes"],
              f"{len(trace['nodes'])} visits traced, {counted['packet_nodes']} counted", r)
        check(sum(lanes.count("1") for lanes in trace["lanes"]) == counted["lane_nodes"],
              "lanes that look at nodes", r)
        check(trace["lanes"][0] == 16 * "1", "all lanes begin at the root", r)
    r = run(program, "--particles", "5000", "--walk", "all", "--schedule", "all", "--backend",
            "serial", "--repeat", "1", "--trace", "--json", str(out))
    lengths = {t["configuration"]: len(t["nodes"]) for t in report(out)["results"]["traces"]}
    check(lengths["lockstep_sorted"] < lengths["lockstep_none"] / 2, f"no shorter: {lengths}", r)
    picture_of(out, folder / "lanes.svg")


def picture_of(out, picture):
    """The filled length of the picture is the number of active lanes times the width of a column; a file
    without traces is refused in one sentence."""
    plot = pathlib.Path(__file__).resolve().parents[3] / "perf/plot_traces.py"
    drawn = run(sys.executable, str(plot), str(out), "-o", str(picture))
    check(drawn.returncode == 0, "no picture", drawn)
    filled = [float(w) for w in re.findall(r"h([\d.]+)v", picture.read_text(encoding="utf-8"))]
    shown = [t for t in report(out)["results"]["traces"] if not t["configuration"].endswith("_auto")]
    active = sum(lanes.count("1") for t in shown for lanes in t["lanes"])
    column = (480 - 16) / max(len(t["nodes"]) for t in shown)
    check(abs(sum(filled) - column * active) < 0.01 * column * active, f"{sum(filled)} is filled", drawn)
    refused = run(sys.executable, str(plot), str(plot), "-o", str(picture))
    check(refused.returncode == 2 and refused.stderr.count("\n") == 1, "a picture of no traces", refused)


def correlation_of(program, folder, *arguments):
    out = folder / "correlation.json"
    r = run(program, "--benchmark", "point-correlation", "--correlation", "--repeat", "1",
            "--verify", "--json", str(out), *arguments)
    check(r.returncode == 0, f"--correlation {arguments} failed", r)
    results = report(out)["results"]
    # The estimator as printed in the paper, from the reported counts.
    n, m = results["data_points"], results["random_points"]
    for b in results["correlation"]:
        if b["random_random"] == 0:
            check(b["xi"] is None, "a correlation without random pairs", r)
            continue
        dd = b["data_data"] / (n * (n - 1) / 2)
        dr = b["data_random"] / (n * m)
        rr = b["random_random"] / (m * (m - 1) / 2)
        check(math.isclose(b["xi"], (dd - 2 * dr + rr) / rr, rel_tol=1e-9, abs_tol=1e-12),
              "not Landy and Szalay's estimate", r)
    return results, r


def correlation(program, folder):
    # All backends, walks and schedules give the same counts.
    for dimension, model in ((3, "clustered"), (2, "geographic"), (7, "uniform")):
        found = []
        for backend in backends(program):
            results, r = correlation_of(
                program, folder, "--dimension", str(dimension), "--generate", model, "--particles",
                "1000", "--walk", "all", "--schedule", "all", "--backend", backend)
            check(len({c["fingerprint"] for c in results["configurations"]}) == 1,
                  "counts differ between configurations", r)
            found.append(results["correlation"])
        check(all(f == found[0] for f in found), "backends count different pairs", r)

    # Four corners of a square have four sides and two diagonals; 1.2 is the edge between the bins.
    corners = folder / "corners.txt"
    corners.write_text("0 0\n0 1\n1 0\n1 1\n")
    results, r = correlation_of(program, folder, "--input", str(corners), "--dimension", "2",
                                "--min-separation", "0.9", "--max-separation", "1.6", "--bins", "2",
                                "--random-factor", "100")
    check([b["data_data"] for b in results["correlation"]] == [4, 2], "not a square", r)

    # Unclustered points have zero correlation; each bin has some thousand pairs.
    for seed in ("1", "2", "3"):
        results, r = correlation_of(program, folder, "--particles", "5000", "--seed", seed,
                                    "--min-separation", "0.04", "--max-separation", "0.2",
                                    "--bins", "5")
        for b in results["correlation"]:
            check(b["data_data"] > 1000, "too few pairs to tell", r)
            check(abs(b["xi"]) < 4 * b["error"], "uniform points are correlated", r)
        check(results["checked_queries"]["data_data"] == 5000, "not all data were checked", r)

    # Pair counts of nested spheres grow as r^(ln 4 / ln 3), random pairs as r^3. From one level of
    # spheres to the next, 1 + xi falls by a factor of 3 to the power of the difference.
    results, r = correlation_of(program, folder, "--generate", "soneira-peebles", "--particles",
                                "10000", "--min-separation", "0.002", "--max-separation", "0.162",
                                "--bins", "4")
    ratios = [math.log(1 + b["xi"], 3) for b in results["correlation"]]
    check(all(a > b for a, b in zip(ratios, ratios[1:])), "clustering does not fall", r)
    slope = (ratios[-1] - ratios[0]) / 3
    check(abs(slope - (math.log(4, 3) - 3)) < 0.25, f"a slope of {slope}", r)
    # Above 2^30 pairs, only a sample of queries is checked.
    check(results["checked_queries"]["data_data"] == 10000
          and 64 <= results["checked_queries"]["random_random"] < 40000,
          "not what is said to be checked", r)


def gravity(program, folder):
    for backend in backends(program):
        # Without a schedule bodies walk in packets if these are vectors, and searches alone.
        def chosen(*arguments):
            out = folder / "chosen.json"
            r = run(program, *arguments, "--particles", "1000", "--backend", backend, "--repeat", "1",
                    "--json", str(out))
            check(r.returncode == 0, f"{arguments} on {backend} failed", r)
            return report(out)["results"]["configurations"][0]["walk"]

        bodies = [chosen("--benchmark", "barnes-hut", "--schedule", schedule) for schedule in ("auto", "none")]
        check(bodies == ["group", "fsm"] or backend != "cuda" and bodies == ["ropes", "ropes"],
              f"barnes-hut takes {bodies} on {backend}")
        searched = chosen("--benchmark", "knn", "--schedule", "none")
        check(searched == ("fsm" if backend == "cuda" else "ropes"), f"knn takes {searched} on {backend}")
        # Once they are sorted, queries from elsewhere walk as groups on a device.
        searched = chosen("--benchmark", "knn", "--queries", "split")
        check((searched == "group") == (backend == "cuda"), f"queries from elsewhere take {searched} on {backend}")
        errors = {}
        for options in (["--monopole"], []):
            out = folder / "gravity.json"
            r = run(program, "--benchmark", "barnes-hut", "--generate", "plummer", "--particles",
                    "3000", "--walk", "all", "--schedule", "all", "--backend", backend, "--repeat",
                    "1", "--verify", "--json", str(out), *options)
            check(r.returncode == 0, f"barnes-hut {options} on {backend} failed", r)
            errors[bool(options)] = report(out)["results"]["median_relative_error"]
        check(0 < errors[False] < 0.5 * errors[True], "quadrupoles do not make it better", r)
        out = folder / "direct.json"
        r = run(program, "--benchmark", "barnes-hut", "--generate", "plummer", "--particles",
                "1000", "--theta", "0", "--backend", backend, "--repeat", "1", "--verify", "--json",
                str(out))
        check(r.returncode == 0, f"theta 0 on {backend} failed", r)
        check(report(out)["results"]["largest_relative_error"] < 1e-3, "theta 0 is not direct", r)


def sabotage(program, folder):
    for benchmark, what, name in SABOTAGES:
        out = folder / f"{name}.json"
        size = [] if "--particles" in benchmark else ["--particles", "2000"]
        r = run(program, "--benchmark", *benchmark, *size, "--repeat", "1", "--verify", "--json",
                str(out), sabotage=what)
        check(r.returncode == 1, f"{benchmark}: sabotage {what} was not noticed", r)
        check("FOM" not in r.stdout, "a figure of merit in spite of a failed check", r)
        failed = [c["name"] for c in report(out)["verification"]["checks"] if not c["passed"]]
        check(name in failed, f"{benchmark}: {what} should fail {name}, not {failed}", r)
    for benchmark, what in ((["point-correlation"], "everything"),
                            (["point-correlation", "--correlation"], "count")):
        r = run(program, "--benchmark", *benchmark, "--particles", "2000", "--repeat", "1",
                "--verify", sabotage=what)
        check(r.returncode == 2, f"{benchmark}: sabotage {what} should not exist", r)
    r = run(program, "--benchmark", "knn", "--particles", "2000", "--repeat", "1", "--verify")
    check(r.returncode == 0 and "FOM" in r.stdout, "sound results should pass", r)


def refusals(program, _):
    for arguments in REFUSALS:
        r = run(program, "--particles", "1000", *arguments) if "--particles" not in arguments \
            and "--input" not in arguments else run(program, *arguments)
        check(r.returncode == 2, f"{arguments} should end with exit code 2", r)
        check(len(r.stderr.strip().splitlines()) == 1, f"{arguments}: not one sentence", r)
    # What takes effect is accepted.
    for backend in backends(program):
        accepted = [*itertools.product(("ball-tree", "vantage-point"), INSPECTION, ("hybrid",))]
        if backend == "cuda":
            accepted += [("ball-tree", "depth", "auto"), ("vantage-point", "depth", "auto")]
            r = run(program, "--particles", "1000", "--queries", "split", "--backend", backend,
                    "--walk", "fsm", *INSPECTION["depth"])
            check(r.returncode == 0, "fsm refuses a depth", r)
            r = run(program, "--particles", "1000", "--queries", "split", "--backend", backend, *INSPECTION["depth"])
            check(r.returncode == 2, "groups take a depth", r)
        else:
            accepted += [("point-correlation", "depth", "auto")]
        for benchmark, option, schedule in accepted:
            r = run(program, "--particles", "1000", "--benchmark", benchmark, "--queries", "split",
                    "--backend", backend, "--repeat", "1", "--schedule", schedule, *INSPECTION[option])
            check(r.returncode == 0, f"{benchmark} refuses {option} with {schedule} on {backend}", r)


if __name__ == "__main__":
    folder_ = pathlib.Path(sys.argv[2])
    folder_.mkdir(parents=True, exist_ok=True)
    parts = {"sound": sound, "trees": trees, "traces": traces, "correlation": correlation,
             "gravity": gravity, "sabotage": sabotage, "refusals": refusals}
    parts[sys.argv[3]](sys.argv[1], folder_)
