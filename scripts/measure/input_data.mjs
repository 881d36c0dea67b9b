// Reproducible input values: the same seed gives the same data on every host and version.

/** mulberry32: 32 bits of state, enough for filling tensors. */
export function randomSource(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Box-Muller; 1 - u keeps the logarithm finite. */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** IEEE half precision bits, by truncation; what is below the normal range becomes zero. */
export function halfBits(value) {
  const bits = new Uint32Array(new Float32Array([value]).buffer)[0];
  const sign = (bits >>> 16) & 0x8000;
  const exponent = ((bits >>> 23) & 0xff) - 127;
  if (exponent > 15) return sign | 0x7c00;
  if (exponent < -14) return sign;
  return sign | ((exponent + 15) << 10) | ((bits >>> 13) & 0x3ff);
}

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array,
  int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array,
  int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, bool: Uint8Array,
};

/**
 * Typed array for {name, type, dims, value?}. Floats are standard normal. Integers are 0 or 1: they are often
 * indices, and 1 is valid even in the smallest tables (token types). Masks are 1: everything is attended to.
 */
export function inputData({ name, type, dims, value }, random) {
  const data = new ARRAYS[type](dims.reduce((product, dim) => product * dim, 1));
  const isFloat = type.startsWith("float");
  const store = { int64: BigInt, uint64: BigInt, float16: halfBits }[type] ?? ((number) => number);
  for (let i = 0; i < data.length; i += 1) {
    let number = value;
    if (number === undefined) {
      if (isFloat) number = normal(random);
      else number = /mask/i.test(name) ? 1 : Math.floor(2 * random());
    }
    data[i] = store(isFloat ? number : Math.trunc(number));
  }
  return data;
}
