"""check_links.py ROOT: relative links in README and docs lead to files, and to headings in them;
citations in pages and sources, [Authors year], are in the bibliography."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / "docs"))
from bookmaker import pages  # noqa: E402

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CITED = re.compile(r"\[([A-ZÉ][^][]{2,60} (?:19|20)\d\d)\](?!\()")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def anchors(path):
    """Anchors of a page's headings, as made by GitHub and MkDocs."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    names = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        bare = re.sub(r"[^\w\s-]", "", heading.strip().lower())
        names.add(re.sub(r"\s", "-", bare))
    return names


def wrong_links(page):
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    for target in LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{page.relative_to(root)}: {target} does not exist"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{page.relative_to(root)}: {target}: there is no such heading"


def unknown_citations(file, known):
    text = re.sub(r"\n[ */|#<]*", " ", file.read_text(encoding="utf-8"))
    for cited in sorted(set(CITED.findall(text)) - known):
        yield f"{file.relative_to(root)}: [{cited}] is not in docs/bibliography.md"


everything = pages.of_repository(root)
wrong = [sentence for page in everything for sentence in wrong_links(page)]
bibliography = (root / "docs/bibliography.md").read_text(encoding="utf-8")
keys = set(re.findall(r"^\| \[([^]]+)\]", bibliography, re.MULTILINE))
sources = [file for folder in ("common", "miniapps", "tests") for suffix in ("cpp", "hpp")
           for file in sorted((root / folder).rglob(f"*.{suffix}"))]
for file in everything + sources:
    wrong += unknown_citations(file, keys)
assert not wrong, "\n".join(wrong)
assert len(keys) > 20 and any("[Salmon, Warren 1994]" in file.read_text(encoding="utf-8")
                              for file in sources)
assert sum(len(LINK.findall(page.read_text(encoding="utf-8"))) for page in everything) > 15
