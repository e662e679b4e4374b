#!/usr/bin/env python3
"""orb beside other libraries that do the same work: same input, same leaves, same number of cores.

    perf/peers.py --orb build/openmp/bin/orb --peers build/openmp/bin --out results --cores 1 2

Peers are built with -DCOPSE_ENABLE_PEERS=ON; one that is not there is left out. A peer that works
with threads is compared with orb's threads, one that works with MPI ranks with as many ranks of one
thread each, or, where this orb runs on one rank only, with as many threads.
"""

import os

import experiment
from experiment import Failed, Unsupported, build_seconds, power_of_two, result

PEERS = (("peer_nth_element", "std::nth_element, OpenMP tasks", "threads"),
         ("peer_zoltan_rcb", "Zoltan RCB, MPI", "ranks"))


def add_arguments(parser):
    parser.add_argument("--peers", required=True, metavar="DIR", help="where the peers are built")
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2], metavar="P")


def leaf_range(report):
    return [result(report, "smallest_leaf"), result(report, "largest_leaf")]


def run_ours(e, common, unit, cores):
    """orb on as many cores: (report, how)."""
    backend = ["--backend", "openmp" if "openmp" in e.backends() else "serial"]
    if unit == "ranks" and cores > 1:
        try:
            return e.run(*common, *backend, ranks=cores, threads=1), "ranks"
        except Unsupported as error:
            e.note(f"{error}; compared with threads instead")
    return e.run(*common, *backend, threads=cores), "threads"


def measure(e):
    n = e.size(full=10**7, quick=2**14)
    leaves = 64 if e.quick else 4096
    common = ["--generate", "uniform", "--particles", n, "--leaves", leaves]
    rows = []
    for program, label, unit in PEERS:
        path = os.path.join(e.options.peers, program)
        if not os.path.exists(path):
            e.note(f"{path} is not built and left out")
            continue
        for cores in e.options.cores:
            ours, how = run_ours(e, common, unit, cores)
            theirs = e.run(*common, program=path, **(
                {"threads": cores} if unit == "threads" else {"ranks": cores, "threads": 1}))
            if ours["input"]["checksum"] != theirs["input"]["checksum"]:
                raise Failed(f"orb and {program} had different particles")
            # Both obey the rule but for ties, which orb keeps together.
            ranges = leaf_range(ours), leaf_range(theirs)
            if max(abs(a - b) for a, b in zip(*ranges)) > 16:
                raise Failed(f"leaves of orb ({ranges[0]}) and {program} ({ranges[1]}) differ")
            rows.append({
                "peer": program, "label": label, "particles": n, "leaves": leaves,
                "cores": cores, "unit": unit, "our_unit": how,
                "our_seconds": build_seconds(ours), "their_seconds": build_seconds(theirs),
                "ratio": build_seconds(theirs) / build_seconds(ours),
                "ideal_ratio": e.published["ratio_of_equals"],
                "our_leaves": ranges[0], "their_leaves": ranges[1],
            })
            print(f"{label}, {cores} {unit}: {rows[-1]['their_seconds']:.3f} s, orb on {cores} "
                  f"{how}: {rows[-1]['our_seconds']:.3f} s, ratio {rows[-1]['ratio']:.2f}")
    return rows


def draw(figure, document):
    axes = figure.subplots()
    rows = document["rows"]
    places = range(len(rows))
    axes.bar([x - 0.2 for x in places], [r["their_seconds"] for r in rows], width=0.4, label="peer")
    axes.bar([x + 0.2 for x in places], [r["our_seconds"] for r in rows], width=0.4, label="orb")
    for x, r in zip(places, rows):
        axes.annotate(f"{r['ratio']:.1f} x", (x, max(r["their_seconds"], r["our_seconds"])),
                      ha="center", va="bottom")
    axes.set_xticks(places, [f"{r['label']}\n{r['cores']} {r['unit']}" for r in rows], fontsize=8)
    axes.set(ylabel="seconds", title=f"N = {power_of_two(rows[0]['particles'])}, "
                                     f"d = {rows[0]['leaves']}, uniform")
    axes.legend()


if __name__ == "__main__":
    experiment.main("peers", __doc__, measure, draw, add_arguments)
