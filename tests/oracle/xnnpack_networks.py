"""Small networks for XNNPACK: every kind of node that its partitioner lets its writer emit.

NETWORKS: by name, a function that makes a sample from a random.Random, and what the numbers of
the runtime may differ by from those of eager. lower() gives the program and, by the SHA-256 of a
payload, the XNNGraph that it was written from.
"""

import contextlib
import hashlib

import torch
from executorch.backends.xnnpack import xnnpack_preprocess
from executorch.backends.xnnpack.partition.xnnpack_partitioner import (
    XnnpackDynamicallyQuantizedPartitioner,
    XnnpackPartitioner,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge_transform_and_lower
from torch import nn
from torch.nn import functional

import fault_networks
import networks
import sound_lowering
import sound_runs
from programs import Sample

NETWORKS = {}


class Of(nn.Module):
    """A function of its inputs as a module, with the layers that it calls."""

    def __init__(self, function, *layers):
        super().__init__()
        self.function, self.layers = function, nn.ModuleList(layers)

    def forward(self, *inputs):
        return self.function(*self.layers, *inputs)


def add(name, make, tolerance=sound_runs.EXACT, **options):
    assert name not in NETWORKS, name
    NETWORKS[name] = (make, tolerance, options)


def of(function, *shapes, layers=(), dtype=torch.float32, positive=False, dynamic=None):
    """Made anew for each generator: layers are functions that make them."""

    def make(rng):
        torch.manual_seed(rng.randrange(1 << 30))
        inputs = tuple(torch.rand(s) + 0.1 if positive else torch.randn(s) for s in shapes)
        module = Of(function, *(layer() for layer in layers)).eval().requires_grad_(False).to(dtype)
        return Sample(module, tuple(x.to(dtype) for x in inputs), dynamic=dynamic)

    return make


def layer(make, *shape, **options):
    return of(lambda module, x: module(x), shape, layers=(make,), **options)


# Functions of one tensor, and of two

UNARY = {
    "abs": torch.abs, "ceil": torch.ceil, "clamp": lambda x: torch.clamp(x, -0.5, 0.75),
    "cos": torch.cos, "exp": torch.exp, "floor": torch.floor, "gelu": functional.gelu,
    "hardswish": functional.hardswish, "hardtanh": functional.hardtanh,
    "leaky_relu": functional.leaky_relu, "neg": torch.neg, "relu": torch.relu,
    "sigmoid": torch.sigmoid, "sin": torch.sin, "square": lambda x: x**2, "tanh": torch.tanh,
}  # fmt: skip
for unary_name, function in UNARY.items():
    add(unary_name, of(function, (3, 5, 7)), tolerance=1e-3)
for unary_name in ("log", "sqrt", "rsqrt"):
    add(unary_name, of(getattr(torch, unary_name), (3, 5), positive=True), tolerance=1e-3)
BINARY = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": lambda a, b: a / b.exp(),
    "maximum": torch.maximum, "minimum": torch.minimum,
}  # fmt: skip
for binary_name, function in BINARY.items():
    add(binary_name, of(function, (2, 3, 4), (2, 3, 4)))
    add(f"{binary_name} broadcast", of(function, (2, 3, 4), (1, 4)))
add("add and relu", of(lambda a, b: torch.relu(a + b), (4, 5), (4, 5)))
add("one tensor twice", of(lambda a: a * a + a, (4, 5)))
add("softmax", of(lambda x: torch.softmax(x, -1), (3, 9)))

# Shapes

add("cat of two", of(lambda a, b: torch.cat((a, b), 1), (2, 3), (2, 4)))
add("cat of three", of(lambda a, b, c: torch.cat((a, b, c), -1), (2, 3), (2, 4), (2, 1)))
add("cat of four", of(lambda *all: torch.cat(all, 0), (1, 3), (2, 3), (3, 3), (1, 3)))
add("cat of five", of(lambda *all: torch.cat(all), *[(1, 3)] * 5))
add("cat of eight", of(lambda *all: torch.cat(all), *[(1, 3)] * 8))
add("copy", of(lambda x: x.clone().sin(), (4, 5)))
add("slice", of(lambda x: x[:, 1:3] * x[:, 2:4], (4, 5)))
add("permute", of(lambda x: x.permute(2, 0, 1).sin(), (2, 3, 4)))
add("permute of no image", of(lambda x: x.permute(0, 2, 3, 1).sin() + 1, (1, 2, 3, 4)))
add("permute behind an image", of(
    lambda f, x: f(x).permute(0, 2, 3, 1).sin() + 1, (1, 2, 3, 4), layers=(lambda: nn.Conv2d(2, 5, 1),)))
add("permute before an image", of(
    lambda f, x: f(x.permute(0, 2, 3, 1).sin()), (1, 2, 3, 4), layers=(lambda: nn.Conv2d(3, 5, 1),)))
add("reshape", of(lambda x: x.sin().reshape(6, 4), (2, 3, 4)))
add("unsqueeze", of(lambda x: x.sin().unsqueeze(1).cos(), (2, 3)))
add("pad", of(lambda x: functional.pad(x, (1, 2, 0, 3), value=0.5), (2, 3, 4, 5)))
for corners in (False, True):
    add(f"resize, corners {corners}", of(
        lambda x, corners=corners: functional.interpolate(
            x, size=(7, 9), mode="bilinear", align_corners=corners), (1, 2, 4, 5)))

# Products

add("linear", layer(lambda: nn.Linear(8, 6), 4, 8))
add("linear without bias", layer(lambda: nn.Linear(8, 6, bias=False), 2, 4, 8))
add("linear and relu", of(lambda f, x: torch.relu(f(x)), (4, 8), layers=(lambda: nn.Linear(8, 6),)))
add("bmm", of(torch.bmm, (2, 3, 4), (2, 4, 5)))
add("matmul, four dimensions", of(torch.matmul, (2, 2, 3, 4), (2, 2, 4, 5)))
add("attention", of(functional.scaled_dot_product_attention, *[(1, 2, 4, 8)] * 3))
add("mm with a weight", of(
    lambda f, x: torch.mm(x, f.weight), (3, 6), layers=(lambda: nn.Linear(8, 6),)))
add("addmm with a weight", of(
    lambda f, x: torch.addmm(f.bias, x, f.weight.t()), (3, 8), layers=(lambda: nn.Linear(8, 6),)))

# Convolutions and what goes with them

CONVOLUTIONS = {
    "convolution": {"kernel_size": 3},
    "convolution, padded, strided": {"kernel_size": 3, "padding": (1, 2), "stride": 2},
    "convolution, dilated": {"kernel_size": 3, "dilation": 2},
    "convolution, groups": {"kernel_size": 3, "groups": 2},
    "convolution without bias": {"kernel_size": 1, "bias": False},
    "depthwise": {"kernel_size": 3, "groups": 4, "out_channels": 4},
    "depthwise, two for one": {"kernel_size": 3, "groups": 4, "out_channels": 8},
    "depthwise, seven by seven": {"kernel_size": 7, "groups": 4, "out_channels": 4, "padding": 3},
}
for convolution_name, convolution_options in CONVOLUTIONS.items():
    add(convolution_name, layer(
        lambda options=convolution_options: nn.Conv2d(4, **{"out_channels": 6, **options}),
        2, 4, 9, 9))
add("convolution, one dimension", layer(lambda: nn.Conv1d(4, 6, 3), 2, 4, 9))
add("transposed convolution", layer(
    lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1), 1, 4, 5, 5))
add("transposed convolution, groups", layer(
    lambda: nn.ConvTranspose2d(4, 6, 2, groups=2, padding=1), 1, 4, 5, 5))
add("convolution, norm, relu", of(
    lambda f, g, x: torch.relu(g(f(x))), (1, 3, 8, 8),
    layers=(lambda: nn.Conv2d(3, 4, 3), lambda: nn.BatchNorm2d(4))))
add("norm alone", layer(lambda: nn.BatchNorm2d(4), 1, 4, 6, 6))
add("prelu", layer(lambda: nn.PReLU(4), 1, 4, 6, 6))
add("prelu with one slope", layer(lambda: nn.PReLU(), 1, 4, 6, 6))
add("average pool", of(lambda x: functional.avg_pool2d(x, 2), (1, 3, 6, 6)))
add("average pool, padded", of(
    lambda x: functional.avg_pool2d(x, 3, padding=1, count_include_pad=False), (1, 3, 7, 7)))
add("max pool", of(lambda x: functional.max_pool2d(x, 2), (1, 3, 6, 6)))
add("max pool, padded, dilated", of(
    lambda x: functional.max_pool2d(x, 3, stride=2, padding=1, dilation=2), (1, 3, 9, 9)))
add("max pool, rounded up", of(
    lambda x: functional.max_pool2d(x, 2, ceil_mode=True), (1, 3, 7, 7)))
add("mean of pixels", of(lambda x: x.mean((-1, -2), keepdim=True), (2, 3, 5, 5)))
add("largest of a row", of(lambda x: torch.max(x, 2, keepdim=True)[0], (1, 3, 4, 4)))

# Other precisions


def half(make):
    def made(rng):
        sample = make(rng)
        return Sample(sample.module.half(), tuple(x.half() for x in sample.args))

    return made


for half_name in ("add", "softmax", "linear", "convolution", "depthwise", "average pool", "bmm"):
    add(f"{half_name}, f16", half(NETWORKS[half_name][0]), sound_runs.ROUNDED)
add("to f16 and back", of(
    lambda x: torch.sin(x.to(torch.float16)).to(torch.float32), (4, 5)), sound_runs.ROUNDED)


def quantized(name, **options):
    def make(rng):
        quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**options))
        return sound_lowering.quantized(NETWORKS[name][0](rng), quantizer)

    return make


for quantized_name in (
    "linear", "convolution", "convolution, groups", "depthwise", "transposed convolution",
    "convolution, norm, relu",
):  # fmt: skip
    for per_channel in (False, True):
        add(f"{quantized_name}, i8 by {'channel' if per_channel else 'tensor'}",
            quantized(quantized_name, is_per_channel=per_channel), sound_runs.QUANTIZED)
for quantized_name in (
    "add", "add and relu", "mul", "cat of two", "max pool", "mean of pixels", "hardtanh",
):  # fmt: skip
    add(f"{quantized_name}, i8", quantized(quantized_name), sound_runs.QUANTIZED)
for quantized_name in ("linear", "linear without bias", "convolution"):
    add(f"{quantized_name}, i8 dynamic",
        quantized(quantized_name, is_per_channel=True, is_dynamic=True), sound_runs.QUANTIZED,
        dynamic=True)


# A clamp is merged into what gives codes to it

NARROW = {
    "convolution, relu6, convolution": (
        lambda f, g, x: g(functional.relu6(f(x))), lambda: nn.Conv2d(3, 6, 3, padding=1)),
    "depthwise, clamp, convolution": (
        lambda f, g, x: g(torch.clamp(f(x.repeat(1, 2, 1, 1)), -0.2, 0.9)),
        lambda: nn.Conv2d(6, 6, 3, padding=1, groups=6)),
    "transposed convolution, relu6, convolution": (
        lambda f, g, x: g(functional.relu6(f(x))), lambda: nn.ConvTranspose2d(3, 6, 3)),
    "convolution, pool, relu6, convolution": (
        lambda f, g, x: g(functional.relu6(functional.max_pool2d(f(x), 2))),
        lambda: nn.Conv2d(3, 6, 3, padding=1)),
}  # fmt: skip
for narrow_name, (function, first_layer) in NARROW.items():
    add(narrow_name, of(function, (1, 3, 16, 16),
                        layers=(first_layer, lambda: nn.Conv2d(6, 8, 3, padding=1))))
    add(f"{narrow_name}, i8", quantized(narrow_name), sound_runs.QUANTIZED)
    add(f"{narrow_name}, i8 by channel", quantized(narrow_name, is_per_channel=True),
        sound_runs.QUANTIZED)
add("linear, relu6, linear", of(lambda f, g, x: g(functional.relu6(f(x))), (6, 10), layers=(
    lambda: nn.Linear(10, 20), lambda: nn.Linear(20, 5))))
add("linear, relu6, linear, i8", quantized("linear, relu6, linear"), sound_runs.QUANTIZED)


# What is behind a sum decides whether it leaves the delegate as codes or as floats


def wide():
    return nn.Linear(32, 32)


def image():
    return nn.Conv2d(3, 8, 3)


BEHIND = {
    "linear, doubled": of(lambda f, x: f(x) * 2.0, (16, 32), layers=(wide,)),
    "linear, shifted": of(lambda f, x: f(x) + 2.0, (16, 32), layers=(wide,)),
    "linear, relu, doubled": of(lambda f, x: torch.relu(f(x)) * 2.0, (16, 32), layers=(wide,)),
    "linear, view, doubled": of(lambda f, x: f(x).view(4, 4, 32) * 2.0, (16, 32), layers=(wide,)),
    "linear, layer norm": of(lambda f, g, x: g(f(x)), (16, 32), layers=(wide, lambda: nn.LayerNorm(32))),
    "two linears, one doubled": of(lambda f, g, x: (f(x), g(x) * 3.0), (16, 32), layers=(wide, wide)),
    "linear beside its input, doubled": of(
        lambda f, x: torch.cat([x, f(x)], 1) * 2.0, (16, 32), layers=(wide,)),
    "convolution, doubled": of(lambda f, x: f(x) * 2.0, (1, 3, 12, 12), layers=(image,)),
    "convolution, permuted, doubled": of(
        lambda f, x: f(x).permute(0, 2, 3, 1) * 2.0, (1, 3, 12, 12), layers=(image,)),
    "convolution, mean, doubled": of(
        lambda f, x: f(x).mean((2, 3), keepdim=True) * 2.0, (1, 3, 12, 12), layers=(image,)),
    "convolution, mean, linear, sine": of(
        lambda f, g, x: torch.sin(g(f(x).mean((2, 3)))), (2, 3, 12, 12),
        layers=(image, lambda: nn.Linear(8, 10))),
    "linear, sliced": of(lambda f, x: f(x)[:, 1:], (16, 32), layers=(wide,)),
}
for behind_name, make_behind in BEHIND.items():
    add(behind_name, make_behind, tolerance=1e-3)
    add(f"{behind_name}, i8", quantized(behind_name, is_per_channel=True), sound_runs.QUANTIZED)


def quantized_model(name, **options):
    """One of networks.py; statistics of norms as those of a trained one."""

    def make(rng):
        sample = networks.NETWORKS[name](rng)
        fault_networks.spread_statistics(sample.module)
        quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**options))
        return sound_lowering.quantized(sample, quantizer)

    return make


for model in ("resnet_basic", "mobilenet_v2", "mobilenet_v3_small", "mnasnet0_5", "densenet"):
    add(f"model {model}, i8", quantized_model(model, is_per_channel=True), sound_runs.QUANTIZED)
for model in ("bert", "vision_transformer"):
    add(f"model {model}, i8 dynamic",
        quantized_model(model, is_per_channel=True, is_dynamic=True), sound_runs.QUANTIZED,
        dynamic=True)

add("linear, odd width", layer(lambda: nn.Linear(9, 6), 4, 9))
for four_name in ("linear", "linear, odd width"):
    for dynamic in (False, True):
        add(f"{four_name}, i4 of pt2e{' dynamic' if dynamic else ''}",
            quantized(four_name, is_per_channel=True, is_dynamic=dynamic,
                      weight_qmin=-8, weight_qmax=7),
            sound_runs.QUANTIZED, dynamic=dynamic)


def four_bits(groups):
    """Weights of four bits, by channel or by groups of them, activations when they are known."""

    def make(rng):
        from torchao.quantization.granularity import PerAxis, PerGroup
        from torchao.quantization.quant_api import (
            Int8DynamicActivationIntxWeightConfig,
            quantize_,
        )
        from torchao.utils import unwrap_tensor_subclass

        sample = layer(lambda: nn.Linear(64, 8, bias=False), 3, 64)(rng)
        quantize_(sample.module, Int8DynamicActivationIntxWeightConfig(
            weight_dtype=torch.int4,
            weight_granularity=PerGroup(32) if groups else PerAxis(0)))
        unwrap_tensor_subclass(sample.module)
        return sample

    return make


add("linear, i4 by group", four_bits(True), sound_runs.QUANTIZED, dynamic=True)
add("linear, i4 by channel", four_bits(False), sound_runs.QUANTIZED, dynamic=True)

# State, sizes that are known later, several payloads


class Counter(nn.Module):
    """Adds up what it was called with."""

    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(3, 4))
        self.scale = nn.Linear(4, 4)

    def forward(self, x):
        self.sum.add_(self.scale(x))
        return torch.relu(self.sum)


add("a buffer that changes",
    lambda rng: Sample(Counter().eval().requires_grad_(False), (torch.randn(3, 4),)))
BATCH = torch.export.Dim("batch", min=2, max=8)
add("batch of any size", of(
    lambda f, g, x: g(torch.relu(f(x))), (4, 8), dynamic=(({0: BATCH},),),
    layers=(lambda: nn.Linear(8, 6), lambda: nn.Linear(6, 2))))
add("one weight in two payloads", of(
    lambda f, x: f(f(x).cumsum(-1)), (4, 8), layers=(lambda: nn.Linear(8, 8),)))


@contextlib.contextmanager
def recorded():
    """The graphs that payloads are written from, while it lasts."""
    graphs, write = {}, xnnpack_preprocess.serialize_xnnpack_binary

    def keep(graph, *arguments, **options):
        data = write(graph, *arguments, **options)
        graphs[hashlib.sha256(data).hexdigest()] = graph
        return data

    xnnpack_preprocess.serialize_xnnpack_binary = keep
    try:
        yield graphs
    finally:
        xnnpack_preprocess.serialize_xnnpack_binary = write


def lower(name, rng):
    """(the sample, the edge program, graphs by digest)"""
    make, _, options = NETWORKS[name]
    return lower_sample(make(rng), options)


def lower_sample(sample, options):
    partitioners = [XnnpackPartitioner()]
    if options.get("dynamic"):
        partitioners.insert(0, XnnpackDynamicallyQuantizedPartitioner())
    program = sound_lowering.exported(sample)
    with recorded() as graphs:
        edge = to_edge_transform_and_lower(program, partitioner=partitioners)
    return sample, edge, graphs
