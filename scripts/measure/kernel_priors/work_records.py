"""Work of one operator, as graphs/rules counts it: flop and bytes, each byte once (costs.hpp holds the flop of an
element). Weights that the links of a chain share stay in cache; `all_weights` is what comes round in one run."""
import math

FLOAT = 4
FLOP = {"Relu": 1, "Add": 1, "Mul": 1, "Clip": 2, "LeakyRelu": 2, "Div": 4, "Sqrt": 4, "Exp": 10, "Erf": 15, "Sigmoid": 15,
        "Tanh": 15, "Softmax": 14, "LayerNormalization": 8, "InstanceNormalization": 8, "BatchNormalization": 2}


def record(flop, read, written, weights=0, matrix=None, steps=1, peak="fp32", again=0):
    """`again`: of the weights, what each step after the first reads once more."""
    batch, m, n, k = matrix or (0, 0, 0, 0)
    return {"flop": flop, "read": read, "weights": weights, "written": written, "matrix": bool(matrix), "batch": batch,
            "m": m, "n": n, "k": k, "steps": steps, "again": again, "type": peak}


def conv(channels_in, channels_out, size, window, groups=1, stride=1, images=1, element=FLOAT, peak="fp32"):
    height, width = window
    out = math.ceil(size / stride)
    k = channels_in // groups * height * width
    n = channels_out // groups
    m = out * out
    batch = images * groups
    return record(2 * batch * m * n * k, images * channels_in * size * size * element,
                  images * channels_out * m * element, groups * n * k * element + channels_out * FLOAT,
                  (batch, m, n, k), peak=peak)


def product(m, n, k, batch=1, weights=True, element=FLOAT, written=FLOAT, peak="fp32"):
    right = batch * n * k * element
    return record(2 * batch * m * n * k, batch * m * k * element + (0 if weights else right), batch * m * n * written,
                  right if weights else 0, (batch, m, n, k), peak=peak)


def pool(channels, size_in, size_out, window, per_output=0):
    out = channels * size_out * size_out
    return record(out * (window * window + per_output), channels * size_in * size_in * FLOAT, out * FLOAT)


def elements(count, flop, inputs=1):
    """One result for each element of each of `inputs` tensors of that size."""
    return record(count * flop, inputs * count * FLOAT, count * FLOAT)


def moved(count, element=FLOAT):
    return record(0, count * element, count * element)


def recurrent(steps, batch, gates, inputs, hidden, pointwise):
    weights = gates * hidden * (inputs + hidden + 2) * FLOAT
    flop = steps * (2 * batch * gates * hidden * (inputs + hidden) + batch * hidden * pointwise)
    return record(flop, steps * batch * inputs * FLOAT, steps * batch * hidden * FLOAT, weights,
                  (steps, batch, gates * hidden, inputs + hidden), steps=steps, again=gates * hidden * hidden * FLOAT)
