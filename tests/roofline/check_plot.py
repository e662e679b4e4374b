"""check_plot.py ROOFLINE FOLDER: one command draws what is committed, and legends cover nothing.

The command runs in a copy of the folder, without anything built or downloaded.
"""

import glob
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import types

roofline, folder = sys.argv[1:]
if importlib.util.find_spec("matplotlib") is None:
    print("matplotlib is missing")
    sys.exit(4)
shutil.rmtree(folder, ignore_errors=True)
copy = os.path.join(folder, "roofline")
shutil.copytree(roofline, copy, ignore=shutil.ignore_patterns("__pycache__"))
pictures = os.path.join(folder, "build", "roofline")


def run(*arguments, code=0):
    done = subprocess.run([sys.executable, os.path.join(copy, "plot.py"), *arguments], cwd="/",
                          capture_output=True, text=True, check=False)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done


done = run()
machines = sorted(os.path.basename(path)[:-5] for path in glob.glob(f"{copy}/machines/*.json"))
machines.remove("vendor_peaks")
assert machines and sorted(os.listdir(pictures)) == [f"{name}.png" for name in machines]
for name in machines:
    path = os.path.join(pictures, f"{name}.png")
    assert path in done.stdout
    with open(path, "rb") as file:
        assert file.read(4) == b"\x89PNG" and os.path.getsize(path) > 20000
    assert run("--machine", name).stdout.split() == [path]
refused = run("--machine", "nowhere", code=2)
assert "nowhere" in refused.stderr and refused.stderr.count("error:") == 1
run("--machine", os.path.join(copy, "machines", "vendor_peaks.json"), code=2)
run("--out", os.path.join(folder, "no.png"), code=2)

# Points of another machine do not get the counters of a committed run with the same name, nor another
# backend's ceilings.
own = os.path.join(folder, "fof.json")
shutil.copy(os.path.join(copy, "points", "h200", "fof.json"), own)
refused = run("--machine", "epyc2", "--points", own, "--out", os.path.join(folder, "no.png"), code=2)
assert "cuda" in refused.stderr and refused.stderr.count("error:") == 1

# All points of a machine are in its picture: each with a distinct marker, the legend outside the axes, and a
# kernel without operations or bytes is named.
sys.path.insert(0, copy)
import drawing  # noqa: E402
import labels  # noqa: E402  beside this file
import plot  # noqa: E402
from machine import Machine  # noqa: E402

point = {"seconds": 1e-3, "share": 0.05, "memory": 1e6, "L1": 4e6, "operations": 1e7, "of_bound": 0.5,
         "binding": "memory"}
runs = [(f"run {run}", [{**point, "label": f"copse::kernel_{i}", "operations": 1e7 * (i + 1)}
                        for i in range(13)]) for run in range(3)]
runs[0][1].append({**point, "label": "copse::bytes_only", "operations": 0, "flops": 0})
runs[0][1].append({**point, "label": "copse::launches_only", "memory": 0})
runs[0][1][0]["lower_bound"] = True
machine = Machine(os.path.join(copy, "machines", f"{machines[0]}.json"),
                  plot.backends_of(os.path.join(copy, "machines", f"{machines[0]}.json"))[0])
figure = drawing.draw_machine([(machine, runs, None, ["first line", "second line"])] * 2)
figure.canvas.draw()
for part in figure.subfigs:
    legend, = part.legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert len(texts) == 39 and "run 0, kernel_0: 5.0% of the run, >= 50% of memory" in texts
    handles = getattr(legend, "legend_handles", None) or legend.legendHandles  # before 3.7
    looks = {(handle.get_marker(), tuple(handle.get_color())) for handle in handles}
    assert len(looks) == len(texts), "two kernels look the same"
    box = legend.get_window_extent()
    for axes in part.axes:
        for piece in (axes.xaxis.label.get_window_extent(), axes.get_window_extent()):
            assert not box.overlaps(piece), "the legend covers an axis"
    text, = part.texts
    assert "bytes_only, launches_only" in text.get_text()
    assert not box.overlaps(text.get_window_extent()), "the legend covers the text"
    assert text.get_window_extent().y0 >= part.bbox.y0

# Names of ceilings cover neither each other nor a kernel, for every committed machine and for one whose ceilings are
# alike. Without `spread` some do.
committed = types.SimpleNamespace(points=None, backend=None, vendor=None, least_share=0.005)
pictures_of = {name: plot.rows_of(os.path.join(copy, "machines", f"{name}.json"), committed) for name in machines}
alike = Machine(os.path.join(copy, "machines", "epyc2.json"), "openmp")
for number, level in enumerate(alike.ceilings["levels"]):
    level["bytes_per_second"] = {"read": (1 + number / 1000) * 4e10}
for number, (kind, shapes) in enumerate(alike.ceilings["operations_per_second"].items()):
    shapes.update({shape: (1 + number / 1000) * 5e10 for shape in shapes})
pictures_of["alike"] = [(alike, [], ([(None, 4e10)], [("vendor", 5e10)]), [])]


def covered(rows):
    """How names of ceilings collide in the picture of a machine, and how its legends and texts leave it."""
    drawn = drawing.draw_machine(rows)
    drawn.canvas.draw()
    found = []
    for row, (machine, _, vendor, _) in zip(drawn.subfigs, rows):
        beside = [*row.legends, *row.texts]
        for axes in row.axes:
            named = drawing.labels_of(axes)
            assert len(named) > len(machine.levels) or not axes.get_visible()
            found += labels.problems(axes, named, [("the title", axes.title.get_window_extent())])
            found += ["a legend or text covers an axis" for piece in beside if axes.get_visible() and
                      piece.get_window_extent().overlaps(axes.xaxis.label.get_window_extent())]
        titles = [axes.title for axes in row.axes if axes.get_visible()]
        for one, other in zip(titles, titles[1:]):
            if one.get_window_extent().overlaps(other.get_window_extent()):
                found.append(f"'{one.get_text()}' covers the next title")
        for piece in [*beside, *titles, *(axes.yaxis.label for axes in row.axes if axes.get_visible())]:
            box = piece.get_window_extent()
            if box.x0 < row.bbox.x0 or box.x1 > row.bbox.x1 or box.y0 < row.bbox.y0 or box.y1 > row.bbox.y1:
                found.append(f"{type(piece).__name__} leaves the picture of {machine.name}")
        named = {label.get_text() for label in drawing.labels_of(row.axes[0])}
        assert len(named) == len(machine.levels) + len(drawing.panels_of(machine, vendor, [])[0][3]) + bool(vendor)
    drawing.pyplot().close(drawn)
    return found


for name, rows in pictures_of.items():
    assert not covered(rows), (name, covered(rows))
spread = drawing.spread
drawing.spread = lambda wanted, apart: wanted
assert covered(pictures_of["h200"]) and covered(pictures_of["alike"]), "nothing needed to be moved"
drawing.spread = spread
# The nearest places: three that are equal, none that is too near, and a pair beside one that is not.
assert spread([5, 5, 5], 2) == [3, 5, 7] and spread([0, 3, 6], 2) == [0, 3, 6]
assert spread([0, 10, 11], 3) == [0, 9, 12] and spread([], 1) == []

# The title of a picture counts threads in English.
for threads, counted in ((1, "1 thread"), (2, "2 threads")):
    host = Machine(os.path.join(copy, "machines", "epyc2.json"), "serial")
    host.ceilings["threads"] = threads
    titled = drawing.draw_machine([(host, [], None, [])])
    titles = [piece.get_text() for piece in titled.findobj(type(text))]
    assert any(f", {counted} (serial): " in title for title in titles), titles

# Counters of a run are drawn with its points; those of a label shared by several walks are not assigned.
points = [{**point, "label": "a", "launches": 2}, {**point, "label": "b", "launches": 1},
          {**point, "label": "b", "launches": 1}]
plot.attach(points, {"a": {"launches": 4, "memory": 4e6, "instructions": 8.0}, "b": {"launches": 1}},
            types.SimpleNamespace(issue_rate=1e4))
assert points[0]["counted"] == {"memory": 2e6, "memory_over_model": 2.0, "instructions": 4.0,
                                "of_issue": 0.4}
assert not any("counted" in other for other in points[1:])
for path in glob.glob(f"{copy}/points/*/*.json"):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    name = os.path.basename(os.path.dirname(path))
    assert document["backend"] in plot.backends_of(os.path.join(copy, "machines", f"{name}.json"))
