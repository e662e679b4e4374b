"""check_site.py ROOT FOLDER: the site builds without a warning and contains every chapter."""

import functools
import pathlib
import re
import shutil
import subprocess
import sys

root, folder = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(root / "docs"))
sys.dont_write_bytecode = True
from bookmaker import pages  # noqa: E402

if shutil.which("mkdocs") is None:
    print("mkdocs is missing")
    sys.exit(4)
done = subprocess.run([sys.executable, root / "docs/book.py", "build", "--out", folder], text=True,
                      capture_output=True, check=False)
assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr


@functools.cache
def names(file):
    """Anchors of a page."""
    return set(re.findall(r'\bid="([^"]+)"', file.read_text(encoding="utf-8")))


site = folder / "site"
# MkDocs takes braces at the end of a cell, a title or a paragraph as attributes, and does not show them.
for page in pages.of_repository(root):
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert not re.search(r"\{[^{}\n]*\} *(\||$)", prose, re.MULTILINE), f"{page}: the site hides braces at the end"
listed = (root / "docs/mkdocs.yml").read_text(encoding="utf-8")
for page in (root / "docs").glob("*.md"):
    name = "index.html" if page.name == "README.md" else page.stem + ".html"
    assert (site / "docs" / name).is_file(), f"{page.name} is not in the site"
    assert f"docs/{page.name}\n" in listed, f"{page.name} is not in docs/mkdocs.yml"
for made in site.rglob("*.html"):
    if made.name == "404.html":  # served at any address, so its links start at the root
        continue
    text = made.read_text(encoding="utf-8")
    assert "<!-- listing" not in text and "<!-- table" not in text, made
    prose = re.sub(r"<pre.*?</pre>|<code.*?</code>", "", text, flags=re.DOTALL)
    if "source" not in made.parts and "api" not in made.parts:
        assert not re.search(r"<p>(?:(?!</p>).)*?(?:\n\s*|\s)[-*] <strong>", prose, re.DOTALL), f"{made}: a list is broken"
        assert "```" not in prose, f"{made}: a fence is open"
        assert not re.search(r"\d\^\d|\d %", prose), f"{made}: an exponent is not raised, or a unit may leave its number"
    for target in re.findall(r'<img[^>]* src="([^":]*)"', text):
        assert (made.parent / target).is_file(), f"{made}: there is no image {target}"
    for target, anchor in re.findall(r'href="([^"#:]*(?:\.html)?)(?:#([^"]*))?"', text):
        if target and not target.endswith(".html"):
            continue  # a style sheet, an icon
        file = (made.parent / target).resolve() if target else made.resolve()
        assert file.is_file(), f"{made}: {target} leads nowhere"
        assert not anchor or anchor in names(file), f"{made}: {target} has no place {anchor}"
assert (site / "docs/walk.html").is_file() and "slate" in (site / "index.html").read_text("utf-8")
assert "<h1 id=\"copse\">" not in (site / "index.html").read_text("utf-8"), "the site's title is there twice"
assert 'class="wide"' in (site / "docs/claims.html").read_text("utf-8"), "long tables have no frame"
assert 'class="words"' in (site / "perf/peers/index.html").read_text("utf-8"), "labels have no room on a phone"
drawn = {file.name for file in (root / "docs/figures").glob("*.svg")}
assert drawn and drawn == {file.name for file in (site / "docs/figures").glob("*")}
assert len(list((site / "docs/api").glob("*.html"))) > 5
