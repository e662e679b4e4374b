"""check_report_browser.py PERF FOLDER: the page of results in a headless browser.

The test simulates mouse, touch and keyboard, and compares what the page then shows
with the fixture. Exits with 4, which ctest reports as skipped, if there is no browser.
"""

import os
import re
import shutil
import subprocess
import sys

perf, folder = sys.argv[1:]
sys.dont_write_bytecode = True
import browser  # noqa: E402  pylint: disable=wrong-import-position
import report_fixture  # noqa: E402  pylint: disable=wrong-import-position

if browser.find() is None:
    print(f"no browser is installed: one of {', '.join(browser.NAMES)} is needed")
    sys.exit(4)
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)


def build(name, results, *more):
    path = os.path.abspath(os.path.join(folder, name))
    subprocess.run([sys.executable, os.path.join(perf, "report.py"), "--results", results, "--out",
                    path, *more], check=True, capture_output=True)
    return f"file://{path}"


def clean(page, url):
    """The page has no errors and requested only itself."""
    assert not page.complaints(), page.complaints()
    assert set(page.requests()) == {url}, page.requests()


def middle(page, expression):
    """Where an element is on the screen, after scrolling to it."""
    return page.evaluate(f"""(() => {{
        const e = {expression};
        e.scrollIntoView({{block: "center"}});
        const b = e.getBoundingClientRect();
        return [b.x + b.width / 2, b.y + b.height / 2]; }})()""")


def one(selector):
    return f"document.querySelector({selector!r})"


def ticks(page, figure):
    return page.evaluate(
        f"[...document.querySelectorAll('{figure} .tick')].map((t) => t.textContent)")


def tip(page, figure):
    return page.evaluate(f"(() => {{ const t = {one(figure + ' .tip')}; "
                         "return t.hidden ? '' : t.innerText; })()")


def click(page, x, y, count=1):
    page.mouse("mousePressed", x, y, clickCount=count)
    page.mouse("mouseReleased", x, y, clickCount=count)


FIGURE = "#scaling-figure-1"
ALPHA_CUDA = FIGURE + " .mark[data-y='0.0025']"
TABLE = "#scaling .table table"


def check_hostile(page):
    assert page.evaluate("document.querySelectorAll('img, script').length") == 1, "its own script"
    lead = page.evaluate(one("#scaling .lead") + ".textContent")
    assert lead == "Scaling of " + report_fixture.HOSTILE, lead


def check_sorting(page):
    """Seconds are sorted ascending, then descending, then in the original order; also by keyboard."""
    headers = page.evaluate(
        f"[...document.querySelectorAll('{TABLE} thead th')].map((h) => h.innerText)")
    column = next(i for i, h in enumerate(headers) if h.strip() == "seconds")
    cells = (f"[...document.querySelectorAll('{TABLE} tbody tr')]"
             f".map((r) => Number(r.cells[{column}].dataset.value))")
    given = page.evaluate(cells)
    assert given == [s for key in SHOWN for s in report_fixture.SECONDS[key]], given
    header = f"document.querySelectorAll('{TABLE} thead th')[{column}]"
    click(page, *middle(page, header + ".querySelector('button')"))
    assert page.evaluate(cells) == sorted(given)
    assert page.evaluate(header + ".getAttribute('aria-sort')") == "ascending"
    page.key("Enter")
    assert page.evaluate(cells) == sorted(given, reverse=True), "keyboard"
    assert page.evaluate(header + ".getAttribute('aria-sort')") == "descending"
    page.key("Enter")
    assert page.evaluate(cells) == given
    assert not page.evaluate(f"{header}.hasAttribute('aria-sort')")
    # A missing value stays last in both directions.
    nodes = "[...document.querySelectorAll('#variants .table tbody tr')].map((r) => r.innerText)"
    for _ in range(2):
        page.evaluate("[...document.querySelectorAll('#variants thead button')]"
                      ".find((b) => b.innerText.startsWith('nodes')).click()")
        assert page.evaluate(nodes)[-1].startswith("fsm"), page.evaluate(nodes)


# beta, and gamma, delta and epsilon with its seconds.
SHOWN = (("alpha", "openmp"), ("alpha", "cuda"), *[("beta", "openmp")] * 4)


def check_pointing(page):
    """Value, case, machine, commit and command of the point under the mouse or with the focus."""
    x, y = middle(page, one(ALPHA_CUDA))
    page.mouse("mouseMoved", x + 4, y + 3, button="none")
    said = tip(page, FIGURE)
    for part in ("2.50 ms", "samples from 2.25 ms to 3.00 ms", "2¹⁴ particles", "cuda", "alpha",
                 "commit bbbbbbb", "2026-01-09",
                 "OMP_NUM_THREADS=2 bin/orb --particles 16384 --backend cuda"):
        assert part in said, (part, said)
    page.mouse("mouseMoved", 2, 2, button="none")
    assert tip(page, FIGURE) == ""
    click(page, x, y)
    assert "How it was measured" in tip(page, FIGURE), "a click pins"
    page.evaluate(one(FIGURE + " .chart") + ".focus()")
    page.key("Escape")
    assert tip(page, FIGURE) == ""
    page.key("ArrowRight")
    first = tip(page, FIGURE)
    page.key("ArrowRight")
    assert first and tip(page, FIGURE) not in ("", first), "arrows walk along the series"
    page.key("Escape")


# The scroll position once the page rests.
STILL = """(async () => { const start = scrollY; let last = start, same = 0;
    for (let i = 0; i < 120 && (last === start || same < 3); ++i) {
      await new Promise((done) => setTimeout(done, 16));
      same = scrollY === last ? same + 1 : 0; last = scrollY; }
    return last; })()"""


def check_zooming(page):
    """A drag, the wheel with Ctrl, keys and buttons change the axes; a double click restores."""
    home = ticks(page, FIGURE)
    x, y = middle(page, one(ALPHA_CUDA))

    def restore():
        click(page, x, y, 1)
        click(page, x, y, 2)
        page.key("Escape")
        assert ticks(page, FIGURE) == home, "a double click restores"

    page.mouse("mousePressed", x - 60, y - 40, clickCount=1)
    page.mouse("mouseMoved", x + 60, y + 40, buttons=1)
    assert page.evaluate(f"document.querySelectorAll('{FIGURE} .band').length") == 1
    page.mouse("mouseReleased", x + 60, y + 40, clickCount=1)
    assert ticks(page, FIGURE) != home, "drag"
    inside = page.evaluate(f"""(() => {{
        const c = {one(FIGURE + ' .plane')}.getBoundingClientRect();
        const m = {one(ALPHA_CUDA)}.getBoundingClientRect();
        return c.x < m.x && m.right < c.right && c.y < m.y && m.bottom < c.bottom; }})()""")
    assert inside, "what was dragged over fills the plane"
    restore()
    page.evaluate("document.activeElement.blur()")
    before = page.evaluate("scrollY")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240)
    assert page.evaluate(STILL) < before, "the wheel alone scrolls the page"
    assert ticks(page, FIGURE) == home
    x, y = middle(page, one(ALPHA_CUDA))
    scrolled = page.evaluate("scrollY")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240, modifiers=2)
    assert ticks(page, FIGURE) != home and page.evaluate("scrollY") == scrolled, "wheel with Ctrl"
    restore()
    page.evaluate(one(FIGURE + " .chart") + ".focus()")
    page.key("+")
    assert ticks(page, FIGURE) != home, "key"
    page.key("0")
    assert ticks(page, FIGURE) == home
    page.evaluate(one(FIGURE + " .tools button") + ".click()")
    assert ticks(page, FIGURE) != home, "button"
    page.evaluate(one(FIGURE + " .tools button:last-child") + ".click()")
    assert ticks(page, FIGURE) == home


def check_legend(page):
    """A name in the legend hides its series and shows it again."""
    seen = f"{one(ALPHA_CUDA)}.getBoundingClientRect().width > 0"
    name = (f"[...document.querySelectorAll('{FIGURE} .legend button')]"
            ".find((b) => b.innerText === 'alpha, cuda')")
    for shown in (False, True):
        click(page, *middle(page, name))
        assert page.evaluate(seen) == shown
        assert page.evaluate(name + ".getAttribute('aria-pressed')") == str(shown).lower()


def check_links(page):
    """Every link leads to an element of the page; that of a row to the command of its run."""
    lost = page.evaluate("[...document.links].filter((a) => !document.getElementById("
                         "decodeURIComponent(a.hash.slice(1)))).map((a) => a.outerHTML)")
    assert not lost, lost
    row = f"document.querySelectorAll('{TABLE} tbody tr')[4]"
    told = page.evaluate(
        f"document.querySelector({row}.querySelector('td:last-child a').hash).textContent")
    assert "bin/orb --particles 16384 --backend cuda" in told, told


def check_fingers(page):
    """Two fingers moving apart zoom; a tap shows a point's description."""
    home = ticks(page, FIGURE)
    x, y = middle(page, one(ALPHA_CUDA))
    page.touch("touchStart", [(x, y)])
    page.touch("touchEnd", [])
    assert "2.50 ms" in tip(page, FIGURE), tip(page, FIGURE)
    page.touch("touchStart", [(x - 20, y), (x + 20, y)])
    page.touch("touchMove", [(x - 60, y), (x + 60, y)])
    page.touch("touchEnd", [])
    assert ticks(page, FIGURE) != home, "pinch"


def check_static(page, source):
    """Charts and tables are shown without the script, and the script lays charts out exactly as Python."""
    assert page.evaluate("document.querySelectorAll('button').length") == 0
    for selector in (FIGURE + " .tick", FIGURE + " .mark title", TABLE + " tbody tr"):
        assert page.evaluate(f"document.querySelectorAll({selector!r}).length") >= 3, selector
    names = re.findall(r'<figure class="plot" id="([^"]+)"', source)
    return {name: ticks(page, "#" + name) for name in names}


def check_accessible(page):
    """Headings descend step by step, buttons and charts have names, tables captions."""
    levels = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((h) => +h.tagName[1])")
    assert levels[0] == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:])), levels
    nameless = page.evaluate("""[...document.querySelectorAll('button, .chart, .mark, table')]
        .filter((e) => !(e.getAttribute('aria-label') || e.caption?.textContent || e.textContent.trim())
        && e.closest('.key') === null).map((e) => e.outerHTML)""")
    assert not nameless, nameless
    twice = page.evaluate("""(() => {
        const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
        return ids.filter((id, i) => ids.indexOf(id) !== i); })()""")
    assert not twice, f"ids given twice: {twice}"


def check_no_sideways(page, what):
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360, f"{what} is {wide} pixels wide on a screen of 360"


def check_colours(page, dark):
    """Text of charts has a contrast of 4.5 with the page, marks and lines one of 3."""
    pale, ground = page.evaluate("""(() => {
        const light = (colour) => {
          const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255).map(
            (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const ground = light(getComputedStyle(document.body).backgroundColor);
        const pale = new Set();
        for (const e of document.querySelectorAll(
            ".plot text, .plot .mark path, .plot .line, .plot .rule")) {
          const style = getComputedStyle(e);
          const open = style.fill === "none" || e.matches(".line, .rule");
          const own = light(open ? style.stroke : style.fill);
          const ratio = (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
          if (ratio < (e.tagName === "text" ? 4.5 : 3))
            pale.add(`${e.tagName} ${e.closest("[class]").getAttribute("class")} ${ratio.toFixed(1)}`); }
        return [[...pale], ground]; })()""")
    assert (ground < 0.1) if dark else (ground > 0.8), f"the ground is {ground}, dark is {dark}"
    assert not pale, f"too pale, dark is {dark}: {pale}"


def check_rows_inside(page):
    """Rows of cases lie within the plane of their chart."""
    outside = page.evaluate("""(() => {
        for (const d of document.querySelectorAll("details")) d.open = true;
        return new Promise((done) => setTimeout(done, 500)).then(() =>
          [...document.querySelectorAll(".plot .chart")].filter((c) => {
            const plane = c.querySelector(".plane").getBoundingClientRect();
            return [...c.querySelectorAll(".grid")].map((g) => g.getBoundingClientRect()).some(
              (g) => g.bottom > plane.bottom + 1 || g.top < plane.top - 1); })
            .map((c) => c.closest("figure").id)); })()""")
    assert not outside, f"rows outside of the plane: {outside}"


def main(chrome):
    fixture = build("fixture.html", report_fixture.write(os.path.join(folder, "results")),
                    "--machines", report_fixture.write_machines(os.path.join(folder, "machines")))
    results = build("results.html", os.path.join(perf, "results"))
    with open(fixture.removeprefix("file://"), encoding="utf-8") as file:
        static = check_static(chrome.open(fixture, 1280, 900, script=False), file.read())
    wide = chrome.open(fixture, 1280, 900)
    for check in (check_hostile, check_links, check_sorting, check_pointing, check_zooming,
                  check_legend):
        check(wide)
    check_accessible(wide)
    assert len(static) >= 4
    wide.evaluate("for (const c of document.querySelectorAll('.canvas')) c.style.width = '720px'")
    wide.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    for name, expected in static.items():
        assert ticks(wide, "#" + name) == expected, (name, ticks(wide, "#" + name), expected)
    clean(wide, fixture)
    phone = chrome.open(fixture, 360, 780, dark=True)
    check_fingers(phone)
    check_no_sideways(phone, "the fixture")
    clean(phone, fixture)
    for width, dark in ((360, True), (1280, False)):
        real = chrome.open(results, width, 800, dark=dark)
        assert real.evaluate("document.querySelectorAll('.plot .mark').length") > 0
        if width == 360:
            check_no_sideways(real, "the page of perf/results")
        check_colours(real, dark)
        check_rows_inside(real)
        clean(real, results)


try:
    with browser.Browser() as running:
        main(running)
except browser.NoBrowser as missing:
    print(missing)
    sys.exit(4)
