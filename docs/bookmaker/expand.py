"""Fills the blocks between `<!-- KIND ... -->` and `<!-- end -->`: BLOCKS, figures and drawings. NUMBERS are
for sentences (numbers.py)."""

import posixpath
import re

from . import BookError, concepts, figures, markers, numbers, peaks, ratios, results, speeds, tables, targets

KINDS = "listing|table|figure|drawing|provisional"
DIRECTIVE = re.compile(rf"<!-- ({KINDS}) (.+?) -->(.*?)<!-- end -->", re.DOTALL)
OPENING = re.compile(rf"<!-- (?:{KINDS}) ")
CONFESSION = re.compile(r"(<!-- provisional results -->).*?<!-- end -->", re.DOTALL)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)

TABLES = tables.TABLES | targets.TABLES | {"speeds": speeds.speeds, "peak": peaks.shares}
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


def outside_examples(text, change):
    """The page with a change to all but code fences that show directives, as in the chapter on the book."""
    parts, place = [], 0
    for fence in FENCE.finditer(text):
        if "<!-- end -->" in fence.group(0):
            parts += [change(text[place:fence.start()]), fence.group(0)]
            place = fence.end()
    return "".join([*parts, change(text[place:])])


def used(root, kind, arguments, content):
    """The rows of a result that a directive was filled from; None for all of them."""
    if kind == "result":
        row = results.row_of(root, content, arguments[1])
        return [row] if row else None
    if kind == "figure" and len(arguments) == 3 or kind == "table" and arguments[0] == "rows":
        return results.rows(content, arguments[2])
    if kind == "ratio":
        return [row for row in content["rows"]
                if results.meets(row, arguments[3]) or results.meets(row, arguments[4])]
    if kind == "table" and arguments[0] == "versions" and "rows" in content:
        return results.at_their_best(content)
    return None


def doubts(root, kind, arguments, opened):
    """{MACHINE/EXPERIMENT/COMMIT: reasons} of the provisional results that a directive or a number was
    filled from."""
    if kind == "result" and not arguments[1].startswith("rows"):
        return {}  # its commit or machine, not a measurement
    found = {}
    for name, content in opened.items():
        reasons = results.provisional(content, used(root, kind, arguments, content))
        if reasons:
            found[name] = reasons
    return found


def joined(found, more):
    """Adds the reasons of other results."""
    for name, reasons in more.items():
        known = found.setdefault(name, [])
        known += [reason for reason in reasons if reason not in known]
    return found


def of_numbers(page, root):
    """Doubts about the numbers in the sentences of a page."""
    found = {}
    for name, _, sources in numbers.entries(root):
        for kind, _, text in (source.partition(" ") for source in sources if name == page):
            with results.watched() as opened:
                NUMBERS[kind](text.split(), root)
            joined(found, doubts(root, kind, text.split(), opened))
    return found


def confession(found):
    """The sentence that names the provisional results of a page."""
    if not found:
        return ""
    return ("\n\n*Provisional results on this page, to be measured again:* " + "; ".join(
        f"`{name}` ({', '.join(reasons)})" for name, reasons in sorted(found.items())) + ".\n\n")


def expand(text, root, folder="docs", drawn=None, page=None):
    """The page of a folder with everything filled in; hand-written code fences stay
    unchanged. Adds its drawings to `drawn`, by name. A page that uses provisional results, in its
    sentences too if its name is given, must say so with `<!-- provisional results -->`."""
    drawn = {} if drawn is None else drawn
    found = of_numbers(page, root) if page else {}

    def fill(match):
        kind, arguments = match.group(1), match.group(2)
        if OPENING.search(match.group(3)):
            raise BookError(f"'<!-- {kind} {arguments} -->' has no end")
        if kind == "provisional":
            return match.group(0)
        with results.watched() as opened:
            if kind == "figure":
                body = figure(arguments.split(), root, folder, drawn)
            elif kind == "drawing":
                body = drawing(arguments.split(), folder, drawn)
            else:
                body = BLOCKS[kind](arguments.split(), root)
        joined(found, doubts(root, kind, arguments.split(), opened))
        return f"<!-- {kind} {arguments} -->{body}<!-- end -->"

    filled = outside_examples(text, lambda piece: DIRECTIVE.sub(fill, piece))
    if found and not CONFESSION.search(filled):
        raise BookError(f"provisional results are used ({', '.join(sorted(found))}), which the page must "
                        "name: <!-- provisional results --><!-- end -->")
    filled = outside_examples(filled, lambda piece: CONFESSION.sub(
        lambda match: f"{match.group(1)}{confession(found)}<!-- end -->", piece))
    if len(OPENING.findall(filled)) != filled.count("<!-- end -->"):
        raise BookError(f"a '<!-- {KINDS} ... -->' has no '<!-- end -->'")
    return filled


def without_comments(text):
    """The page as shown on the site: filled in, without the comments."""
    return outside_examples(text, lambda piece: DIRECTIVE.sub(lambda match: match.group(3), piece))
