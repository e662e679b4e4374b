"""Results: DIR/MACHINE/EXPERIMENT/COMMIT.json.

    schema       1
    experiment   its name; `title`, `source` (place in the seeds), `published` (the seeds' values)
    command      of perf/run.py; `quick`
    commit       of the programs; `machine` (of the first report) and `machine_name`
    rows         what was measured, published values beside it; `samples` are the metric's raw ones,
                 `run` the place in `runs`
    keys         columns that tell one row from another
    metric       {column, unit, better, exact}: exact ones are counts and have no samples
    panels       how it is drawn
    notes        what a reader must know
    context      when, how long, of each run its command, environment, seconds and joules, and what
                 measured the joules or why nothing did
    runs         the reports of the mini-app
"""

import glob
import json
import os

from .failures import Failed
from .sweep import keys

KEYS = ("schema", "experiment", "source", "command", "quick", "commit", "machine", "published",
        "rows", "notes", "runs")


def commit_of(reports, given=None):
    """The commit all reports come from; a build without its history says it with --commit."""
    if given:
        return given
    commits = {r["git"]["commit"] + ("-dirty" if r["git"]["dirty"] else "") for r in reports}
    if len(commits) > 1:
        raise Failed(f"the runs come from different commits: {', '.join(sorted(commits))}; "
                     "build them together, or name one with --commit")
    return commits.pop() if commits else "unknown"


def file_name(commit):
    """f1b3a0b.json, f1b3a0b-dirty.json."""
    base, dirty, _ = commit.partition("-dirty")
    return f"{base[:7] if len(base) == 40 else base}{dirty}.json"


def make(experiment, rows, outcomes, **context):
    """The result; `context` has command, quick, commit, machine_name, notes and more."""
    metric = experiment["metric"]
    reports = [outcome["report"] for outcome in outcomes]
    return {
        "schema": 1, "experiment": experiment.name, "title": experiment["title"],
        "source": experiment["source"], "command": context.pop("command"),
        "quick": context.pop("quick"), "commit": commit_of(reports, context.pop("commit", None)),
        "machine": reports[0]["machine"] if reports else {},
        "machine_name": context.pop("machine_name"),
        "published": experiment.published(), "keys": keys(experiment),
        "metric": {k: metric[k] for k in ("column", "unit", "better")}
        | {"exact": "samples" not in metric and not metric.get("noisy", False)},
        "panels": experiment.get("panel", []),
        "rows": rows, "notes": context.pop("notes"),
        "context": {**context, "runs": [{k: v for k, v in o.items() if k != "report"}
                                        for o in outcomes]},
        "runs": reports,
    }


def write(path, document):
    """Writes a whole file or none."""
    temporary = f"{path}.partial"
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
        os.replace(temporary, path)
    except OSError as error:
        raise Failed(f"{path} cannot be written: {error.strerror}") from None
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def read(path):
    """Reads a result and checks that it is one."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError) as error:
        raise Failed(f"{path}: {error}") from None
    missing = [k for k in KEYS if not isinstance(document, dict) or k not in document]
    if missing:
        raise Failed(f"{path} is no result: {', '.join(missing)} missing")
    return document


def started(document):
    """When its first run started, for finding the latest."""
    return max((r["run"]["started"] for r in document["runs"]), default="")


def find(results, experiment, machine=None, commit=None):
    """The latest result of an experiment under a results folder."""
    pattern = os.path.join(results, machine or "*", experiment, f"{commit or ''}*.json")
    found = [(started(document), path) for path in glob.glob(pattern)
             for document in [read(path)]]
    if not found:
        raise Failed(f"{pattern} is not there: run perf/run.py {experiment} first")
    return max(found)[1]
