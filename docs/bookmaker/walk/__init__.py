"""The page with a walk to step through, docs/walk.html: one file that needs no server and no other file.

Its lockstep frames are the visits that `traversal --trace` recorded (docs/examples/walk_trace.json); what
a trace does not record, the outcomes, stacks and other walks, is computed by concepts/walks.py, which a
test compares with the program.
"""

import json
import pathlib
import re
import string

from .. import BookError, figures
from ..concepts import example, walks

NAME = "docs/walk.html"
HERE = pathlib.Path(__file__).parent
LETTERS = {walks.OPEN: "o", walks.TAKE: "t", walks.SKIP: "s"}


def frame_of(frame):
    """A frame as the page reads it."""
    nodes = [what[0] if what else 0 for what in frame.lanes]
    one = {node for node in nodes if node}
    made = {"n": sorted(one) if len(one) == 1 else nodes,
            "l": "".join(LETTERS[what[1]] if what else "." for what in frame.lanes),
            "s": frame.stack, "w": frame.words}
    if frame.masks or frame.critical:
        key, values = ("m", ["".join("01"[lane in lanes] for lane in range(example.LANES))
                             for lanes in frame.masks]) if frame.masks else ("c", frame.critical)
        made[key] = values
    return made


def frames(order, name):
    walker = walks.Walker(example.tree(), example.packet(order), example.RADIUS)
    made = walks.WALKS[name](walker)
    visits = [[next(what[0] for what in frame.lanes if what),
               "".join("01"[what is not None] for what in frame.lanes)] for frame in made]
    if name == "lockstep" and visits != example.traces()[order]:
        raise BookError(f"{example.TRACE.name}: the recorded walk in {order} is another one; record it "
                        "with tests/docs/check_walks.py --record")
    return [frame_of(frame) for frame in made]


def data():
    tree = example.tree()
    return {"points": tree.points, "radius": example.RADIUS,
            "nodes": {number: [*node.lower, *node.upper] for number, node in tree.nodes.items()},
            "orders": {order: {"queries": example.packet(order),
                               "walks": {name: frames(order, name) for name in walks.WALKS}}
                       for order in example.ORDERS}}


def page():
    """The text of the page."""
    colours = re.match(r"(?s).*?(:root \{.*?\n\})", (figures.PERF / "report/page.css").read_text("utf-8"))[1]
    text = {name: (HERE / f"page.{name}").read_text("utf-8") for name in ("html", "css", "js")}
    lines = json.dumps(data(), separators=(",", ":")).replace('{"n":', '\n{"n":')
    return string.Template(text["html"]).substitute(
        style=colours + "\n" + text["css"].strip(), script=text["js"].strip(), data=lines,
        command=" ".join(f"<span>{word}</span>" for word in example.command()))
