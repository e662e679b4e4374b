"""Drawings: pictures of an algorithm, carried out here on a small example and written as a
self-contained SVG. DRAWINGS lists them by name.

They use the colours of figures (figures.py), and depend on nothing but this file.
"""

import math
import random
from dataclasses import dataclass, field

from . import BookError, concepts, figures
from .figures import join, svg, tag

FOLDER = figures.FOLDER
SIDE, GAP, TOP = 340, 20, 74  # of a panel; between panels; room for title and legend
THETA, LARGEST_LEAF = 0.7, 4
TARGET = (0.4, 0.43)
STYLE = """
.cell { fill: none; stroke: RULE; stroke-width: 1 }
.accepted { fill: S2; fill-opacity: 0.16; stroke: S2 }
.searched { fill: S1; fill-opacity: 0.16; stroke: S1 }
.body { fill: QUIET }
.mass { fill: S2 }
.near { fill: S1 }
.pull { stroke: S2; stroke-width: 1.2; opacity: 0.75 }
.pair { stroke: S1; stroke-width: 1; opacity: 0.75 }
.ball { fill: none; stroke-width: 1.3 }
.opens { stroke: S0; stroke-dasharray: 5 4 }
.accepts { stroke: S2 }
.centre { fill: S0 }
.thick { stroke-width: 2.2; opacity: 1 }
.interval { stroke-width: 2.4; stroke-linecap: round }
.own { stroke: INK }
.met { stroke: S2 }
.apart { stroke: QUIET; opacity: 0.45 }
.edge { stroke: INK; stroke-dasharray: 3 4; stroke-width: 1 }
.border { stroke: INK; stroke-width: 1.6 }
.target { fill: INK; stroke: PAPER; stroke-width: 1.5 }
"""


@dataclass
class Node:
    """A cell of a quadtree: corner, side, the bodies in it, and its children that have bodies."""
    x: float
    y: float
    side: float
    bodies: list
    children: list = field(default_factory=list)

    def __post_init__(self):
        self.centre = tuple(sum(b[a] for b in self.bodies) / len(self.bodies) for a in (0, 1))
        self.reach = max(math.dist(b, self.centre) for b in self.bodies)
        self.radius = self.reach / THETA
        if len(self.bodies) > LARGEST_LEAF:
            half = self.side / 2
            for x, y in ((0, 0), (1, 0), (0, 1), (1, 1)):
                left, low = self.x + x * half, self.y + y * half
                inside = [b for b in self.bodies
                          if left <= b[0] < left + half and low <= b[1] < low + half]
                if inside:
                    self.children.append(Node(left, low, half, inside))


def bodies_of_walk():
    """Two clusters and some bodies between them, in the unit square. Only `random()` is used, whose
    sequence is the same in every version of Python."""
    numbers = random.Random(55)
    found = []
    for (x, y), spread, count in (((0.27, 0.33), 0.1, 18), ((0.76, 0.72), 0.1, 20),
                                  ((0.5, 0.5), 0.42, 30)):
        for _ in range(count):
            angle = 2 * math.pi * numbers.random()
            distance = spread * math.sqrt(-math.log(1 - 0.9 * numbers.random()))
            at = (x + distance * math.cos(angle), y + distance * math.sin(angle))
            found.append(tuple(min(max(value, 0.02), 0.98) for value in at))
    return found


def walk(node, target, accepted, searched, opened):
    """Barnes and Hut: sorts the nodes that the target visits into these lists."""
    if math.dist(node.centre, target) > node.radius:
        accepted.append(node)
    elif not node.children:
        searched.append(node)
    else:
        opened.append(node)
        for child in node.children:
            walk(child, target, accepted, searched, opened)


class Panel:
    """The unit square as a square of the SVG, with y upwards."""

    def __init__(self, left, side=SIDE):
        self.left, self.side = left, side

    def x(self, value):
        return f"{self.left + self.side * value:.1f}"

    def y(self, value):
        return f"{TOP + self.side * (1 - value):.1f}"

    def square(self, x, y, side, kind, inset=0.0):
        """A square cell; `inset` pixels keep the borders of neighbours apart."""
        length = self.side * side - 2 * inset
        return tag("rect", x=f"{self.left + self.side * x + inset:.1f}",
                   y=f"{TOP + self.side * (1 - y - side) + inset:.1f}", width=f"{length:.1f}",
                   height=f"{length:.1f}", class_=f"cell {kind}".strip())

    def cell(self, node, kind, inset=0.0):
        return self.square(node.x, node.y, node.side, kind, inset)

    def dot(self, at, radius, kind):
        return tag("circle", cx=self.x(at[0]), cy=self.y(at[1]), r=f"{radius:.1f}", class_=kind)

    def line(self, a, b, kind):
        return tag("line", x1=self.x(a[0]), y1=self.y(a[1]), x2=self.x(b[0]), y2=self.y(b[1]),
                   class_=kind)

    def target(self):
        return tag("path", d="M0,-7L7,0L0,7L-7,0Z", class_="target",
                   transform=f"translate({self.x(TARGET[0])} {self.y(TARGET[1])})")


def legend(items, left, top):
    """Marks and their names in a row."""
    drawn = []
    for mark, name in items:
        drawn.append(tag("g", mark, tag("text", name, x=14, y=4),
                         transform=f"translate({left + 8} {top})"))
        left += 34 + len(name) * svg.LETTER
    return join(drawn)


def tree_walk():
    """What a target does with each node that it visits, and why: the opening radii."""
    root = Node(0.0, 0.0, 1.0, bodies_of_walk())
    accepted, searched, opened = [], [], []
    walk(root, TARGET, accepted, searched, opened)
    left, right = Panel(1), Panel(1 + SIDE + GAP)
    near = [body for leaf in searched for body in leaf.bodies]
    far = [body for node in accepted for body in node.bodies]
    fates = join(
        [left.cell(node, "accepted", 1) for node in accepted],
        [left.cell(node, "searched", 1) for node in searched],
        [left.line(TARGET, node.centre, "pull") for node in accepted],
        [left.line(TARGET, body, "pair") for body in near],
        [left.dot(body, 1.8, "body") for body in far],
        [left.dot(body, 2.6, "near") for body in near],
        [left.dot(node.centre, 2.2 * math.sqrt(len(node.bodies)), "mass") for node in accepted],
        left.target())
    balls = join(
        [right.cell(node, "") for node in accepted + searched],
        [right.dot(node.centre, SIDE * node.radius, "ball opens") for node in opened + searched],
        [right.dot(node.centre, SIDE * node.radius, "ball accepts") for node in accepted],
        [right.dot(node.centre, 2.6, "centre") for node in opened + searched],
        [right.dot(node.centre, 2.6, "mass") for node in accepted],
        right.target())
    square = {"width": 14, "height": 14, "x": -7, "y": -7}
    width, height = 2 * SIDE + GAP + 2, TOP + SIDE + 2
    return tag(
        "svg", tag("style", figures.style(STYLE)),
        tag("rect", width=width, height=height, class_="paper"),
        tag("clipPath", tag("rect", x=right.left, y=TOP, width=SIDE, height=SIDE), id="right"),
        tag("text", "What the target does with the nodes", x=1, y=20, class_="title"),
        legend([(tag("rect", class_="cell accepted", **square), "accepted node"),
                (tag("rect", class_="cell searched", **square), "searched leaf"),
                (tag("path", d="M0,-7L7,0L0,7L-7,0Z", class_="target"), "target")], 1, 48),
        tag("text", "Opening radii about the centres of mass", x=right.left, y=20, class_="title"),
        legend([(tag("circle", r=7, class_="ball accepts"), "accepted nodes"),
                (tag("circle", r=7, class_="ball opens"), "opened nodes, searched leaves")], right.left, 48),
        fates, tag("g", balls, clip_path="url(#right)"),
        left.cell(root, ""), right.cell(root, ""),
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}",
        width=width, height=height)


CUTOFF = 0.125
PANEL_SIDE = 224


def particles_of_box():
    """Particles in the unit square, no two nearer than a part of the cutoff, as repulsion keeps
    them."""
    numbers = random.Random(21)
    found = []
    while len(found) < 40:
        at = (0.02 + 0.96 * numbers.random(), 0.02 + 0.96 * numbers.random())
        if all(math.dist(at, other) > 0.66 * CUTOFF for other in found):
            found.append(at)
    return found


def most_tested(particles):
    """A particle away from the border with contacts in a neighbouring cell, and its candidates."""
    def cell(at):
        return tuple(int(value / CUTOFF) for value in at)

    def tested(one):
        return [b for b in particles if b != one
                and all(abs(i - j) <= 1 for i, j in zip(cell(b), cell(one)))]

    inner = [p for p in particles if all(1 <= i <= 6 for i in cell(p))]
    best = max(inner, key=lambda p: (any(math.dist(p, b) <= CUTOFF for b in tested(p)), len(tested(p))))
    return best, cell(best), tested(best)


def short_range():
    """Cells, intervals of sweep and prune, and ghosts, for the same particles."""
    particles = particles_of_box()
    step = PANEL_SIDE + GAP
    cells, sweep, ranks = (Panel(1 + k * step, PANEL_SIDE) for k in range(3))
    one, (i, j), tested = most_tested(particles)
    contacts = [b for b in tested if math.dist(one, b) <= CUTOFF]
    grid = join(
        [cells.square(CUTOFF * (i + a), CUTOFF * (j + b), CUTOFF, "accepted")
         for a in (-1, 0, 1) for b in (-1, 0, 1)],
        [cells.square(CUTOFF * a, CUTOFF * b, CUTOFF, "") for a in range(8) for b in range(8)],
        [cells.line(one, b, "pair thick") for b in contacts],
        [cells.dot(p, 2.2, "body") for p in particles if p not in tested],
        [cells.dot(p, 2.6, "near" if p in contacts else "mass") for p in tested],
        cells.dot(one, CUTOFF * PANEL_SIDE, "ball opens"), cells.dot(one, 3.4, "target"))
    along = sorted(particles)
    mine = along.index(one)

    def row(k):
        return 0.02 + 0.96 * k / (len(along) - 1)

    def overlaps(p):
        return p != one and abs(p[0] - one[0]) <= CUTOFF

    intervals = join(
        [sweep.line((p[0] - CUTOFF / 2, row(k)), (p[0] + CUTOFF / 2, row(k)),
                    "interval " + ("own" if k == mine else "met" if overlaps(p) else "apart"))
         for k, p in enumerate(along)],
        [sweep.line((one[0] + side * CUTOFF / 2, 0.0), (one[0] + side * CUTOFF / 2, 1.0), "edge")
         for side in (-1, 1)],
        [sweep.dot((p[0], row(k)), 1.6, "near" if p in contacts else "body")
         for k, p in enumerate(along)])
    border = 0.5
    ghosts = [p for p in particles if border < p[0] <= border + CUTOFF]
    domains = join(
        tag("rect", x=ranks.x(border), y=ranks.y(1), width=f"{PANEL_SIDE * CUTOFF:.1f}",
            height=PANEL_SIDE, class_="cell accepted"),
        ranks.line((border, 0), (border, 1), "border"),
        [ranks.dot(p, 2.6, "near") for p in particles if p[0] <= border],
        [ranks.dot(p, 2.2, "body") for p in particles if p[0] > border],
        [ranks.dot(p, 5.2, "ball accepts") for p in ghosts])
    titles = [(cells, "Cells"), (sweep, "Sweep and prune, one axis"), (ranks, "Domains and ghosts")]
    width, height = 3 * PANEL_SIDE + 2 * GAP + 2, TOP + PANEL_SIDE + 2
    return tag(
        "svg", tag("style", figures.style(STYLE)),
        tag("rect", width=width, height=height, class_="paper"),
        [tag("text", title, x=panel.left, y=20, class_="title") for panel, title in titles],
        legend([(tag("circle", r=3.4, class_="target"), "particle"),
                (tag("circle", r=2.6, class_="mass"), "tested"),
                (tag("circle", r=2.6, class_="near"), "contact")], 1, 48),
        legend([(tag("path", d="M-7,0H7", class_="interval met"), "overlap"),
                (tag("path", d="M-7,0H7", class_="interval apart"), "none")], sweep.left, 48),
        legend([(tag("circle", r=2.6, class_="near"), "owned"),
                (tag("circle", r=5.2, class_="ball accepts"), "ghosts")], ranks.left, 48),
        [tag("clipPath", tag("rect", x=panel.left, y=TOP, width=PANEL_SIDE, height=PANEL_SIDE),
             id=f"panel{k}") for k, (panel, _) in enumerate(titles)],
        [tag("g", drawn, clip_path=f"url(#panel{k})")
         for k, drawn in enumerate((grid, intervals, domains))],
        [panel.square(0, 0, 1, "") for panel, _ in titles],
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}",
        width=width, height=height)


# For each name the drawing and its description in words.
DRAWINGS = {
    "short_range": (short_range, "cells around a particle, intervals on an axis, ghosts at a border"),
    "tree_walk": (tree_walk, "a target in a quadtree: near leaves are searched, far nodes accepted; "
                             "no circle of an accepted node holds the target, all of opened ones do"),
}


def drawing(name):
    """(name of the SVG, the SVG, description in words, caption or None)."""
    pictures = concepts.functions()
    if name in pictures:
        picture = pictures[name]()
        words = " ".join(pictures[name].__doc__.split())
        return f"{FOLDER}/{name}.svg", picture.svg(words), words, picture.caption
    if name not in DRAWINGS:
        raise BookError(f"there is no drawing '{name}'; there are {sorted([*DRAWINGS, *pictures])}")
    draw, alternative = DRAWINGS[name]
    return f"{FOLDER}/{name}.svg", figures.lines_of(draw()), alternative, None
