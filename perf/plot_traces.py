#!/usr/bin/env python3
"""Draw which queries of a packet are active at the nodes it visits, before and after scheduling.

    traversal --benchmark knn --queries split --walk lockstep --schedule all --trace --json traces.json
    perf/plot_traces.py traces.json -o lanes.png

One panel per schedule, all at the same scale: a column is a visit of the packet to a node, a row is one
of its queries. A cell is filled if that query is active at the node, from green at the root of a binary
tree to purple at the deepest node, and empty if the lane waits for others. The background is transparent
and all colours can be seen on white and on black. Exit code 2 on bad input.
"""

import argparse
import json
import sys

from pictures import BadInput, exit_code, save

INK = "#84898f"  # of text and axes
DEPTHS = ("#2fa88f", "#3f86d8", "#b455a8")


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        traces = report["results"]["traces"]
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: {error}") from None
    except (KeyError, TypeError):
        raise BadInput(f"{path} has no traces: run traversal with --trace") from None
    return report, traces


def cells(trace):
    """[lane][visit]: the depth of the node, NaN if the lane is inactive."""
    depth = numpy.array([node.bit_length() - 1 for node in trace["nodes"]], dtype=float)
    looking = numpy.array([[bit == "1" for bit in lanes] for lanes in trace["lanes"]]).T
    return numpy.where(looking, depth, numpy.nan)


def draw(options):
    report, traces = read(options.report)
    # The schedule that `auto` chose is already included.
    traces = [t for t in traces if not t["configuration"].endswith("_auto")] or traces
    if not traces:
        raise BadInput(f"{options.report} has an empty list of traces")
    longest = max(len(t["nodes"]) for t in traces)
    deepest = max(node.bit_length() - 1 for t in traces for node in t["nodes"])
    pyplot.rcParams.update(dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK))
    depths = colors.LinearSegmentedColormap.from_list("depths", DEPTHS)
    figure, axes = pyplot.subplots(len(traces), 1, figsize=(9, 0.6 + 1.5 * len(traces)),
                                   layout="constrained", squeeze=False)
    for panel, trace in zip(axes[:, 0], traces):
        filled = cells(trace)
        panel.imshow(filled, aspect="auto", interpolation="nearest", cmap=depths, vmin=0, vmax=deepest,
                     extent=(0, filled.shape[1], filled.shape[0], 0))
        share = numpy.mean(~numpy.isnan(filled))
        panel.set(xlim=(0, longest), ylabel="query", yticks=[0, filled.shape[0]])
        panel.set_title(f"{trace['configuration'].replace('_', ', ')}: {filled.shape[1]} visits, "
                        f"{100 * share:.0f} % of the lanes at work", fontsize=9, loc="left")
    axes[-1, 0].set_xlabel("visits of the packet")
    parameters = report["parameters"]
    figure.suptitle(f"{parameters['benchmark']}, {parameters['particles']} {parameters['generate']} "
                    f"points, one packet", fontsize=10)
    save(figure, options.output, 110, "--output", transparent=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", metavar="FILE", help="written by traversal --trace --json")
    parser.add_argument("-o", "--output", required=True, metavar="FILE",
                        help="picture; the suffix selects the format")
    return exit_code("plot_traces.py", draw, parser.parse_args())


if __name__ == "__main__":
    try:
        import matplotlib
        import numpy

        matplotlib.use("Agg")
        from matplotlib import colors, pyplot
    except ImportError as missing:
        print(f"plot_traces.py needs numpy and matplotlib: {missing}", file=sys.stderr)
        sys.exit(2)
    sys.exit(main())
