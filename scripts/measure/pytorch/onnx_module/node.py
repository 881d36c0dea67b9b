"""What the functions that translate operators work on: values, nodes and steps."""
import dataclasses

import numpy
import onnx
import torch
from onnx import numpy_helper


class UnsupportedError(Exception):
    """The model holds what is not translated: the text names the operator and the node."""


@dataclasses.dataclass(eq=False)
class Value:
    """A tensor of the model. `constant` when it does not depend on the inputs; otherwise shape and type are those that the example
    inputs gave, and `example` is its tensor until its last consumer has been built."""
    constant: torch.Tensor = None
    example: torch.Tensor = None
    shape: tuple = ()
    dtype: torch.dtype = None
    is_fresh: bool = False  # it shares its memory with no other value

    def tensor(self):
        return self.example if self.constant is None else self.constant

    def scalar(self):
        """The number of a constant with one element; None otherwise."""
        return self.constant.item() if self.constant is not None and self.constant.numel() == 1 else None


def constant(tensor):
    return Value(constant=tensor, shape=tuple(tensor.shape), dtype=tensor.dtype)


@dataclasses.dataclass(eq=False)
class Step:
    """outputs = function(*operands), at run time."""
    kind: str  # ONNX's operator, which fusions look at
    function: object
    operands: list
    outputs: list
    in_place: object = None  # the same as `function`, into the first operand
    attributes: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Call:
    """What a translation returns for work at run time."""
    function: object
    operands: list
    in_place: object = None
    attributes: dict = dataclasses.field(default_factory=dict)


def to_tensor(proto):
    array = numpy_helper.to_array(proto)
    if array.dtype.kind in "SUO":
        raise UnsupportedError(f'tensor "{proto.name}" holds texts')
    if array.dtype.kind == "u" and array.dtype.itemsize > 1:
        array = array.astype(numpy.int64)  # torch has no wider unsigned types
    return torch.from_numpy(numpy.array(array, order="C"))


def torch_type(onnx_type):
    array_type = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[onnx_type]
    return torch.from_numpy(numpy.zeros(0, dtype=array_type)).dtype


def _python(attribute):
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode("utf8")
    if attribute.type == onnx.AttributeProto.STRINGS:
        return [one.decode("utf8") for one in value]
    return list(value) if isinstance(value, (list, tuple)) or hasattr(value, "append") else value


class Node:
    """A node with its attributes as Python values and the version of its operator set."""

    def __init__(self, proto, opset):
        self.kind, self.opset = proto.op_type, opset
        self.name = proto.name or (proto.output[0] if proto.output else "")
        self._attributes = {attribute.name: _python(attribute) for attribute in proto.attribute}
        self.output_count = len(proto.output)

    def get(self, name, default=None):
        return self._attributes.get(name, default)

    def refuse(self, what):
        raise UnsupportedError(f'operator {self.kind} (node "{self.name}"): {what}')

    def only(self, name, *allowed):
        """The attribute when it has one of the values that are translated (the first is the default)."""
        value = self.get(name, allowed[0])
        if value not in allowed:
            self.refuse(f"{name} = {value} is not translated")
        return value

    def ints(self, value, what):
        """The numbers of an operand that must be known when the model is loaded."""
        if value is None:
            return None
        if value.constant is None:
            self.refuse(f"its {what} depends on the values of the inputs")
        return [int(number) for number in value.constant.reshape(-1).tolist()]

    def ints_of(self, operands, index, name, default=None):
        """Numbers that newer operator sets have as an operand, older ones as an attribute."""
        if len(operands) > index and operands[index] is not None:
            return self.ints(operands[index], name)
        return self.get(name, default)
