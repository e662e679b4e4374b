"""The parts of the page that perf/report.py builds.

    results.py    documents under perf/results, read and checked
    columns.py    rows of a document as a table: which columns describe the run and which its outcome
    quantities.py units and digits
    charts.py     which charts a table gets; panels.py the charts that its experiment defines
    multiples.py  several charts instead of one with too many series
    scales.py     axes and ticks; svg.py the static drawing of a chart; tables.py tables
    markup.py     HTML with everything escaped
    opening.py    the three charts that the page opens with
    sections.py   overview, experiments; comparisons.py machines side by side, history
    ceilings.py   machine files of the roofline
    build.py      puts them together with page.html, page.css and the scripts

Rows become a `columns.Table`, tables become `charts.Chart`s, and both become HTML. The page's
script only adds interaction: without it tables and charts are shown as Python drew them.
"""
