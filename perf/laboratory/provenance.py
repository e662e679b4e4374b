"""What makes a result *provisional*. Pages and charts say so, and docs/claims.md may not cite one.

    a build that is dirty or of an unknown commit, or a quick run
    a busy machine: threads that waited for a core, or a load above the cores before the runs
    host rows of a build with CUDA, whose host kernels are not at their best
    rows of fewer than FEWEST timed samples
    rows that the experiment has and the result lacks

Counts (an `exact` metric) do not depend on the machine, so only their commit and their missing rows
matter.
"""

from .intervals import FEWEST

HOSTS = ("serial", "openmp")
# Load before the runs, over the cores. An earlier experiment that used all cores leaves a load of 1.
BUSY = 1.25
# What the runner notes about points without rows; results count them as `missing`, older ones do not.
LEFT_OUT = ("this program cannot do that:", "this program does not report")


def _run(document, row):
    place, runs = row.get("run"), document.get("runs", [])
    return runs[place] if isinstance(place, int) and 0 <= place < len(runs) else {}


def _exact(document):
    return bool((document.get("metric") or {}).get("exact"))


def _count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _load(document):
    """Why the load before the runs does not say that the machine was quiet; None if it does, or if
    the runs themselves watched for other programs."""
    if document["runs"] and all(run.get("disturbed") is False for run in document["runs"]):
        return None
    context = document["context"]
    load = context.get("load_before")
    cores = context.get("cores") or document["machine"].get("cores")
    if load is None:
        return "the load before the runs is not known"
    if cores and load > BUSY * cores:
        return f"the load before the runs was {load:.1f} on {_count(cores, 'core')}"
    return None


def _missing(document):
    number = document["context"].get("missing")
    if number is None:
        number = sum(note.startswith(LEFT_OUT) for note in document["notes"])
    return number


def host_of_cuda(document, row):
    """Whether a row is of the host, by its backend or by the placement of orb's work, in a build with
    CUDA. The runner notes when it took the programs of a build without CUDA for these rows."""
    return (_run(document, row).get("backend") in HOSTS or row.get("placement") == "host") and \
        "cuda" in ((document.get("build") or {}).get("backends") or []) and \
        not any(note.startswith("runs of hosts' backends are of a build without")
                for note in document["notes"])


def of_result(document):
    """Reasons that concern every row, as sentences without a full stop."""
    found = []
    if document["quick"]:
        found.append("a quick run")
    if document["commit"].endswith("-dirty"):
        found.append("the build was dirty")
    if document["commit"].startswith("unknown"):
        found.append("the commit of the build is not known")
    load = None if _exact(document) else _load(document)
    if load:
        found.append(load)
    missing = _missing(document)
    if missing:
        found.append(f"{_count(missing, 'case')} of the experiment missing")
    return found


def of_row(document, row):
    """Reasons that concern one row."""
    if _exact(document):
        return []
    found = []
    if _run(document, row).get("disturbed"):
        found.append("runs disturbed by other programs")
    if host_of_cuda(document, row):
        found.append("host rows of a build for CUDA")
    if "samples" in row and len(row["samples"]) < FEWEST:
        found.append(f"rows of fewer than {FEWEST} samples")
    return found


def reasons(document, rows=None):
    """Why a result, or some of its rows, is provisional; nothing if it is not."""
    rows = document["rows"] if rows is None else rows
    return of_result(document) + list(dict.fromkeys(
        reason for row in rows for reason in of_row(document, row)))
