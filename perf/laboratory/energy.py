"""Joules of a command: processors from RAPL, NVIDIA GPUs from NVML.

Both are counters of the whole package or board, read before and after, so they include other programs
and the power of an idle machine. GPUs that CUDA_VISIBLE_DEVICES hides from the command by number are
excluded. If NVML has no energy counter, the power that nvidia-smi prints five times a second is
integrated. If nothing can be read, the joules are None and a sentence says why.
"""

import ctypes
import glob
import os
import subprocess
import threading
import time

POWERCAP = "/sys/class/powercap"


def visible_gpus():
    """Numbers of the GPUs that CUDA_VISIBLE_DEVICES makes visible, in bus order; None means all, also
    if it is unset or contains names."""
    words = [word.strip() for word in os.environ.get("CUDA_VISIBLE_DEVICES", "all").split(",")]
    words = [word for word in words if word]
    if "-1" in words:
        words = words[:words.index("-1")]  # CUDA stops there
    return {int(word) for word in words} if all(word.isdigit() for word in words) else None


class Rapl:
    """Energy of all processor packages."""

    name = "RAPL, whole packages"

    def __init__(self, folder=POWERCAP):
        self.reason = None
        self.packages = []
        for domain in sorted(glob.glob(os.path.join(folder, "intel-rapl:*"))):
            try:
                if os.path.basename(domain).count(":") == 1 \
                        and self._text(domain, "name").startswith("package"):
                    self._number(domain, "energy_uj")
                    self.packages.append(domain)
            except OSError as error:
                self.reason = f"RAPL: {domain}/energy_uj cannot be read: {error.strerror}"
        if self.reason:
            self.packages = []
        elif not self.packages:
            self.reason = f"RAPL: {folder} has no processor package"

    @staticmethod
    def _text(domain, name):
        with open(os.path.join(domain, name), encoding="utf-8") as file:
            return file.read().strip()

    def _number(self, domain, name):
        return int(self._text(domain, name))

    def read(self):
        """Energy counters of each package in microjoules, with an arbitrary start."""
        return [self._number(domain, "energy_uj") for domain in self.packages]

    def joules(self, before, after):
        """Joules between two readings; a counter wraps at most once between them."""
        if not self.packages:
            return None
        total = 0
        for domain, first, last in zip(self.packages, before, after):
            wrap = self._number(domain, "max_energy_range_uj") if last < first else 0
            total += last - first + wrap
        return total / 1e6


class Nvml:
    """Energy of the NVIDIA GPUs, by NVML's counter of millijoules (Volta and newer)."""

    name = "NVML, whole boards"

    def __init__(self, library="libnvidia-ml.so.1"):
        self.reason = None
        self.devices = []
        try:
            self._nvml = ctypes.CDLL(library) if isinstance(library, str) else library
        except OSError:
            self.reason = f"NVML: there is no {library}"
            return
        if self._nvml.nvmlInit_v2() != 0:
            self.reason = "NVML: it cannot be initialised"
            return
        count = ctypes.c_uint()
        self._nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
        visible = visible_gpus()
        for index in range(count.value):
            if visible is not None and index not in visible:
                continue
            device = ctypes.c_void_p()
            self._nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device))
            self.devices.append(device)
        if not self.devices:
            self.reason = "NVML: it sees no GPU"
        elif None in self.read():
            self.reason = "NVML: this GPU does not tell its energy"
            self.devices = []

    def read(self):
        """Millijoules of each GPU since its driver was loaded; None for a GPU without a counter."""
        found = []
        for device in self.devices:
            millijoules = ctypes.c_ulonglong()
            code = self._nvml.nvmlDeviceGetTotalEnergyConsumption(device, ctypes.byref(millijoules))
            found.append(millijoules.value if code == 0 else None)
        return found

    def joules(self, before, after):
        """Joules between two readings."""
        if not self.devices or None in (*before, *after):
            return None
        return sum(last - first for first, last in zip(before, after)) / 1e3


class NvidiaSmi:
    """Energy of the NVIDIA GPUs, integrated from the power that nvidia-smi prints until `stop`."""

    name = "power by nvidia-smi, whole boards"
    COMMAND = ("nvidia-smi", "--query-gpu=index,power.draw", "--format=csv,noheader,nounits",
               "-lms", "200")

    def __init__(self, command=COMMAND, clock=time.monotonic):
        self.reason = None
        self._joules, self._clock, self._begun = 0.0, clock, threading.Event()
        try:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                             stderr=subprocess.DEVNULL, text=True)
        except OSError:
            self.reason = "NVML: there is none, and no nvidia-smi"
            return
        self._reader = threading.Thread(target=self._follow, daemon=True)
        self._reader.start()
        if not self._begun.wait(10) or not self._joules:
            self.reason = "NVML: there is none, and nvidia-smi tells no power"
            self.stop()

    def _follow(self):
        visible = visible_gpus()
        last = {}  # per GPU: time and value of its last power reading
        for line in self._process.stdout:
            try:
                index, watts = (float(word) for word in line.split(","))
            except ValueError:
                break
            if visible is not None and index not in visible:
                continue
            now = self._clock()
            if index in last:
                self._joules += last[index][1] * (now - last[index][0])
                self._begun.set()
            last[index] = now, watts
        self._begun.set()

    def stop(self):
        """Ends nvidia-smi."""
        self._process.terminate()
        self._process.wait()
        self._reader.join()

    def read(self):
        """Joules since the start of this meter."""
        return self._joules

    def joules(self, before, after):
        """Joules between two readings, with an error of up to a fifth of a second at both ends."""
        return None if self.reason else after - before


class Meters:
    """All meters of this machine."""

    def __init__(self):
        gpu = Nvml()
        if gpu.reason and visible_gpus() != set():
            sampled = NvidiaSmi()
            gpu = gpu if sampled.reason else sampled
        self._meters = {"cpu": Rapl(), "gpu": gpu}

    def describe(self):
        """What the meters measure, or why they cannot."""
        return {part: meter.reason or meter.name for part, meter in self._meters.items()}

    def stop(self):
        """Stops all meters."""
        for meter in self._meters.values():
            if isinstance(meter, NvidiaSmi) and not meter.reason:
                meter.stop()

    def read(self):
        return {part: meter.read() for part, meter in self._meters.items()}

    def joules(self, before, after):
        """{"cpu_joules", "gpu_joules"} between two readings."""
        return {f"{part}_joules": meter.joules(before[part], after[part])
                for part, meter in self._meters.items()}
