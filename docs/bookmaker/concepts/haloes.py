"""Pictures of friends of friends: a chain, a forest that two threads join, cliques."""

import math

from . import kd
from .style import WIDTH, Picture, Square

PICTURES = ("chain_of_friends", "compare_and_swap", "cliques")
COLOURS = ("blue", "orange", "green", "purple")


def groups(points, length):
    """Label of each point: the smallest row of its group; and the pairs of friends."""
    pairs = [(i, j) for i in range(len(points)) for j in range(i)
             if math.dist(points[i], points[j]) < length]
    label, changed = list(range(len(points))), True
    while changed:
        changed = False
        for i, j in pairs:
            least = min(label[i], label[j])
            changed = changed or label[i] != label[j]
            label[i] = label[j] = least
    return label, pairs


def chain_of_friends():
    """Particles in a square with a disc of half the linking length around each. Discs of friends overlap
    and their particles are joined by lines. Four chains of friends are coloured; the others are grey."""
    length = 0.075
    points = kd.points(120, 30, ((0.2, 0.24, 0.07), (0.33, 0.42, 0.06), (0.46, 0.52, 0.06),
                                 (0.75, 0.68, 0.09), (0.58, 0.6, 0.05)))
    label, pairs = groups(points, length)
    sizes = sorted({(label.count(name), -name) for name in label}, reverse=True)
    colour = {-name: COLOURS[k] for k, (_, name) in enumerate(sizes[:4])}
    members = [at for at, name in zip(points, label) if name == -sizes[0][1]]
    far = max(math.dist(a, b) for a in members for b in members)
    picture = Picture("Friends of friends", 424,
                      f"Two particles are friends if their discs, of half the linking length, overlap; the "
                      f"largest group has {sizes[0][0]} members and is {far / length:.0f} linking lengths long.")
    picture.legend(42, *[("dot", f"fill-{COLOURS[k]}", f"{size} members")
                         for k, (size, _) in enumerate(sizes[:4])])
    square = Square(picture, 56, 54, 362)
    for at, name in zip(points, label):
        square.ball(at, length / 2, f"soft-{colour.get(name, 'rule')}")
    for i, j in pairs:
        square.line(points[i], points[j], f"line-{colour.get(label[i], 'quiet')}")
    for at, name in zip(points, label):
        square.dot(at, 2.4, f"fill-{colour.get(name, 'quiet')}")
    square.frame()
    return picture


class Forest:
    """Three particles, each its own root, and what happened to them."""

    def __init__(self):
        self.parent, self.frames = [0, 1, 2], [("", "before", (0, 1, 2), None)]

    def root(self, row):
        while self.parent[row] != row:
            row = self.parent[row]
        return row

    def swap(self, thread, row, expected, new):
        """Compare-and-swap of a parent; the frame says what came of it."""
        found = self.parent[row]
        if found == expected:
            self.parent[row] = new
        words = f"parent({row}) is still {found}, writes {new}" if found == expected else \
            f"parent({row}) is {found} and not {expected}, writes nothing"
        self.frames.append((f"{thread}:", words, tuple(self.parent), row if found == expected else None))
        return found == expected

    def store(self, thread, row, new):
        self.parent[row] = new
        self.frames.append((f"{thread}:", f"writes {new} to parent({row}) without a test", tuple(self.parent), row))


def both_threads(plain):
    """Thread A joins 0 and 2, thread B 1 and 2; both have found the roots before either writes."""
    forest = Forest()
    a, b = (0, 2), (1, 2)
    if plain:
        forest.store("A", a[1], a[0])
        forest.store("B", b[1], b[0])
        return forest
    forest.swap("A", a[1], a[1], a[0])
    if not forest.swap("B", b[1], b[1], b[0]):
        low, high = sorted((forest.root(b[0]), forest.root(b[1])))
        forest.swap("B", high, high, low)
    return forest


def draw_forest(picture, parent, changed, left, top):
    """Rows as circles, deeper ones lower, an arrow from each to its parent."""
    def depth(row):
        return 0 if parent[row] == row else 1 + depth(parent[row])

    at = {row: (left + 20 + 40 * row, top + 14 + 36 * depth(row)) for row in range(3)}
    for row in range(3):
        if parent[row] != row:
            (x, y), (to_x, to_y) = at[row], at[parent[row]]
            long = math.hypot(to_x - x, to_y - y)
            kind = "orange" if row == changed else "quiet"
            picture.arrow(x, y, to_x - 13 * (to_x - x) / long, to_y - 13 * (to_y - y) / long, kind)
    for row, (x, y) in at.items():
        picture.circle(x, y, 12, "fill-paper")
        picture.circle(x, y, 12, "soft-blue" if parent[row] == row else "line-quiet")
        picture.text(x, y + 4.5, str(row), "middle")


def compare_and_swap():
    """A column of forests of the particles 0, 1 and 2 after each write of two threads. With compare-and-swap
    the second thread notices the first and all three particles end in one tree; with plain stores
    particle 0 is left alone."""
    good, bad = both_threads(plain=False), both_threads(plain=True)
    frames = good.frames
    picture = Picture("Two threads join 0 with 2 and 1 with 2", 86 + 74 * len(frames) + 36 + 74,
                      "A thread whose compare-and-swap fails finds the new root and tries again; a plain store "
                      "overwrites the other thread's work.")
    picture.legend(42, ("dot", "soft-blue", "root"), ("line", "line-orange thick", "just written"))
    top = 58
    for thread, words, parent, row in frames:
        draw_forest(picture, parent, row, 8, top)
        picture.text(150, top + 18, f"{thread} {words}".strip(), "")
        picture.text(150, top + 36, f"parent = {' '.join(map(str, parent))}", "fill-quiet")
        top += 74
    picture.line(8, top, WIDTH - 8, top, "line-rule")
    picture.text(8, top + 22, "The same with plain stores: particle 0 is lost", "bold")
    thread, words, parent, row = bad.frames[-1]
    draw_forest(picture, parent, row, 8, top + 32)
    picture.text(150, top + 50, f"{thread} {words}")
    picture.text(150, top + 68, f"parent = {' '.join(map(str, parent))}", "fill-quiet")
    return picture


def clique_nodes(tree, node, length):
    """Highest nodes below a node whose box has a diameter below the linking length."""
    if math.dist(*tree.box(node)) < length:
        return [node]
    if tree.is_leaf(node):
        return []
    return clique_nodes(tree, 2 * node, length) + clique_nodes(tree, 2 * node + 1, length)


def cliques():
    """Particles of a dense clump and their tree. Boxes with a diameter below the linking length are
    filled: all their particles are friends of each other."""
    length = 0.15
    tree = kd.build(kd.points(256, 12, ((0.42, 0.5, 0.13), (0.55, 0.55, 0.1))), 4)
    found = clique_nodes(tree, 1, length)
    inside = sum(len(tree.rows_of(node)) for node in found)
    untested = sum(len(tree.rows_of(node)) * (len(tree.rows_of(node)) - 1) // 2 for node in found)
    _, pairs = groups(tree.points, length)
    picture = Picture("Cliques: no pair needs a test", 424,
                      f"Boxes with a diameter below the linking length hold {inside} of {len(tree.points)} "
                      f"particles; {untested} of {len(pairs)} friendships lie inside them and need no test.")
    square = Square(picture, 8, 54, 362)
    picture.legend(42, ("box", "soft-green", "clique"), ("box", "line-quiet", "leaf"),
                   ("line", "line-ink thick", "linking length"))
    covered = set()
    for node in found:
        square.box(*tree.box(node), "soft-green")
        covered |= set(tree.rows_of(node))
    for leaf in range(1 << tree.levels, 2 << tree.levels):
        if not set(tree.rows_of(leaf)) <= covered:
            square.box(*tree.box(leaf), "line-quiet")
    for row, at in enumerate(tree.points):
        square.dot(at, 2, "fill-green" if row in covered else "fill-quiet")
    square.frame()
    picture.line(392, 80, 392 + 362 * length, 80, "line-ink thick")
    picture.text(392 + 181 * length, 98, "b", "middle")
    return picture
