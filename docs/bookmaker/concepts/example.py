"""The example of the chapters on walks: 256 points, a tree with 64 leaves, a packet of 16 of them in two
orders, and what `traversal --trace` recorded of it (docs/examples/walk_trace.json)."""

import json
import pathlib

from . import kd

LANES, BUCKET, RADIUS = 16, 4, 0.0705
TRACE = pathlib.Path(__file__).resolve().parents[2] / "examples/walk_trace.json"
ORDERS = ("input order", "tree order")


def points():
    """The points in input order."""
    return kd.points(256, 21, ((0.3, 0.35, 0.16), (0.7, 0.65, 0.14)))


def tree():
    return kd.build(points(), BUCKET)


def ordered(order):
    """The points in one of the orders."""
    made = tree()
    return made.points if order == ORDERS[0] else [made.points[row] for row in made.rows]


def packet(order, lanes=LANES):
    """The queries of the packet in the middle, which `--trace` records."""
    queries = ordered(order)
    middle = -(-len(queries) // lanes) // 2
    return queries[middle * lanes:(middle + 1) * lanes]


def command(traversal="traversal", file="points.csv", report="trace.json"):
    """Words of the command that makes the trace of the points in a file."""
    return [traversal, "--input", file, "--columns", "1-2", "--benchmark", "point-correlation",
            "--dimension", "2", "--bucket-size", str(BUCKET), "--radius", str(RADIUS), "--tree", "kd",
            "--walk", "lockstep", "--schedule", "none", "--backend", "serial", "--repeat", "1", "--trace",
            "--json", report]


def traces():
    """For each order the recorded visits: (node, lanes as a string of 0 and 1)."""
    return json.loads(TRACE.read_text(encoding="utf-8"))["traces"]
