"""check_report.py PERF FOLDER: the page of results is built from a fixture and from perf/results,
shows the contents of the files, and is rejected with one sentence if a file is invalid.
"""

import dataclasses
import glob
import html
import json
import os
import re
import shutil
import subprocess
import sys

perf, folder = sys.argv[1:]
sys.path[:0] = [perf]
sys.dont_write_bytecode = True
import report_fixture  # noqa: E402  pylint: disable=wrong-import-position
from laboratory import provenance  # noqa: E402  pylint: disable=wrong-import-position
from report import ceilings, columns, comparisons, multiples, opening, quantities  # noqa: E402  pylint: disable=wrong-import-position
from report import results, scales, sections, svg  # noqa: E402  pylint: disable=wrong-import-position

shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
page = os.path.join(folder, "page.html")


def build(results, code=0, machines=None):
    command = [sys.executable, os.path.join(perf, "report.py"), "--results", results, "--out", page]
    command += ["--machines", machines] if machines else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, (results, done.returncode, done.stderr)
    return done.stderr.strip().splitlines()


def content():
    with open(page, encoding="utf-8") as file:
        return file.read()


# Every result of the repository is on the page with its command, and the page fetches nothing.
real = os.path.join(perf, "results")
build(real)
text = content()
for root, _, files in os.walk(real):
    for name in files:
        if not name.endswith(".json"):
            continue
        path = os.path.join(root, name)
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        assert os.path.relpath(path, real) in text, f"{path} is not on the page"
        # The runner rejects unverified runs, unless the experiment allows them; other results state it.
        if document["command"].startswith("not recorded") and not all(
                run["verified"] for run in document["runs"]):
            assert any("not ask for verification" in note for note in document["notes"]), path
        said = html.escape(document.get("command") or "")
        assert said in text or said.startswith("not recorded"), f"{path}: its command is missing"
doubtful = [path for path in glob.glob(os.path.join(real, "*", "*", "*.json"))
            if provenance.reasons(json.load(open(path, encoding="utf-8")))]
assert doubtful and text.count("Provisional: ") == len(doubtful), "provisional results say why they are"
narrowed = [d for d in results.read(real) if d.asked[0]]
assert narrowed and text.count("Narrowed: ") == len(narrowed), "narrowed results say of what"
for d in narrowed:
    assert html.escape(f"Narrowed: {'; '.join(d.asked[0])}.") in text, d.file
assert text.count("Changed: ") == sum(bool(d.asked[1]) for d in results.read(real))
assert re.search(r'<p class="title">[^<]*(<[^>]*>[^<]*</span>)? <span[^>]*>(partly )?narrowed</span>', text), "charts"
assert not re.search(r"<(link|img|iframe|object|embed|base)\b|@import|url\((?!#)", text), "fetches"
assert not re.search(r'(?:src|href)="(?!#)', text), "links that leave the page"

# Programs are labelled with the threads that they used, not with the cores of the machine.
labels = set(re.findall(r"</svg>((?:nanoflann|ann|copse_serial|copse_threads), [^<]*)<", text))
assert {"nanoflann, 2 threads", "ann, 1 thread", "copse_serial, 1 thread"} <= labels, labels
assert not [label for label in labels if "core" in label.split(", ")[1]], labels

# No chart has more series than a legend can tell apart, none has a colour and shape twice, and a ratio
# says which way is better, or of what it is.
documents = results.read(real)
for name in dict.fromkeys(d.experiment for d in documents):
    own = results.latest([d for d in documents if d.experiment == name])
    for chart in sections._charts(columns.table(own), own):
        styles = list(svg.style_of(chart))
        assert len(set(styles)) == len(styles), (name, chart.title, "a style twice")
        assert sum(not s.published for s in chart.series) <= 8, (name, chart.title)
        assert chart.hint or chart.value_axis.unit != "×", (name, chart.title, "a ratio of what?")

# The page opens with three charts of rows that are not provisional, titled by what they show.
first = text[:text.index('id="overview"')]
assert first.count("<figure") == 3 and "provisional" not in first
assert len(re.findall(r'class="title">[^<]*times as fast as', first, re.IGNORECASE)) == 3
for make in (opening.node, opening.peers, opening.scaling):
    chart = make(documents)
    assert all(d.is_sound(d.rows[0]) or any(map(d.is_sound, d.rows)) for d in chart.documents())
    assert make([]) is None, "a chart without results"
node = opening.node(documents)
slow, fast = ([p.x for p in series.points] for series in node.series[:2])
gains = sorted(a / b for a, b in zip(slow, fast))
said = re.search(r"are ([\d.]+) to ([\d.]+) times as fast as one", node.title)
assert [float(n) for n in said.groups()] == [float(f"{g:.2g}") for g in (gains[0], gains[-1])], node.title

# Of more series than a chart may have none is lost: small multiples have each of them once.
def series_of(markup):
    """The names of the measured series of each figure, from its legend."""
    return [[html.unescape(name) for name in re.findall(r'class="key s\d".*?</svg>([^<]*)<', figure)]
            for figure in str(markup).split("<figure")[1:]]


def repeated(document, column, values):
    """A result with each of its rows once for each value of a column."""
    return {**document, "rows": [{**row, column: value} for row in document["rows"] for value in values]}


def read_back(place, documents):
    """The documents of results written to a folder of their own."""
    for name, document in documents.items():
        path = os.path.join(folder, place, f"{name}.json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
    return results.read(os.path.join(folder, place))


letters = "abcdefghijk"
newest, = glob.glob(os.path.join(real, "h200", "threads", "*.json"))
with open(newest, encoding="utf-8") as file:
    threads = json.load(file)
threads["rows"] = [row for row in threads["rows"] if row["variant"] == "orb"]
many = read_back("many_threads", {"h200/threads/a": repeated(threads, "variant", letters)})
chart = opening.scaling(many)
assert len(chart.series) == len(letters) + 1, "a program has no line"
drawn = series_of(opening.section(many))
assert drawn == [[f"{name}, threads" for name in part] for part in ("abcdefgh", "ijk")], drawn
assert str(opening.section(many)).count("</svg>ideal<") == 2, "the ideal is in each chart"

newest, = glob.glob(os.path.join(real, "xeon2-avx2", "hosts", "*.json"))
with open(newest, encoding="utf-8") as file:
    hosts = json.load(file)
hosts["rows"] = [row for row in hosts["rows"] if row.get("by") == "nanoflann"]
drawn = series_of(opening.section(read_back("many_hosts", {"xeon2/hosts/a": repeated(hosts, "by", letters)})))
assert drawn == [list("abcdefgh"), list("ijk")], drawn

old, new = (repeated(report_fixture.scaling("alpha", commit * 40, day), "leaves", range(2))
            for commit, day in (("a", 3), ("b", 9)))
drawn = series_of(comparisons.history("scaling", read_back("many_cases", {
    "alpha/scaling/a": old, "alpha/scaling/b": new})))
assert [len(part) for part in drawn] == [8, 4] and len(set(drawn[0] + drawn[1])) == 12, drawn

drawn = series_of(comparisons.side_by_side("scaling", read_back("many_machines", {
    f"{name}/scaling/a": report_fixture.scaling("beta", "a" * 40, 3) for name in letters})))
assert [len(part) for part in drawn] == [8, 2] and len(set(drawn[0] + drawn[1])) == 10, drawn

machine = report_fixture.ceilings()
machine["results"]["ceilings"][0]["sweep"] = [
    {"stream": name, "bytes": 4096, "kept": True, "bytes_per_second": 1e9} for name in letters]
os.makedirs(os.path.join(folder, "many_streams"))
with open(os.path.join(folder, "many_streams", "alpha.json"), "w", encoding="utf-8") as file:
    json.dump(machine, file)
drawn = series_of(ceilings.section(ceilings.read(os.path.join(folder, "many_streams"))))
assert drawn == [list("abcdefgh"), list("ijk")], drawn

# Published values in excess are drawn as well, each with every part of the measured ones.
chart.series = [dataclasses.replace(series, published=published) for published in (False, True)
                for series in chart.series[:9]]
parts = multiples.of_series(chart)
assert [(sum(s.published for s in part.series), len(part.series)) for part in parts] == [
    (8, 16), (1, 9), (8, 9), (1, 2)]
for part in parts:
    assert len(set(svg.style_of(part))) == len(part.series), "a style twice"

# The fixture: ratios and history against divisions done here.
fixture = report_fixture.write(os.path.join(folder, "results"))
machines = report_fixture.write_machines(os.path.join(folder, "machines"))
build(fixture, machines=machines)
text = content()
assert report_fixture.HOSTILE not in text, "a text of a result is not escaped"
assert html.escape(report_fixture.HOSTILE) in text
assert text == (build(fixture, machines=machines), content())[1], "two builds differ"
for number in ("425 GB/s", "64 KiB", "15.0 Gop/s", "295 M/s", "190 ns", "40.0 µs",
               "processor 12.5 J"):
    assert number in text, number
beside = text[text.index('id="side-by-side"'):]
beside = beside[:beside.index("</table>")]
ratios = [float(v) for v in re.findall(r'class="number ratio" data-value="([^"]+)"', beside)]
cpu = report_fixture.SECONDS["alpha", "openmp"]
expected = []
for i, base in enumerate(cpu):
    expected += [base / report_fixture.SECONDS["beta", "openmp"][i],
                 base / report_fixture.SECONDS["alpha", "cuda"][i]]
assert len(ratios) == 6 and all(abs(a / b - 1) < 1e-12 for a, b in zip(ratios, expected)), ratios
for machine in ("gamma", "delta", "epsilon"):  # other leaves, other haloes, other particles
    assert machine not in beside, f"runs of {machine} with other inputs are compared"
history = text[text.index('id="scaling-alpha-history"'):]
history = history[:history.index("</figure>")]
faster = [float(v) for v in re.findall(r'data-y="([^"]+)"', history)]
assert sorted(faster) == [1.0] * 6 + [2.0] * 6, faster
assert "not a measurement" in text and "12 of 24 runs verified" in text

# Refusals: one sentence, exit code 2, and an existing page is kept.
before = content()
for damage, place in (("{", "alpha/scaling/x.json"), ("[]", "alpha/scaling/x.json"),
                      ('{"schema": 1, "rows": [{"a": 1}]}', "alpha/scaling/x.json"),
                      ('{"schema": 2, "rows": []}', "alpha/scaling/x.json"),
                      ('{"schema": 2, "rows": [1]}', "alpha/scaling/x.json"),
                      ('{"schema": 2, "rows": [{"a": 1}], "runs": 3}', "alpha/scaling/x.json"),
                      ('{"schema": 2, "rows": [{"a": 1}]}', "stray.json")):
    path = os.path.join(fixture, place)
    with open(path, "w", encoding="utf-8") as file:
        file.write(damage)
    said = build(fixture, 2)
    assert len(said) == 1 and said[0].startswith("report.py: error: ") and path in said[0], said
    os.remove(path)
for none in (os.path.join(folder, "none"), os.path.join(folder, "empty")):
    if none.endswith("empty"):
        os.makedirs(none)
    assert len(build(none, 2)) == 1
with open(os.path.join(machines, "alpha.json"), "w", encoding="utf-8") as file:
    file.write('{"app": "ceilings", "results": {"ceilings": [1]}}')
assert len(build(fixture, 2, machines)) == 1
assert content() == before and not [f for f in os.listdir(folder) if "partial" in f]

# Numbers as people write them, and ticks at round places.
for value, unit, written in ((0.0216, "s", "21.6 ms"), (1.0, "s", "1.00 s"),
                             (0.99996, "s", "1.00 s"), (1.17e10, "/s", "11.7 G/s"),
                             (134217728, "", "2²⁷"), (5000000, "", "5\u202f000\u202f000"),
                             (68.41, "×", "68.4×"), (0.0, "s", "0 s"), (999.9, "", "1000"),
                             (-0.5, "", "-0.500"), (1.5e-9, "", "1.50·10⁻⁹")):
    got = quantities.number(value, unit).replace("1.5·", "1.50·")
    assert got == written, (value, unit, got)
assert scales.ticks("linear", 0.0, 10.5, 6) == [0, 2, 4, 6, 8, 10]
assert scales.ticks("log", -3.0, 0.0, 4) == [0.001, 0.01, 0.1, 1.0]
assert scales.ticks("log2", 10.0, 14.0, 3) == [1024, 4096, 16384]
assert [scales.tick_text(v, "s", "log") for v in (0.001, 0.02, 3.0)] == ["1 ms", "20 ms", "3 s"]
assert scales.tick_texts((1e-5, 1e-3, 0.1, 1.0), "", "log") == ["10⁻⁵", "10⁻³", "0.1", "1"]
assert scales.tick_texts((0.001, 0.01, 0.1), "", "log") == ["0.001", "0.01", "0.1"]
