#!/usr/bin/python3
"""Draws rooflines: measured ceilings solid, vendor peaks dashed, kernels as points.

    roofline/plot.py --machine roofline/machines/h200.json --backend cuda --points points.json \\
        --vendor "NVIDIA H200" --out roofline.png

Two panels share the points of points.py. On the left floating-point operations, on the right all
operations, where tree walks and counts, which have few of the former, are to be judged. A kernel
has a filled marker at the bytes it must move to and from memory, a hollow square at those that pass by
the second cache if they are others, a hollow circle at those its loads and stores ask for, and
crosses where profile.py counted bytes; a thin line joins them. The area of a filled marker is the
kernel's share of the run. The caption says where everything comes from.

Exit codes: 0; 2 for files that are missing, damaged or do not fit.
"""

import argparse
import os
import sys

from machine import BadMachine, Machine, load_json

PEAKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines", "vendor_peaks.json")
SHAPE_NAMES = {"scalar": "scalar", "vector": "vectors", "thread": ""}


def new_figure(panels):
    """A figure and its axes, drawn without a display."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, panels, figsize=(7.5 * panels, 7), squeeze=False)
    return figure, list(axes[0])


def save(figure, path):
    """Writes a picture under a temporary name first."""
    temporary = f"{path}.part"
    figure.savefig(temporary, format="png", dpi=120)
    os.replace(temporary, path)


def draw_ceilings(axes, bandwidths, peaks, style="-", reach=(2**-6, 2**10)):
    """Slanted lines of bandwidths and level ones of peaks: [(name, per second)] each, ascending or
    not. A bandwidth ends at the highest peak, a peak begins at the fastest bandwidth."""
    if not peaks or not bandwidths:
        return
    highest = max(rate for _, rate in peaks)
    fastest = max(rate for _, rate in bandwidths)
    color = "C0" if style == "-" else "C3"
    for name, rate in bandwidths:
        ridge = highest / rate
        axes.plot([reach[0], ridge], [reach[0] * rate / 1e9, highest / 1e9], color=color,
                  linestyle=style, linewidth=1.2)
        axes.annotate(f"{name} {rate / 1e9:.4g} GB/s", (reach[0], reach[0] * rate / 1e9),
                      fontsize=7, color=color, rotation=0, xytext=(2, 3),
                      textcoords="offset points")
    for name, rate in peaks:
        begin = min(rate / fastest, reach[1] / 2)
        axes.plot([begin, reach[1]], [rate / 1e9, rate / 1e9], color=color, linestyle=style,
                  linewidth=1.2)
        axes.annotate(f"{name} {rate / 1e9:.4g} G/s", (reach[1], rate / 1e9), fontsize=7,
                      color=color, ha="right", xytext=(-2, 3), textcoords="offset points")


def draw_points(axes, points, quantity):
    """Kernels at operations per byte and 10^9 operations per second. \\return how many"""
    drawn = 0
    for number, point in enumerate(points):
        if not point.get(quantity):
            continue
        drawn += 1
        color = f"C{number % 10}"
        name = " ".join(filter(None, (point["label"].removeprefix("copse::"), point.get("of"))))
        height = point[quantity] / point["seconds"] / 1e9
        share = point.get("share", 0.0)
        at = {"memory": point[quantity] / point["memory"]}
        axes.scatter(at["memory"], height, s=max(2000 * share, 12), color=color, alpha=0.7,
                     label=f"{name}: {share:.1%} of the run, {point['of_bound']:.0%} of "
                           f"{point['binding']}", zorder=3)
        for level, marker in (("L2", "s"), ("L1", "o")):
            if point.get(level) and point[level] != point["memory"]:
                at[level] = point[quantity] / point[level]
                axes.scatter(at[level], height, s=30, marker=marker, facecolors="none",
                             edgecolors=color, zorder=3)
        counted = point.get("counted", {})
        work = counted.get("flops") if quantity == "flops" and counted.get("flops") else None
        for level in ("memory", "L2", "L1"):
            if counted.get(level):
                at["counted " + level] = (work or point[quantity]) / counted[level]
                axes.scatter(at["counted " + level], (work or point[quantity]) / point["seconds"]
                             / 1e9, s=30, marker="x", color=color, zorder=3)
        axes.plot(list(at.values()), [height] * len(at), color=color, linewidth=0.6)
    return drawn


def finish(axes, title, kind, legend=True):
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set(xlabel=f"{kind} per byte", ylabel=f"$10^9$ {kind}/s", title=title)
    axes.grid(alpha=0.3, which="both", linewidth=0.4)
    if legend and axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=6, loc="upper center", bbox_to_anchor=(0.5, -0.1), ncol=2,
                    markerscale=0.4)


def vendor_ceilings(name):
    """([(name, bandwidth)], [(name, peak)]) of the vendor's numbers for a machine's part."""
    for machine in load_json(PEAKS)["machines"]:
        if machine["name"] == name and "operations_per_second" in machine:
            return ([("vendor", machine["bytes_per_second"]["value"])],
                    [("vendor", machine["operations_per_second"]["value"])])
    raise BadMachine(f"{PEAKS}: has no peaks of '{name}'")


def draw_machine(machine, points, vendor, caption):
    """The figure of a measured machine and the kernels of its runs."""
    figure, (left, right) = new_figure(2)
    bandwidths = [(level["name"], machine.bandwidth(level, None)) for level in machine.levels]
    floats = [(f"float {SHAPE_NAMES[s]}".strip(), rate)
              for s, rate in machine.shapes("float").items()]
    doubles = [(f"double {SHAPE_NAMES[s]}".strip(), rate)
               for s, rate in machine.shapes("double").items() if s != "scalar"]
    integers = [(f"integer {SHAPE_NAMES[s]}".strip(), rate)
                for s, rate in machine.shapes("integer").items()]
    draw_ceilings(left, bandwidths, floats + doubles)
    draw_ceilings(right, bandwidths, integers)
    if vendor:
        draw_ceilings(left, *vendor_ceilings(vendor), style="--")
    draw_points(left, points, "flops")
    draw_points(right, points, "operations")
    finish(left, "floating-point operations", "flops")
    finish(right, "all operations (integer ceilings)", "operations")
    figure.text(0.01, 0.01, "\n".join(caption), fontsize=7, va="bottom")
    figure.tight_layout(rect=(0, 0.03 + 0.022 * len(caption), 1, 1))
    return figure


def describe_points(document):
    commit = document["git"]["commit"][:10] + ("-dirty" if document["git"]["dirty"] else "")
    return (f"{document['app']} on {document['backend']}, {document['input']['particles']} "
            f"particles ({document['input']['source']}), commit {commit}, {document['started']}; "
            f"shares of its run, ceilings of {document['machine']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", required=True, help="what ceilings --json wrote")
    parser.add_argument("--backend", required=True, help="serial, openmp or cuda")
    parser.add_argument("--points", nargs="*", default=[], help="what points.py --json wrote")
    parser.add_argument("--vendor", help="name of a machine in machines/vendor_peaks.json")
    parser.add_argument("--out", required=True, help="the picture, PNG")
    options = parser.parse_args()
    try:
        machine = Machine(options.machine, options.backend)
        caption = [f"solid: measured by ceilings, {machine.provenance}"]
        if options.vendor:
            caption.append(f"dashed: {options.vendor}, sources in vendor_peaks.json")
        points = []
        for path in options.points:
            document = load_json(path)
            if not isinstance(document, dict) or "points" not in document:
                raise BadMachine(f"{path}: not what points.py writes")
            if document["backend"] != options.backend:
                raise BadMachine(f"{path}: of {document['backend']}, not {options.backend}")
            points += document["points"]
            caption.append(describe_points(document))
        save(draw_machine(machine, points, options.vendor, caption), options.out)
    except (BadMachine, OSError, KeyError) as error:
        print(f"plot.py: error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
