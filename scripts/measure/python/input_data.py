"""Reproducible input values: the same seed gives the same data as ../input_data.mjs, so that frameworks see the same inputs.

mulberry32 adds a constant to its state at each call, so all states are known at once and numpy mixes them together."""
import re

import numpy

STEP = 0x6D2B79F5


class RandomSource:
    """Uniform numbers in [0, 1), in the order in which the seed gives them."""

    def __init__(self, seed):
        self._state = seed & 0xFFFFFFFF

    def take(self, count):
        steps = numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(STEP)
        state = ((steps + numpy.uint64(self._state)) & numpy.uint64(0xFFFFFFFF)).astype(numpy.uint32)
        if count:
            self._state = int(state[-1])
        mixed = (state ^ (state >> numpy.uint32(15))) * (state | numpy.uint32(1))
        mixed = (mixed + (mixed ^ (mixed >> numpy.uint32(7))) * (mixed | numpy.uint32(61))) ^ mixed
        return (mixed ^ (mixed >> numpy.uint32(14))).astype(numpy.float64) / 2.0**32


def input_data(given, source):
    """Array for {name, type, dims, value?}. Floats are standard normal (Box-Muller). Integers are 0 or 1: they are often indices, and 1 is
    valid even in the smallest tables (token types). Masks are 1: everything is attended to."""
    name, kind, dims = given["name"], given["type"], given["dims"]
    count = int(numpy.prod(dims, dtype=numpy.int64))
    value = given.get("value")
    if value is None:
        if kind.startswith("float"):
            pairs = source.take(2 * count)
            numbers = numpy.sqrt(-2 * numpy.log(1 - pairs[0::2])) * numpy.cos(2 * numpy.pi * pairs[1::2])
        elif re.search("mask", name, re.IGNORECASE):
            numbers = numpy.ones(count)
        else:
            numbers = numpy.floor(2 * source.take(count))
    else:
        numbers = numpy.full(count, value)
    return numbers.astype(kind).reshape(dims)


def all_inputs(inputs, seed):
    source = RandomSource(seed)
    return [input_data(given, source) for given in inputs]
