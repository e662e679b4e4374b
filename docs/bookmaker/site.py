"""The site: pages, the interface and the sources that they mention, converted to HTML by MkDocs.

Pages keep their places in the tree, so links between them work as they do in the repository. A
source that they mention, as a link or as a path in backticks, becomes a page with that source.
"""

import pathlib
import posixpath
import re
import shutil
import subprocess
import sys

from . import BookError, api, expand, pages, slides, typography

LINK = re.compile(r"(\[[^\]]*\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
PATH = re.compile(r"(?<!\[)`((?:common|miniapps|tests|perf|roofline|docs|cmake)/[\w./-]+)`(?!\])")
CODE = re.compile(r"(^```.*?^```$|^ {4}.*?$)", re.DOTALL | re.MULTILINE)
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".json": "json", ".sh": "sh",
             ".cmake": "cmake", ".txt": "cmake", ".cff": "yaml", ".toml": "toml"}
PICTURES = (".png", ".jpg", ".webp", ".gif")
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
LONG_ROW = 160  # letters, above which a row of four or more cells needs a wide table
LONG_CELL = 16  # letters, above which a cell of a table of six columns needs room
LONGEST_SOURCE = 200_000  # bytes; result files are longer, and need no page


class Stage:
    """The folder that MkDocs reads."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.sources = set()

    def target(self, page, path):
        """The site's address of a link from a page to a path of the repository; None if there is none."""
        full = self.root / path
        if full.suffix == ".md":
            return posixpath.relpath(path, posixpath.dirname(page)) if full.is_file() else None
        if full.is_dir() and (full / "README.md").is_file():
            return posixpath.relpath(f"{path}/README.md", posixpath.dirname(page))
        if not full.exists():
            return None
        if full.suffix == ".svg":  # a figure
            self.write(path, full.read_text(encoding="utf-8"))
            return posixpath.relpath(path, posixpath.dirname(page))
        if full.suffix == ".html":  # a page of its own, whose links lead to pages of the site
            self.write(path, full.read_text(encoding="utf-8").replace('.md"', '.html"'))
            return posixpath.relpath(path, posixpath.dirname(page))
        if full.suffix in PICTURES:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(full, self.folder / path)
            return posixpath.relpath(path, posixpath.dirname(page))
        self.sources.add(path)
        return posixpath.relpath(f"source/{path}.md", posixpath.dirname(page))

    def relink(self, page, text):
        """Links and paths in backticks, outside of code."""
        def link(match):
            if "://" in match.group(2):
                return match.group(0)
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), match.group(2)))
            target = self.target(page, path)
            return match.group(1) + target + match.group(3) if target else match.group(0)

        def path(match):
            target = self.target(page, match.group(1).rstrip("/"))
            return f"[{match.group(0)}]({target})" if target else match.group(0)

        pieces = CODE.split(text)
        return "".join(piece if number % 2 else PATH.sub(path, LINK.sub(link, piece))
                       for number, piece in enumerate(pieces))

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def write_sources(self):
        """A page for each source; for a folder, its contents, with links to those that have a page."""
        for path in sorted(self.sources):
            full = self.root / path
            if full.is_dir():
                names = sorted(item.name for item in full.iterdir() if item.suffix != ".pyc"
                               and item.name != "__pycache__")
                body = "".join(f"- [`{name}`]({full.name}/{name}.md)\n" if f"{path}/{name}" in self.sources
                               else f"- `{name}`\n" for name in names)
            elif full.stat().st_size > LONGEST_SOURCE or full.suffix == ".png":
                body = f"{full.stat().st_size} bytes; read it in the repository.\n"
            else:
                text = full.read_text(encoding="utf-8")
                body = f"````{LANGUAGES.get(full.suffix, '')}\n{text}````\n"
            self.write(f"source/{path}.md", f"# {path}\n\n{body}")


def with_wide_tables(text):
    """The page with a frame around tables of much text in four columns or more: on a phone they scroll
    within it, instead of breaking after each word."""
    def framed(match):
        lines = match.group(0).splitlines()
        columns = lines[0].count("|") - 1
        if columns < 4 or max(map(len, lines)) < LONG_ROW:
            return match.group(0)
        return f'<div class="wide" markdown="1">\n\n{match.group(0)}\n</div>\n'

    return "".join(piece if number % 2 else TABLE.sub(framed, piece)
                   for number, piece in enumerate(CODE.split(text)))


def with_kind_title(html):
    """The page of a source with a path as its title that breaks after a slash or an underscore."""
    return re.sub(r"(<h1[^>]*>)([^<]*)", lambda match: match.group(1) + re.sub(r"(?<=[/_])", "<wbr>", match.group(2)),
                  html)


def with_room_for_words(html):
    """The page with a class for cells of several words in tables of six columns or more, which a phone would
    break after each word."""
    def cell(match):
        words = re.sub(r"<[^>]*>", "", match.group(1))
        return match.group(0).replace("<td>", '<td class="words">') if len(words) > LONG_CELL else match.group(0)

    def table(match):
        columns = len(re.findall(r"<th\b", match.group(0)))
        return re.sub(r"<td>(.*?)</td>", cell, match.group(0)) if columns >= 6 else match.group(0)

    return re.sub(r"<table>.*?</table>", table, html, flags=re.DOTALL)


def with_quiet_origins(html):
    """The page with a class for the lines that name the source of a listing."""
    return re.sub(r'<p>(?=From <a [^>]*><code>[^<]*</code></a>\.</p>)', '<p class="origin">', html)


def build(root, out):
    """Makes OUT/site and returns the path of its first page."""
    if shutil.which("mkdocs") is None:
        raise BookError("the site needs mkdocs and mkdocs-material: "
                        "cmake/install-dependencies.sh installs them")
    out = pathlib.Path(out).resolve()
    staged = out / "pages"
    shutil.rmtree(staged, ignore_errors=True)
    stage = Stage(root, staged)
    texts = {str(page.relative_to(root)): with_wide_tables(
        expand.without_comments(page.read_text(encoding="utf-8"))) for page in pages.of_repository(root)}
    texts.update({f"docs/api/{name}": text for name, text in api.pages(root).items()})
    texts["docs/slides/index.md"] = slides.index(root)
    slides.write(root, staged / "docs/slides")
    for name, text in texts.items():
        stage.write(name, stage.relink(name, text))
    stage.write("docs/site.css", (root / "docs/site.css").read_text(encoding="utf-8"))
    stage.write_sources()
    # The site's name is above every page, so its first page needs another title.
    stage.write("index.md", stage.relink("index.md", texts["README.md"].replace("# Copse\n", "# Overview\n", 1)))
    (staged / "README.md").unlink()
    config = out / "mkdocs.yml"
    config.write_text(f"INHERIT: {root / 'docs/mkdocs.yml'}\ndocs_dir: {staged}\n"
                      f"site_dir: {out / 'site'}\n", encoding="utf-8")
    done = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--config-file", config],
                          capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr, sep="", end="", file=sys.stderr)
    if done.returncode != 0:
        raise BookError(f"mkdocs ended with {done.returncode}")
    for page in (out / "site").rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        if "source" in page.relative_to(out / "site").parts:
            page.write_text(with_kind_title(html), encoding="utf-8")
        elif page.name != "walk.html" and not page.name.startswith("lecture-"):  # lectures have kind breaks already
            html = typography.with_whole_words(with_quiet_origins(with_room_for_words(html)))
            page.write_text(typography.with_kind_breaks(html), encoding="utf-8")
    return out / "site" / "index.html"
