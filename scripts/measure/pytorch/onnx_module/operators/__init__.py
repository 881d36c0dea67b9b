"""ONNX operator -> function(node, *operands), which returns a Call (work at run time), a Value (an operand itself) or a tensor (known)."""
from . import convolution, dense, elementwise, indexing, normalization, pooling, recurrent, reduction, resize, shape

OPERATORS = {}
for module in (convolution, dense, elementwise, indexing, normalization, pooling, recurrent, reduction, resize, shape):
    OPERATORS.update(module.OPERATORS)
