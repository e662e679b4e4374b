"""check_plot.py FOF PLOT FOLDER: perf/plot_fof.py draws what fof wrote, and refuses anything else with one
sentence and exit code 2. The map has as many circles as there are groups in the slice, at their
centres. Exits with 4, which ctest reports as skipped, if a package is missing."""

import importlib.util
import pathlib
import shutil
import subprocess
import sys

fof, plot, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
try:
    import h5py
    import matplotlib
    import numpy
except ImportError as missing:
    print(missing)
    sys.exit(4)
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
sys.dont_write_bytecode = True
sys.path.insert(0, str(plot.parent))
catalogue, picture = folder / "haloes.h5", folder / "haloes.png"
subprocess.run([fof, "--generate", "nfw", "--particles", "2e4", "--output", catalogue, "--quiet"], check=True,
               capture_output=True)


def run(*options, out=picture):
    return subprocess.run([sys.executable, plot, *map(str, options), "-o", out], text=True,
                          capture_output=True, check=False)


for options in ((), ("--slice", 0.5, "--thickness", 0.4, "--bare"), ("--matter", catalogue)):
    picture.unlink(missing_ok=True)
    done = run(catalogue, *options)
    if "--matter" in options:  # a catalogue has no positions of all particles
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
    else:
        assert done.returncode == 0 and picture.read_bytes()[:4] == b"\x89PNG", done
for options in ((folder / "none.h5",), (plot,)):
    done = run(*options, out=folder / "no.png")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
    assert not (folder / "no.png").exists()

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.colors import LogNorm  # noqa: E402

spec = importlib.util.spec_from_file_location("plot_fof", plot)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
vars(module).update(h5py=h5py, numpy=numpy, pyplot=pyplot, LogNorm=LogNorm)
groups, _, position, _, box = module.read_catalogue(str(catalogue))
axes = pyplot.figure().subplots()
shown = module.draw_map(axes, groups, position, box, (0.3, 0.7))
height = groups["centre_of_mass"][:, 2]
expected = groups["centre_of_mass"][(height >= 0.3) & (height <= 0.7)]
assert shown == len(axes.patches) == len(expected) > 3
assert numpy.array_equal([circle.center for circle in axes.patches], expected[:, :2])
