#!/usr/bin/env python3
"""Seed 000 figure 22: launches of the count kernel, one per cell against one per level.

    perf/fig22.py --orb build/cuda/bin/orb --out results
"""

import experiment
from experiment import result


def measure(e):
    rows = []
    n = e.size(full=2**20, quick=2**12)
    for leaves in [2**k for k in range(1, 6 if e.quick else 13)]:
        for count in ("per-cell", "batched"):
            report = e.run("--particles", n, "--leaves", leaves, "--placement", "device", "--cut",
                           "bisection", "--count", count)
            steps = result(report, "iterations_per_level")
            levels = leaves.bit_length() - 1
            rows.append({
                "leaves": leaves, "count": count,
                "launches": sum(result(report, "launches_per_level")),
                "steps": sum(steps), "levels": levels,
                "published_launches_per_step": 2 * leaves if count == "per-cell" else levels,
            })
    return rows


def draw(figure, document):
    axes = figure.subplots()
    for count, color in (("per-cell", "#c0392b"), ("batched", "#1f4e79")):
        rows = [r for r in document["rows"] if r["count"] == count]
        leaves = [r["leaves"] for r in rows]
        axes.plot(leaves, [r["launches"] for r in rows], "o-", color=color,
                  label=f"{count}: measured, all steps")
        axes.plot(leaves, [r["launches"] * r["levels"] / r["steps"] for r in rows], "s-",
                  color=color, alpha=0.5, label=f"{count}: measured, per step of every level")
        axes.plot(leaves, [r["published_launches_per_step"] for r in rows], "--", color=color,
                  label=f"{count}: seed 000 section 6.5")
    axes.set(xlabel="leaves d", ylabel="launches of the count kernel",
             title="Kernel launches (seed 000 figure 22)")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.grid(alpha=0.3)
    axes.legend()


if __name__ == "__main__":
    experiment.main("fig22", __doc__, measure, draw)
