"""Fills the blocks between `<!-- KIND ... -->` and `<!-- end -->`: BLOCKS, figures and drawings. NUMBERS are
for sentences (numbers.py)."""

import posixpath
import re

from . import BookError, concepts, figures, markers, ratios, results, speeds, tables, targets

KINDS = "listing|table|figure|drawing"
DIRECTIVE = re.compile(rf"<!-- ({KINDS}) (.+?) -->(.*?)<!-- end -->", re.DOTALL)
OPENING = re.compile(rf"<!-- (?:{KINDS}) ")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)

TABLES = tables.TABLES | targets.TABLES | {"speeds": speeds.speeds}
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
    return results.written(value, arguments[2]) if len(arguments) == 3 else str(value)


def ratio(arguments, root):
    if len(arguments) != 7:
        raise BookError("a ratio needs MACHINE/EXPERIMENT, case, column, two conditions, a "
                        f"statistic and a format, not '{' '.join(arguments)}'")
    return results.written(ratios.ratio(root, *arguments[:-1]), arguments[-1])


def table(arguments, root):
    make = TABLES.get(arguments[0])
    if make is None:
        raise BookError(f"there is no table '{arguments[0]}'; there are {sorted(TABLES)}")
    return "\n\n" + make(root, *arguments[1:]).strip("\n") + "\n\n"


def figure(arguments, root, folder, drawn):
    if len(arguments) not in (2, 3):
        raise BookError("a figure needs MACHINE/EXPERIMENT and a panel, not "
                        f"'{' '.join(arguments)}'")
    name, drawing, alternative, caption = figures.figure(root, *arguments)
    drawn[name] = drawing
    return f"\n\n![{alternative}]({posixpath.relpath(name, folder)})\n\n{caption}\n\n"


def drawing(arguments, folder, drawn):
    if len(arguments) != 1:
        raise BookError(f"a drawing needs its name, not '{' '.join(arguments)}'")
    name, content, alternative, caption = concepts.drawing(arguments[0])
    drawn[name] = content
    return f"\n\n![{alternative}]({posixpath.relpath(name, folder)})\n\n*{caption}*\n\n"


BLOCKS = {"listing": listing, "table": table}
NUMBERS = {"result": result, "ratio": ratio}


def expand(text, root, folder="docs", drawn=None):
    """The page of a folder with everything filled in; hand-written code fences stay
    unchanged. Adds its drawings to `drawn`, by name."""
    drawn = {} if drawn is None else drawn

    def fill(match):
        kind, arguments = match.group(1), match.group(2)
        if OPENING.search(match.group(3)):
            raise BookError(f"'<!-- {kind} {arguments} -->' has no end")
        if kind == "figure":
            body = figure(arguments.split(), root, folder, drawn)
        elif kind == "drawing":
            body = drawing(arguments.split(), folder, drawn)
        else:
            body = BLOCKS[kind](arguments.split(), root)
        return f"<!-- {kind} {arguments} -->{body}<!-- end -->"

    # Fences outside directives are examples of directives, in the chapter on the book.
    parts, place = [], 0
    for fence in FENCE.finditer(text):
        if "<!-- end -->" in fence.group(0):
            before = text[place:fence.start()]
            parts += [DIRECTIVE.sub(fill, before), fence.group(0)]
            place = fence.end()
    parts.append(DIRECTIVE.sub(fill, text[place:]))
    filled = "".join(parts)
    if len(OPENING.findall(filled)) != filled.count("<!-- end -->"):
        raise BookError(f"a '<!-- {KINDS} ... -->' has no '<!-- end -->'")
    return filled


def without_comments(text):
    """The page as shown on the site: filled in, without the comments."""
    return DIRECTIVE.sub(lambda match: match.group(3), text)
