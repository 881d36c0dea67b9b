#!/usr/bin/env python3
"""Holds the files that `corecast model NAME -o NAME.onnx` writes against the ONNX project's own checker.

    check_onnx.py CORECAST [NAME ...]     all built-in models when none is named

Exit codes: 0 all well formed, 1 some are not, 77 the Python package onnx is not there.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import onnx
except ImportError:
    print("skipped: the Python package onnx is not installed (Debian: python3-onnx)")
    sys.exit(77)

# Shapes and types of all tensors are checked too, but for bf16: operator set 17 does not list it for every operator.
FORMS = {"fp32": True, "int8": True, "bf16": False}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def problem_of(file, full):
    try:
        onnx.checker.check_model(onnx.load(file), full_check=full)
    except Exception as error:  # the checker has several kinds, which share no other base
        return str(error).strip().splitlines()[0]
    return None


def main():
    program, names = sys.argv[1], sys.argv[2:]
    if not names:
        names = [model["name"] for model in json.loads(run(program, "model", "list", "--json"))["models"]]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for form, full in FORMS.items():
                file = pathlib.Path(folder) / f"{name}.{form}.onnx"
                try:
                    run(program, "model", name, "--dtype", form, "-o", str(file))
                    problem = problem_of(str(file), full)
                except subprocess.CalledProcessError as error:
                    problem = error.stderr.strip()
                if problem:
                    failures += 1
                    print(f"{name} {form}: {problem}")
    print(f"{len(names)} models, {failures} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
