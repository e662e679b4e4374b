"""check_claims.py ROOT: every claim of docs/claims.md names the results that its numbers are of, none of
them is provisional, and the test notices one that is."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / "docs"))
sys.dont_write_bytecode = True
from bookmaker import expand, numbers, results  # noqa: E402

ORIGIN = re.compile(r"`([\w-]+/\w+)` at (\w{7})\b")
SENTENCES = [(numbers.pattern(words), sources) for page, words, sources in numbers.entries(root)
             if page == "docs/claims.md"]
# Claims that rest on tests or arithmetic, or wait for a measurement, name no result.
WITHOUT = ("tests of", "not measured yet", "published.py", "none")


def sources_of(row):
    """(kind, arguments) of the numbers of a row."""
    for pattern, sources in SENTENCES:
        if pattern.search(row):
            yield from ((kind, text.split()) for kind, _, text in
                        (source.partition(" ") for source in sources))


def faults(row):
    """What is wrong with a row of a table of claims."""
    said, used, found = set(map("/".join, ORIGIN.findall(row))), set(), []
    for kind, arguments in sources_of(row):
        with results.watched() as opened:
            expand.NUMBERS[kind](arguments, root)
        if arguments[1] != "commit":
            used.update(opened)
        found += [f"{name} is provisional: {', '.join(reasons)}" for name, reasons in
                  expand.doubts(root, kind, arguments, opened).items()]
    found += [f"{name} is not named" for name in sorted(used - said)]
    if not used and not any(text in row for text in WITHOUT):
        found.append("no result is cited")
    return found


page = (root / "docs/claims.md").read_text(encoding="utf-8")
rows = [line for line in page.splitlines() if line.startswith("| ") and not re.match(
    r"\| (place|---)", line)]
assert len(rows) > 20, "the tables of claims are not found"
wrong = {row.split(" | ")[0][2:]: faults(row) for row in rows if faults(row)}
assert not wrong, wrong

# A row fails if its result comes from a build with changes, and if its result is not named.
measured = [row for row in rows if any(arguments[1] != "commit" for _, arguments in sources_of(row))]
rule = results.provisional
results.provisional = lambda content, rows=None: rule(
    {**content, "commit": content.get("commit", "") + "-dirty"}, rows)
missed = [row[:60] for row in measured if not any("is provisional" in fault for fault in faults(row))]
assert len(measured) > 20 and not missed, missed
results.provisional = rule
good = next(row for row in rows if len(ORIGIN.findall(row)) == 1)
assert any("not named" in fault for fault in faults(ORIGIN.sub(r"`other/result` at \2", good))) or \
    "no result is cited" in faults(ORIGIN.sub(r"`other/result` at \2", good))
