#!/usr/bin/env python3
"""The book: fills its pages from sources and results, checks them, makes the site.

    docs/book.py update            fill every page of the repository in place, draw its figures
    docs/book.py check             fail if update would change a page or figure
    docs/book.py build [--out DIR] check, then write the site to DIR/site (default build/book)

A page is plain Markdown. Text filled in from sources and results is enclosed in comments, so that
the page can be read without any tool:

    <!-- listing PATH NAME -->     lines between `// [begin NAME]` and `// [end NAME]` of PATH
    <!-- result MACHINE/EXPERIMENT FIELD [FORMAT] -->
                                   a number of perf/results, or of a file roofline/FOLDER/NAME,
                                   within a line; FORMAT is Python's, preceded by T, G, M, %, m or u
                                   for a number in 10^12, percent, thousandths ...
    <!-- ratio MACHINE/EXPERIMENT CASE COLUMN OVER UNDER STATISTIC FORMAT -->
                                   the ratio of the least values with two conditions over all
                                   cases, within a line (bookmaker/ratios.py)
    <!-- table NAME ARGUMENT... -->
                                   one of the tables of bookmaker/tables.py
    <!-- figure MACHINE/EXPERIMENT PANEL [CONDITION] -->
                                   a panel of an experiment, drawn into docs/figures; PANEL is its
                                   y column or its number
    <!-- origin MACHINE/EXPERIMENT -->
                                   the result's name and commit, within a line
    <!-- provisional results -->   the provisional results that the page uses and why they are
                                   (perf/laboratory/provenance.py); required if there are any
    <!-- drawing NAME -->          a picture of bookmaker/drawings.py, drawn into docs/figures
    <!-- end -->                   end of the filled-in text

A marker, file, result, field, panel or drawing that does not exist is an error. Exit codes: 0, 1 for a page
or figure that is out of date, 2 for what is missing.
"""

import argparse
import pathlib
import sys

from bookmaker import BookError, expand, figures, pages, site

ROOT = pathlib.Path(__file__).resolve().parent.parent


def fill(write):
    """Expands all pages. Returns the names of pages and figures that change, and writes them if
    requested; a figure that no page shows is removed."""
    changed, drawn = [], {}
    for page in pages.of_repository(ROOT):
        text = page.read_text(encoding="utf-8")
        try:
            filled = expand.expand(text, ROOT, page.parent.relative_to(ROOT), drawn)
        except BookError as error:
            raise BookError(f"{page.relative_to(ROOT)}: {error}") from error
        if filled != text:
            changed.append(str(page.relative_to(ROOT)))
            if write:
                page.write_text(filled, encoding="utf-8")
    return changed + draw(drawn, write)


def draw(drawn, write):
    """Names of figures that are out of date; writes or removes them if requested."""
    folder = ROOT / figures.FOLDER
    kept = {f"{figures.FOLDER}/{file.name}": file for file in folder.glob("*")}
    changed = sorted(name for name in kept.keys() | drawn.keys() if name not in drawn or
                     name not in kept or kept[name].read_text(encoding="utf-8") != drawn[name])
    for name in changed if write else ():
        if name in drawn:
            folder.mkdir(exist_ok=True)
            (ROOT / name).write_text(drawn[name], encoding="utf-8")
        else:
            kept[name].unlink()
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["update", "check", "build"])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "book",
                        help="folder of the site (build)")
    options = parser.parse_args()
    try:
        changed = fill(write=options.action == "update")
        if options.action == "update":
            print(f"{len(changed)} files changed", *changed)
            return 0
        for name in changed:
            print(f"{name} is out of date: run docs/book.py update", file=sys.stderr)
        if changed:
            return 1
        if options.action == "build":
            print(site.build(ROOT, options.out))
    except BookError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
