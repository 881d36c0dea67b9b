#!/usr/bin/env python3
"""fit_operators.py TIMES.json [--script] [--two TWO.json] [--write RUNTIME.json]: efficiencies of PyTorch's kernels by the equations
of kernel_priors/fit.py. A call that a chain of tiny operators does not show, that of a convolution (descriptors, reorders of weights
and activations), is a cost of its own: such classes are fitted with the time of their own smallest call."""
import argparse
import json
import math

from cases import CASES
import fit
from measure import LINKS  # of a chain, which does not share weights
import runtime_file

runtime_file.MEASURED = ("measured 2026-12, single operators in PyTorch 1.13.1 (Debian: oneDNN 2.6.3, OpenBLAS 0.3.21), AMD EPYC Zen 5, "
                         "2 vCPU")
OWN_CALL = {"conv": "tiny_conv_onednn_3x3", "conv_1x1": "tiny_conv_onednn_1x1", "conv_depthwise": "tiny_conv_onednn_depthwise",
            "conv_transposed": "tiny_conv_onednn_3x3",
            "gemm": "tiny_linear", "pool": "tiny_max_pool", "AveragePool": "tiny_max_pool", "normalization": "tiny_batch_norm", "LayerNormalization": "tiny_layer_norm"}
SMOOTHING = 1.0  # as the other runtimes: the residual hardly depends on it


def as_links(script):
    table = []
    for case in CASES:
        if script and case.chain is None:
            continue
        table.append({"name": case.name, "group": case.group, "link": [case.record], "all_weights": case.record["weights"] * (LINKS[-1] if script else 1)})
    return table


def middle(values):
    return sorted(values)[len(values) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("one")
    parser.add_argument("--two", help="the same with two threads: printed beside, with the cost of a fork")
    parser.add_argument("--script", action="store_true", help="the times are those of frozen chains")
    parser.add_argument("--threads", type=int, default=1, help="of the times: the roofs of so many cores")
    parser.add_argument("--only", nargs="*", help="classes, instead of all")
    parser.add_argument("--smoothing", type=float, default=SMOOTHING)
    parser.add_argument("--write", metavar="RUNTIME.json")
    options = parser.parse_args()
    fit.HOST["peak"] = {kind: peak * options.threads for kind, peak in fit.HOST["peak"].items()}
    fit.HOST["private"] = tuple(value * options.threads for value in fit.HOST["private"])
    times = {k: v for k, v in json.load(open(options.one, encoding="utf8")).items() if v > 0}
    two = json.load(open(options.two, encoding="utf8")) if options.two else {}
    tiny = {k: v for k, v in times.items() if k.startswith("tiny_")}
    for name, time in tiny.items():
        print(f"{name:30s} {time * 1e6:8.2f} us" + (f" {two[name] * 1e6:8.2f} us with two threads" if name in two else ""))
    dispatch = middle([t for k, t in tiny.items() if not k.endswith(":run") and "conv" not in k])
    groups = fit.groups_of(as_links(options.script), times)
    groups = {g: members for g, members in groups.items() if not options.only or g in options.only}
    calls = {g: tiny.get(OWN_CALL.get(g, ""), dispatch) for g in groups}
    models = {g: fit.fit(g, members, times, options.smoothing, calls[g]) for g, members in groups.items()}
    for group, members in groups.items():
        for case in members:
            time, record = times[case["name"]], case["link"][0]
            ratio = fit.link_time(case, models[group], options.smoothing, calls[group]) / time
            count = record["read"] + record["written"] + record["weights"]
            line = (f"{case['name']:46s} {time * 1e6:10.2f} us {record['flop'] / time / 1e9:7.1f} GFLOP/s {count / time / 1e9:6.1f} GB/s "
                    f"model/measured {ratio:5.2f}")
            if case["name"] in two:
                line += f"   two threads {two[case['name']] * 1e6:10.2f} us, x{time / two[case['name']]:.2f}"
            print(line)
    print(f"\ndispatch {dispatch * 1e6:.2f} us, smoothing {options.smoothing}")
    for group, m in models.items():
        print(f"{group:20s} {m['cases']:3d} call {calls[group] * 1e6:5.2f} us eta {m['efficiency']:6.3f} halves {m['m_half']:6.2f} "
              f"{m['n_half']:6.2f} {m['k_half']:6.2f} memory {m['memory_efficiency']:6.3f} rms {m['rms']:5.3f}"
              + "".join(f"  {name} open" for name, seen in m["identified"].items() if not seen))
    if options.write:
        with open(options.write, encoding="utf8") as file:
            runtime = json.load(file)
        for group, model in models.items():
            where = runtime["kernels"] if group in runtime["kernels"] else runtime.get("operators", {})
            if group in where:
                runtime_file.fill_kernel(where[group], model, fit.HOST_ERROR)
        with open(options.write, "w", encoding="utf8") as file:
            file.write(runtime_file.to_text(runtime) + "\n")


if __name__ == "__main__":
    main()
