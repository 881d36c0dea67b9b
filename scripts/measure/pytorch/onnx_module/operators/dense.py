"""Products. With a constant second factor they are nn.Linear's, whose weight is stored transposed."""
import torch
import torch.nn.functional as F

from ..node import Call, constant


def matmul(node, a, b):
    if b.constant is not None and len(b.shape) == 2 and len(a.shape) >= 2 and a.constant is None:
        return Call(F.linear, [a, constant(b.constant.t().contiguous())], attributes={"linear": True})
    return Call(torch.matmul, [a, b])


def _scaled(value, factor):
    return value if factor == 1 else constant(value.constant * factor)


def gemm(node, a, b, c=None):
    alpha, beta = node.get("alpha", 1.0), node.get("beta", 1.0)
    flip_a, flip_b = node.get("transA", 0), node.get("transB", 0)
    width = b.shape[0] if flip_b else b.shape[1]
    is_bias = c is None or (c.constant is not None and c.constant.numel() in (1, width) and c.shape[-1:] in ((), (1,), (width,)))
    if b.constant is not None and is_bias and not flip_a and a.constant is None:
        weight = _scaled(b if flip_b else constant(b.constant.t().contiguous()), alpha)
        bias = [] if c is None else [_scaled(constant(c.constant.reshape(-1).expand(width).contiguous()), beta)]
        return Call(F.linear, [a, weight, *bias])

    def product(a, b, c=None):
        a, b = a.t() if flip_a else a, b.t() if flip_b else b
        return torch.mm(a, b) * alpha if c is None else torch.addmm(c, a, b, beta=beta, alpha=alpha)
    return Call(product, [a, b] + ([c] if c is not None else []))


def einsum(node, *operands):
    equation = node.get("equation")
    return Call(lambda *tensors: torch.einsum(equation, *tensors), list(operands))


OPERATORS = {"MatMul": matmul, "Gemm": gemm, "Einsum": einsum}
