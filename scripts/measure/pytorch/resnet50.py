#!/usr/bin/env python3
"""A ResNet-50 of torch.nn, for two questions. `inter`: does the number of inter-op threads change the latency of an
eager run (it must not: nothing is forked)? `faults BATCH...`: page faults of one inference per image with malloc as it is, eager,
frozen, and optimized for inference. `layers BATCH`: a BERT-like encoder layer the same way."""
import resource
import subprocess
import sys
import time

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, wide_in, narrow, stride):
        super().__init__()
        wide = 4 * narrow
        self.body = nn.Sequential(
            nn.Conv2d(wide_in, narrow, 1, bias=False), nn.BatchNorm2d(narrow), nn.ReLU(inplace=True),
            nn.Conv2d(narrow, narrow, 3, stride, 1, bias=False), nn.BatchNorm2d(narrow), nn.ReLU(inplace=True),
            nn.Conv2d(narrow, wide, 1, bias=False), nn.BatchNorm2d(wide))
        self.skip = nn.Identity()
        if stride != 1 or wide_in != wide:
            self.skip = nn.Sequential(nn.Conv2d(wide_in, wide, 1, stride, bias=False), nn.BatchNorm2d(wide))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.body(x)
        y += self.skip(x)
        return self.relu(y)


def resnet50():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for blocks, narrow, stride in ((3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)):
        for i in range(blocks):
            layers.append(Block(channels, narrow, stride if i == 0 else 1))
            channels = 4 * narrow
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000)).eval()


def latencies(call, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return sorted(times)


def forms(x):
    """Each traced anew: a module that has run keeps the plan it ran with."""
    model = resnet50()
    yield "eager", model
    yield "frozen", torch.jit.freeze(torch.jit.trace(model, x))
    yield "optimized", torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(model, x)))


def counted(model, x):
    """Page faults and seconds of one call, warm."""
    for _ in range(3):
        model(x)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, time.perf_counter()
    model(x)
    spent = time.perf_counter() - start
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before, spent


def faults(batches):
    torch.set_num_threads(2)
    for batch in batches:
        x = torch.rand(batch, 3, 224, 224)
        for name, model in forms(x):
            pages, spent = counted(model, x)
            print(f"resnet50 {name:10s} batch {batch:4d}: {pages / batch:8.0f} faults per image, {spent / batch * 1e3:7.2f} ms per image",
                  flush=True)


def layers(batches, tokens=17, depth=2):
    """Per layer: an encoder layer of BERT-base."""
    torch.set_num_threads(2)

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v, self.o = (nn.Linear(768, 768) for _ in range(4))
            self.up, self.down = nn.Linear(768, 3072), nn.Linear(3072, 768)
            self.n1, self.n2 = nn.LayerNorm(768), nn.LayerNorm(768)

        def forward(self, x):
            b, s, _ = x.shape
            q, k, v = (f(x).view(b, s, 12, 64).transpose(1, 2) for f in (self.q, self.k, self.v))
            p = torch.softmax(q @ k.transpose(-1, -2) / 8.0, -1)
            y = (p @ v).transpose(1, 2).reshape(b, s, 768)
            x = self.n1(self.o(y) + x)
            return self.n2(self.down(nn.functional.gelu(self.up(x))) + x)
    model = nn.Sequential(*[Layer() for _ in range(depth)]).eval()
    for batch in batches:
        x = torch.rand(batch, tokens, 768)
        pages, spent = counted(model, x)
        print(f"bert layer batch {batch:4d}: {pages / batch / depth:8.1f} faults per image and layer, "
              f"{spent / batch / depth * 1e3:7.3f} ms", flush=True)


def main(argv):
    with torch.no_grad():
        if argv[0] == "faults":
            faults([int(a) for a in argv[1:]])
        elif argv[0] == "layers":
            layers([int(a) for a in argv[1:]])
        elif len(argv) == 1:
            for repeat in range(2):
                for threads in ("1", "2", "8"):
                    subprocess.run([sys.executable, __file__, "inter", threads], check=True)
        else:
            torch.set_num_interop_threads(int(argv[1]))
            torch.set_num_threads(2)
            model, x = resnet50(), torch.rand(1, 3, 224, 224)
            latencies(lambda: model(x), 5)
            times = latencies(lambda: model(x), 40)
            print(f"inter-op threads {argv[1]}: least {times[0] * 1e3:.2f}, median {times[20] * 1e3:.2f} ms", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
