"""check_course.py ROOT FOLDER: the syllabus has every lab once, lab sheets are complete, and the
slides of each lecture are one well-formed, self-contained page with every figure of its chapters."""

import base64
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

root, folder = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(root / "docs"))
from bookmaker import BookError, slides  # noqa: E402

VOID = {"meta", "img", "br", "wbr"}
STAGE = """
const stage = [0, 1, 2].map(() => new Set());
globalThis.document = { querySelector: () => ({}), body: { classList: { add() {} } },
  querySelectorAll: () => slides };
const slides = stage.map((names, i) => ({ style: {}, classList: {
  toggle: (name, on) => on ? names.add(name) : names.delete(name) },
  get scrollHeight() { return [5, 6, 99][i] * parseInt(this.style.fontSize); } }));
globalThis.innerHeight = 500;
globalThis.location = { hash: '#2' };
globalThis.history = { replaceState(state, title, hash) { location.hash = hash; } };
const on = {};
globalThis.addEventListener = (name, does) => { on[name] = does; };
const press = key => { on.keydown({ key, preventDefault() {} }); return at(); };
const at = () => stage.map(names => names.has('shown')).lastIndexOf(true) + location.hash;
(() => { SCRIPT })();
console.log(at(), ...['ArrowRight', ' ', 'Home', 'ArrowLeft', 'End', 'x', 'PageUp'].map(press),
  ...slides.map(slide => slide.style.fontSize));
"""  # three slides, the second one in the address and too tall, the third much too tall
PARTS = ["The problem", "Read", "The skeleton", "The test", "The target", "Hints", "The solution"]


class Page(html.parser.HTMLParser):
    """Tags in balance, pictures, headings and the text of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.open, self.pictures, self.headings, self.code, self.slides = [], [], [], "", 0
        self.feed(text)
        self.close()
        assert not self.open, f"{self.open} stay open"

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        assert not {"href", "srcset"} & values.keys(), f"{tag} leads elsewhere"
        if "src" in values:
            assert tag == "img" and values.get("alt"), f"{tag} {values.get('alt')}"
            self.pictures.append(values["src"])
        self.slides += tag == "section"
        if tag in ("h1", "h2"):
            self.headings.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.code += data
        elif set(self.open) & {"h1", "h2"}:
            self.headings[-1] += data


def check_picture(source):
    kind, data = re.fullmatch(r"data:image/([\w+]+);base64,(.+)", source).groups()
    content = base64.b64decode(data, validate=True)
    if kind == "svg+xml":
        assert ElementTree.fromstring(content).tag.endswith("svg")
    else:
        assert content[1:4] == b"PNG"


def shown_parts(page):
    """(heading, figures) of the sections of a chapter that are shown."""
    for _, heading, body in slides.sections((root / "docs" / page).read_text(encoding="utf-8")):
        if not heading.startswith(slides.OMITTED):
            yield heading, len(slides.IMAGE.findall(body))


def check_lecture(number, title, body):
    text = (folder / f"slides/lecture-{number}.html").read_text(encoding="utf-8")
    page = Page(text)
    assert "url(" not in page.code and "import" not in page.code
    assert "prefers-color-scheme: dark" in page.code
    for key in ("ArrowRight", "ArrowLeft", "PageDown", "PageUp", "Home", "End"):
        assert key in page.code, f"lecture {number} does not know {key}"
    assert page.headings[0] == title and 10 < page.slides < 80, page.slides
    chapters = slides.CHAPTER.findall(body) + slides.LAB.findall(body)
    assert re.search(r"^```sh\n", body, re.MULTILINE), f"lecture {number} has no demo"
    wanted = 0
    for chapter in chapters:
        for heading, pictures in shown_parts(chapter):
            wanted += pictures
            bare = re.sub(r"[`*]", "", heading)
            assert not pictures or bare in page.headings, f"{chapter}: {bare}"
    assert len(page.pictures) == wanted, f"lecture {number}: {len(page.pictures)} of {wanted} figures"
    for picture in page.pictures:
        check_picture(picture)


def check_sheet(file):
    """A lab sheet has all its parts, two paragraphs of problem, and hints that fold."""
    parts = {heading: body for _, heading, body in
             slides.sections(file.read_text(encoding="utf-8"))}
    assert list(parts)[1:] == PARTS, f"{file.name} has {list(parts)[1:]}"
    assert len(re.split(r"\n\s*\n", parts["The problem"])) == 2, f"{file.name}: two paragraphs"
    assert parts["Hints"].count("<details") == parts["Hints"].count("</details>") >= 2
    assert slides.table(re.split(r"\n\s*\n", parts["The target"])), f"{file.name}: no reference"
    return re.match(r"\d+ minutes", next(iter(parts.values()))).group(0)


if shutil.which("node"):
    turned = subprocess.run(["node", "-e", STAGE.replace("SCRIPT", slides.SCRIPT)], text=True,
                            capture_output=True, check=True).stdout
    assert turned == "1#2 2#3 2#3 0#1 0#1 2#3 2#3 1#2 100% 80% 50%\n", turned
done = subprocess.run([sys.executable, root / "docs/book.py", "slides", "--out", folder], text=True,
                      capture_output=True, check=False)
assert done.returncode == 0, done.stderr
syllabus = (root / "docs/syllabus.md").read_text(encoding="utf-8")
_, *pieces = slides.LECTURE.split(syllabus)
lectures = list(zip(pieces[::3], pieces[1::3], pieces[2::3]))
assert [number for number, _, _ in lectures] == list("123456")
assert len(list((folder / "slides").glob("*.html"))) == len(lectures)
for lecture in lectures:
    check_lecture(*lecture)
sheets = {f"labs/{file.name}": check_sheet(file) for file in (root / "docs/labs").glob("*.md")}
assert sorted(slides.LAB.findall(syllabus)) == sorted(sheets) and len(sheets) == 5
for name, minutes in sheets.items():
    assert re.search(rf"{re.escape(name)}\),\s+{minutes.split()[0]}\s+minutes", syllabus), name

assert slides.inline("a *b* and *c* of `x * y < z`, [t](u.md)") == \
    "a <i>b</i> and <i>c</i> of <code>x * y &lt; z</code>, t"
assert slides.inline("**`a`** and **b `c*` d**") == \
    "<b><code>a</code></b> and <b>b <code>c*</code> d</b>"
assert slides.opening(["| a |", "- b", "One, by eq. 4. Two. Three. Four."]) == \
    "<p>One, by eq. 4. Two. Three.</p>"
assert slides.opening(["The table below has it.", "It takes 1 ms. This page says why."]) == \
    "<p>It takes 1 ms.</p>"
LONG = "An item that is longer than sixty letters needs no second sentence."
assert slides.points(["**V 1** adds. More.", f"- a\n  b. C. D.\n- {LONG} E.\n- d"]) == \
    f"<ul><li><b>V 1</b> adds. More.</li><li>a b. C.</li><li>{LONG}</li><li>d</li></ul>"
RUN = "```sh\n# no heading\norb\n```"
assert slides.sections(f"# A\n\nRun:\n\n{RUN}\n") == [(1, "A", f"Run:\n\n{RUN}")]
assert slides.commands(RUN) == "<pre># no heading\norb\n</pre>"
assert list(slides.listings("One.\n\nTwo.\n\n```cpp\na < b;\n```\n")) == [
    ("<p>Two.</p>", "<pre>a &lt; b;\n</pre>")]
try:
    slides.chapter(root, "docs/none.md")
    raise AssertionError("a missing chapter was not refused")
except BookError as error:
    assert "docs/none.md" in str(error)
