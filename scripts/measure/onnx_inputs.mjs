// Reads the inputs of an ONNX model straight from its protobuf bytes. Old onnxruntime-node tells the names
// only, so types and shapes come from here, by the same code for every version.
//
// Only the fields on the way to graph.input are decoded; field numbers are those of onnx.proto.
import { InputError } from "./errors.mjs";

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 };

const ELEMENT_TYPES = [
  undefined, "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64",
  "uint32", "uint64",
];

function readVarint(bytes, start) {
  let value = 0n;
  for (let i = 0; i < 10; i += 1) {
    const byte = bytes[start + i];
    if (byte === undefined) throw new RangeError("ends inside a number");
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return { value: BigInt.asIntN(64, value), next: start + i + 1 };
  }
  throw new RangeError("number longer than 10 bytes");
}

/** Yields {field, value}: a BigInt for varints, a view on the bytes for nested messages and strings. */
export function* protobufFields(bytes) {
  let position = 0;
  while (position < bytes.length) {
    const key = readVarint(bytes, position);
    const field = Number(key.value >> 3n);
    const wire = Number(key.value & 7n);
    if (field < 1) throw new RangeError("field number 0");
    position = key.next;
    let value;
    if (wire === WIRE.varint) {
      ({ value, next: position } = readVarint(bytes, position));
    } else {
      let length = { [WIRE.fixed64]: 8, [WIRE.fixed32]: 4 }[wire];
      if (wire === WIRE.bytes) {
        const prefix = readVarint(bytes, position);
        length = Number(prefix.value);
        position = prefix.next;
      }
      if (length === undefined) throw new RangeError(`wire type ${wire}`);
      if (length < 0 || position + length > bytes.length) throw new RangeError("ends inside a field");
      value = bytes.subarray(position, position + length);
      position += length;
    }
    yield { field, wire, value };
  }
}

/** All values of one field; a wire type other than the expected one means that this is no such message. */
function all(bytes, field, wire = WIRE.bytes) {
  const values = [];
  for (const entry of protobufFields(bytes)) {
    if (entry.field !== field) continue;
    if (entry.wire !== wire) throw new RangeError(`field ${field} has wire type ${entry.wire}`);
    values.push(entry.value);
  }
  return values;
}

const last = (bytes, field, wire) => all(bytes, field, wire).at(-1);
const text = (bytes) => (bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8") : "");

/** A dimension is a number when fixed, else its symbolic name (exporters also write 0 or -1 for "any"). */
function dimension(bytes) {
  const value = last(bytes, 1, WIRE.varint);
  if (value !== undefined && value > 0n) return Number(value);
  return text(last(bytes, 2)) || "?";
}

function valueInfo(bytes) {
  const type = last(bytes, 2);
  const tensor = type && last(type, 1);
  const shape = tensor && last(tensor, 2);
  return {
    name: text(last(bytes, 1)),
    type: tensor ? ELEMENT_TYPES[Number(last(tensor, 1, WIRE.varint) ?? 0)] ?? null : null,
    dims: shape ? all(shape, 1).map(dimension) : null, // null: the rank itself is unknown
  };
}

/** Inputs a caller has to feed: [{name, type, dims}]; initializers listed as inputs are left out. */
export function onnxInputs(bytes, file = "model") {
  try {
    const graph = last(bytes, 7);
    if (last(bytes, 1, WIRE.varint) === undefined || !graph) throw new RangeError("no version or no graph");
    const dense = all(graph, 5).map((tensor) => text(last(tensor, 8)));
    const sparse = all(graph, 15).map((tensor) => text(last(last(tensor, 1) ?? new Uint8Array(), 8)));
    const stored = new Set([...dense, ...sparse]);
    return all(graph, 11).map(valueInfo).filter((input) => !stored.has(input.name));
  } catch (error) {
    if (error instanceof RangeError) throw new InputError(`${file}: not an ONNX model (${error.message})`);
    throw error;
  }
}
