"""What the plot_*.py programs share: errors for the user, and pictures that appear whole or not at all."""

import contextlib
import os
import sys


class BadInput(Exception):
    """One sentence for the user that names the file or option."""


@contextlib.contextmanager
def whole_file(path, option="--out"):
    """A name to write to, with the suffix of `path`; what lies there becomes `path` at the end."""
    temporary = f"{path}.partial{os.path.splitext(path)[1]}"
    try:
        yield temporary
        os.replace(temporary, path)
    except (OSError, ValueError) as error:
        raise BadInput(f"{option} {path} cannot be written: {error}") from None
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


@contextlib.contextmanager
def closing(figure):
    """Closes the figure at the end, whatever happens: pyplot keeps every other one."""
    from matplotlib import pyplot
    try:
        yield figure
    finally:
        pyplot.close(figure)


def save(figure, path, dpi, option="--out", **look):
    """Writes the figure and closes it. `look` goes to Figure.savefig."""
    with closing(figure), whole_file(path, option) as temporary:
        figure.savefig(temporary, dpi=dpi, **look)


def exit_code(program, draw, *arguments):
    """0, or 2 after one sentence on stderr."""
    try:
        draw(*arguments)
    except BadInput as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    return 0
