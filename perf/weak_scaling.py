#!/usr/bin/env python3
"""Weak scaling over ranks: the same number of particles on each, local and global reshuffling.

    perf/weak_scaling.py --orb build/cuda/bin/orb --out results --ranks 1 2 4 --per-rank 67108864
    perf/weak_scaling.py ... --mpirun "mpirun --bind-to none"

On GPUs each rank takes one (Kokkos' default map is by local rank). The bytes that the runtime model
expects ranks to send stand beside those that were sent.
"""

import experiment
from experiment import power_of_two, result


def add_arguments(parser):
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2], metavar="P")
    parser.add_argument("--per-rank", type=int, metavar="N", help="particles of a rank")
    parser.add_argument("--backend", help="default: the fastest of the build")


def modelled_bytes(e, ranks, leaves):
    model = result(e.run("--particles", 1000, "--leaves", leaves, "--dry-run", "--model",
                         "corrected", "--model-ranks", ranks, verify=False), "model")
    return model.get("sent_bytes_per_particle", {"local": 0.0, "global": 0.0})


def measure(e):
    per_rank = e.options.per_rank or e.size(full=2**24, quick=2**12)
    backend = e.options.backend or e.backends()[-1]
    leaves = 64 if e.quick else 4096
    rows = []
    for reshuffle in ("local", "global"):
        first = None
        for ranks in e.options.ranks:
            report = e.run("--particles", ranks * per_rank, "--leaves", leaves, "--backend",
                           backend, "--reshuffle", reshuffle, ranks=ranks)
            # One rank runs the engine of one process, which sends nothing and reports no shares.
            shares = report["results"] if ranks == 1 else {
                key: result(report, key) for key in ("bytes_sent_per_particle", "compute_seconds",
                                                     "communicate_seconds", "wait_seconds")}
            seconds = experiment.build_seconds(report)
            first = first or seconds
            rows.append({
                "reshuffle": reshuffle, "ranks": ranks, "per_rank": per_rank, "leaves": leaves,
                "backend": backend, "seconds": seconds, "efficiency": first / seconds,
                "ideal_efficiency": e.published["ideal_efficiency"],
                "bytes_sent_per_particle": shares.get("bytes_sent_per_particle", 0.0),
                "modelled_bytes_per_particle": modelled_bytes(e, ranks, leaves)[reshuffle],
                "shares": {k: shares.get(k) for k in ("compute_seconds", "communicate_seconds",
                                                      "wait_seconds")},
            })
    return rows


def draw(figure, document):
    efficiency, sent = figure.subplots(1, 2)
    for reshuffle, color in (("local", "#c0392b"), ("global", "#1f4e79")):
        rows = [r for r in document["rows"] if r["reshuffle"] == reshuffle]
        ranks = [r["ranks"] for r in rows]
        efficiency.plot(ranks, [r["efficiency"] for r in rows], "o-", color=color, label=reshuffle)
        sent.plot(ranks, [r["bytes_sent_per_particle"] for r in rows], "o", color=color,
                  label=f"{reshuffle}: sent")
        sent.plot(ranks, [r["modelled_bytes_per_particle"] for r in rows], "--", color=color,
                  label=f"{reshuffle}: modelled")
    efficiency.axhline(document["published"]["ideal_efficiency"], color="gray", linewidth=1)
    first = document["rows"][0]
    efficiency.set(xlabel="ranks", ylabel="efficiency", ylim=(0, None),
                   title=f"weak scaling, {power_of_two(first['per_rank'])} particles a rank, "
                         f"{first['backend']}")
    sent.set(xlabel="ranks", ylabel="bytes sent per particle", title=f"d = {first['leaves']}")
    for axes in (efficiency, sent):
        axes.grid(alpha=0.3)
        axes.legend()


if __name__ == "__main__":
    experiment.main("weak_scaling", __doc__, measure, draw, add_arguments)
