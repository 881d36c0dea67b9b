"""One measurement in PyTorch, in a process of its own: started by measure_pytorch.py with the environment that the setting asks for."""
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))

import torch  # noqa: E402

from errors import InputError  # noqa: E402
from input_data import all_inputs  # noqa: E402
from placement import set_threads  # noqa: E402
from profile_trace import write_profile  # noqa: E402
from session import serve  # noqa: E402

SPECIALIZING_RUNS = 3  # the script's executor observes shapes in the first runs and rewrites itself
PROFILED_RUNS = 10


def build(job, examples):
    """The module in the setting's mode."""
    script = job["setting"]["mode"] == "torchscript"
    try:
        if not job["is_script"]:
            from onnx_module import UnsupportedError, load_onnx
            try:
                module, _ = load_onnx(job["model"], {given["name"]: tensor for given, tensor in zip(job["inputs"], examples)})
            except UnsupportedError as error:
                raise InputError(str(error)) from error
            if not script:
                return module
            module = torch.jit.trace(module, tuple(examples), check_trace=False)
        else:
            module = torch.jit.load(job["model"], map_location="cpu").eval()
        return torch.jit.optimize_for_inference(torch.jit.freeze(module) if hasattr(module, "training") else module)
    except RuntimeError as error:
        raise InputError(f"{job['model']}: {str(error).strip().splitlines()[-1]}") from error


def prepare(job):
    setting = job["setting"]
    set_threads(setting["intra_op"], job["cpus"])
    torch.set_num_interop_threads(setting["inter_op"])
    torch.set_grad_enabled(False)
    job["is_script"] = not job["model"].endswith(".onnx") and os.path.splitext(job["model"])[1] in (".pt", ".pth", ".ts")
    begin = time.perf_counter()
    examples = [torch.from_numpy(array) for array in all_inputs(job["inputs"], job["method"]["seed"])]
    module = build(job, examples)

    def run():
        return module(*examples)
    for _ in range(SPECIALIZING_RUNS if setting["mode"] == "torchscript" else 0):
        run()
    seconds = time.perf_counter() - begin
    if "profile" in job:
        for _ in range(max(1, job["method"]["warmup"])):
            run()
        write_profile(job["profile"], run, min(PROFILED_RUNS, job["method"]["repetitions"]))
        job["method"].update(warmup=0, repetitions=1, min_time_seconds=0, stable=False)
    return run, seconds


if __name__ == "__main__":
    serve(prepare)
