#!/usr/bin/env python3
"""Seed 004 figures 3.13 and 3.14: how deep should the inspector look?

    perf/profile_depth.py --traversal build/cuda/bin/traversal --out results

Seconds of scheduling and of walking against the profile depth, for the backend's schedule and the
published one on the host; the dotted line is the order an application would choose.
"""

import experiment

BENCHMARKS = ("point-correlation", "nearest-neighbor", "knn", "ball-tree", "vantage-point",
              "barnes-hut")


def measure(e):
    rows = []
    for benchmark in BENCHMARKS[:2] if e.quick else BENCHMARKS:
        gravity = benchmark == "barnes-hut"
        n = e.size(full=1_000_000 if gravity else 400_000, quick=2000)
        arguments = ["--benchmark", benchmark, "--particles", n, "--walk", "fsm", "--generate",
                     "plummer" if gravity else "uniform", "--backend", e.device() or e.cpu()]
        if not gravity and benchmark != "point-correlation":
            arguments += ["--queries", "split"]
        ordered = e.run(*arguments, "--schedule", "sorted")["results"]["configurations"][0]
        for scheduler in ("device", "host"):
            for depth in (2, 6) if e.quick else range(2, 13):
                report = e.run(*arguments, "--schedule", "hybrid", "--scheduler", scheduler,
                               "--profile-depth", depth)
                c = report["results"]["configurations"][0]
                rows.append({"benchmark": benchmark, "scheduler": scheduler, "particles": n,
                             "depth": depth, "tree_levels": report["results"]["tree_levels"],
                             "schedule_seconds": c["schedule_seconds"],
                             "walk_seconds": c["walk_seconds"],
                             "nodes_per_packet": c["nodes_per_packet"],
                             "sorted_seconds": ordered["schedule_seconds"] + ordered["walk_seconds"],
                             "published_depth": report["results"]["tree_levels"] / 3})
    return rows


def draw(figure, document):
    names = list(dict.fromkeys(row["benchmark"] for row in document["rows"]))
    panels = figure.subplots(2, (len(names) + 1) // 2, squeeze=False).flatten()
    for axes, name in zip(panels, names):
        for scheduler, style in (("device", "-"), ("host", "--")):
            rows = [r for r in document["rows"]
                    if r["benchmark"] == name and r["scheduler"] == scheduler]
            depth = [r["depth"] for r in rows]
            axes.plot(depth, [r["walk_seconds"] for r in rows], style, color="tab:blue",
                      label=f"walk ({scheduler})")
            axes.plot(depth, [r["walk_seconds"] + r["schedule_seconds"] for r in rows], style,
                      color="tab:red", label=f"walk and schedule ({scheduler})")
        axes.axhline(rows[0]["sorted_seconds"], color="black", linestyle=":", label="sorted")
        axes.axvline(rows[0]["published_depth"], color="gray", linewidth=0.8)
        axes.set(title=name, xlabel="profile depth", ylabel="seconds", ylim=(0, None))
    panels[0].legend(fontsize=6)
    figure.suptitle("Depth of the inspected top tree (seed 004 figures 3.13 and 3.14)")


if __name__ == "__main__":
    experiment.main("profile_depth", __doc__, measure, draw, program="traversal")
