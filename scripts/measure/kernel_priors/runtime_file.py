"""Writes fitted numbers into a corecast.runtime/1 file. Whatever was not measured stays as it is there."""
import json
import math

FEW = 4
MEASURED = "measured 2026-12, single-operator models, AMD EPYC Zen 5, 2 vCPU"


def to_text(value, indent=0):
    """JSON with one line for a list of plain values and for a value with its origin."""
    pad = " " * (indent + 1)
    if isinstance(value, dict) and "value" not in value:
        lines = [f"{pad}{json.dumps(key)}: {to_text(item, indent + 1)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(pad + json.dumps(item) for item in value) + "\n" + " " * indent + "]"
    return json.dumps(value)


def rounded(value):
    return float(f"{value:.3g}")


def figure(value, error, note):
    return {"value": value, "relative_error": rounded(error), "origin": "measured", "from": f"{MEASURED}; {note}"}


def fill_kernel(entry, model, host_error):
    # Two figures from a few shapes leave no residual to judge them by.
    error = math.hypot(host_error * (2 if model["cases"] < FEW else 1), model["rms"])
    note = f"{model['cases']} shapes, rms {model['rms']:.2f}"
    for name in ("efficiency", "memory_efficiency"):
        if model["identified"][name]:
            entry[name] = figure(rounded(model[name]), error, note)
    for axis in ("m_half", "n_half", "k_half"):
        entry.pop(axis, None)
        if model[axis] >= 0.05:
            entry[axis] = rounded(model[axis])


def update(path, models, smoothing, tiny_operators, host_error):
    with open(path, encoding="utf8") as file:
        runtime = json.load(file)
    for group, model in models.items():
        where = runtime["kernels"] if group in runtime["kernels"] else runtime["operators"]
        if group not in where:
            raise SystemExit(f"{path}: no entry for {group}: how it is cut must be written there first")
        fill_kernel(where[group], model, host_error)
    dispatch = tiny_operators[len(tiny_operators) // 2]
    spread = (tiny_operators[-1] - tiny_operators[0]) / 2 / dispatch
    runtime["costs"]["dispatch"] = figure(f"{dispatch * 1e6:.2f} us", max(0.3, rounded(spread)),
                                          "chains of tiny operators, median of their types")
    runtime["smoothing"] = figure(smoothing, 0.5, "least residual of 1 to 8 over products and convolutions, flat, at the end of the range")
    with open(path, "w", encoding="utf8") as file:
        file.write(to_text(runtime) + "\n")
