"""Single PyTorch operators: for each the kernel class (or operator type unlike its class) it tells of, its record of work as
kernel_priors/work_records.py counts it, and a function that builds the call. Shapes are generic ones."""
import pathlib
import sys
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "kernel_priors"))
import work_records as work  # noqa: E402


@dataclass
class Case:
    name: str
    group: str
    record: dict
    build: Callable  # () -> callable of no arguments
    chain: Callable = None  # (links) -> (module, input): for TorchScript


CASES = []


def add(name, group, record, build, chain=None):
    CASES.append(Case(name, group, record, build, chain))


def conv(group, c_in, c_out, size, window, groups=1, stride=1, images=1):
    def layer():
        return nn.Conv2d(c_in, c_out, window, stride, tuple(w // 2 for w in window), groups=groups).eval()

    def build():
        x, module = torch.rand(images, c_in, size, size), layer()
        return lambda: module(x)

    def chain(links):
        return nn.Sequential(*[layer() for _ in range(links)]).eval(), torch.rand(images, c_in, size, size)
    # Every link of a chain reads the result of the one before, so only convolutions that keep the shape can be chained.
    same = c_in == c_out and stride == 1
    add(f"{group}_{c_in}to{c_out}_{size}_{window[0]}x{window[1]}_s{stride}_g{groups}_b{images}", group,
        work.conv(c_in, c_out, size, window, groups, stride, images), build, chain if same else None)


for channels, size in ((96, 48), (160, 24), (192, 12), (320, 6), (48, 64), (32, 80), (224, 10), (384, 5), (448, 6)):
    conv("conv", channels, channels, size, (3, 3))
for channels, size, window in ((96, 24, (5, 5)), (128, 20, (1, 5)), (128, 20, (5, 1)), (32, 40, (7, 7))):
    conv("conv", channels, channels, size, window)
conv("conv", 128, 128, 24, (3, 3), groups=4)
conv("conv", 160, 160, 24, (3, 3), images=4)
for c_in, c_out, size, window in ((3, 48, 160, 7), (3, 64, 128, 7), (96, 160, 48, 3), (64, 64, 40, 3)):
    conv("conv", c_in, c_out, size, (window, window), stride=2)
for wide, narrow, size in ((384, 96, 24), (256, 48, 40), (480, 160, 12), (768, 384, 10), (1280, 320, 6), (640, 80, 9)):
    conv("conv_1x1", narrow, wide, size, (1, 1))
    conv("conv_1x1", wide, narrow, size, (1, 1))
conv("conv_1x1", 128, 128, 32, (1, 1))
conv("conv_1x1", 512, 512, 12, (1, 1), images=4)
for channels, size, window in ((96, 48, 3), (192, 24, 3), (384, 12, 3), (768, 6, 3), (32, 96, 3), (96, 24, 5), (64, 96, 3)):
    conv("conv_depthwise", channels, channels, size, (window, window), groups=channels)


def transposed(channels, size, window, stride):
    def build():
        x, module = torch.rand(1, channels, size, size), nn.ConvTranspose2d(channels, channels, window, stride, (window - stride) // 2)
        return lambda: module(x)
    out = size * stride
    add(f"conv_transposed_{channels}_{size}_{window}_s{stride}", "conv_transposed",
        work.record(2 * size * size * channels * channels * window * window, channels * size * size * 4, channels * out * out * 4,
                    channels * channels * window * window * 4, (1, size * size, channels * window * window, channels)), build)


for channels, size, window, stride in ((96, 24, 3, 1), (64, 40, 2, 2), (128, 12, 4, 2)):
    transposed(channels, size, window, stride)


def linear(m, n, k):
    def build():
        x, module = torch.rand(m, k), nn.Linear(k, n)
        return lambda: module(x)
    add(f"gemm_linear_{m}_{n}_{k}", "gemm", work.product(m, n, k), build)


for m in (1, 4, 16, 64, 192, 448):
    linear(m, 640, 160)
    linear(m, 320, 1280)
for m, n, k in ((96, 96, 96), (24, 48, 48), (1024, 1024, 1024), (1, 2048, 5120), (8, 2048, 5120)):
    linear(m, n, k)


def heads(count, m, n, k):
    def build():
        a, b = torch.rand(count, m, k), torch.rand(count, k, n)
        return lambda: torch.bmm(a, b)
    add(f"bmm_{count}_{m}_{n}_{k}", "bmm", work.product(m, n, k, count, False), build)


for count, m, n, k in ((10, 160, 160, 48), (10, 160, 48, 160), (10, 96, 96, 80), (6, 320, 320, 64), (6, 320, 64, 320)):
    heads(count, m, n, k)


# Element-wise operators whose time is arithmetic, each unlike the others, by the ONNX type that stands for them.
OWN_ARITHMETIC = {"sigmoid": "Sigmoid", "silu": "Sigmoid", "tanh": "Tanh", "exp": "Exp", "gelu": "Erf"}


def same_shape(name, group, count, flop, call, inputs=1, shape=None):
    def build():
        tensors = [torch.rand(shape or (count // 256, 256)) for _ in range(inputs)]
        return lambda: call(*tensors)
    add(f"{group}_{name}_{count}", OWN_ARITHMETIC.get(name, group), work.elements(count, flop, inputs), build)


SMALL, MIDDLE, LARGE, HUGE = 1 << 12, 1 << 16, 1 << 20, 1 << 24
for count in (SMALL, MIDDLE, LARGE, HUGE):
    same_shape("add", "elementwise", count, 1, torch.add, 2)
    same_shape("mul", "elementwise", count, 1, torch.mul, 2)
    same_shape("relu", "elementwise", count, 1, F.relu)
    same_shape("sigmoid", "elementwise", count, 15, torch.sigmoid)
for count in (MIDDLE, LARGE):
    same_shape("gelu", "elementwise", count, 20, F.gelu)
    same_shape("tanh", "elementwise", count, 15, torch.tanh)
    same_shape("exp", "elementwise", count, 10, torch.exp)
    same_shape("div", "elementwise", count, 4, torch.div, 2)
    same_shape("hardtanh", "elementwise", count, 2, F.relu6)
    same_shape("silu", "elementwise", count, 16, F.silu)
for channels, size in ((96, 48), (160, 24), (320, 12), (64, 112)):
    scale = torch.ones(channels)
    same_shape(f"batch_{channels}", "normalization", channels * size * size, 2,
               lambda x, s=scale: F.batch_norm(x, s, s, s, s), shape=(1, channels, size, size))
for rows, columns in ((96, 640), (48, 1280), (512, 320), (1024, 1024)):
    scale = torch.ones(columns)
    same_shape(f"layer_{rows}", "LayerNormalization", rows * columns, 8,
               lambda x, s=scale, c=columns: F.layer_norm(x, (c,), s, s), shape=(rows, columns))
for rows, columns in ((1152, 96), (768, 160), (96, 640), (1, 4000), (2048, 512)):
    same_shape(f"{rows}", "softmax", rows * columns, 14, lambda x: F.softmax(x, -1), shape=(rows, columns))


def pool(kind, channels, size, window, stride, call, per_output=0):
    padding = window // 2 if stride == 1 or window == 3 else 0

    def build():
        x = torch.rand(1, channels, size, size)
        return lambda: call(x, window, stride, padding)
    out = (size + 2 * padding - window) // stride + 1
    group = "pool" if kind == "max" else "AveragePool"
    add(f"pool_{kind}_{channels}_{size}_{window}_s{stride}", group, work.pool(channels, size, out, window, per_output), build)


for channels, size, window, stride in ((96, 48, 3, 1), (192, 24, 3, 1), (64, 40, 5, 1), (96, 48, 2, 2), (64, 80, 3, 2)):
    pool("max", channels, size, window, stride, F.max_pool2d)
    pool("avg", channels, size, window, stride, F.avg_pool2d, 4)


def moved(name, group, count, build):
    add(f"{group}_{name}", group, work.moved(count), build)


def of(shape, call):
    def build():
        x = torch.rand(shape)
        return lambda: call(x)
    return build


for channels, size in ((320, 12), (768, 6), (2048, 7)):
    add(f"GlobalAveragePool_{channels}_{size}", "GlobalAveragePool",
        work.record(channels * (size * size + 1), channels * size * size * 4, channels * 4),
        of((1, channels, size, size), lambda x: F.adaptive_avg_pool2d(x, 1)))
for name, shape, axis in (("rows_192x640", (192, 640), 1), ("rows_1024x1024", (1024, 1024), 1), ("columns_192x640", (192, 640), 0),
                          ("columns_1024x1024", (1024, 1024), 0)):
    count = shape[0] * shape[1]
    add(f"reduce_{name}", "reduce", work.record(count, count * 4, count // shape[axis] * 4), of(shape, lambda x, a=axis: x.mean(a)))
moved("heads_160x10x48", "transpose", 160 * 480, of((1, 160, 10, 48), lambda x: x.transpose(1, 2).contiguous()))
moved("heads_320x12x64", "transpose", 320 * 768, of((1, 320, 12, 64), lambda x: x.transpose(1, 2).contiguous()))
moved("plane_384x640", "transpose", 384 * 640, of((384, 640), lambda x: x.t().contiguous()))
moved("plane_1024x1536", "transpose", 1024 * 1536, of((1024, 1536), lambda x: x.t().contiguous()))
moved("channels_last_96x48", "transpose", 96 * 48 * 48, of((1, 96, 48, 48), lambda x: x.permute(0, 2, 3, 1).contiguous()))
moved("pad_96x40", "transpose", 96 * 40 * 40, of((1, 96, 40, 40), lambda x: F.pad(x, (1, 1, 1, 1))))
for channels, size in ((32, 48), (96, 24), (64, 48)):
    moved(f"{channels}_{size}", "Concat", 4 * channels * size * size,
          of((1, channels, size, size), lambda x: torch.cat([x, x.view_as(x), x, x], 1)))


def embedding(table, columns, looked_up):
    def build():
        weights = torch.rand(table, columns)
        index = torch.arange(looked_up) * ((table // looked_up) * 7 // 8) % (table - 1)
        return lambda: F.embedding(index, weights)
    moved(f"{table}_{columns}_{looked_up}", "gather", looked_up * columns, build)


for table, columns, looked_up in ((30000, 320, 192), (200000, 64, 2048), (4000, 96, 512)):
    embedding(table, columns, looked_up)


def lstm(steps, batch, width):
    def build():
        x, module = torch.rand(steps, batch, width), nn.LSTM(width, width).eval()
        return lambda: module(x)
    add(f"recurrent_lstm_{steps}_{batch}_{width}", "recurrent", work.recurrent(steps, batch, 4, width, width, 79), build)


for steps, batch, width in ((40, 1, 96), (24, 1, 320), (24, 4, 320), (12, 32, 320), (12, 1, 640)):
    lstm(steps, batch, width)

NOTHING = work.record(0, 0, 0)


def tiny(name, shape, make, chained=True):
    """make() gives a module; its time is what an operator costs that has nothing to do."""
    def build():
        x, module = torch.rand(shape), make()
        return lambda: module(x)

    def chain(links):
        return nn.Sequential(*[make() for _ in range(links)]).eval(), torch.rand(shape)
    add(f"tiny_{name}", "costs", NOTHING, build, chain if chained else None)


class Apply(nn.Module):
    def forward(self, x):
        return x + x


add("tiny_add", "costs", NOTHING, of((1, 8), lambda x: x + x), lambda n: (nn.Sequential(*[Apply() for _ in range(n)]), torch.rand(1, 8)))
add("tiny_relu", "costs", NOTHING, of((1, 8), torch.relu))
tiny("sigmoid_module", (1, 8), nn.Sigmoid)
add("tiny_view", "costs", NOTHING, of((1, 8), lambda x: x.view(8)))
add("tiny_transpose", "costs", NOTHING, of((2, 4), lambda x: x.transpose(0, 1)))
tiny("linear", (1, 8), lambda: nn.Linear(8, 8).eval())
add("tiny_matmul", "costs", NOTHING, (lambda: (lambda a, b: lambda: a @ b)(torch.rand(1, 8), torch.rand(8, 8))))
tiny("conv_1x1", (1, 32, 4, 4), lambda: nn.Conv2d(32, 32, 1).eval())
tiny("conv_3x3", (1, 16, 4, 4), lambda: nn.Conv2d(16, 16, 3, padding=1).eval())
# Two images: PyTorch takes oneDNN for a convolution of one image only with more than 20,480 elements, groups or a large window.
tiny("conv_onednn_1x1", (2, 32, 4, 4), lambda: nn.Conv2d(32, 32, 1).eval())
tiny("conv_onednn_3x3", (2, 16, 4, 4), lambda: nn.Conv2d(16, 16, 3, padding=1).eval())
tiny("conv_onednn_depthwise", (1, 16, 4, 4), lambda: nn.Conv2d(16, 16, 3, padding=1, groups=16).eval())
tiny("max_pool", (1, 8, 4, 4), lambda: nn.MaxPool2d(3, 1, 1))
tiny("batch_norm", (1, 8, 4, 4), lambda: nn.BatchNorm2d(8).eval(), chained=False)
tiny("layer_norm", (1, 8), lambda: nn.LayerNorm(8).eval())
tiny("softmax", (1, 8), lambda: nn.Softmax(-1))
add("tiny_cat", "costs", NOTHING, of((1, 8), lambda x: torch.cat([x, x], 1)))
