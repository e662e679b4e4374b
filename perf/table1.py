#!/usr/bin/env python3
"""Seed 000 table 1 and figures 10 to 14: rooflines of counting keys, then and on this machine.

    perf/table1.py --orb build/cuda/bin/orb --out results

A count does four operations on a key of four bytes (seed 000 section 4.3.2). Published machines
have the ceilings of table 1 and eq. 8; this machine's are measured: the bandwidth of a read, and
the rate of the same count on keys in cache.
"""

import experiment
from experiment import result

PROCESSORS = (2, 4, 8)  # np of eqs. 9 to 11


def eq8(processor, count):
    """Gflops = GHz x floats per instruction / cycles per instruction x processors, 10^9 being giga."""
    return (processor["max_ghz"] * processor["floats_per_instruction"]
            / processor["cycles_per_instruction"] * count)


def published_rows(e, machines):
    rows = []
    for m in machines:
        processor = e.published["processors"][m["name"]]
        for count in PROCESSORS:
            rows.append({
                "machine": m["name"], "part": "CPU", "processors": count,
                "bandwidth": m["host_read"], "operations_per_second": 1e9 * eq8(processor, count),
                "published_gflops": e.published["gflops"].get(m["name"], {}).get(str(count)),
            })
        if m["device_read"] > 0:
            rows.append({"machine": m["name"], "part": "GPU", "bandwidth": m["device_read"],
                         "operations_per_second": 1e12 * processor["gpu_tflops"],
                         "published_gflops": 1e3 * processor["gpu_tflops"]})
    return rows


def thesis_counts(e):
    """The thesis' own two measurements, in bytes per second of keys read."""
    rows = []
    for part, key in (("CPU", "count_on_cpu"), ("GPU", "count_on_gpu")):
        p = e.published[key]
        rows.append({"machine": "Piz Daint", "part": part, "measured_by": "seed 000",
                     "keys_per_second": p["keys"] / p["seconds"],
                     "bytes_per_second": 4 * p["keys"] / p["seconds"],
                     "published": p.get("printed", p.get("printed_bytes_per_second"))})
    return rows


def measure(e):
    report = e.run("--particles", 1000, "--leaves", 2, "--model", "thesis")
    model = result(report, "model")
    machines = [m for m in model["machines"] if m["source"] != "measured"]
    rows = published_rows(e, machines) + thesis_counts(e)
    for b in model["backends"]:
        rows.append({
            "machine": "this machine", "part": b["backend"], "measured_by": "orb",
            "bandwidth": b["read_bytes_per_second"], "copy_bandwidth": b["copy_bytes_per_second"],
            "from_host_bandwidth": b["from_host_bytes_per_second"],
            "operations_per_second":
                e.published["operations_per_key"] * b["count_in_cache_keys_per_second"],
            "keys_per_second": b["count_keys_per_second"],
            "bytes_per_second": 4 * b["count_keys_per_second"],
        })
    return rows


def draw(figure, document):
    intensity = document["published"]["arithmetic_intensity"]
    operations = document["published"]["operations_per_key"]
    names = list(dict.fromkeys(r["machine"] for r in document["rows"]))
    x = [2.0**(k / 8) for k in range(-48, 57)]
    for axes, name in zip(figure.subplots(2, 2).flat, names):
        rows = [r for r in document["rows"] if r["machine"] == name]
        for i, r in enumerate([r for r in rows if "operations_per_second" in r]):
            label = f"{r['part']}" + (f", np = {r['processors']}" if "processors" in r else "")
            roof = [min(r["operations_per_second"], r["bandwidth"] * v) / 1e9 for v in x]
            axes.plot(x, roof, color=f"C{i}", label=label)
        for marker, r in zip("*os", [r for r in rows if "keys_per_second" in r]):
            axes.plot(intensity, operations * r["keys_per_second"] / 1e9, f"k{marker}",
                      label=f"count on {r['part']}, measured by {r['measured_by']}")
        axes.axvline(intensity, linestyle=":", color="gray")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set(xlabel="operations per byte", ylabel="10^9 operations/s", title=name)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=6)


if __name__ == "__main__":
    experiment.main("table1", __doc__, measure, draw)
