"""What makes a result *provisional*. Pages and charts say so, and docs/claims.md may not cite one.

    a build that is dirty or of an unknown commit, also that of one run; runs of different commits; a quick run
    a short commit that no run names: it was given by hand
    times of a build without -O2 or -O3
    a busy machine: threads that waited for a core, or a load above the cores before the runs
    host rows of a build with CUDA, whose host kernels are not at their best
    rows of fewer than FEWEST timed samples, or of none
    rows that the experiment has and the result lacks

Counts (an `exact` metric) do not depend on the machine, so only their commit and their missing rows
matter. A result that was asked for less than its experiment has is `narrowed`, not provisional.
"""

from . import sweep
from .failures import Failed, Unsupported
from .intervals import FEWEST
from .programs import KNOWN, Roles

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


def _unoptimised(document):
    flags = (document.get("build") or {}).get("flags")
    return "the build was not optimised" if flags and not {"-O2", "-O3"} & set(flags.split()) else None


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


def _commits(document):
    """Reasons that the commits of the result and of its runs give. Programs name all 40 digits; runs of older
    results name none, and then the result's own digits tell whether a program or --commit gave them."""
    named = {run["commit"] for run in document["runs"] if run.get("commit")}
    commits = {document["commit"], *named}
    known = [c.removesuffix("-dirty") for c in commits if not c.startswith("unknown")]
    found = []
    if any(c.endswith("-dirty") for c in commits):
        found.append("the build was dirty")
    if len(known) < len(commits):
        found.append("the commit of the build is not known")
    if not named and any(len(c) < 40 for c in known):
        found.append("the commit was given by hand")
    if any(not a.startswith(b) and not b.startswith(a) for a in known for b in known):  # names may be short
        found.append("the runs are of different commits")
    return found


def of_result(document):
    """Reasons that concern every row, as sentences without a full stop."""
    found = []
    if document["quick"]:
        found.append("a quick run")
    found += _commits(document)
    if not _exact(document):
        found += filter(None, [_unoptimised(document), _load(document)])
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
    if len(row.get("samples") or []) < FEWEST:
        found.append(f"rows of fewer than {FEWEST} samples")
    return found


def reasons(document, rows=None):
    """Why a result, or some of its rows, is provisional; nothing if it is not."""
    rows = document["rows"] if rows is None else rows
    return of_result(document) + list(dict.fromkeys(
        reason for row in rows for reason in of_row(document, row)))


class _OnPaper(Roles):
    """Roles that list points even where their input files are missing."""

    def __init__(self, names):
        super().__init__([name for name in KNOWN if name in names])

    def names(self):
        return {**super().names(), "data": str}


def _written(values):
    return ", ".join(f"2^{v.bit_length() - 1}" if isinstance(v, int) and v >= 1024 and v & (v - 1) == 0
                     else str(v) for v in values)


def asked(document, experiment):
    """What --set and --backend left out of the experiment, as its file is today, and what else they changed: two
    lists of phrases."""
    narrowed, changed = [], []
    context, words = document["context"], document["command"].split()
    settings = sweep.Settings(document["quick"], cores=context.get("cores") or 1, gpus=context.get("gpus") or 0)

    def tell(name, given, whole, fewer, left=""):
        if whole and set(given) != set(whole):
            of = f"of {_written(whole)}{left}" if fewer and set(given) < set(whole) else f"instead of {_written(whole)}"
            (narrowed if fewer else changed).append(f"{name} {_written(given)} {of}")

    for name, given in (context.get("overrides") or {}).items():
        axes = [sweep.axis(key, value, settings, Roles(list(KNOWN))) for case in experiment.cases()
                for table in ("given", "sweep", "options") for key, value in case[table].items()
                if sweep.underscored(key) == name]
        tell(name, given, list(dict.fromkeys(sum(axes, []))), len(given) < max(map(len, axes), default=0))
    if "--backend" in words[:-1]:
        wanted = words[words.index("--backend") + 1].split(",")
        built = [*wanted, *((document.get("build") or {}).get("backends") or []),
                 *(run.get("backend") for run in document["runs"])]
        settings.overrides = context.get("overrides") or {}
        try:
            kept, every = ([point.values.get("backend") for point in sweep.points(experiment, _OnPaper(names), settings)]
                           for names in (wanted, built))
        except (Failed, Unsupported):  # the experiment has changed since
            return narrowed, changed
        given, whole = ([name for name in KNOWN if name in of] for of in (kept, every))
        tell("backend", given, whole, len(given) < len(whole),
             f": {sum(name not in given for name in every)} of {len(every)} cases left out")
    return narrowed, changed
