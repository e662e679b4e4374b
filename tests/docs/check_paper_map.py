"""check_paper_map.py ROOT: everything that the maps of the sources (docs/paper-*.md) name exists.

Paths of files and folders, names of test cases, experiments. Every row of a table of places in a
source names the corresponding code, or why it is not reproduced.
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
PATH = re.compile(r"`((?:common|miniapps|tests|perf|roofline|docs|cmake)/[^`\s]*)`")
pages = sorted((root / "docs").glob("paper-*.md"))
assert len(pages) == 5, [page.name for page in pages]

# Names of test cases may be written over several lines.
test_sources = re.sub(r'"\s*\n\s*"', "", "".join(
    file.read_text(encoding="utf-8") for file in (root / "tests").rglob("*.cpp")))
test_sources = re.sub(r"TEST_CASE\(\s+", "TEST_CASE(", test_sources)
wrong, rows, cases = [], 0, 0
for page in pages:
    text = page.read_text(encoding="utf-8")
    for path in PATH.findall(text):
        if not (root / path).exists():
            wrong.append(f"{page.name}: {path} does not exist")
    for word in re.findall(r"`([^`\n]+)`", text):
        if re.fullmatch(r"[\w-]+\.(hpp|cpp|py)", word):
            wrong.append(f"{page.name}: {word} needs its folder")
    for names in re.findall(r"tests? ((?:\"[^\"]+\"(?:, | and )?)+)", text.replace("\\|", "|")):
        for case in re.findall(r'"([^"]+)"', names):
            if f'("{case}"' not in test_sources:
                wrong.append(f"{page.name}: there is no test \"{case}\"")
            cases += 1
    for name in re.findall(r"`(\w+)`", " ".join(
            re.findall(r"experiments? ((?:`\w+`(?:, | and )?)+)", text))):
        if not (root / f"perf/experiments/{name}.toml").exists():
            wrong.append(f"{page.name}: there is no experiment {name}")
    for table in re.split(r"\n\n", text):
        lines = table.strip().splitlines()
        if len(lines) < 3 or not lines[0].startswith("| place | what | here |"):
            continue
        for line in lines[2:]:
            rows += 1
            here = line.strip().strip("|").split(" | ")[-1]
            if not PATH.search(here) and not re.search(
                    r'experiments? `|tests? "|not reproduced|\]\(', here):
                wrong.append(f"{page.name}: no place and no reason: {line}")
assert not wrong, "\n".join(wrong)
assert rows > 180, f"only {rows} places are mapped"
assert cases > 50, f"only {cases} test cases are named"
print(rows, "places,", cases, "test cases")
