"""One measurement in a Python onnxruntime, in a process of its own: started by measure_onnxruntime.py."""
import os
import shutil
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))

import onnxruntime  # noqa: E402

from input_data import all_inputs  # noqa: E402
from session import serve  # noqa: E402

ERRORS_ONLY = 3
PROFILED_RUNS = 10


def session_options(setting, profile_prefix=None):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = setting["intra_op"]
    options.inter_op_num_threads = setting["inter_op"]
    modes = onnxruntime.ExecutionMode
    options.execution_mode = modes.ORT_PARALLEL if setting["mode"] == "parallel" else modes.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = ERRORS_ONLY
    if setting.get("allocator") == "system":
        options.enable_cpu_mem_arena = False
    if "spin" in setting:
        spin = "1" if setting["spin"] == "on" else "0"
        options.add_session_config_entry("session.intra_op.allow_spinning", spin)
        options.add_session_config_entry("session.inter_op.allow_spinning", spin)
    if profile_prefix:
        options.enable_profiling = True
        options.profile_file_prefix = profile_prefix
    return options


def prepare(job):
    profile = job.get("profile")
    feeds = {given["name"]: array for given, array in zip(job["inputs"], all_inputs(job["inputs"], job["method"]["seed"]))}
    begin = time.perf_counter()
    session = onnxruntime.InferenceSession(job["model"], session_options(job["setting"], profile and profile + ".run"),
                                           providers=["CPUExecutionProvider"])
    seconds = time.perf_counter() - begin

    def run():
        return session.run(None, feeds)
    if profile:
        for _ in range(job["method"]["warmup"] + min(PROFILED_RUNS, job["method"]["repetitions"])):
            run()
        shutil.move(session.end_profiling(), profile)  # the library appends a date to the prefix
        job["method"].update(warmup=0, repetitions=1, min_time_seconds=0, stable=False)
    return run, seconds


if __name__ == "__main__":
    serve(prepare)
