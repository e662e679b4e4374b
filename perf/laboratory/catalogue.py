"""Reads experiments: perf/experiments/NAME.toml and, if tables do not suffice, NAME.py.

perf/README.md explains the tables. A file is checked when it is read, so that a misspelled table is an
error and not a silent omission.
"""

import importlib.util
import os
import sys
import tomllib
from dataclasses import dataclass

from .failures import Failed

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "experiments")
TABLES = {"title", "source", "program", "published", "options", "sweep", "given", "case", "variant",
          "metric", "columns", "derived", "keys", "each", "panel", "needs"}
CASE_TABLES = {"options", "sweep", "given", "variant"}
HOOKS = {"rows", "finish", "draw"}


@dataclass
class Experiment:
    """One experiment, as its file defines it."""
    name: str
    path: str
    tables: dict
    hooks: dict

    def __getitem__(self, key):
        return self.tables[key]

    def get(self, key, default=None):
        return self.tables.get(key, default)

    def published(self):
        """The published values and their source."""
        return {"source": self["source"], **self.get("published", {})}

    def cases(self):
        """The file's cases; a file without cases is itself the only case."""
        common = {k: self.get(k, [] if k == "variant" else {}) for k in CASE_TABLES}
        cases = []
        for case in self.get("case", [{}]):
            merged = {k: {**common[k], **case.get(k, {})} for k in CASE_TABLES - {"variant"}}
            merged["variant"] = case.get("variant", common["variant"])
            cases.append(merged)
        return cases


def names(folder=None):
    """All experiments, by name."""
    return sorted(entry[:-5] for entry in os.listdir(folder or FOLDER) if entry.endswith(".toml"))


def load(name, folder=None):
    """Reads one experiment."""
    folder = folder or FOLDER
    path = os.path.join(folder, f"{name}.toml")
    try:
        with open(path, "rb") as file:
            tables = tomllib.load(file)
    except FileNotFoundError:
        raise Failed(f"there is no experiment {name!r}: one of "
                     f"{', '.join(names(folder))}") from None
    except tomllib.TOMLDecodeError as error:
        raise Failed(f"{path}: {error}") from None
    _check(path, tables)
    return Experiment(name, path, tables, _hooks(name, folder))


def _check(path, tables):
    for key in ("title", "source", "program", "metric", "published", "needs"):
        if key not in tables:
            raise Failed(f"{path}: '{key}' is missing")
    axes = {name for case in [tables, *tables.get("case", [])]
            for table in ("given", "sweep", "options") for name in case.get(table, {})}
    if axes & {"run", "samples"}:
        raise Failed(f"{path}: the columns run and samples are reserved")
    unknown = set(tables) - TABLES
    for case in tables.get("case", []):
        unknown |= set(case) - CASE_TABLES
    if unknown:
        raise Failed(f"{path}: unknown table {', '.join(sorted(unknown))}")
    metric = tables["metric"]
    if not {"column", "unit", "better"} <= set(metric) or not {"samples", "value"} & set(metric):
        raise Failed(f"{path}: a metric has column, unit, better and samples or value")
    if metric["better"] not in ("smaller", "larger", "neither"):
        raise Failed(f"{path}: metric.better is smaller, larger or neither")


def _hooks(name, folder):
    path = os.path.join(folder, f"{name}.py")
    if not os.path.exists(path):
        return {}
    spec = importlib.util.spec_from_file_location(f"experiment_{name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return {hook: getattr(module, hook) for hook in HOOKS if hasattr(module, hook)}
