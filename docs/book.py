#!/usr/bin/env python3
"""The book: fills its pages from sources and results, checks them, makes the site.

    docs/book.py update            fill every page of the repository in place
    docs/book.py check             fail if a page is not what update would make of it
    docs/book.py build [--out DIR] check, then write the site to DIR/site (default build/book)

A page is plain Markdown. What it shows of sources and results stands between comments, so that it
can be read without any tool:

    <!-- listing PATH NAME -->     lines between `// [begin NAME]` and `// [end NAME]` of PATH
    <!-- result MACHINE/EXPERIMENT FIELD [FORMAT] -->
                                   a number of perf/results, within a line
    <!-- table NAME ARGUMENT... -->
                                   one of the tables of bookmaker/tables.py
    <!-- end -->                   where what is filled in ends

A marker, file, result or field that does not exist is an error. Exit codes: 0, 1 for a page that is
out of date, 2 for what is missing.
"""

import argparse
import pathlib
import sys

from bookmaker import BookError, expand, pages, site

ROOT = pathlib.Path(__file__).resolve().parent.parent


def fill(write):
    """Expands all pages. Returns the names of those that change, and writes them if asked."""
    changed = []
    for page in pages.of_repository(ROOT):
        text = page.read_text(encoding="utf-8")
        try:
            filled = expand.expand(text, ROOT)
        except BookError as error:
            raise BookError(f"{page.relative_to(ROOT)}: {error}") from error
        if filled != text:
            changed.append(str(page.relative_to(ROOT)))
            if write:
                page.write_text(filled, encoding="utf-8")
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
            print(f"{len(changed)} pages changed", *changed)
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
