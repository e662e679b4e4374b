"""What the check_*.py programs share: run a mini-app as a user would and judge how it ended."""
import json
import os
import pathlib
import subprocess
import sys


def run(command, *arguments, sabotage=None, **environment):
    """`command` is a program, or a list with a launcher before it."""
    if sabotage:
        environment["COPSE_SABOTAGE"] = sabotage
    return subprocess.run([*([command] if isinstance(command, (str, os.PathLike)) else command), *arguments],
                          capture_output=True, text=True, check=False, env={**os.environ, **environment})


RANKS = "over 3 ranks"  # among options: the run has so many


class VerifiedRun:
    """A mini-app's run with --verify: `result` of the program, and its `checks` by name."""

    def __init__(self, program, mpi, folder, options, **environment):
        """`mpi` starts 3 processes."""
        out = pathlib.Path(folder) / "report.json"
        out.unlink(missing_ok=True)
        command = program
        if RANKS in options:  # of one thread: more than cores wait for each other
            command, environment = [*mpi, program], {"OMP_NUM_THREADS": "1", **environment}
        self.result = run(command, *[word for word in options if word != RANKS], "--repeat", "1", "--verify",
                          "--json", str(out), **environment)
        check(out.is_file(), f"{options}: no report", self.result)
        self.checks = {check["name"]: check for check in report(out)["verification"]["checks"]}

    def failed(self):
        return {name for name, check in self.checks.items() if not check["passed"]}

    def noticed(self, name):
        """The run failed and named the check, and has no figure of merit."""
        return (self.result.returncode == 1 and name in self.result.stderr and "FOM" not in self.result.stdout)


def check(condition, what, result=None):
    """Ends the check with `what`, and with what the program printed."""
    if condition:
        return
    more = f"\nexit code {result.returncode}\n{result.stdout}\n{result.stderr}" if result else ""
    sys.exit(what + more)


def refused(result, *about):
    """One sentence on stderr, nothing else, and exit code 2."""
    return (result.returncode == 2 and result.stderr.count("\n") == 1 and result.stdout == ""
            and all(text in result.stderr for text in about))


def backends(program):
    text = run(program, "--help").stdout.split("--backend")[1].split("--repeat")[0]
    return [name for name in ("serial", "openmp", "cuda") if f" {name}" in text]


def report(path):
    return json.loads(pathlib.Path(path).read_text())
