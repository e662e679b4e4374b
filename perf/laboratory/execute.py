"""Runs one point and returns its report; rejects a result that is not verified."""

import json
import os
import shlex
import subprocess
import tempfile
import time

from . import machine
from .failures import Failed, Unsupported
from .vocabulary import without_data_folder

# Messages of programs about options and variants that they lack.
LACKING = ("unknown option", "is not one of", "partitions on one rank", "no trees in",
           "cannot run on", "which this build lacks", "which this Python lacks")
HOSTS = ("serial", "openmp")
# Placement of threads and ranks, unless the user's environment overrides it. If ranks bound their
# threads themselves, all would use the first core; therefore Open MPI binds them, counting hardware
# threads. It also starts in containers, whose only user is root. A single process need not start a
# daemon, which takes longer than a quick run; isolated processes share a session folder that the
# first one to end deletes, so each process has its own.
ONE_PROCESS = {"OMP_PROC_BIND": "spread", "OMP_PLACES": "threads",
               "OMPI_MCA_ess_singleton_isolated": "1"}
RANKS = {
    "OMP_PROC_BIND": "false", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "core:overload-allowed",
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}


class Runner:
    """Starts programs and measures their time and energy.

    In a build with CUDA, nvcc calls the host code of a KOKKOS_LAMBDA through a function pointer:
    2.4 ns per element of a loop of additions instead of 0.6 ns. Runs of the hosts' backends
    therefore come from `host`, the programs of a build without CUDA, and not from `programs`; only
    quick runs, whose times mean nothing, do without it.
    """

    def __init__(self, programs, meters, mpirun="mpirun", host=None, quick=False):
        self.programs = programs
        self.meters = meters
        self.host = host
        self.quick = quick
        self.mpirun = shlex.split(mpirun)

    def programs_of(self, point):
        """The programs of the build that runs the point."""
        if point.values.get("backend") not in HOSTS or not self.programs.has_gpu(point.program):
            return self.programs
        if self.host or self.quick:
            return self.host or self.programs
        raise Unsupported("runs of hosts' backends need a build without CUDA beside this one "
                          "(--host-build DIR)")

    def command(self, point):
        """The command line without the option for the report file."""
        command = [self.programs_of(point).path(point.program), *point.arguments]
        command += ["--verify"] if point.verify else []
        command += ["--repeat", str(point.repeat)]
        if point.ranks > 1:
            command = [*self.mpirun, "-n", str(point.ranks), *command]
        return command

    def identity(self, point):
        """The identity of this call, including the program's file."""
        found = [os.stat(file) for file in self.programs_of(point).files(point.program)]
        return [shlex.join(self.command(point)), self.environment(point),
                *(part for status in found for part in (status.st_size, status.st_mtime_ns))]

    def environment(self, point):
        """The environment variables that control threads and ranks, and those that the point sets."""
        chosen = {**(RANKS if point.ranks > 1 else ONE_PROCESS)}
        if point.ranks > 1 and point.threads != 1:  # one GPU per rank, or several threads
            chosen["OMPI_MCA_hwloc_base_binding_policy"] = "none"
        chosen = {key: os.environ.get(key, value) for key, value in chosen.items()}
        if point.threads:
            chosen["OMP_NUM_THREADS"] = str(point.threads)
        elif "OMP_NUM_THREADS" in os.environ:
            chosen["OMP_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"]
        elif point.ranks > 1:  # otherwise each rank would use all cores
            chosen["OMP_NUM_THREADS"] = str(max(1, machine.cores() // point.ranks))
        return {**chosen, **point.environment}

    def run(self, point):
        """{"report", "command", "environment", "wall_seconds", "cpu_joules", "gpu_joules"}."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            command = self.command(point)
            environment = self.environment(point)
            before, start = self.meters.read(), time.monotonic()
            try:
                session = {"OMPI_MCA_orte_tmpdir_base": folder} if point.ranks == 1 else {}
                done = subprocess.run([*command, "--json", path], capture_output=True, text=True,
                                      errors="replace", check=False,
                                      env={**session, **os.environ, **environment,
                                           **self.programs_of(point).environment(point.program)})
            except OSError as error:
                raise Failed(f"{command[0]} cannot be started: {error.strerror}") from None
            wall = time.monotonic() - start
            joules = self.meters.joules(before, self.meters.read())
            self._refuse(command, done)
            try:
                with open(path, encoding="utf-8") as file:
                    report = json.load(file)
            except (OSError, ValueError):
                raise Failed(f"{shlex.join(command)} wrote no report") from None
        verification = report["verification"]
        if point.verify and not (verification["requested"] and verification["passed"]):
            raise Failed(f"the result of {shlex.join(command)} is not verified")
        return {"report": report, "command": self.told(point), "environment": environment,
                "wall_seconds": wall, **joules}

    def told(self, point):
        """The command as shown to a reader, whose programs are in another folder."""
        path = self.programs_of(point).path(point.program)
        return without_data_folder(
            shlex.join(point.program if word == path else word for word in self.command(point)))

    @staticmethod
    def _refuse(command, done):
        if done.returncode == 0:
            return
        errors = [line for line in done.stderr.splitlines() if ": error: " in line]
        told = [line for line in done.stderr.splitlines() if line.strip("- \t")]  # no rulers
        sentence = (errors or told or ["no message"])[0]
        if done.returncode == 2 and any(text in done.stderr for text in LACKING):
            raise Unsupported(f"this program cannot do that: {sentence}")
        raise Failed(f"{shlex.join(command)} ended with {done.returncode}: {sentence}")
