#!/usr/bin/env python3
"""How many threads an operator gets of 16. GNU OpenMP creates the threads of a team when it first needs them, so a fresh
process that calls one operator tells the size of its team by how many threads it has gained: no clock, no quiet machine."""
import os
import sys

import torch
import torch.nn.functional as F

THREADS = 16
COUNTS = [1 << 10, 1 << 14, 32767, 32768, 32769, 65536, 65537, 4 * 32768, 1 << 18, 1 << 19, 1 << 20]


def rows(n, columns=256):
    return torch.rand(max(1, n // columns), columns)


def elements(kind):
    return lambda n: (lambda x: lambda: kind(x))(torch.rand(n))


def conv(channels, size, window, groups=1, images=1):
    x, w = torch.rand(images, channels, size, size), torch.rand(channels, channels // groups, window, window)
    return lambda: F.conv2d(x, w, padding=window // 2, groups=groups)


BY_COUNT = {
    "add": elements(lambda x: x + x), "relu": elements(F.relu), "gelu": elements(F.gelu), "sigmoid": elements(torch.sigmoid),
    "add a row": lambda n: (lambda x, y: lambda: x + y)(rows(n), torch.rand(256)),
    "sum": elements(torch.sum), "mean of rows": lambda n: (lambda x: lambda: x.mean(1))(rows(n)),
    "softmax": lambda n: (lambda x: lambda: F.softmax(x, 1))(rows(n)),
    "layer_norm": lambda n: (lambda x: lambda: F.layer_norm(x, (256,)))(rows(n)),
    "batch_norm": lambda n: (lambda x, c: lambda: F.batch_norm(x, c, c))(rows(n, 64).reshape(1, 16, -1), torch.ones(16)),
    "cat of rows": lambda n: (lambda x: lambda: torch.cat([x, x], 0))(rows(n // 2)),
    "cat of columns": lambda n: (lambda x: lambda: torch.cat([x, x], 1))(rows(n // 2)),
    "transpose, copy": lambda n: (lambda x: lambda: x.t().contiguous())(rows(n)),
    "embedding": lambda n: (lambda x, i: lambda: F.embedding(i, x))(torch.rand(1000, 256), torch.arange(max(1, n // 256)) % 1000),
    "max_pool2d": lambda n: (lambda x: lambda: F.max_pool2d(x, 2))(torch.rand(1, max(1, n // 256), 32, 32)),
    "adaptive_avg_pool2d": lambda n: (lambda x: lambda: F.adaptive_avg_pool2d(x, 1))(torch.rand(1, max(1, n // 256), 16, 16)),
}
CONVOLUTIONS = [(16, 4, 1), (16, 4, 3), (32, 4, 1), (64, 4, 1), (64, 7, 1), (64, 7, 3), (64, 14, 3), (256, 7, 1), (512, 7, 3), (64, 56, 3)]


def threads_of(call):
    """Team size of the operator that call() makes and runs, in a child of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        before = len(os.listdir("/proc/self/task"))
        call()
        os.write(writer, b"%d" % (len(os.listdir("/proc/self/task")) - before + 1))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as result:
        text = result.read()
    os.waitpid(child, 0)
    return int(text) if text else 0


def prepared(build, *arguments):
    """The inputs are made with one thread, so that only the operator grows the team."""
    def call():
        torch.set_num_threads(1)
        operator = build(*arguments)
        torch.set_num_threads(THREADS)
        with torch.no_grad():
            baseline()
            operator()
    return call


def baseline():
    torch.zeros(1)


def main():
    idle = threads_of(prepared(lambda: baseline))  # pools that set_num_threads starts
    print(f"{'operator':22s}" + "".join(f"{n:>8d}" for n in COUNTS) + "   elements of the output, or of the input of a reduction")
    for name, build in BY_COUNT.items():
        print(f"{name:22s}" + "".join(f"{threads_of(prepared(build, n)) - idle + 1:8d}" for n in COUNTS), flush=True)
    for channels, size, window in CONVOLUTIONS:
        line = f"conv2d {channels:4d} {size:3d} {window}x{window}"
        for groups in (1, channels):
            line += f"  groups {groups}: {threads_of(prepared(conv, channels, size, window, groups)) - idle + 1}"
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
