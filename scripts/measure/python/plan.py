"""Reads a plan, corecast.measure_plan/1, and checks it before anything runs, so that a wrong plan costs no measuring time."""
import hashlib
import json
import os

from errors import InputError
from input_shapes import declared_by_shapes, parse_shape, parse_value, resolve_inputs
from onnx_inputs import onnx_inputs

SCHEMA = "corecast.measure_plan/1"


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_number(value, least):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value < float("inf")


def _is_cpus(value):
    return value is None or (isinstance(value, list) and all(
        isinstance(one, list) and one and all(isinstance(cpu, int) and not isinstance(cpu, bool) and cpu >= 0 for cpu in one) and
        len(set(one)) == len(one) for one in value))


# name: (required, what it must be, test)
SETTING = {
    "mode": (True, "a text", lambda v: isinstance(v, str)),
    "instances": (True, "a whole number from 1", _is_count),
    "inter_op": (True, "a whole number from 1", _is_count),
    "intra_op": (True, "a whole number from 1", _is_count),
    "spin": (False, '"on" or "off"', lambda v: v in ("on", "off")),
    "batch": (True, "a whole number from 1", _is_count),
    "allocator": (False, "a text", lambda v: isinstance(v, str)),
    "cpu_quota": (False, "a number of CPUs from 0.01", lambda v: _is_number(v, 0.01)),
    "cpus": (False, "one list of CPU numbers per instance", _is_cpus),
}
# name: (default, what it must be, test)
METHOD = {
    "warmup": (5, "a whole number from 0", lambda v: v == 0 or _is_count(v)),
    "repetitions": (30, "a whole number from 1", _is_count),
    "min_time_seconds": (0.2, "a number of seconds", lambda v: _is_number(v, 0)),
    "budget_seconds": (5, "a number of seconds", lambda v: _is_number(v, 0)),
    "stable": (False, "true, false or a share such as 0.02", lambda v: isinstance(v, bool) or _is_number(v, 0)),
    "processes": (5, "a whole number from 1", _is_count),
    "timeout_seconds": (120, "a number of seconds above 0", lambda v: _is_number(v, 1e-3)),
    "seed": (1, "a whole number from 0", lambda v: v == 0 or _is_count(v)),
}
STABLE = 0.02  # what "stable": true means: the median's interval reaches 2 % to either side


def _known(where, given, names):
    if not isinstance(given, dict):
        raise InputError(f"{where}: is no object")
    for name in given:
        if name not in names:
            raise InputError(f'{where}/{name}: unknown key; known are {", ".join(names)}')


def _setting(where, given, runtime):
    _known(where, given, list(SETTING))
    setting = {"runtime": runtime(given.get("mode"))}
    for name, (required, wanted, fits) in SETTING.items():
        value = given.get(name)
        if value is None:
            if required:
                raise InputError(f"{where}/{name}: missing, {wanted} is wanted")
            continue
        if not fits(value):
            raise InputError(f"{where}/{name}: {json.dumps(value)} is not {wanted}")
        setting[name] = value
    if "cpus" in setting and len(setting["cpus"]) != setting["instances"]:
        raise InputError(f"{where}/cpus: {len(setting['cpus'])} lists for {setting['instances']} instances")
    return setting


def _method(where, given):
    _known(where, given, list(METHOD))
    method = {}
    for name, (default, wanted, fits) in METHOD.items():
        value = default if given.get(name) is None else given[name]
        if not fits(value):
            raise InputError(f"{where}/{name}: {json.dumps(value)} is not {wanted}")
        method[name] = value
    if method["stable"] is True:
        method["stable"] = STABLE
    return method


def _model(where, given, folder):
    _known(where, given, ["name", "file"])
    file = given.get("file")
    if not isinstance(file, str) or not file:
        raise InputError(f"{where}/file: the path of a model is missing")
    path = os.path.join(folder, file)
    try:
        with open(path, "rb") as opened:
            data = opened.read()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    name = given.get("name") or os.path.splitext(os.path.basename(file))[0]
    is_onnx = os.path.splitext(file)[1] not in (".pt", ".pth", ".ts")
    return {"name": name, "file": os.path.abspath(path), "sha256": hashlib.sha256(data).hexdigest(),
            "inputs": onnx_inputs(data, path) if is_onnx else None}


def _texts(where, given, parse):
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise InputError(f"{where}: is not a list of texts")
    return [parse(one) for one in given]


def read_plan(file, runtime):
    """{"model", "settings", "method", "shapes", "values"}; runtime(mode) names the runtime of a setting. InputError names the key."""
    try:
        with open(file, encoding="utf8") as opened:
            plan = json.load(opened)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{file}: not JSON ({error})") from error
    _known(file, plan, ["schema", "model", "framework", "settings", "method", "shapes", "values"])
    if plan.get("schema") != SCHEMA:
        raise InputError(f'{file}: /schema: {json.dumps(plan.get("schema"))} is not "{SCHEMA}"')
    settings = plan.get("settings")
    if not isinstance(settings, list) or not settings:
        raise InputError(f"{file}: /settings: a list with at least one setting is wanted")
    return {
        "model": _model(f"{file}: /model", plan.get("model"), os.path.dirname(os.path.abspath(file))),
        "settings": [_setting(f"{file}: /settings/{i}", one, runtime) for i, one in enumerate(settings)],
        "method": _method(f"{file}: /method", plan.get("method", {})),
        "shapes": _texts(f"{file}: /shapes", plan.get("shapes") or [], parse_shape),
        "values": _texts(f"{file}: /values", plan.get("values") or [], parse_value),
    }


def entries_of(plan, refusal):
    """One {"identity", "inputs"} or {"identity", "error"} per setting: what cannot run is recorded, not dropped. A model of which nothing
    can run is the user's mistake: InputError. refusal(setting) tells why the framework or the host cannot, or None."""
    model, entries = plan["model"], []
    for setting in plan["settings"]:
        identity = {"model": model["name"], "model_sha256": model["sha256"], "setting": setting, "inputs": None}
        error = None
        try:
            declared = declared_by_shapes(plan["shapes"], model["name"]) if model["inputs"] is None else model["inputs"]
            if model["inputs"] is None and not declared:
                raise InputError(f"{model['file']}: declares no inputs: give them in shapes, in the order of forward's arguments")
            identity["inputs"] = resolve_inputs(declared, model["name"], setting["batch"], plan["shapes"], plan["values"])
            error = refusal(setting)
        except InputError as problem:
            error = str(problem)
        entries.append({"identity": identity, "error": error})
    if all(entry["error"] for entry in entries):
        raise InputError(f"{model['name']}: {entries[0]['error']}")
    for kind in ("shapes", "values"):
        for given in plan[kind]:
            if not given["used"]:
                raise InputError(f"{kind}: {given['target']}: the model has no input of that name")
    return entries
