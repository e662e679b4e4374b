"""check_tool.py ROOT: docs/book.py fills pages, draws figures, and refuses what does not exist."""

import json
import math
import pathlib
import re
import sys
import tempfile
from xml.etree import ElementTree

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "docs"))
from bookmaker import BookError, expand, results  # noqa: E402

SOURCE = """int before;
  // [begin piece]
  int here = 1;
  // [begin inner]
    int there;
  // [end inner]
  // [end piece]
// [begin open]
// [begin twice]
a
// [end twice]
// [begin twice]
b
// [end twice]
"""
RESULT = """{"commit": "abc", "keys": ["backend", "n"], "command": "perf/run.py e",
 "panels": [{"x": "n", "y": "seconds", "xscale": "log2", "series": ["backend"], "marks":
  [{"y": 1.0, "label": "equal & <equals>", "reference": true}]}],
 "context": {"started": "2026-01-01T00:00:00Z"},
 "rows": [{"backend": "serial", "n": 1024, "seconds": 0.5}, {"backend": "cuda", "n": 2048,
  "seconds": 0.00123456}], "runs": [
  {"parameters": {"cut": "select"},
   "fom": [{"name": "copy_passes", "value": 28.25}, {"name": "rate", "value": 2e9}]},
  {"parameters": {"cut": "histogram"}, "fom": [{"name": "copy_passes", "value": 44.0}]}]}"""


def refused(text, root, words):
    try:
        expand.expand(text, root)
    except BookError as error:
        assert words in str(error), f"'{error}' does not say '{words}'"
        return
    raise AssertionError(f"was not refused: {text}")


def check_tree_walk(drawing):
    """The target lies in every circle of an opened node and in none of an accepted one."""
    shapes = list(ElementTree.fromstring(drawing).iter())
    of_class = lambda name: [s for s in shapes if s.get("class") == name]  # noqa: E731
    *_, target = of_class("target")
    x, y = map(float, re.findall(r"[\d.]+", target.get("transform")))
    balls = [(kind, math.hypot(float(c.get("cx")) - x, float(c.get("cy")) - y) - float(c.get("r")))
             for kind in ("ball opens", "ball accepts") for c in of_class(kind) if c.get("cx")]
    assert all((beyond > 0) == (kind == "ball accepts") for kind, beyond in balls), balls
    pulls, accepted = of_class("pull"), of_class("cell accepted")
    assert len(pulls) == len(accepted) - 1 > 5, "one interaction per accepted node, besides the legend"
    assert len(of_class("pair")) == len(of_class("near")) > 3, "one per body of searched leaves"


# The example in docs/README.md works.
checkout = pathlib.Path(sys.argv[1])
example = re.search(r"^```\n(<!-- listing .*?)^```$", (checkout / "docs/README.md").read_text("utf-8"),
                    re.DOTALL | re.MULTILINE).group(1)
example += "<!-- provisional results --><!-- end -->"  # required by what the example shows
assert "```cpp" in expand.expand(example, checkout)

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "a.cpp").write_text(SOURCE, encoding="utf-8")
    place = root / "perf/results/m/e"
    place.mkdir(parents=True)
    (place / "abc.json").write_text(RESULT, encoding="utf-8")

    page = "x\n<!-- listing a.cpp piece -->stale<!-- end -->\ny\n"
    filled = expand.expand(page, root)
    assert "\n```cpp\nint here = 1;\n  int there;\n```\n" in filled, filled
    assert "stale" not in filled and "[begin" not in filled
    assert expand.expand(filled, root) == filled, "filling twice changes the page"
    assert expand.without_comments(filled).count("<!--") == 0

    field = "runs[parameters.cut=select].fom[name=copy_passes].value"
    line = f"takes <!-- result m/e {field} .1f -->?<!-- end --> passes"
    assert expand.expand(line, root).endswith("-->28.2<!-- end --> passes")
    assert results.field(results.load(root, "m/e/abc"), "runs[1].fom[0].value") == 44.0
    (place / "def.json").write_text(
        RESULT.replace("2026", "2027").replace("28.25", "7.0"), encoding="utf-8")
    assert "-->7.0<" in expand.expand(line, root), "the newest result is not taken"
    assert expand.expand(line.replace("m/e ", "m/e/abc "), root).count("28.2") == 1

    table = "<!-- table rows m/e n>=2000 on:backend n:n:size time_(ms):seconds:ms --><!-- end -->"
    assert "| on | n | time (ms) |\n| --- | --- | --- |\n| cuda | 2^11 | 1.23 |\n" in expand.expand(
        table, root)
    refused(table.replace("n>=2000", "n=1"), root, "no row")
    refused(table.replace(":backend", ":nothing"), root, "have no 'nothing'")
    refused(table.replace(":ms", ":yards"), root, "no format 'yards'")

    (place / "one.json").write_text("""{"context": {"started": "2025-01-01"}, "rows": [
        {"of": "a", "by": "x", "s": 8}, {"of": "a", "by": "x", "s": 9},
        {"of": "a", "by": "y", "s": 4},
        {"of": "b", "by": "x", "s": 8}, {"of": "b", "by": "y", "s": 1}]}""", encoding="utf-8")
    (place / "two.json").write_text("""{"context": {"started": "2025-01-01"}, "rows": [
        {"of": "b", "by": "x", "s": 1}, {"of": "b", "by": "y", "s": 1},
        {"of": "c", "by": "x", "s": 1}, {"of": "c", "by": "y", "s": 2}]}""", encoding="utf-8")
    # a: 8 / 4, b: 8 / 1 of the first file, c: 1 / 2 of the second
    for statistic, value in [("mean", "2.00"), ("least", "0.50"), ("greatest", "8.00"),
                             ("cases", "3.00"), (">=1", "2.00"), ("<=2", "2.00")]:
        line = f"in <!-- ratio m/e/one+two of s by=x by=y {statistic} .2f --><!-- end --> of"
        assert f"-->{value}<" in expand.expand(line, root), statistic
    refused(line.replace("by=x", "by=z"), root, "no case")
    refused(line.replace("<=2", "median"), root, "no statistic 'median'")
    refused(line.replace(" .2f", ""), root, "a ratio needs")

    # Without results the aims alone; with two, the mini-app before and now, and the fastest peer of each name.
    (root / "perf/experiments").mkdir()
    (root / "perf/experiments/hosts.toml").write_text(
        "[published]\nat_least = { w = 2 }\nat_most_seconds = { g = { avx2 = 3.5, sse = 9 } }\n", encoding="utf-8")
    table = "<!-- table hosts --><!-- end -->"
    assert "|  | at least 2 |\n| g |  |  |  |  |  |  | at most 3.5 s (avx2), 9 s (sse) |\n" in expand.expand(table, root)
    (root / "perf/results/m/hosts").mkdir()
    for year, seconds in (("2025", 8), ("2026", 4)):
        (root / f"perf/results/m/hosts/{year}.json").write_text(json.dumps(
            {"context": {"started": f"{year}-01-01"}, "rows": [
                {"work": "w", "by": by, "seconds": s, "peer": by not in ("fof", "copse"), "over_copse": s / 2}
                for by, s in (("fof", seconds), ("copse", 2), ("arborx", 6), ("arborx_dense_box", 12),
                              ("nanoflann", 9))]}), encoding="utf-8")
    filled = expand.expand(table, root)
    assert "| w | m | 8.00 | 4.00 | ArborX | 6.00 | 3.0 | at least 2 |\n" in filled and "12.0" not in filled, filled
    assert "| w | m | 8.00 | 4.00 | nanoflann | 9.00 | 4.5 | at least 2 |\n" in filled, filled

    (root / "roofline/points/m").mkdir(parents=True)
    (root / "roofline/counters/m").mkdir(parents=True)
    (root / "roofline/points/m/r.json").write_text("""{"app": "orb", "parameters": {},
        "input": {"source": "uniform seed 42", "particles": 3000000}, "points": [
        {"label": "k", "share": 0.25, "of_bound": 0.5, "binding": "L1", "launches": 2,
         "memory": 4e9, "L2": 6e9, "seconds": 0.0025},
        {"label": "small", "share": 0.01, "of_bound": 1, "binding": "L1", "launches": 1}]}""",
                                                    encoding="utf-8")
    (root / "roofline/counters/m/r.json").write_text("""{"kernels": {"k": {"launches": 4,
        "memory": 1.2e10, "L2": 1.2e10, "L1": 4e10, "flops": 0, "instructions": 8e9}}}""",
                                                      encoding="utf-8")
    line = "takes <!-- result roofline/points/m/r points[label=k].{} --><!-- end --> ms"
    assert "-->2.50<" in expand.expand(line.format("seconds m.2f"), root)
    assert "-->50<" in expand.expand(line.format("of_bound %.0f"), root)
    assert "-->4e+09<" in expand.expand(line.format("memory .0e"), root)
    refused(line.format("label m.2f"), root, "cannot be written")
    refused(line.format("seconds").replace("m/r", "m/none"), root, "no file roofline/points/m/none")
    table = "<!-- table points m/r --><!-- end -->"
    assert "| orb | uniform, 3 10^6 particles | `k` | 25 % | L1 | 50 % |\n\n" in expand.expand(
        table, root)
    table = "<!-- table counters m/r --><!-- end -->"
    assert "| r | `k` | 3.00 | 2.00 | 3.00 | 3.00 | 10.0 |  |  |  | 2.00 |" in \
        expand.expand(table, root)
    points = (root / "roofline/points/m/r.json").read_text(encoding="utf-8")
    (root / "roofline/points/m/s.json").write_text(points, encoding="utf-8")
    (root / "roofline/counters/m/s.json").write_text('{"kernels": {"other": {"launches": 1}}}',
                                                      encoding="utf-8")
    refused(table.replace("m/r", "m/s"), root, "no kernel of m/s")

    page, drawn = "<!-- figure m/e seconds -->stale<!-- end -->", {}
    filled = expand.expand(page, root, "docs", drawn)
    (name, drawing), = drawn.items()
    assert name == "docs/figures/m-e-seconds.svg", name
    assert "](figures/m-e-seconds.svg)" in filled and "stale" not in filled, filled
    assert "commit abc" in filled and "`perf/run.py e`" in filled, filled
    assert "](../docs/figures/m-e-seconds.svg)" in expand.expand(page, root, "roofline")
    assert expand.expand(filled, root) == filled, "filling twice changes the page"
    svg = ElementTree.fromstring(drawing)
    marks = [g for g in svg.iter("{http://www.w3.org/2000/svg}g") if g.get("class") == "mark"]
    assert len(marks) == 4, "two points and the marks of two names"
    assert "var(" not in drawing and "data-" not in drawing and 'fill="#ffffff"' in drawing
    drawing = drawing.partition("</style>")[2]
    assert "equal &amp; &lt;equals&gt; (1.00" in drawing and "published" not in drawing
    expand.expand(page.replace("seconds", "1 backend=cuda"), root, "docs", drawn)
    assert len(drawn) == 2, "a figure of some of the rows is another one"
    refused(page.replace("seconds", "joules"), root, "0 panels of 'joules'")
    refused(page.replace("seconds", "seconds n=7"), root, "nothing to draw")
    refused(page.replace("m/e", "m/none"), root, "no result m/none")
    refused(page.replace(" seconds", ""), root, "a figure needs")

    page, drawn = "<!-- drawing tree_walk -->stale<!-- end -->", {}
    filled = expand.expand(page, root, "docs", drawn)
    (name, drawing), = drawn.items()
    assert name == "docs/figures/tree_walk.svg" and "](figures/tree_walk.svg)" in filled, filled
    assert expand.expand(filled, root, "docs", {}) == filled, "filling twice changes the page"
    check_tree_walk(drawing)
    refused(page.replace("tree_walk", "nothing"), root, "no drawing 'nothing'")
    refused(page.replace("tree_walk", "tree_walk more"), root, "a drawing needs")

    fence = "```\n<!-- listing no.cpp no --><!-- end -->\n```\n"
    assert expand.expand(fence, root) == fence, "an example in a fence is not for filling"

    refused("<!-- listing b.cpp piece --><!-- end -->", root, "no file b.cpp")
    refused("<!-- listing a.cpp absent --><!-- end -->", root, "0 pieces")
    refused("<!-- listing a.cpp open --><!-- end -->", root, "open")
    refused("<!-- listing a.cpp twice --><!-- end -->", root, "2 pieces")
    refused("<!-- listing a.cpp piece -->", root, "no '<!-- end -->'")
    refused("<!-- listing a.cpp piece --><!-- table x --><!-- end -->", root, "has no end")
    refused("<!-- result m/none commit --><!-- end -->", root, "no result m/none")
    refused("<!-- result m/e nothing --><!-- end -->", root, "nothing")
    refused("<!-- result m/e runs[parameters.cut=x].fom --><!-- end -->", root, "0 have")
    refused("<!-- result m/e runs[9].fom --><!-- end -->", root, "runs[9]")
    refused("<!-- result m/e runs --><!-- end -->", root, "runs")
    refused("<!-- table nonsense --><!-- end -->", root, "no table 'nonsense'")
    refused("<!-- table versions none --><!-- end -->", root, "no machine")

    ranked = root / "perf/results/m/ranked"
    ranked.mkdir()
    (ranked / "abc.json").write_text("""{"context": {"started": "2025-01-01"}, "rows": [
        {"backend": "serial", "ranks": 2, "version": "1_a", "fastest": 0.004},
        {"backend": "serial", "ranks": 2, "version": "2_b", "fastest": 0.002},
        {"backend": "serial", "ranks": 1, "version": "1_a", "fastest": 0.008}]}""",
                                     encoding="utf-8")
    table = expand.expand("<!-- table versions ranked --><!-- end -->", root)
    assert "| version | ms (serial, 1 rank, m) | gain | ms (serial, 2 ranks, m) | gain |" in table
    assert "| 2 b |  |  | 2.00 | 2.00 |" in table, table
