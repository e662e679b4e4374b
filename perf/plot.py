#!/usr/bin/env python3
"""Draws a result: published and measured values in one picture.

    perf/plot.py fig26 [-o fig26.png]                       # the latest of any machine
    perf/plot.py fig22 fig24 --results /tmp/try             # a picture next to each result
    perf/plot.py fig26 --machine h200 --commit f1b3a0b
    perf/plot.py /tmp/try/epyc2/fig26/f1b3a0b.json -o fig26.svg

Without -o the picture is written next to the result. The format is that of its name. Exit code 2 for
results that cannot be drawn.
"""

import argparse
import os
import sys

from laboratory import catalogue, document
from laboratory.failures import Failed
from laboratory.programs import ROOT


def options():
    parser = argparse.ArgumentParser(prog="plot.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="+", metavar="EXPERIMENT",
                        help="experiment names or result files")
    parser.add_argument("-o", "--output", metavar="FILE")
    parser.add_argument("--results", metavar="DIR", default=os.path.join(ROOT, "perf", "results"))
    parser.add_argument("--machine", metavar="NAME")
    parser.add_argument("--commit", metavar="C")
    chosen = parser.parse_args()
    if chosen.output and len(chosen.experiments) > 1:
        parser.error("-o names one picture: draw one experiment at a time")
    return chosen


def save(figure, path):
    base, extension = os.path.splitext(path)
    temporary = f"{base}.partial{extension}"
    try:
        figure.savefig(temporary, dpi=120)
        os.replace(temporary, path)
    except ValueError as error:
        raise Failed(f"{path}: {error}") from None
    finally:
        figure.clear()
        if os.path.exists(temporary):
            os.remove(temporary)


def main():
    chosen = options()
    try:
        from laboratory import panels
        for name in chosen.experiments:
            path = name if name.endswith(".json") else \
                document.find(chosen.results, name, chosen.machine, chosen.commit)
            result = document.read(path)
            figure = panels.draw(result, catalogue.load(result["experiment"]))
            output = chosen.output or f"{os.path.splitext(path)[0]}.png"
            save(figure, output)
            print(output)
    except ImportError as missing:
        print(f"plot.py: error: matplotlib is needed: {missing}", file=sys.stderr)
        return 2
    except (Failed, OSError) as error:
        print(f"plot.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
