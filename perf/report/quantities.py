"""Units and digits: the unit that a column's name implies, and the format of numbers.

Numbers have three significant digits and an SI prefix (21.6 ms, 1.17 G/s). Whole numbers that count
things stay whole; large powers of two are written as such, because sizes are chosen that way.
chart.js writes ticks by the same rules.
"""

import math

PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "µ"),
            (1e-9, "n"), (1e-12, "p"))
# Of the unit iB, sizes of memory that are powers of two.
BINARY = ((2**40, "Ti"), (2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki"), (1, ""))
# Units that take a prefix.
SCALED = {"s", "B", "B/s", "/s", "particles/s", "pairs/s", "flop/s", "op/s", "J", "W", "Hz"}
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# What a column called so, or ending in _so, is measured in; the first that fits holds. Some names
# may also lead.
UNITS_BY_NAME = (
    ("particles_per_second", "particles/s"), ("bytes_per_second", "B/s"),
    ("gigabytes_per_second", "GB/s"), ("flops_per_second", "flop/s"),
    ("bandwidth", "B/s"), ("per_second", "/s"), ("bytes_per_particle", "B/particle"),
    ("seconds", "s"), ("bytes", "B"), ("joules", "J"), ("joules_per_run", "J"), ("watts", "W"),
    ("speed_up", "×"), ("speedup", "×"), ("slowdown", "×"), ("ratio", "×"), ("ms", "ms"),
    ("gflops", "Gflop/s"), ("tflops", "Tflop/s"), ("ghz", "GHz"), ("copy_passes", "passes"),
)
LEADING = ("seconds", "bytes", "joules", "speed_up")  # seconds_without_partition
# Units of the mini-apps' figures of merit that say the same in this page's words.
UNITS_OF_REPORTS = {"1/s": "/s", "1e9/s": "G/s", "1": "", "x": "×", "seconds": "s", "bytes": "B"}


def unit_of(name):
    """The unit that a column's name tells; empty for a plain number."""
    for ending, unit in UNITS_BY_NAME:
        if name == ending or name.endswith("_" + ending) or (
                ending in LEADING and name.startswith(ending + "_")):
            return unit
    return ""


def smaller_is_better(unit, name=""):
    """True for times, memory and energy, False for rates and ratios, None where it is not known."""
    if unit in ("s", "ms", "B", "J", "B/particle", "passes") or name.endswith("error"):
        return True
    if unit.endswith("/s") or unit == "×" or "efficiency" in name or "utilisation" in name:
        return False
    return None


def significant(value, digits=3):
    """The number rounded to so many digits, without an exponent where that is readable."""
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude < -4 or magnitude > 6:
        mantissa = value / 10.0**magnitude
        if float(f"{mantissa:.{digits - 1}f}") >= 10:
            mantissa, magnitude = mantissa / 10, magnitude + 1
        text = f"{mantissa:.{digits - 1}f}".rstrip("0").rstrip(".")
        return f"{text}·10{str(magnitude).translate(SUPERSCRIPTS)}"
    text = f"{value:.{max(0, digits - 1 - magnitude)}f}"
    if float(text) >= 10.0 ** (magnitude + 1):
        text = f"{value:.{max(0, digits - 2 - magnitude)}f}"
    return text


def whole(value):
    """A count, with thin spaces between thousands; a power of two from 1024 as a power."""
    if value >= 1024 and value & (value - 1) == 0:
        return "2" + str(value.bit_length() - 1).translate(SUPERSCRIPTS)
    return f"{value:,}".replace(",", "\u202f")


def number(value, unit=""):
    """A value with its unit: 21.6 ms, 2²⁷, 3.1×."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not math.isfinite(value):
        return "not finite"
    if unit == "iB":
        return binary(value)
    if unit in SCALED and value != 0:
        scale, prefix = next(((s, p) for s, p in PREFIXES if abs(value) >= s * 0.9995),
                             PREFIXES[-1])
        return f"{significant(value / scale)} {prefix}{unit}"
    text = whole(value) if isinstance(value, int) and value >= 0 else significant(value)
    if unit in ("×", "%"):
        return text + unit
    return f"{text} {unit}" if unit else text


def binary(size):
    """Bytes with the prefixes of powers of two: 64 KiB, 1.5 MiB."""
    scale, prefix = next(((s, p) for s, p in BINARY if size >= s), BINARY[-1])
    return f"{float(f'{size / scale:.3g}'):g} {prefix}B"


def words(name):
    """A column's name for people: underscores are spaces."""
    return name.replace("_", " ").strip()
