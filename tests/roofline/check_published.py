"""check_published.py ROOFLINE FOLDER: [Rehmann 2022] figures 10 to 14, against its text."""

import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys

roofline, folder = sys.argv[1:]
if importlib.util.find_spec("matplotlib") is None:
    print("matplotlib is missing")
    sys.exit(4)
shutil.rmtree(folder, ignore_errors=True)
done = subprocess.run([sys.executable, os.path.join(roofline, "published.py"), "--out", folder],
                      capture_output=True, text=True, check=False)
assert done.returncode == 0, done.stderr
assert sorted(os.listdir(folder)) == [f"fig{n}.png" for n in range(10, 15)] + ["published.json"]
with open(os.path.join(folder, "published.json"), encoding="utf-8") as file:
    rows = json.load(file)["rows"]

peaks = {r["roof"]: r["operations_per_second"] for r in rows if r["figure"] == 10}
for count, gflops in ((2, 121.6), (4, 243.2), (8, 486.4)):  # eqs. 9 to 11
    assert math.isclose(peaks[f"np = {count}"], gflops * 1e9)
# "Both the GPU and CPU versions running on Piz Daint are memory bound", on Summit "only ... with 4
# processors", on Alps "after using more than four".
limits = {(r["figure"], r["roof"].split()[-1]): r["limit"] for r in rows if r["part"] == "CPU"}
assert limits == {(10, "2"): "memory", (10, "4"): "memory", (10, "8"): "memory",
                  (12, "2"): "operations", (12, "4"): "memory", (12, "8"): "memory",
                  (14, "2"): "operations", (14, "4"): "operations", (14, "8"): "memory"}
assert all(r["limit"] == "memory" for r in rows if r["part"] == "GPU")

# The lines that are drawn: Piz Daint's memory at one operation per byte gives 68 10^9/s, and roofs
# are level.
sys.path.insert(0, roofline)
import drawing  # noqa: E402
import labels  # noqa: E402  beside this file
import plot  # noqa: E402
import published  # noqa: E402
document = plot.load_json(plot.PEAKS)
machine = next(m for m in document["machines"] if m.get("figure") == 10)
axes = published.draw(machine, document).axes[0]
lines = [(line.get_xdata(), line.get_ydata()) for line in axes.get_lines()]
slanted = [(x, y) for x, y in lines if len(x) == 2 and y[0] != y[1] and x[0] != x[1]]
level = sorted({y[0] for x, y in lines if len(x) == 2 and y[0] == y[1]})
assert all(math.isclose(y[i] / x[i], 68) for x, y in slanted for i in (0, 1)) and slanted
assert [round(v, 6) for v in level] == [121.6, 243.2, 486.4], level
assert any(list(x) == [1.0, 1.0] for x, _ in lines), "count left is not at one operation a byte"
assert axes.get_xscale() == axes.get_yscale() == "log"
for entry in document["machines"]:
    if "figure" in entry:  # nothing covers the name of a ceiling
        figure = published.draw(entry, document)
        figure.canvas.draw()
        axes, = figure.axes
        covered = list(labels.problems(axes, drawing.labels_of(axes), [
            ("the legend", axes.get_legend().get_window_extent()), ("the title", axes.title.get_window_extent())]))
        assert drawing.labels_of(axes) and not covered, covered
    for value in entry.values():
        assert not isinstance(value, dict) or value["source"], "a number without a source"

blocked = os.path.join(folder, "file")
with open(blocked, "w", encoding="utf-8"):
    pass
done = subprocess.run([sys.executable, os.path.join(roofline, "published.py"), "--out", blocked],
                      capture_output=True, text=True, check=False)
assert done.returncode == 2 and done.stderr.count("error:") == 1
