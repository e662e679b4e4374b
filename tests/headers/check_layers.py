"""check_layers.py ROOT: includes point one way.

    miniapps -> domains -> traversal -> gravity, grid -> tree -> algorithms -> particles -> backend

A folder of common/copse may include itself and the layers below it; io may include particles and
backend, app also io; no folder below a mini-app includes io or app. Nothing in common includes a
mini-app, and no mini-app includes another. Only a folder itself and its tests include its
detail/. No folder of common or of a mini-app has more than 30 files side by side.
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
ORDER = [["backend"], ["particles"], ["algorithms"], ["tree"], ["gravity", "grid"], ["traversal"],
         ["domains"]]
BELOW = {folder: {name for lower in ORDER[:level] for name in lower}
         for level, folders in enumerate(ORDER) for folder in folders}
BELOW["io"] = {"backend", "particles"}
BELOW["app"] = {"backend", "particles", "io"}


def sources(folder):
    return (file for file in sorted((root / folder).rglob("*")) if file.suffix in (".hpp", ".cpp"))


def included(file):
    """(the include as written, the file in the repository or None)."""
    for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
        places = [file.parent / name, root / "common" / name, root / "miniapps" / name, root / name]
        found = next((place.resolve() for place in places if place.is_file()), None)
        yield name, found and found.relative_to(root).parts


def wrong_layer(parts, name, target):
    """Why a file of common or of a mini-app must not include the target; None if it may."""
    if target is None:
        return None
    if target[0] == "miniapps":
        if parts[0] == "common":
            return f"includes {name}: common includes no mini-app"
        if parts[:2] != target[:2]:
            return f"includes {name}: a mini-app includes no other"
    if parts[0] == target[0] == "common" and len(target) > 3:
        here, there = parts[2], target[2]
        if here not in BELOW:
            return f"is in {here}, a folder without a place in the order of layers"
        if there != here and there not in BELOW[here]:
            return f"includes {name}: {here} stands on {', '.join(sorted(BELOW[here])) or 'nothing'}"
    return None


def foreign_detail(parts, target):
    """Whether the target is in the detail/ of a folder that the file is neither in nor a test of."""
    if target is None or "detail" not in target:
        return False
    owner = target[:target.index("detail")]
    tested = ("tests", "common") + owner[2:]
    return parts[:len(owner)] != owner and parts[:len(tested)] != tested


wrong, seen = [], 0
for folder in ("common", "miniapps", "perf", "roofline", "docs", "tests"):
    for source in sources(folder):
        place = source.relative_to(root)
        for what, end in included(source):
            seen += end is not None
            reason = wrong_layer(place.parts, what, end) if folder in ("common", "miniapps") else None
            if reason:
                wrong.append(f"{place} {reason}")
            if foreign_detail(place.parts, end):
                wrong.append(f"{place} includes {what}: that is {'/'.join(end[:-2])}'s own")
for folder in ("common", "miniapps"):
    for place in filter(pathlib.Path.is_dir, (root / folder).rglob("*")):
        files = sum(file.is_file() for file in place.iterdir())
        if files > 30:
            wrong.append(f"{place.relative_to(root)} has {files} files: cut the folder")
assert not wrong, "\n".join(wrong)
assert seen > 500, f"only {seen} includes were found"
print(seen, "includes")
