"""Fills what stands between `<!-- listing|result|table ... -->` and `<!-- end -->`."""

import re

from . import BookError, markers, results, tables

DIRECTIVE = re.compile(r"<!-- (listing|result|table) (.+?) -->(.*?)<!-- end -->", re.DOTALL)
OPENING = re.compile(r"<!-- (?:listing|result|table) ")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)

LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".txt": "cmake", ".cmake": "cmake"}


def listing(arguments, root):
    if len(arguments) != 2:
        raise BookError(f"a listing needs a path and a name, not '{' '.join(arguments)}'")
    path, name = arguments
    text = markers.marked(root, path, name)
    language = LANGUAGES.get((root / path).suffix, "")
    return f"\n\n```{language}\n{text}\n```\n\nFrom `{path}`.\n\n"


def result(arguments, root):
    if len(arguments) not in (2, 3):
        raise BookError(f"a result needs MACHINE/EXPERIMENT and a field, not "
                        f"'{' '.join(arguments)}'")
    value = results.field(results.load(root, arguments[0]), arguments[1])
    return format(value, arguments[2]) if len(arguments) == 3 else str(value)


def table(arguments, root):
    make = tables.TABLES.get(arguments[0])
    if make is None:
        raise BookError(f"there is no table '{arguments[0]}'; there are {sorted(tables.TABLES)}")
    return "\n\n" + make(root, *arguments[1:]).strip("\n") + "\n\n"


FILLERS = {"listing": listing, "result": result, "table": table}


def expand(text, root):
    """The page with everything filled in; what is in code fences written by hand stays."""
    def fill(match):
        kind, arguments = match.group(1), match.group(2)
        if OPENING.search(match.group(3)):
            raise BookError(f"'<!-- {kind} {arguments} -->' has no end")
        body = FILLERS[kind](arguments.split(), root)
        return f"<!-- {kind} {arguments} -->{body}<!-- end -->"

    # Fences outside of directives are examples of how to write them, in the chapter on the book.
    parts, place = [], 0
    for fence in FENCE.finditer(text):
        if "<!-- end -->" in fence.group(0):
            before = text[place:fence.start()]
            parts += [DIRECTIVE.sub(fill, before), fence.group(0)]
            place = fence.end()
    parts.append(DIRECTIVE.sub(fill, text[place:]))
    filled = "".join(parts)
    if len(OPENING.findall(filled)) != filled.count("<!-- end -->"):
        raise BookError("a '<!-- listing|result|table ... -->' has no '<!-- end -->'")
    return filled


def without_comments(text):
    """The page as the site shows it: filled in, the comments gone."""
    return DIRECTIVE.sub(lambda match: match.group(3), text)
