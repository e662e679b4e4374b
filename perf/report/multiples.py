"""Small multiples: a chart with more series than a legend can tell apart becomes several charts, which together
have all of them."""

import dataclasses

from . import charts


def too_many(chart):
    published = sum(series.published for series in chart.series)
    return max(published, len(chart.series) - published) > charts.MOST_SERIES


def _parts(series):
    return [series[i:i + charts.MOST_SERIES] for i in range(0, len(series), charts.MOST_SERIES)] or [[]]


def of_series(chart):
    """The chart, or, if it has too many series, several of MOST_SERIES in their order. Published series are in
    each."""
    if not too_many(chart):
        return [chart]
    parts = [measured + published for measured in _parts([s for s in chart.series if not s.published])
             for published in _parts([s for s in chart.series if s.published])]
    return [without_empty_rows(dataclasses.replace(
        chart, series=part, title=f"{chart.title} ({number} of {len(parts)})"))
        for number, part in enumerate(parts, 1)]


def without_empty_rows(chart):
    """A chart of cases by name, only of cases that have a point."""
    if chart.y.scale != "names":
        return chart
    kept = sorted({int(p.y) for s in chart.series for p in s.points})
    moved = {old: new for new, old in enumerate(kept)}
    series = [dataclasses.replace(s, points=[dataclasses.replace(p, y=moved[p.y]) for p in s.points])
              for s in chart.series]
    axis = dataclasses.replace(chart.y, names=tuple(chart.y.names[k] for k in kept))
    return dataclasses.replace(chart, series=series, y=axis)
