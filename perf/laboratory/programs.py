"""Finds the programs of the suite and their backends."""

import glob
import os
import re
import subprocess

from .failures import Failed, Unsupported

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KNOWN = ("serial", "openmp", "cuda")  # slowest first
MINI_APPS = ("orb", "fof", "traversal", "gravity", "collide")
SCRIPTS = os.path.join(ROOT, "perf", "peers")


def _cache_value(build, key):
    try:
        with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
            found = re.search(rf"^{key}:[A-Z]+=(.*)$", file.read(), re.MULTILINE)
    except OSError:
        return ""
    return found[1].strip() if found else ""


def _starts(folder):
    """Whether a mini-app of a folder starts on this machine: CUDA programs need the driver's library."""
    program = next(path for name in MINI_APPS
                   if os.path.exists(path := os.path.join(folder, name)))
    try:
        return subprocess.run([program, "--version"], capture_output=True, check=False,
                              timeout=120).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def builds(with_cuda=True):
    """Yields usable build folders, best first: those with CUDA, then the latest. Debug builds, builds
    with a sanitizer and builds whose programs do not start here are skipped, and those with CUDA if
    they are not wanted."""
    found = []
    for build in glob.glob(os.path.join(ROOT, "build", "*")):
        slow = _cache_value(build, "CMAKE_BUILD_TYPE") == "Debug" \
            or _cache_value(build, "COPSE_SANITIZER")
        folder = os.path.join(build, "bin")
        cuda = _cache_value(build, "COPSE_ENABLE_CUDA").upper() in ("ON", "TRUE", "1", "YES")
        if cuda and not with_cuda:
            continue
        if any(os.path.exists(os.path.join(folder, p)) for p in MINI_APPS) and not slow:
            found.append((cuda, max(e.stat().st_mtime for e in os.scandir(folder)), build))
    for _, _, build in sorted(found, reverse=True):
        if _starts(os.path.join(build, "bin")):
            yield build


def is_script(program):
    """Whether a program is a script of perf/peers, which runs programs of the build."""
    return program.endswith(".py")


class Programs:
    """The programs of one build folder; None selects the best one under build/."""

    def __init__(self, build=None):
        if build is None:
            build = next(builds(), None)
            if build is None:
                raise Failed("no build/*/bin has programs that start here: build the suite, or name "
                             "a build folder with --build")
        elif not os.path.isdir(build):
            raise Failed(f"--build {build}: there is no such folder")
        self.folder = os.path.join(build, "bin")
        if not os.path.isdir(self.folder):
            self.folder = build
        self._help = {}

    def path(self, program):
        """The file of a program: in the build, or for NAME.py a script of perf/peers."""
        path = os.path.join(SCRIPTS if is_script(program) else self.folder, program)
        if not os.access(path, os.X_OK):
            raise Unsupported(f"{path} is not built")
        return path

    def files(self, program):
        """All files that a call of the program may run: for a script also the mini-apps."""
        own = [self.path(program)]
        if is_script(program):
            beside = [os.path.join(self.folder, name) for name in MINI_APPS]
            own += [path for path in beside if os.path.exists(path)]
        return own

    def environment(self, program):
        """The environment with which a script finds the mini-apps of this build by name."""
        if not is_script(program):
            return {}
        return {"PATH": os.pathsep.join([os.path.abspath(self.folder), os.environ.get("PATH", "")])}

    def help(self, program):
        """The program's --help text."""
        if program not in self._help:
            try:
                self._help[program] = subprocess.run(
                    [self.path(program), "--help"], capture_output=True, text=True, check=False,
                    timeout=120).stdout
            except (OSError, subprocess.TimeoutExpired) as error:
                raise Failed(f"{self.path(program)} --help: {error}") from None
        return self._help[program]

    def has_gpu(self, program):
        """Whether the program has a backend for GPUs; a script has those of the programs it runs."""
        try:
            return "cuda" in self.backends("fof" if is_script(program) else program)
        except (Failed, Unsupported):
            return False

    def backends(self, program):
        """Backends of the build, slowest first."""
        for line in self.help(program).split("\n  --"):
            if line.startswith("backend "):
                words = line.replace(",", " ").split()
                return [b for b in KNOWN if b in words]
        raise Failed(f"{program} --help names no backends")


class Roles:
    """What an experiment calls the backends that it may use.

    cpu, gpu        openmp, else serial, else none; cuda or none
    device          gpu or else cpu
    slower, faster  cpu and gpu, or without a GPU serial and openmp
    fastest         the last of serial, openmp, cuda
    every           all of them
    """

    def __init__(self, backends):
        self.backends = backends
        self.cpu = next((b for b in ("openmp", "serial") if b in backends), None)
        self.gpu = "cuda" if "cuda" in backends else None
        self.stood_in = False  # whether an experiment asked for slower or faster without a GPU
        self.slower, self.faster = (self.cpu, self.gpu) if self.gpu \
            else (backends[0], backends[-1])
        self.fastest = backends[-1]
        self.device = self.gpu or self.cpu

    def names(self):
        """The roles that expressions may use."""
        return {role: getattr(self, role)
                for role in ("cpu", "gpu", "device", "slower", "faster", "fastest")}

    def resolve(self, word):
        """Backends for a role named by an experiment; may be empty."""
        if word == "every":
            return list(self.backends)
        self.stood_in |= word in ("slower", "faster") and not self.gpu
        backend = self.names().get(word, word)
        return [backend] if backend in self.backends else []
