"""The parts of the page that perf/report.py builds.

    results.py    documents under perf/results, read and checked
    columns.py    rows of a document as a table: which columns say what was run, which what came out
    quantities.py units and digits
    charts.py     what to draw of a table; panels.py what its experiment says is drawn
    scales.py     axes and ticks; svg.py the static drawing of a chart; tables.py tables
    markup.py     HTML with everything escaped
    sections.py   overview, experiments; comparisons.py machines beside each other, history
    ceilings.py   machine files of the roofline
    build.py      puts them together with page.html, page.css and the scripts

Rows become a `columns.Table`, tables become `charts.Chart`s, and both become HTML. The script of
the page only makes them livelier: without it tables and charts stand as Python drew them.
"""
