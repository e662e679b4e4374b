"""Measured results: perf/results/MACHINE/EXPERIMENT/COMMIT.json and, by their names, files of
roofline/. Only this module knows the paths, and it keeps which results a text was made from."""

import contextlib
import json
import pathlib
import re
import sys
import tomllib

from . import BookError

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "perf"))
from laboratory import provenance  # noqa: E402

_opened = []  # (name of the result with its commit, its content) in the order of opening


@contextlib.contextmanager
def watched():
    """The results that are opened meanwhile: {MACHINE/EXPERIMENT/COMMIT: content}."""
    before = len(_opened)
    found = {}
    yield found
    found.update(_opened[before:])
    del _opened[before:]


def _open(root, file):
    content = json.loads(file.read_text(encoding="utf-8"))
    _opened.append((str(file.relative_to(root / "perf/results").with_suffix("")), content))
    return content


def provisional(content, rows=None):
    """Why a result, or some of its rows, is provisional; empty if it is not."""
    if not {"quick", "commit", "rows"} <= content.keys():
        return []  # not made by the runner: part of a test
    return provenance.reasons(content, rows)

STEP = re.compile(r"([\w-]+)((?:\[[^\]]+\])*)\.?")


def machines(root, experiment):
    """Machines that have results of an experiment."""
    return sorted(folder.parent.name for folder in (root / "perf/results").glob(f"*/{experiment}")
                  if any(folder.glob("*.json")))


def started(document):
    """When a result was measured, for finding the newest: ISO times compare as text."""
    return document["context"]["started"]


def every(root, name):
    """All results of MACHINE/EXPERIMENT."""
    return [_open(root, file) for file in (root / "perf/results" / name).glob("*.json")]


def load(root, name):
    """The newest result of MACHINE/EXPERIMENT, or MACHINE/EXPERIMENT/COMMIT itself, or the one file
    roofline/FOLDER/NAME."""
    if name.startswith("roofline/"):
        file = root / f"{name}.json"
        if not file.is_file():
            raise BookError(f"there is no file {name}.json")
        return json.loads(file.read_text(encoding="utf-8"))
    place = root / "perf/results" / name
    files = sorted(place.glob("*.json")) if place.is_dir() else [place.with_suffix(".json")]
    if not files or not files[0].is_file():
        raise BookError(f"there is no result {name} in perf/results")
    newest = max(files, key=lambda file: started(json.loads(file.read_text(encoding="utf-8"))))
    return _open(root, newest)


SCALES = {"T": 1e-12, "G": 1e-9, "M": 1e-6, "k": 1e-3, "%": 1e2, "m": 1e3, "u": 1e6}


def short_exponent(number):
    """A number without the plus sign and the zeros that Python puts into an exponent."""
    return re.sub(r"(?<=\de)(-?)\+?0*(?=\d)", r"\1", number)


def written(value, form):
    """A value in a Python format; a prefix (`T.2f`, `%.0f`) gives the unit. An exponent is written as in 2e-4."""
    scale = SCALES.get(form[:1])
    try:
        number = format(value * scale, form[1:]) if scale else format(value, form)
        return short_exponent(number) if form[-1:] in ("e", "g") else number
    except (TypeError, ValueError) as error:
        raise BookError(f"'{value}' cannot be written as '{form}': {error}") from None


def meets(item, condition):
    """Whether an item meets `a.b=value,c>=number,d~part`, with `_` for a space; `-` is always met."""
    if condition == "-":
        return True
    for part in condition.split(","):
        key, relation, wanted = re.fullmatch(r"([\w.-]+)(=|>=|<=|~)(.*)", part).groups()
        value = lookup(item, key)
        if relation == "=":
            good = wanted in (str(value), str(value).replace(" ", "_"))
        elif relation == "~":
            good = wanted in str(value).replace(" ", "_")
        else:
            good = value >= float(wanted) if relation == ">=" else value <= float(wanted)
        if not good:
            return False
    return True


def rows(document, condition):
    return [row for row in document["rows"] if meets(row, condition)]


def select(items, condition, where):
    """Members of a list: `[3]` by number, `[a.b=value,c=value]` by fields."""
    if re.fullmatch(r"\d+", condition):
        index = int(condition)
        return items[index] if index < len(items) else missing(where)
    found = [item for item in items if meets(item, condition)]
    if len(found) != 1:
        raise BookError(f"'{where}': {len(found)} have {condition}, one is needed")
    return found[0]


def lookup(item, key):
    for part in key.split("."):
        item = item.get(part) if isinstance(item, dict) else None
    return item


def missing(where):
    raise BookError(f"the result has no '{where}'")


def at_their_best(content):
    """The rows but those of hosts' backends in a build for CUDA."""
    return [row for row in content["rows"] if not provenance.host_of_cuda(content, row)]


def row_of(root, document, path):
    """The row that a path `rows[...].COLUMN` names, if its value depends on no other row: it is the
    metric, or one of the experiment's `columns`."""
    found = re.fullmatch(r"rows\[([^\]]+)\]\.(\w+)(?:\..*)?", path)
    file = root / f"perf/experiments/{document.get('experiment')}.toml"
    if not found or not file.is_file():
        return None
    experiment = tomllib.loads(file.read_text(encoding="utf-8"))
    if found[2] not in {experiment["metric"]["column"], *experiment.get("columns", {})}:
        return None
    return select(document["rows"], found[1], path)


def field(document, path):
    """A value by its path: `rows[variant=host,particles=1024].copy_passes`."""
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
