#!/usr/bin/env python3
"""two_threads.py MODELS/cases.json ONE.json... -- TWO.json...: time per operator at one and at two threads. A ratio near 1 is
an operator that is not cut; two for one, one that is. Of tiny operators the difference is the cost of a fork."""
import json
import sys

from fit import measured


def read(names):
    return [json.load(open(name, encoding="utf8")) for name in names]


def main(argv):
    middle = argv.index("--")
    cases = json.load(open(argv[0], encoding="utf8"))
    one, two = measured(cases, read(argv[1:middle])), measured(cases, read(argv[middle + 1:]))
    print(f"{'case':44s} {'1 us':>9s} {'2 us':>9s} {'1/2':>5s} {'2 - 1/2 us':>10s}")
    for name, time in two.items():
        if name in one:
            print(f"{name:44s} {one[name] * 1e6:9.2f} {time * 1e6:9.2f} {one[name] / time:5.2f} {(time - one[name] / 2) * 1e6:10.2f}")


if __name__ == "__main__":
    if "--" not in sys.argv:
        sys.exit(__doc__)
    main(sys.argv[1:])
