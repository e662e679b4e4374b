"""Finished points of a run that may be interrupted.

The side file NAME/unfinished.jsonl has one line per finished point: the identity of its call (command
line, threads, program file), its outcome, and the load before the session that ran it. A later run of the
same experiment reuses the points that it would run identically; the file is deleted when the result is
written. An incomplete last line is ignored.
"""

import json
import os


class Journal:
    """The side file of one experiment."""

    def __init__(self, path, load):
        """`load` is the load of the machine before this session."""
        self.path = path
        self._finished = {}
        self._session_load = load
        self.resumed = 0
        self.load = 0.0  # the largest load before a session that contributed a point

    def read(self):
        """Loads the points of an earlier run."""
        try:
            with open(self.path, encoding="utf-8") as file:
                lines = file.read().splitlines(keepends=True)
        except FileNotFoundError:
            return
        whole = []
        for line in lines:
            try:
                entry = json.loads(line)
                identity, kept = json.dumps(entry["identity"]), (entry["outcome"], entry["load"])
            except (ValueError, KeyError):
                continue
            if line.endswith("\n"):
                self._finished[identity] = kept
                whole.append(line)
        if len(whole) < len(lines):
            temporary = f"{self.path}.partial"
            with open(temporary, "w", encoding="utf-8") as file:
                file.writelines(whole)
            os.replace(temporary, self.path)

    def find(self, identity):
        """The outcome of an identical call, or None."""
        outcome, load = self._finished.get(json.dumps(identity), (None, 0.0))
        self.resumed += outcome is not None
        self.load = max(self.load, load)
        return outcome

    def add(self, identity, outcome):
        """Stores a finished point on disk before it returns."""
        self.load = max(self.load, self._session_load)
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"identity": identity, "outcome": outcome, "load": self._session_load}) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def remove(self):
        """Deletes the side file after the result is written."""
        if os.path.exists(self.path):
            os.remove(self.path)
