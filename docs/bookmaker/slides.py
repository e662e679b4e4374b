"""Slides: one self-contained HTML page for each lecture of docs/syllabus.md, from the headings, first
sentences, lists, small tables, commands, short listings and figures of the chapters that the lecture
reads.

Arrow keys, space, Page Up, Page Down, Home, End and clicks turn the slides; the address keeps the place.
Without scripts, and in print, all slides are shown.
"""

import base64
import html
import posixpath
import re

from . import BookError, expand, typography

LECTURE = re.compile(r"^## Lecture (\d+): (.+)$", re.MULTILINE)
CHAPTER = re.compile(r"\]\(([\w-]+\.md)\)")
LAB = re.compile(r"\]\((labs/[\w-]+\.md)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HIDDEN = re.compile(r"^fence (\d+)$", re.MULTILINE)
# Of a page, not of a slide: a sentence about the text around it.
ELSEWHERE = re.compile(r"\b[Tt]h(?:is (page|chapter)|is is the output|e second half)\b|half of this page|\b(below|above)[.,:)]|"
                       r"\b[Tt]he (next )?(table|figure)s?\b|\bnext (chapter|page)\b")
POINTER = re.compile(r", listed below(?=\))| \((?:below|above|\[(?:below|above)\]\([^)]*\))\)")  # to elsewhere
HEADING = re.compile(r"^(#{1,3}) (.+)$", re.MULTILINE)
# A picture, and the paragraph after it if that is its caption.
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)(?:\n\n(\*(?:Figure:|[^*]+\*$).*))?", re.MULTILINE)
ITEM = re.compile(r"^(?:[-*]|\d+\.) +(.+(?:\n {2,}.+)*)", re.MULTILINE)
SENTENCE = re.compile(r"\S.*?(?<!\beqs)(?<!\b(?:eq|no))[.?!](?=\s+[A-Z`*]|\s*$)", re.DOTALL)
TYPES = {".svg": "image/svg+xml", ".png": "image/png"}
WIDEST, LONGEST = 7, 12  # columns and lines of a table that fits on a slide
COMMANDS, LISTING = 10, 16  # most lines of commands beside text, and of a listing
SENTENCES, ITEMS = 3, 9
LETTERS, TALLEST = 85, 15  # of a line, and lines of a slide
BESIDE = 480  # letters of text beside a figure
SHORT = 60  # letters of an item, below which its second sentence follows
OMITTED = ("Exercises", "Errors", "The solution", "The skeleton", "Hints")

STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --quiet: #59636e; --rule: #d1d9e0 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --quiet: #9198a1; --rule: #3d444d } }
body { margin: 0; font: clamp(1rem, 2.2vw, 1.6rem)/1.4 system-ui, sans-serif; color: var(--ink);
  background: var(--paper) }
section { box-sizing: border-box; min-height: 100vh; padding: 5vh 7vw; display: flex;
  flex-direction: column; justify-content: center; gap: 1rem; break-after: page }
section > *, .beside > * { min-width: 0; max-width: 100%; overflow-wrap: anywhere }
.turning section { display: none } .turning section.shown { display: flex }
h1 { font-size: 2em } h2 { font-size: 1.5em } h1, h2, p, ul, figure { margin: 0 }
.piece { white-space: nowrap } sup { font-size: .7em; line-height: 0; white-space: nowrap }
li { margin: .2em 0 } small, figcaption { color: var(--quiet) }
img { max-width: 100%; object-fit: contain } figure { text-align: center }
.beside { display: grid; gap: 1rem } .beside img { max-height: 66vh }
@media (orientation: landscape) { img { height: 62vh }
  .beside { grid-template-columns: 1fr 1.1fr; gap: 3vw; align-items: center }
  .beside img { width: 100%; height: auto; max-height: 56vh } }
.light { background: #fff } table { font-size: .75em; overflow-x: auto }
pre { font-size: .66em; overflow-x: auto; overflow-wrap: normal; margin: 0; padding: .8em;
  border: 1px solid var(--rule) }
table { display: block; width: fit-content; max-width: 100% }
td, th { overflow-wrap: normal; border-bottom: 1px solid var(--rule); padding: .2em .8em; text-align: left }
nav { position: fixed; right: 1rem; bottom: .5rem; font-size: 1rem; color: var(--quiet) }
"""
SCRIPT = """
const slides = [...document.querySelectorAll('section')], place = document.querySelector('nav');
const steps = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1,
  PageUp: -1, Home: -Infinity, End: Infinity };
let at = 0;
// Letters of a slide that is taller than the screen become smaller.
function fit(slide) {
  for (let size = 100; size >= 50; size -= 5) {
    slide.style.fontSize = `${size}%`;
    if (slide.scrollHeight <= innerHeight + 1) return;
  }
}
function show(number) {
  at = Math.min(Math.max(number, 0), slides.length - 1);
  slides.forEach((slide, i) => slide.classList.toggle('shown', i === at));
  fit(slides[at]);
  place.textContent = `${at + 1} / ${slides.length}`;
  history.replaceState(null, '', `#${at + 1}`);
}
document.body.classList.add('turning');
addEventListener('resize', () => fit(slides[at]));
addEventListener('load', () => fit(slides[at]));
addEventListener('hashchange', () => show(Number(location.hash.slice(1)) - 1 || 0));
addEventListener('keydown', event => {
  if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  show(at + steps[event.key]);
});
addEventListener('click', event => show(at + (2 * event.clientX > innerWidth ? 1 : -1)));
show(Number(location.hash.slice(1)) - 1 || 0);
"""


def inline(text):
    """A line of Markdown as HTML; links keep their text."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", " ".join(text.split()))
    codes = []

    def keep(match):  # stars in code are no emphasis
        codes.append(f"<code>{html.escape(match.group(1), quote=False)}</code>")
        return "\0"

    text = html.escape(re.sub(r"`([^`]+)`", keep, text), quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    text = re.sub(r"\*(\S|\S.*?\S)\*", r"<i>\1</i>", text)
    return re.sub("\0", lambda _: codes.pop(0), text)


def sentences(paragraph, most):
    """The first sentences of a paragraph that are not about the page, or nothing."""
    paragraph = POINTER.sub("", paragraph)
    found = SENTENCE.findall(paragraph) or [paragraph]
    return " ".join([sentence for sentence in found if not ELSEWHERE.search(" ".join(sentence.split()))][:most])


def opening(paragraphs):
    """The first sentences of a section's prose, or nothing."""
    for paragraph in paragraphs:
        if paragraph and not re.match(r"[|<!>#-]|\*Figure:|\*[^*]+\*$|From `|\d+\. |\*\*| {4}", paragraph):
            said = sentences(paragraph, SENTENCES)
            if said:
                return f"<p>{inline(said)}</p>"
    return ""


def begins_with_table(paragraphs):
    """Whether a section has a table before its prose."""
    first = next((p for p in paragraphs if p and not p.startswith("<!--")), "")
    return first.lstrip().startswith("|")


def points(paragraphs):
    """The first sentences of list items, and of paragraphs that begin in bold."""
    found = []
    for paragraph in paragraphs:
        found += [paragraph] if paragraph.startswith("**") else ITEM.findall(paragraph)
    found = [sentences(item, 1) if len(sentences(item, 1)) >= SHORT else sentences(item, 2)
             for item in found]
    items = "".join(f"<li>{inline(item)}</li>" for item in list(filter(None, found))[:ITEMS])
    return f"<ul>{items}</ul>" if items else ""


def code(text):
    return f"<pre>{html.escape(text)}</pre>"


def commands(body):
    """The first commands or output of a section that fit beside its text."""
    return next((code(text) for language, text in FENCE.findall(body)
                 if language in ("", "sh") and text.count("\n") <= COMMANDS), "")


def listings(body):
    """(what is said before it, listing) of each short listing of C++."""
    before = 0
    for fence in FENCE.finditer(body):
        if fence.group(1) == "cpp" and fence.group(2).count("\n") <= LISTING:
            said = FENCE.sub("", body[before:fence.start()]).strip()
            last = [p for p in re.split(r"\n\s*\n", said) if p and not re.match(r"From `|[|!#-]", p)][-1:]
            yield f"<p>{inline(sentences(last[0], SENTENCES))}</p>" if last else "", code(fence.group(2))
        before = fence.end()


def table(paragraphs):
    """The first table of a section that fits on a slide."""
    for paragraph in paragraphs:
        lines = [[cell.strip() for cell in line.strip().strip("|").split("|")]
                 for line in paragraph.splitlines() if line.startswith("|")]
        if len(lines) > 2 and len(lines[0]) <= WIDEST and len(lines) - 1 <= LONGEST:
            head, _, *rows = lines
            made = "".join(f"<tr>{''.join(f'<td>{inline(cell)}</td>' for cell in row)}</tr>"
                           for row in rows)
            return (f"<table><tr>{''.join(f'<th>{inline(cell)}</th>' for cell in head)}</tr>"
                    f"{made}</table>")
    return ""


def figure(root, page, alternative, target, caption):
    """A picture of a page, inlined, with its caption."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    file = root / path
    if file.suffix not in TYPES or not file.is_file():
        raise BookError(f"{page}: there is no figure {target}")
    data = file.read_bytes()
    paper = "" if b"prefers-color-scheme" in data else ' class="light"'
    return (f'<figure><img{paper} src="data:{TYPES[file.suffix]};base64,'
            f'{base64.b64encode(data).decode()}" alt="{html.escape(alternative)}">'
            f"<figcaption>{inline(caption)}</figcaption></figure>")


def height(made):
    """About the lines that a part of a slide takes."""
    items = re.split(r"<li>|<p>|<tr>|\n", made)[1:]
    return sum(1 + len(re.sub(r"<[^>]*>", "", item)) // LETTERS for item in items)


def sections(text):
    """[(level, heading, body)] of a page, without its comments."""
    fences = []

    def hide(match):  # a comment of a shell is no heading
        fences.append(match.group(0))
        return f"fence {len(fences) - 1}"

    text = FENCE.sub(hide, expand.without_comments(text))
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    marks = list(HEADING.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [(len(mark.group(1)), mark.group(2),
             HIDDEN.sub(lambda m: fences[int(m.group(1))], text[mark.end():end].strip()))
            for mark, end in zip(marks, ends)]


def chapter(root, page):
    """The slides of a chapter or a lab."""
    file = root / page
    if not file.is_file():
        raise BookError(f"the syllabus reads {page}, which does not exist")
    made, chapter_name = [], ""
    for level, heading, body in sections(file.read_text(encoding="utf-8")):
        if level == 1:
            chapter_name = heading
        if heading.startswith(OMITTED):
            continue
        paragraphs = re.split(r"\n\s*\n", FENCE.sub("", body))
        pictures = [figure(root, page, *picture) for picture in IMAGE.findall(body)]
        said = opening(paragraphs) + points(paragraphs)
        below = commands(body) + table(paragraphs)
        above = "" if level == 1 else f"<small>{inline(chapter_name)}</small>"
        head = f"{above}<h2>{inline(heading)}</h2>"
        if said and pictures and not below and len(said) < BESIDE:
            said = f'<div class="beside"><div>{said}</div>{pictures.pop(0)}</div>'
        listed = list(listings(body))
        if said and below and height(said) + height(below) > TALLEST:
            made += [head + part for part in ((below, said) if begins_with_table(paragraphs) else (said, below))]
        elif below or said and said not in [before for before, _ in listed]:
            made.append(head + said + below)
        made += [head + picture for picture in pictures]
        made += [head + before + listing for before, listing in listed]
    return made


def lecture(root, number, title, body):
    """The page of a lecture: its title and demo, its chapters, its labs."""
    demo = re.search(r"^```sh\n(.*?)^```", body, re.DOTALL | re.MULTILINE)
    made = [f"<small>Lecture {number}</small><h1>{inline(title)}</h1>"
            + opening(re.split(r"\n\s*\n", body.strip()))]
    for page in dict.fromkeys(CHAPTER.findall(body)):
        made += chapter(root, f"docs/{page}")
    if demo:
        made.append(f"<h2>Demo</h2>{code(demo.group(1))}")
    for page in dict.fromkeys(LAB.findall(body)):
        made += chapter(root, f"docs/{page}")
    slides = "\n".join(f"<section>{slide}</section>" for slide in made)
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>Lecture {number}: {html.escape(title)}</title>\n<style>{STYLE}</style></head>\n"
            f"<body>\n{slides}\n<nav></nav>\n<script>{SCRIPT}</script>\n</body></html>\n")


def pages(root):
    """{name: HTML} of all lectures."""
    text = (root / "docs/syllabus.md").read_text(encoding="utf-8")
    marks = list(LECTURE.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return {f"lecture-{mark.group(1)}.html":
            lecture(root, mark.group(1), mark.group(2), text[mark.end():end])
            for mark, end in zip(marks, ends)}


def write(root, folder):
    """Writes all lectures into a folder, and returns their files."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, text in pages(root).items():
        made.append(folder / name)
        made[-1].write_text(typography.with_kind_breaks(text), encoding="utf-8")
    return made


def index(root):
    """Markdown of the page that links to the slides."""
    titles = LECTURE.findall((root / "docs/syllabus.md").read_text(encoding="utf-8"))
    lines = "".join(f"- [Lecture {number}: {title}](lecture-{number}.html)\n"
                    for number, title in titles)
    return f"# Slides\n\nFrom the chapters of the [syllabus](../syllabus.md).\n\n{lines}"
