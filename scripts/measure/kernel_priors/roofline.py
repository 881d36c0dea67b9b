"""The closed forms of hwmodels/kernel_time.hpp and sim/traffic.hpp for one thread, to fit a runtime's efficiencies with.
Machine: peak [flop/s] by type, private and shared cache and memory, each (bytes, bytes/s)."""

# The host of the shipped figures: one core of an AMD EPYC (Zen 5) virtual machine, by host_roof.c under quiet.sh: best of
# many passes, as the operators' times are. Eight-bit products have four times the peak of fp32 (VNNI).
HOST = {"peak": {"fp32": 222e9, "int8": 4 * 222e9}, "private": (1 << 20, 222e9), "shared": (32 << 20, 105e9), "memory": 29e9}


def hit(capacity, footprint):
    return min(1.0, capacity / footprint) if footprint > 0 else 1.0


def memory_time(record, all_weights, host=HOST):
    private, shared = host["private"], host["shared"]
    total = 0.0
    activations = record["read"] + record["written"]
    again = record["again"]
    for count, footprint in ((record["weights"], max(record["weights"], all_weights)), (activations, activations),
                             (again * (record["steps"] - 1), again)):
        near = hit(private[0], footprint)
        middle = max(near, hit(private[0] + shared[0], footprint))
        total += count * (near / private[1] + (middle - near) / shared[1] + (1.0 - middle) / host["memory"])
    return total


def smooth_maximum(a, b, p):
    larger, smaller = max(a, b), min(a, b)
    return larger * (1.0 + (smaller / larger) ** p) ** (1.0 / p) if smaller > 0 else larger


def shape_factor(record, model):
    if not record["matrix"]:
        return 1.0
    factor = 1.0
    for axis in "mnk":
        factor *= record[axis] / (record[axis] + model[f"{axis}_half"])
    return factor


def kernel_time(record, all_weights, model, p, host=HOST):
    compute = record["flop"] / (host["peak"][record["type"]] * model["efficiency"] * shape_factor(record, model))
    return smooth_maximum(compute, memory_time(record, all_weights, host) / model["memory_efficiency"], p)


def link_time(case, model, p, dispatch):
    return sum(dispatch + kernel_time(r, case["all_weights"], model, p) for r in case["link"])
