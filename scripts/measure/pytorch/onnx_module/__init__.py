"""ONNX models as PyTorch modules: see builder.py."""
from .builder import load_onnx
from .node import UnsupportedError

__all__ = ["UnsupportedError", "load_onnx"]
