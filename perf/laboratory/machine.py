"""Name of this machine, and its numbers of cores and GPUs.

A machine is named after its GPU, or after its processor and its number of cores: h200, epyc-7742-64,
epyc2. --machine overrides the name.
"""

import os
import re
import subprocess

NOISE = re.compile(r"\(r\)|\(tm\)|\b(amd|intel|nvidia|geforce|cpu|processor|core|\d+-core|"
                   r"\d+(st|nd|rd|th) gen)\b|@.*", re.IGNORECASE)


def cores():
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def gpu_names():
    """Names of the NVIDIA GPUs; empty if there are none."""
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                              capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [line.strip() for line in done.stdout.splitlines() if line.strip()] \
        if done.returncode == 0 else []


def short_name(model, count=None):
    """A file name from a model name, with the number of cores appended."""
    words = re.sub(r"[^a-z0-9]+", "-", NOISE.sub(" ", model).lower()).strip("-")
    words = words or "machine"
    if count is None:
        return words
    return f"{words}{'-' if words[-1].isdigit() else ''}{count}"


def cpu_model():
    """The processor's name as the kernel reports it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return os.uname().machine


def name():
    """The folder name of this machine under the results."""
    gpus = gpu_names()
    return short_name(gpus[0]) if gpus else short_name(cpu_model(), cores())
