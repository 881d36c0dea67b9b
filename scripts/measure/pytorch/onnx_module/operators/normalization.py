"""Normalizations and softmax."""
import torch
import torch.nn.functional as F

from ..node import Call


def batch_norm(node, x, scale, bias, mean, variance):
    node.only("training_mode", 0)
    node.only("spatial", 1)
    eps = node.get("epsilon", 1e-5)
    return Call(lambda x, w, b, m, v: F.batch_norm(x, m, v, w, b, False, 0.0, eps), [x, scale, bias, mean, variance])


def layer_norm(node, x, scale, bias=None):
    axis = node.get("axis", -1) % len(x.shape)
    normal, eps = list(x.shape[axis:]), node.get("epsilon", 1e-5)
    if list(scale.shape) != normal:
        node.refuse(f"a scale of shape {list(scale.shape)} for {normal} is not translated")
    return Call(lambda x, w, b=None: torch.layer_norm(x, normal, w, b, eps), [x, scale] + ([bias] if bias else []))


def instance_norm(node, x, scale, bias):
    eps = node.get("epsilon", 1e-5)
    return Call(lambda x, w, b: F.instance_norm(x, weight=w, bias=b, eps=eps), [x, scale, bias])


def group_norm(node, x, scale, bias):
    groups, eps = node.get("num_groups"), node.get("epsilon", 1e-5)
    if scale.shape[0] != x.shape[1]:
        node.refuse("a scale per group is not translated")
    return Call(lambda x, w, b: F.group_norm(x, groups, w, b, eps), [x, scale, bias])


def local_response(node, x):
    size, alpha, beta, k = node.get("size"), node.get("alpha", 1e-4), node.get("beta", 0.75), node.get("bias", 1.0)
    if size % 2 == 0:
        node.refuse(f"size {size} is not translated: torch centres even windows elsewhere")
    return Call(lambda x: F.local_response_norm(x, size, alpha, beta, k), [x])


def lp_norm(node, x):
    p, axis = node.get("p", 2), node.get("axis", -1)
    return Call(lambda x: F.normalize(x, float(p), axis), [x])


def mean_variance(node, x):
    axes = node.get("axes", [0, 2, 3])
    return Call(lambda x: (x - x.mean(axes, True)) / (x.var(axes, False, keepdim=True).sqrt() + 1e-9), [x])


def _softmax(function):
    def translate(node, x):
        rank = len(x.shape)
        axis = node.get("axis", -1 if node.opset >= 13 else 1) % max(1, rank)
        if node.opset >= 13 or all(size == 1 for size in x.shape[axis + 1:]):
            return Call(lambda x: function(x, axis), [x])
        shape = x.shape  # older operator sets: all dimensions from the axis on are one
        return Call(lambda x: function(x.flatten(axis), axis).reshape(shape), [x])
    return translate


OPERATORS = {
    "BatchNormalization": batch_norm, "LayerNormalization": layer_norm, "InstanceNormalization": instance_norm, "GroupNormalization": group_norm,
    "LRN": local_response, "LpNormalization": lp_norm, "MeanVarianceNormalization": mean_variance,
    "Softmax": _softmax(torch.softmax), "LogSoftmax": _softmax(torch.log_softmax),
}
