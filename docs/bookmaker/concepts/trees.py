"""Pictures of cuts: the heap, the search for a cut, the bracket of a sample, tiles over segments."""

import math
import random

from . import kd
from .style import Picture, Square

PICTURES = ("cuts_to_heap", "cut_search", "bracket", "tiles")
LEVELS = ("blue", "orange", "green", "purple")


def free_place(cell, points, size=(0.055, 0.045)):
    """The place of a cell for a label of half this size that is farthest from points and sides."""
    (x0, y0), (x1, y1) = cell

    def room(at):
        free = [max(abs(at[a] - p[a]) / size[a] for a in (0, 1)) for p in points]
        sides = [(at[0] - x0) / size[0], (x1 - at[0]) / size[0], (at[1] - y0) / size[1], (y1 - at[1]) / size[1]]
        off_centre = math.dist(at, ((x0 + x1) / 2, (y0 + y1) / 2))
        return min(*free, *sides, 1.5) - 0.1 * off_centre

    return max((((x0 + (x1 - x0) * i / 24, y0 + (y1 - y0) * j / 24) for i in range(1, 24) for j in range(1, 24))),
               key=room)


def cuts_to_heap():
    """Left, 32 particles in the square, cut into eight cells of four. Right, the tree of the cells with
    their numbers. Below, the array of fifteen nodes, level by level."""
    tree = kd.build(kd.points(32, 4), 4)
    picture = Picture("Cuts, tree and array", 420,
                      "Three levels of cuts make eight cells of four particles; a node's number gives its "
                      "parent, its children and its particles.")
    square = Square(picture, 8, 34, 210)
    for number, node in tree.nodes.items():
        level = number.bit_length() - 1
        if not tree.is_leaf(number):
            low, high = ([*corner] for corner in node.cell)
            low[node.axis] = high[node.axis] = node.cut
            square.line(low, high, f"line-{LEVELS[level]} {'thick' if level < 2 else ''}".strip())
    square.frame("line-ink")
    for at in tree.points:
        square.dot(at, 2.4, "fill-ink")
    for number in range(8, 16):
        square.text(free_place(tree.nodes[number].cell, tree.points), str(number), "bold middle fill-purple")
    place = {}
    for number in sorted(tree.nodes):
        level = number.bit_length() - 1
        wide = 232 / (1 << level)
        place[number] = (240 + wide * (number - (1 << level) + 0.5), 54 + 56 * level)
    for number, (x, y) in place.items():
        if number > 1:
            picture.line(*place[number // 2], x, y, "line-quiet")
    for number, (x, y) in place.items():
        colour = LEVELS[number.bit_length() - 1]
        picture.circle(x, y, 12, "fill-paper")
        picture.circle(x, y, 12, f"soft-{colour}")
        picture.text(x, y + 4.5, str(number), "middle")
    picture.text(8, 276, "nodes in memory: children of i are 2 i and 2 i + 1")
    wide = 464 / 15
    for number in range(1, 16):
        x = 8 + wide * (number - 1)
        picture.rect(x, 284, wide, 26, f"soft-{LEVELS[number.bit_length() - 1]}")
        picture.text(x + wide / 2, 301, str(number), "middle")
    picture.text(8, 338, "particles in memory: each node has one range")
    for leaf in range(8, 16):
        rows = tree.nodes[leaf]
        x = 8 + 464 / 32 * rows.begin
        picture.rect(x, 346, 58, 26, "line-purple")
        for k in range(4):
            picture.circle(x + 464 / 32 * (k + 0.5), 359, 2.4, "fill-ink")
    for number, y, colour in ((1, 412, "blue"), (2, 398, "orange"), (5, 384, "green")):
        node = tree.nodes[number]
        left, right = 8 + 464 / 32 * node.begin, 8 + 464 / 32 * node.end
        picture.line(left + 2, y, right - 2, y, f"line-{colour} thick")
        picture.rect((left + right) / 2 - 34, y - 8, 68, 14, "fill-paper")
        picture.text((left + right) / 2, y + 4, f"node {number}", f"middle small fill-{colour}")
    return picture


def keys(count, seed):
    """Sorted keys in the unit interval, denser around two thirds."""
    numbers = random.Random(seed)
    return sorted((numbers.random() + numbers.random() + (numbers.random() > 0.6)) / 3
                  for _ in range(count))


def cut_search():
    """A number line of 48 keys, drawn once for each step. In every step the middle of the bracket is
    tried, the keys at or below it are counted, and half of the bracket is given up."""
    values, wanted = keys(48, 5), 24
    low, high, steps = 0.0, 1.0, []
    while not steps or steps[-1][3] != wanted:
        middle = (low + high) / 2
        left = sum(key <= middle for key in values)
        steps.append((low, high, middle, left))
        low, high = (low, middle) if left > wanted else (middle, high)
    picture = Picture("Which cut has half of 48 keys at or below it?", 64 + 44 * len(steps),
                      f"Bisection of the bracket finds a cut with {wanted} of 48 keys on its left after "
                      f"{len(steps)} counts.")
    picture.legend(42, ("box", "soft-blue", "bracket"), ("line", "line-orange thick", "tried cut"),
                   ("dot", "fill-green", "counted left"))
    for k, (low, high, middle, left) in enumerate(steps):
        y = 76 + 44 * k
        picture.text(8, y + 4, str(k + 1), "bold")

        def x(value):
            return 28 + 300 * value

        picture.line(x(0), y, x(1), y, "line-rule")
        picture.rect(x(low), y - 10, x(high) - x(low), 20, "soft-blue")
        for key in values:
            picture.circle(x(key), y, 2.6, "fill-green" if key <= middle else "fill-quiet")
        picture.line(x(middle), y - 13, x(middle), y + 13, "line-orange thick")
        verdict = "found" if left == wanted else "too far right" if left > wanted else "too far left"
        picture.text(340, y + 4, f"{left} left: {verdict}")
    return picture


def bracket():
    """Four number lines: all keys; a sample of them with a bracket around its median; the sweep that
    counts the keys below the bracket and keeps those inside; the kept keys with the wanted one."""
    values = keys(160, 11)
    numbers = random.Random(4)
    sample = sorted(values[8 * part + int(8 * numbers.random())] for part in range(20))
    low, high = sample[6], sample[13]
    below = sum(key < low for key in values)
    inside = [key for key in values if low <= key <= high]
    rank = len(values) // 2
    wanted = inside[rank - 1 - below]
    assert wanted == values[rank - 1]
    picture = Picture("The median of 160 keys from a sample of 20", 320,
                      f"Two keys of a sample bracket the median, one sweep counts {below} keys below and keeps "
                      f"{len(inside)}, and the key of rank {rank} is number {rank - below} of these.")

    def x(value):
        return 8 + 464 * value

    rows = (("all keys, in any order", values, 84), ("sample, sorted, and its bracket", sample, 142),
            (f"one sweep: {below} below, {len(inside)} inside, the rest above", values, 200))
    for words, shown, y in rows:
        picture.text(8, y - 20, words)
        if y > 84:  # not among all keys
            picture.rect(x(low), y - 12, x(high) - x(low), 24, "soft-blue")
        picture.line(8, y, 472, y, "line-rule")
        for key in shown:
            kind = "line-quiet"
            if y == 142:
                kind = "line-blue thick" if key in (low, high) else "line-ink"
            elif y == 200:
                kind = "line-green" if key < low else "line-blue" if key <= high else "line-quiet faint"
            picture.line(x(key), y - 8, x(key), y + 8, kind)
    wide = (high - low) or 1

    def zoomed(value):
        return 16 + 448 * (value - low) / wide

    picture.line(x(low), 212, 16, 264, "line-blue dotted")
    picture.line(x(high), 212, 464, 264, "line-blue dotted")
    picture.line(8, 280, 472, 280, "line-rule")
    for key in inside:
        here = key == wanted
        picture.line(zoomed(key), 272 - 3 * here, zoomed(key), 288 + 3 * here,
                     "line-orange thick" if here else "line-blue")
    picture.text(240, 308, f"of the {len(inside)} kept keys, number {rank} - {below} = {rank - below} is the median",
                 "middle")
    return picture


def tiles():
    """A bar of 44 particles in five cells of different lengths. Each cell is divided into tiles of at most
    eight particles; below, the tiles are numbered and given to teams."""
    lengths, largest, teams = (19, 3, 8, 10, 4), 8, ("blue", "orange", "green", "purple")
    segments, tile, begin = [], [], 0
    for number, length in enumerate(lengths):
        segments.append((begin, begin + length))
        tile += [(number, begin + k, min(begin + k + largest, begin + length))
                 for k in range(0, length, largest)]
        begin += length
    unequal = max(lengths) / (sum(lengths) / len(lengths))
    picture = Picture("Cells differ in length, tiles do not", 226,
                      f"With one team for each cell most teams wait for the longest cell, {unequal:.1f} times the mean; "
                      f"with {len(tile)} tiles of at most {largest} particles all teams are busy.")
    wide = 464 / begin

    def x(row):
        return 8 + wide * row

    picture.text(8, 48, "segments: the particles of five cells")
    for number, (first, last) in enumerate(segments):
        picture.rect(x(first), 56, x(last) - x(first), 26, "line-ink")
        for row in range(first, last):
            picture.circle(x(row) + wide / 2, 69, 2.2, "fill-quiet")
    picture.text(8, 112, f"tiles: at most {largest} particles, all of one cell")
    place = {}
    for k, (_, first, last) in enumerate(tile):
        colour = teams[k % len(teams)]
        picture.rect(x(first) + 1, 120, x(last) - x(first) - 2, 26, f"soft-{colour}")
        place[k] = (x(first) + x(last)) / 2
        picture.text(place[k], 137, str(k), "middle")
    picture.text(8, 176, "teams: tile k goes to team k mod 4")
    for team, colour in enumerate(teams):
        left = 8 + 118 * team
        picture.rect(left, 184, 110, 30, f"soft-{colour}")
        picture.text(left + 55, 203, "tiles " + ", ".join(
            str(k) for k in range(team, len(tile), len(teams))), "middle")
    return picture
