#!/usr/bin/env python3
"""Seed 000 figure 15: estimated runtimes of the variants, as printed and corrected.

    perf/fig15.py --orb build/cuda/bin/orb --out results

The model for the thesis' N, d and p on the published machines, corrected also on this one, whose
bandwidths a small run measures.
"""

import experiment
from experiment import result


def measure(e):
    p = e.published
    rows = []
    for kind in ("thesis", "corrected"):
        options = ["--particles", 10_000, "--leaves", p["leaves"], "--model", kind,
                   "--model-particles", p["particles"], "--model-steps", p["steps"]]
        # One run measures this machine; the printed equations are shown for the printed machines.
        if kind == "thesis":
            report = e.run(*options, "--dry-run", verify=False)
        else:
            report = e.run(*options)
        model = result(report, "model")
        for row in model["rows"]:
            if kind == "corrected":
                rows.append({"model": kind, "machine": row["machine"], "variant": row["variant"],
                             "seconds": row["seconds"], "published_seconds": None})
                continue
            for variant in ("cpu", "gpu_counting", "gpu_partitioning"):
                if f"{variant}_seconds" in row:
                    rows.append({
                        "model": kind, "machine": row["machine"], "variant": variant,
                        "seconds": row[f"{variant}_seconds"],
                        "published_seconds": p["seconds"].get(row["machine"], {}).get(variant),
                    })
    return rows


def draw(figure, document):
    panels = figure.subplots(1, 2)
    for axes, kind in zip(panels, ("thesis", "corrected")):
        rows = [r for r in document["rows"] if r["model"] == kind]
        variants = list(dict.fromkeys(r["variant"] for r in rows))
        machines = list(dict.fromkeys(r["machine"] for r in rows))
        width = 0.8 / len(machines)
        for i, machine in enumerate(machines):
            chosen = [r for r in rows if r["machine"] == machine]
            places = [variants.index(r["variant"]) + (i - len(machines) / 2 + 0.5) * width
                      for r in chosen]
            axes.barh(places, [r["seconds"] for r in chosen], height=width, label=machine)
            known = [(x, r["published_seconds"]) for x, r in zip(places, chosen)
                     if r["published_seconds"]]
            if known:
                axes.plot([s for _, s in known], [x for x, _ in known], "k*",
                          label="printed in seed 000")
        axes.set_yticks(range(len(variants)), variants, fontsize=8)
        axes.set_xscale("log")
        axes.set(xlabel="seconds", title=f"model: {kind}")
        axes.legend(fontsize=8)


if __name__ == "__main__":
    experiment.main("fig15", __doc__, measure, draw)
