"""Progress of an experiment on stderr: one updated line on a terminal, otherwise only notes."""

import sys
import time


class Progress:
    """Counts points and estimates the remaining time from those that were run."""

    def __init__(self, name, total):
        self.name, self.total = name, total
        self.count, self.spent, self.ran = 0, 0.0, 0
        self.live = sys.stderr.isatty()
        self.started = time.monotonic()

    def _line(self, text):
        if self.live:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def begin(self, label):
        """A point starts."""
        left = ""
        if self.ran:
            seconds = self.spent / self.ran * (self.total - self.count)
            left = f", about {seconds:.0f} s left" if seconds < 100 else \
                f", about {seconds / 60:.0f} min left"
        self._line(f"{self.name} {self.count + 1}/{self.total}{left}: {label}")

    def point(self, seconds):
        """A point ends; `seconds` is None if it was not run."""
        self.count += 1
        if seconds is not None:
            self.spent += seconds
            self.ran += 1

    def say(self, sentence):
        """Prints a sentence that stays."""
        self._line("")
        print(f"{self.name}: {sentence}", file=sys.stderr, flush=True)

    def done(self):
        """The result is written."""
        self._line("")
