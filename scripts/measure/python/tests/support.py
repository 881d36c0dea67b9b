"""Helpers of the tests: ONNX files written byte by byte (no package needed), plans, and adaptors started as programs."""
import json
import os
import subprocess
import sys

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MEASURE = os.path.dirname(PYTHON)
sys.path[:0] = [PYTHON, os.path.join(MEASURE, "pytorch")]


def varint(value):
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(found) + bytes([value])


def number(field, value):
    return varint(field * 8) + varint(value)


def nested(field, *parts):
    body = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    return varint(field * 8 + 2) + varint(len(body)) + body


def value_info(name, dims, kind=1):
    """ValueInfoProto; a dimension is a number, or a text for a symbolic one."""
    shape = [nested(1, number(1, dim) if isinstance(dim, int) else nested(2, dim)) for dim in dims]
    return nested(1, name) + nested(2, nested(1, number(1, kind), nested(2, *shape)))


def relu_model(dims):
    """y = Relu(x)"""
    graph = nested(7, nested(1, nested(1, "x"), nested(2, "y"), nested(4, "Relu")), nested(2, "g"),
                   nested(11, value_info("x", dims)), nested(12, value_info("y", dims)))
    return number(1, 7) + graph + nested(8, nested(1, ""), number(2, 13))


SETTING = {"mode": "sequential", "instances": 1, "inter_op": 1, "intra_op": 1, "batch": 1}
METHOD = {"warmup": 1, "repetitions": 5, "min_time_seconds": 0, "budget_seconds": 5, "processes": 1, "timeout_seconds": 30, "seed": 1}


def write_plan(folder, settings=(SETTING,), model=("m.onnx", relu_model(["N", 4])), **changes):
    """Path of a plan beside its model."""
    with open(os.path.join(folder, model[0]), "wb") as file:
        file.write(model[1])
    plan = {"schema": "corecast.measure_plan/1", "model": {"name": "m", "file": model[0]}, "framework": "any", "settings": list(settings),
            "method": METHOD, "shapes": [], "values": [], **changes}
    path = os.path.join(folder, "plan.json")
    with open(path, "w", encoding="utf8") as file:
        json.dump(plan, file)
    return path


def run_adaptor(script, arguments, extra_path=None):
    """(exit code, progress lines, error text)"""
    environment = dict(os.environ, **({"PYTHONPATH": extra_path} if extra_path else {}))
    done = subprocess.run([sys.executable, os.path.join(MEASURE, script), *arguments], capture_output=True, text=True, env=environment, check=False,
                          timeout=120)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")], done.stderr
