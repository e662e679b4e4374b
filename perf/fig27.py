#!/usr/bin/env python3
"""Seed 000 figure 27: speed-up of the GPU over the CPU against the number of particles.

    perf/fig27.py --orb build/cuda/bin/orb --out results
"""

import experiment
from speed_up import draw_speed_ups, measure_speed_ups, size_text


def measure(e):
    leaves = 64 if e.quick else 4096
    largest = e.size(full=2**28, quick=2**14)
    sizes = [n for n in (2**k for k in range(12 if e.quick else 16, 40, 2)) if n <= largest]
    limit = e.published["speed_up_converges_to"]
    return measure_speed_ups(e, [(n, leaves) for n in sizes], lambda n, d: limit)


def draw(figure, document):
    axes = figure.subplots()
    rows = document["rows"]
    draw_speed_ups(axes, rows, "particles")
    axes.axhline(document["published"]["speed_up_converges_to"], linestyle="--", color="gray",
                 label="seed 000: converges to (P100 over 12 cores)")
    axes.set(xlabel="particles N",
             title=f"Speed-up against N (seed 000 figure 27), d = {size_text(rows, 'leaves')}")
    axes.legend()


if __name__ == "__main__":
    experiment.main("fig27", __doc__, measure, draw)
