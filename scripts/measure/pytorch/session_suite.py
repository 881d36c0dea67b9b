"""Models of a suite, one after the other, in one process: started by measure_suite.py with the environment that the setting asks for.

Argument 1 is a job as JSON; descriptor job["answers"] carries a line for each model, {"median_ms", "min_ms", "timed_runs"} or {"error"}."""
import json
import os
import sys
import time

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

from errors import InputError  # noqa: E402
from input_data import all_inputs  # noqa: E402
from input_shapes import resolve_inputs  # noqa: E402
from onnx_inputs import onnx_inputs  # noqa: E402
from placement import set_threads  # noqa: E402
from session import die_with  # noqa: E402
from session_pytorch import SPECIALIZING_RUNS, build  # noqa: E402
from statistics_of_runs import median  # noqa: E402

FIRST_WARM_UP = 0.3  # seconds: until the team and its libraries have started
WARM_UP = 0.03
LEAST_RUNS = 5
BUDGET = 12  # times min_seconds, for one model: five runs of a slow one end there

now = time.perf_counter


def timed(run, min_seconds, warm_up):
    """Milliseconds of each run, as ../measure_suite.mjs times them."""
    begin, count = now(), 0
    while count < SPECIALIZING_RUNS or now() - begin < warm_up:
        run()
        count += 1
    times, start = [], now()
    while True:
        before = now()
        run()
        after = now()
        times.append((after - before) * 1000)
        spent = after - start
        if (len(times) >= LEAST_RUNS and spent >= min_seconds) or spent > BUDGET * min_seconds:
            return times


def answer_of(job, model, warm_up):
    try:
        with open(model["file"], "rb") as file:
            inputs = resolve_inputs(onnx_inputs(file.read(), model["file"]), model["name"], 1, [], [])
        examples = [torch.from_numpy(array) for array in all_inputs(inputs, job["seed"])]
        module = build({"setting": job["setting"], "is_script": False, "model": model["file"], "inputs": inputs}, examples)
        times = timed(lambda: module(*examples), job["min_seconds"], warm_up)
        return {"median_ms": round(median(times), 5), "min_ms": round(min(times), 5), "timed_runs": len(times)}
    except InputError as error:
        return {"error": str(error)}
    except Exception as error:  # whatever the library raises belongs to this model
        return {"error": f"{type(error).__name__}: {error}".split("\n", maxsplit=1)[0][:500]}


def main():
    job = json.loads(sys.argv[1])
    die_with(job["parent"])
    set_threads(job["setting"]["intra_op"], job["cpus"])
    torch.set_num_interop_threads(job["setting"]["inter_op"])
    torch.set_grad_enabled(False)
    warm_up = FIRST_WARM_UP
    for model in job["models"]:
        os.write(job["answers"], (json.dumps(answer_of(job, model, warm_up)) + "\n").encode())
        warm_up = WARM_UP
    os._exit(0)  # nothing in the library's own teardown may turn answers into a failure


if __name__ == "__main__":
    main()
