"""check_schedule_document.py PROGRAM DOCUMENT: the document has the tables that schedule_table prints."""

import subprocess
import sys

program, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    lines = set(line.rstrip() for line in file)
printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
assert len(printed) > 60, printed
for line in printed:
    assert line.rstrip() in lines, f"{path} lacks what schedule_table prints: {line}"
