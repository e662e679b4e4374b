"""Measured results: perf/results/MACHINE/EXPERIMENT/COMMIT.json, and nothing else knows where."""

import json
import re

from . import BookError

STEP = re.compile(r"([\w-]+)((?:\[[^\]]+\])*)\.?")


def machines(root, experiment):
    """Machines that have results of an experiment."""
    return sorted(folder.parent.name for folder in (root / "perf/results").glob(f"*/{experiment}")
                  if any(folder.glob("*.json")))


def started(document):
    """When a result was measured, for finding the newest: ISO times compare as text."""
    runs = document.get("runs") or [document]
    return max((run.get("run", {}).get("started") or "" for run in runs), default="")


def load(root, name):
    """The newest result of MACHINE/EXPERIMENT, or MACHINE/EXPERIMENT/COMMIT itself."""
    place = root / "perf/results" / name
    files = sorted(place.glob("*.json")) if place.is_dir() else [place.with_suffix(".json")]
    if not files or not files[0].is_file():
        raise BookError(f"there is no result {name} in perf/results")
    return max((json.loads(file.read_text(encoding="utf-8")) for file in files), key=started)


def select(items, condition, where):
    """Members of a list: `[3]` by number, `[a.b=value,c=value]` by fields."""
    if re.fullmatch(r"\d+", condition):
        index = int(condition)
        return items[index] if index < len(items) else missing(where)
    pairs = [part.partition("=")[::2] for part in condition.split(",")]
    found = [item for item in items
             if all(str(lookup(item, key)) == wanted for key, wanted in pairs)]
    if len(found) != 1:
        raise BookError(f"'{where}': {len(found)} have {condition}, one is needed")
    return found[0]


def lookup(item, key):
    for part in key.split("."):
        item = item.get(part) if isinstance(item, dict) else None
    return item


def missing(where):
    raise BookError(f"the result has no '{where}'")


def field(document, path):
    """A value by its path: `runs[parameters.cut=select].fom[name=copy_passes].value`."""
    value, end = document, 0
    for step in STEP.finditer(path):
        if step.start() != end or not step.group(0):
            break
        end = step.end()
        if not isinstance(value, dict) or step.group(1) not in value:
            missing(path)
        value = value[step.group(1)]
        for condition in re.findall(r"\[([^\]]+)\]", step.group(2)):
            if not isinstance(value, list):
                missing(path)
            value = select(value, condition, path)
    if end != len(path) or isinstance(value, (dict, list)) or value is None:
        missing(path)
    return value
