"""Numbers as experiment files write them, and values that differ between full and quick runs.

    "2^20", "1e7", 4096            a number
    "2^1..2^12", "2^16..2^28:4"    its doublings (or times four) from the first to the last
    { full = X, quick = Y }        X, or Y with --quick
"""

import re

POWER = re.compile(r"^(\d+)\^(\d+)$")
DECIMAL = re.compile(r"^\d+(\.\d+)?e\d+$")
RANGE = re.compile(r"^([^.:]+)\.\.([^.:]+)(?::(\d+))?$")


def number(value):
    """The value as an integer if it is written as 2^20 or 1e7, otherwise unchanged."""
    if isinstance(value, str):
        power = POWER.match(value)
        if power:
            return int(power[1]) ** int(power[2])
        if DECIMAL.match(value):
            return int(float(value))
    return value


def choose(value, quick):
    """`value`, or the requested one of { full, quick }, with its numbers parsed."""
    if isinstance(value, dict) and set(value) == {"full", "quick"}:
        value = value["quick" if quick else "full"]
    if isinstance(value, list):
        return [number(v) for v in value]
    return number(value)


def spread(value):
    """The values of an axis: a list unchanged, a range as its multiples, anything else as one value."""
    if isinstance(value, list):
        return value
    found = RANGE.match(value) if isinstance(value, str) else None
    if not found:
        return [value]
    at, last, factor = number(found[1]), number(found[2]), int(found[3] or 2)
    at, last = int(at), int(last)
    values = []
    while at <= last and factor > 1:
        values.append(at)
        at *= factor
    return values


def given(text):
    """A value from the command line: a number if possible, otherwise the text."""
    value = number(text)
    for kind in (int, float):
        if isinstance(value, str):
            try:
                value = kind(value)
            except ValueError:
                pass
    return value


def power_of_two(n):
    """2^20 for 1048576; other numbers with separators."""
    return f"2^{n.bit_length() - 1}" if n > 0 and n & (n - 1) == 0 else f"{n:,}"
