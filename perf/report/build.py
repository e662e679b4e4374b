"""Builds the page from its parts: one self-contained HTML file.

The content security policy allows the page's own style and script and nothing from anywhere, so
the page fetches nothing and does not run code that a result contains.
"""

import base64
import hashlib
import html
import json
import os
import re

from . import ceilings, comparisons, opening, quantities, sections, svg
from .markup import join, tag

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = ("scales.js", "chart.js", "tip.js", "gestures.js", "table.js", "page.js")


def _part(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def _fill(template, values):
    """Replaces all $names at once; inserted text is not expanded again."""
    return re.sub(r"\$(" + "|".join(values) + r")\b", lambda m: values[m[1]], template)


def script():
    """All scripts in one strict scope, with the numbers they share with Python."""
    values = {"scaled": json.dumps(sorted(quantities.SCALED)), "layout": json.dumps({
        "row": svg.ROW, "left": svg.LEFT, "right": svg.RIGHT, "top": svg.TOP, "bottom": svg.BOTTOM,
        "letter": svg.LETTER, "edge": svg.EDGE, "across": svg.ACROSS, "down": svg.DOWN,
        "mark": svg.MARK})}
    body = "\n".join(_fill(_part(name), values) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{body}}})();\n'


def _hash(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page(documents, machines=()):
    """The HTML of all documents; `machines` are those of machine files."""
    names = list(dict.fromkeys(d.experiment for d in documents))
    titles = {d.experiment: d.title for d in documents if d.title}
    parts = [opening.section(documents), sections.overview(documents, titles)]
    contents = [("answers", "Answers"), ("overview", "Overview")]
    of = {name: [d for d in documents if d.experiment == name] for name in names}
    beside = [part for name in names if (part := comparisons.side_by_side(name, of[name]))]
    if beside:
        contents.append(("side-by-side", "Side by side"))
        parts.append(tag("section", tag("h2", "Machines and backends side by side"), tag(
            "p", "The same case on different machines or backends. Only cases that at least two places "
            "have are shown."), beside, id="side-by-side"))
    for name in names:
        contents.append((name, name))
        parts.append(sections.experiment(name, of[name], titles.get(name),
                                         comparisons.history(name, of[name])))
    if machines:
        contents.append(("ceilings", "Ceilings"))
        parts.append(ceilings.section(machines))
    style, code = _part("page.css"), script()
    policy = (f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(code)}; "
              "base-uri 'none'; form-action 'none'")
    newest = max((d.date for d in documents), default="")
    return _fill(_part("page.html"), {
        "policy": html.escape(policy), "title": "Copse: measured results",
        "subtitle": "Mini-apps about particle trees: measurements, machines and commands"
                    + (f"; the newest on {newest}." if newest else "."),
        "style": style, "script": code,
        "contents": tag("ul", *[tag("li", tag("a", text, href=f"#{anchor}"))
                                for anchor, text in contents]),
        "main": join(parts),
        "footer": "Built by perf/report.py from result files only.",
    })
