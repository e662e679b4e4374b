"""The kd-tree of common/copse/tree in a few lines, for pictures: a heap of nodes, cut along the longest
side of what is known of a cell, into halves of whole leaves. tests/docs compares walks of it with
`traversal --trace`.
"""

import math
import random
from dataclasses import dataclass, field


@dataclass
class Node:
    """Rows [begin, end) of the tree's points, their box, the cell of space, the cut of an inner
    node."""
    begin: int
    end: int
    lower: tuple
    upper: tuple
    cell: tuple  # (lower, upper)
    axis: int = 0
    cut: float = 0.0


@dataclass
class Tree:
    """`rows` are input rows in tree order, `nodes` the nodes by their number in the heap."""
    points: list
    bucket: int
    levels: int
    rows: list = field(default_factory=list)
    nodes: dict = field(default_factory=dict)

    def is_leaf(self, node):
        return node >= 1 << self.levels

    def rows_of(self, node):
        return self.rows[self.nodes[node].begin:self.nodes[node].end]

    def box(self, node):
        return self.nodes[node].lower, self.nodes[node].upper


def build(points, bucket, cell=((0.0, 0.0), (1.0, 1.0))):
    """The tree of `points`; their number is `bucket` times a power of two."""
    leaves = len(points) // bucket
    tree = Tree(points, bucket, leaves.bit_length() - 1, list(range(len(points))))
    assert leaves << 0 == 1 << tree.levels and leaves * bucket == len(points)
    split(tree, 1, 0, len(points), extent(points), cell)
    return tree


def extent(points):
    return [tuple(reach(p[a] for p in points) for a in (0, 1)) for reach in (min, max)]


def split(tree, number, begin, end, known, cell):
    """Makes a node and those below it. `known` is the extent that the build knows of the cell."""
    mine = [tree.points[row] for row in tree.rows[begin:end]]
    node = tree.nodes[number] = Node(begin, end, *extent(mine), cell)
    if tree.is_leaf(number):
        return
    axis = int(known[1][1] - known[0][1] > known[1][0] - known[0][0])
    rows = sorted(tree.rows[begin:end], key=lambda row: tree.points[row][axis])
    tree.rows[begin:end] = rows
    middle = (begin + end) // 2
    left, right = (tree.points[row][axis] for row in rows[len(rows) // 2 - 1:len(rows) // 2 + 1])
    node.axis, node.cut = axis, (left + right) / 2

    def moved(box, side, value):
        corners = [list(corner) for corner in box]
        corners[side][axis] = value
        return tuple(map(tuple, corners))

    split(tree, 2 * number, begin, middle, moved(known, 1, left), moved(cell, 1, node.cut))
    split(tree, 2 * number + 1, middle, end, moved(known, 0, right), moved(cell, 0, node.cut))


def nearest(box, at):
    """Distance from a point to a box."""
    return math.hypot(*(max(box[0][a] - at[a], at[a] - box[1][a], 0) for a in (0, 1)))


def farthest(box, at):
    return math.hypot(*(max(box[1][a] - at[a], at[a] - box[0][a]) for a in (0, 1)))


def points(number, seed, clusters=()):
    """Random points with three decimals: exact in text, different in every coordinate. A cluster is
    (x, y, spread)."""
    numbers = random.Random(seed)
    found, seen = [], [set(), set()]
    while len(found) < number:
        at = (numbers.random(), numbers.random())
        if clusters and len(found) % 3:
            x, y, spread = clusters[len(found) % len(clusters)]
            angle, far = 2 * math.pi * at[0], spread * math.sqrt(-math.log(1 - 0.9 * at[1]))
            at = (x + far * math.cos(angle), y + far * math.sin(angle))
        at = tuple(round(min(max(value, 0.02), 0.98), 3) for value in at)
        if all(value not in known for value, known in zip(at, seen)):
            found.append(at)
            for value, known in zip(at, seen):
                known.add(value)
    return found
