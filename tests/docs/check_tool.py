"""check_tool.py ROOT: docs/book.py fills pages, draws figures, and refuses what does not exist."""

import json
import pathlib
import re
import sys
import tempfile
from xml.etree import ElementTree

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "docs"))
from bookmaker import BookError, expand, numbers, peaks, results, tables, typography  # noqa: E402

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


def number(source, root):
    """The text of a number that a sentence has."""
    kind, _, arguments = source.partition(" ")
    return expand.NUMBERS[kind](arguments.split(), root)


def no_number(source, root, words):
    try:
        number(source, root)
    except BookError as error:
        assert words in str(error), f"'{error}' does not say '{words}'"
        return
    raise AssertionError(f"was not refused: {source}")


def check_sentences(root):
    """Numbers are written into sentences, whatever their line breaks; unknown sentences are refused."""
    (root / "docs").mkdir(exist_ok=True)
    (root / "docs/a.md").write_text("", encoding="utf-8")

    def listed(says, *sources):
        (root / numbers.FILE).write_text(f'[["docs/a.md"]]\nsays = {json.dumps(says)}\nfrom = '
                                         f"{json.dumps(sources)}\n", encoding="utf-8")

    def filled(text):
        try:
            return numbers.filled("docs/a.md", text, root, expand.NUMBERS)
        except BookError as error:
            return str(error)

    field = "result m/e runs[1].fom[0].value"
    listed("takes {} passes, or {} %", f"{field} .1f", f"{field} %.0f")
    assert filled("It takes 1.5\npasses,\nor 7 %.") == "It takes 44.0\npasses,\nor 4400 %."
    assert "0 times" in filled("It takes 44.0 steps, or 4400 %.")
    assert "2 times" in filled("takes 1 passes, or 2 %; takes 1 passes, or 2 %")
    listed("takes {} passes", f"{field} .1f", f"{field} .1f")
    assert "not as many" in filled("takes 1 passes")
    (root / "docs/a.md").unlink()
    assert "no page docs/a.md" in filled("takes 1 passes")


def refused(text, root, words):
    try:
        expand.expand(text, root)
    except BookError as error:
        assert words in str(error), f"'{error}' does not say '{words}'"
        return
    raise AssertionError(f"was not refused: {text}")


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
    example = "```\n<!-- table a -->\n<!-- end -->\n```\n"
    assert expand.without_comments(example) == example

    field = "runs[parameters.cut=select].fom[name=copy_passes].value"
    assert number(f"result m/e {field} .1f", root) == "28.2"
    assert results.field(results.load(root, "m/e/abc"), "runs[1].fom[0].value") == 44.0
    (place / "def.json").write_text(
        RESULT.replace("2026", "2027").replace("28.25", "7.0"), encoding="utf-8")
    assert number(f"result m/e {field} .1f", root) == "7.0", "the newest result is not taken"
    assert number(f"result m/e/abc {field} .1f", root) == "28.2"

    table = "<!-- table rows m/e n>=2000 on:backend n:n:size time_(ms):seconds:ms --><!-- end -->"
    assert "| on | n | time (ms) |\n| --- | --- | --- |\n| cuda | 2^11 | 1.23 |\n" in expand.expand(
        table, root)
    assert "| machine | time |\n| --- | --- |\n| `m` | 1.23 |\n" in expand.expand(
        "<!-- table everywhere e n>=2000 time:seconds:ms --><!-- end -->", root)
    assert "Not measured yet" in expand.expand("<!-- table everywhere none - time:seconds:ms --><!-- end -->", root)
    refused("<!-- table everywhere e n=1 time:seconds:ms --><!-- end -->", root, "no row")
    refused("<!-- table everywhere e - time:nothing:ms --><!-- end -->", root, "have no 'nothing'")
    refused(table.replace("n>=2000", "n=1"), root, "no row")
    refused(table.replace(":backend", ":nothing"), root, "have no 'nothing'")
    refused(table.replace(":ms", ":yards"), root, "no format 'yards'")
    ordered = expand.expand("<!-- table rows m/e - n:n:count +s:seconds:ms --><!-- end -->", root)
    assert ordered.index("| 2,048 | 1.23 |") < ordered.index("| 1,024 | 500 |"), ordered

    table = "<!-- table ladder m/e - backend:serial,cuda ms:seconds:ms --><!-- end -->"
    assert "| backend | ms | gain |\n| --- | --- | --- |\n| `serial` | 500 |  |\n| `cuda` | 1.23 | 405 |\n" in (
        expand.expand(table, root))
    refused(table.replace("cuda", "rocm"), root, "has backend rocm")
    table = "<!-- table pivot m/e - of_n:n:size backend serial,cuda seconds:ms --><!-- end -->"
    assert "| of n | serial | cuda |\n| --- | --- | --- |\n| 2^10 | 500 |  |\n| 2^11 |  | 1.23 |\n" in expand.expand(
        table, root)
    refused(table.replace(" - ", " n=1 "), root, "no row")

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
        assert number(f"ratio m/e/one+two of s by=x by=y {statistic} .2f", root) == value, statistic
    source = "ratio m/e/one+two of s by=x by=y mean"
    no_number(source.replace("by=x", "by=z") + " .2f", root, "no case")
    no_number(source.replace("mean", "median") + " .2f", root, "no statistic 'median'")
    no_number(source, root, "a ratio needs")

    # Without results the aims alone, with one no column "before"; with two, the mini-app before and now, and the fastest peer of each name.
    (root / "perf/experiments").mkdir()
    (root / "perf/experiments/hosts.toml").write_text(
        "[published]\nat_least = { w = 2 }\nat_most_seconds = { g = { avx2 = 3.5, sse = 9 } }\n", encoding="utf-8")
    table = "<!-- table hosts --><!-- end -->"
    assert "|  | at least 2 |\n| g |  |  |  |  | at most 3.5 s (avx2), 9 s (sse) |\n" in expand.expand(table, root)
    (root / "perf/results/m/hosts").mkdir()
    for year, seconds in (("2025", 8), ("2026", 4)):
        (root / f"perf/results/m/hosts/{year}.json").write_text(json.dumps(
            {"context": {"started": f"{year}-01-01"}, "rows": [
                {"work": "w", "by": by, "seconds": s, "peer": by not in ("fof", "copse"), "over_copse": s / 2}
                for by, s in (("fof", seconds), ("copse", 2), ("arborx", 6), ("arborx_dense_box", 12),
                              ("nanoflann", 9))] + [
                {"work": "without an aim", "by": by, "seconds": s, "peer": by != "copse", "over_copse": s / 3}
                for by, s in (("copse", 3), ("arborx_mst", 15))]}), encoding="utf-8")
    filled = expand.expand(table, root)
    assert "| w | ArborX | 8.00 | 4.00 | 6.00 | 3.0 | at least 2 |\n" in filled and "12.0" not in filled, filled
    assert "| w | nanoflann | 8.00 | 4.00 | 9.00 | 4.5 | at least 2 |\n" in filled, filled
    assert "| without an aim | ArborX |  | 3.00 | 15.0 | 5.0 |  |\n" in filled, filled

    # Beside other programs: the suite of the same run, the fastest program of a library, no program at all.
    for name, rows in (("a", [("w", "fof", 9, 0), ("w", "copse", 2, 1), ("w", "copse", 3, 2), ("w", "arborx", 6, 2),
                              ("w", "arborx_dense_box", 12, 2)]),
                       ("b", [("w", "copse", 5, 0), ("w", "arborx", 10, 0), ("v", "orb", 7, 1), ("v", "fof", 8, 1)])):
        (root / f"perf/results/{name}/hosts").mkdir(parents=True)
        (root / f"perf/results/{name}/hosts/1.json").write_text(json.dumps(
            {"context": {"started": "2026-01-01"}, "rows": [
                {"work": work, "by": by, "seconds": s, "run": run, "peer": "arborx" in by, "over_copse": s / 4}
                for work, by, s, run in rows]}), encoding="utf-8")
    filled = expand.expand("<!-- table beside hosts a b --><!-- end -->", root)
    assert "| w | ArborX | 3.00 | 6.00 | 1.5 | 5.00 | 10.0 | 2.5 |\n| v |  |  |  |  | 7.00 |  |  |\n" in filled, filled

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
    for field, value in (("seconds m.2f", "2.50"), ("of_bound %.0f", "50"), ("memory .0e", "4e9")):
        assert number(f"result roofline/points/m/r points[label=k].{field}", root) == value
    no_number("result roofline/points/m/r points[label=k].label m.2f", root, "cannot be written")
    no_number("result roofline/points/m/none seconds", root, "no file roofline/points/m/none")
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

    # A copy of 1000 numbers at 8 GB/s takes 1 us; CUDA has no ceiling here.
    (root / "roofline/machines").mkdir()
    (root / "roofline/machines/m.json").write_text("""{"results": {"ceilings": [{"backend": "serial",
        "levels": [{"name": "memory", "bytes_per_second": {"copy": 8e9}}]}]}}""", encoding="utf-8")
    (root / "perf/results/m/lab").mkdir()
    (root / "perf/results/m/lab/abc.json").write_text("""{"context": {"started": "2025"}, "rows": [
        {"backend": "serial", "v": 1, "particles": 1000, "seconds": 9e-6, "fastest": 3e-6},
        {"backend": "cuda", "v": 1, "particles": 1000, "seconds": 1e-6},
        {"backend": "serial", "v": 2, "particles": 1000, "seconds": 1e-6}]}""", encoding="utf-8")
    table = "<!-- table copy_passes lab v=1 1 --><!-- end -->"
    filled = expand.expand(table, root)
    assert "| serial | m | 1,000 | 0.00300 | 3.00 |\n\n" in filled and "cuda" not in filled, filled
    filled = expand.expand(table.replace("copy_passes lab v=1 1", "queries lab v=1"), root)
    assert "| cuda | m | 1,000 | 0.00100 | 1e9 |\n" in filled and "1.11e8" in filled, filled
    refused(table.replace("v=1", "v>=1"), root, "several rows of lab")
    refused(table.replace("v=1", "v=3"), root, "no row of lab")

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
    assert "var(" not in drawing and "data-" not in drawing and "prefers-color-scheme: dark" in drawing
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
    assert "prefers-color-scheme: dark" in drawing and "<title>" in drawing
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
    check_sentences(root)
    no_number("result m/none commit", root, "no result m/none")
    no_number("result m/e nothing", root, "nothing")
    no_number("result m/e runs[parameters.cut=x].fom", root, "0 have")
    no_number("result m/e runs[9].fom", root, "runs[9]")
    no_number("result m/e runs", root, "runs")
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

    labelled = root / "perf/results/m/labelled"
    labelled.mkdir()
    (labelled / "abc.json").write_text("""{"context": {"started": "2025-01-01"}, "rows": [
        {"variant": "sphere, by work", "of": "a, b"}, {"variant": "sphere, by number", "of": "c"}]}""",
                                       encoding="utf-8")
    table = expand.expand("<!-- table rows m/labelled - variant of --><!-- end -->", root)
    assert "| by work | a, b |" in table and "| by number | c |" in table, table

assert [tables.two_places(x) for x in (0, 0.0123, 0.957, 1.004, 37.02, 1532.2)] == ["0", "0.01", "0.96", "1.00", "37.0", "1,530"]
for written, shown in {
        "3.6\nms, 61 Tflop/s, 4.3 J": "3.6&nbsp;ms, 61&nbsp;Tflop/s, 4.3&nbsp;J",
        "3.8 x 10^12 x 2": "3.8&nbsp;× 10<sup>12</sup>&nbsp;× 2",
        "L - |d|, 2 d - 1, 4 / (d + h - t)": "L&nbsp;− |d|, 2&nbsp;d&nbsp;− 1, 4 / (d + h&nbsp;− t)",
        "rows of x - not of y": "rows of x - not of y",
        "log2 P, B_G = 7, sqrt(3)": "log<sub>2</sub> P, B<sub>G</sub>&nbsp;=&nbsp;7, √3",
        "<code>a_b/segmented_partition.hpp</code>": "<code>a_b/<wbr>segmented_partition.hpp</code>",
        "<code>run.py --set n=65536,262144,1048576</code>":
            '<code>run.py <span class="piece">--set</span> n=65536,<wbr>262144,<wbr>1048576</code>',
        f"<code>{'a_' * 20}b</code>": f"<code>{'a_<wbr>' * 20}b</code>"}.items():
    assert typography.with_kind_breaks(written) == shown, typography.with_kind_breaks(written)
command = '<div class="language-sh highlight"><pre><code>a<span> </span>--b-c<span> </span></code></pre></div>'
assert typography.with_whole_words(command).count('<span class="piece">--b-c</span>') == 1
assert "piece" not in typography.with_whole_words(command.replace("b-c", 20 * "b-c")), "a long word breaks"
assert "piece" not in typography.with_whole_words(command.replace("-sh", "-cpp")), "only commands"

# Flops of a row: counted, those counted of the same steps elsewhere, or 7.2 pairs of 6 and a move of 8.
row = {"method": "microblocks", "particles": 1000, "steps": 10, "seconds": 2.0, "backend": "serial"}
assert peaks.flops(checkout, {**row, "mflops": 3.0}, []) == 6e6
assert peaks.flops(checkout, row, [{**row, "steps": 9, "mflops": 4.0}, {**row, "seconds": 1.0, "mflops": 5.0}]) == 5e6
assert abs(peaks.flops(checkout, row, []) / (10000 * (7.2 * 6 + 8)) - 1) < 1e-12
