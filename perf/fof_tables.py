#!/usr/bin/env python3
"""Seed 001 tables 5.1 and 5.2, figures 5.2, 5.3, 5.8 and 5.9: how long finding groups takes.

    perf/fof_tables.py --fof build/cuda/bin/fof --out results

Small inputs by a minimum spanning tree and by brute force, large ones by kd-tree and by the suite's
best method, in space and in phase space, on the CPU and on the GPU. Clustered boxes stand in for the
thesis' snapshot; the velocity link is half the dispersion of a halo of 10^4 particles.
"""

import math

import experiment

METHODS = {"table 5.1": ("emst-boruvka", "brute-force", "leaf-pairs"),
           "table 5.2": ("kd-tree", "leaf-pairs")}


def half_dispersion(n):
    """Of one velocity component, for a sphere of 10^4 particles at 200 times the mean density."""
    mass = 1e4 / n
    radius = (3 * mass / (4 * math.pi * 200)) ** (1 / 3)
    return 0.5 * math.sqrt(mass / (2 * radius))


def sizes(e, table):
    if e.quick or e.options.particles:
        return [e.size(full=0, quick=2000)]
    step = 100_000 if table == "table 5.1" else 1_000_000
    return [step * k for k in range(1, 6)]


def published(e, table, n, dimension, where):
    """The printed seconds of the same size; None of a size that is not in the table."""
    columns = e.published["tables"][table]
    if n not in columns["particles"]:
        return None
    return columns[f"{dimension}-D {where}"][columns["particles"].index(n)]


def measure(e):
    rows = []
    backends = [e.cpu()] + ([e.device()] if e.device() else [])
    for table, methods in METHODS.items():
        for n in sizes(e, table):
            for dimension in (3, 6):
                link = ["--velocity-link", half_dispersion(n)] if dimension == 6 else []
                for method in methods:
                    for backend in backends:
                        report = e.try_run("--generate", "nfw", "--particles", n, "--method",
                                           method, "--backend", backend, *link)
                        if report is None:
                            continue
                        name = f"copse::fof::run_{method}_{backend}"
                        seconds = next(p["seconds"] for p in report["phases"] if p["name"] == name)
                        rows.append({"table": table, "particles": n, "dimension": dimension,
                                     "method": method, "backend": backend,
                                     "seconds": seconds["median"], "samples": seconds["samples"],
                                     "published_cpu_seconds":
                                         published(e, table, n, dimension, "CPU"),
                                     "published_gpu_seconds":
                                         published(e, table, n, dimension, "GPU")})
    return rows


def draw(figure, document):
    panels = figure.subplots(1, 2)
    for axes, (table, columns) in zip(panels, document["published"]["tables"].items()):
        n = columns["particles"]
        for column, style in (("3-D CPU", "k-"), ("6-D CPU", "k--"), ("3-D GPU", "k-."),
                              ("6-D GPU", "k:")):
            axes.plot(n, columns[column], style, linewidth=0.8, label=f"published {column}")
        rows = [r for r in document["rows"] if r["table"] == table]
        for key in dict.fromkeys((r["method"], r["backend"], r["dimension"]) for r in rows):
            mine = [r for r in rows if (r["method"], r["backend"], r["dimension"]) == key]
            axes.plot([r["particles"] for r in mine], [r["seconds"] for r in mine], "o-",
                      markersize=3, label=f"{key[0]} {key[2]}-D, {key[1]}")
        axes.set(title=table, xlabel="particles", ylabel="seconds", yscale="log")
        axes.legend(fontsize=6)
    figure.suptitle("Seconds to find all groups (seed 001 tables 5.1 and 5.2)")


if __name__ == "__main__":
    experiment.main("fof_tables", __doc__, measure, draw, program="fof")
