#!/usr/bin/env python3
"""Runs ONNX's own tests of single operators (Debian: libonnx-testdata) through the translation to PyTorch, twice each: with all operands as
inputs, and with all but the first as constants. What is refused is counted by operator; what is translated must agree.

    onnx_node_tests.py [--refused] [FOLDER]         exit code 1 when something differs"""
import argparse
import collections
import glob
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "measure", "pytorch"))

import numpy  # noqa: E402
import onnx  # noqa: E402
import torch  # noqa: E402
from onnx import numpy_helper  # noqa: E402

from onnx_module import UnsupportedError, load_onnx  # noqa: E402

FOLDER = "/usr/share/libonnx-testdata/data/node"
# ONNX keeps bfloat16 as 16-bit integers in numpy: no difference.
NOT_COMPARABLE = ("test_cast_FLOAT_to_BFLOAT16",)


def tensors(folder, kind, count):
    """None where the data are no tensors (sequences, texts) or of a type that torch has not."""
    found = []
    for i in range(count):
        proto = onnx.TensorProto()
        with open(os.path.join(folder, "test_data_set_0", f"{kind}_{i}.pb"), "rb") as file:
            proto.ParseFromString(file.read())
        found.append(numpy_helper.to_array(proto))
    return found if all(array.dtype.kind in "fib" or array.dtype == numpy.uint8 for array in found) else None


def differs(results, wanted):
    for ours, theirs in zip(results, wanted):
        ours = ours.numpy()
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return f"{ours.dtype} {ours.shape} instead of {theirs.dtype} {theirs.shape}"
        if not numpy.allclose(ours.astype(float), theirs.astype(float), rtol=1e-3, atol=1e-5, equal_nan=True):
            return "other values"
    return None


def run(model, arrays, wanted, as_constants, folder):
    """What differs, or None."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    names = [value.name for value in model.graph.input]
    inputs = {name: torch.from_numpy(numpy.array(array)) for name, array in zip(names, arrays)}
    if as_constants:
        changed.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in list(zip(names, arrays))[1:])
        inputs = {names[0]: inputs[names[0]]}
    path = os.path.join(folder, "m.onnx")
    onnx.save(changed, path)
    module, _ = load_onnx(path, inputs)
    results = module(*inputs.values())
    return differs(results if isinstance(results, tuple) else (results,), wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=FOLDER)
    parser.add_argument("--refused", action="store_true", help="list the messages")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    agree, refused, bad, skipped = 0, collections.Counter(), [], 0
    for path in sorted(glob.glob(os.path.join(options.folder, "test_*"))):
        name = os.path.basename(path)
        try:
            model = onnx.load(os.path.join(path, "model.onnx"))
            arrays, wanted = tensors(path, "input", len(model.graph.input)), tensors(path, "output", len(model.graph.output))
        except Exception:  # protobuf's own: data of another type
            arrays = wanted = None
        if arrays is None or wanted is None or name in NOT_COMPARABLE:
            skipped += 1
            continue
        for as_constants in (False, True) if len(arrays) > 1 else (False,):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    found = run(model, arrays, wanted, as_constants, folder)
                    agree += found is None
                    bad += [f"{name}: {found}"] if found else []
                except UnsupportedError as error:
                    refused[model.graph.node[0].op_type] += 1
                    if options.refused:
                        print(f"refused: {name}: {error}")
    for text in bad:
        print(text)
    print(f"{agree} agree, {len(bad)} differ, {sum(refused.values())} refused, {skipped} tests without plain tensors")
    print("refused:", ", ".join(f"{kind} {count}" for kind, count in sorted(refused.items())))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
