"""Pictures of walks: one query step by step, packets of sixteen lanes, the scheduling matrix, curves."""

from . import example, kd, walks
from .style import WIDTH, Picture, Square

PICTURES = ("walk_frames", "walks_on_lanes", "orders_on_lanes", "scheduling_matrix", "curves")


def walk_frames():
    """Small squares, one for each step of a walk of one query, a ball around a diamond. The node of the
    step has a thick border; pruned nodes are grey, searched leaves filled, and the stack is written
    below."""
    tree = kd.build(kd.points(32, 4), 4)
    walker = walks.Walker(tree, [(0.43, 0.71)], 0.2)
    frames = walks.alone(walker, 0)
    side, columns = 148, 3
    rows = -(-len(frames) // columns)
    visits = [frame.lanes[0] for frame in frames]
    pruned = sum(done == walks.SKIP for _, done in visits)
    picture = Picture("A walk, step by step: which points are in the ball?", 52 + rows * 194,
                      f"The walk visits {len(visits)} of {len(tree.nodes)} nodes: it prunes {pruned} whose "
                      f"boxes the ball does not touch, and finds {walker.counts[0]} points.")
    picture.legend(42, ("box", "line-blue thick", "this node"), ("box", "soft-quiet", "pruned"),
                   ("box", "soft-orange", "searched"), ("dot", "fill-green", "found"))
    for step, frame in enumerate(frames):
        left, top = 8 + (side + 10) * (step % columns), 70 + 194 * (step // columns)
        square = Square(picture, left, top, side)
        found = set()
        for node, done in visits[:step + 1]:
            lower, upper = tree.box(node)
            if done == walks.SKIP:
                square.box(*tree.nodes[node].cell, "soft-quiet", 1)
            elif tree.is_leaf(node):
                square.box(lower, upper, "soft-orange")
                found |= {row for row in tree.rows_of(node)
                          if kd.nearest((tree.points[row],) * 2, walker.queries[0]) <= walker.radius}
        for number, node in tree.nodes.items():
            if number < 8 and number in {visited for visited, _ in visits[:step + 1]}:
                ends = [list(corner) for corner in node.cell]
                ends[0][node.axis] = ends[1][node.axis] = node.cut
                square.line(*ends, "line-rule")
        square.frame()
        for row, at in enumerate(tree.points):
            square.dot(at, 2.6 if row in found else 1.8, "fill-green" if row in found else "fill-quiet")
        square.ball(walker.queries[0], walker.radius, "line-ink")
        square.diamond(walker.queries[0], 4)
        node, done = visits[step]
        square.box(*tree.box(node), "line-blue thick")
        verb = "prune" if done == walks.SKIP else "search" if tree.is_leaf(node) else "open"
        picture.text(left, top - 5, f"{step + 1}: {verb} {node}", "small")
        words = " ".join(map(str, reversed(frame.stack))) or "empty"
        picture.text(left, top + side + 14, f"stack: {words}", "small fill-quiet")
    return picture


COLOURS = {walks.OPEN: "fill-blue", walks.TAKE: "fill-green", walks.SKIP: "fill-orange"}


def grid(picture, top, frames, steps, height=6):
    """A column for each step and a row for each lane, filled if the lane is at work."""
    wide = (WIDTH - 16) / steps
    picture.rect(8, top, wide * len(frames), height * example.LANES, "line-rule")
    for outcome, kind in COLOURS.items():
        picture.rects([(8 + wide * step + 0.3, top + height * lane + 0.3, wide - 0.6, height - 0.6)
                       for step, frame in enumerate(frames) for lane, what in enumerate(frame.lanes)
                       if what and what[1] == outcome], kind)
    return wide


def parked(picture, top, frames, wide, height=6):
    """Bars from where a lane leaves the walk to where it rejoins."""
    for lane in range(example.LANES):
        begin = None
        for step in range(len(frames) + 1):
            waits = step < len(frames) and frames[step].lanes[lane] is None
            if waits and begin is None:
                begin = step
            if not waits and begin is not None:
                y = top + height * (lane + 0.5)
                picture.line(8 + wide * begin + 1, y, 8 + wide * step - 1, y, "line-purple")
                begin = None


def legend(picture, y, *more):
    picture.legend(y, ("box", "fill-blue", "opens or searches"), ("box", "fill-orange", "skips"),
                   ("box", "fill-green", "counts whole"), *more)


def walks_on_lanes():
    """Four charts with sixteen rows, one for each lane, and a column for each step. Alone, every lane has
    its own walk of its own length. In lockstep and as a state machine, the same lanes work at the same
    nodes; a lane of the state machine that waits has a bar. As a box, all lanes work, and there are few
    steps."""
    def run(name):
        walker = walks.Walker(example.tree(), example.packet("tree order"), example.RADIUS)
        return walks.WALKS[name](walker)

    lanes = range(example.LANES)
    walker = walks.Walker(example.tree(), example.packet("tree order"), example.RADIUS)
    single = [walks.alone(walker, lane) for lane in lanes]
    longest = max(map(len, single))
    beside = [walks.Frame([single[lane][step].lanes[lane] if step < len(single[lane]) else None
                           for lane in lanes], [], "") for step in range(longest)]
    shown = [("alone: each lane has its own stack and node", beside),
             ("lockstep: one stack, and the lanes of each node on it", run("lockstep")),
             ("state machine: one stack; a waiting lane knows when to rejoin", run("state machine")),
             ("packet as a box: each lane tests another node or point", run("packet as a box"))]
    steps = max(len(frames) for _, frames in shown)
    counts = [len(frames) for _, frames in shown]
    picture = Picture("Sixteen queries of one packet, four walks", 56 + 130 * len(shown),
                      f"In lockstep sixteen walks of at most {counts[0]} steps take {counts[1]}; as one box, with a "
                      f"different node or point in each lane, the packet takes {counts[3]}.")
    legend(picture, 42, ("line", "line-purple", "waits"))
    for number, (words, frames) in enumerate(shown):
        top = 78 + 130 * number
        picture.text(8, top - 6, words)
        picture.text(WIDTH - 8, top - 6, f"{len(frames)} steps", "end small")
        wide = grid(picture, top, frames, steps)
        if number == 2:
            parked(picture, top, frames, wide)
    return picture


def orders_on_lanes():
    """Two charts of the lockstep walk with sixteen rows, one for each lane, and a column for each step. In
    input order the chart is long and mostly empty, in tree order half as long and fuller."""
    made = {order: walks.lockstep(walks.Walker(example.tree(), example.packet(order), example.RADIUS))
            for order in example.ORDERS}
    random, sorted_ = (made[order] for order in example.ORDERS)
    picture = Picture("The same walk in two orders of the queries", 312,
                      f"In input order a packet visits {len(random)} nodes with {100 * walks.busy(random):.0f} % "
                      f"of its lanes active, in tree order {len(sorted_)} with "
                      f"{100 * walks.busy(sorted_):.0f} %.")
    legend(picture, 42)
    for number, (order, frames) in enumerate(made.items()):
        top = 78 + 128 * number
        picture.text(8, top - 6, f"{order}: {len(frames)} nodes")
        grid(picture, top, frames, max(map(len, made.values())))
    return picture


def sandpile(rows):
    """The published scheduler: for each leaf, those that reached it in front, stably."""
    for leaf in range(len(rows[0])):
        rows = [row for row in rows if row[leaf]] + [row for row in rows if not row[leaf]]
    return rows


def scheduling_matrix():
    """Two matrices with a row for each query and a column for each leaf of the top tree; a cell is filled
    if the query reaches the leaf. Before, filled cells are scattered; after sorting they form blocks."""
    tree, queries = example.tree(), example.ordered("input order")[:64]
    walker = walks.Walker(tree, queries, 1.4 * example.RADIUS)
    leaves = range(32, 64)  # the top tree ends one level above the leaves
    before = [[walker.outcome(lane, leaf) != walks.SKIP for leaf in leaves] for lane in range(64)]
    after = sandpile(before)

    def visited(rows):
        return sum(any(row[leaf] for row in rows[k:k + 16]) for k in range(0, 64, 16) for leaf in range(32))

    picture = Picture("The scheduling matrix of 64 queries and 32 leaves", 372,
                      f"Four packets of sixteen queries visit {visited(before)} leaves in input order and {visited(after)} "
                      "after sorting.")
    for words, rows, left in (("input order", before, 8), ("sorted by the sandpile", after, 248)):
        picture.text(left, 46, words)
        for k in range(0, 64, 16):
            top = 56 + 4.6 * k
            picture.rects([(left + 7 * leaf, top, 7, 73.6) for leaf in range(32)
                           if any(row[leaf] for row in rows[k:k + 16])], "soft-orange")
            picture.rects([(left + 7 * leaf + 0.5, 56 + 4.6 * lane + 0.4, 6, 3.8) for leaf in range(32)
                           for lane in range(k, k + 16) if rows[lane][leaf]], "fill-blue")
            picture.rect(left, top, 224, 73.6, "line-ink")
    picture.legend(366, ("box", "fill-blue", "query reaches leaf"), ("box", "soft-orange",
                                                                    "its packet visits leaf"))
    return picture


def hilbert(order, x0=0.0, y0=0.0, xi=1.0, xj=0.0, yi=0.0, yj=1.0):
    """Centres of the cells of a square in the order of Hilbert's curve."""
    if order == 0:
        return [(x0 + (xi + yi) / 2, y0 + (xj + yj) / 2)]
    a, b, c, d = xi / 2, xj / 2, yi / 2, yj / 2
    return (hilbert(order - 1, x0, y0, c, d, a, b) + hilbert(order - 1, x0 + a, y0 + b, a, b, c, d)
            + hilbert(order - 1, x0 + a + c, y0 + b + d, a, b, c, d)
            + hilbert(order - 1, x0 + a + 2 * c, y0 + b + 2 * d, -c, -d, -a, -b))


def morton(order):
    """Centres of the cells of a square by the interleaved bits of their coordinates."""
    cells = 1 << order

    def cell(key):
        return [sum((key >> 2 * bit + axis & 1) << bit for bit in range(order)) for axis in (0, 1)]

    return [((x + 0.5) / cells, (y + 0.5) / cells) for x, y in map(cell, range(cells * cells))]


def curves():
    """Two curves through the 256 cells of a square, each divided into packets of sixteen cells in four
    colours. Morton's curve jumps, Hilbert's goes from a cell to its neighbour."""
    made = (("Morton: interleaved bits", morton(4)), ("Hilbert: cells are neighbours", hilbert(4)))
    step = 1 / 16

    def jumps(cells):
        return sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) > 1.5 * step for a, b in zip(cells, cells[1:]))

    picture = Picture("An order of particles by a curve", 290,
                      f"Sixteen consecutive cells are close together in both orders; Morton's curve has "
                      f"{jumps(made[0][1])} jumps, Hilbert's {jumps(made[1][1])}.")
    for number, (words, cells) in enumerate(made):
        square = Square(picture, 8 + 240 * number, 56, 224)
        picture.text(square.left, 46, words)
        square.frame()
        for k in range(0, 256, 16):
            colour = ("blue", "orange", "green", "purple")[k // 16 % 4]
            picture.path([(square.x(x), square.y(y)) for x, y in cells[k:k + 16]], f"line-{colour} thick")
            if k:
                square.line(cells[k - 1], cells[k], "line-quiet thin")
    return picture
