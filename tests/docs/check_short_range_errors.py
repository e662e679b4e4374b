"""check_short_range_errors.py ROOT: what docs/paper-short-range.md says of the published numbers follows from them.

The published numbers are those of the experiments. Fits are least squares of logarithms.
"""
import math
import pathlib
import statistics
import sys
import tomllib

root = pathlib.Path(sys.argv[1])
page = " ".join((root / "docs/paper-short-range.md").read_text(encoding="utf-8").split())


def published(experiment):
    return tomllib.loads((root / f"perf/experiments/{experiment}.toml").read_text(encoding="utf-8"))["published"]


def says(sentence):
    assert sentence in page, f"the page does not say: {sentence}"


def exponent(particles, seconds):
    return statistics.linear_regression([math.log(n) for n in particles], [math.log(s) for s in seconds]).slope


# Section 2.2.2: the map of all pairs.
says(f"n^2 / 2 bytes: {40_000 ** 2 // 2 // 10 ** 6} MB at 40,000 particles")
first = next(n for n in range(46_000, 47_000) if (n - 1) * n + n - 1 >= 2 ** 31)
says(f"a 32-bit index i n + j overflows from {first:,} particles on")

serial = published("collide_serial")["sweep-and-prune"]
says(f"a fit of the published times has the exponent {exponent(serial['particles'], serial['seconds']):.2f}")

threads = published("collide_threads")
at, of = threads["seconds"]["threads"], threads["seconds"]
says(f"12 threads are {of['10000'][0] / of['10000'][at.index(12)]:.1f} times as fast as one")
migrate = [shares[2] for part in threads["force_move_migrate_percent"].values() for shares in part.values()]
says(f"{min(migrate)} to {max(migrate)} % in figure 8")

sweep = published("collide_ranks_sweep")
sizes = [10_000, 20_000, 40_000]
fits = [exponent(sizes, [sweep["seconds"][str(n)][k] for n in sizes]) for k in range(1, 6)]
says("the exponents are " + ", ".join(f"{fit:.2f}" for fit in fits[:4]) + f" and {fits[4]:.2f} on 4, 8, 16, 24 and 48")
share = sweep["percent_of_peak"]["10000"]
says(f"it rises {share[2] / share[0]:.1f} times from 4 to 16 at 10^4 particles")
few = sweep["speed_up"]["500"][:4]
says(f"{min(few)} to {max(few)} times in figure 19")

gpu = published("collide_gpu")
seconds = {of: dict(zip(gpu[of]["particles"], gpu[of]["seconds"])) for of in ("rescan", "thread-per-particle")}
gains = [seconds["rescan"][n] / seconds["thread-per-particle"][n] for n in (1000, 10_000)]
steps = gpu["rescan"]["steps"] / gpu["thread-per-particle"]["steps"]
assert [round(gain, -1) for gain in gains] == [30, 330], gains
says(f"{gains[0] / steps:.0f} and {gains[1] / steps:.0f} times: the program of the first makes 1000 steps")

ranks = published("collide_ranks")
by_mpi = [ranks["milliseconds"]["500"][ranks["ranks"].index(p)] for p in (4, 12)]
by_threads = [1000 * of["500"][at.index(p)] for p in (4, 12)]
says(f"{by_threads[0]:.2f} ms on 4 cores by OpenMP and {by_mpi[0]:.2f} by MPI, "
     f"{by_threads[1]:.2f} and {by_mpi[1]:.2f} on 12")
