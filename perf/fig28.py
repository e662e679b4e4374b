#!/usr/bin/env python3
"""Seed 000 figure 28: speed-up of the GPU over the CPU against the number of leaves.

    perf/fig28.py --orb build/cuda/bin/orb --out results

The thesis has N = 2^32, which needs more memory than one GPU has when all levels stay there; the
default here is 2^28 (--particles for more).
"""

import experiment
from speed_up import draw_speed_ups, measure_speed_ups, size_text


def measure(e):
    n = e.size(full=2**28, quick=2**14)
    exponents = (2, 6) if e.quick else range(1, 17)
    at = {int(d): s for d, s in e.published["speed_up_without_partition_at"].items()}
    return measure_speed_ups(e, [(n, 2**k) for k in exponents], lambda _, d: at.get(d))


def draw(figure, document):
    axes = figure.subplots()
    rows = document["rows"]
    draw_speed_ups(axes, rows, "leaves")
    for leaves, speed_up in document["published"]["speed_up_without_partition_at"].items():
        axes.plot(int(leaves), speed_up, "k*", markersize=12,
                  label="seed 000, without partition (P100 over 12 cores)")
    axes.set(xlabel="leaves d",
             title=f"Speed-up against d (seed 000 figure 28), N = {size_text(rows, 'particles')}")
    axes.legend()


if __name__ == "__main__":
    experiment.main("fig28", __doc__, measure, draw)
