"""check_links.py ROOT: relative links in README and docs lead to files, and to headings in them."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / "docs"))
from bookmaker import pages  # noqa: E402

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
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


everything = pages.of_repository(root)
wrong = [sentence for page in everything for sentence in wrong_links(page)]
assert not wrong, "\n".join(wrong)
assert sum(len(LINK.findall(page.read_text(encoding="utf-8"))) for page in everything) > 15
