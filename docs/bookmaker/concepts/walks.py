"""The walks of common/copse/traversal/walks in a few lines, for pictures and the page of walks: which points
of a tree are within a radius of each query? Every walk returns its frames and the counts.

tests/docs compares the lockstep walk with `traversal --trace` and all counts with brute force.
"""

import math
from dataclasses import dataclass, field

from . import kd

SKIP, TAKE, OPEN = "skip", "take", "open"


@dataclass
class Frame:
    """One step. `lanes` has what each lane does: the node that it looks at with the outcome, or None
    if it waits. `stack` is what is left to visit afterwards, the next one last."""
    lanes: list
    stack: list
    words: str
    critical: list = field(default_factory=list)  # state machine: depth at which a lane rejoins
    masks: list = field(default_factory=list)  # lockstep: lanes of each entry of the stack


class Walker:
    """Queries, the members of one packet, over a tree."""

    def __init__(self, tree, queries, radius):
        self.tree, self.queries, self.radius = tree, queries, radius
        self.counts = [0] * len(queries)

    def outcome(self, lane, node):
        """What a query does with a node."""
        at, box = self.queries[lane], self.tree.box(node)
        if kd.nearest(box, at) > self.radius:
            return SKIP
        return TAKE if kd.farthest(box, at) <= self.radius else OPEN

    def visit(self, lane, node):
        """The outcome, and its effect on the count."""
        done, rows = self.outcome(lane, node), self.tree.rows_of(node)
        if done == TAKE:
            self.counts[lane] += len(rows)
        elif done == OPEN and self.tree.is_leaf(node):
            self.counts[lane] += sum(math.dist(self.tree.points[row], self.queries[lane]) <= self.radius
                                     for row in rows)
        return done

    def together(self, node, active):
        """All active lanes visit a node: what each did, and those that go below it."""
        did = [(node, self.visit(lane, node)) if lane in active else None
               for lane in range(len(self.queries))]
        below = [] if self.tree.is_leaf(node) else [
            lane for lane, what in enumerate(did) if what and what[1] == OPEN]
        return did, below


def words_of(node, did, leaf):
    """A sentence about a visit."""
    outcomes = [what[1] for what in did if what]
    place = f"{'leaf' if leaf else 'node'} {node}"
    verbs = ((OPEN, ("search it", "searches it") if leaf else ("open it", "opens it")),
             (TAKE, ("count it whole", "counts it whole")), (SKIP, ("skip it", "skips it")))
    if len(outcomes) == 1:
        return f"One query is at {place} and {dict(verbs)[outcomes[0]][1]}."
    parts = [f"{outcomes.count(kind)} {forms[outcomes.count(kind) == 1]}" for kind, forms in verbs if kind in outcomes]
    return f"{len(outcomes)} queries are at {place}: {', '.join(parts)}."


def alone(walker, lane):
    """One query with its own stack."""
    frames, stack = [], [1]
    while stack:
        node = stack.pop()
        did, below = walker.together(node, {lane})
        if below:
            stack += [2 * node + 1, 2 * node]
        frames.append(Frame(did, list(stack), words_of(node, did, walker.tree.is_leaf(node))))
    return frames


def recursive(walker):
    """One query after the other: as many walks as there are queries."""
    return [frame for lane in range(len(walker.queries)) for frame in alone(walker, lane)]


def lockstep(walker):
    """One stack for the packet, of nodes with the lanes that visit them."""
    frames, stack = [], [(1, set(range(len(walker.queries))))]
    while stack:
        node, active = stack.pop()
        did, below = walker.together(node, active)
        if below:
            stack += [(2 * node + 1, set(below)), (2 * node, set(below))]
        frames.append(Frame(did, [entry for entry, _ in stack],
                            words_of(node, did, walker.tree.is_leaf(node)),
                            masks=[sorted(lanes) for _, lanes in stack]))
    return frames


def state_machine(walker):
    """One stack for the packet without lanes: a lane that leaves a subtree stores the depth of the stack
    at which it rejoins."""
    lanes = range(len(walker.queries))
    frames, stack, active, critical = [], [1], set(lanes), [0] * len(lanes)
    while stack:
        active |= {lane for lane in lanes if critical[lane] >= len(stack)}
        node = stack.pop()
        did, below = walker.together(node, active)
        if below:
            for lane in active - set(below):
                critical[lane] = len(stack)
            active = set(below)
            stack += [2 * node + 1, 2 * node]
        frames.append(Frame(did, list(stack), words_of(node, did, walker.tree.is_leaf(node)),
                            critical=[None if lane in active else critical[lane] for lane in lanes]))
    return frames


def box_outcome(walker, box, node):
    """What the box of a packet does with a node."""
    lower, upper = walker.tree.box(node)
    apart = math.hypot(*(max(lower[a] - box[1][a], box[0][a] - upper[a], 0) for a in (0, 1)))
    reach = math.hypot(*(max(upper[a] - box[0][a], box[1][a] - lower[a]) for a in (0, 1)))
    return SKIP if apart > walker.radius else TAKE if reach <= walker.radius else OPEN


def descendants(nodes, lanes, tree):
    """Children, or deeper descendants, as many as there are lanes."""
    found = [child for node in nodes for child in (2 * node, 2 * node + 1)]
    while 2 * len(found) <= lanes and not any(map(tree.is_leaf, found)):
        found = [child for node in found for child in (2 * node, 2 * node + 1)]
    return found


def as_box(walker):
    """The packet walks as the box around its queries: each lane tests another node, then another point of
    the leaves within reach. What passes is compared with all queries."""
    tree, lanes = walker.tree, len(walker.queries)
    box, frames, stack = kd.extent(walker.queries), [], [1]
    while stack:
        taken = [stack.pop() for _ in range(min(len(stack), lanes // 2))]
        nodes = descendants(taken, lanes, tree)
        outcomes = [box_outcome(walker, box, node) for node in nodes]
        leaves = []
        for node, done in zip(nodes, outcomes):
            if done == TAKE:
                walker.counts = [count + len(tree.rows_of(node)) for count in walker.counts]
            elif done == OPEN:
                (leaves if tree.is_leaf(node) else stack).append(node)
        did = list(zip(nodes, outcomes))
        passed = sum(done != SKIP for done in outcomes)
        frames.append(Frame(did + [None] * (lanes - len(did)), list(stack),
                            f"{len(nodes)} nodes, one per lane: {passed} within reach of the box."))
        per_round = max(lanes // tree.bucket, 1)
        for begin in range(0, len(leaves), per_round):
            frames.append(search(walker, box, leaves[begin:begin + per_round], stack))
    return frames


def search(walker, box, leaves, stack):
    """Each lane tests another point of the leaves against the box."""
    tree, did, passed = walker.tree, [], []
    for leaf in leaves:
        for row in tree.rows_of(leaf):
            near = kd.nearest(box, tree.points[row]) <= walker.radius
            did.append((leaf, OPEN if near else SKIP))
            passed += [row] * near
    for lane, at in enumerate(walker.queries):
        walker.counts[lane] += sum(math.dist(tree.points[row], at) <= walker.radius for row in passed)
    return Frame(did + [None] * (len(walker.queries) - len(did)), list(stack),
                 f"Leaves {', '.join(map(str, leaves))}, one point per lane: {len(passed)} within reach "
                 "of the box, which all queries test.")


WALKS = {"recursive": recursive, "lockstep": lockstep, "state machine": state_machine,
         "packet as a box": as_box}


def busy(frames):
    """The share of lanes at work."""
    return sum(what is not None for frame in frames for what in frame.lanes) / sum(
        len(frame.lanes) for frame in frames)
