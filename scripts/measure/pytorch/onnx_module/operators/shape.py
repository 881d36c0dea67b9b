"""What changes shapes only, and tensors made of nothing."""
import math

import torch
import torch.nn.functional as F

from ..node import Call, to_tensor, torch_type


def shape(node, x):
    first, last = node.get("start", 0), node.get("end", len(x.shape))
    return torch.tensor(x.shape[first:last], dtype=torch.int64)


def size(node, x):
    return torch.tensor(math.prod(x.shape), dtype=torch.int64)


def reshape(node, x, target=None):
    wanted = node.get("shape") if target is None else node.ints(target, "shape")
    if not node.get("allowzero", 0):
        wanted = [x.shape[i] if number == 0 else number for i, number in enumerate(wanted)]
    return x if list(x.shape) == list(wanted) else Call(lambda x: x.reshape(wanted), [x])


def flatten(node, x):
    axis = node.get("axis", 1)
    if axis == 1 and len(x.shape) > 1:
        return x if len(x.shape) == 2 else Call(lambda x: torch.flatten(x, 1), [x])
    before = math.prod(x.shape[:axis])
    return Call(lambda x: x.reshape(before, -1), [x])


def transpose(node, x):
    order = node.get("perm") or list(range(len(x.shape)))[::-1]
    return x if order == sorted(order) else Call(lambda x: x.permute(order), [x])


def squeeze(node, x, axes=None):
    chosen = node.ints_of([x, axes], 1, "axes")
    gone = {axis % len(x.shape) for axis in chosen} if chosen else {i for i, length in enumerate(x.shape) if length == 1}
    if any(x.shape[axis] != 1 for axis in gone):
        node.refuse(f"axes {sorted(gone)} of {list(x.shape)} are not all 1")
    if len(gone) == 1:
        axis = gone.pop()
        return Call(lambda x: x.squeeze(axis), [x])
    left = [length for i, length in enumerate(x.shape) if i not in gone]
    return Call(lambda x: x.reshape(left), [x])


def unsqueeze(node, x, axes=None):
    chosen = node.ints_of([x, axes], 1, "axes")
    rank = len(x.shape) + len(chosen)
    places = sorted(axis % rank for axis in chosen)
    if len(places) == 1:
        return Call(lambda x: x.unsqueeze(places[0]), [x])
    sizes = iter(x.shape)
    wanted = [1 if i in places else next(sizes) for i in range(rank)]
    return Call(lambda x: x.reshape(wanted), [x])


def expand(node, x, target):
    wanted = list(torch.broadcast_shapes(x.shape, tuple(node.ints(target, "shape"))))
    return x if wanted == list(x.shape) else Call(lambda x: x.expand(wanted), [x])


def tile(node, x, repeats):
    times = node.ints(repeats, "repeats")
    return Call(lambda x: x.repeat(times), [x])


def concat(node, *operands):
    axis = node.get("axis", 1)
    return operands[0] if len(operands) == 1 else Call(lambda *tensors: torch.cat(tensors, axis), list(operands))


def split(node, x, sizes=None):
    axis = node.get("axis", 0)
    lengths = node.ints_of([x, sizes], 1, "split")
    if not lengths:
        part = math.ceil(x.shape[axis] / node.output_count)
        return Call(lambda x: torch.split(x, part, axis), [x])
    return Call(lambda x: torch.split(x, lengths, axis), [x])


def pad(node, x, pads=None, value=None, axes=None):
    numbers = node.ints_of([x, pads], 1, "pads") or node.get("paddings")
    number = node.get("value", 0.0) if value is None else value.scalar()
    mode = {"constant": "constant", "reflect": "reflect", "edge": "replicate"}.get(node.get("mode", "constant"))
    if mode is None or number is None:
        node.refuse(f"mode {node.get('mode')} is not translated" if mode is None else "its value depends on the inputs")
    rank = len(x.shape)
    chosen = [axis % rank for axis in node.ints(axes, "axes")] if axes is not None else list(range(rank))
    pairs = {axis: (numbers[i], numbers[i + len(chosen)]) for i, axis in enumerate(chosen)}
    around = [side for axis in reversed(range(rank)) for side in pairs.get(axis, (0, 0))]
    while len(around) > 2 and around[-2:] == [0, 0]:
        around = around[:-2]  # the dimensions in front, which torch's other modes do not take
    if not any(around):
        return x
    if mode == "constant":
        return Call(lambda x: F.pad(x, around, value=number), [x])
    return Call(lambda x: F.pad(x, around, mode=mode), [x])


def depth_to_space(node, x):
    block = node.get("blocksize")
    if node.get("mode", "DCR") == "CRD":
        return Call(lambda x: F.pixel_shuffle(x, block), [x])
    n, c, h, w = x.shape
    inner = c // block**2
    return Call(lambda x: x.reshape(n, block, block, inner, h, w).permute(0, 3, 4, 1, 5, 2).reshape(n, inner, h * block, w * block), [x])


def space_to_depth(node, x):
    block = node.get("blocksize")
    n, c, h, w = x.shape
    return Call(lambda x: x.reshape(n, c, h // block, block, w // block, block).permute(0, 3, 5, 1, 2, 4)
                .reshape(n, c * block**2, h // block, w // block), [x])


def constant_node(node):
    if node.get("value") is not None:
        return to_tensor(node.get("value"))
    for name, kind in (("value_float", torch.float32), ("value_floats", torch.float32), ("value_int", torch.int64), ("value_ints", torch.int64)):
        if node.get(name) is not None:
            return torch.tensor(node.get(name), dtype=kind)
    return node.refuse("neither numbers nor a tensor")


def constant_of_shape(node, target):
    value = node.get("value")
    element = torch.zeros(1) if value is None else to_tensor(value)
    return torch.full(node.ints(target, "shape"), element.reshape(-1)[0].item(), dtype=element.dtype)


def arange(node, first, limit, step):
    numbers = [value.scalar() for value in (first, limit, step)]
    if None in numbers:
        node.refuse("its limits depend on the values of the inputs")
    return torch.arange(*numbers, dtype=first.dtype)


def eye_like(node, x):
    node.only("k", 0)
    return torch.eye(*x.shape, dtype=torch_type(node.get("dtype")) if node.get("dtype") else x.dtype)


OPERATORS = {
    "Shape": shape, "Size": size, "Reshape": reshape, "Flatten": flatten, "Transpose": transpose, "Squeeze": squeeze, "Unsqueeze": unsqueeze,
    "Expand": expand, "Tile": tile, "Concat": concat, "Split": split, "Pad": pad, "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth, "Constant": constant_node, "ConstantOfShape": constant_of_shape, "Range": arange, "EyeLike": eye_like,
}
