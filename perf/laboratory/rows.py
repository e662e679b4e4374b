"""Rows of a result from the reports of its runs.

    metric    column, unit, better; `samples` (an expression whose median is the value) or `value`
    columns   further columns, expressions over the point, its report and the columns before them
    each      an expression that yields items; one row for each, in which `item` is the item
    derived   columns that compare a row with its base row, which differs from it only in the given
              names (a value, or "first" of the existing values); with `base = {}` it is the row itself
"""

import statistics

from .failures import Failed, Unsupported
from .sweep import keys, underscored
from .vocabulary import evaluate, of_report


def of_run(experiment, values, outcome, run):
    """The rows of one run; `run` is its index in the result's runs."""
    report = outcome["report"]
    names = {**values, **of_report(report, report["run"]["backend"]),
             "published": experiment.get("published", {}),
             "cpu_joules": outcome.get("cpu_joules"), "gpu_joules": outcome.get("gpu_joules"),
             "wall_seconds": outcome.get("wall_seconds")}
    hook = experiment.hooks.get("rows")
    if hook:
        return [{**values, **row, "run": run} for row in hook(names)]
    items = evaluate(experiment["each"], names, experiment.path) if experiment.get("each") \
        else [None]
    return [_row(experiment, values, {**names, "item": item}, run) for item in items]


def _row(experiment, values, names, run):
    metric = experiment["metric"]
    row = {key: value for key, value in values.items() if value is not None}
    row.setdefault("backend", names["report"]["run"]["backend"])
    # Columns may use the metric, and those that come before the metric's own may be used by it.
    column = metric["column"]
    if "samples" in metric:
        samples = evaluate(metric["samples"], names, experiment.path)
        row[column] = statistics.median(samples)
    else:
        samples = None
        row[column] = evaluate(metric["value"], names, experiment.path)
    names[column] = row[column]
    for name, expression in experiment.get("columns", {}).items():
        row[name] = names[name] = evaluate(expression, names, experiment.path)
    if samples is not None:
        row["samples"] = list(samples)
    row["run"] = run
    return row


def _base(row, rows, wanted, among):
    """The base row of `row`: equal in all of `among` except the given values."""
    same = [other for other in rows
            if all(other.get(k) == row.get(k) for k in among if k not in wanted)]
    for name, value in wanted.items():
        if value == "first" and same:
            value = same[0].get(name)
        same = [other for other in same if other.get(name) == value]
    return same[0] if same else None


def derive(experiment, rows, roles):
    """Adds the derived columns; None without a base row."""
    among = [k for k in keys(experiment)]
    for column, rule in experiment.get("derived", {}).items():
        wanted = {}
        for name, value in rule["base"].items():
            wanted[underscored(name)] = roles.names().get(value, value) if name == "backend" \
                else value
        dependent = [underscored(k) for k in rule.get("following", [])]
        for row in rows:
            base = _base(row, rows, {**wanted}, [k for k in among if k not in dependent])
            row[column] = None if base is None else evaluate(
                rule["value"], {**row, "base": base,
                                "published": experiment.get("published", {})}, experiment.path)
    return rows


def complete(experiment, rows):
    """Adds the columns that follow from their row alone (`base = {}`) where an older result lacks them."""
    for column, rule in experiment.get("derived", {}).items():
        for row in rows:
            if not rule["base"] and column not in row:
                row[column] = evaluate(rule["value"], {**row, "published": experiment.get("published", {})},
                                       experiment.path)
    return rows


def collect(experiment, finished, roles, note):
    """All rows of [(values, outcome)]; `note` receives a sentence about each omission."""
    rows = []
    for run, (values, outcome) in enumerate(finished):
        try:
            rows += of_run(experiment, values, outcome, run)
        except Unsupported as error:
            note(str(error))
    if not rows:
        raise Unsupported("this program supports nothing that the experiment compares")
    finish = experiment.hooks.get("finish")
    rows = derive(experiment, rows, roles)
    rows = finish(rows, experiment.get("published", {}), note) if finish else rows
    seen = {}
    for row in rows:
        key = tuple(str(row.get(k)) for k in keys(experiment))
        if key in seen:
            raise Failed(f"{experiment.path}: two rows are identical in "
                         f"{', '.join(keys(experiment))}: {', '.join(key)}")
        seen[key] = row
    return rows
