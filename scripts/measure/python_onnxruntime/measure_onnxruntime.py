#!/usr/bin/env python3
"""Measures a model in a Python onnxruntime that the user has, over the settings of a plan; see ../README.md. Needs the packages onnxruntime
and numpy in the Python that starts it."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))

from adaptor import Framework, main  # noqa: E402
from errors import InputError  # noqa: E402

PROBE = "import json, onnxruntime; print(json.dumps(onnxruntime.__version__))"
INTER_OP_ENDS = (1, 14)  # from here on inter-op threads change nothing on CPUs, so older versions are another runtime
ALLOCATORS = ("framework", "system")  # its arena, or malloc


class OnnxRuntime(Framework):
    name = "measure_onnxruntime"
    session = os.path.join(HERE, "session_onnxruntime.py")
    modes = {"sequential": None, "parallel": None}
    can_profile = True

    def __init__(self):
        self._version = None

    def version(self):
        if self._version is None:
            done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                why = (done.stderr.strip().split("\n") or ["?"])[-1]
                raise InputError(f"{sys.executable} cannot import onnxruntime ({why}): use a python3 that has it (for corecast measure: "
                                 "CORECAST_PYTHON=...)")
            self._version = json.loads(done.stdout.strip().split("\n")[-1])
        return self._version

    def versions(self):
        return {"onnxruntime_version": self.version()}

    def runtime(self, mode):
        super().runtime(mode)
        major, minor = (int(part) for part in self.version().split(".")[:2])
        return f"onnxruntime-{major}.{minor}" if (major, minor) < INTER_OP_ENDS else "onnxruntime"

    def refusal(self, setting, model):
        if model["inputs"] is None:
            return f"{os.path.basename(model['file'])} is no ONNX file"
        if setting.get("allocator") not in (None, *ALLOCATORS):
            return f'allocator "{setting["allocator"]}" is not one of {", ".join(ALLOCATORS)}'
        return None


if __name__ == "__main__":
    sys.exit(main(OnnxRuntime()))
