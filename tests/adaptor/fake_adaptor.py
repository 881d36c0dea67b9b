#!/usr/bin/env python3
"""An adaptor that measures nothing: the contract of scripts/measure/README.md, with latencies by a formula, for tests.

FAKE_ADAPTOR says how it behaves: "" (fine), "fail" (settings of two threads fail), "refuse", "crash" (killed after two rounds), "hang",
"slow" (0.2 s a round), "stubborn" (as slow, and SIGINT does not end it), "noise" (prints lines that are no progress)."""
import json
import os
import signal
import sys
import time

BEHAVIOUR = os.environ.get("FAKE_ADAPTOR", "")


def option(name):
    return sys.argv[sys.argv.index(name) + 1]


def latency(setting, number):
    """8 ms over the threads, 1 ms more for each further instance; each round 1 % more than the one before."""
    return (8 / setting["intra_op"] + setting["instances"] - 1) * (1 + number / 100)


def summary(rounds):
    values = sorted(one["latencies_ms"][0] for one in rounds)
    middle = values[len(values) // 2] if len(values) % 2 else (values[len(values) // 2 - 1] + values[len(values) // 2]) / 2
    return {"latency_ms_median": middle, "latency_ms_mean": middle, "latency_ms_min": values[0], "latency_ms_max": values[-1],
            "spread": None if len(values) < 2 else (values[-1] - values[0]) / middle}


def write(file, result):
    with open(file + ".tmp", "w", encoding="utf8") as opened:
        json.dump(result, opened)
    os.replace(file + ".tmp", file)


def main():
    if BEHAVIOUR == "refuse":
        print("warning: the sky is falling", file=sys.stderr)
        print("measure_fake: the moon is not installed: run setup.sh", file=sys.stderr)
        return 2
    signal.signal(signal.SIGINT, signal.SIG_IGN if BEHAVIOUR in ("stubborn", "hang") else lambda *_: os._exit(130))
    if BEHAVIOUR == "hang":
        time.sleep(100)
    with open(option("--plan"), encoding="utf8") as opened:
        plan = json.load(opened)
    output = option("--output")
    result = {"schema": "corecast.measured_runs/1", "context": {"cpu_model": "fake", "onnxruntime_version": "9.9"}, "runs": []}
    if os.path.exists(output):
        with open(output, encoding="utf8") as opened:
            result = json.load(opened)
    runs, failed, told = [], 0, 0
    for setting in plan["settings"]:
        setting = {"runtime": "onnxruntime", **setting}
        run = next((one for one in result["runs"] if one["setting"] == setting), None)
        if run is None:
            run = {"model": plan["model"]["name"], "model_sha256": "0", "setting": setting, "inputs": [], "rounds": []}
            result["runs"].append(run)
        runs.append(run)
    processes = plan["method"]["processes"]
    for number in range(processes):
        for index, run in enumerate(runs):
            if any(one["round"] == number for one in run["rounds"]) or run.get("failures"):
                continue
            if BEHAVIOUR in ("slow", "stubborn"):
                time.sleep(0.2)
            line = {"done": number * len(runs) + index + 1, "total": processes * len(runs), "round": number, "setting": run["setting"]}
            if BEHAVIOUR == "fail" and run["setting"]["intra_op"] == 2:
                run["failures"] = [{"round": number, "error": "two threads, two faults"}]
                line["error"] = "two threads, two faults"
                failed = 1
            else:
                line["latency_ms"] = latency(run["setting"], number)
                run["rounds"].append({"round": number, "latencies_ms": [line["latency_ms"]], "other_cpus": 0.01})
                run.update(summary(run["rounds"]))
            write(output, result)
            if BEHAVIOUR == "noise":
                print("a library says hello\n{\"done\": \"no\"}\n[1]")
            print(json.dumps(line), flush=True)
            told += 1
            if BEHAVIOUR == "crash" and told == 2:
                os.kill(os.getpid(), signal.SIGKILL)
    return 3 if failed else 0


sys.exit(main())
