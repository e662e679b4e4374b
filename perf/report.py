#!/usr/bin/env python3
"""One page of all results: tables that sort, plots that zoom, the command behind every number.

    perf/report.py                                  # perf/results -> build/report.html
    perf/report.py --results DIR --machines DIR --out page.html

The page is a single HTML file that needs neither network nor server. Exit codes: 0; 2 for results
that cannot be read.
"""

import argparse
import os
import sys

from report import build, ceilings, results

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def write(path, text):
    """Writes a whole file or none."""
    temporary = f"{path}.partial"
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as error:
        raise results.Unreadable(f"{path} cannot be written: {error.strerror}") from None
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def main():
    parser = argparse.ArgumentParser(prog="report.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", metavar="DIR", default=os.path.join(ROOT, "perf", "results"),
                        help="folder of results (default: perf/results)")
    parser.add_argument("--out", metavar="FILE", default=os.path.join(ROOT, "build", "report.html"),
                        help="the page (default: build/report.html)")
    parser.add_argument("--machines", metavar="DIR",
                        default=os.path.join(ROOT, "roofline", "machines"),
                        help="folder of measured ceilings (default: roofline/machines)")
    options = parser.parse_args()
    try:
        documents = results.read(options.results)
        machines = ceilings.read(options.machines)
        write(options.out, build.page(documents, machines))
    except results.Unreadable as error:
        print(f"report.py: error: {error}", file=sys.stderr)
        sys.exit(2)
    print(f"{options.out}: {len(documents)} results, ceilings of {len(machines)} machines")


if __name__ == "__main__":
    main()
