#!/usr/bin/env python3
"""What fresh outputs cost. glibc's malloc gives a block above its mmap threshold back to the kernel when it is freed, so an
operator that writes such an output faults every page of it again. Adds two tensors of each size, frees the result, and tells
page faults, time of the call and time of the free, with malloc as it is and with one that keeps its memory. `held` blocks of
the same size stay alive, as results that a later operator still reads."""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

PAGE = os.sysconf("SC_PAGE_SIZE")
HUGE = str(1 << 40)
KEEPING = {"MALLOC_MMAP_THRESHOLD_": HUGE, "MALLOC_TRIM_THRESHOLD_": HUGE, "MALLOC_TOP_PAD_": str(512 << 20)}
SIZES_MIB = (1, 4, 16, 31, 32.5, 64, 128)


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def child(size_mib, threads, seconds):
    import torch
    torch.set_num_threads(threads)
    count = int(size_mib * (1 << 20)) // 4
    a, b, out = torch.rand(count), torch.rand(count), torch.rand(count)
    calls, frees, pages, ready, empty = [], [], [], [], []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(calls) < 8:
        start, before = time.perf_counter(), faults()
        y = torch.add(a, b)
        called, after = time.perf_counter(), faults()
        del y
        freed = time.perf_counter()
        calls.append(called - start)
        frees.append(freed - called)
        pages.append(after - before)
        start = time.perf_counter()
        torch.add(a, b, out=out)
        ready.append(time.perf_counter() - start)
        start = time.perf_counter()
        y = torch.empty(count)
        del y
        empty.append(time.perf_counter() - start)
    skip = 3
    pick = lambda values: statistics.median(values[skip:])
    print(json.dumps({"mib": size_mib, "threads": threads, "pages": count * 4 / PAGE, "faults": pick(pages), "call_s": pick(calls),
                      "free_s": pick(frees), "into_ready_s": pick(ready), "empty_and_free_s": pick(empty)}))


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", nargs=2, metavar=("MIB", "THREADS"))
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args(argv)
    if options.child:
        child(float(options.child[0]), int(options.child[1]), options.seconds)
        return
    print(f"{'malloc':8s} {'threads':>7s} {'MiB':>6s} {'faults/page':>11s} {'call us':>9s} {'ready us':>9s} {'free us':>8s} "
          f"{'fault us/page':>13s} {'free us/page':>12s}")
    for label, extra in (("default", {}), ("keeping", KEEPING)):
        for threads in (1, 2):
            for size in SIZES_MIB:
                cpus = "1" if threads == 1 else "0-1"
                out = subprocess.run(["taskset", "-c", cpus, sys.executable, __file__, "--child", str(size), str(threads), "--seconds",
                                      str(options.seconds)], env={**os.environ, **extra}, check=True, capture_output=True, text=True)
                r = json.loads(out.stdout.splitlines()[-1])
                print(f"{label:8s} {threads:7d} {size:6.1f} {r['faults'] / r['pages']:11.3f} {r['call_s'] * 1e6:9.1f} "
                      f"{r['into_ready_s'] * 1e6:9.1f} {r['free_s'] * 1e6:8.1f} "
                      f"{(r['call_s'] - r['into_ready_s']) / r['pages'] * 1e6:13.3f} {r['free_s'] / r['pages'] * 1e6:12.4f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
