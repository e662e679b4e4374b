"""check_walk_page.py ROOT [FOLDER]: the page of a walk, in a headless browser.

Without a browser only its parts are checked and the test exits with 4, which ctest reports as skipped.
With FOLDER, screenshots are saved there.
"""

import json
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
sys.dont_write_bytecode = True
sys.path[:0] = [str(root / "docs"), str(root / "tests/perf")]
import browser  # noqa: E402
from bookmaker.concepts import example  # noqa: E402

page_file = root / "docs/walk.html"
text = page_file.read_text(encoding="utf-8")
assert not re.search(r"(src|href)=\"(http|//)|@import|url\(", text), "the page needs another file"
data = json.loads(re.search(r"const DATA = (\{.*?\});\n", text, re.DOTALL)[1])
for order, kept in data["orders"].items():
    assert [["".join("01"[c != "."] for c in frame["l"])] for frame in kept["walks"]["lockstep"]] == [
        [lanes] for _, lanes in example.traces()[order]], f"{order} is not the recorded walk"
if browser.find() is None:
    print(f"no browser is installed: one of {', '.join(browser.NAMES)} is needed")
    sys.exit(4)


def click(page, name):
    page.evaluate(f"document.getElementById('{name}').click()")


def choose(page, name, value):
    page.evaluate(f"(() => {{ const e = document.getElementById('{name}'); e.value = '{value}'; "
                  "e.dispatchEvent(new Event('change')); })()")


def words(page):
    return page.evaluate("document.getElementById('words').textContent")


def count(page, selector):
    return page.evaluate(f"document.querySelectorAll('{selector}').length")


def follow(page, order, name):
    """Every step shows the words, stack and lanes of its frame."""
    choose(page, "order", order)
    choose(page, "walk", name)
    frames = data["orders"][order]["walks"][name]
    for step in sorted({0, 1, len(frames) // 2, len(frames) - 1}):
        page.evaluate(f"(() => {{ const e = document.getElementById('step'); e.value = {step}; "
                      "e.dispatchEvent(new Event('input')); })()")
        frame = frames[step]
        assert words(page) == frame["w"], (name, step)
        shown = page.evaluate("[...document.querySelectorAll('#stack b')].map((b) => Number(b.textContent))")
        assert shown == frame["s"][::-1], (name, step, shown)
        assert count(page, "#lanes .cell") == 16 * (step + 1)
        assert count(page, "#tree .now") == len({n for n in frame["n"] if n}), (name, step)
        assert count(page, "#space .ball.on") == sum(c != "." for c in frame["l"])


def keys_and_buttons(page):
    choose(page, "walk", "lockstep")
    frames = data["orders"]["tree order"]["walks"]["lockstep"]
    click(page, "next")
    click(page, "next")
    click(page, "previous")
    assert words(page) == frames[1]["w"]
    page.evaluate("document.activeElement.blur()")
    page.key("ArrowRight")
    assert words(page) == frames[2]["w"]
    click(page, "play")
    page.evaluate("new Promise((done) => setTimeout(done, 700))")
    click(page, "play")
    assert page.evaluate("document.getElementById('play').textContent") == "play"
    assert int(page.evaluate("document.getElementById('step').value")) > 2, "play does not go on"


with browser.Browser() as opened:
    for width, dark in ((1200, False), (360, True)):
        shown = opened.open(f"file://{page_file}", width, 800, dark=dark)
        for order, kept in data["orders"].items():
            for name in kept["walks"]:
                follow(shown, order, name)
        keys_and_buttons(shown)
        assert shown.evaluate("document.documentElement.scrollWidth") <= width, "wider than the screen"
        assert not shown.complaints(), shown.complaints()
        assert set(shown.requests()) == {f"file://{page_file}"}, shown.requests()
        if len(sys.argv) > 2:
            shown.screenshot(f"{sys.argv[2]}/walk-{width}.png", whole=True)
