#!/usr/bin/env python3
"""Seed 000 figure 26: where the time of a build goes, on the CPU and with the GPU.

    perf/fig26.py --orb build/cuda/bin/orb --out results

The thesis' variants (bisection) where orb has them, and the default build of every backend.
"""

import experiment
from experiment import (build_seconds, parts_of_build, power_of_two,
                        seconds_without_partition)


def measure(e):
    n = e.size(full=2**30, quick=2**14)
    leaves = 64 if e.quick else 4096
    slower, faster = e.pair()
    bisection = ["--cut", "bisection"]
    variants = [
        (f"{slower}, bisection (thesis)", slower, ["--placement", "host", *bisection], "cpu"),
        (f"count on {faster} (thesis)", faster, ["--placement", "count-on-device", *bisection], "gpu"),
        (f"{faster}, bisection", faster, ["--placement", "device", *bisection], None),
        (f"{faster}, level by level", faster, ["--placement", "device"], None),
        (f"{slower}, default", slower, [], None),
        (f"{faster}, default", faster, [], None),
    ]
    rows = []
    for label, backend, options, published in variants:
        report = e.try_run("--particles", n, "--leaves", leaves, "--backend", backend, *options)
        if report is None:
            continue
        rows.append({
            "variant": label, "backend": backend, "options": options, "particles": n,
            "leaves": leaves, "seconds": build_seconds(report), "parts": parts_of_build(report),
            "seconds_without_partition": seconds_without_partition(report),
            "published_seconds_without_partition":
                e.published["seconds_without_partition"].get(published),
        })
    return rows


def draw(figure, document):
    rows = document["rows"]
    published = document["published"]["seconds_without_partition"]
    axes, reference = figure.subplots(1, 2, width_ratios=(3, 1))
    names = list(dict.fromkeys(name for r in rows for name in r["parts"]))
    bottom = [0.0] * len(rows)
    for name in names:
        heights = [r["parts"].get(name, 0.0) for r in rows]
        axes.bar(range(len(rows)), heights, bottom=bottom, label=name)
        bottom = [b + h for b, h in zip(bottom, heights)]
    axes.set_xticks(range(len(rows)), [r["variant"].replace(", ", ",\n") for r in rows], fontsize=8)
    axes.set(ylabel="seconds", title=f"here, N = {power_of_two(rows[0]['particles'])}, "
                                     f"d = {rows[0]['leaves']}")
    axes.legend()
    reference.bar(range(len(published)), list(published.values()), color="gray")
    reference.set_xticks(range(len(published)), list(published))
    reference.set(ylabel="seconds")
    reference.set_title("seed 000, without partition,\nN = 2^30, d = 4096", fontsize=9)


if __name__ == "__main__":
    experiment.main("fig26", __doc__, measure, draw)
