#!/usr/bin/env python3
"""Seed 003 section 2.1: memory balance against work balance.

    perf/tradeoff.py --orb build/cuda/bin/orb --out results

Cuts share weights w^E between leaves: E = 0 balances particles, hence memory, E = 1 balances work.
"""

import experiment
from experiment import power_of_two, result


def measure(e):
    n = e.size(full=10**7, quick=2**12)
    leaves = 8 if e.quick else 64
    rows = []
    for exponent in (0.0, 0.5, 1.0) if e.quick else [k / 10 for k in range(11)]:
        report = e.run("--particles", n, "--leaves", leaves, "--weights", "heavy-tailed",
                       "--weight-exponent", exponent)
        rows.append({
            "particles": n, "leaves": leaves, "weight_exponent": exponent,
            "particle_imbalance": result(report, "imbalance"),
            "weight_imbalance": result(report, "weight_imbalance"),
            "published_particle_imbalance_of_example":
                e.published["particle_imbalance_when_work_is_balanced"],
        })
    return rows


def draw(figure, document):
    axes = figure.subplots()
    rows = document["rows"]
    axes.plot([r["particle_imbalance"] for r in rows], [r["weight_imbalance"] for r in rows], "o-",
              label=f"heavy-tailed weights, N = {power_of_two(rows[0]['particles'])}, "
                    f"d = {rows[0]['leaves']}")
    for r in rows:
        axes.annotate(f"E = {r['weight_exponent']:g}",
                      (r["particle_imbalance"], r["weight_imbalance"]))
    published = document["published"]
    axes.plot([1.0, published["particle_imbalance_when_work_is_balanced"]],
              [published["derived"]["weight_imbalance_when_particles_are_balanced"], 1.0], "k*--",
              label="seed 003's example of two ranks")
    axes.set(xlabel="memory: largest leaf over mean, in particles",
             ylabel="work: largest leaf over mean, in weight",
             title="Memory balance against work balance (seed 003 section 2.1)")
    axes.grid(alpha=0.3)
    axes.legend()


if __name__ == "__main__":
    experiment.main("tradeoff", __doc__, measure, draw)
