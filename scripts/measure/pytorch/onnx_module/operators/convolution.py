"""Convolutions."""
import torch.nn.functional as F

from ..node import Call
from .windows import is_symmetric, pad_argument, padding

CONVOLUTIONS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def _geometry(node, weight, table):
    count = len(weight.shape) - 2
    if count not in table:
        node.refuse(f"{count} spatial dimensions are not translated")
    return table[count], node.get("kernel_shape") or list(weight.shape[2:]), node.get("strides") or [1] * count, node.get("dilations") or [1] * count


def conv(node, x, weight, bias=None):
    function, kernel, strides, dilations = _geometry(node, weight, CONVOLUTIONS)
    pads, groups = padding(node, x.shape[2:], kernel, strides, dilations), node.get("group", 1)
    operands = [x, weight] + ([bias] if bias else [])
    if is_symmetric(pads):
        before = [pair[0] for pair in pads]
        return Call(lambda x, w, b=None: function(x, w, b, strides, before, dilations, groups), operands)
    around, none = pad_argument(pads), [0] * len(pads)
    return Call(lambda x, w, b=None: function(F.pad(x, around), w, b, strides, none, dilations, groups), operands)


def conv_transpose(node, x, weight, bias=None):
    function, kernel, strides, dilations = _geometry(node, weight, TRANSPOSED)
    count = len(kernel)
    extra = node.get("output_padding") or [0] * count
    if node.get("output_shape"):
        totals = [stride * (size - 1) + more + (k - 1) * dilation + 1 - wanted for stride, size, more, k, dilation, wanted in
                  zip(strides, x.shape[2:], extra, kernel, dilations, node.get("output_shape")[-count:])]
        upper = node.get("auto_pad") == "SAME_UPPER"
        pads = [((t // 2, t - t // 2) if upper else (t - t // 2, t // 2)) for t in totals]
    elif node.get("auto_pad", "NOTSET") in ("SAME_UPPER", "SAME_LOWER"):
        node.refuse("auto_pad without output_shape is not translated")
    else:
        pads = padding(node, x.shape[2:], kernel, strides, dilations)
    if not is_symmetric(pads) or min(min(pair) for pair in pads) < 0:
        node.refuse(f"padding {pads} that differs between the sides is not translated")
    before, groups = [pair[0] for pair in pads], node.get("group", 1)
    return Call(lambda x, w, b=None: function(x, w, b, strides, before, extra, groups, dilations), [x, weight] + ([bias] if bias else []))


OPERATORS = {"Conv": conv, "ConvTranspose": conv_transpose}
