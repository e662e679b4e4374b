#!/usr/bin/env python3
"""Draw which queries of a packet are active at the nodes it visits, before and after scheduling.

    traversal --benchmark knn --queries split --walk lockstep --schedule all --trace --json traces.json
    perf/plot_traces.py traces.json -o lanes.svg

One chart per schedule, all at the same scale: a column is a visit of the packet to a node, a row is one
of its queries. A cell is filled if that query is active at the node, and empty if the lane waits for
others. The colour is the depth of the node in a binary tree, in three bands. The SVG has the style of
the book's figures, for light and dark screens. Exit code 2 on bad input.
"""

import argparse
import itertools
import json
import pathlib
import sys

from pictures import BadInput, exit_code, whole_file

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "docs"))
from bookmaker.concepts.style import WIDTH, Picture  # noqa: E402

BANDS = (("fill-green", "upper levels"), ("fill-blue", "middle levels"), ("fill-purple", "lower levels"))
LANE = 6  # height of a row


def read(path):
    """The parameters and the traces of a report. The schedule that `auto` chose is already included."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        traces, parameters = report["results"]["traces"], report["parameters"]
        traces = [t for t in traces if not t["configuration"].endswith("_auto")] or traces
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: {error}") from None
    except (KeyError, TypeError):
        raise BadInput(f"{path} has no traces: run traversal with --trace") from None
    if not traces:
        raise BadInput(f"{path} has an empty list of traces")
    return parameters, traces


def depth(node):
    return node.bit_length() - 1


def chart(picture, top, trace, wide, deepest):
    """Consecutive visits of a lane in one band become one rectangle."""
    rows = len(trace["lanes"][0])
    band = [len(BANDS) * depth(node) // (deepest + 1) for node in trace["nodes"]]
    boxes = [[] for _ in BANDS]
    for lane in range(rows):
        visits = [(band[k], lanes[lane] == "1") for k, lanes in enumerate(trace["lanes"])]
        begin = 0
        for (colour, active), run in itertools.groupby(visits):
            end = begin + len(list(run))
            if active:
                left, right = (round(8 + wide * k, 1) for k in (begin, end))
                boxes[colour].append((left, top + LANE * lane + 0.3, right - left, LANE - 0.6))
            begin = end
    picture.rect(8, top, wide * len(band), LANE * rows, "line-rule")
    for (kind, _), filled in zip(BANDS, boxes):
        picture.rects(filled, kind)


def draw(report, output):
    parameters, traces = read(report)
    longest = max(len(t["nodes"]) for t in traces)
    deepest = max(depth(node) for t in traces for node in t["nodes"])
    step = 34 + LANE * len(traces[0]["lanes"][0])
    picture = Picture(f"{parameters['benchmark']}, {parameters['particles']} {parameters['generate']} points: "
                      "one packet", 50 + step * len(traces), "")
    picture.legend(42, *(("box", kind, words) for kind, words in BANDS))
    for number, trace in enumerate(traces):
        top = 78 + step * number
        active = sum(lanes.count("1") for lanes in trace["lanes"])
        share = active / sum(map(len, trace["lanes"]))
        picture.text(8, top - 6, trace["configuration"].replace("_", ", "))
        picture.text(WIDTH - 8, top - 6, f"{len(trace['nodes'])} visits, {100 * share:.0f} % of the lanes active",
                     "end small")
        chart(picture, top, trace, (WIDTH - 16) / longest, deepest)
    with whole_file(output, "-o") as temporary, open(temporary, "w", encoding="utf-8") as file:
        file.write(picture.svg("Charts with a row for each lane of a packet and a column for each node that it "
                               "visits, filled where the lane is active."))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    return exit_code("plot_traces.py", draw, options.report, options.output)


if __name__ == "__main__":
    sys.exit(main())
