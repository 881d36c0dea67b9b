#!/usr/bin/env python3
"""Runs ONNX models in PyTorch, as scripts/measure runs them, and in onnxruntime-node on the same inputs, and prints the largest
difference of each, relative to the largest magnitude of the output. Weights that a model only has as constant fills are replaced by
random ones for the comparison (but in models above 1.5 GB). Exit code 1 when a model differs by more than --tolerance or does not run.

    compare_onnx_module.py [--script] [--tolerance 1e-4] [--shape NAME=1x3xNxN] MODEL.onnx...

Needs python3-torch, python3-onnx, Node and scripts/measure/setup.sh."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("python", "pytorch"):
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "measure", folder))

import numpy  # noqa: E402
import onnx  # noqa: E402
import torch  # noqa: E402

from errors import InputError  # noqa: E402
from input_data import all_inputs  # noqa: E402
from input_shapes import parse_shape, parse_value, resolve_inputs  # noqa: E402
from onnx_inputs import onnx_inputs  # noqa: E402
from onnx_module import UnsupportedError, load_onnx  # noqa: E402

LARGEST = 1.5e9  # bytes of weights that are written out: a protobuf message ends at 2 GiB
SMALL = 8  # elements: fills below are shapes and scalars, not weights


def fills(graph):
    """Nodes that make constant weights, with their shapes."""
    known = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            known[node.output[0]] = onnx.numpy_helper.to_array(node.attribute[0].t)
    for node in graph.node:
        value = next((a.t for a in node.attribute if a.name == "value"), None)
        if node.op_type == "ConstantOfShape" and node.input[0] in known and (value is None or value.data_type == onnx.TensorProto.FLOAT):
            shape = [int(size) for size in known[node.input[0]]]
            if numpy.prod(shape) >= SMALL:
                yield node, shape


def show_before_saturation(graph):
    """Adds what goes into a last softmax or sigmoid to the outputs: with random weights these often give plain 0 and 1."""
    makers = {name: node for node in graph.node for name in node.output}
    names = {output.name for output in graph.output}
    shown = [makers[name].input[0] for name in names if name in makers and makers[name].op_type in ("Softmax", "Sigmoid")]
    graph.output.extend(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in shown if name not in names)
    return bool(shown)


def randomized(path, target, seed):
    """Writes the model with random weights in place of constant fills; the path of the model to compare, and what its weights are."""
    model = onnx.load(path)
    found = list(fills(model.graph))
    has_softer = show_before_saturation(model.graph)
    if 4 * sum(numpy.prod(shape, dtype=numpy.int64) for _, shape in found) > LARGEST:
        found = []
    if not found and not has_softer:
        return path, "its own weights"
    random = numpy.random.default_rng(seed)
    for node, shape in found:
        if len(shape) == 1:  # scales and variances stay positive
            weights = random.uniform(0.5, 1.5, shape)
        else:
            weights = random.standard_normal(shape) * numpy.sqrt(2 * shape[0] / numpy.prod(shape))
        model.graph.initializer.append(onnx.numpy_helper.from_array(weights.astype(numpy.float32), node.output[0]))
        model.graph.node.remove(node)
    model.ir_version = max(model.ir_version, 4)  # initializers need not be inputs
    onnx.save(model, target)
    return target, "random weights" if found else "its own weights"


def run_onnxruntime(path, inputs, arrays, folder):
    given = []
    for i, (one, array) in enumerate(zip(inputs, arrays)):
        file = os.path.join(folder, f"input_{i}")
        array.tofile(file)
        given.append({**one, "file": file})
    job = os.path.join(folder, "job.json")
    with open(job, "w", encoding="utf8") as opened:
        json.dump({"model": path, "folder": folder, "inputs": given}, opened)
    done = subprocess.run(["node", os.path.join(HERE, "run_onnxruntime.mjs"), job], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"onnxruntime: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
    return {out["name"]: numpy.fromfile(out["file"], dtype=out["type"]).reshape(out["dims"]) for out in json.loads(done.stdout)}


def run_pytorch(path, inputs, arrays, script):
    tensors = [torch.from_numpy(array) for array in arrays]
    module, names = load_onnx(path, {one["name"]: tensor for one, tensor in zip(inputs, tensors)})
    if script:
        module = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(module, tuple(tensors), check_trace=False)))
    results = [module(*tensors) for _ in range(3 if script else 1)][-1]
    return dict(zip(names, [one.numpy() for one in (results if isinstance(results, tuple) else [results])]))


def difference(ours, theirs):
    if ours.shape != theirs.shape:
        raise InputError(f"shape {ours.shape} instead of {theirs.shape}")
    if not numpy.isfinite(theirs.astype(float)).all():
        raise InputError("onnxruntime's output is not finite: nothing to compare")
    scale = numpy.abs(theirs.astype(float)).max(initial=0) or 1.0
    return float(numpy.abs(ours.astype(float) - theirs.astype(float)).max(initial=0) / scale)


def compare(path, options):
    with open(path, "rb") as file:
        inputs = resolve_inputs(onnx_inputs(file.read(), path), "", options.batch, options.shape, options.value)
    arrays = all_inputs(inputs, options.seed)
    with tempfile.TemporaryDirectory() as folder:
        used, what = randomized(path, os.path.join(folder, "model.onnx"), options.seed)
        ours, theirs = run_pytorch(used, inputs, arrays, options.script), run_onnxruntime(used, inputs, arrays, folder)
    worst = max(difference(ours[name], theirs[name]) for name in theirs)
    says_little = all(array.size > 1 and array.max() == array.min() for array in theirs.values())
    return worst, what + (", all elements of its outputs are equal" if says_little else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--script", action="store_true", help="the traced, frozen and optimized form instead of the eager one")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shape", type=parse_shape, action="append", default=[])
    parser.add_argument("--value", type=parse_value, action="append", default=[])
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    bad = 0
    for path in options.models:
        name = os.path.splitext(os.path.basename(path))[0]
        try:
            worst, what = compare(path, options)
            fits = worst <= options.tolerance
            print(f"{name:28s} {worst:9.1e}  {what}{'' if fits else '  ABOVE THE TOLERANCE'}", flush=True)
        except (UnsupportedError, InputError, RuntimeError) as error:
            fits = False
            print(f"{name:28s} does not run: {error}", flush=True)
        bad += not fits
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
