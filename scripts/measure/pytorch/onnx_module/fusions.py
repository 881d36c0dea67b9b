"""Groups of steps that are one operator in PyTorch, as exporters write them out:

    linear      x W + b                                                  -> F.linear with bias
    gelu        x (1 + erf(x / sqrt 2)) / 2                              -> F.gelu
    gelu, tanh  x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2        -> F.gelu(approximate="tanh")
    silu        x sigmoid(x)                                             -> F.silu
    hardswish   x hard_sigmoid(x), slope 1/6                             -> F.hardswish
    layer_norm  (x - mean) / sqrt(mean((x - mean)^2) + e) w + b          -> F.layer_norm

Only where nobody reads what lies between."""
import functools
import math

import torch
import torch.nn.functional as F

from .node import Step


def _near(number, wanted):
    return isinstance(number, (int, float)) and abs(number - wanted) <= 1e-4 * wanted


class _Index:
    """Who makes and who reads each value."""

    def __init__(self, steps, outputs):
        self.maker = {value: step for step in steps for value in step.outputs}
        self.readers = {}
        for step in steps:
            for value in step.operands:
                self.readers.setdefault(value, []).append(step)
        self._outputs = set(outputs)

    def only_reader(self, step, kind):
        """The one step that reads the result, when it is of this kind."""
        value = step.outputs[0]
        readers = self.readers.get(value, [])
        return readers[0] if value not in self._outputs and len(readers) == 1 and readers[0].kind == kind else None

    def made_by(self, value, kind, members=None):
        """The step of this kind that makes the value; when it is to be a member, the value must have one reader."""
        step = self.maker.get(value)
        if step is None or step.kind != kind:
            return None
        if members is not None:
            if value in self._outputs or len(self.readers[value]) != 1:
                return None
            members.append(step)
        return step

    def replace(self, members, new):
        for step in members:
            for value in step.operands:
                self.readers[value].remove(step)
            for value in step.outputs:
                self.maker.pop(value, None)
        for value in new.operands:
            self.readers.setdefault(value, []).append(new)
        self.maker[new.outputs[0]] = new


def _other(step, value):
    """The second operand of a step that reads the value."""
    if len(step.operands) != 2:
        return None
    return step.operands[1] if step.operands[0] is value else step.operands[0]


def _scalar(step):
    return step.attributes.get("scalar") if step else None


def _linear(index, step):
    if step.kind != "MatMul" or not step.attributes.get("linear"):
        return None
    add = index.only_reader(step, "Add")
    bias = _other(add, step.outputs[0]) if add else None
    if bias is None or bias.constant is None or bias.shape != step.outputs[0].shape[-1:]:
        return None
    return [step, add], Step("Gemm", F.linear, [*step.operands, bias], add.outputs)


def _half_of_product(index, inner, x, members):
    """The step that ends 0.5 x (1 + inner), in any order of the products; appends what lies on the way."""
    add = index.only_reader(inner, "Add")
    if not _near(_scalar(add), 1):
        return None
    product = index.only_reader(add, "Mul")
    if product is None:
        return None
    members += [add, product]
    if _near(_scalar(product), 0.5):
        last = index.only_reader(product, "Mul")
        members.append(last)
        return last if last and _other(last, product.outputs[0]) is x else None
    factor = _other(product, add.outputs[0])
    if factor is x:
        last = index.only_reader(product, "Mul")
        members.append(last)
        return last if _near(_scalar(last), 0.5) else None
    half = index.made_by(factor, "Mul", members) if factor is not None else None
    return product if half and _near(_scalar(half), 0.5) and half.operands[0] is x else None


def _gelu_erf(index, step):
    if step.kind != "Erf":
        return None
    members = [step]
    scaled = index.made_by(step.operands[0], "Div", members) or index.made_by(step.operands[0], "Mul", members)
    if not scaled or not _near(_scalar(scaled), math.sqrt(2) if scaled.kind == "Div" else math.sqrt(0.5)):
        return None
    last = _half_of_product(index, step, scaled.operands[0], members)
    return (members, Step("Gelu", F.gelu, [scaled.operands[0]], last.outputs)) if last else None


def _gelu_tanh(index, step):
    if step.kind != "Tanh":
        return None
    members = [step]
    scaled = index.made_by(step.operands[0], "Mul", members)
    total = index.made_by(scaled.operands[0], "Add", members) if scaled and _near(_scalar(scaled), math.sqrt(2 / math.pi)) else None
    if not total or len(total.operands) != 2:
        return None
    for x in total.operands:
        between = []
        weighted = index.made_by(_other(total, x), "Mul", between)
        cube = index.made_by(weighted.operands[0], "Pow", between) if weighted and _near(_scalar(weighted), 0.044715) else None
        if cube and _near(_scalar(cube), 3) and cube.operands[0] is x:
            members += between
            last = _half_of_product(index, step, x, members)
            gelu = functools.partial(F.gelu, approximate="tanh")
            return (members, Step("Gelu", gelu, [x], last.outputs)) if last else None
    return None


def _gated(index, step):
    function = {"Sigmoid": F.silu, "HardSigmoid": F.hardswish}.get(step.kind)
    if function is None or (step.kind == "HardSigmoid" and not step.attributes.get("is_sixth")):
        return None
    product = index.only_reader(step, "Mul")
    if product is None or _other(product, step.outputs[0]) is not step.operands[0]:
        return None
    return [step, product], Step("Swish", function, step.operands, product.outputs)


def _over_last_axis(step):
    return step is not None and step.attributes.get("axes") == [len(step.operands[0].shape) - 1] and step.attributes.get("keepdims")


def _layer_norm(index, step):
    """From the first mean on; the division is the anchor's last reader that needs a look back."""
    if step.kind != "ReduceMean" or not _over_last_axis(step):
        return None
    x, centred = step.operands[0], index.only_reader(step, "Sub")
    if centred is None or centred.operands != [x, step.outputs[0]]:
        return None
    value = centred.outputs[0]
    square = next((r for r in index.readers.get(value, []) if r.kind == "Pow" and _near(_scalar(r), 2) or
                   r.kind == "Mul" and r.operands == [value, value]), None)
    variance = index.only_reader(square, "ReduceMean") if square else None
    shifted = index.only_reader(variance, "Add") if _over_last_axis(variance) else None
    root = index.only_reader(shifted, "Sqrt") if _scalar(shifted) is not None else None
    ratio = index.only_reader(root, "Div") if root else None
    if ratio is None or ratio.operands != [value, root.outputs[0]] or any(r not in (square, ratio) for r in index.readers[value]):
        return None
    members, normal = [step, centred, square, variance, shifted, root, ratio], x.shape[-1:]
    scaled = index.only_reader(ratio, "Mul")
    weight = _other(scaled, ratio.outputs[0]) if scaled else None
    moved = index.only_reader(scaled, "Add") if scaled else None
    bias = _other(moved, scaled.outputs[0]) if moved else None
    eps = _scalar(shifted)
    if all(v is not None and v.constant is not None and v.shape == normal for v in (weight, bias)):
        function = functools.partial(_layer_norm_of, normal, eps)
        return members + [scaled, moved], Step("LayerNormalization", function, [x, weight, bias], moved.outputs)
    return members, Step("LayerNormalization", functools.partial(_layer_norm_of, normal, eps), [x], ratio.outputs)


def _layer_norm_of(normal, eps, x, weight=None, bias=None):
    return torch.layer_norm(x, normal, weight, bias, eps)


FUSIONS = (_layer_norm, _gelu_erf, _gelu_tanh, _gated, _linear)


def fuse(steps, outputs):
    index = _Index(steps, outputs)
    steps = list(steps)
    for fusion in FUSIONS:
        gone, new = set(), {}
        for step in steps:
            found = fusion(index, step) if step not in gone else None
            if not found:
                continue
            members, merged = found
            index.replace(members, merged)
            gone.update(members)
            new[max(members, key=steps.index)] = merged
        steps = [new.get(step, step) for step in steps if step not in gone or step in new]
    return steps
