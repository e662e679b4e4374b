"""check_claims.py ROOT: every claim of docs/claims.md names the results that its numbers are of, none of
them is provisional, and the test notices one that is."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / "docs"))
sys.dont_write_bytecode = True
from bookmaker import expand, results  # noqa: E402

DIRECTIVE = re.compile(r"<!-- (result|ratio|origin) (.+?) -->")
# Claims that rest on tests or arithmetic, or wait for a measurement, name no result.
WITHOUT = ("tests of", "not measured yet", "published.py", "bytes_sent", "none")


def opened_by(kind, arguments):
    with results.watched() as found:
        expand.FILLERS[kind](arguments, root)
    return found if kind != "origin" else {"/".join(re.search(
        r"`(.+)` at (\w+)", expand.origin(arguments, root)).groups()): None}


def faults(row):
    """What is wrong with a row of a table of claims."""
    said, used, found = set(), set(), []
    for kind, text in DIRECTIVE.findall(row):
        arguments = text.split()
        opened = opened_by(kind, arguments)
        (said if kind == "origin" else used).update(opened)
        if kind != "origin":
            found += [f"{name} is provisional: {', '.join(reasons)}" for name, reasons in
                      expand.doubts(root, kind, arguments, opened).items()]
    found += [f"{name} is not named" for name in sorted(used - said)]
    if not used and not any(text in row for text in WITHOUT):
        found.append("no result is cited")
    return found


page = (root / "docs/claims.md").read_text(encoding="utf-8")
claims, provisional = page.split("\n## Provisional results\n")
rows = [line for line in claims.splitlines() if line.startswith("| ") and not re.match(
    r"\| (place|---)", line)]
assert len(rows) > 20, "the tables of claims are not found"
wrong = {row.split(" | ")[0][2:]: faults(row) for row in rows if faults(row)}
assert not wrong, wrong

# What stands among the provisional rows would fail above it, and so would a result that is not named.
below = [line for line in provisional.splitlines() if DIRECTIVE.search(line)]
assert below and all(any("is provisional" in fault for fault in faults(row)) for row in below), \
    [row[:60] for row in below if not any("is provisional" in fault for fault in faults(row))]
good = next(row for row in rows if row.count("<!-- origin") == 1)
assert faults(re.sub(r"<!-- origin .+?<!-- end -->", "", good))
