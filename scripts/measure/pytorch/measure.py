#!/usr/bin/env python3
"""measure.py THREADS OUTPUT.json [PATTERN] [--script]: seconds per call of every case, fastest of many batches of calls, kept
with what an earlier run found in OUTPUT.json. --script: chains of the case's module of two lengths, frozen and optimized for
inference, long less short. Run it by run.sh, which pins it and sets malloc up to keep its memory: what fresh memory
costs is allocator.py's."""
import argparse
import fnmatch
import json
import os
import time

import torch

from cases import CASES

LINKS = (2, 6)


def fastest(call, seconds=0.2):
    """Of batches of about 3 ms."""
    for _ in range(3):
        call()
    start = time.perf_counter()
    call()
    calls = max(1, int(3e-3 / max(time.perf_counter() - start, 1e-7)))
    best = float("inf")
    end = time.perf_counter() + seconds
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        now = time.perf_counter()
        best = min(best, (now - start) / calls)
        if now > end:
            return best


def scripted(case):
    """Of one link, and what the call of a chain costs by itself."""
    times = []
    for links in LINKS:
        module, x = case.chain(links)
        frozen = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.script(module.eval())))
        for _ in range(4):
            frozen(x)
        times.append(fastest(lambda: frozen(x)))
    link = (times[1] - times[0]) / (LINKS[1] - LINKS[0])
    return link, times[0] - LINKS[0] * link


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("threads", type=int)
    parser.add_argument("output")
    parser.add_argument("pattern", nargs="?", default="*")
    parser.add_argument("--script", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    times = json.load(open(options.output, encoding="utf8")) if os.path.exists(options.output) else {}
    with torch.no_grad():
        for case in CASES:
            if not fnmatch.fnmatch(case.name, options.pattern):
                continue
            if not options.script:
                found = fastest(case.build())
            elif case.chain:
                found, around = scripted(case)
                times[f"{case.name}:run"] = min(around, times.get(f"{case.name}:run", float("inf")))
            else:
                continue
            times[case.name] = min(found, times.get(case.name, float("inf")))
    with open(options.output, "w", encoding="utf8") as file:
        json.dump(times, file, indent=1)


if __name__ == "__main__":
    main()
