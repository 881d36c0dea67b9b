"""Inputs of an ONNX model straight from its protobuf bytes, as ../onnx_inputs.mjs reads them: the measured process may load what
it wants, the process that plans needs no package for this. Field numbers are those of onnx.proto."""
from errors import InputError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
ELEMENT_TYPES = [None, "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", None, "bool", "float16", "float64", "uint32", "uint64"]


class _Broken(Exception):
    pass


def _varint(data, at):
    value = 0
    for i in range(10):
        if at + i >= len(data):
            raise _Broken("ends inside a number")
        byte = data[at + i]
        value |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            return value - (1 << 64) if value >> 63 else value, at + i + 1
    raise _Broken("number longer than 10 bytes")


def fields(data):
    """Yields (field, wire type, value): a number for varints, a view on the bytes for nested messages and texts."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        field, wire = key >> 3, key & 7
        if field < 1:
            raise _Broken("field number 0")
        if wire == VARINT:
            value, at = _varint(data, at)
        else:
            length = {FIXED64: 8, FIXED32: 4}.get(wire)
            if wire == BYTES:
                length, at = _varint(data, at)
            if length is None:
                raise _Broken(f"wire type {wire}")
            if length < 0 or at + length > len(data):
                raise _Broken("ends inside a field")
            value, at = data[at:at + length], at + length
        yield field, wire, value


def _all(data, field, wire=BYTES):
    values = []
    for found, kind, value in fields(data):
        if found != field:
            continue
        if kind != wire:
            raise _Broken(f"field {field} has wire type {kind}")
        values.append(value)
    return values


def _last(data, field, wire=BYTES):
    values = _all(data, field, wire)
    return values[-1] if values else None


def _text(data):
    return "" if data is None else bytes(data).decode("utf8", "replace")


def _dimension(data):
    """A number when fixed, else its symbolic name (exporters also write 0 or -1 for "any")."""
    value = _last(data, 1, VARINT)
    return value if value is not None and value > 0 else _text(_last(data, 2)) or "?"


def _value_info(data):
    kind = _last(data, 2)
    tensor = _last(kind, 1) if kind is not None else None
    shape = _last(tensor, 2) if tensor is not None else None
    number = (_last(tensor, 1, VARINT) or 0) if tensor is not None else 0
    return {"name": _text(_last(data, 1)),
            "type": ELEMENT_TYPES[number] if number < len(ELEMENT_TYPES) else None,
            "dims": None if shape is None else [_dimension(one) for one in _all(shape, 1)]}  # None: the rank itself is unknown


def onnx_inputs(data, file="model"):
    """Inputs a caller has to feed: [{name, type, dims}]; initializers listed as inputs are left out."""
    try:
        view = memoryview(data)
        graph = _last(view, 7)
        if _last(view, 1, VARINT) is None or graph is None:
            raise _Broken("no version or no graph")
        stored = {_text(_last(tensor, 8)) for tensor in _all(graph, 5)}
        stored |= {_text(_last(_last(tensor, 1) or b"", 8)) for tensor in _all(graph, 15)}
        return [one for one in map(_value_info, _all(graph, 11)) if one["name"] not in stored]
    except _Broken as error:
        raise InputError(f"{file}: not an ONNX model ({error})") from error
