"""Axes: maps values to positions along an axis, and chooses its ticks.

An axis lives in the space u of its scale (u = value, log10 value, log2 value, or the number of a
name), so that zooming and panning are linear whatever the scale. chart.js has the same functions;
the browser test compares the ticks that both make.
"""

import math

from . import quantities

FORWARD = {"linear": float, "log": math.log10, "log2": math.log2, "names": float}


def domain(values, scale):
    """(low, high) in u, a little wider than the values; linear axes start at 0 if it is near."""
    if scale == "names":
        return -0.5, max(values) + 0.5
    u = [FORWARD[scale](v) for v in values]
    low, high = min(u), max(u)
    if scale == "linear":
        if 0 < low < 0.7 * high:
            low = 0.0
        pad = 0.05 * (high - low) or abs(high) * 0.1 or 1.0
        return (low if low == 0.0 else low - pad), high + pad
    pad = 0.06 * (high - low) or 0.3
    return low - pad, high + pad


def nice_step(span, most):
    """The least step of 1, 2 or 5 times a power of ten that needs no more than `most` steps."""
    rough = span / max(1, most)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))


def _linear(low, high, most):
    step = nice_step(high - low, most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def _one_two_five(low, high, first, last):
    values = [m * 10.0**k for k in range(first, last + 1) for m in (1, 2, 5)]
    return [v for v in values if low - 1e-9 <= math.log10(v) <= high + 1e-9]


def ticks(scale, low, high, most):
    """Values of the ticks of an axis from u = low to high, at most about `most`."""
    if scale == "linear":
        return _linear(low, high, most)
    base = 10 if scale == "log" else 2
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    whole = last - first + 1
    some = _one_two_five(low, high, first - 1, last) if scale == "log" else []
    if whole < 2:  # about a decade or octave, or less
        if len(some) > 2:
            return some
        return [v for v in _linear(base**low, base**high, most) if v > 0]
    if scale == "log" and 3 * whole <= most:
        return some
    step = max(1, math.ceil(whole / most))
    return [float(base) ** k for k in range(first, last + 1) if k % step == 0]


def tick_text(value, unit, scale):
    """A tick's number: as short as it can be."""
    if unit == "iB":
        return quantities.binary(value)
    if scale == "log2" and value >= 1024 and math.log2(value).is_integer():
        return "2" + str(int(math.log2(value))).translate(quantities.SUPERSCRIPTS)
    if unit in quantities.SCALED and value != 0:
        scale_by, prefix = next(((s, p) for s, p in quantities.PREFIXES
                                 if abs(value) >= s * 0.9995), quantities.PREFIXES[-1])
        short = unit if len(unit) < 5 else unit[max(0, unit.find("/")):]  # the axis label names the unit
        return f"{_short(value / scale_by)} {prefix}{short}"
    if unit in ("×", "%"):
        return _short(value) + unit
    return _short(value)


def tick_texts(values, unit, scale):
    """The numbers of an axis' ticks, all as powers of ten if one of them needs an exponent."""
    texts = [tick_text(value, unit, scale) for value in values]
    short = [_short(value) for value in values]
    if scale != "log" or texts != short or not any(text[-1] in "⁰¹²³⁴⁵⁶⁷⁸⁹" for text in texts):
        return texts
    return [_short(value, least=2) for value in values]


def _short(value, least=5):
    """A number, with an exponent if its magnitude is `least` or more."""
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)) + 1e-9)
    if -least < magnitude < least:
        return f"{float(f'{value:.4g}'):.10f}".rstrip("0").rstrip(".")
    mantissa = f"{float(f'{value / 10.0**magnitude:.3g}'):.10f}".rstrip("0").rstrip(".")
    power = "10" + str(magnitude).translate(quantities.SUPERSCRIPTS)
    return power if mantissa == "1" else f"{mantissa}·{power}"
