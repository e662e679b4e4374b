"""check_model_document.py ORB DOCUMENT: the tables of the document equal the current output of orb."""

import subprocess
import sys

orb, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    lines = set(line.rstrip() for line in file)
for kind in ("thesis", "corrected"):
    done = subprocess.run([orb, "--particles", "1e9", "--leaves", "4096", "--model", kind,
                           "--dry-run"], capture_output=True, text=True, check=True)
    # The first line estimates the memory of this build's default backend.
    printed = [line.rstrip() for line in done.stdout.splitlines()[1:]]
    assert len(printed) >= 5, done.stdout
    for line in printed:
        assert line in lines, f"{path} lacks what orb --model {kind} prints: {line}"
