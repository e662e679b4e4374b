"""check_walks.py ROOT TRAVERSAL [--record]: the walks of the book's pictures are those of the program.

The lockstep walk of the model visits the nodes with the lanes that `traversal --trace` records, in any
width of the vectors; for 16 lanes this is the committed trace. All walks count what brute force counts.
--record writes the committed trace.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(root / "docs"))
from bookmaker.concepts import example, walks  # noqa: E402


def recorded(order):
    """The program's visits of the points in an order: [node, lanes]."""
    with tempfile.TemporaryDirectory() as folder:
        file, report = pathlib.Path(folder, "points.csv"), pathlib.Path(folder, "trace.json")
        file.write_text("".join(f"{x},{y}\n" for x, y in example.ordered(order)), encoding="utf-8")
        subprocess.run(example.command(program, file, report), check=True, capture_output=True)
        trace, = json.loads(report.read_text(encoding="utf-8"))["results"]["traces"]
    return [list(visit) for visit in zip(trace["nodes"], trace["lanes"])]


def modelled(order, lanes):
    walker = walks.Walker(example.tree(), example.packet(order, lanes), example.RADIUS)
    return [[next(what[0] for what in frame.lanes if what),
             "".join("01"[what is not None] for what in frame.lanes)]
            for frame in walks.lockstep(walker)]


measured = {order: recorded(order) for order in example.ORDERS}
if "--record" in sys.argv:
    lines = ",\n".join(f"  {json.dumps(order)}: [\n" + ",\n".join(f"   {json.dumps(visit)}" for visit in visits)
                       + "]" for order, visits in measured.items())
    words = json.dumps(" ".join(example.command()))
    example.TRACE.write_text(f'{{"command": {words},\n "traces": {{\n{lines}}}}}\n', encoding="utf-8")
for order, visits in measured.items():
    width = len(visits[0][1])
    assert visits == modelled(order, width), f"{order}: the model does not walk as the program does"
    if width == example.LANES:
        assert visits == example.traces()[order], f"{order}: the committed trace is another one"
    assert example.traces()[order] == modelled(order, example.LANES)
    for name, walk in walks.WALKS.items():
        walker = walks.Walker(example.tree(), example.packet(order), example.RADIUS)
        frames = walk(walker)
        assert walker.counts == [sum(math.dist(at, other) <= example.RADIUS for other in example.points())
                                 for at in walker.queries], f"{order}, {name}: wrong counts"
        print(f"{order}, {name}: {len(frames)} steps, {walks.busy(frames):.2f} of the lanes at work")
