#!/usr/bin/env python3
"""Seed 000 figure 24: bytes sent to the device with and without partitioning there.

    perf/fig24.py --orb build/cuda/bin/orb --out results

What crosses the link is counted by orb. A backend without memory of its own has nothing to send when
everything happens there; what a device would get, three coordinates once, then stands in its place,
and the row says `counted: false`.
"""

import experiment
from experiment import power_of_two, result


def measure(e):
    rows = []
    n = e.size(full=2**20, quick=2**12)
    for leaves in [2**k for k in range(1, 6 if e.quick else 13)]:
        levels = leaves.bit_length() - 1
        for placement, published in (("count-on-device", 4 * levels * n), ("device", 12 * n)):
            report = e.run("--particles", n, "--leaves", leaves, "--placement", placement, "--cut",
                           "bisection")
            sent = result(report, "bytes_to_device")
            counted = sent > 0
            rows.append({"particles": n, "leaves": leaves, "placement": placement,
                         "bytes_to_device": sent if counted else 12 * n, "counted": counted,
                         "published_bytes": published})
    return rows


def draw(figure, document):
    axes = figure.subplots()
    for placement, color in (("count-on-device", "#c0392b"), ("device", "#1f4e79")):
        rows = [r for r in document["rows"] if r["placement"] == placement]
        leaves = [r["leaves"] for r in rows]
        axes.plot(leaves, [r["bytes_to_device"] / r["particles"] for r in rows], "o", color=color,
                  label=f"{placement}: "
                  + ("measured" if all(r["counted"] for r in rows) else "12 B, not measured here"))
        axes.plot(leaves, [r["published_bytes"] / r["particles"] for r in rows], "--", color=color,
                  label=f"{placement}: seed 000 section 6.7")
    axes.axvline(document["published"]["partition_on_device_pays_for_leaves_above"], color="gray",
                 linewidth=1, label="seed 000: pays above")
    axes.set(xlabel="leaves d", ylabel="bytes to the device per particle",
             title="Data sent to the device (seed 000 figure 24), "
                   f"N = {power_of_two(document['rows'][0]['particles'])}")
    axes.set_xscale("log", base=2)
    axes.grid(alpha=0.3)
    axes.legend()


if __name__ == "__main__":
    experiment.main("fig24", __doc__, measure, draw)
