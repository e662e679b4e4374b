#!/usr/bin/env python3
"""The book: fills its pages from sources and results, checks them, makes the site.

    docs/book.py update            fill every page of the repository in place, draw its figures
    docs/book.py check             fail if update would change a page or figure
    docs/book.py build [--out DIR] check, then write the site to DIR/site (default build/book)
    docs/book.py slides [--out DIR] write the lectures of docs/syllabus.md to DIR/slides

A page is plain Markdown. Text filled in from sources and results is enclosed in comments, so that
the page can be read without any tool:

    <!-- listing PATH NAME -->     lines between `// [begin NAME]` and `// [end NAME]` of PATH
    <!-- table NAME ARGUMENT... -->
                                   one of the tables of bookmaker/tables.py or targets.py
    <!-- figure MACHINE/EXPERIMENT PANEL [CONDITION] -->
                                   a panel of an experiment, drawn into docs/figures; PANEL is its
                                   y column or its number
    <!-- provisional results -->   the provisional results that the page uses and why they are
                                   (perf/laboratory/provenance.py); required if there are any
    <!-- drawing NAME -->          a picture of bookmaker/concepts, drawn into docs/figures
    <!-- end -->                   end of the filled-in text

Numbers within a sentence have no comments: docs/numbers.toml lists the sentences and where their
numbers come from (bookmaker/numbers.py), by

    result MACHINE/EXPERIMENT FIELD [FORMAT]
                                   a number of perf/results, or of a file roofline/FOLDER/NAME;
                                   FORMAT is Python's, preceded by T, G, M, k, %, m or u for a number
                                   in 10^12, percent, thousandths ...
    ratio MACHINE/EXPERIMENT CASE COLUMN OVER UNDER STATISTIC FORMAT
                                   the ratio of the least values with two conditions over all
                                   cases (bookmaker/ratios.py)

A marker, file, result, field, panel or drawing that does not exist is an error. Exit codes: 0, 1 for a page
or figure that is out of date, 2 for what is missing.
"""

import argparse
import pathlib
import sys

from bookmaker import BookError, expand, figures, numbers, pages, site, slides, walk

ROOT = pathlib.Path(__file__).resolve().parent.parent


def fill(write):
    """Expands all pages. Returns the names of pages and figures that change, and writes them if
    requested; a figure that no page shows is removed."""
    changed, drawn = [], {}
    for page in pages.of_repository(ROOT):
        text = page.read_text(encoding="utf-8")
        try:
            filled = expand.expand(text, ROOT, page.parent.relative_to(ROOT), drawn,
                                   str(page.relative_to(ROOT)))
            filled = numbers.filled(str(page.relative_to(ROOT)), filled, ROOT, expand.NUMBERS)
        except BookError as error:
            raise BookError(f"{page.relative_to(ROOT)}: {error}") from error
        if filled != text:
            changed.append(str(page.relative_to(ROOT)))
            if write:
                page.write_text(filled, encoding="utf-8")
    return changed + draw(drawn, write)


def draw(drawn, write):
    """Names of figures, and of the page of a walk, that are out of date; writes or removes them if
    requested."""
    folder = ROOT / figures.FOLDER
    kept = {f"{figures.FOLDER}/{file.name}": file for file in folder.glob("*")}
    if (ROOT / walk.NAME).is_file():
        kept[walk.NAME] = ROOT / walk.NAME
    drawn = drawn | {walk.NAME: walk.page()}
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
    parser.add_argument("action", choices=["update", "check", "build", "slides"])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "book",
                        help="folder of the site and the slides")
    options = parser.parse_args()
    try:
        if options.action == "slides":
            for page in slides.write(ROOT, options.out / "slides"):
                print(page)
            return 0
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
