#!/usr/bin/env python3
"""Times many small models in one process: `measure_suite.py --plan plan.json --output runs.json`. For `corecast calibrate --runtime
pytorch`: loading PyTorch for every model and setting would take longer than the models do. The contract is ../measure_suite.mjs's, and
the plan has a "mode": eager (the default) or torchscript.

A round visits all models in one process for each number of threads, before the next round begins. A model that ends the process is
recorded as failed, and another process goes on behind it; so is one that is not translated to PyTorch. Threads have a core each where
there are as many, waiting and the allocator are the framework's own."""
import argparse
import contextlib
import json
import os
import re
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

from adaptor import INTERRUPTED  # noqa: E402
from errors import InputError, UsageError  # noqa: E402
from host_context import granted_cpus, host_context, read  # noqa: E402
from measure_pytorch import PyTorch  # noqa: E402
from processes import Child  # noqa: E402
from result_file import check_writable, write_atomically  # noqa: E402

SESSION = os.path.join(HERE, "session_suite.py")
MODES = ("eager", "torchscript")
SEED = 1
MOST_SILENT = 4  # processes in a row that end without an answer: it is not the models


def read_plan(file):
    """The plan with its defaults; InputError says what is wrong with it."""
    try:
        with open(file, encoding="utf8") as opened:
            plan = json.load(opened)
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: cannot be read as JSON ({error})") from error
    if not isinstance(plan, dict) or plan.get("schema") != "corecast.suite_plan/1":
        raise InputError(f"{file}: is not a corecast.suite_plan/1 file")

    def positive(value, kind):
        return isinstance(value, kind) and not isinstance(value, bool) and value > 0
    plan = {"mode": "eager", "rounds": 3, "min_seconds": 0.1, "threads": [1], **plan}
    models = plan.get("models")
    checks = {
        "mode": (plan["mode"] in MODES, f"is not one of {', '.join(MODES)}"),
        "rounds": (positive(plan["rounds"], int), "is not a whole number above 0"),
        "min_seconds": (positive(plan["min_seconds"], (int, float)), "is not a number above 0"),
        "threads": (isinstance(plan["threads"], list) and plan["threads"] and all(positive(one, int) for one in plan["threads"]),
                    "is not a list of whole numbers above 0"),
        "models": (isinstance(models, list) and models and all(isinstance(one, dict) and {"name", "file"} <= one.keys() for one in models),
                   'is not a list of {"name", "file"}'),
    }
    for name, (is_right, problem) in checks.items():
        if not is_right:
            raise InputError(f"{file}: /{name}: {problem}")
    return plan


def team_cpus(count, granted, topology="/sys/devices/system/cpu"):
    """The first granted CPU of as many cores; None where there are not as many: then threads are left to the system."""
    cores = {}
    for cpu in sorted(granted):
        names = [read(os.path.join(topology, f"cpu{cpu}", "topology", name)) for name in ("physical_package_id", "core_id")]
        cores.setdefault(tuple(names) if all(names) else cpu, cpu)
    return list(cores.values())[:count] if len(cores) >= count else None


def all_answers(models, start):
    """Of each model its answer, in order. start(models) is a process that answers for one after the other (processes.py, Child)."""
    left, silent = list(models), 0
    while left:
        before = len(left)
        child = start(left)
        try:
            while (lines := child.lines()) is not None:
                for line in lines:
                    yield {"model": left.pop(0)["name"], **json.loads(line)}
            ended = child.how_it_ended()
        finally:
            child.kill()
            child.close()
        if left:
            silent = silent + 1 if len(left) == before else 0
            if silent == MOST_SILENT:
                raise InputError(ended)
            yield {"model": left.pop(0)["name"], "error": ended}


def measure_all(plan, output):
    framework = PyTorch()
    versions = framework.versions()
    refusal = framework.refusal({"mode": plan["mode"]}, {"inputs": [], "file": plan["models"][0]["file"]})
    if refusal:
        raise InputError(refusal)
    method = {"mode": plan["mode"], "rounds": plan["rounds"], "min_seconds": plan["min_seconds"], "seed": SEED}
    result = {"schema": "corecast.suite_runs/1", "context": host_context(versions, method), "runs": []}
    runs, total = result["runs"], plan["rounds"] * len(plan["threads"]) * len(plan["models"])
    for number in range(plan["rounds"]):
        for threads in plan["threads"]:
            setting = {"mode": plan["mode"], "intra_op": threads, "inter_op": 1}
            cpus = team_cpus(threads, granted_cpus())
            environment = framework.environment(setting, cpus)

            def start(models, setting=setting, environment=environment, cpus=cpus):
                job = {"setting": setting, "min_seconds": plan["min_seconds"], "seed": SEED, "models": models}
                return Child(SESSION, job, environment, cpus, None)
            with contextlib.closing(all_answers(plan["models"], start)) as answers:
                for answer in answers:
                    runs.append({"round": number, "threads": threads, **answer})
                    word = re.sub(r"\s", "_", answer["model"])
                    print(f"progress {len(runs) / total:.4f} {word}", file=sys.stderr, flush=True)
    write_atomically(output, json.dumps(result, allow_nan=False) + "\n")


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(message)


def main(argv=None):
    def interrupt(_signal, _frame):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, interrupt)
    try:
        parser = _Parser(prog="measure_suite", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
        parser.add_argument("--plan", required=True, help="what to run: corecast.suite_plan/1")
        parser.add_argument("--output", required=True, help="result: corecast.suite_runs/1")
        options = parser.parse_args(argv)
        check_writable(options.output)
        measure_all(read_plan(options.plan), options.output)
        return 0
    except (UsageError, InputError) as error:
        print(f"measure_suite: {error}", file=sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, BrokenPipeError):
        print("measure_suite: interrupted", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
