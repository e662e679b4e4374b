"""Pictures of gravity: a walk of Barnes and Hut, the opening angle, moments."""

import math
import random
from dataclasses import dataclass, field

from . import kd
from .style import Picture, Square

PICTURES = ("tree_walk", "opening_radii", "opening_angle", "multipoles")
THETA, LARGEST_LEAF, TARGET = 0.7, 4, (0.4, 0.43)


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
        self.box = (self.x, self.y), (self.x + self.side, self.y + self.side)
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


class BarnesHut:
    """What the target does with the nodes that it visits."""

    def __init__(self):
        self.accepted, self.searched, self.opened = [], [], []
        self.root = Node(0.0, 0.0, 1.0, bodies_of_walk())
        self.walk(self.root)

    def walk(self, node):
        if math.dist(node.centre, TARGET) > node.radius:
            self.accepted.append(node)
        elif not node.children:
            self.searched.append(node)
        else:
            self.opened.append(node)
            for child in node.children:
                self.walk(child)


def tree_walk():
    """Bodies in a quadtree and a target. Far cells are accepted, with a line from the target to their
    centre of mass; the leaves around the target are searched, with a line to each of their
    bodies."""
    found = BarnesHut()
    far = sum(len(node.bodies) for node in found.accepted)
    near = [body for leaf in found.searched for body in leaf.bodies]
    picture = Picture("What a target does with the nodes of a tree", 444,
                      f"Instead of {far + len(near)} bodies, {len(found.accepted)} nodes, which stand for {far} bodies, and "
                      f"the {len(near)} bodies of {len(found.searched)} near leaves act on the target.")
    picture.legend(42, ("box", "soft-green", "accepted node"), ("box", "soft-orange", "searched leaf"),
                   ("diamond", "fill-ink", "target"))
    square = Square(picture, 50, 56, 380)
    for node in found.accepted:
        square.box(*node.box, "soft-green", 1)
    for node in found.searched:
        square.box(*node.box, "soft-orange", 1)
    for node in found.accepted:
        square.line(TARGET, node.centre, "line-green")
        for body in node.bodies:
            square.dot(body, 1.8, "fill-quiet")
    for body in near:
        square.line(TARGET, body, "line-orange")
        square.dot(body, 2.6, "fill-orange")
    for node in found.accepted:
        square.dot(node.centre, 2.2 * math.sqrt(len(node.bodies)), "fill-green")
    square.frame()
    square.diamond(TARGET)
    return picture


def opening_radii():
    """The same quadtree with a circle around the centre of mass of each visited node. The target lies
    inside all dashed circles, of opened nodes and searched leaves, and outside all others."""
    found = BarnesHut()
    picture = Picture("A node is opened if the target is inside its circle", 444,
                      f"The radius of a circle is the distance of the farthest body from the centre of mass, "
                      f"divided by the opening angle of {THETA}.")
    picture.legend(42, ("line", "line-green", "accepted nodes"),
                   ("line", "line-blue dashed", "opened nodes, searched leaves"))
    square = Square(picture, 50, 56, 380)
    shown = [(node, "line-blue dashed", "fill-blue") for node in found.opened + found.searched]
    shown += [(node, "line-green", "fill-green") for node in found.accepted]
    for node, ring, centre in shown:
        arc = [(node.centre[0] + node.radius * math.cos(math.pi * k / 60),
                node.centre[1] + node.radius * math.sin(math.pi * k / 60)) for k in range(121)]
        for part in inside(arc):
            picture.path([(square.x(x), square.y(y)) for x, y in part], ring)
        square.dot(node.centre, 2.6, centre)
    square.frame()
    square.diamond(TARGET)
    return picture


def inside(arc):
    """The pieces of a curve within the unit square."""
    pieces = [[]]
    for at in arc:
        if all(0 <= value <= 1 for value in at):
            pieces[-1].append(at)
        elif pieces[-1]:
            pieces.append([])
    return [piece for piece in pieces if len(piece) > 1]


def cluster():
    """Bodies of one node about their centre of mass, with a reach of one, as long as possible along x."""
    bodies = kd.points(14, 8, ((0.4, 0.5, 0.1), (0.55, 0.52, 0.16)))
    centre = [sum(b[a] for b in bodies) / len(bodies) for a in (0, 1)]
    bodies = [(x - centre[0], y - centre[1]) for x, y in bodies]
    reach = max(math.hypot(*b) for b in bodies) * math.sqrt(2)
    return [((x - y) / reach, (x + y) / reach) for x, y in bodies]  # turned: the long side lies along x


def legendre(order, cosine):
    """Legendre polynomials of rank 0 to `order`."""
    found = [1.0, cosine]
    for n in range(1, order):
        found.append(((2 * n + 1) * cosine * found[n] - n * found[n - 1]) / (n + 1))
    return found[:order + 1]


def potential(bodies, at, order):
    """The potential of the moments up to a rank: the series of 1 / |at - body| in space."""
    far = math.hypot(*at)
    total = 0.0
    for body in bodies:
        near = math.hypot(*body)
        cosine = (body[0] * at[0] + body[1] * at[1]) / (near * far) if near else 1.0
        total += sum(near**n / far**(n + 1) * p for n, p in enumerate(legendre(order, cosine)))
    return total


def error(bodies, at, order):
    exact = sum(1 / math.dist(at, body) for body in bodies)
    return abs(potential(bodies, at, order) / exact - 1)


def cone(at):
    """The triangle from a target to the circle of the reach."""
    distance, middle = math.hypot(*at), math.atan2(-at[1], -at[0])
    wide, long = math.asin(1 / distance), math.sqrt(distance**2 - 1)
    ends = [(at[0] + long * math.cos(middle + side * wide), at[1] + long * math.sin(middle + side * wide))
            for side in (-1, 1)]
    return ends[0], at, ends[1]


def opening_angle():
    """A cluster of bodies with a circle of its reach, twice. A near target sees the circle at a large angle
    and opens the node; a far one sees it at a small angle and accepts it."""
    bodies, scale, errors = cluster(), 52, []
    picture = Picture("The opening angle", 310, "")
    for (far, colour, verb), y0 in (((1.3, "orange", "opens"), 96), ((6.4, "green", "accepts"), 226)):
        x0 = 72
        errors.append(error(bodies, (far, 0.0), 0))
        picture.path([(x0 + scale * x, y0 - scale * y) for x, y in cone((far, 0.0))],
                     f"soft-{colour}", True)
        picture.circle(x0, y0, scale, "line-ink dashed")
        for x, y in bodies:
            picture.circle(x0 + scale * x, y0 - scale * y, 2.4, "fill-ink")
        picture.circle(x0, y0, 5, "fill-blue")
        picture.diamond(x0 + scale * far, y0)
        picture.line(x0, y0 + 70, x0 + scale * far, y0 + 70, "line-ink")
        picture.text(x0 + scale * far / 2, y0 + 66, "r", "middle")
        picture.line(x0 - scale, y0 + 70, x0, y0 + 70, "line-ink thick")
        picture.text(x0 - scale / 2, y0 + 66, "b", "middle")
        picture.text(160 if verb == "opens" else 196, y0 - 44, f"b / r = {1 / far:.2f}, {'more' if 1 / far > THETA else 'less'} than {THETA}: "
                     f"{verb}", f"bold fill-{colour}")
    picture.caption = (f"Seen from nearby a node is wide and its mass alone is off by {100 * errors[0]:.0f} %; "
                       f"from far away it is narrow and the error is {100 * errors[1]:.1f} %.")
    return picture


def nearest_good(bodies, along, order, tolerance):
    """The distance in a direction beyond which the moments are right to a tolerance."""
    def is_good(far):
        return error(bodies, (far * along[0], far * along[1]), order) < tolerance

    good = 12.0
    while good > 1 and is_good(good - 0.25):
        good -= 0.25
    bad = good - 0.25
    for _ in range(7):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if is_good(middle) else (good, middle)
    return good


def multipoles():
    """A cluster of bodies and three closed curves around it: outside of each, the potential of the mass, with
    quadrupoles, and with moments to rank four, is right to a thousandth. The curves shrink with
    the rank."""
    bodies, tolerance = cluster(), 1e-3
    rings = []
    for order, colour in ((1, "blue"), (2, "orange"), (4, "green")):
        ring = []
        for k in range(180):
            along = (math.cos(2 * math.pi * k / 180), math.sin(2 * math.pi * k / 180))
            far = nearest_good(bodies, along, order, tolerance)
            ring.append((far * along[0], far * along[1]))
        rings.append((order, colour, ring, max(math.hypot(*at) for at in ring)))
    wide = 1.05 * max(abs(x) for *_, ring, _ in rings for x, _ in ring)
    high = 1.08 * max(abs(y) for *_, ring, _ in rings for _, y in ring)
    side, top = 464, 56
    tall = side * high / wide
    picture = Picture("Where the error is a thousandth", math.ceil(top + tall) + 8,
                      f"The curve of the mass alone extends to {rings[0][3]:.0f} times the reach of the node, with "
                      f"quadrupoles to {rings[1][3]:.1f}, and with moments to rank four to {rings[2][3]:.1f} times.")
    picture.legend(42, *[("line", f"line-{colour} thick", words) for (_, colour, _, _), words in zip(
        rings, ("mass alone", "with quadrupole", "to rank 4"))], ("line", "line-ink dashed", "reach"))
    square = Square(picture, 8, top - (side - tall) / 2, side, (-wide, -wide), 2 * wide)
    for _, colour, ring, _ in rings:
        picture.path([(square.x(x), square.y(y)) for x, y in ring], f"line-{colour} thick", True)
    square.ball((0, 0), 1, "line-ink dashed")
    for body in bodies:
        square.dot(body, 1.8, "fill-ink")
    picture.rect(8, top, side, tall, "line-rule")
    return picture
