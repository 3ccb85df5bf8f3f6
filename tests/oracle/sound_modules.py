"""Modules for soundness.py: what mainstream code does, and the rare things beside it.

SAMPLES, LOOPS, BUFFERS, ARGUMENTS, DYNAMIC: by name, a function that makes a programs.Sample.
"""

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

import programs
from programs import Sample, map_op, scan, while_loop

SAMPLES, LOOPS, BUFFERS, ARGUMENTS, DYNAMIC = {}, {}, {}, {}, {}


class Computed(nn.Module):
    """A function as a module; tensors by name become parameters."""

    def __init__(self, function, **weights):
        super().__init__()
        self.function = function
        self.weights = list(weights)
        for name, value in weights.items():
            self.register_parameter(name, nn.Parameter(value, requires_grad=False))

    def forward(self, *inputs):
        return self.function(*inputs, *(getattr(self, name) for name in self.weights))


def add(group, function, *inputs, name=None, dynamic=None, **weights):
    """A sample of a function; its inputs are functions, too, so that seeds hold."""

    def make():
        tensors = {key: value() for key, value in weights.items()}
        args = tuple(make_input() for make_input in inputs)
        return Sample(Computed(function, **tensors), args, dynamic=dynamic)

    group[name or function.__name__] = make


def normal(*sizes):
    return lambda: torch.randn(sizes)


def whole(low, high, *sizes):
    return lambda: torch.randint(low, high, sizes)


def chain(*names):
    """Pointwise functions of torch one after the other."""

    def run(x):
        for name in names:
            x = getattr(torch, name)(x)
        return x

    return run


# Tensors in, tensors out


def images(x, kernel, depthwise):
    y = F.conv2d(x, kernel, stride=2, padding=1)
    y = F.conv2d(F.relu(y), depthwise, padding=1, groups=4)
    return F.max_pool2d(F.pad(y, (1, 1, 1, 1)), 2), F.avg_pool2d(y, 2)


add(SAMPLES, images, normal(1, 3, 12, 12), kernel=normal(4, 3, 3, 3), depthwise=normal(4, 1, 3, 3))
add(SAMPLES, lambda x, w: F.conv_transpose2d(x, w, stride=2), normal(1, 3, 5, 5),
    name="conv_transpose", w=normal(3, 2, 3, 3))
add(SAMPLES, lambda x, w, b: F.conv1d(x, w, b, dilation=2), normal(1, 3, 9), name="conv1d",
    w=normal(4, 3, 3), b=normal(4))
add(SAMPLES, lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), normal(1, 2, 4, 4),
    name="nearest")
add(SAMPLES, lambda x: F.interpolate(x, size=(7, 9), mode="bilinear", align_corners=True),
    normal(1, 2, 4, 4), name="bilinear")
add(SAMPLES, lambda x: (F.pad(x, (1, 2, 2, 1), mode="reflect"), F.pixel_shuffle(x, 2)),
    normal(1, 4, 5, 5), name="pad_and_shuffle")
add(SAMPLES, lambda x: F.adaptive_avg_pool2d(x, 1).flatten(1), normal(2, 3, 6, 6), name="pooled")
add(SAMPLES, lambda x, w: (F.gelu(x @ w), F.silu(x) @ w, F.hardswish(x), F.elu(x)),
    normal(3, 4), name="activations", w=normal(4, 4))
add(SAMPLES, lambda x: (*x.topk(2), *x.sort(1), *x.max(1), *x.min(0)), normal(3, 6), name="ordered")
add(SAMPLES, lambda x: (x.split(2, 1), x.unbind(0), x.chunk(3, 1)), normal(3, 6), name="parts")
add(SAMPLES, lambda x: (x.cumsum(1), x.var(1), x.mean(), x.amax(0), x.argmin(1), x.prod(1)),
    normal(3, 6), name="reduced")
add(SAMPLES, lambda x, y: (x < y, x.logical_and(y > 0), torch.where(x > y, x, y), x.eq(y).any()),
    normal(3, 6), normal(3, 6), name="compared")
add(SAMPLES, lambda i, table: F.embedding(i, table) + F.one_hot(i, 8).to(torch.float32),
    whole(0, 8, 2, 3), name="embedded", table=normal(8, 8))
add(SAMPLES, lambda x, i: (x.gather(1, i), x.index_select(0, i[0]), x[:, i[0]]), normal(3, 6),
    whole(0, 3, 3, 2), name="gathered")
add(SAMPLES, lambda x, i: x.scatter(1, i, 2.0).index_put((i[:, 0],), x[0] * 0 + 1), normal(3, 6),
    lambda: torch.tensor([[0, 1], [1, 2], [2, 0]]), name="scattered")
add(SAMPLES, lambda x: x.tril() + x.triu(1).flip(0) + x.masked_fill(x < 0, 0), normal(4, 4),
    name="triangles")
add(SAMPLES, lambda x, y: (torch.bmm(x, y), torch.einsum("bij,bjk->bk", x, y), x[0].mv(y[0, :, 0])),
    normal(2, 3, 4), normal(2, 4, 3), name="products")
add(SAMPLES, chain("sin", "cos", "exp", "sqrt", "rsqrt", "tanh", "atan", "erf", "sigmoid"),
    lambda: torch.rand(3, 4), name="long_chain")
add(SAMPLES, lambda x: x.view(2, 6).t().reshape(3, 4).unsqueeze(0).expand(2, 3, 4).squeeze(),
    normal(3, 4), name="view_chain")
add(SAMPLES, lambda x: (x.view(12), x.view(4, 3) + 1, x.view(12)[2:5], x.unsqueeze(0)),
    normal(3, 4), name="views_of_input")
add(SAMPLES, lambda x, w: (w.t() @ x, w.view(2, 8), w[1:3]), normal(4, 3), name="views_of_weight",
    w=normal(4, 4))
add(SAMPLES, lambda x: ((x + 1).view(6, 2), ((x + 1) * 2).view(2, 6).relu().view(12)),
    normal(3, 4), name="views_between")
add(SAMPLES, lambda x: x.to(memory_format=torch.channels_last).relu() + 1, normal(1, 2, 3, 3),
    name="to_channels_last")
add(SAMPLES, lambda x: (x * 2, x.contiguous()),
    lambda: torch.randn(1, 2, 3, 3).to(memory_format=torch.channels_last),
    name="channels_last_input")
add(SAMPLES, lambda x: (x * 2).reshape(0, 2), lambda: torch.zeros(0, 4), name="empty_tensor")
add(SAMPLES, lambda x, y: x * y + 1, normal(), normal(), name="scalars")
add(SAMPLES, lambda x: (x & 3, x | 1, x ^ 5, x // 2, x % 3), whole(0, 9, 4), name="integers")
add(SAMPLES, lambda x: (torch.arange(4) + x, torch.full((2,), 3.5), torch.ones_like(x)),
    lambda: torch.zeros(4, dtype=torch.int64), name="created")
add(SAMPLES, lambda x: x.repeat(2, 1).roll(1, 1).permute(1, 0), normal(2, 3), name="repeated")
add(SAMPLES, lambda x: torch.stack([x, x * 2]).sum(0) + torch.cat([x, x])[2:], normal(2, 3),
    name="joined")
add(SAMPLES, lambda x: x.clamp(-1, 1).pow(2).add(1).log().round().abs().neg(), normal(2, 3),
    name="pointwise")
add(SAMPLES, lambda x: (x.half() * 2, x.bfloat16() + 1, x.double(), x.int(), x.bool()), normal(4),
    name="casts")
add(SAMPLES, lambda a: (a + a, a * a), normal(70, 1000), name="large_tensors")


def layers(name, make_module, *inputs):
    SAMPLES[name] = lambda: Sample(make_module().eval(), tuple(make() for make in inputs))


class Lstm(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.cell = kind(4, 6, 2)

    def forward(self, x):
        return self.cell(x)[0]


class Twice(nn.Module):
    """One layer called twice, tied to another."""

    def __init__(self):
        super().__init__()
        self.layer, self.other = nn.Linear(4, 4), nn.Linear(4, 4)
        self.other.weight = self.layer.weight

    def forward(self, x):
        return self.other(self.layer(F.relu(self.layer(x))))


class Big(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(300, 700)

    def forward(self, x):
        return self.layer(x).argmax(1), F.log_softmax(self.layer(x), 1)


layers("lstm", lambda: Lstm(nn.LSTM), normal(3, 1, 4))
layers("gru", lambda: Lstm(nn.GRU), normal(3, 1, 4))
layers("encoder_layer", lambda: nn.TransformerEncoderLayer(8, 2, 16), normal(3, 1, 8))
layers("multihead", lambda: Computed(lambda x: F.scaled_dot_product_attention(x, x, x)),
       normal(1, 2, 4, 8))
layers("norms", lambda: nn.Sequential(nn.GroupNorm(2, 4), nn.InstanceNorm2d(4), nn.BatchNorm2d(4)),
       normal(1, 4, 3, 3))
layers("norm_channels_last", lambda: nn.BatchNorm2d(4),
       lambda: torch.randn(1, 4, 3, 3).to(memory_format=torch.channels_last))
layers("mlp_norm", lambda: nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(),
                                         nn.Linear(8, 2), nn.Softmax(1)), normal(3, 4))
layers("residual", lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU6(),
                                         nn.Conv2d(4, 4, 1), nn.AdaptiveAvgPool2d(1),
                                         nn.Flatten(), nn.Linear(4, 2)), normal(1, 3, 9, 9))
layers("twice", Twice, normal(3, 4))
layers("big", Big, normal(2, 300))
layers("identity", nn.Identity, normal(3))


# Constants and inputs of every dtype

DTYPES = (
    torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
    torch.bfloat16, torch.float32, torch.float64, torch.bool,
)  # fmt: skip


def of_dtype(dtype):
    def make():
        weight = (torch.arange(8) % 2).to(dtype).reshape(2, 4)
        given = torch.ones(2, 4, dtype=dtype)
        return Sample(
            Computed(lambda x, w: (torch.cat([x, w]), w.t().clone(), torch.where(w > 0, x, w)),
                     w=weight), (given,))

    return make


for a_dtype in DTYPES:
    SAMPLES[f"dtype_{str(a_dtype)[6:]}"] = of_dtype(a_dtype)


# Control flow


def cond_on(x, *operands):
    return torch.cond(x.sum() > 0, lambda *t: (t[0] * 2).sin(), lambda *t: (t[0] - 1).cos(), operands)


def two_conds(x, y):
    return cond_on(x, y) + cond_on(y, x)


def cond_then_map(x, y):
    return cond_on(x, y) + map_op(lambda row, z: (row * z).sin() + 1, x, y[0])


def cond_then_scan(x, y):
    def combine(carry, row):
        return carry * 0.5 + row, (carry + row).sin()

    return scan(combine, y[0].clone(), x)[1] + cond_on(x, y)


def two_maps(x, y):
    first = map_op(lambda row, z: (row * z).sin() + 1, x, y[0])
    return map_op(lambda row, z: (row - z).cos() * 2, first, y[1])


def two_scans(x, y):
    def combine(carry, row):
        return carry * 0.5 + row, (carry + row).sin()

    last, rows = scan(combine, y[0].clone(), x)
    return scan(combine, last.clone(), rows)[1]


def map_in_cond(x, y):
    def branch(x, y):
        return map_op(lambda row, z: (row * z).relu(), x, y[0])

    return torch.cond(x.sum() > 0, branch, lambda x, y: x - y, (x, y))


def cond_in_map(x, y):
    def body(row, z):
        return torch.cond(row.sum() > 0, lambda r, z: r + z, lambda r, z: r * z, (row, z))

    return map_op(body, x, y[0])


def nested_conds(x, y):
    def outer(x, y):
        return torch.cond(y.sum() > 0, lambda x, y: x + y, lambda x, y: x * y, (x, y)).sin()

    return torch.cond(x.sum() > 0, outer, lambda x, y: x - y, (x, y))


def cond_of_one_branch(x, y):
    """A branch that returns its operand: the value of the outer plan itself moves."""
    return torch.cond(x.sum() > 0, lambda x, y: x + y, lambda x, y: y.clone(), (x, y)) * 2


def counting_loop(x, y):
    start = torch.zeros((), dtype=torch.int64)
    body = lambda i, z: (i + 1, z * 0.5 + 1)
    return while_loop(lambda i, z: i < 3, body, (start, x.clone()))[1] + y


for loop in (two_conds, cond_then_map, cond_then_scan, two_maps, two_scans, map_in_cond, cond_in_map,
             nested_conds, cond_of_one_branch, counting_loop):
    add(LOOPS, loop, normal(3, 4), normal(3, 4))
add(LOOPS, lambda x, y: cond_on(x, y) + 1, normal(3, 4), normal(3, 4), name="one_cond")


# Buffers that calls write


class Writing(nn.Module):
    def __init__(self, step, persistent=True, **buffers):
        super().__init__()
        self.step = step
        for name, value in buffers.items():
            self.register_buffer(name, value, persistent)

    def forward(self, x):
        return self.step(self, x)


def buffered(name, step, start=0.0, **options):
    def make():
        total, count = torch.full((4,), start), torch.full((1,), start)
        return Sample(Writing(step, total=total, count=count, **options), (torch.randn(3, 4),))

    BUFFERS[name] = make


def accumulate(module, x):
    module.total.add_(x.sum(0))
    return module.total * 2


def written_only(module, x):
    module.total.copy_(x[0])
    return x + 1


def written_twice(module, x):
    module.count.add_(1)
    module.total.mul_(0.5)
    module.total.add_(x[0])
    return module.total + module.count, module.count.clone()


def returned_itself(module, x):
    module.total.add_(x[0])
    return module.total


def swapped(module, x):
    before = module.total.clone()
    module.total.copy_(x[0] + module.count)
    module.count.add_(before.sum())
    return before + module.total


def part_written(module, x):
    module.total[1:3] = x[0, 1:3]
    return module.total + x


for writing_step in (accumulate, written_only, written_twice, returned_itself, swapped,
                     part_written):
    buffered(writing_step.__name__, writing_step)
buffered("started_at_two", written_twice, 2.0)
buffered("not_saved", accumulate, persistent=False)
BUFFERS["key_value_cache"] = programs.key_value_cache
BUFFERS["counter"] = programs.counter


# What a method takes and returns


def argument(name, function, *args, **kwargs):
    ARGUMENTS[name] = lambda: Sample(Taking(function), args, kwargs or None)


class Taking(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


ONES = torch.ones(3)
argument("whole_number", lambda x, n: x * n, ONES, 3)
argument("real_number", lambda x, f: x * f, ONES, 0.5)
argument("truth", lambda x, b: x + 1 if b else x - 1, ONES, True)
argument("words", lambda x, s: x.relu() if s == "relu" else x, ONES, "relu")
argument("nothing", lambda x, n: x + 1, ONES, None)
argument("dict_in", lambda d: d["a"] + d["b"], {"a": ONES, "b": ONES * 2})
argument("list_in", lambda t: t[0] + t[1][0], [ONES, [ONES * 3]])
argument("named", lambda x, *, scale, shift: x * scale + shift, ONES, scale=ONES * 2, shift=ONES)
argument("unread", lambda x, y: x + 1, ONES, ONES * 2)
argument("none_out", lambda x: (None, x + 1, None), ONES)
argument("numbers_out", lambda x: (x + 1, 3, 0.5, True), ONES)
argument("word_out", lambda x: (x + 1, "label"), ONES)
argument("dict_out", lambda x: {"b": x + 1, "a": [x * 2, (x - 1,)]}, ONES)
argument("same_twice", lambda x: (lambda y: (y, y))(x + 1), ONES)
argument("input_back", lambda x, y: (x, y + 1, x), ONES, ONES)
argument("input_written", lambda x, y: (x.mul_(2), x + y)[1], ONES, ONES)
argument("constant_back", lambda x: (torch.tensor([1.0, 2.0]), x + 1), ONES)
argument("no_input", lambda: torch.arange(4) * 2)
argument("size_out", lambda x: (x.shape[0], x + 1), ONES)


# Dynamic shapes

ROWS = Dim("rows", min=2, max=16)
FEW = {0: ROWS}
add(DYNAMIC, lambda x: (x + 1).view(x.shape[0] * 2, 2), normal(3, 4), name="view", dynamic=((FEW,),))
add(DYNAMIC, lambda x: x[1:] + x[:-1], normal(4, 4), name="slices",
    dynamic=(({0: Dim("rows", min=3, max=16)},),))
add(DYNAMIC, lambda x, y: torch.cat([x, y]).sum(0), normal(4, 4), normal(4, 4), name="joined",
    dynamic=((FEW, FEW),))
add(DYNAMIC, lambda x, w: F.relu(x @ w) + x.shape[0], normal(4, 4), name="product",
    dynamic=((FEW,),), w=normal(4, 4))
add(DYNAMIC, lambda x: (x.shape[0], x * x.shape[0], torch.zeros(x.shape[0] + 1)), normal(5, 2),
    name="size", dynamic=((FEW,),))
add(DYNAMIC, lambda x: torch.nonzero(x), lambda: torch.tensor([1.0, 0, 2, 0, 3]), name="nonzero")
add(DYNAMIC, lambda x: torch.arange(x.shape[0]).to(torch.float32)[:, None] + x, normal(4, 2),
    name="positions", dynamic=((FEW,),))
add(DYNAMIC, lambda x: x.permute(0, 2, 1).reshape(x.shape[0], -1).softmax(1), normal(4, 2, 3),
    name="permuted", dynamic=((FEW,),))
DYNAMIC["unbacked"] = programs.unbacked
DYNAMIC["linear_rows"] = programs.dynamic_rows
DYNAMIC["symbols"] = programs.symbols
