"""Speed-ups of one backend over another, for figures 27 and 28."""

from experiment import build_seconds, power_of_two, seconds_without_partition

# (label, options of the slower, options of the faster backend)
COMPARISONS = (
    ("thesis: bisection, counted on the device", ["--placement", "host", "--cut", "bisection"],
     ["--placement", "count-on-device", "--cut", "bisection"]),
    ("default build on both", [], []),
)


def measure_speed_ups(e, points, published):
    """Rows for (particles, leaves) points; `published(particles, leaves)` is a number or None."""
    slower, faster = e.pair()
    rows = []
    for label, slow_options, fast_options in COMPARISONS:
        for n, leaves in points:
            common = ["--particles", n, "--leaves", leaves]
            slow = e.try_run(*common, "--backend", slower, *slow_options)
            fast = slow and e.try_run(*common, "--backend", faster, *fast_options)
            if not fast:
                break
            rows.append({
                "comparison": label, "particles": n, "leaves": leaves, "slower": slower,
                "faster": faster, "slower_seconds": build_seconds(slow),
                "faster_seconds": build_seconds(fast),
                "speed_up": build_seconds(slow) / build_seconds(fast),
                "speed_up_without_partition":
                    seconds_without_partition(slow) / seconds_without_partition(fast),
                "published_speed_up": published(n, leaves),
            })
    return rows


def draw_speed_ups(axes, rows, x):
    for i, label in enumerate(dict.fromkeys(r["comparison"] for r in rows)):
        chosen = [r for r in rows if r["comparison"] == label]
        pair = f"{chosen[0]['faster']} over {chosen[0]['slower']}"
        axes.plot([r[x] for r in chosen], [r["speed_up"] for r in chosen], "o-", color=f"C{i}",
                  label=f"{pair}, {label}")
        axes.plot([r[x] for r in chosen], [r["speed_up_without_partition"] for r in chosen], "o:",
                  color=f"C{i}", label="the same without partition")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.axhline(1.0, color="black", linewidth=0.5)
    axes.set_ylabel("speed-up")
    axes.grid(alpha=0.3, which="both")


def size_text(rows, key):
    values = sorted({r[key] for r in rows})
    return power_of_two(values[0]) if len(values) == 1 else "several"
