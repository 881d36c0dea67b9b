"""Reductions, and what looks for the largest."""
import torch

from ..node import Call


def _reduce(function):
    """function(x, axes, keepdims)"""
    def translate(node, x, axes=None):
        chosen = node.ints_of([x, axes], 1, "axes")
        if not chosen:
            if node.get("noop_with_empty_axes", 0):
                return x
            chosen = range(len(x.shape))
        dims, keep = sorted(axis % len(x.shape) for axis in chosen), bool(node.get("keepdims", 1))
        if not dims:
            return x  # of a scalar
        return Call(lambda x: function(x, dims, keep), [x], attributes={"axes": dims, "keepdims": keep})
    return translate


def _product(x, dims, keep):
    for axis in reversed(dims):
        x = torch.prod(x, axis, keep)
    return x


def _norm_of_order(order):
    return lambda x, dims, keep: torch.linalg.vector_norm(x, order, dims, keep)


def _arg(function):
    def translate(node, x):
        node.only("select_last_index", 0)
        axis, keep = node.get("axis", 0), bool(node.get("keepdims", 1))
        return Call(lambda x: function(x, axis, keep), [x])
    return translate


def top_k(node, x, k=None):
    count = node.get("k") if k is None else node.ints(k, "k")[0]
    axis, largest, ordered = node.get("axis", -1), bool(node.get("largest", 1)), bool(node.get("sorted", 1))
    return Call(lambda x: tuple(torch.topk(x, count, axis, largest, ordered)), [x])


def cum_sum(node, x, axis):
    node.only("exclusive", 0)
    node.only("reverse", 0)
    along = node.ints(axis, "axis")[0]
    return Call(lambda x: torch.cumsum(x, along), [x])


OPERATORS = {
    "ReduceMean": _reduce(lambda x, dims, keep: torch.mean(x, dims, keep)),
    "ReduceSum": _reduce(lambda x, dims, keep: torch.sum(x, dims, keep)),
    "ReduceMax": _reduce(lambda x, dims, keep: torch.amax(x, dims, keep)),
    "ReduceMin": _reduce(lambda x, dims, keep: torch.amin(x, dims, keep)),
    "ReduceProd": _reduce(_product),
    "ReduceL1": _reduce(_norm_of_order(1)),
    "ReduceL2": _reduce(_norm_of_order(2)),
    "ReduceSumSquare": _reduce(lambda x, dims, keep: torch.sum(x * x, dims, keep)),
    "ReduceLogSumExp": _reduce(lambda x, dims, keep: torch.logsumexp(x, dims, keep)),
    "ArgMax": _arg(torch.argmax), "ArgMin": _arg(torch.argmin), "TopK": top_k, "CumSum": cum_sum,
}
