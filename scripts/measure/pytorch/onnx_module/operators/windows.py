"""What convolutions and pools share: padding as ONNX states it, and as torch can take it."""
import math


def padding(node, sizes, kernel, strides, dilations):
    """Elements added (before, after) in each spatial dimension."""
    mode, count = node.get("auto_pad", "NOTSET"), len(sizes)
    if mode in ("NOTSET", ""):
        pads = node.get("pads") or [0] * (2 * count)
        return list(zip(pads[:count], pads[count:]))
    if mode == "VALID":
        return [(0, 0)] * count
    pads = []
    for size, k, stride, dilation in zip(sizes, kernel, strides, dilations):
        total = max(0, (math.ceil(size / stride) - 1) * stride + (k - 1) * dilation + 1 - size)
        before = total // 2 if mode == "SAME_UPPER" else total - total // 2
        pads.append((before, total - before))
    return pads


def is_symmetric(pads):
    return all(before == after for before, after in pads)


def pad_argument(pads):
    """F.pad counts from the last dimension."""
    return [number for pair in reversed(pads) for number in pair]


def windows(size, k, stride, dilation, pads, ceil_mode):
    """How many windows ONNX asks for."""
    room = size + sum(pads) - (k - 1) * dilation - 1
    return (math.ceil(room / stride) if ceil_mode else room // stride) + 1
