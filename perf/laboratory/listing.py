"""What there is: perf/run.py --list."""

import textwrap

from . import catalogue


def _published(values, prefix=""):
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _published(value, f"{prefix}{key} ")
        elif isinstance(value, list):
            yield f"{prefix}{key} = {', '.join(map(str, value))}"
        else:
            yield f"{prefix}{key} = {value}"


def show(names):
    """Prints the experiments, each with its source, published values and needs."""
    for name in names:
        experiment = catalogue.load(name)
        needs = experiment.get("needs", {})
        print(f"{name}: {experiment['title']}")
        print(f"    source     {experiment['source']}")
        for label in ("full", "quick"):
            print(f"    {label:<10} {needs.get(label, 'not measured')}")
        published = "; ".join(_published(experiment.get("published", {}))) or "nothing"
        print(textwrap.fill(published, 100, initial_indent="    published  ",
                            subsequent_indent=" " * 15))
        print()
