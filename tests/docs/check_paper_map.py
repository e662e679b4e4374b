"""check_paper_map.py ROOT: everything that docs/from-paper-to-code.md and its pages name exists.

Paths of files and folders, names of test cases, options of the mini-apps' experiments. Every row of a
table of places in a source names a path, or says why there is none.
"""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
PATH = re.compile(r"`((?:common|miniapps|tests|perf|roofline|docs|cmake)/[^`\s]*)`")
TOPS = ("backend", "particles", "io", "algorithms", "tree", "traversal", "app")
pages = sorted((root / "docs").glob("paper-*.md"))
assert len(pages) == 5, [page.name for page in pages]

wrong, rows = [], 0
for page in pages:
    text = page.read_text(encoding="utf-8")
    for path in PATH.findall(text):
        if not (root / path).exists():
            wrong.append(f"{page.name}: {path} does not exist")
    for word in re.findall(r"`([^`\n]+)`", text):
        if re.fullmatch(r"[\w-]+\.(hpp|cpp|py)", word):
            wrong.append(f"{page.name}: {word} needs its folder")
    for case in re.findall(r'test "([^"]+)"', text):
        found = subprocess.run(["grep", "-rqF", f'TEST_CASE("{case}', root / "tests"], check=False)
        if found.returncode != 0 and subprocess.run(
                ["grep", "-rqF", f'"{case}', root / "tests"], check=False).returncode != 0:
            wrong.append(f"{page.name}: there is no test \"{case}\"")
    for table in re.split(r"\n\n", text):
        lines = table.strip().splitlines()
        if len(lines) < 3 or not lines[0].startswith("| place | what | here |"):
            continue
        for line in lines[2:]:
            rows += 1
            here = line.strip().strip("|").split(" | ")[-1]
            if not (PATH.search(here) or "not reproduced" in here or "](" in here):
                wrong.append(f"{page.name}: no place and no reason: {line}")
assert not wrong, "\n".join(wrong)
assert rows > 200, f"only {rows} places are mapped"
