"""The roofline of a machine of roofline/, with what it says, who executes a loop, and the bytes of a build."""

import json
import math
import pathlib

from .style import Picture

PICTURES = ("roofline", "one_kernel", "bytes_of_builds")
ROOT = pathlib.Path(__file__).resolve().parents[3]
# Kernels whose floating-point operations are counted: file, label, walk, name, place of the name.
KERNELS = (("fof", "copse::fof::between_leaves", None, "pairs of leaves", (8, 5, "")),
           ("fof", "copse::curve::hilbert_keys", None, "keys of a curve", (8, 5, "")),
           ("fof", "copse::fof::within_leaves", None, "within leaves", (8, 20, "")),
           ("knn", "copse::walk::group", "group sorted", "8 neighbours", (8, 3, "")),
           ("gravity_breadth", "copse::gravity::breadth", None, "gravity", (-8, 14, "end")))


def read(name):
    return json.loads((ROOT / f"roofline/{name}.json").read_text(encoding="utf-8"))


def ceilings(machine, backend):
    """Bytes per second of the memory, operations per second on floats."""
    found, = (item for item in read(f"machines/{machine}")["results"]["ceilings"]
              if item["backend"] == backend)
    memory, = (level for level in found["levels"] if level["name"] == "memory")
    return memory["bytes_per_second"]["read"], max(found["operations_per_second"]["float"].values())


def kernels():
    """(name, its place, operations per byte, operations per second)."""
    for file, label, walk, name, place in KERNELS:
        point, = (p for p in read(f"points/h200/{file}")["points"]
                  if p["label"] == label and p.get("of") == walk)
        yield name, place, point["flops"] / point["memory"], point["flops"] / point["seconds"]


def roofline():
    """Operations per second over operations per byte, both axes logarithmic. A line rises with the memory's
    bandwidth up to the machine's highest rate and is flat from there. Five kernels are points below
    it."""
    bandwidth, rate = ceilings("h200", "cuda")
    ridge = rate / bandwidth
    picture = Picture("The roofline of one GPU, and five kernels below it", 372,
                      f"Left of {ridge:.0f} operations per byte the memory of an H200 bounds a kernel, right of it "
                      "arithmetic; the distance to the roof is what can be gained.")

    def x(intensity):
        return 56 + 410 * (math.log2(intensity) + 4) / 16

    def y(speed):
        return 310 - 250 * (math.log10(speed) - 10) / 4

    for power in range(10, 15):
        picture.line(x(1 / 16), y(10.0**power), x(4096), y(10.0**power), "line-rule")
        words = {10: "10 G", 11: "100 G", 12: "1 T", 13: "10 T", 14: "100 T"}[power]
        picture.text(50, y(10.0**power) + 4, words, "end small")
    for power in range(-4, 13, 2):
        picture.line(x(2.0**power), y(1e10), x(2.0**power), y(1e14), "line-rule")
        picture.text(min(x(2.0**power), 464), 326, f"1/{2**-power}" if power < 0 else str(2**power), "middle small")
    picture.text(262, 346, "floating-point operations per byte of memory", "middle")
    picture.text(8, 46, "operations per second", "small")
    picture.path([(x(1 / 16), y(1e10)), (x(1 / 16), y(bandwidth / 16)), (x(ridge), y(rate)),
                  (x(ridge), y(1e10))], "soft-blue", True)
    picture.path([(x(ridge), y(rate)), (x(4096), y(rate)), (x(4096), y(1e10)), (x(ridge), y(1e10))],
                 "soft-orange", True)
    picture.path([(x(1 / 16), y(bandwidth / 16)), (x(ridge), y(rate)), (x(4096), y(rate))],
                 "line-ink thick")
    picture.line(x(ridge), y(rate), x(ridge), y(1e10), "line-ink dashed")
    picture.text(x(ridge) - 6, 204, "bound by bytes", "bold end fill-blue")
    picture.text(x(4096) - 6, 204, "bound by arithmetic", "bold end fill-orange")
    picture.text(x(ridge) + 4, y(1.6e10), f"{ridge:.0f}", "bold")
    picture.text(x(1) - 6, y(bandwidth) - 4, f"{bandwidth / 1e12:.1f} TB/s", "end")
    picture.text(x(20), y(rate) + 16, f"{rate / 1e12:.0f} Tflop/s")
    for name, (right, down, anchor), intensity, speed in kernels():
        roof = min(intensity * bandwidth, rate)
        picture.line(x(intensity), y(speed), x(intensity), y(roof), "line-quiet dotted")
        picture.circle(x(intensity), y(speed), 4.5, "fill-ink")
        picture.text(x(intensity) + right, y(speed) + down, f"{name}: {100 * speed / roof:.0f} %", f"small {anchor}".strip())
    return picture


ELEMENTS = 16
# Name, number of threads, whether neighbouring threads take neighbouring elements.
BACKENDS = (("Serial: one thread", 1, False), ("OpenMP: four threads, a share for each", 4, False),
            ("CUDA: eight threads side by side", 8, True))


def executed(threads, adjacent):
    """(thread, step) of every element of a loop."""
    share = ELEMENTS // threads
    return [(k % threads, k // threads) if adjacent else (k // share, k % share) for k in range(ELEMENTS)]


def one_kernel():
    """Three charts of a loop over sixteen elements, a column for each element and a row for each step. One thread
    takes sixteen steps. Four threads take four, each through its own share. Eight threads of a GPU take two,
    and at each step neighbouring threads have neighbouring elements."""
    colours = ("blue", "orange", "green", "purple")
    picture = Picture("One loop of sixteen iterations on three backends", 412, f"The loop takes {ELEMENTS} steps, "
                      + " or ".join(str(ELEMENTS // threads) for _, threads, _ in BACKENDS[1:])
                      + "; the threads of a GPU take neighbouring elements in the same step.")
    top, side, left = 34.0, 13.0, 112.0
    for name, threads, adjacent in BACKENDS:
        picture.text(8, top + 12, name, "bold")
        top += 20
        steps = ELEMENTS // threads
        picture.rect(left, top, side * ELEMENTS * 1.5, side * steps, "line-rule")
        for element, (thread, step) in enumerate(executed(threads, adjacent)):
            picture.rect(left + 1.5 * side * element + 1, top + side * step + 1, 1.5 * side - 2, side - 2,
                         f"fill-{colours[thread % 4]}")
        picture.text(8, top + 11, "time" + ("" if steps < 3 else ", downwards"), "small")
        picture.text(left + side * ELEMENTS * 1.5 + 6, top + side * steps - 2, f"{steps} steps", "small")
        top += side * steps + 10
    return picture


LEVELS, STEPS = 12, 32  # of a tree of 4096 leaves; of a bisection
# Name, bytes per particle of the counts and of the moves, on a host (docs/orb-model.md, "Corrected").
BUILDS = (("bisection", LEVELS * STEPS * 4, LEVELS * (4 + 36)), ("histograms", LEVELS * 3 * 4, LEVELS * (4 + 36)),
          ("selection", LEVELS * 4.4, LEVELS * (4 + 36)), ("fused", 4 * (12 + 1.6), 2 * 2 + 12 + 16 + 16 + 16))


def bytes_of_builds():
    """A bar for each of four ways to build a tree of 4096 leaves. Its length is the number of bytes that are read
    and written per particle; one part is for counting keys, the other for moving particles."""
    (_, counted, moved), *_, (_, *last) = BUILDS
    picture = Picture("Bytes per particle of a build of 4096 leaves", 220,
                      f"Counting is {100 * counted / (counted + moved):.0f} % of the {counted + moved} bytes of a build by "
                      f"bisection; the fused engine cuts six levels per move and needs {sum(last):.0f} bytes.")
    picture.legend(44, ("box", "fill-blue", "count keys"), ("box", "fill-orange", "move particles"))
    left, scale = 92.0, 300.0 / (counted + moved)
    for row, (name, counts, moves) in enumerate(BUILDS):
        y = 64 + 38.0 * row
        picture.text(8, y + 17, name)
        picture.rect(left, y, scale * counts, 24.0, "fill-blue")
        picture.rect(left + scale * counts, y, scale * moves, 24.0, "fill-orange")
        picture.text(left + scale * (counts + moves) + 8, y + 17, f"{counts + moves:.0f} bytes")
    return picture
