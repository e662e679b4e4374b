"""Rows and rooflines of table1.toml."""

PROCESSORS = (2, 4, 8)  # np of eqs. 9 to 11


def eq8(processor, count):
    """Gflops = GHz x floats per instruction / cycles per instruction x processors."""
    return (processor["max_ghz"] * processor["floats_per_instruction"]
            / processor["cycles_per_instruction"] * count)


def rows(names):
    """Ceilings of the published machines, the thesis' own two counts, and this machine."""
    published, model = names["published"], names["results"]["model"]
    found = []
    for m in model["machines"]:
        if m["source"] == "measured":
            continue
        processor = published["processors"][m["name"]]
        for count in PROCESSORS:
            found.append({"on": m["name"], "part": "CPU", "processors": count,
                          "bandwidth": m["host_read"],
                          "gigaoperations_per_second": eq8(processor, count),
                          "published_gflops":
                              published["gflops"].get(m["name"], {}).get(str(count))})
        if m["device_read"] > 0:
            tera = processor["gpu_tflops"]
            found.append({"on": m["name"], "part": "GPU", "bandwidth": m["device_read"],
                          "gigaoperations_per_second": 1e3 * tera, "published_gflops": 1e3 * tera})
    operations = published["operations_per_key"]
    for part, key in (("CPU", "count_on_cpu"), ("GPU", "count_on_gpu")):
        p = published[key]
        rate = p["keys"] / p["seconds"]
        found.append({"on": "Piz Daint", "part": part, "measured_by": "seed 000",
                      "keys_per_second": rate,
                      "gigaoperations_per_second": operations * rate / 1e9})
    for b in model["backends"]:
        found.append({"on": "this machine", "part": b["backend"], "measured_by": "orb",
                      "bandwidth": b["read_bytes_per_second"],
                      "copy_bandwidth": b["copy_bytes_per_second"],
                      "from_host_bandwidth": b["from_host_bytes_per_second"],
                      "gigaoperations_per_second":
                          operations * b["count_in_cache_keys_per_second"] / 1e9,
                      "keys_per_second": b["count_keys_per_second"]})
    return found


def draw(figure, document):
    """A roofline for each machine, with the counts that were measured on it."""
    intensity = document["published"]["arithmetic_intensity"]
    operations = document["published"]["operations_per_key"]
    x = [2.0**(k / 8) for k in range(-48, 57)]
    names = list(dict.fromkeys(r["on"] for r in document["rows"]))
    for axes, name in zip(figure.subplots(2, 2).flat, names):
        mine = [r for r in document["rows"] if r["on"] == name]
        for i, r in enumerate([r for r in mine if "bandwidth" in r]):
            label = r["part"] + (f", np = {r['processors']}" if "processors" in r else "")
            axes.plot(x, [min(r["gigaoperations_per_second"], r["bandwidth"] * v / 1e9) for v in x],
                      color=f"C{i}", label=label)
        for marker, r in zip("*os", [r for r in mine if "keys_per_second" in r]):
            axes.plot(intensity, operations * r["keys_per_second"] / 1e9, f"k{marker}",
                      label=f"count on {r['part']}, measured by {r['measured_by']}")
        axes.axvline(intensity, linestyle=":", color="gray")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set(xlabel="operations per byte", ylabel="10^9 operations/s", title=name)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=6)
