"""The sections of the page: overview, and one for each experiment."""

import json

from laboratory import catalogue
from laboratory.failures import Failed

from . import charts, columns, multiples, panels, quantities, svg, tables
from .markup import join, tag
from .results import latest


def verified_text(documents):
    good = sum(d.verified()[0] for d in documents)
    runs = sum(d.verified()[1] for d in documents)
    if not runs:
        return "no runs kept"
    return f"{good} of {runs} runs verified"


def verified_mark(documents, text=None):
    """Shows in words and colour whether all, some or none of the runs were verified."""
    good = sum(d.verified()[0] for d in documents)
    runs = sum(d.verified()[1] for d in documents)
    kind = "good" if good == runs and runs else "partly" if good else "unknown"
    return tag("span", text or verified_text(documents), class_=f"verified {kind}")


def marks(documents):
    """Says which documents are provisional, and which are narrowed, and why."""
    return join(svg.mark("provisional", documents, lambda d: d.provisional), " ", svg.narrowed_mark(documents))


def _verified_cell(documents):
    good = sum(d.verified()[0] for d in documents)
    runs = sum(d.verified()[1] for d in documents)
    return tables.cell(verified_mark(documents, f"{good} of {runs}"), good / runs if runs else 0.0)


def _days(documents):
    days = sorted({d.date for d in documents if d.date})
    return "unknown" if not days else days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _hardware(machine):
    """(processor, accelerator, memory) of the `machine` of a report."""
    gpu = machine.get("gpu")
    cpu = machine.get("cpu") or "unknown processor"
    if machine.get("cores"):
        cpu += f", {machine['cores']} cores"
    memory = machine.get("memory_bytes")
    if isinstance(gpu, dict):
        name = gpu.get("name") or "GPU"
        if gpu.get("memory_bytes"):
            name += f", {quantities.number(gpu['memory_bytes'], 'B')}"
    else:
        name = gpu or "none"
    return cpu, str(name), quantities.number(memory, "B") if memory else "unknown"


def _machines(documents):
    rows = []
    for name in dict.fromkeys(d.machine_name for d in documents):
        own = [d for d in documents if d.machine_name == name]
        experiments = len({d.experiment for d in own})
        found = [_hardware(d.machine or {}) for d in own]
        cpu, gpu, memory = (", or ".join(dict.fromkeys(part)) for part in zip(*found))
        rows.append([tag("th", name, scope="row"), tables.cell(experiments, experiments),
                     _verified_cell(own), tag("td", cpu, class_="wide"), tag("td", memory),
                     tag("td", gpu), tag("td", _days(own)),
                     tag("td", ", ".join(dict.fromkeys(d.short_commit for d in own)))])
    return tables.html(["machine", "experiments", "runs verified", "processor", "memory",
                        "accelerator", "measured", "commits"], rows, "Machines", {1, 2})


def _experiments(documents, titles):
    rows = []
    for name in dict.fromkeys(d.experiment for d in documents):
        own = [d for d in documents if d.experiment == name]
        newest = latest(own)
        rows.append([
            tag("th", tag("a", name, href=f"#{name}"), scope="row"),
            tag("td", titles.get(name) or next((d.source for d in own if d.source), ""),
                class_="wide"),
            tag("td", ", ".join(d.machine_name for d in newest)),
            tag("td", ", ".join(dict.fromkeys(d.short_commit for d in newest)), " ",
                marks(newest)),
            _verified_cell(own)])
    return tables.html(["experiment", "what it shows", "machines", "newest commits",
                        "runs verified"], rows, "Experiments", {4})


def overview(documents, titles):
    experiments = len({d.experiment for d in documents})
    machines = len({d.machine_name for d in documents})
    quick = sum(d.quick for d in documents)
    sentence = (f"{_count(len(documents), 'result')} of {_count(experiments, 'experiment')} on "
                f"{_count(machines, 'machine')}; {verified_text(documents)}, that is, their "
                "results were checked independently.")
    doubtful = sum(bool(d.provisional) for d in documents)
    if doubtful:
        sentence += f" {_count(doubtful, 'result')} provisional, with the reason beside."
    if quick:
        sentence += f" {_count(quick, 'result')} with tiny inputs, marked quick: not a measurement."
    return tag("section", tag("h2", "Overview"), tag("p", sentence),
               tag("h3", "Experiments"), _experiments(documents, titles),
               tag("details", tag("summary", tag("h3", "Machines")), _machines(documents)), id="overview")


def _count(n, noun):
    return f"{n} {noun}" + ("" if n == 1 else "s")


def provenance_links(documents):
    """Links to the commands of the documents a figure was drawn from."""
    links = [tag("a", f"{d.machine_name}, commit {d.short_commit}"
                 + (f", {d.date}" if d.date else ""), href=f"#{d.anchor}") for d in documents]
    parts = []
    for link in links:
        parts += [link, "; "]
    return join("How it was measured: ", parts[:-1], ".")


def _command(document):
    if not document.command:
        why = document.no_command or "not recorded"
        return tag("p", f"The command was {why}. The commands of the runs are below.")
    return tag("div", tag("pre", tag("code", document.command)), class_="command")


def _asked(document):
    """What the command asked for otherwise than the experiment."""
    for word, said, kind in zip(("Narrowed", "Changed"), document.asked, ("warning", None)):
        if said:
            yield tag("p", f"{word}: {'; '.join(said)}.", class_=kind)


def _build(document):
    build = document.build
    kokkos = f"Kokkos {build['kokkos']}" if build.get("kokkos") else None
    parts = (build.get("compiler"), kokkos, *map(build.get, ("mpi", "flags", "real")))
    return ", ".join(str(part) for part in parts if part) or "unknown"


def _joules(run):
    for key, name in (("cpu_joules", "processor"), ("gpu_joules", "accelerator")):
        if columns.is_number(run.get(key)):
            yield f"{name} {quantities.number(float(run[key]), 'J')}"


def _runs(document):
    """For each run its command, its start, whether it was verified and whether it was disturbed."""
    items = []
    for place, run in enumerate(document.runs):
        facts = ["verified" if run.get("verified") else "not verified",
                 "disturbed by other programs" if run.get("disturbed") else "",
                 str(run.get("started") or ""), *_joules(run)]
        items.append(tag("li", tag("code", document.command_of(place)),
                         tag("span", f" {', '.join(filter(None, facts))}",
                             class_="quiet"), id=tables.run_anchor(document, place)))
    if not items:
        return None
    return tag("details", tag("summary", f"Each run ({len(items)})"), tag("ol", *items),
               class_="runs")


def provenance(document):
    """Everything known about the origin of a document."""
    title = f"{document.machine_name}, commit {document.short_commit}"
    cpu, gpu, memory = _hardware(document.machine or {})
    facts = [("commit", document.commit), ("measured", document.date or "unknown"),
             ("machine", f"{cpu}; memory {memory}; accelerator: {gpu}"),
             ("build", _build(document)), ("file", document.file)]
    notes = [tag("li", note) for note in document.notes]
    return tag("section", tag("h4", title, tag("span", "quick", class_="verified partly")
                              if document.quick else None, verified_mark([document]),
                              marks([document])),
               tag("p", f"Provisional: {', '.join(document.provisional)}.", class_="warning")
               if document.provisional else None, *_asked(document), _command(document),
               tag("dl", *[tag("div", tag("dt", k), tag("dd", v)) for k, v in facts]),
               tag("ul", *notes, class_="notes") if notes else None, _runs(document),
               class_="provenance", id=document.anchor, data_place=title)


def _nested(value, unit=""):
    if isinstance(value, dict):
        return tag("dl", *[tag("div", tag("dt", quantities.words(str(k))),
                               tag("dd", _nested(v, quantities.unit_of(str(k)) or unit)))
                           for k, v in value.items()])
    if isinstance(value, list):
        return ", ".join(_nested(v, unit) if not isinstance(v, (dict, list)) else json.dumps(v)
                         for v in value)
    if columns.is_number(value):
        return quantities.number(value, unit)
    return "none" if value is None else str(value)


def _published(document):
    """The papers' values; long tables are folded."""
    known = {k: v for k, v in document.published.items() if k != "source"}
    if not known:
        return None
    long = len(json.dumps(known)) > 400
    body = _nested(known)
    return tag("details", tag("summary", "Published values"
                              + (f": {document.source}" if document.source else "")), body,
               open=not long, class_="published-values")


def figures(chart_list, identity, more=None):
    return [svg.figure(chart, f"{identity}-{i + 1}",
                       join(provenance_links(chart.documents()), more))
            for i, chart in enumerate(chart_list)]


def panels_of(document):
    """The panels of a document, with the labels that the experiment's file has for them today."""
    try:
        today = {_drawn(panel): panel for panel in catalogue.load(document.experiment).get("panel", [])}
    except Failed:
        today = {}
    return [{**panel, **today.get(_drawn(panel), {})} for panel in document.panels
            if isinstance(panel, dict)]


def _drawn(panel):
    """What a panel draws, however it is labelled."""
    return repr([panel.get(key) for key in ("x", "y", "series", "only")])


def _charts(table, documents):
    """The panels of the newest document, otherwise automatic charts."""
    said = panels_of(max(documents, key=lambda d: d.started))
    return panels.of_table(table, said) or [part for chart in charts.of_table(table)
                                            for part in multiples.of_series(chart)]


def experiment(name, documents, title, history):
    """Plots, rows, published values and provenance of one experiment on all its machines."""
    newest = latest(documents)
    table = columns.table(newest)
    source = next((d.source for d in newest if d.source), "")
    return tag(
        "section", tag("h2", name), tag("p", title, class_="lead") if title else None,
        tag("p", source, class_="source") if source and source != title else None,
        tag("p", "Tiny inputs, for trying the experiment: not a measurement.",
            class_="warning") if all(d.quick for d in newest) else None,
        figures(_charts(table, newest), f"{name}-figure"),
        tables.of_table(table, f"All values of {name}"),
        next((p for p in map(_published, newest) if p), None),
        history,
        tag("details", tag("summary", tag("h3", f"How it was measured ({_count(len(documents), 'result')})")),
            [provenance(d) for d in reversed(documents)], class_="origins"),
        id=name, class_="experiment")
