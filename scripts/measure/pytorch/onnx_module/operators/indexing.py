"""What picks elements."""
import torch
import torch.nn.functional as F

from ..node import Call


def gather(node, x, indices):
    axis = node.get("axis", 0) % len(x.shape)
    if indices.constant is not None and not indices.shape:
        place = indices.scalar()
        return Call(lambda x: x.select(axis, place), [x])
    length = x.shape[axis]
    if indices.constant is None and axis == 0 and len(x.shape) == 2 and x.constant is not None and x.dtype.is_floating_point:
        return Call(lambda table, i: F.embedding(i, table), [x, indices])
    if len(indices.shape) == 1:
        return Call(lambda x, i: x.index_select(axis, torch.where(i < 0, i + length, i) if indices.constant is not None else i), [x, indices])
    shape = list(x.shape[:axis]) + list(indices.shape) + list(x.shape[axis + 1:])
    return Call(lambda x, i: x.index_select(axis, i.reshape(-1)).reshape(shape), [x, indices])


def gather_elements(node, x, indices):
    axis = node.get("axis", 0)
    return Call(lambda x, i: torch.gather(x, axis, i), [x, indices])


def gather_nd(node, x, indices):
    node.only("batch_dims", 0)
    return Call(lambda x, i: x[tuple(i.unbind(-1))], [x, indices])


def scatter_elements(node, x, indices, updates):
    node.only("reduction", "none")
    axis = node.get("axis", 0)
    return Call(lambda x, i, u: x.scatter(axis, i, u), [x, indices, updates])


def scatter_nd(node, x, indices, updates):
    node.only("reduction", "none")

    def scattered(x, i, u):
        y = x.clone()
        y[tuple(i.unbind(-1))] = u
        return y
    return Call(scattered, [x, indices, updates])


def slice_(node, x, starts=None, ends=None, axes=None, steps=None):
    first, last = node.ints_of([x, starts], 1, "starts"), node.ints_of([x, None, ends], 2, "ends")
    chosen = node.ints_of([x, None, None, axes], 3, "axes") or list(range(len(first)))
    strides = node.ints(steps, "steps") or [1] * len(first)
    parts, flipped = [slice(None)] * len(x.shape), []
    for start, end, axis, stride in zip(first, last, chosen, strides):
        axis %= len(x.shape)
        start, end, stride = slice(start, end, stride).indices(x.shape[axis]) if stride > 0 else _backwards(start, end, stride, x.shape[axis])
        if stride > 0:
            parts[axis] = slice(start, end, stride)
            continue
        count = max(0, -((start - end) // stride) if (start - end) % -stride == 0 else (start - end) // -stride + 1)
        parts[axis] = slice(start + (count - 1) * stride, start + 1, -stride)
        flipped.append(axis)
    if not flipped and all(part in (slice(None), slice(0, x.shape[i], 1)) for i, part in enumerate(parts)):
        return x
    where = tuple(parts)
    if flipped:
        return Call(lambda x: x[where].flip(flipped), [x])
    return Call(lambda x: x[where], [x])


def _backwards(start, end, stride, length):
    """ONNX's rules for a negative step, with end = -1 for "over the first"."""
    start = min(max(start + length if start < 0 else start, 0), length - 1)
    end = min(max(end + length if end < 0 else end, -1), length - 1)
    return start, end, stride


def one_hot(node, indices, depth, values):
    if depth.constant is None:
        node.refuse("its depth depends on the inputs")
    node.only("axis", -1)
    count = int(depth.scalar())
    return Call(lambda i, v: torch.where(F.one_hot(i.long() % count, count).bool(), v[1], v[0]), [indices, values])


def triangle(node, x, k=None):
    offset = 0 if k is None else node.ints(k, "k")[0]
    function = torch.triu if node.get("upper", 1) else torch.tril
    return Call(lambda x: function(x, offset), [x])


OPERATORS = {
    "Gather": gather, "GatherElements": gather_elements, "GatherND": gather_nd, "ScatterElements": scatter_elements, "ScatterND": scatter_nd,
    "Slice": slice_, "OneHot": one_hot, "Trilu": triangle,
}
