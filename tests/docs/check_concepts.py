"""check_concepts.py ROOT: the pictures of docs/bookmaker/concepts show what is true, are used, and can be
read: each is compared with something that its code does not use."""

import math
import pathlib
import re
import sys
from xml.etree import ElementTree

root = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, str(root / "docs"))
from bookmaker import concepts  # noqa: E402
from bookmaker.concepts import contacts, example, forces, haloes, kd, lanes, machine, motion, walks  # noqa: E402
from bookmaker.concepts.style import WIDTH  # noqa: E402

pages = "".join(page.read_text(encoding="utf-8") for page in (root / "docs").glob("*.md"))


def check_svg(name):
    """It is on a page, has a description and a caption of one sentence, and no text leaves it."""
    _, text, words, caption = concepts.drawing(name)
    assert f"<!-- drawing {name} -->" in pages, f"no page shows {name}"
    assert words and caption.endswith(".") and ". " not in caption, f"{name}: {caption}"
    drawn = ElementTree.fromstring(text)
    height = float(drawn.get("height"))
    for element in drawn.iter("{http://www.w3.org/2000/svg}text"):
        kinds = (element.get("class") or "").split()
        wide = len(element.text) * (5.6 if "small" in kinds else 7.4 if "bold" in kinds else 6.6)
        left = float(element.get("x")) - wide * ("end" in kinds) - wide / 2 * ("middle" in kinds)
        assert -2 <= left and left + wide <= WIDTH + 8, f"{name}: '{element.text}' leaves the picture"
        assert 0 < float(element.get("y")) < height, f"{name}: '{element.text}' is below the picture"


for picture in concepts.functions():
    check_svg(picture)
assert len(concepts.functions()) >= 15

# A tree: every point in one leaf, boxes and cells nested, halves of equal size.
tree = example.tree()
assert sorted(tree.rows) == list(range(256)) and len(tree.nodes) == 127
for number, node in tree.nodes.items():
    assert all(node.cell[0][a] <= node.lower[a] <= node.upper[a] <= node.cell[1][a] for a in (0, 1))
    if not tree.is_leaf(number):
        assert sorted(tree.rows_of(2 * number) + tree.rows_of(2 * number + 1)) == sorted(tree.rows_of(number))

# Barnes and Hut: every body acts once, and the sum is close to the direct one.
found = forces.BarnesHut()
acting = [body for node in found.accepted + found.searched for body in node.bodies]
assert sorted(acting) == sorted(forces.bodies_of_walk())


def pull(bodies):
    """The sum of d / |d|^3 over (body, mass)."""
    return [sum(m * (b[a] - forces.TARGET[a]) / math.dist(b, forces.TARGET)**3 for b, m in bodies) for a in (0, 1)]


direct = pull([(body, 1) for body in acting])
walked = pull([(node.centre, len(node.bodies)) for node in found.accepted]
              + [(body, 1) for leaf in found.searched for body in leaf.bodies])
assert math.dist(direct, walked) < 0.15 * math.hypot(*direct), (direct, walked)  # measured: 0.09
bodies = forces.cluster()
assert forces.error(bodies, (2.0, 1.0), 40) < 1e-12 < forces.error(bodies, (2.0, 1.0), 4)

# Friends: groups by a flood fill; the forest of two threads has one root, plain stores lose one.
points = kd.points(120, 30)
label, pairs = haloes.groups(points, 0.08)
for start in range(120):
    reached, edge = {start}, [start]
    while edge:
        here = edge.pop()
        new = {k for k in range(120) if math.dist(points[k], points[here]) < 0.08} - reached
        reached, edge = reached | new, edge + sorted(new)
    assert min(reached) == label[start]
forest = haloes.both_threads(plain=False)
assert {forest.root(row) for row in range(3)} == {0}
forest = haloes.both_threads(plain=True)
assert {forest.root(row) for row in range(3)} == {0, 1}
dense = kd.build(kd.points(64, 3), 4)
for node in haloes.clique_nodes(dense, 1, 0.2):
    inside = [dense.points[row] for row in dense.rows_of(node)]
    assert all(math.dist(a, b) < 0.2 for a in inside for b in inside)

# Orders: the sandpile is a stable sort whose last column counts most; both curves visit each cell once.
rows = [[(k * 37 + leaf * k) % 3 == 0 for leaf in range(8)] for k in range(20)]
assert lanes.sandpile(rows) == sorted(rows, key=lambda row: [not reached for reached in reversed(row)])
for curve in (lanes.hilbert(4), lanes.morton(4)):
    assert len({(round(16 * x - 0.5), round(16 * y - 0.5)) for x, y in curve}) == 256
assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) < 1.01 / 16
           for a, b in zip(lanes.hilbert(4), lanes.hilbert(4)[1:]))

# Cells: no contact is missed by the nine cells. Tokens are sorted. The roofline's ridge is in the text.
particles = contacts.particles()
for one in particles:
    near = {b for b in particles if b != one and math.dist(b, one) <= contacts.CUTOFF}
    assert near <= set(contacts.tested(particles, one))
bandwidth, rate = machine.ceilings("h200", "cuda")
assert f"H200 needs {rate / bandwidth:.0f} operations for each byte" in pages.replace("\n", " ")
hosts = [rate / bandwidth for bandwidth, rate in (machine.ceilings(name, backend) for name in ("h200", "epyc2")
                                                 for backend in ("serial", "openmp"))]
assert f"hosts need {min(hosts):.0f} to {max(hosts):.0f}." in pages.replace("\n", " "), hosts

# Bytes of a build: those of the program's output on the page of the model.
for (_, counts, moves), variant in zip(machine.BUILDS, ("bisection", "histogram", "select", "fused")):
    printed = re.search(rf"^host {variant} +(?:[\d.]+ +){{2}}([\d.]+) ", pages, re.MULTILINE)
    assert printed and printed[1] == f"{counts + moves:.1f}", (variant, counts, moves)

# Orbits: half the step divides the swing of leapfrog's energy by four; Euler's energy only grows.
swings = []
for motion.STEPS in (60, 120):
    energies = [motion.energy(*state) for state in motion.orbit(motion.leapfrog)]
    swings.append(max(energies) - min(energies))
assert 3.7 < swings[0] / swings[1] < 4.3, swings
turns = [motion.energy(*state) for state in motion.orbit(motion.euler)[::motion.STEPS]]
assert turns == sorted(turns) and turns[-1] > turns[0] + 0.1

# A loop: every element is executed once, no thread has two in one step, and a GPU's step is a run of elements.
for _, threads, adjacent in machine.BACKENDS:
    done = machine.executed(threads, adjacent)
    assert sorted(done) == [(t, step) for t in range(threads) for step in range(16 // threads)]
    together = [done.index((t, 0)) for t in range(threads)] == list(range(threads))
    assert threads == 1 or together == adjacent

# Walks of every kind count what brute force counts, and the committed trace is the lockstep walk.
for order in example.ORDERS:
    for walk in walks.WALKS.values():
        walker = walks.Walker(tree, example.packet(order), example.RADIUS)
        walk(walker)
        assert walker.counts == [sum(math.dist(at, other) <= example.RADIUS for other in tree.points)
                                 for at in walker.queries]
