"""HTML and SVG as strings that are always escaped.

`tag("td", value, class_="number")` escapes its children and the values of its attributes, except
children that are already markup (results of another `tag`).
"""

import html


class Markup(str):
    """A string that is HTML already."""


def escape(value):
    return value if isinstance(value, Markup) else Markup(html.escape(str(value), quote=True))


def join(*children):
    """Children one after the other; lists are flattened, None is nothing."""
    parts = []
    for child in children:
        if isinstance(child, (list, tuple)):
            parts.append(join(*child))
        elif child is not None:
            parts.append(escape(child))
    return Markup("".join(parts))


VOID = {"meta", "br", "input"}


def tag(name, *children, **attributes):
    """An element. Attribute names: `class_` is class, other underscores are hyphens; None and False
    leave an attribute out, True leaves its value out."""
    text = [f"<{name}"]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        text.append(f" {key}" if value is True else f' {key}="{escape(str(value))}"')
    if name in VOID:
        return Markup("".join(text) + ">")
    return Markup("".join(text) + ">" + join(*children) + f"</{name}>")
