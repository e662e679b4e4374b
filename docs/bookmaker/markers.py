"""Pieces of sources between `// [begin NAME]` and `// [end NAME]` (`#` in Python and CMake)."""

import re
import textwrap

from . import BookError

MARKER = re.compile(r"^\s*(?://|#) \[(begin|end) ([\w-]+)\]\s*$")


def marked(root, path, name):
    """The lines between the two markers, without indentation and without markers of others."""
    file = root / path
    if not file.is_file():
        raise BookError(f"there is no file {path}")
    lines, inside, seen = [], False, 0
    for line in file.read_text(encoding="utf-8").splitlines():
        marker = MARKER.match(line)
        if marker and marker.group(2) == name:
            if (marker.group(1) == "begin") == inside:
                raise BookError(f"{path}: markers of '{name}' do not pair")
            inside = not inside
            seen += inside
        elif inside and not marker:
            lines.append(line)
    if seen != 1 or inside:
        raise BookError(f"{path} has {seen} pieces '// [begin {name}]' ... '// [end {name}]'; "
                        "one is needed")
    text = textwrap.dedent("\n".join(lines)).strip("\n")
    if not text.strip():
        raise BookError(f"{path}: nothing is between the markers of '{name}'")
    return text
