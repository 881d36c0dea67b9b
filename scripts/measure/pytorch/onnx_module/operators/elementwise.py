"""Element by element. A constant of one element is written as a Python number, as an author would."""
import functools
import math

import torch
import torch.nn.functional as F

from ..node import Call, torch_type


def _unary(function, in_place=None):
    return lambda node, x: Call(function, [x], in_place)


def _number_beside(value, other):
    """The number to write in place of the operand, if it neither widens the result nor changes its type."""
    number = value.scalar()
    if number is None or other.constant is not None or len(value.shape) > len(other.shape) or value.dtype != other.dtype:
        return None
    return number if isinstance(number, (int, float)) and not isinstance(number, bool) and math.isfinite(number) else None


def _binary(function):
    def translate(node, a, b):
        number = _number_beside(b, a)
        if number is not None:
            return Call(lambda x: function(x, number), [a], attributes={"scalar": number})
        number = _number_beside(a, b)
        if number is not None and function in (torch.add, torch.mul):
            return Call(lambda x: function(x, number), [b], attributes={"scalar": number})
        return Call(function, [a, b])
    return translate


def divide(node, a, b):
    if a.dtype.is_floating_point:
        return _binary(torch.div)(node, a, b)
    return Call(lambda a, b: torch.div(a, b, rounding_mode="trunc"), [a, b])


def power(node, a, b):
    number = b.scalar()
    if number is not None and a.constant is None:
        exponent = int(number) if number == int(number) else number
        return Call(lambda x: torch.pow(x, exponent), [a], attributes={"scalar": exponent})
    kind = a.dtype
    return Call(lambda a, b: torch.pow(a, b).to(kind), [a, b])


def modulo(node, a, b):
    return Call(torch.fmod if node.get("fmod", 0) else torch.remainder, [a, b])


def _many(function):
    def translate(node, *operands):
        if len(operands) == 1:
            return operands[0]
        return Call(lambda *tensors: functools.reduce(function, tensors), list(operands))
    return translate


def mean(node, *operands):
    count = len(operands)
    return Call(lambda *tensors: functools.reduce(torch.add, tensors) / count, list(operands))


def clip(node, x, low=None, high=None):
    if node.opset < 11:
        least, most = node.get("min"), node.get("max")
    else:
        if any(bound is not None and bound.constant is None for bound in (low, high)):
            node.refuse("bounds that depend on the inputs are not translated")
        least, most = (None if bound is None else bound.scalar() for bound in (low, high))
    if (least, most) == (0, 6):
        return Call(F.relu6, [x], lambda x: F.relu6(x, inplace=True))
    if least is None and most is None:
        return x
    return Call(lambda x: torch.clamp(x, least, most), [x])


def leaky_relu(node, x):
    slope = node.get("alpha", 0.01)
    return Call(lambda x: F.leaky_relu(x, slope), [x], lambda x: F.leaky_relu_(x, slope))


def p_relu(node, x, slope):
    inner = [size for size in slope.shape if size != 1]
    if len(inner) <= 1 and slope.constant is not None and (not inner or inner[0] == x.shape[1]) and x.dtype.is_floating_point:
        return Call(lambda x, w: F.prelu(x, w.reshape(-1)), [x, slope])
    return Call(lambda x, w: torch.where(x < 0, x * w, x), [x, slope])


def hard_sigmoid(node, x):
    slope, offset = node.get("alpha", 0.2), node.get("beta", 0.5)
    if abs(slope - 1 / 6) < 1e-4 and offset == 0.5:
        return Call(F.hardsigmoid, [x], attributes={"is_sixth": True})
    return Call(lambda x: torch.clamp(x * slope + offset, 0, 1), [x])


def _with(function, **defaults):
    """A function with the node's attributes as its arguments, by their ONNX names."""
    def translate(node, x):
        values = [node.get(name, default) for name, default in defaults.items()]
        return Call(lambda x: function(x, *values), [x])
    return translate


def gelu(node, x):
    approximate = node.get("approximate", "none")
    return Call(lambda x: F.gelu(x, approximate=approximate), [x])


def cast(node, x):
    kind = torch_type(node.get("to"))
    return x if kind == x.dtype else Call(lambda x: x.to(kind), [x])


def cast_like(node, x, like):
    kind = like.dtype
    return x if kind == x.dtype else Call(lambda x: x.to(kind), [x])


def identity(node, x):
    return x


def dropout(node, x, ratio=None, training=None):
    if training is not None and (training.constant is None or training.scalar()):
        node.refuse("training_mode is not translated")
    return x


def selu(node, x):
    alpha, gamma = node.get("alpha"), node.get("gamma")
    if alpha is None and gamma is None:
        return Call(F.selu, [x])
    alpha, gamma = 1.67326319217681884765625 if alpha is None else alpha, 1.05070102214813232421875 if gamma is None else gamma
    return Call(lambda x: gamma * F.elu(x, alpha), [x])


def is_inf(node, x):
    negative, positive = node.get("detect_negative", 1), node.get("detect_positive", 1)
    if negative and positive:
        return Call(torch.isinf, [x])
    return Call(torch.isposinf if positive else torch.isneginf, [x])


OPERATORS = {
    "Relu": _unary(torch.relu, torch.relu_), "Sigmoid": _unary(torch.sigmoid), "Tanh": _unary(torch.tanh), "Erf": _unary(torch.erf),
    "Exp": _unary(torch.exp), "Log": _unary(torch.log), "Sqrt": _unary(torch.sqrt), "Reciprocal": _unary(torch.reciprocal),
    "Neg": _unary(torch.neg), "Abs": _unary(torch.abs), "Floor": _unary(torch.floor), "Ceil": _unary(torch.ceil), "Round": _unary(torch.round),
    "Sign": _unary(torch.sign), "Sin": _unary(torch.sin), "Cos": _unary(torch.cos), "Tan": _unary(torch.tan), "Asin": _unary(torch.asin),
    "Acos": _unary(torch.acos), "Atan": _unary(torch.atan), "Sinh": _unary(torch.sinh), "Cosh": _unary(torch.cosh), "Softplus": _unary(F.softplus),
    "Softsign": _unary(F.softsign), "HardSwish": _unary(F.hardswish), "Mish": _unary(F.mish), "Not": _unary(torch.logical_not),
    "IsNaN": _unary(torch.isnan), "IsInf": is_inf, "Identity": identity, "Dropout": dropout, "Cast": cast, "CastLike": cast_like,
    "Add": _binary(torch.add), "Sub": _binary(torch.sub), "Mul": _binary(torch.mul), "Div": divide, "Pow": power, "Mod": modulo,
    "Equal": _binary(torch.eq), "Greater": _binary(torch.gt), "GreaterOrEqual": _binary(torch.ge), "Less": _binary(torch.lt),
    "LessOrEqual": _binary(torch.le), "And": _binary(torch.logical_and), "Or": _binary(torch.logical_or), "Xor": _binary(torch.logical_xor),
    "Sum": _many(torch.add), "Max": _many(torch.maximum), "Min": _many(torch.minimum), "Mean": mean, "Clip": clip,
    "LeakyRelu": leaky_relu, "PRelu": p_relu, "HardSigmoid": hard_sigmoid, "Elu": _with(F.elu, alpha=1.0), "Celu": _with(F.celu, alpha=1.0),
    "Selu": selu, "ThresholdedRelu": _with(lambda x, alpha: F.threshold(x, alpha, 0.0), alpha=1.0), "Gelu": gelu,
    "Where": lambda node, condition, a, b: Call(torch.where, [condition, a, b]),
}
