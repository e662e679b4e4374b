"""Documents of experiments, read from RESULTS/<machine>/<experiment>/<commit>.json.

perf/README.md describes the documents. Missing entries are treated as unknown. Wrong ones are
rejected with one sentence, because a page must not be built from half of the results.
"""

import functools
import json
import os
import shlex

from laboratory import catalogue, provenance
from laboratory.failures import Failed

SCHEMA = 2


class Unreadable(Exception):
    """One sentence: a file is not what its path implies."""


class Document:
    """One experiment on one machine at one commit."""

    def __init__(self, place, content):
        self.machine_name, self.experiment, self.commit_name = place
        self.content = content
        self.anchor = "-".join(place)
        self.file = "/".join(place) + ".json"
        self.title = content.get("title") or ""
        self.keys = content.get("keys") or []
        self.metric = content.get("metric") or {}
        self.panels = content.get("panels") or []
        self.context = content.get("context") or {}
        self.source = content.get("source") or ""
        command = content.get("command") or ""
        recorded = not command.startswith("not recorded")
        self.command = command if recorded else ""
        self.no_command = "" if recorded else command
        self.commit = content.get("commit") or self.commit_name
        self.quick = bool(content.get("quick"))
        self.published = content.get("published") or {}
        self.rows = content.get("rows") or []
        self.runs = content.get("runs") or []
        self.notes = content.get("notes") or []
        self.machine = content.get("machine") or {}
        self.build = content.get("build") or {}

    @property
    def started(self):
        """Start of the latest run as an ISO date and time; empty if no run states its start."""
        return max((str(run.get("started") or "") for run in self.runs), default="") \
            or str(self.context.get("started") or "")

    @property
    def date(self):
        return self.started[:10]

    def run(self, place):
        """A run by its index; empty if there is none."""
        return self.runs[place] if place is not None and 0 <= place < len(self.runs) else {}

    def command_of(self, place):
        """How to repeat a run, by its index: its command and its environment variables."""
        run = self.run(place)
        said = [f"{name}={shlex.quote(str(value))}"
                for name, value in (run.get("environment") or {}).items()]
        return " ".join([*said, str(run["command"])]) if run.get("command") else ""

    def _as_result(self):
        return {"quick": self.quick, "commit": self.commit, "machine": self.machine, "command": self.command,
                "build": self.build, "metric": self.metric, "context": self.context,
                "notes": self.notes, "runs": self.runs, "rows": self.rows}

    @functools.cached_property
    def provisional(self):
        """Why the result is provisional; empty if it is not. Machine files have no rows."""
        return provenance.reasons(self._as_result()) if self.rows else []

    @functools.cached_property
    def asked(self):
        """What the command left out of the experiment, and what else it changed."""
        try:
            return provenance.asked(self._as_result(), catalogue.load(self.experiment))
        except Failed:
            return [], []  # an experiment that is no more, or a machine file

    def is_sound(self, row):
        """Whether a row is not provisional."""
        return not provenance.reasons(self._as_result(), [row])

    @property
    def short_commit(self):
        return self.commit[:7] + ("-dirty" if self.commit.endswith("-dirty") else "")

    def verified(self):
        """(runs whose results were checked and right, all runs)."""
        return sum(bool(run.get("verified")) for run in self.runs), len(self.runs)


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise Unreadable(f"{path} is not JSON: {error}") from None


def _check(path, content):
    if not isinstance(content, dict):
        raise Unreadable(f"{path} does not hold an object")
    if content.get("schema") != SCHEMA:
        raise Unreadable(f"{path} is not a result of schema {SCHEMA}")
    for key, kind in (("rows", list), ("runs", list), ("published", dict), ("machine", dict),
                      ("build", dict), ("command", str), ("commit", str), ("source", str),
                      ("title", str), ("notes", list), ("keys", list), ("metric", dict),
                      ("panels", list), ("context", dict)):
        if content.get(key) is not None and not isinstance(content[key], kind):
            raise Unreadable(f"{path}: '{key}' has the wrong type, {type(content[key]).__name__}")
    for key in ("rows", "runs"):
        if not all(isinstance(item, dict) for item in content.get(key) or []):
            raise Unreadable(f"{path}: '{key}' must hold objects")
    if not content.get("rows"):
        raise Unreadable(f"{path} has no rows")


def read(folder):
    """All documents, by machine and experiment, older commits before newer ones."""
    if not os.path.isdir(folder):
        raise Unreadable(f"{folder} is not a folder")
    documents = []
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(root, name)
            place = os.path.relpath(path, folder).split(os.sep)
            if name.startswith(".") or not name.endswith(".json"):
                continue
            if len(place) != 3:
                raise Unreadable(f"{path} is not at <machine>/<experiment>/<commit>.json")
            content = read_json(path)
            _check(path, content)
            documents.append(Document((place[0], place[1], name[:-len(".json")]), content))
    if not documents:
        raise Unreadable(f"{folder} holds no results")
    return sorted(documents, key=lambda d: (d.experiment, d.machine_name, d.started, d.commit_name))


def latest(documents):
    """The newest document of each machine and experiment, in the order of the input."""
    newest = {}
    for document in documents:
        newest[document.machine_name, document.experiment] = document
    return list(newest.values())
