"""Pictures of short-range forces and of domains: cells, sweep and prune, ghosts, what ranks send."""

import math
import random

from . import kd
from .style import Picture, Square

PICTURES = ("cell_grid", "sweep_and_prune", "ghosts", "migration")
CUTOFF = 0.125


def particles():
    """Particles in the unit square, no two nearer than a part of the cutoff, as repulsion keeps
    them."""
    numbers = random.Random(21)
    found = []
    while len(found) < 40:
        at = (0.02 + 0.96 * numbers.random(), 0.02 + 0.96 * numbers.random())
        if all(math.dist(at, other) > 0.66 * CUTOFF for other in found):
            found.append(at)
    return found


def cell(at):
    return tuple(int(value / CUTOFF) for value in at)


def tested(found, one):
    """The particles in the cells around a particle."""
    return [b for b in found if b != one and all(abs(i - j) <= 1 for i, j in zip(cell(b), cell(one)))]


def most_tested(found):
    """A particle away from the border with contacts and many candidates."""
    inner = [p for p in found if all(1 <= i <= 6 for i in cell(p))]
    return max(inner, key=lambda p: (any(math.dist(p, b) <= CUTOFF for b in tested(found, p)),
                                     len(tested(found, p))))


def cell_grid():
    """A grid of eight by eight cells over 40 particles. The nine cells around one particle are filled, a
    circle shows the cutoff, and lines join it with the particles in contact."""
    found = particles()
    one = most_tested(found)
    candidates = tested(found, one)
    contacts = [b for b in candidates if math.dist(one, b) <= CUTOFF]
    picture = Picture("Cells as long as the cutoff", 444,
                      f"The marked particle tests the {len(candidates)} particles of nine cells instead of "
                      f"{len(found) - 1}, and touches {len(contacts)} of them.")
    picture.legend(42, ("diamond", "fill-ink", "particle"), ("dot", "fill-green", "tested"),
                   ("dot", "fill-orange", "contact"), ("line", "line-blue dashed", "cutoff"))
    square = Square(picture, 50, 56, 380)
    square.frame()
    for k in range(1, 8):
        square.line((CUTOFF * k, 0), (CUTOFF * k, 1), "line-rule")
        square.line((0, CUTOFF * k), (1, CUTOFF * k), "line-rule")
    i, j = cell(one)
    square.box((CUTOFF * (i - 1), CUTOFF * (j - 1)), (CUTOFF * (i + 2), CUTOFF * (j + 2)), "soft-green")
    for b in contacts:
        square.line(one, b, "line-orange thick")
    for b in found:
        square.dot(b, 3, "fill-orange" if b in contacts else "fill-green" if b in candidates else "fill-quiet")
    square.ball(one, CUTOFF, "line-blue dashed")
    square.diamond(one)
    return picture


def tokens(found, half):
    """The ends of intervals along an axis in order: (coordinate, particle, True for the upper end)."""
    return sorted((at[0] + (half if upper else -half), k, upper)
                  for k, at in enumerate(found) for upper in (False, True))


def sweep_and_prune():
    """Intervals of seven particles along an axis before and after a step, each with a token at both ends,
    and the two sorted lists of tokens. Tokens that changed places are orange."""
    numbers, half = random.Random(9), 0.06
    before = [(0.08 + 0.84 * (k + 0.6 * numbers.random()) / 7,) for k in range(7)]
    after = [(at[0] + 0.1 * (numbers.random() - 0.5),) for at in before]
    lists = [[(k, upper) for _, k, upper in tokens(found, half)] for found in (before, after)]
    place = {token: n for n, token in enumerate(lists[0])}
    swaps = [(a, b) for n, b in enumerate(lists[1]) for a in lists[1][:n] if place[a] > place[b]]
    moved = {token for pair in swaps for token in pair}
    begun = sum(a[1] != b[1] and not a[1] for a, b in swaps)
    ended = sum(a[1] != b[1] and a[1] for a, b in swaps)
    assert (len(swaps), begun, ended) == (2, 1, 1), "the caption counts them"
    picture = Picture("Sweep and prune: tokens at the ends of intervals", 402,
                      "Two swaps of neighbours sort the list again after a step: one overlap begins and one ends.")
    picture.legend(42, ("line", "line-blue thick", "interval"), ("dot", "fill-orange", "token that swaps"),
                   ("dot", "fill-quiet", "other token"))
    for words, found, order, top in (("before the step", before, lists[0], 64),
                                     ("after the step", after, lists[1], 240)):
        picture.text(8, top + 4, words)
        for k, at in enumerate(found):
            y = top + 18 + 11 * k
            ends = [8 + 464 * (at[0] + side * half) for side in (-1, 1)]
            picture.line(*(ends[0], y), *(ends[1], y), "line-blue thick")
            for upper in (False, True):
                picture.circle(ends[upper], y, 3.5, "fill-orange" if (k, upper) in moved else "fill-quiet")
        wide = 464 / len(order)
        for n, (k, upper) in enumerate(order):
            picture.rect(8 + wide * n, top + 104, wide, 24,
                         "soft-orange" if (k, upper) in moved else "line-rule")
            picture.text(8 + wide * (n + 0.5), top + 121, f"{'abcdefg'[k]}{']' if upper else '['}", "middle")
    for token in moved:
        first, second = (order.index(token) for order in lists)
        wide = 464 / len(lists[0])
        picture.line(8 + wide * (first + 0.5), 192, 8 + wide * (second + 0.5), 228, "line-orange")
    picture.text(8, 392, "[ begins an interval, ] ends it; letters are particles", "fill-quiet")
    return picture


def ghosts():
    """A square that two ranks share. The left rank owns the particles left of the border and gets copies, drawn
    as rings, of those within a cutoff right of it."""
    found, border = particles(), 0.5
    copies = [p for p in found if border < p[0] <= border + CUTOFF]
    owned = [p for p in found if p[0] <= border]
    across = [(a, b) for a in owned for b in copies if math.dist(a, b) <= CUTOFF]
    picture = Picture("Ghosts: copies of what is near the border", 444,
                      f"The left rank owns {len(owned)} particles and receives {len(copies)} ghosts, enough to find "
                      f"the {len(across)} contacts across the border without another message.")
    picture.legend(42, ("dot", "fill-blue", "owned"), ("dot", "soft-green", "ghost"),
                   ("dot", "fill-quiet", "other rank"), ("line", "line-orange thick", "contact"))
    square = Square(picture, 50, 56, 380)
    square.box((border, 0), (border + CUTOFF, 1), "soft-green")
    square.line((border, 0), (border, 1), "line-ink thick")
    for a, b in across:
        square.line(a, b, "line-orange thick")
    for p in found:
        square.dot(p, 3, "fill-blue" if p in owned else "fill-green" if p in copies else "fill-quiet")
        if p in copies:
            square.dot(p, 6, "line-green")
    square.frame()
    picture.text(square.x(0.02), 450 - 20, "rank 0", "bold")
    picture.text(square.x(0.98), 450 - 20, "rank 1", "bold end")
    return picture


COLOURS = ("blue", "orange", "green", "purple")


def migration():
    """Left, four domains with particles in the colour of the rank that held them before; right, a matrix of
    how many particles each rank sends to each other."""
    clusters = ((0.35, 0.4, 0.15), (0.65, 0.62, 0.12))
    before = kd.points(128, 17, clusters)
    numbers = random.Random(2)
    after = [tuple(min(max(value + 0.16 * (numbers.random() - 0.5), 0.01), 0.99) for value in at)
             for at in before]
    trees = [kd.build(found, 32) for found in (before, after)]
    owner = [{row: leaf - 4 for leaf in range(4, 8) for row in tree.rows_of(leaf)} for tree in trees]
    sent = [[sum(owner[0][row] == a and owner[1][row] == b for row in range(128)) for b in range(4)]
            for a in range(4)]
    moved = sum(sent[a][b] for a in range(4) for b in range(4) if a != b)
    picture = Picture("Domains of four ranks, and what is sent", 300,
                      f"After a step new cuts give each rank 32 particles again, and {moved} of 128 particles go to "
                      "another rank.")
    square = Square(picture, 8, 64, 228)
    picture.text(8, 44, "after the step, in colours of")
    picture.text(8, 58, "the ranks before it")
    for rank in range(4):
        square.box(*trees[1].nodes[rank + 4].cell, f"soft-{COLOURS[rank]}", 1)
    for row, at in enumerate(after):
        square.dot(at, 3 if owner[0][row] != owner[1][row] else 2, f"fill-{COLOURS[owner[0][row]]}")
        if owner[0][row] != owner[1][row]:
            square.dot(at, 4.5, "line-ink thin")
    for rank in range(4):
        low, high = trees[1].nodes[rank + 4].cell
        middle = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2
        square.dot(middle, 9, "fill-paper")
        square.text(middle, str(rank), "bold middle")
    picture.text(300, 58, "from rank, to rank", "")
    side = 44
    for a in range(4):
        picture.text(284, 109 + side * a, str(a), f"bold fill-{COLOURS[a]}")
        picture.text(300 + side * (a + 0.5), 76, str(a), f"bold middle fill-{COLOURS[a]}")
        for b in range(4):
            kind = "line-rule" if a == b or not sent[a][b] else f"soft-{COLOURS[a]}"
            picture.rect(300 + side * b, 82 + side * a, side, side, kind)
            picture.text(300 + side * (b + 0.5), 109 + side * a, str(sent[a][b]),
                         "middle" + (" fill-quiet" if a == b else " bold" if sent[a][b] else " fill-quiet"))
    picture.text(300, 282, f"{moved} sent, {128 - moved} stay")
    return picture
