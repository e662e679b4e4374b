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
