"""Results: DIR/MACHINE/EXPERIMENT/COMMIT.json.

    schema       2
    experiment   its name; `title`, `source` (place in the papers), `published` (the papers' values)
    command      of perf/run.py; `quick`
    commit       of the programs; `machine`, `build` and `version` (of the first report) and
                 `machine_name`
    keys         columns that tell one row from another
    metric       {column, unit, better, exact}: exact ones are counts and have no samples
    panels       how it is drawn
    notes        what a reader must know
    context      when, how long, the load before, cases without rows (`missing`), and what measured the
                 joules or why nothing did
    rows         what was measured, published values beside it; `samples` are the metric's raw ones,
                 `run` the place in `runs`
    runs         of each run its command, the commit of its program, environment, start, backend, ranks,
                 threads, checksum of its input, seconds and joules of the whole command, whether it was
                 verified, and whether other programs disturbed it (None: on a device, or unknown)

The reports themselves are not kept. In the file every row, run and panel is one line.
"""

import glob
import json
import os

from .failures import Failed
from .sweep import keys

SCHEMA = 2
KEYS = ("schema", "experiment", "source", "command", "quick", "commit", "machine", "published",
        "rows", "notes", "context", "runs")


def commit_said(report):
    """The commit that a report names, or unknown for a build without git history."""
    return report["git"]["commit"] + ("-dirty" if report["git"]["dirty"] else "")


def commit_of(reports, given=None):
    """The commit all reports come from. --commit gives it for a build without git history and cannot
    contradict a report that names another."""
    commits = set(map(commit_said, reports))
    known = commits - {"unknown"}
    if given:
        other = sorted(commit for commit in known
                       if "-dirty" in commit or not commit.startswith(given))
        if other:
            raise Failed(f"--commit {given}: the programs were built from {', '.join(other)}")
        return known.pop() if len(known) == 1 else given
    if len(commits) > 1:
        raise Failed(f"the runs come from different commits: {', '.join(sorted(commits))}; "
                     "build them together")
    return commits.pop() if commits else "unknown"


def file_name(commit):
    """f1b3a0b.json, f1b3a0b-dirty.json."""
    base, dirty, _ = commit.partition("-dirty")
    return f"{base[:7] if len(base) == 40 else base}{dirty}.json"


def run_of(report):
    """What a result keeps of a report."""
    run, verification = report["run"], report["verification"]
    return {"commit": commit_said(report), "started": run["started"], "backend": run["backend"], "ranks": run.get("ranks"),
            "threads": run.get("threads"), "input": (report.get("input") or {}).get("checksum"),
            "verified": bool(verification["requested"] and verification["passed"]),
            "disturbed": run.get("disturbed")}


def _machine_of(reports):
    """The machine as a program with CUDA describes it; those of hosts do not see the GPU."""
    return next((r["machine"] for r in reports if r["machine"].get("gpu")), reports[0]["machine"])


def make(experiment, rows, outcomes, **context):
    """The result; `context` has command, quick, commit, machine_name, notes and more."""
    metric = experiment["metric"]
    reports = [outcome["report"] for outcome in outcomes]
    return {
        "schema": SCHEMA, "experiment": experiment.name, "title": experiment["title"],
        "source": experiment["source"], "command": context.pop("command"),
        "quick": context.pop("quick"), "commit": commit_of(reports, context.pop("commit", None)),
        "machine_name": context.pop("machine_name"), "machine": _machine_of(reports),
        "build": reports[0].get("build"), "version": reports[0].get("version"),
        "published": experiment.published(), "keys": keys(experiment),
        "metric": {k: metric[k] for k in ("column", "unit", "better")}
        | {"exact": "samples" not in metric},
        "panels": experiment.get("panel", []), "notes": context.pop("notes"), "context": context,
        "rows": rows,
        "runs": [{k: v for k, v in outcome.items() if k != "report"} | run_of(outcome["report"])
                 for outcome in outcomes],
    }


def text(document):
    """JSON in which every member, and every item of a list that is one, is a line."""
    members = []
    for key, value in document.items():
        written = json.dumps(value)
        if isinstance(value, list) and value and not isinstance(value[0], str):
            written = "[\n " + ",\n ".join(map(json.dumps, value)) + "\n]"
        members.append(f"{json.dumps(key)}: {written}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def write(path, document):
    """Writes a whole file or none."""
    temporary = f"{path}.partial"
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text(document))
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
    if isinstance(document, dict) and document.get("schema", SCHEMA) != SCHEMA:
        raise Failed(f"{path} is a result of schema {document['schema']}, not {SCHEMA}")
    missing = [k for k in KEYS if not isinstance(document, dict) or k not in document]
    if missing:
        raise Failed(f"{path} is not a result: {', '.join(missing)} missing")
    return document


def started(document):
    """When it was measured, for finding the latest: ISO times compare as text."""
    return document["context"]["started"]


def find(results, experiment, machine=None, commit=None):
    """The latest result of an experiment under a results folder."""
    pattern = os.path.join(results, machine or "*", experiment, f"{commit or ''}*.json")
    found = [(started(document), path) for path in glob.glob(pattern)
             for document in [read(path)]]
    if not found:
        raise Failed(f"{pattern} is not there: run perf/run.py {experiment} first")
    return max(found)[1]
