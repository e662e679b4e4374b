#!/usr/bin/python3
"""[Rehmann 2022] figures 10 to 14: the theoretical rooflines of Piz Daint, Summit and Alps.

    roofline/published.py --out results

Bandwidths, clocks and peaks are from table 1 and section 4.3 of the paper (vendor_peaks.json); eq. 8
converts clocks to peaks, for 2, 4 and 8 processors. Counting the keys left of a cut has an intensity of
one operation per byte. Writes fig10.png to fig14.png and published.json, which gives the rate and the
limit of a count for each machine and number of processors.

Exit codes: 0; 2 for a folder that cannot be written.
"""

import argparse
import os
import sys

import drawing
from machine import BadMachine, load_json
from plot import PEAKS
from points import write_json


def eq8(ghz, floats_per_instruction, cycles_per_instruction, processors):
    """[Rehmann 2022] eq. 8: 10^9 floating-point operations per second."""
    return ghz * floats_per_instruction / cycles_per_instruction * processors


def roofs_of(machine, processors):
    """[(name, operations per second)] of a machine's part."""
    if "operations_per_second" in machine:
        return [(machine["processor"], machine["operations_per_second"]["value"])]
    numbers = [machine[key]["value"] for key in
               ("max_ghz", "floats_per_instruction", "cycles_per_instruction")]
    return [(f"np = {count}", 1e9 * eq8(*numbers, count)) for count in processors]


def count_left(peaks):
    """Operations per byte of a count."""
    kernel = peaks["count_left"]
    return kernel["operations_per_key"]["value"] / kernel["bytes_per_key"]["value"]


def rows(peaks):
    """The limit of a count: one row for each figure and roof."""
    intensity = count_left(peaks)
    found = []
    for machine in peaks["machines"]:
        if "figure" not in machine:
            continue
        bandwidth = machine["bytes_per_second"]["value"]
        for name, peak in roofs_of(machine, peaks["processors"]["value"]):
            found.append({"figure": machine["figure"], "machine": machine["name"],
                          "part": machine["part"], "roof": name, "operations_per_second": peak,
                          "bytes_per_second": bandwidth, "ridge": peak / bandwidth,
                          "reached": min(peak, bandwidth * intensity),
                          "limit": "memory" if bandwidth * intensity < peak else "operations"})
    return found


def draw(machine, peaks):
    """One of the figures."""
    figure, axes = drawing.new_figure()
    intensity = count_left(peaks)
    drawing.draw_ceilings(axes, [("memory", machine["bytes_per_second"]["value"])],
                          roofs_of(machine, peaks["processors"]["value"]), style="--")
    axes.axvline(intensity, linestyle=":", color="gray", label="count left")
    per_key = peaks["count_left"]["operations_per_key"]["value"]
    for run in peaks["measured"]:
        if (run["name"], run["part"]) == (machine["name"], machine["part"]):
            axes.plot(intensity, per_key * run["keys"] / run["seconds"] / 1e9, "k*",
                      label=f"measured, {run['source'][:30]}")
    drawing.finish(axes, f"{machine['name']}, {machine['processor']} (figure {machine['figure']})",
                   "operations")
    axes.legend(fontsize=7, loc="lower right")  # below the roof
    sources = {entry["source"] for entry in machine.values() if isinstance(entry, dict)}
    caption = ["dashed: vendor's numbers, " + "; ".join(sorted(sources))]
    figure.text(0.01, 0.01, caption[0], fontsize=5, va="bottom", wrap=True)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    drawing.part_labels(axes)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="a folder, made if it does not exist")
    options = parser.parse_args()
    try:
        peaks = load_json(PEAKS)
        os.makedirs(options.out, exist_ok=True)
        for machine in peaks["machines"]:
            if "figure" in machine:
                drawing.save(draw(machine, peaks),
                          os.path.join(options.out, f"fig{machine['figure']}.png"))
        write_json(os.path.join(options.out, "published.json"),
                   {"source": "[Rehmann 2022] table 1, eq. 8, figures 10 to 14",
                    "printed_gflops": peaks["printed_gflops"], "measured": peaks["measured"],
                    "rows": rows(peaks)})
    except (BadMachine, OSError) as error:
        print(f"published.py: error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
