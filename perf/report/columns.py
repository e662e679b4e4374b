"""Rows of a document as a table of columns, each with a role.

    case        describes the run: particles, leaves, method, backend
    measured    outcome of the run: seconds, bytes, speed-ups
    published   the papers' value, or the ideal one, next to the measured one
    samples     single measurements of a measured column, for its spread
    detail      follows from the case; shown only

A document lists its `keys` and its `metric`; without them, names and types of values determine the
roles. An object in a row becomes columns named `outer.inner`.
"""

import functools
import math

from . import quantities

BACKENDS = ("serial", "openmp", "cuda")
# Whole numbers and fractions that are parameters, not measurements.
CHOSEN = {
    "particles", "particles_per_rank", "leaves", "ranks", "threads", "cores", "gpus", "nodes",
    "dimension", "dimensions", "depth", "levels", "queries", "seed", "repeat", "steps", "theta",
    "opening_angle", "linking_length", "link", "b", "exponent", "weight_exponent", "alpha",
    "bucket_size", "leaf_points", "packet", "profile_depth", "top_levels", "keys", "size",
    "halo_fraction",
}


class Column:
    """A name, its role in the table, its unit and one value per row (None: missing)."""

    def __init__(self, name, values, part=None, unit=None):
        self.name = name
        self.values = values
        self.unit = quantities.unit_of(name.split(".")[0]) if unit is None else unit
        self.part = part or self._guess_part()

    @property
    def label(self):
        return ": ".join(quantities.words(part) for part in self.name.split("."))

    def known(self):
        return [v for v in self.values if v is not None]

    def numeric(self):
        known = self.known()
        return bool(known) and all(is_number(v) for v in known)

    @functools.cached_property
    def varies(self):
        return len({repr(v) for v in self.values}) > 1

    def _guess_part(self):
        known = self.known()
        if self.name.startswith(("published", "ideal")):
            return "published"
        if any(isinstance(v, list) and v and all(map(is_number, v)) for v in known):
            return "samples"
        if self.name in CHOSEN or not self.numeric():
            return "case"
        return "measured"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


class Table:
    """Columns of equal length, and the document and run of each row."""

    def __init__(self, columns, documents, runs):
        self.columns = columns
        self.documents = documents
        self.runs = runs  # index in the document's runs, or None

    @property
    def metric(self):
        """The column of the experiment's metric, or None."""
        name = self.documents[0].metric.get("column")
        return self.get(name) if name else None

    def __len__(self):
        return len(self.documents)

    def get(self, name):
        return next((c for c in self.columns if c.name == name), None)

    def of(self, part):
        return [c for c in self.columns if c.part == part]


def _flat(row, prefix=""):
    for key, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _units_said(document):
    """Units by column, from the metric and the labels of the panels."""
    units = {}
    for panel in document.panels:
        unit = quantities.unit_of(str(panel.get("ylabel", "")).split(",")[0].replace(" ", "_"))
        name = panel.get("y")
        if unit and isinstance(name, str) and not quantities.unit_of(name):
            units[name] = unit
    metric = document.metric
    if metric.get("column"):
        unit = metric.get("unit") or ""
        counted = metric["column"].split("_")[-1] == unit  # launches in launches
        units[metric["column"]] = "" if counted else quantities.UNITS_OF_REPORTS.get(unit, unit)
    return units


def table(documents):
    """One table of the rows of several documents of one experiment; a column `machine` first."""
    rows, owners, units, keys = [], [], {}, set()
    for document in documents:
        units.update(_units_said(document))
        keys |= set(document.keys)
        for row in document.rows:
            rows.append({"machine": document.machine_name, **dict(_flat(row))})
            owners.append(document)
    runs = [row.pop("run", None) for row in rows]
    names = dict.fromkeys(name for row in rows for name in row)
    names = sorted(names, key=lambda n: n != "machine" and n not in keys) if keys else names
    columns = [Column(name, [row.get(name) for row in rows], _part(name, keys, units),
                      units.get(name, units.get(name.split(".")[0]))) for name in names]
    if keys:
        for column in columns:
            if column.part == "case" and column.name not in keys and column.name != "machine":
                column.part = "detail"
    else:
        for column in columns:
            if column.name == "threads":  # those of the backend
                column.part = "detail"
    columns = [c for c in columns if c.known()]
    return Table(columns, owners, [r if isinstance(r, int) else None for r in runs])


def _part(name, keys, units):
    if name in keys:
        return "case"
    return "measured" if name in units else None
