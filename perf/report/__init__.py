"""The parts of the page that perf/report.py builds.

    results.py    documents under perf/results, read and checked
    columns.py    rows of a document as a table: which columns say what was run, which what came out
    quantities.py units and digits
    charts.py     what to draw of a table
    svg.py        scales, ticks and the static drawing of a chart
    markup.py     HTML with everything escaped
    sections.py   overview, experiments; machines.py machines beside each other, history, ceilings
    page.html, page.css, *.js   what the page is made of; build.py puts it together

Rows become a `columns.Table`, tables become `charts.Chart`s, and both become HTML. The script of the
page only makes them livelier: without it tables and charts stand as Python drew them.
"""
