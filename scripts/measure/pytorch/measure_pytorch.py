#!/usr/bin/env python3
"""Measures a model in the real PyTorch over the settings of a plan; see ../README.md. Needs Debian's python3-torch and python3-onnx, or the
same from elsewhere."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))

from adaptor import Framework, main  # noqa: E402
from allocators import preload  # noqa: E402
from blas_library import library_path  # noqa: E402
from errors import InputError  # noqa: E402
from openmp import openmp_environment  # noqa: E402

PROBE = """
import json, re, torch
built = torch.__config__.show()
mapped = open("/proc/self/maps").read()
system = re.findall(r"/((?:open)?blas(?:-\\w+)?)/lib(?:open)?blas", mapped)
found = lambda pattern: (re.findall(pattern, built) or [None])[0]
try:
    import onnx
    importable = True
except ImportError:
    importable = False
print(json.dumps({"onnx": importable, "versions": {"pytorch_version": torch.__version__, "blas": system[0] if system else found(r"BLAS_INFO=(\\w+)"),
    "onednn_version": found(r"(?:MKL-DNN|oneDNN) v([\\d.]+)"), "cpu_capability": found(r"CPU capability usage: (\\w+)")}}))
"""
LEAST_FOR_COMPILE = 2


class PyTorch(Framework):
    name = "measure_pytorch"
    session = os.path.join(HERE, "session_pytorch.py")
    modes = {"eager": "pytorch", "torchscript": "torchscript", "compile": "torch-compile"}
    can_profile = True

    def __init__(self):
        self._probed = None

    def _probe(self):
        if self._probed is None:
            path = library_path()
            environment = {**os.environ, **({"LD_LIBRARY_PATH": path} if path else {})}
            done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=False, env=environment)
            if done.returncode != 0:
                why = (done.stderr.strip().split("\n") or ["?"])[-1]
                raise InputError(f"{sys.executable} cannot import PyTorch ({why}): run scripts/measure/setup.sh pytorch, or use a python3 "
                                 "that has it (for corecast: CORECAST_PYTHON=/usr/bin/python3)")
            self._probed = json.loads(done.stdout.split("\n")[-2])
        return self._probed

    def versions(self):
        return {name: version for name, version in self._probe()["versions"].items() if version is not None}

    def refusal(self, setting, model):
        probed = self._probe()
        version = probed["versions"]["pytorch_version"]
        is_script = model["inputs"] is None
        if not is_script and not probed["onnx"]:
            return f"{sys.executable} has no package onnx, which reads {os.path.basename(model['file'])}: run scripts/measure/setup.sh pytorch"
        if is_script and setting["mode"] != "torchscript":
            return f"mode {setting['mode']}: a TorchScript file is already a script; its mode is torchscript"
        if setting["mode"] == "compile":
            if int(version.split(".")[0]) < LEAST_FOR_COMPILE:
                return f"mode compile: PyTorch {version} has no torch.compile (2.0 has); use torchscript"
            return "mode compile: this adaptor does not compile; use eager or torchscript"
        return preload(setting.get("allocator"))[1]

    def environment(self, setting, cpus):
        library = preload(setting.get("allocator"))[0]
        loaded = [library] if library else []
        loaded += [one for one in os.environ.get("LD_PRELOAD", "").split(":") if one]
        return {**openmp_environment(setting["intra_op"], setting["inter_op"], setting.get("spin"), cpus),
                "LD_PRELOAD": ":".join(loaded) or None, "LD_LIBRARY_PATH": library_path()}


if __name__ == "__main__":
    sys.exit(main(PyTorch()))
