"""Pools. Torch pads both sides alike; where ONNX asks for more at the end, its ceil_mode mostly gives the same windows, and is what an
author would write. Only where it does not, the input is padded first."""
import math

import torch
import torch.nn.functional as F

from ..node import Call
from .windows import pad_argument, padding, windows

MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
AVERAGE = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}


def _torch_windows(size, k, stride, dilation, before, ceil_mode):
    """What torch makes of it: as ONNX, but a window must begin inside the input or the padding before it."""
    count = windows(size, k, stride, dilation, (before, before), ceil_mode)
    return count - 1 if ceil_mode and (count - 1) * stride >= size + before else count


def _geometry(node, x, table):
    kernel = node.get("kernel_shape")
    if kernel is None or len(kernel) not in table or len(x.shape) != len(kernel) + 2:
        node.refuse(f"a window {kernel} over {len(x.shape)} dimensions is not translated")
    strides, dilations = node.get("strides") or [1] * len(kernel), node.get("dilations") or [1] * len(kernel)
    sizes = x.shape[2:]
    pads = padding(node, sizes, kernel, strides, dilations)
    wanted = [windows(*one, bool(node.get("ceil_mode", 0))) for one in zip(sizes, kernel, strides, dilations, pads)]
    return kernel, strides, dilations, sizes, pads, wanted


def _native(geometry):
    """(padding, ceil_mode) with which torch has exactly the wanted windows, or None."""
    kernel, strides, dilations, sizes, pads, wanted = geometry
    before = [pair[0] for pair in pads]
    if any(2 * b > k for b, k in zip(before, kernel)):
        return None
    for ceil_mode in (False, True):
        if [_torch_windows(*one, ceil_mode) for one in zip(sizes, kernel, strides, dilations, before)] == wanted:
            return before, ceil_mode
    return None


def _padded(geometry):
    """Padding after which no window is cut: F.pad's argument."""
    kernel, strides, dilations, sizes, pads, wanted = geometry
    around = []
    for k, stride, dilation, size, (before, after), count in zip(kernel, strides, dilations, sizes, pads, wanted):
        around.append((before, max(after, (count - 1) * stride + (k - 1) * dilation + 1 - size - before)))
    return pad_argument(around)


def max_pool(node, x):
    geometry = _geometry(node, x, MAX)
    kernel, strides, dilations = geometry[:3]
    function, native = MAX[len(kernel)], _native(geometry)
    if native:
        before, ceil_mode = native
        return Call(lambda x: function(x, kernel, strides, before, dilations, ceil_mode), [x])
    around = _padded(geometry)
    return Call(lambda x: function(F.pad(x, around, value=-math.inf), kernel, strides, 0, dilations), [x])


def average_pool(node, x):
    geometry = _geometry(node, x, AVERAGE)
    kernel, strides, dilations, _, pads, _ = geometry
    if any(dilation != 1 for dilation in dilations):
        node.refuse("dilations are not translated")
    function, native, counts_padding = AVERAGE[len(kernel)], _native(geometry), bool(node.get("count_include_pad", 0))
    is_even = all(before == after for before, after in pads)
    if native and (not counts_padding or (is_even and not native[1])):
        before, ceil_mode = native
        return Call(lambda x: function(x, kernel, strides, before, ceil_mode, counts_padding), [x])
    around = _padded(geometry)
    if counts_padding and not node.get("ceil_mode", 0):
        return Call(lambda x: function(F.pad(x, around), kernel, strides), [x])
    if counts_padding:
        node.refuse("count_include_pad together with ceil_mode is not translated")
    share = 1 / function(F.pad(torch.ones((1, 1, *x.shape[2:])), around), kernel, strides)  # of each window, what lies in the input
    return Call(lambda x: function(F.pad(x, around), kernel, strides) * share, [x])


def global_average(node, x):
    function = {3: F.adaptive_avg_pool1d, 4: F.adaptive_avg_pool2d, 5: F.adaptive_avg_pool3d}.get(len(x.shape))
    if function is None:
        node.refuse(f"{len(x.shape)} dimensions are not translated")
    return Call(lambda x: function(x, 1), [x])


def global_max(node, x):
    axes = list(range(2, len(x.shape)))
    return Call(lambda x: torch.amax(x, axes, True), [x])


OPERATORS = {"MaxPool": max_pool, "AveragePool": average_pool, "GlobalAveragePool": global_average, "GlobalMaxPool": global_max}
