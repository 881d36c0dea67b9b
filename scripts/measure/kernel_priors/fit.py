#!/usr/bin/env python3
"""Time per operator of every case and the efficiencies that describe a class best: least squares of log(model / measured) over
the cases of a class. The halves, which the shapes may leave open, are drawn to their start values with a weight of 1 %."""
import argparse
import json
import math
import sys

from minimize import nelder_mead
from roofline import HOST, kernel_time, link_time, memory_time
from runtime_file import update

HOST_ERROR = 0.15  # one host stands for all: what other machines of the same kind are expected to add
START = {"efficiency": 0.5, "memory_efficiency": 0.6, "m_half": 2.0, "n_half": 8.0, "k_half": 8.0}
MATRIX = {"gemm", "conv", "conv_1x1", "recurrent", "conv_transposed"}
NO_FLOP = {"gather", "transpose", "Concat", "Slice", "Split"}
# The smoothing is read off the classes with both roofs in play and shapes enough.
SMOOTHING_FROM = ("gemm", "conv", "conv_1x1")
SMOOTHINGS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
RIDGE = 0.01
LEAST_SHARE = 0.2  # of the time, in one case at least; else the figure stays a prior


def fastest_runs(results):
    """Seconds of the fastest run of each model."""
    fastest = {}
    for result in results:
        for run in result["runs"]:
            if "latency_ms_min" in run:
                fastest[run["model"]] = min(fastest.get(run["model"], math.inf), run["latency_ms_min"] * 1e-3)
    return fastest


def measured(cases, results):
    """Seconds of one link: long model less short model, by their difference in links."""
    fastest = fastest_runs(results)
    times = {}
    for case in cases:
        short, long = (fastest.get(f"{case['name']}.{k}") for k in case["links"])
        if short is None or long is None:
            continue
        time = (long - short) / (case["links"][1] - case["links"][0])
        if time > 0:
            times[case["name"]] = time
    return times


def free_names(group):
    names = [] if group in NO_FLOP else ["efficiency"]
    names.append("memory_efficiency")
    if group in MATRIX or group.startswith("QLinear"):
        names += ["m_half", "n_half", "k_half"]
    if group == "conv_depthwise":
        names.append("m_half")  # the product of one channel has one column and a window's depth
    return names


def model_from(group, point):
    model = {"efficiency": 1.0, "m_half": 0.0, "n_half": 0.0, "k_half": 0.0}
    for name, logarithm in zip(free_names(group), point):
        model[name] = math.exp(logarithm)
    return model


def fit(group, cases, times, p, dispatch):
    names = free_names(group)
    start = [math.log(START[name]) for name in names]

    def loss(point):
        model = model_from(group, point)
        total = 0.0
        for name, x, x0 in zip(names, point, start):
            total += RIDGE * len(cases) / len(names) * (x - x0) ** 2
            if name.endswith("efficiency"):
                total += 100.0 * max(0.0, x) ** 2  # at most 1
        for case in cases:
            total += math.log(link_time(case, model, p, dispatch) / times[case["name"]]) ** 2
        return total
    point, _ = nelder_mead(loss, start)
    point, _ = nelder_mead(loss, point, step=0.1)
    model = model_from(group, point)
    for name in ("efficiency", "memory_efficiency"):
        model[name] = min(1.0, model[name])
    residuals = [math.log(link_time(case, model, p, dispatch) / times[case["name"]]) for case in cases]
    model["identified"] = identified(cases, model, p)
    model["rms"] = math.sqrt(sum(r * r for r in residuals) / len(residuals))
    model["cases"] = len(cases)
    return model


def identified(cases, model, p):
    """Whether each roof makes up enough of the time of some case for its efficiency to be read off."""
    compute = memory = 0.0
    for case in cases:
        total = sum(kernel_time(r, case["all_weights"], model, p) for r in case["link"])
        near = sum(memory_time(r, case["all_weights"]) for r in case["link"]) / model["memory_efficiency"]
        memory = max(memory, near / total)
        compute = max(compute, 1.0 - near / total)
    return {"efficiency": compute >= LEAST_SHARE, "memory_efficiency": memory >= LEAST_SHARE}


def groups_of(cases, times):
    groups = {}
    for case in cases:
        if case["name"] in times and case["group"] != "costs":
            groups.setdefault(case["group"], []).append(case)
    return groups


def print_cases(groups, times, models, p, dispatch):
    print(f"{'case':44s} {'us/link':>9s} {'GFLOP/s':>8s} {'of peak':>7s} {'GB/s':>6s} {'model/measured':>14s}")
    for group, cases in groups.items():
        for case in cases:
            time = times[case["name"]]
            flop = sum(r["flop"] for r in case["link"])
            count = sum(r["read"] + r["written"] + r["weights"] for r in case["link"])
            peak = HOST["peak"][case["link"][0]["type"]]
            ratio = link_time(case, models[group], p, dispatch) / time
            print(f"{case['name']:44s} {time * 1e6:9.2f} {flop / time / 1e9:8.1f} {flop / time / peak:7.3f} "
                  f"{count / time / 1e9:6.1f} {ratio:14.2f}")


def best_smoothing(groups, times, dispatch):
    losses = {}
    for p in SMOOTHINGS:
        fitted = [fit(group, groups[group], times, p, dispatch) for group in SMOOTHING_FROM if group in groups]
        losses[p] = sum(model["rms"] ** 2 * model["cases"] for model in fitted)
    print("squared residuals by smoothing:", {p: round(loss, 3) for p, loss in losses.items()})
    return min(losses, key=losses.get)


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", help="cases.json of write_models.py")
    parser.add_argument("results", nargs="+", help="results of run.sh at one thread; of several the fastest run counts")
    parser.add_argument("--smoothing", type=float, help="p, instead of the best of those tried")
    parser.add_argument("--write", metavar="RUNTIME.json", help="put the figures into this file")
    options = parser.parse_args(argv)
    cases = json.load(open(options.cases, encoding="utf8"))
    times = measured(cases, [json.load(open(name, encoding="utf8")) for name in options.results])
    tiny = {name: time for name, time in times.items() if name.startswith("tiny_")}
    print("tiny operators, us per link:", {name: round(time * 1e6, 3) for name, time in tiny.items()})
    single = sorted(time for name, time in tiny.items() if name != "tiny_two_branches")
    dispatch = single[len(single) // 2]
    groups = groups_of(cases, times)
    p = options.smoothing or best_smoothing(groups, times, dispatch)
    models = {group: fit(group, members, times, p, dispatch) for group, members in groups.items()}
    print_cases(groups, times, models, p, dispatch)
    print(f"\ndispatch {dispatch * 1e6:.2f} us ({single[0] * 1e6:.2f} to {single[-1] * 1e6:.2f}), smoothing {p}")
    print(f"{'class':18s} {'cases':>5s} {'eta_inf':>8s} {'m_half':>7s} {'n_half':>7s} {'k_half':>7s} {'memory':>7s} {'rms':>6s}")
    for group, m in models.items():
        print(f"{group:18s} {m['cases']:5d} {m['efficiency']:8.3f} {m['m_half']:7.2f} {m['n_half']:7.2f} {m['k_half']:7.2f} "
              f"{m['memory_efficiency']:7.3f} {m['rms']:6.3f}"
              + "".join(f"  {name} open" for name, seen in m["identified"].items() if not seen))
    if options.write:
        update(options.write, models, p, single, HOST_ERROR)


if __name__ == "__main__":
    main(sys.argv[1:])
