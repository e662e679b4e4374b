"""Pictures of results, from the panels that the experiment's file lists.

    kind       lines (the default), bars or stacked
    x, y       columns; y of `stacked` is a column of {part: value}
    series     columns, one line or colour for each combination of their values
    published  column drawn dashed in the colour of its series
    published_bars  of `stacked`: an expression over `published` that gives {label: {part: value}}, bars
               beside the measured ones
    only       {column: value}, selects the rows of this panel
    joined     false: points without lines
    published_label, published_series  what the published values are of, and the columns that tell them
               apart, where the series are of something else (published_series: perf/report.py)
    reads      of a ratio: what is above 1
    title, xlabel, ylabel, xscale, yscale (linear, log, log2)
    marks      [{x, y, label}] published points, [{y, label}] or [{x, label}] published lines;
               with `reference = true` a line of equality and not a published value

Needs matplotlib.
"""

import matplotlib

matplotlib.use("Agg")

from matplotlib.figure import Figure  # noqa: E402  pylint: disable=wrong-import-position

from . import rows as result_rows  # noqa: E402  pylint: disable=wrong-import-position
from .sizes import power_of_two  # noqa: E402  pylint: disable=wrong-import-position
from .vocabulary import evaluate  # noqa: E402  pylint: disable=wrong-import-position


def _label(row, series):
    words = []
    for name in series:
        value = row.get(name)
        if value is not None:
            large = isinstance(value, int) and value > 9999
            text = power_of_two(value) if large else str(value)
            words.append(text if isinstance(value, str) else f"{name} {text}")
    return ", ".join(words)


def _plain(row, column):
    value = row.get(column)
    return value if isinstance(value, (int, float)) else None


def _groups(rows, series):
    groups = {}
    for row in rows:
        groups.setdefault(_label(row, series), []).append(row)
    return groups


def _scale(axes, panel):
    for axis, setter in (("x", axes.set_xscale), ("y", axes.set_yscale)):
        scale = panel.get(f"{axis}scale", "linear")
        if scale == "log2":
            setter("log", base=2)
        elif scale != "linear":
            setter(scale)
        elif axis == "y":
            axes.set_ylim(0, None)
    heights = [bar.get_height() for bar in axes.patches if bar.get_height() > 0]
    if heights and panel.get("yscale", "linear") != "linear":  # bars on a logarithmic axis have no foot
        axes.set_ylim(0.8 * min(heights), None)


def _lines(axes, rows, panel):
    for index, (label, group) in enumerate(_groups(rows, panel.get("series", [])).items()):
        points = [(r[panel["x"]], _plain(r, panel["y"])) for r in group
                  if r.get(panel["x"]) is not None and _plain(r, panel["y"]) is not None]
        if points:
            style = "o-" if panel.get("joined", True) else "o"
            axes.plot(*zip(*points), style, markersize=4, color=f"C{index % 10}",
                      label=label or panel["y"])
        column = panel.get("published")
        known = [(r[panel["x"]], r[column]) for r in group
                 if column and _plain(r, column) is not None]
        if known:
            axes.plot(*zip(*known), "x--", markersize=5, color=f"C{index % 10}", alpha=0.7,
                      label=f"{panel.get('published_label', 'published')}{': ' + label if label else ''}")


def _bars(axes, rows, panel):
    x = [panel["x"]] if isinstance(panel["x"], str) else panel["x"]
    places = list(dict.fromkeys(_label(r, x) for r in rows))
    groups = _groups(rows, panel.get("series", []))
    width = 0.8 / max(1, len(groups))
    for index, (label, group) in enumerate(groups.items()):
        at = [(places.index(_label(r, x)) + (index + 0.5) * width - 0.4, _plain(r, panel["y"]))
              for r in group if _plain(r, panel["y"]) is not None]
        if at:
            axes.bar([a for a, _ in at], [h for _, h in at], width, label=label or panel["y"])
        column = panel.get("published")
        known = [(places.index(_label(r, x)) + (index + 0.5) * width - 0.4, r[column])
                 for r in group if column and _plain(r, column) is not None]
        if known:
            axes.plot(*zip(*known), "k*", markersize=10,
                      label=f"published{': ' + label if label else ''}")
    _ticks(axes, places)


def _ticks(axes, places):
    steep = len(places) > 4 or max(map(len, places)) > 20
    names = places if len(places) > 20 else [p.replace(", ", ",\n") for p in places]
    axes.set_xticks(range(len(places)), names, fontsize=7,
                    rotation=60 if steep else 0, ha="right" if steep else "center",
                    rotation_mode="anchor" if steep else None)


def _stacked(axes, rows, panel):
    x = [panel["x"]] if isinstance(panel["x"], str) else panel["x"]
    known_bars = panel.get("published_bars", {})
    bars = [r[panel["y"]] for r in rows] + list(known_bars.values())
    bottom = [0.0] * len(bars)
    for name in dict.fromkeys(part for bar in bars for part in bar):
        heights = [bar.get(name) or 0.0 for bar in bars]
        drawn = axes.bar(range(len(bars)), heights, bottom=bottom, label=name)
        for patch in drawn[len(rows):]:
            patch.set(hatch="//", edgecolor="white")
        bottom = [b + h for b, h in zip(bottom, heights)]
    column = panel.get("published")
    known = [(k, r[column]) for k, r in enumerate(rows) if column and _plain(r, column) is not None]
    if known:
        axes.plot(*zip(*known), "k*", markersize=10, label="published")
    _ticks(axes, [_label(r, x) for r in rows] + [f"published: {label}" for label in known_bars])


def _marks(axes, panel):
    for index, mark in enumerate(panel.get("marks", [])):
        color = ("black", "dimgray", "darkgray")[index % 3]
        label = mark["label"] if mark.get("reference") else f"published: {mark['label']}"
        if "x" in mark and "y" in mark:
            axes.plot(mark["x"], mark["y"], "*", color=color, markersize=11, label=label)
        elif "y" in mark:
            axes.axhline(mark["y"], color=color, linestyle=":", label=label)
        else:
            axes.axvline(mark["x"], color=color, linestyle=":", label=label)


KINDS = {"lines": _lines, "bars": _bars, "stacked": _stacked}


def _panel(axes, result, panel):
    rows = [r for r in result["rows"]
            if all(r.get(k) == v for k, v in panel.get("only", {}).items())]
    if rows:
        KINDS[panel.get("kind", "lines")](axes, rows, panel)
    else:
        axes.text(0.5, 0.5, "no rows", ha="center", transform=axes.transAxes)
    _marks(axes, panel)
    _scale(axes, panel)
    axes.set(title=panel.get("title", ""), xlabel=panel.get("xlabel", ""),
             ylabel=", ".join(filter(None, (panel.get("ylabel", ""), panel.get("reads")))))
    axes.title.set_fontsize(9)
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=6)


def _fixed(result):
    """The values that all rows have in common, for the title."""
    words = []
    for name in ("particles", "leaves"):
        values = {row.get(name) for row in result["rows"]}
        if len(values) == 1 and isinstance(next(iter(values)), int):
            words.append(f"{name} {power_of_two(values.pop())}")
    return words


def draw(result, experiment):
    """The figure of a result."""
    list_of_panels = experiment.get("panel", [])
    result_rows.complete(experiment, result["rows"])
    hook = experiment.hooks.get("draw")
    columns = min(len(list_of_panels), 2) or 1
    lines = (len(list_of_panels) + columns - 1) // columns or 1
    figure = Figure(figsize=(6.5 * columns + 1, 4.5 * lines + 0.8), layout="constrained")
    if hook:
        hook(figure, result)
    else:
        for place, panel in enumerate(list_of_panels):
            if "published_bars" in panel:
                names = {"published": experiment.get("published", {})}
                panel = {**panel, "published_bars": evaluate(panel["published_bars"], names, experiment.path)}
            _panel(figure.add_subplot(lines, columns, place + 1), result, panel)
    where = [result.get("machine_name", ""), result["commit"][:12], *_fixed(result)]
    figure.suptitle(f"{experiment['title']}\n{experiment['source']}\n"
                    f"measured: {', '.join(w for w in where if w)}"
                    f"{' (quick)' if result['quick'] else ''}", fontsize=9)
    return figure
