"""HTML tables. Cells carry their sort key; the script sorts when a header is clicked."""

from . import quantities
from .columns import is_number
from .markup import join, tag


def cell(content, value=None, **attributes):
    """A cell; a number is aligned right and used as the sort key."""
    if value is None:
        return tag("td", content, **attributes)
    kind = "number " + attributes.pop("class_", "")
    return tag("td", content, class_=kind.strip(), data_value=repr(value), **attributes)


def html(headers, rows, label, numeric=()):
    """A table in a box that scrolls sideways. `rows` are lists of cells, the first one a
    header of its row; `numeric` are the indices of columns of numbers."""
    head = tag("tr", *[tag("th", h, scope="col", class_="number" if i in numeric else None)
                       for i, h in enumerate(headers)])
    return tag("div", tag("table", tag("caption", label, class_="quiet"), tag("thead", head),
                          tag("tbody", *[tag("tr", *row) for row in rows])),
               class_="table", tabindex="0", role="region", aria_label=label)


def missing():
    """The cell of a missing number; it sorts last."""
    return tag("td", "–", class_="number", data_value="")


def value_cell(column, value):
    """The cell of one value of a column, with sensible digits; the title has them all."""
    kind = "published" if column.part == "published" else None
    if value is None:
        return missing() if column.numeric() else tag("td", "–", class_=kind)
    if column.part == "samples":
        numbers = [v for v in value if is_number(v)] if isinstance(value, list) else []
        unit = column.unit or ("s" if column.name == "samples" else "")
        if not numbers:
            return missing()
        return cell(f"{quantities.number(min(numbers), unit)} to "
                    f"{quantities.number(max(numbers), unit)}", max(numbers) - min(numbers))
    if is_number(value):
        return cell(quantities.number(value, column.unit), value, class_=kind or "",
                    title=f"{value!r} {column.unit}".strip())
    if isinstance(value, list):
        return tag("td", ", ".join(map(str, value)), class_=kind)
    if isinstance(value, bool):
        return tag("td", "yes" if value else "no", class_=kind)
    return tag("td", str(value), class_=kind)


def of_table(table, label):
    """All rows of a table; values equal in all rows are listed once, above."""
    same, shown = [], []
    for column in table.columns:
        once = len(table) > 1 and not column.varies and column.part in ("case", "detail") \
            and column.name != "machine"
        (same if once else shown).append(column)
    if len({d.machine_name for d in table.documents}) == 1:
        shown = [c for c in shown if c.name != "machine"]
    headers = [_header(c) for c in shown]
    rows = [[value_cell(c, c.values[r]) for c in shown] for r in range(len(table))]
    numeric = {i for i, c in enumerate(shown) if c.numeric() or c.part == "samples"}
    if any(run is not None for run in table.runs):
        headers.append("run")
        numeric.add(len(shown))
        for row, document, run in zip(rows, table.documents, table.runs):
            row.append(_run_cell(document, run))
    said = None
    if same:
        said = tag("p", "In all rows: ", ", ".join(
            f"{c.label} {_plain(c)}" for c in same), ".", class_="quiet")
    return join(said, html(headers, rows, label, numeric))


def _run_cell(document, run):
    """A link to the command of a row's run."""
    if not document.run(run):
        return missing()
    return cell(tag("a", str(run + 1), href=f"#{run_anchor(document, run)}"), run + 1)


def run_anchor(document, run):
    return f"{document.anchor}-run-{run + 1}"


def _header(column):
    if column.part == "samples":
        return f"{column.label}, spread"
    return column.label


def _plain(column):
    value = column.values[0]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return quantities.number(value, column.unit) if is_number(value) else str(value)
