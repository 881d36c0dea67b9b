#!/usr/bin/env python3
"""write_models.py FOLDER: writes two models per case, FOLDER/<case>.<links>.onnx, and FOLDER/cases.json. See README.md."""
import json
import pathlib
import sys

from onnx import TensorProto

from cases import CASES
from model_builder import Builder


def write(case, links, path):
    b = Builder()
    start = b.node("Relu", [b.input("x", case.shape)], "start")
    current = start
    for i in range(links):
        result = case.body(b, i, start if case.fan else current)
        current = start if case.fan else result
    if case.group.startswith("QLinear"):
        current = b.node("DequantizeLinear", [current, b.scalar("scale", 0.01), b.scalar("zero", 128, TensorProto.UINT8)], "d")
    # One element is the result: the caller's memory for a large one would cost more than the operators.
    rank = len(case.shape)
    b.node("Slice", [current, b.whole("first", [0] * rank), b.whole("last", [1] * rank)], "y")
    b.save(path, "y", [1] * rank)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names), sorted(n for n in names if names.count(n) > 1)
    for case in CASES:
        for links in case.links:
            write(case, links, str(folder / f"{case.name}.{links}.onnx"))
    table = [{"name": c.name, "group": c.group, "links": c.links, "all_weights": c.weights, "link": c.link} for c in CASES]
    (folder / "cases.json").write_text(json.dumps(table, indent=1) + "\n")
    print(f"{len(CASES)} cases in {folder}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
