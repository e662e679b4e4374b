#!/usr/bin/env python3
"""Seed 001 figures 5.4 to 5.7: what a kd-tree of limited depth costs.

    perf/fof_depth.py --fof build/cuda/bin/fof --out results

Time of the tree, of the links and of both against the number of particles, for trees of 15 levels and
of as many as the particles need, in space and in phase space; and how much faster the deeper are.
"""

import experiment
from fof_tables import half_dispersion, sizes


def measure(e):
    rows = []
    for n in sizes(e, "table 5.2"):
        for dimension in (3, 6):
            link = ["--velocity-link", half_dispersion(n)] if dimension == 6 else []
            for depth in ((5 if e.quick else 15), 0):
                report = e.run("--generate", "nfw", "--particles", n, "--method", "kd-tree",
                               "--bucket-size", 1, "--max-depth", depth, "--backend",
                               e.device() or e.cpu(), *link)
                phases = {p["name"]: p["seconds"]["median"] for p in report["phases"]}
                rows.append({"particles": n, "dimension": dimension,
                             "depth": depth or "appropriate",
                             "build_seconds": phases["copse::fof::build"],
                             "link_seconds": phases["copse::fof::link"],
                             "seconds": report["results"]["seconds"],
                             "published_speed_up": e.published["speed_up_of_appropriate_depth"]})
    return rows


def draw(figure, document):
    panels = figure.subplots(2, 2).flatten()
    for axes, key, title in zip(panels, ("build_seconds", "link_seconds", "seconds"),
                                ("tree (fig. 5.4)", "links (fig. 5.5)", "all (fig. 5.6)")):
        for dimension in (3, 6):
            for depth in dict.fromkeys(r["depth"] for r in document["rows"]):
                rows = [r for r in document["rows"]
                        if r["dimension"] == dimension and r["depth"] == depth]
                axes.plot([r["particles"] for r in rows], [r[key] for r in rows], "o-",
                          label=f"{dimension}-D, depth {depth}")
        axes.set(title=title, xlabel="particles", ylabel="seconds", ylim=(0, None))
    for dimension in (3, 6):
        rows = [r for r in document["rows"] if r["dimension"] == dimension]
        limited = [r for r in rows if r["depth"] != "appropriate"]
        deep = [r for r in rows if r["depth"] == "appropriate"]
        panels[3].plot([r["particles"] for r in limited],
                       [a["seconds"] / b["seconds"] for a, b in zip(limited, deep)], "o-",
                       label=f"{dimension}-D")
    panels[3].set(title="limited over appropriate (fig. 5.7)", xlabel="particles", ylabel="ratio",
                  ylim=(0, None))
    panels[3].legend(fontsize=7)
    panels[0].legend(fontsize=7)
    figure.suptitle("Depth of the kd-tree (seed 001 figures 5.4 to 5.7)")


if __name__ == "__main__":
    experiment.main("fof_depth", __doc__, measure, draw, program="fof")
