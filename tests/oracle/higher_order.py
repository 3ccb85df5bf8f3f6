"""Modules whose programs hold calls of graphs, transforms and operators that no aten operator is.

HIGHER_ORDER: by name, a function that makes a programs.Sample, exported without and with `strict`.
"""

import torch
from torch import nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.foreach_map import foreach_map
from torch._higher_order_ops.hints_wrap import hints_wrapper
from torch._higher_order_ops.out_dtype import out_dtype
from torch._higher_order_ops.strict_mode import strict_mode
from torch._higher_order_ops.while_loop import while_loop_stack_output_op
from torch.func import functional_call, jvp, vmap
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from programs import Sample, map_op, scan, while_loop
from sound_modules import Computed, normal, whole

HIGHER_ORDER = {}


def add(name, make_module, *inputs):
    for strict in (False, True):

        def make(strict=strict):
            return Sample(make_module(), tuple(i() for i in inputs), strict=strict)

        HIGHER_ORDER[f"{name}/{'strict' if strict else 'loose'}"] = make


def of(*inputs):
    """The decorated function is a sample of its own name."""

    def keep(function):
        add(function.__name__, lambda: Computed(function), *inputs)
        return function

    return keep


def mapped(name, function, *inputs, **how):
    add(f"vmap_{name}", lambda: Computed(lambda *args: vmap(function, **how)(*args)), *inputs)


# torch.vmap: what a program that is not decomposed keeps calls of torch._functorch.predispatch for.
# torch 2.13 exports no out_dims other than 0, and an export that fails leaves its level open: those
# that follow fail, too.

SQUARE, ROWS = normal(4, 3, 3), normal(4, 6)
mapped("dot", lambda a, b: (a * b).sum(), ROWS, ROWS)
mapped("captured", lambda a, b: a @ b, ROWS, normal(6), in_dims=(0, None))
mapped("results", lambda a: (a.t(), a.sum(0).relu(), a.max()), SQUARE)
mapped("in_dims", lambda a, b: (a.softmax(-1), b.cumsum(0)), normal(6, 4), normal(2, 3, 4), in_dims=(1, -1))
mapped("not_of_batch", lambda a, b: (a.relu(), b * 2), ROWS, normal(6), in_dims=(0, None))
mapped("products", torch.mm, normal(4, 3, 5), normal(4, 5, 2))
mapped("lists", lambda a: (*(t * 2 for t in a.split(2)), *a.topk(3)), ROWS)
mapped("chunks", lambda a: a.cumsum(0), ROWS, chunk_size=2)
mapped("one", lambda a: a.softmax(-1).cumsum(0), normal(1, 3))
mapped("places", lambda a, i: a.index_select(0, i.reshape(1)) + a.gather(0, i.reshape(1)), ROWS, whole(0, 6, 4))
mapped("choice", lambda a, p: torch.where(p > 0, a.sin(), a.cos()), ROWS, normal(4))
mapped("made", lambda a: a + torch.arange(6) + torch.zeros_like(a) + a.new_ones(6), ROWS)
mapped("norm", lambda a: F.layer_norm(a, (8,)) @ a.t(), normal(4, 3, 8))
mapped("attention", lambda a: F.scaled_dot_product_attention(a, a, a), normal(2, 2, 3, 4))
mapped("pool", lambda a: F.avg_pool2d(a.unsqueeze(0), 2), normal(4, 3, 8, 8))
mapped("trees", lambda d: {"s": d["a"] + d["b"][0]}, lambda: {"a": torch.randn(4, 6), "b": (torch.randn(4, 6),)})
mapped("sizes", lambda a: a.reshape(a.shape[0] // 2, -1).sum(0) / a.numel(), ROWS)


@of(normal(4, 3), normal(5, 3))
def vmap_nested(x, y):
    return vmap(lambda a: vmap(lambda b: torch.softmax(a * b, -1))(y))(x)


@of(ROWS)
def vmap_in_place(x):
    def step(a):
        copy = a.clone()
        copy.add_(1)
        end = copy[1:]
        end.mul_(2)
        return copy, end

    return vmap(step)(x)


@of(normal(4, 6), normal(3, 4, 6))
def vmap_in_scan(carried, rows):
    return scan(lambda c, t: (vmap(lambda a, b: a * b.sum())(c, t), c.sum()), carried, rows)


@of(normal(4, 6))
def vmap_without_gradient(x):
    with torch.no_grad():
        return vmap(torch.sin)(x)


class Ensemble(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(3, 2)
        self.weights, self.biases = nn.Parameter(torch.randn(4, 2, 3)), nn.Parameter(torch.randn(4, 2))

    def forward(self, x):
        return vmap(lambda w, b: functional_call(self.one, {"weight": w, "bias": b}, (x,)))(self.weights, self.biases)


class Totals(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("totals", torch.zeros(4, 6))

    def forward(self, x):
        vmap(lambda total, a: total.add_(a))(self.totals, x)
        return self.totals * 2


add("vmap_ensemble", Ensemble, normal(5, 3))
add("vmap_writes_buffer", Totals, ROWS)


# Other transforms


class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)

    def forward(self, x):
        return functional_call(self.linear, {"weight": self.linear.weight * 2}, (x,))


class Sine(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(context, gradient):
        return gradient * context.saved_tensors[0].cos()


add("functional_call", Replaced, normal(2, 3))
add("autograd_function", lambda: Computed(lambda x: Sine.apply(x) + 1), normal(3))
add("jvp", lambda: Computed(lambda x, t: jvp(torch.sin, (x,), (t,))), normal(3), normal(3))


@of(normal(3, 3))
def checkpointed(x):
    return checkpoint(lambda a: (a @ a).relu(), x, use_reentrant=False)


@of(normal(3, 3))
def modes(x):
    with torch.no_grad():
        y = x.sin()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        z = y @ x
    with torch.autocast("cpu", enabled=False):
        return y, z, y @ x


# Graphs that are called


@torch.compiler.nested_compile_region
def region(x, y):
    return x.sin() * y, y.cos()


@of(normal(3), normal(3))
def called_twice(x, y):
    a, b = region(x, y)
    return region(a, b)


@of(normal(3, 3), normal(3, 3))
def hinted(x, y):
    return hints_wrapper(lambda a, b: (a @ b).relu(), (x, y), {}, hints={"name": "text", "n": 3, "on": True})


@of(normal(3))
def strictly(x):
    return strict_mode(lambda a: a.sin() + 1, (x,))


@of(normal(3), normal(3))
def foreach(x, y):
    return foreach_map(lambda a, b: a.sin() + b, [x, y], [y, x])


@of(normal(3))
def printed(x):
    torch._higher_order_ops.print("sum {}", x.sum())
    return x + 1


@of(whole(-9, 9, 3, 4), whole(-9, 9, 4, 3))
def wide_product(x, y):
    return out_dtype(torch.ops.aten.mm.default, torch.int32, x.to(torch.int8), y.to(torch.int8))


# Loops over trees, weights, dimensions


@of(normal(3, 4), normal(3), normal(4))
def map_of_trees(x, y, z):
    return map_op(lambda t, z: {"a": t[0] * z, "b": [t[1] + 1, (t[0].sum(),)]}, (x, y), z)


@of(normal(4), normal(2), normal(5, 4), normal(5, 2))
def scan_of_trees(c, d, x, y):
    def step(carried, t):
        return (carried[0] + t[0], carried[1] * 0.5 + t[1]), {"y": carried[0] * t[0], "z": t[1].clone()}

    return scan(step, (c, d), (x, y))


@of(normal(4), normal(3, 5, 4))
def scan_backwards(c, x):
    return scan(lambda c, t: (c + t.sum(0), c * 2), c, x, dim=1, reverse=True)


@of(normal(5, 4), normal(5, 4))
def associative_pairs(a, b):
    return associative_scan(
        lambda left, right: (left[0] * right[0], left[1] * right[0] + right[1]), (a, b), 0, combine_mode="generic"
    )


@of(normal(5, 4))
def associative_backwards(a):
    return associative_scan(torch.add, a, 1, reverse=True, combine_mode="generic")


@of(whole(0, 4, 1), normal(4))
def stacked_turns(n, x):
    step = lambda n, x: (n - 1, x + 1)
    return while_loop_stack_output_op(lambda n, x: n > 0, step, (n.reshape(()), x), ())


@of(normal(4))
def cond_of_trees(x):
    more = lambda d: {"a": d["x"] + 1, "b": (d["x"] * 2,)}
    less = lambda d: {"a": d["x"] - 1, "b": (d["x"] / 2,)}
    return torch.cond(x.sum() > 0, more, less, ({"x": x},))


class Weighted(nn.Module):
    """Loops whose bodies read weights and buffers of the module."""

    def __init__(self, loop):
        super().__init__()
        self.loop, self.linear = loop, nn.Linear(4, 4)
        self.register_buffer("shift", torch.randn(4))

    def forward(self, *inputs):
        return self.loop(self, *inputs)


def while_weighted(module, n, x):
    step = lambda n, x: (n - 1, module.linear(x) + module.shift)
    return while_loop(lambda n, x: n > 0, step, (n.reshape(()), x))


def scan_weighted(module, c, x):
    return scan(lambda c, t: (torch.tanh(module.linear(c) + t), c.clone()), c, x)


def cond_weighted(module, x):
    return torch.cond(x.sum() > 0, lambda x: module.linear(x) + module.shift, lambda x: x * module.shift, (x,))


add("while_weighted", lambda: Weighted(while_weighted), whole(0, 4, 1), normal(4))
add("scan_weighted", lambda: Weighted(scan_weighted), normal(4), normal(5, 4))
add("cond_weighted", lambda: Weighted(cond_weighted), normal(4))
