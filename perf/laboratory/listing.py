"""perf/run.py --list: the available experiments."""

import glob
import os
import textwrap

from . import catalogue, document


def _published(values, prefix=""):
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _published(value, f"{prefix}{key} ")
        elif isinstance(value, list):
            yield f"{prefix}{key} = {', '.join(map(str, value))}"
        else:
            yield f"{prefix}{key} = {value}"


def _times(name, results):
    """Durations of earlier full runs."""
    for path in sorted(glob.glob(os.path.join(results, "*", name, "*.json"))):
        result = document.read(path)
        if result.get("context", {}).get("seconds") and not result["quick"]:
            yield (f"{result['context']['seconds']:.0f} s on {result['machine_name']} "
                   f"({os.path.basename(path)[:-5]})")


def show(names, results):
    """Prints the experiments, each with its source, published values and needs."""
    for name in names:
        experiment = catalogue.load(name)
        needs = experiment["needs"]
        times = ", ".join(_times(name, results)) or "time not measured yet"
        published = "; ".join(_published(experiment["published"]))
        print(f"{name}: {experiment['title']}")
        print(f"    source     {experiment['source']}")
        print(f"    needs      {needs['memory_gib']} GiB; {times}; "
              f"quick {needs['quick_seconds']} s on two cores")
        print(textwrap.fill(published, 100, initial_indent="    published  ",
                            subsequent_indent=" " * 15, break_long_words=False))
        print()
