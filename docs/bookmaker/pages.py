"""Which Markdown files are pages of the book: those of docs/, and every README."""


def of_repository(root):
    """Paths of all pages, sorted; folders that hold builds and hidden ones are left out."""
    found = list((root / "docs").rglob("*.md")) + [root / "README.md", root / "CONTRIBUTING.md"]
    for folder in ("common", "miniapps", "perf", "roofline", "tests"):
        found += (root / folder).rglob("README.md")
    return sorted(page for page in found if page.exists())
