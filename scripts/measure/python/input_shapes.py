"""Concrete input shapes from the model's declared ones, the batch of a setting and the plan's "shapes": the rules of ../input_shapes.mjs.

An entry of "shapes" is "[MODEL:]NAME=1x3x224x224" (N for the batch, "scalar" for rank 0), one of "values" is "[MODEL:]NAME=NUMBER". A file
that declares no inputs (TorchScript) takes them from "shapes", in the order of forward's arguments, with the element type behind a
colon when it is not float32: "tokens=Nx128:int64"."""
import math
import re

from errors import InputError

TYPES = ("float32", "float64", "float16", "int8", "uint8", "int16", "int32", "int64", "bool")


def parse_shape(text):
    cut = text.rfind("=")
    match = re.fullmatch(r"(scalar|(?:\d{1,9}|N)(?:x(?:\d{1,9}|N))*)(?::(\w+))?", text[cut + 1:])
    if cut < 1 or not match:
        raise InputError(f'plan: shapes: "{text}" is not NAME=1x3x224x224 (N for the batch)')
    if match[2] and match[2] not in TYPES:
        raise InputError(f'plan: shapes: "{text}": type "{match[2]}" is not one of {", ".join(TYPES)}')
    dims = [] if match[1] == "scalar" else [dim if dim == "N" else int(dim) for dim in match[1].split("x")]
    return {"target": text[:cut], "dims": dims, "type": match[2], "used": False}


def parse_value(text):
    cut = text.rfind("=")
    try:
        value = float(text[cut + 1:])
    except ValueError:
        value = math.nan
    if cut < 1 or not math.isfinite(value):
        raise InputError(f'plan: values: "{text}" is not NAME=NUMBER')
    return {"target": text[:cut], "value": int(value) if value == int(value) else value, "used": False}


def find_for(entries, model, name):
    """The entry meant for this input, MODEL:NAME before NAME, later ones first; marked as used so that typos can be reported."""
    for target in (f"{model}:{name}", name):
        for entry in reversed(entries):
            if entry["target"] == target:
                entry["used"] = True
                return entry
    return None


def declared_by_shapes(shapes, model):
    """Inputs of a file that declares none."""
    names = []
    for entry in shapes:
        name = entry["target"][len(model) + 1:] if entry["target"].startswith(f"{model}:") else entry["target"]
        if name not in names:
            names.append(name)
    return [{"name": name, "type": find_for(shapes, model, name)["type"] or "float32", "dims": None} for name in names]


def _spelled(dims):
    return "x".join(map(str, dims)) if dims else "scalar"


def _shape_of(declared, batch, given):
    name, dims = declared["name"], declared["dims"]
    asked = given["dims"] if given else None
    if dims is None and asked is None:
        raise InputError(f'input "{name}" has no declared shape: give one in shapes, "{name}=..."')
    if asked is not None and dims is not None and len(asked) != len(dims):
        raise InputError(f"shapes: {name}={_spelled(asked)} has {len(asked)} dimensions, the model has {_spelled(dims)}")
    takes_batch, found = False, []
    for axis, own in enumerate(asked if dims is None else dims):
        wanted = asked[axis] if asked is not None else None
        fixed = dims is not None and isinstance(own, int)
        # A leading 1 is read as "the batch", so that one shape serves a list of batches.
        is_open_first = axis == 0 and not fixed and not (asked and "N" in asked)
        is_batch = wanted == "N" or (is_open_first and wanted in (None, 1))
        wanted = batch if is_batch else wanted
        if fixed and wanted is not None and wanted != own:
            raise InputError(f'input "{name}" has {own} fixed at dimension {axis}, {wanted} was asked for')
        takes_batch |= is_batch or (fixed and axis == 0 and own == batch)
        if wanted is None and not fixed:
            raise InputError(f'input "{name}" ({_spelled(dims)}) is open at dimension {axis}: give it in shapes, "{name}=..."')
        found.append(own if wanted is None else wanted)
    return found, takes_batch


def resolve_inputs(inputs, model, batch, shapes, values):
    """Inputs with numbers for all dimensions; InputError when the model does not allow that batch."""
    resolved, any_takes_batch = [], False
    for declared in inputs:
        if not declared["type"]:
            raise InputError(f'input "{declared["name"]}" is not a numeric tensor: such inputs are not generated')
        dims, takes_batch = _shape_of(declared, batch, find_for(shapes, model, declared["name"]))
        any_takes_batch |= takes_batch
        value = find_for(values, model, declared["name"])
        resolved.append({"name": declared["name"], "type": declared["type"], "dims": dims, **({"value": value["value"]} if value else {})})
    if batch > 1 and not any_takes_batch:
        found = ", ".join(f"{one['name']}: {'any' if one['dims'] is None else _spelled(one['dims'])}" for one in inputs)
        raise InputError(f"batch {batch} is not possible: no input dimension takes it ({found})")
    return resolved
