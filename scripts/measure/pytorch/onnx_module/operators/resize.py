"""Changing the size of images.

nearest: element i of the result is element round(c(i)) of the input, c by coordinate_transformation_mode, round by nearest_mode. All numbers
are known when the model is loaded, so torch's own two ways of choosing are compared with the wanted one, and where neither fits
the elements are picked by their indices. linear and cubic: torch's coordinates are (i + 1/2) / scale - 1/2 or, with aligned corners,
i (old - 1) / (new - 1)."""
import math

import torch
import torch.nn.functional as F

from ..node import Call

LINEAR = {3: "linear", 4: "bilinear", 5: "trilinear"}
COORDINATES = {
    "asymmetric": lambda i, scale, old, new: i / scale,
    "half_pixel": lambda i, scale, old, new: (i + 0.5) / scale - 0.5,
    "pytorch_half_pixel": lambda i, scale, old, new: (i + 0.5) / scale - 0.5 if new > 1 else 0.0,
    "align_corners": lambda i, scale, old, new: i * (old - 1) / (new - 1) if new > 1 else 0.0,
}
ROUND = {"floor": math.floor, "ceil": math.ceil, "round_prefer_floor": lambda c: math.ceil(c - 0.5), "round_prefer_ceil": lambda c: math.floor(c + 0.5)}


def _nearest(node, x, sizes, scales, coordinates, rounding):
    if coordinates not in COORDINATES or rounding not in ROUND:
        node.refuse(f"coordinates {coordinates}, {rounding} are not translated")
    wanted, plain, exact = [], [], []
    for old, new, scale in zip(x.shape[2:], sizes[2:], scales[2:]):
        picked = [ROUND[rounding](COORDINATES[coordinates](i, scale, old, new)) for i in range(new)]
        wanted.append([min(max(i, 0), old - 1) for i in picked])
        plain.append([min(math.floor(i * old / new), old - 1) for i in range(new)])
        exact.append([min(math.floor((i + 0.5) * old / new), old - 1) for i in range(new)])
    for mode, found in (("nearest", plain), ("nearest-exact", exact)):
        if found == wanted and len(x.shape) in LINEAR:
            return Call(lambda x: F.interpolate(x, list(sizes[2:]), mode=mode), [x])
    places = [(axis, torch.tensor(picked)) for axis, picked in enumerate(wanted, start=2)]

    def pick(x):
        for axis, indices in places:
            x = x.index_select(axis, indices)
        return x
    return Call(pick, [x])


def _smooth(node, x, sizes, scales, kind, coordinates):
    mode = "bicubic" if kind == "cubic" else LINEAR.get(len(x.shape))
    corners = coordinates == "align_corners"
    is_whole = all(abs(old * scale - new) < 1e-6 for old, new, scale in zip(x.shape, sizes, scales))
    if kind == "cubic" and (len(x.shape) != 4 or node.get("cubic_coeff_a", -0.75) != -0.75 or node.get("exclude_outside", 0)):
        node.refuse("this cubic form is not translated")
    if mode is None or coordinates not in ("half_pixel", "pytorch_half_pixel", "align_corners") or (corners and not is_whole):
        node.refuse(f"mode {kind} with {coordinates} is not translated")
    if coordinates == "pytorch_half_pixel" and any(new == 1 < old for old, new in zip(x.shape[2:], sizes[2:])):
        node.refuse("pytorch_half_pixel to one element is not translated")
    if is_whole:
        return Call(lambda x: F.interpolate(x, list(sizes[2:]), mode=mode, align_corners=corners), [x])
    factors = list(scales[2:])
    return Call(lambda x: F.interpolate(x, scale_factor=factors, mode=mode, align_corners=False, recompute_scale_factor=False), [x])


def _resized(node, x, sizes, scales, coordinates, rounding):
    kind = node.get("mode", "nearest")
    sizes = [math.floor(old * scale) for old, scale in zip(x.shape, scales)] if sizes is None else [int(size) for size in sizes]
    scales = [new / old for old, new in zip(x.shape, sizes)] if scales is None else scales
    if sizes[:2] != list(x.shape[:2]):
        node.refuse("it changes the batch or the channels")
    if sizes == list(x.shape):
        return x
    return _nearest(node, x, sizes, scales, coordinates, rounding) if kind == "nearest" else _smooth(node, x, sizes, scales, kind, coordinates)


def _numbers(node, value, what):
    if value is None or value.shape == (0,):
        return None
    if value.constant is None:
        node.refuse(f"its {what} depend on the values of the inputs")
    return value.constant.tolist()


def resize(node, x, *more):
    more = list(more) + [None] * (3 - len(more))
    if node.opset < 11:
        return _resized(node, x, None, _numbers(node, more[0], "scales"), "asymmetric", "floor")
    if node.get("axes") or node.get("antialias"):
        node.refuse("axes and antialias are not translated")
    return _resized(node, x, _numbers(node, more[2], "sizes"), _numbers(node, more[1], "scales"),
                    node.get("coordinate_transformation_mode", "half_pixel"), node.get("nearest_mode", "round_prefer_floor"))


def upsample(node, x, scales=None):
    return _resized(node, x, None, node.get("scales") if scales is None else _numbers(node, scales, "scales"), "asymmetric", "floor")


OPERATORS = {"Resize": resize, "Upsample": upsample}
