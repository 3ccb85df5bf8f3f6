"""Small modules, one per thing that a saved program can hold."""

import math
from dataclasses import dataclass
from typing import Callable

import torch
from torch import nn
from torch.export import Dim
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_op
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop


@dataclass
class Sample:
    """A module with the inputs that it is exported with."""

    module: nn.Module
    args: tuple
    kwargs: dict | None = None
    dynamic: object = None
    strict: bool = False


def fill_with_pattern(module, seed=0):
    """Give every weight a short repeating pattern, so that files pack well; variances are positive."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
            if tensor.is_floating_point() and tensor.numel() > 16:
                pattern = torch.randn(16, generator=generator) / math.sqrt(tensor.shape[-1])
                pattern = 0.5 + pattern.abs() if name.endswith("running_var") else pattern
                tensor.copy_(pattern.repeat(tensor.numel() // 16 + 1)[: tensor.numel()].view(tensor.shape))
    return module


class Mlp(nn.Module):
    def __init__(self, inner=8, width=4):
        super().__init__()
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


def mlp():
    return Sample(Mlp(), (torch.randn(2, 4),))


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        return self.head(x.mean((2, 3)))


def conv_net():
    return Sample(ConvNet().eval(), (torch.randn(1, 3, 8, 8),))


class DynamicShapes(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(6, 6)

    def forward(self, x, y):
        rows = x.shape[0]
        rest = x[1:]
        positions = torch.arange(rows, dtype=x.dtype).unsqueeze(1)
        pairs = torch.cat([x, y], 0)
        halves = torch.zeros(rows // 2 + 1)
        return self.proj(x) + positions, rest.sum(0), pairs.reshape(-1, 3), halves, rows * 2 + 1


def dynamic():
    batch = Dim("batch", min=4, max=16)
    return Sample(
        DynamicShapes(),
        (torch.randn(6, 6), torch.randn(12, 6)),
        dynamic=({0: batch}, {0: 2 * batch}),
    )


class Unbacked(nn.Module):
    def forward(self, x, n):
        count = n.item()
        torch._check(count >= 1)
        torch._check(count <= 4)
        found = torch.nonzero(x)
        return x[:count] * 2, torch.zeros(count, 3), found, count + 1


def unbacked():
    return Sample(Unbacked(), (torch.randn(5), torch.tensor(3)))


class Cond(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        def positive(x, scale):
            return x * scale

        def negative(x, scale):
            return x - scale

        return torch.cond(x.sum() > 0, positive, negative, (x, self.scale))


def cond():
    return Sample(Cond(), (torch.randn(2, 3),))


class NestedCond(nn.Module):
    def forward(self, x, y):
        def inner_true(x, y):
            return x + y, x.sin()

        def inner_false(x, y):
            return x - y, y.cos()

        def outer_true(x, y):
            a, b = torch.cond(y.sum() > 0, inner_true, inner_false, (x, y))
            return a * 2, b

        def outer_false(x, y):
            a, b = torch.cond(y.mean() > 1, inner_false, inner_true, (x, y))
            return a.clone(), b + 1

        first, second = torch.cond(x.sum() > 0, outer_true, outer_false, (x, y))
        return first + second


def nested_cond():
    return Sample(NestedCond(), (torch.randn(3), torch.randn(3)))


class WhileLoop(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, steps, x):
        def unfinished(i, x):
            return i > 0

        def step(i, x):
            return i - 1, self.linear(x)

        return while_loop(unfinished, step, (steps, x))


def while_loops():
    return Sample(WhileLoop(), (torch.tensor(3), torch.randn(2, 3)))


class Scan(nn.Module):
    def __init__(self):
        super().__init__()
        self.decay = nn.Parameter(torch.tensor(0.5))

    def forward(self, start, xs):
        def combine(carry, x):
            carry = carry * self.decay + x
            return carry, carry.sin()

        return scan(combine, start, xs)


def scans():
    return Sample(Scan(), (torch.zeros(4), torch.randn(5, 4)))


class AssociativeScan(nn.Module):
    def forward(self, xs):
        return associative_scan(lambda a, b: a + b, xs, dim=0, combine_mode="generic")


def associative_scans():
    return Sample(AssociativeScan(), (torch.randn(4, 3),))


class Map(nn.Module):
    def forward(self, xs, y):
        return map_op(lambda x, y: (x * y + 1).relu(), xs, y)


def maps():
    return Sample(Map(), (torch.randn(4, 3), torch.randn(3)))


class Buffers(nn.Module):
    """Buffers that are counted up, shared, not saved, and views of others."""

    def __init__(self):
        super().__init__()
        base = torch.arange(10.0)
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("total", torch.zeros(3))
        self.register_buffer("view", base[2:5])
        self.register_buffer("scratch", torch.ones(3), persistent=False)
        self.register_buffer("unused", torch.ones(2))
        self.inner = nn.Module()
        self.inner.register_buffer("total", self.total)

    def forward(self, x):
        self.count.add_(1)
        self.total.copy_(self.inner.total + x.sum(0))
        self.scratch.mul_(2)
        return x * self.scratch + self.total + self.view


def buffers():
    return Sample(Buffers(), (torch.randn(2, 3),))


class InputMutation(nn.Module):
    def forward(self, cache, x):
        cache[:, 1] = x
        x.mul_(2)
        return cache.sum() + x.mean()


def input_mutation():
    return Sample(InputMutation(), (torch.zeros(2, 3), torch.randn(2)))


class TiedWeights(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(16, 8)
        self.project = nn.Linear(8, 16, bias=False)
        self.project.weight = self.embed.weight
        self.transposed = nn.Parameter(torch.randn(4, 8).t())

    def forward(self, tokens):
        hidden = self.embed(tokens)
        return self.project(hidden), hidden @ self.transposed


def tied_weights():
    return Sample(TiedWeights(), (torch.tensor([[1, 2, 3]]),))


class LiftedConstants(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.tensor([1.0, 2.0, 4.0])

    def forward(self, x):
        return x * torch.tensor([0.5, 0.25, 0.125]) + self.table + torch.tensor(3)


def lifted_constants():
    return Sample(LiftedConstants(), (torch.randn(2, 3),))


class Dtypes(nn.Module):
    def __init__(self):
        super().__init__()
        self.bf16 = nn.Parameter(torch.randn(4, 4, dtype=torch.bfloat16))
        self.f16 = nn.Parameter(torch.randn(4, dtype=torch.float16))
        self.register_buffer("i8", torch.arange(-2, 2, dtype=torch.int8))
        self.register_buffer("u8", torch.arange(4, dtype=torch.uint8))
        self.register_buffer("i16", torch.arange(4, dtype=torch.int16))
        self.register_buffer("mask", torch.tensor([True, False, True, True]))
        self.register_buffer("f64", torch.arange(4, dtype=torch.float64))

    def forward(self, x, y, flags):
        a = x @ self.bf16
        b = (y * self.f16).to(torch.float32)
        c = (self.i8 + self.i16).to(torch.int32) + self.u8
        kept = torch.where(self.mask & flags, b, 0.0)
        return a, kept, c, kept.to(torch.float64) + self.f64, x.to(torch.float8_e4m3fn)


def dtypes():
    return Sample(
        Dtypes(),
        (
            torch.randn(2, 4, dtype=torch.bfloat16),
            torch.randn(4, dtype=torch.float16),
            torch.tensor([True, True, False, True]),
        ),
    )


class PortableDtypes(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("i8", torch.arange(-2, 2, dtype=torch.int8))
        self.register_buffer("u8", torch.arange(4, dtype=torch.uint8))
        self.register_buffer("i16", torch.arange(4, dtype=torch.int16))
        self.register_buffer("mask", torch.tensor([True, False, True, True]))
        self.register_buffer("f64", torch.arange(4, dtype=torch.float64))
        self.register_buffer("bf16", torch.arange(4, dtype=torch.bfloat16))
        self.register_buffer("f16", torch.arange(4, dtype=torch.float16))

    def forward(self, x, flags):
        small = self.i8 + self.i16
        kept = torch.where(self.mask & flags, x, 0.0)
        halves = self.bf16 * 2, self.f16 + 1
        return small, self.u8 * 2, kept.to(torch.float64) + self.f64, *halves


def portable_dtypes():
    return Sample(PortableDtypes(), (torch.randn(4), torch.tensor([True, True, False, True])))


class MultiOutput(nn.Module):
    def forward(self, x):
        values, indices = torch.topk(x, 2)
        first, second, _ = torch.split(x, [2, 1, 3], dim=1)
        largest, _ = torch.max(x, dim=1)
        _, order = torch.sort(x, dim=1)
        rows = torch.unbind(x, 0)
        variance, mean = torch.var_mean(x, dim=0)
        left, _ = torch.chunk(x, 2, dim=1)
        named = {"largest": largest, "order": order}
        return values, indices, [first, second], named, rows[1], variance, left


def multi_output():
    return Sample(MultiOutput(), (torch.randn(3, 6),))


class NoneOutput(nn.Module):
    def forward(self, x, weight):
        grads = torch.ops.aten.convolution_backward(
            torch.ones(1, 2, 4, 4), x, weight, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1,
            [False, True, False],
        )
        return None, grads[1], (None, x + 1)


def none_output():
    return Sample(NoneOutput(), (torch.randn(1, 3, 4, 4), torch.randn(2, 3, 3, 3)))


class ConstantInputs(nn.Module):
    def forward(self, x, n, factor, flag, mode, nothing, *, pair, last=None):
        y = x * factor + n if flag else x
        y = y.relu() if mode == "relu" else y
        return y + pair["a"] - pair["b"][0], n, factor, flag


def constant_inputs():
    return Sample(
        ConstantInputs(),
        (torch.randn(3), 2, 0.5, True, "relu", None),
        {"pair": {"a": torch.ones(3), "b": [torch.ones(3)]}, "last": None},
    )


@torch.library.custom_op("demo::scale_rows", mutates_args=())
def scale_rows(x: torch.Tensor, factor: float, names: list[int]) -> torch.Tensor:
    return x * factor + sum(names)


@scale_rows.register_fake
def _(x, factor, names):
    return torch.empty_like(x)


@torch.library.custom_op("demo::split_two", mutates_args=())
def split_two(x: torch.Tensor) -> list[torch.Tensor]:
    return [x[:1].clone(), x[1:].clone()]


@split_two.register_fake
def _(x):
    return [torch.empty_like(x[:1]), torch.empty_like(x[1:])]


@torch.library.custom_op("demo::accumulate", mutates_args={"total"})
def accumulate(total: torch.Tensor, x: torch.Tensor) -> None:
    total.add_(x)


@accumulate.register_fake
def _(total, x):
    return None


class CustomOps(nn.Module):
    def forward(self, x):
        head, tail = split_two(scale_rows(x, 0.5, [1, 2]))
        return head.sum(0) + tail.sum(0)


def custom_ops():
    return Sample(CustomOps(), (torch.randn(3, 2),))


LIBRARY = torch.library.Library("demo", "FRAGMENT")
LIBRARY.define("twice(Tensor x) -> Tensor")
LIBRARY.define("twice.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")


@torch.library.impl(LIBRARY, "twice", "CompositeExplicitAutograd")
def twice(x):
    return x * 2


@torch.library.impl(LIBRARY, "twice.out", "CompositeExplicitAutograd")
def twice_out(x, *, out):
    return out.copy_(x * 2)


class CustomOut(nn.Module):
    def forward(self, x):
        return torch.ops.demo.twice(x) + 1


def custom_out():
    return Sample(CustomOut(), (torch.randn(3),))


class MutatingOp(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        accumulate(self.total, x)
        scratch = torch.zeros_like(x)
        accumulate(scratch, x)
        return self.total + scratch


def mutating_op():
    return Sample(MutatingOp(), (torch.randn(3),))


class NoGrad(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        with torch.no_grad():
            frozen = self.linear(x)
            scaled = frozen * 2
        with torch.autocast("cpu", dtype=torch.bfloat16):
            mixed = self.linear(scaled)
        return mixed.float() + x


def no_grad():
    return Sample(NoGrad(), (torch.randn(2, 3),))


class Vmap(nn.Module):
    def forward(self, x, y):
        return torch.vmap(lambda a, b: (a * b).sum())(x, y)


def vmap():
    return Sample(Vmap(), (torch.randn(3, 2), torch.randn(3, 2)))


class StringOutput(nn.Module):
    def forward(self, x):
        return x + 1, "label"


def string_output():
    return Sample(StringOutput(), (torch.randn(2),))


class Infinities(nn.Module):
    def forward(self, x, mask):
        x = x.masked_fill(mask, float("-inf"))
        y = torch.clamp(x, min=-3.0, max=float("inf"))
        return torch.full((2,), float("nan")), y, torch.softmax(x, -1)


def infinities():
    return Sample(Infinities(), (torch.randn(2, 3), torch.tensor([True, False, False])))


class Layouts(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 1).to(memory_format=torch.channels_last)

    def forward(self, x):
        y = self.conv(x.to(memory_format=torch.channels_last))
        z = y.contiguous().permute(0, 2, 3, 1).expand(2, 4, 4, 3)
        return y, torch.zeros_like(z, dtype=torch.float16), z.as_strided((2, 2), (1, 2), 1)


def layouts():
    return Sample(Layouts(), (torch.randn(1, 2, 4, 4),))


class NameClashes(nn.Module):
    """Inputs and parameters whose names are those that tracing would give to others."""

    def __init__(self):
        super().__init__()
        self.add = nn.Parameter(torch.ones(2))
        self.getitem_1 = nn.Parameter(torch.ones(2))
        self.add_1 = nn.Linear(2, 2)

    def forward(self, add, getitem, input, p_add):
        total = add + getitem + self.add
        values, order = torch.sort(total + self.getitem_1)
        other, _ = torch.sort(self.add_1(input + p_add))
        return values + other, order, order


def name_clashes():
    return Sample(NameClashes(), tuple(torch.randn(2) for _ in range(4)))


class NoInputs(nn.Module):
    def forward(self):
        return torch.arange(4).reshape(2, 2)


def no_inputs():
    return Sample(NoInputs(), ())


class PassThrough(nn.Module):
    """An input that is returned as it is, twice, and one that nobody reads."""

    def forward(self, x, unread):
        return x, x, torch.ones(2)


def pass_through():
    return Sample(PassThrough(), (torch.randn(2), torch.randn(3)))


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x, target):
        return nn.functional.cross_entropy(self.linear(x), target)


def loss():
    return Sample(Loss(), (torch.randn(3, 4), torch.tensor([0, 1, 0])))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))

    def forward(self, x):
        heads = [p(x).unflatten(-1, (2, 4)).transpose(1, 2) for p in (self.q, self.k, self.v)]
        y = nn.functional.scaled_dot_product_attention(*heads, is_causal=True)
        return y.transpose(1, 2).flatten(2)


def attention():
    return Sample(Attention(), (torch.randn(1, 5, 8),))


class Portable(nn.Module):
    """Ops that the portable kernels run, with a view that planning elides."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.register_buffer("total", torch.zeros(6))

    def forward(self, x):
        self.total.add_(x.sum(0))
        y = self.linear(x)
        values, indices = torch.topk(y, 3)
        first, second = torch.split(y, 3, dim=1)
        joined = torch.cat([first + 1, second, values], 1)
        return joined.view(-1, 3) * 2, indices, self.total + 0


def portable():
    return Sample(Portable(), (torch.randn(2, 6),))


class TwoAdds(nn.Module):
    def forward(self, x, y):
        a = x + y
        b = a * y
        return b + x, a


def two_adds():
    return Sample(TwoAdds(), (torch.randn(2, 3), torch.randn(2, 3)))


class DynamicRows(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(6, 6)

    def forward(self, x):
        y = self.proj(x).view(x.shape[0] * 2, 3)
        return torch.cat([y, y[1:]], 0), x.shape[0]


def dynamic_rows():
    return Sample(DynamicRows(), (torch.randn(6, 6),), dynamic=({0: Dim("rows", min=2, max=9)},))


class Literals(nn.Module):
    """Arguments of every type that an instruction can hold."""

    def forward(self, x, indices):
        padded = torch.constant_pad_nd(x, [1, 1], 2.5)
        picked = torch.ops.aten.index.Tensor(padded, [None, indices])
        scaled = nn.functional.interpolate(x[None, None], scale_factor=2.0, mode="bilinear")
        summed = torch.ops.aten.sum.dim_IntList(x, [0, 1], True, dtype=torch.float64)
        rounded = torch.ops.aten.div.Tensor_mode(x, x + 1, rounding_mode="floor")
        return picked, scaled, summed, rounded, torch.clamp(x, max=float("inf")), None, 3


def literals():
    return Sample(Literals(), (torch.randn(2, 4), torch.tensor([0, 3])))


class TwoBackends(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        y = self.linear(x)
        z = torch.cumsum(y, 1)
        return self.linear(z) * 2, y.sum(0)


def two_backends():
    return Sample(TwoBackends(), (torch.randn(3, 4),))


class RepeatedSines(nn.Module):
    def forward(self, x):
        return (x.sin() + 1).sin() + x


def repeated_sines():
    return Sample(RepeatedSines(), (torch.randn(3),))


class OneSine(nn.Module):
    def forward(self, x):
        return x.sin()


def one_sine():
    return Sample(OneSine(), (torch.randn(3),))


class Old(nn.Module):
    """What the layouts of torch 2.6 and before wrote differently."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.tied = nn.Linear(4, 4, bias=False)
        self.tied.weight = self.linear.weight
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("scratch", torch.ones(4), persistent=False)

    def forward(self, x, *, scale):
        self.count.add_(1)
        y = torch.clamp(self.tied(self.linear(x)), min=float("-inf"), max=float("inf"))
        values, _ = torch.topk(y, 2)
        return values.sum(1) * scale + self.scratch[0], torch.tensor([1.0, 2.0]) * self.count


def old():
    rows = {0: Dim("rows", min=2)}
    return Sample(
        Old(),
        (torch.randn(3, 4),),
        {"scale": torch.tensor(2.0)},
        dynamic={"x": rows, "scale": None},
    )


class KeyValueCache(nn.Module):
    """Two methods over the same buffers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(4, 3))
        self.register_buffer("filled", torch.ones(3))

    def forward(self, x, position):
        self.keys.index_copy_(0, position, x)
        return self.keys.sum(0) * self.filled

    def reset(self):
        self.keys.zero_()
        self.filled.fill_(1)
        return self.filled + 0


def key_value_cache():
    return Sample(KeyValueCache(), (torch.randn(1, 3), torch.tensor([1])))


class ParameterMutation(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        with torch.no_grad():
            self.steps.add_(1)
        return x * self.steps


def parameter_mutation():
    return Sample(ParameterMutation(), (torch.randn(3),))


class Resized(nn.Module):
    """An op with a list of floats and one with a list of flags."""

    def forward(self, x):
        wide = torch.ops.aten.upsample_nearest2d.vec(x, None, [2.0, 2.0])
        grads = torch.ops.aten.convolution_backward(
            x, x, torch.ones(1, 1, 1, 1), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1,
            [True, True, False],
        )
        return wide, grads[1]


def resized():
    return Sample(Resized(), (torch.randn(1, 1, 2, 2),))


class ComplexNumbers(nn.Module):
    def __init__(self):
        super().__init__()
        self.phase = nn.Parameter(torch.polar(torch.ones(3), torch.arange(3.0)))

    def forward(self, x):
        turned = torch.view_as_complex(x) * 2j + self.phase
        return torch.view_as_real(turned), turned.abs(), torch.full((2,), 1 + 2j)


def complex_numbers():
    return Sample(ComplexNumbers(), (torch.randn(3, 2),))


class UnicodeNames(nn.Module):
    def __init__(self):
        super().__init__()
        self.größe = nn.Parameter(torch.ones(2))
        self.register_buffer("名前", torch.ones(2))

    def forward(self, x):
        return x * self.größe + getattr(self, "名前")


def unicode_names():
    return Sample(UnicodeNames(), (torch.randn(2),))


class Grid(nn.Module):
    """A list of tensors that one op takes, and a number that depends on data."""

    def forward(self, x):
        grid = torch.stack(torch.meshgrid(x, x, indexing="ij"))
        torch._assert_async((x.sum() > -100).all())
        return grid, x.sum().item()


def grid():
    return Sample(Grid(), (torch.randn(3),))


class Symbols(nn.Module):
    """Arithmetic on sizes."""

    def forward(self, x, y):
        n, m = x.shape[0], y.shape[0]
        sizes = torch.sym_max(n, m), torch.sym_min(n, 3), (n + 1) // 2 * m, n / m
        return x.new_zeros(n % 4 + 2), torch.zeros(n * m), torch.sym_float(n) * 0.5, *sizes


def symbols():
    rows, others = Dim("rows", min=3, max=50), Dim("others", min=4, max=60)
    return Sample(
        Symbols(), (torch.randn(5), torch.randn(7)), dynamic=({0: rows}, {0: others})
    )


class Gate(nn.Module):
    """A product of two values, one of which takes a way round through cumsum."""

    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)

    def forward(self, x):
        hidden = self.up(x)
        return self.down(hidden * torch.cumsum(torch.sigmoid(hidden), -1)) + x


def gate():
    return Sample(Gate(), (torch.randn(2, 8),))


class Counter(nn.Module):
    """A weight with users on both sides of cumsum, and a buffer that is written back."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count.add_(1)
        total = torch.cumsum(x * self.scale, -1)
        return total * self.scale + self.count


def counter():
    return Sample(Counter(), (torch.randn(2, 4),))


class Window(nn.Module):
    """The last rows that were seen, as a buffer, and what falls out of it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.randn(4, 6))

    def forward(self, x):
        oldest = torch.select_copy(self.rows, 0, 0)
        self.rows.copy_(torch.cat([self.rows[1:], x]))
        return self.rows @ x.transpose(0, 1), oldest


def window():
    return Sample(Window(), (torch.randn(1, 6),))


class Positions(nn.Module):
    """Linear layers with ops around them that XNNPACK leaves on the host."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(4, 8)
        self.out = nn.Linear(8, 4)
        self.register_buffer("decay", torch.linspace(1, 0.3, 8))

    def forward(self, x):
        turned = torch.atan2(torch.cumsum(self.query(x), 0), self.decay)
        return torch.cumsum(self.out(turned), 0)


def positions():
    return Sample(Positions(), (torch.randn(3, 4),))


class Crossed(nn.Module):
    """Two chains side by side: the first op of each may share a delegate with the other's second."""

    def forward(self, x):
        return x.sin().cos(), x.exp().relu()


def crossed():
    return Sample(Crossed(), (torch.randn(3),))


class ListedWeight(nn.Module):
    """A weight that is read before cumsum, and in a list after it."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x):
        total = torch.cumsum(x * self.scale, -1)
        return torch.cat([total, self.scale])


def listed_weight():
    return Sample(ListedWeight(), (torch.randn(4),))


class SymbolicCond(nn.Module):
    """Decided by sizes and by an item, which are bools only when the program runs."""

    def forward(self, x, flags):
        def double(x):
            return x * 2

        def negate(x):
            return -x

        many = torch.cond(x.shape[0] > 4, double, negate, (x,))
        odd = torch.cond(torch.sym_not(x.shape[0] % 2 == 0), double, negate, (many,))
        return torch.cond(flags.any().item(), double, negate, (odd,))


def symbolic_cond():
    dynamic = ({0: Dim("rows", min=2, max=8)}, None)
    return Sample(SymbolicCond(), (torch.randn(3, 2), torch.tensor([False, True])), dynamic=dynamic)


class Squeeze(nn.Module):
    """A block of a MobileNet: batch norms, and convolutions without one."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(6)
        self.reduce = nn.Conv2d(6, 4, 1)
        self.expand = nn.Conv2d(4, 6, 1)
        self.project = nn.Conv2d(6, 5, 1, bias=False)
        self.project_norm = nn.BatchNorm2d(5)
        self.head = nn.Linear(5, 4)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        x = x * torch.sigmoid(self.expand(torch.relu(self.reduce(x.mean((2, 3), keepdim=True)))))
        return self.head(self.project_norm(self.project(x)).mean((2, 3)))


def squeeze():
    return Sample(Squeeze().eval(), (torch.randn(1, 3, 4, 4),))


class BranchLinear(nn.Module):
    """A linear in the program itself, and one in each branch."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.yes = nn.Linear(4, 4)
        self.no = nn.Linear(4, 4)

    def forward(self, x):
        x = self.first(x)
        return torch.cond(
            x.sum() > 0, lambda x: torch.relu(self.yes(x)), lambda x: self.no(x) + 1, (x,)
        )


def branch_linear():
    return Sample(BranchLinear(), (torch.randn(2, 4),))


SAMPLES: dict[str, Callable[[], Sample]] = {
    make.__name__: make
    for make in (
        mlp, conv_net, dynamic, unbacked, cond, nested_cond, symbolic_cond, while_loops, scans,
        associative_scans, maps, buffers, input_mutation, tied_weights, lifted_constants,
        dtypes, multi_output, none_output, constant_inputs, custom_ops, mutating_op,
        no_grad, vmap, infinities, layouts, name_clashes, no_inputs, pass_through, loss,
        attention, complex_numbers, unicode_names, grid, symbols, parameter_mutation,
    )  # fmt: skip
}


class NarrowNet(nn.Module):
    """What its first layer gives has another range than what is cut out of it."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 6, 3, padding=1), nn.Conv2d(6, 8, 3)

    def forward(self, x):
        return self.second(nn.functional.relu6(self.first(x)))


def narrow_net():
    return Sample(NarrowNet().eval(), (torch.randn(1, 3, 8, 8),))
