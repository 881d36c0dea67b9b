"""The cases: for each a kernel class (or an operator type with a kernel unlike its class), the operators of one link, how
many links the short and the long model have, and how a link is built. Shapes are generic ones, on purpose none of a
network whose forecast is ever compared with a measurement."""
from dataclasses import dataclass, field
from typing import Callable

from onnx import TensorProto

import work_records as work


@dataclass
class Case:
    name: str
    group: str                  # kernel class, or operator type
    link: list                  # records of work_records
    shape: list                 # of the model's input
    body: Callable              # (builder, index of the link, current tensor) -> current tensor
    links: tuple = (2, 10)      # in the short and in the long model
    shared: bool = True         # the links share their weights, which so stay in cache
    fan: bool = False
    kind: int = TensorProto.FLOAT
    weights: float = field(default=0.0)  # bytes of weights that come round in one run of the long model


CASES = []


def add(case):
    own = sum(r["weights"] for r in case.link)
    case.weights = own if case.shared else own * case.links[1]
    CASES.append(case)


def conv_node(b, cur, to, name, c_in, c_out, window, *, groups=1, stride=1, value=None, bias=True):
    height, width = window
    weights = b.full(f"w_{name}", [c_out, c_in // groups, height, width], value or groups / (c_in * height * width))
    inputs = [cur, weights] + ([b.full(f"b_{c_out}", [c_out], 0.05)] if bias else [])
    return b.node("Conv", inputs, to, pads=[height // 2, width // 2, height // 2, width // 2],
                  strides=[stride, stride], group=groups)


def same_conv(kernel, channels, size, window, *, groups=1, links=(2, 10), shared=True, images=1):
    def body(b, i, cur):
        name = "all" if shared else f"{i}"
        fill = groups / (channels * window[0] * window[1]) * (1 + i * 1e-3 * (not shared))
        return conv_node(b, cur, f"c{i}", name, channels, channels, window, groups=groups, value=fill)
    tail = ("" if shared else "_apart") + (f"_g{groups}" if 1 < groups < channels else "") + (f"_b{images}" if images > 1 else "")
    add(Case(f"{kernel}_{channels}_{size}_{window[0]}x{window[1]}{tail}", kernel,
             [work.conv(channels, channels, size, window, groups, images=images)], [images, channels, size, size], body, links,
             shared))


def pointwise_pair(wide, narrow, size, *, links=(1, 6), shared=True):
    """Narrow to wide and back: two operators a link."""
    def body(b, i, cur):
        name = "" if shared else f"_{i}"
        step = 1 + i * 1e-3 * (not shared)
        up = conv_node(b, cur, f"u{i}", f"up{name}", narrow, wide, (1, 1), value=step / narrow)
        return conv_node(b, up, f"c{i}", f"down{name}", wide, narrow, (1, 1), value=step / wide)
    add(Case(f"conv_1x1_{narrow}_{wide}_{size}{'' if shared else '_apart'}", "conv_1x1",
             [work.conv(narrow, wide, size, (1, 1)), work.conv(wide, narrow, size, (1, 1))], [1, narrow, size, size], body, links,
             shared))


def strided_conv(c_in, c_out, size, window, stride, links=(1, 5)):
    """All links read the model's input; their weights differ, or the runtime would merge them."""
    def body(b, i, cur):
        fill = 1 / (c_in * window * window) * (1 + i * 1e-3)
        return conv_node(b, cur, f"c{i}", f"{i}", c_in, c_out, (window, window), stride=stride, value=fill)
    add(Case(f"conv_{c_in}to{c_out}_{size}_{window}x{window}_s{stride}", "conv",
             [work.conv(c_in, c_out, size, (window, window), stride=stride)], [1, c_in, size, size], body, links, False, True))


for channels, size in ((96, 48), (160, 24), (192, 12), (320, 6), (48, 64), (32, 80), (224, 10), (384, 5)):
    same_conv("conv", channels, size, (3, 3), links=(1, 5) if size > 40 else (2, 10))
for channels, size in ((320, 6), (448, 6)):
    same_conv("conv", channels, size, (3, 3), shared=False, links=(2, 12))
for channels, size, window in ((96, 24, (5, 5)), (128, 20, (1, 5)), (128, 20, (5, 1)), (32, 40, (7, 7))):
    same_conv("conv", channels, size, window)
same_conv("conv", 128, 24, (3, 3), groups=4)
same_conv("conv", 160, 24, (3, 3), images=4, links=(1, 4))
strided_conv(3, 48, 160, 5, 2)
strided_conv(96, 160, 48, 3, 2)
strided_conv(64, 64, 40, 3, 2)
for wide, narrow, size in ((384, 96, 24), (128, 128, 32), (256, 48, 40), (480, 160, 12), (768, 384, 10), (1280, 320, 6),
                           (96, 32, 96), (640, 80, 9)):
    pointwise_pair(wide, narrow, size)
pointwise_pair(1280, 320, 6, shared=False)
pointwise_pair(1536, 768, 5, shared=False)
for channels, size, window in ((96, 48, 3), (192, 24, 3), (384, 12, 3), (768, 6, 3), (32, 96, 3), (96, 24, 5), (64, 96, 3)):
    same_conv("conv_depthwise", channels, size, (window, window), groups=channels)


def transposed_conv(channels, size, window, stride, links):
    def body(b, i, cur):
        fill = 1 / (channels * window * window) * (1 + i * 1e-3)
        weights = b.full(f"w{i}", [channels, channels, window, window], fill)
        return b.node("ConvTranspose", [cur, weights], f"c{i}", strides=[stride, stride],
                      pads=[(window - stride) // 2] * 4)
    out = size * stride
    record = work.record(2 * size * size * channels * channels * window * window, channels * size * size * 4,
                         channels * out * out * 4, channels * channels * window * window * 4,
                         (1, size * size, channels * window * window, channels))
    add(Case(f"conv_transposed_{channels}_{size}_{window}x{window}_s{stride}", "conv_transposed", [record],
             [1, channels, size, size], body, links, False, True))


transposed_conv(96, 24, 3, 1, (1, 5))
transposed_conv(64, 40, 2, 2, (1, 5))
transposed_conv(128, 12, 4, 2, (1, 5))


def pool_name(kind, channels, size, window, stride):
    return f"pool_{kind}_{channels}_{size}_{window}x{window}_s{stride}"


def chained_pool(kind, channels, size, window):
    def body(b, i, cur):
        return b.node(kind, [cur], f"p{i}", kernel_shape=[window, window], pads=[window // 2] * 4)
    record = work.pool(channels, size, size, window, 4 if kind == "AveragePool" else 0)
    add(Case(pool_name(kind, channels, size, window, 1), "pool", [record], [1, channels, size, size], body))


def strided_pool(kind, channels, size, window, stride):
    """All links read the result of one convolution, in the blocked layout as within a network. The runtime would merge equal
    operators, so they differ: in padding that does not change the size of the result, or in saying what is the default."""
    def body(b, i, cur):
        if "convolved" not in b.known:
            b.known.add("convolved")
            conv_node(b, cur, "convolved", "first", 16, channels, (1, 1))
        if kind == "MaxPool":
            above, left = divmod(i, 3)
            extra = {"pads": [above == 1, left == 1, above == 2, left == 2]}
        else:
            defaults = [("ceil_mode", 0), ("auto_pad", "NOTSET"), ("pads", [0] * 4)]
            extra = {name: value for bit, (name, value) in enumerate(defaults) if i >> bit & 1}
        return b.node(kind, ["convolved"], f"p{i}", kernel_shape=[window, window], strides=[stride, stride], **extra)
    out = (size - window) // stride + 1
    record = work.pool(channels, size, out, window, 4 if kind == "AveragePool" else 0)
    add(Case(pool_name(kind, channels, size, window, stride), "pool", [record], [1, 16, size, size], body, (1, 7), fan=True))


for kind in ("MaxPool", "AveragePool"):
    for channels, size, window in ((96, 48, 3), (192, 24, 3), (384, 12, 3), (64, 40, 5)):
        chained_pool(kind, channels, size, window)


def separate_inputs(name, group, records, shape, build, links=(1, 7), kind=TensorProto.FLOAT):
    """A fan whose links read inputs of their own: equal operators on the same input would be merged."""
    add(Case(name, group, records, [1, 16], lambda b, i, cur: build(b, i, b.input(f"x{i}", shape, kind)), links, fan=True))


def chain_elements(kind, count, links=(2, 10), **attributes):
    def body(b, i, cur):
        return b.node(kind, [cur], f"e{i}", **attributes)
    add(Case(f"elementwise_{kind}_{count}", "elementwise", [work.elements(count, work.FLOP[kind])], [1, count // 256, 256],
             body, links))


def chain_binary(kind, count, links=(2, 10)):
    """With a second tensor of the same size, another input."""
    def body(b, i, cur):
        other = b.input("other", [1, count // 256, 256])
        return b.node(kind, [cur, other], f"e{i}")
    add(Case(f"elementwise_{kind}_{count}", "elementwise", [work.elements(count, work.FLOP[kind], 2)],
             [1, count // 256, 256], body, links))


SMALL, MIDDLE, LARGE, HUGE = 1 << 12, 1 << 16, 1 << 20, 1 << 24  # 16 KiB, 256 KiB, 4 MiB, 64 MiB
for count in (SMALL, MIDDLE, LARGE, HUGE):
    few = (1, 3) if count == HUGE else (2, 10)
    for kind in ("Add", "Mul"):
        chain_binary(kind, count, few)
    chain_elements("Relu", count, few)
    chain_elements("Sigmoid", count, few)
for count in (MIDDLE, LARGE):
    chain_elements("Tanh", count)
    chain_elements("Erf", count)
    chain_elements("LeakyRelu", count, alpha=0.1)
    separate_inputs(f"elementwise_Exp_{count}", "elementwise", [work.elements(count, 10)], [1, count // 256, 256],
                    lambda b, i, x: b.node("Exp", [x], f"e{i}"))
    separate_inputs(f"elementwise_Sqrt_{count}", "elementwise", [work.elements(count, 1), work.elements(count, 4)],
                    [1, count // 256, 256], lambda b, i, x: b.node("Sqrt", [b.node("Abs", [x], f"a{i}")], f"e{i}"))
    chain_binary("Div", count)


def broadcast_add(rows, columns):
    def body(b, i, cur):
        return b.node("Add", [cur, b.input("row", [columns])], f"e{i}")
    record = work.record(rows * columns, (rows * columns + columns) * 4, rows * columns * 4)
    add(Case(f"elementwise_AddRow_{rows}_{columns}", "elementwise", [record], [rows, columns], body))


broadcast_add(192, 640)
broadcast_add(1024, 1024)


def channel_normalization(kind, channels, size):
    def body(b, i, cur):
        tensors = [b.input(f"n{j}", [channels]) for j in range(4 if kind == "BatchNormalization" else 2)]
        # Variances are taken as squares: the inputs are normal random numbers, and a root of a negative is no number.
        if kind == "BatchNormalization" and "squared" not in b.known:
            b.known.add("squared")
            b.node("Mul", [tensors[3], tensors[3]], "squared")
        return b.node(kind, [cur] + (tensors[:3] + ["squared"] if len(tensors) == 4 else tensors), f"n_{i}")
    count = channels * size * size
    record = work.elements(count, work.FLOP[kind])
    add(Case(f"normalization_{kind}_{channels}_{size}", "normalization", [record], [1, channels, size, size], body))


for channels, size in ((96, 48), (160, 24), (320, 12)):
    channel_normalization("BatchNormalization", channels, size)
    channel_normalization("InstanceNormalization", channels, size)


def layer_normalization(rows, columns):
    def body(b, i, cur):
        scale, shift = b.full("scale", [columns], 1.01), b.full("shift", [columns], 0.02)
        return b.node("LayerNormalization", [cur, scale, shift], f"n{i}", axis=-1)
    record = work.elements(rows * columns, 8)
    add(Case(f"normalization_LayerNormalization_{rows}_{columns}", "LayerNormalization", [record], [rows, columns], body))


for rows, columns in ((96, 640), (48, 1280), (512, 320), (1024, 1024)):
    layer_normalization(rows, columns)


def skip_layer_normalization(rows, columns):
    """The runtime makes one operator of the two where the tensor has three dimensions."""
    def body(b, i, cur):
        scale, shift = b.full("scale", [columns], 1.01), b.full("shift", [columns], 0.02)
        added = b.node("Add", [cur, b.input("other", [1, rows, columns])], f"a{i}")
        return b.node("LayerNormalization", [added, scale, shift], f"n{i}", axis=-1)
    record = work.elements(rows * columns, 1 + 8, 2)
    add(Case(f"normalization_SkipLayerNormalization_{rows}_{columns}", "Add+LayerNormalization", [record],
             [1, rows, columns], body))


for rows, columns in ((96, 640), (48, 1280), (512, 320), (1024, 1024)):
    skip_layer_normalization(rows, columns)


def local_response(channels, size, links=(1, 3)):
    def body(b, i, cur):
        return b.node("LRN", [cur], f"n{i}", size=5, alpha=1e-4, beta=0.75, bias=1.0)
    add(Case(f"LRN_{channels}_{size}", "LRN", [work.elements(channels * size * size, 33)], [1, channels, size, size], body,
             links))


for channels, size in ((48, 40), (128, 24), (160, 12)):
    local_response(channels, size)


def softmax(rows, columns):
    def body(b, i, cur):
        return b.node("Softmax", [cur], f"s{i}", axis=-1)
    add(Case(f"softmax_{rows}_{columns}", "softmax", [work.elements(rows * columns, 14)], [rows, columns], body))


for rows, columns in ((1152, 96), (768, 160), (96, 640), (1, 4000), (2048, 512)):
    softmax(rows, columns)


def gather(rows_in_table, columns, looked_up, links=(1, 7)):
    """Scattered rows: the input's 0 and 1 are spread over the table by constants."""
    def body(b, i, cur):
        step, offset = (rows_in_table // looked_up) * 7 // 8, i * 13
        scattered = [(j * step + offset) % (rows_in_table - 1) for j in range(looked_up)]
        index = b.node("Add", [b.input("index", [looked_up], TensorProto.INT64), b.whole(f"at{i}", scattered)], f"i{i}")
        return b.node("Gather", [b.full("table", [rows_in_table, columns], 0.5), index], f"g{i}", axis=0)
    add(Case(f"gather_{rows_in_table}_{columns}_{looked_up}", "gather", [work.moved(looked_up * columns)], [1, 16], body, links,
             fan=True))


gather(30000, 320, 192)
gather(200000, 64, 2048)
gather(4000, 96, 512)


def inputs_moved(kind, name, shape, build):
    count = 1
    for size in shape:
        count *= size
    separate_inputs(f"transpose_{kind}_{name}", "transpose", [work.moved(count)], shape, build)


inputs_moved("heads", "160x10x48", [1, 160, 10, 48], lambda b, i, x: b.node("Transpose", [x], f"t{i}", perm=[0, 2, 1, 3]))
inputs_moved("heads", "320x12x64", [1, 320, 12, 64], lambda b, i, x: b.node("Transpose", [x], f"t{i}", perm=[0, 2, 1, 3]))
inputs_moved("plane", "384x640", [384, 640], lambda b, i, x: b.node("Transpose", [x], f"t{i}", perm=[1, 0]))
inputs_moved("plane", "1024x1536", [1024, 1536], lambda b, i, x: b.node("Transpose", [x], f"t{i}", perm=[1, 0]))
inputs_moved("channels_last", "96x48", [1, 96, 48, 48], lambda b, i, x: b.node("Transpose", [x], f"t{i}", perm=[0, 2, 3, 1]))
inputs_moved("channels_first", "48x96", [1, 48, 48, 96], lambda b, i, x: b.node("Transpose", [x], f"t{i}", perm=[0, 3, 1, 2]))


def concat(channels, size, parts=4):
    def build(b, i, x):
        others = [b.input(f"y{j}", [1, channels, size, size]) for j in range(parts - 1)]
        return b.node("Concat", [x] + others, f"t{i}", axis=1)
    separate_inputs(f"transpose_concat_{channels}_{size}", "Concat", [work.moved(parts * channels * size * size)],
                    [1, channels, size, size], build)


concat(64, 24)
concat(96, 12)
concat(96, 48)


def sliced(channels, size):
    def build(b, i, x):
        bounds = [b.whole("from", [channels // 4]), b.whole("to", [3 * channels // 4]), b.whole("axis", [1])]
        return b.node("Slice", [x] + bounds, f"t{i}")
    record = work.moved(channels // 2 * size * size)
    separate_inputs(f"transpose_slice_{channels}_{size}", "Slice", [record], [1, channels, size, size], build)


sliced(128, 24)
sliced(192, 48)
inputs_moved("pad", "96x40", [1, 96, 40, 40], lambda b, i, x: b.node(
    "Pad", [x, b.whole("pads", [0, 0, 1, 1, 0, 0, 1, 1])], f"t{i}"))


def split(rows, columns):
    def build(b, i, x):
        return b.node("Split", [x, b.whole("sizes", [columns // 2, columns // 2])], [f"t{i}", f"v{i}"], axis=1)
    separate_inputs(f"transpose_split_{rows}_{columns}", "Split", [work.moved(rows * columns)], [rows, columns], build)


split(192, 1280)


def reduced(name, shape, axes, kept):
    count = 1
    for size in shape:
        count *= size
    record = work.record(count, count * 4, kept * 4)
    separate_inputs(f"reduce_{name}", "reduce", [record], shape,
                    lambda b, i, x: b.node("ReduceMean", [x], f"r{i}", axes=axes, keepdims=1))


reduced("rows_192x640", [192, 640], [1], 192)
reduced("rows_1024x1024", [1024, 1024], [1], 1024)
reduced("columns_192x640", [192, 640], [0], 640)
reduced("planes_320x12", [1, 320, 12, 12], [2, 3], 320)
separate_inputs("pool_GlobalAveragePool_320_12", "GlobalAveragePool", [work.record(320 * 144 + 320 * 4, 320 * 144 * 4, 320 * 4)],
                [1, 320, 12, 12], lambda b, i, x: b.node("GlobalAveragePool", [x], f"r{i}"))
for channels, size, window in ((96, 48, 2), (192, 24, 2), (64, 81, 3)):
    strided_pool("MaxPool", channels, size, window, 2)
for channels, size in ((320, 12), (768, 6)):  # over the whole plane
    strided_pool("AveragePool", channels, size, size, size)


def chained_product(m, wide, narrow, *, links=(1, 6), shared=True, bias=False):
    """[m, narrow] to [m, wide] and back; with a bias it is a Gemm as linear layers are."""
    def one(b, cur, to, name, k, n, step):
        weights = b.full(f"w{name}", [k, n], step / k)
        if bias:
            return b.node("Gemm", [cur, weights, b.full(f"bias{n}", [n], 0.05)], to)
        return b.node("MatMul", [cur, weights], to)

    def body(b, i, cur):
        name, step = ("", 1.0) if shared else (f"_{i}", 1 + i * 1e-3)
        up = one(b, cur, f"u{i}", f"up{name}", narrow, wide, step)
        return one(b, up, f"m{i}", f"down{name}", wide, narrow, step)
    add(Case(f"gemm_{m}_{narrow}_{wide}{'' if shared else '_apart'}{'_bias' if bias else ''}", "gemm",
             [work.product(m, wide, narrow), work.product(m, narrow, wide)], [m, narrow], body, links, shared))


for m in (1, 4, 16, 64, 192, 448):
    chained_product(m, 640, 160)
    chained_product(m, 1280, 320)
chained_product(96, 96, 96)
chained_product(24, 48, 48)
chained_product(1024, 1024, 1024, links=(1, 2))
chained_product(192, 640, 160, bias=True)
for m in (1, 4, 16, 64):  # weights from the last cache (36 MB) and from memory (240 MB)
    chained_product(m, 1920, 480, shared=False, links=(1, 5))
for m in (1, 8):
    chained_product(m, 5120, 2048, shared=False, links=(1, 3))


def attention(heads, rows, width, links=(1, 7)):
    def body(b, i, cur):
        keys = b.input("keys", [heads, width, rows])
        values = b.input("values", [heads, rows, width])
        return b.node("MatMul", [b.node("MatMul", [cur, keys], f"u{i}"), values], f"m{i}")
    add(Case(f"gemm_heads_{heads}_{rows}_{width}", "gemm",
             [work.product(rows, rows, width, heads, False), work.product(rows, width, rows, heads, False)],
             [heads, rows, width], body, links))


attention(10, 160, 48)
attention(10, 96, 80)
attention(6, 320, 64)


def recurrent_case(kind, steps, batch, width, gates, pointwise, links=(1, 4)):
    def body(b, i, cur):
        weights = b.full("w", [1, gates * width, width], 0.5 / width)
        states = b.full("r", [1, gates * width, width], 0.4 / width)
        y = b.node(kind, [cur, weights, states], f"y{i}", hidden_size=width)
        return b.node("Squeeze", [y, b.whole("direction", [1])], f"s{i}")
    add(Case(f"recurrent_{kind}_{steps}_{batch}_{width}", "recurrent",
             [work.recurrent(steps, batch, gates, width, width, pointwise)], [steps, batch, width], body, links))


for steps, batch, width in ((40, 1, 96), (24, 1, 320), (24, 4, 320), (12, 32, 320), (12, 1, 640)):
    recurrent_case("LSTM", steps, batch, width, 4, 79)
recurrent_case("GRU", 24, 1, 320, 3, 50)
recurrent_case("GRU", 24, 4, 320, 3, 50)


def quantized_product(m, wide, narrow):
    """Unsigned activations with signed weights: the pair that the 8-bit instructions of x86 multiply directly."""
    def one(b, cur, to, name, k, n):
        weights = b.full(f"w{name}", [k, n], 1, TensorProto.INT8)
        scale, zero = b.scalar("scale", 0.01), b.scalar("zero", 128, TensorProto.UINT8)
        weight_scale, weight_zero = b.scalar("weight_scale", 0.01), b.scalar("weight_zero", 0, TensorProto.INT8)
        return b.node("QLinearMatMul", [cur, scale, zero, weights, weight_scale, weight_zero, scale, zero], to)

    def body(b, i, cur):
        if i == 0:
            cur = b.node("QuantizeLinear", [cur, b.scalar("scale", 0.01), b.scalar("zero", 128, TensorProto.UINT8)], "q")
        return one(b, one(b, cur, f"u{i}", "up", narrow, wide), f"m{i}", "down", wide, narrow)
    add(Case(f"QLinearMatMul_u8_{m}_{narrow}_{wide}", "QLinearMatMul",
             [work.product(m, wide, narrow, element=1, written=1, peak="int8"),
              work.product(m, narrow, wide, element=1, written=1, peak="int8")], [m, narrow], body, (1, 6)))


for m in (1, 16, 192):
    quantized_product(m, 1280, 320)


def quantized_conv(channels, size, window):
    def body(b, i, cur):
        scale, zero = b.scalar("scale", 0.01), b.scalar("zero", 128, TensorProto.UINT8)
        if i == 0:
            cur = b.node("QuantizeLinear", [cur, scale, zero], "q")
        weights = b.full("w", [channels, channels, window, window], 1, TensorProto.INT8)
        return b.node("QLinearConv", [cur, scale, zero, weights, b.scalar("weight_scale", 0.01),
                                     b.scalar("weight_zero", 0, TensorProto.INT8), scale, zero], f"c{i}",
                      pads=[window // 2] * 4)
    add(Case(f"QLinearConv_u8_{channels}_{size}_{window}x{window}", "QLinearConv",
             [work.conv(channels, channels, size, (window, window), element=1, peak="int8")], [1, channels, size, size], body))


quantized_conv(96, 24, 3)
quantized_conv(160, 12, 3)
quantized_conv(256, 24, 1)


def tiny(name, build, shape, links=(20, 120)):
    add(Case(f"tiny_{name}", "costs", [work.record(0, 0, 0)], shape, build, links))


tiny("add", lambda b, i, cur: b.node("Add", [cur, b.input("other", [1, 8])], f"e{i}"), [1, 8])
tiny("sigmoid", lambda b, i, cur: b.node("Sigmoid", [cur], f"e{i}"), [1, 8])
tiny("matmul", lambda b, i, cur: b.node("MatMul", [cur, b.full("w", [8, 8], 0.125)], f"e{i}"), [1, 8])
tiny("conv", lambda b, i, cur: conv_node(b, cur, f"c{i}", "t", 32, 32, (1, 1)), [1, 32, 4, 4])
tiny("pool", lambda b, i, cur: b.node("MaxPool", [cur], f"p{i}", kernel_shape=[3, 3], pads=[1] * 4), [1, 32, 4, 4])
# Two equal branches that join: in the parallel mode one of them is handed over.
tiny("two_branches", lambda b, i, cur: b.node("Add", [b.node("Sigmoid", [cur], f"a{i}"), b.node("Tanh", [cur], f"b{i}")],
                                              f"e{i}"), [1, 8], (10, 60))
