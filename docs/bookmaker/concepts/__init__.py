"""Concept figures: an idea of the book carried out on a small example and drawn as SVG, in one style
(style.py). Nothing is placed by hand: each picture shows what its code computed.

A picture is a function without arguments in one of the modules below. Its docstring is the
description for readers who do not see it.
"""

import functools

from .. import BookError, figures
from . import contacts, forces, haloes, lanes, machine, motion, trees

MODULES = (trees, lanes, haloes, forces, motion, contacts, machine)


def functions():
    """Pictures by name."""
    return {name: function for module in MODULES for name, function in vars(module).items()
            if getattr(function, "__module__", "") == module.__name__ and name in module.PICTURES}


@functools.cache
def drawing(name):
    """(name of the SVG, the SVG, description in words, caption)."""
    pictures = functions()
    if name not in pictures:
        raise BookError(f"there is no drawing '{name}'; there are {sorted(pictures)}")
    picture, words = pictures[name](), " ".join(pictures[name].__doc__.split())
    return f"{figures.FOLDER}/{name}.svg", picture.svg(words), words, picture.caption
