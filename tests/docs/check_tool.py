"""check_tool.py ROOT: docs/book.py fills pages, and refuses what does not exist."""

import pathlib
import sys
import tempfile

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
RESULT = """{"commit": "abc", "context": {"started": "2026-01-01T00:00:00Z"},
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
