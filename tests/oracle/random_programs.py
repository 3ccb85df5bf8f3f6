"""Programs that nobody wrote: chains of random ops over a pool of [rows, width] tensors."""

import random

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

import programs
from programs import Sample

FLOAT_DTYPES = (torch.float32, torch.float32, torch.float32, torch.float64, torch.bfloat16)


def keep_rows(values, x):
    """Any tensor with as many rows as x, brought back to the shape and type of x."""
    flat = values.to(x.dtype).reshape(x.shape[0], -1)
    return flat.mean(1, keepdim=True) + x


class Weighted(nn.Module):
    def __init__(self, rng, width, dtype):
        super().__init__()
        self.linear = nn.Linear(width, width, bias=rng.random() < 0.7, dtype=dtype)
        self.norm = nn.LayerNorm(width, dtype=dtype)
        self.normalises = rng.random() < 0.5

    def forward(self, x, y):
        x = self.linear(x)
        return self.norm(x) if self.normalises else x


class Convolved(nn.Module):
    def __init__(self, rng, width, dtype):
        super().__init__()
        self.conv = nn.Conv1d(1, rng.randint(1, 3), 3, padding=1, dtype=dtype)

    def forward(self, x, y):
        return self.conv(x.unsqueeze(1)).mean(1) + y


class Counting(nn.Module):
    def __init__(self, rng, width, dtype):
        super().__init__()
        self.register_buffer("seen", torch.zeros(width, dtype=dtype))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64), rng.random() < 0.5)

    def forward(self, x, y):
        self.calls.add_(1)
        self.seen.copy_(self.seen + x.sum(0))
        return x + self.seen


class Looked(nn.Module):
    def __init__(self, rng, width, dtype):
        super().__init__()
        self.table = nn.Embedding(rng.randint(4, 9), width, dtype=dtype)

    def forward(self, x, y):
        index = x.abs().sum(1).to(torch.int64).clamp(0, self.table.num_embeddings - 1)
        return self.table(index) * y


class Attending(nn.Module):
    def forward(self, x, y):
        q, k, v = (t[None, None] for t in (x, y, x))
        return F.scaled_dot_product_attention(q, k, v)[0, 0]


class Step(nn.Module):
    """A function as a module, so that it has a place in the module stack."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


def cond_step(rng):
    """A branch on data, at times with another inside, over functions drawn at random."""
    outer = [rng.choice(POINTWISE) for _ in range(3)]
    threshold, nested = rng.uniform(-1, 1), rng.random() < 0.3

    def low(x, y):
        return outer[0](x, y)

    def high(x, y):
        if nested:
            return torch.cond(y.sum() > threshold, lambda x, y: outer[1](x, y) + 1, low, (x, y))
        return outer[1](x, y) * 2

    return lambda x, y: torch.cond(x.sum() > threshold, high, low, (x, y))


def while_step(rng):
    rounds, function = rng.randint(1, 4), rng.choice(POINTWISE)

    def step(x, y):
        def body(i, x):
            return i + 1, function(x, x) * 0.5

        start = torch.zeros((), dtype=torch.int64)
        return programs.while_loop(lambda i, x: i < rounds, body, (start, x.clone()))[1] + y

    return step


def scan_step(rng):
    function = rng.choice(POINTWISE)

    def step(x, y):
        def combine(carry, row):
            carry = function(carry, row) * 0.5
            return carry, carry + row

        last, rows = programs.scan(combine, y[0].clone(), x)
        return rows + last

    return step


def map_step(rng):
    function = rng.choice(POINTWISE)
    return lambda x, y: programs.map_op(lambda row, other: function(row, other) + 1, x, y[0])


POINTWISE = (
    lambda x, y: x + y,
    lambda x, y: x * y,
    lambda x, y: x - 2 * y,
    lambda x, y: torch.relu(x) + y,
    lambda x, y: torch.sigmoid(x) * y,
    lambda x, y: torch.tanh(x),
    lambda x, y: torch.maximum(x, y),
    lambda x, y: torch.clamp(x, -1.0, 1.0) + y,
    lambda x, y: F.gelu(x) - y,
    lambda x, y: F.silu(x),
    lambda x, y: torch.exp(-x.abs()),
    lambda x, y: x / (y.abs() + 1),
)

SHAPED = (
    lambda x, y: torch.softmax(x, -1),
    lambda x, y: x - x.mean(1, keepdim=True),
    lambda x, y: x / (x.var(1, keepdim=True) + 1).sqrt(),
    lambda x, y: torch.where(x > y, x, y.neg()),
    lambda x, y: x.masked_fill(x < 0, float("-inf")).clamp(min=-4.0),
    lambda x, y: torch.cat([x[:, 1:], y[:, :1]], 1),
    lambda x, y: torch.stack([x, y], 2).sum(2),
    lambda x, y: keep_rows(torch.topk(x, 2).values, x),
    lambda x, y: keep_rows(torch.topk(x, 2).indices, x),
    lambda x, y: torch.sort(x, 1)[0],
    lambda x, y: keep_rows(torch.max(x, 1).values, y),
    lambda x, y: keep_rows(torch.argmax(x, 1), y),
    lambda x, y: torch.cat(list(torch.split(x, 2, 1))[::-1], 1),
    lambda x, y: torch.cat([part + 1 for part in torch.chunk(x, 2, 1)], 1),
    lambda x, y: torch.stack(list(torch.unbind(x, 1)), 1),
    lambda x, y: keep_rows(torch.var(x, 1), y),
    lambda x, y: keep_rows(x.t().contiguous().t() @ y.t().sum(1), x),
    lambda x, y: torch.cumsum(x, 1),
    lambda x, y: torch.flip(x, [1]),
    lambda x, y: F.pad(x, [1, 1])[:, 1:-1] * y,
    lambda x, y: x.index_select(1, torch.tensor([0] * x.shape[1])),
    lambda x, y: x[:, torch.arange(x.shape[1])] + y,
    lambda x, y: torch.zeros_like(x).copy_(y),
    lambda x, y: x.clone().add_(y).mul_(0.5),
    lambda x, y: x.to(torch.float16).to(x.dtype) + y,
    lambda x, y: x.to(torch.int32).to(x.dtype) + y,
    lambda x, y: (x > 0).logical_and(y > 0).to(x.dtype),
    lambda x, y: x + torch.arange(x.shape[0], dtype=x.dtype)[:, None],
    lambda x, y: x + torch.tensor([0.5, 0.25], dtype=x.dtype)[0],
    lambda x, y: x.unsqueeze(0).expand(2, -1, -1).sum(0) + y,
    lambda x, y: x.reshape(-1)[: x.shape[0]].unsqueeze(1) + y,
    lambda x, y: torch.einsum("ij,kj->ik", x, y) @ y,
    lambda x, y: x + x.shape[0],
)  # fmt: skip

OWN_OPS = (
    lambda x, y: programs.scale_rows(x.float(), 0.5, [1, 2]).to(x.dtype) + y,
    lambda x, y: torch.ops.demo.twice(x) + y,
)

WEIGHTED = (Weighted, Weighted, Convolved, Counting, Looked)


def random_step(rng, width, dtype, traits):
    kinds = {
        "pointwise": lambda: Step(rng.choice(POINTWISE)),
        "shaped": lambda: Step(rng.choice(SHAPED)),
        "weighted": lambda: rng.choice(WEIGHTED)(rng, width, dtype),
        "attention": Attending,
        "while_loop": lambda: Step(while_step(rng)),
        "control_flow": lambda: Step(rng.choice((cond_step, scan_step, map_step))(rng)),
        "own_ops": lambda: Step(rng.choice(OWN_OPS)),
    }
    weights = {"pointwise": 10, "shaped": 12, "weighted": 8, "attention": 1}
    weights |= {kind: 2 for kind in kinds if kind in traits}
    return kinds[rng.choices(list(weights), list(weights.values()))[0]]()


class RandomProgram(nn.Module):
    def __init__(self, rng, width, dtype, traits):
        super().__init__()
        count = rng.randint(3, 24)
        self.steps = nn.ModuleList(random_step(rng, width, dtype, traits) for _ in range(count))
        self.operands = [(rng.randint(0, 9), rng.randint(0, 9)) for _ in range(count)]
        self.output_form = rng.choice(("one", "pair", "dict", "none", "size", "list"))

    def forward(self, x, y):
        pool = [x, y]
        for step, (a, b) in zip(self.steps, self.operands):
            pool.append(step(pool[-1 - a % len(pool)], pool[-1 - b % len(pool)]))
        return self.answer(pool)

    def answer(self, pool):
        forms = {
            "one": lambda: pool[-1],
            "pair": lambda: (pool[-1], pool[-2]),
            "dict": lambda: {"last": pool[-1], "total": pool[2].sum()},
            "none": lambda: (None, pool[-1], 3),
            "size": lambda: (pool[-1].shape[0], pool[-1]),
            "list": lambda: [pool[-1], [pool[-2], pool[2]]],
        }
        return forms[self.output_form]()


def random_sample(seed, traits):
    rng = random.Random(seed)
    dtype = rng.choice(FLOAT_DTYPES) if "dtypes" in traits else torch.float32
    width, rows = rng.choice((2, 4, 6, 8)), rng.randint(3, 6)
    module = RandomProgram(rng, width, dtype, traits)
    if rng.random() < 0.8:
        module.requires_grad_(False)
    inputs = tuple(torch.randn(rows, width, dtype=dtype) for _ in range(2))
    dynamic = None
    if "dynamic" in traits and rng.random() < 0.4:
        size = Dim("rows", min=2, max=32)
        dynamic = ({0: size}, {0: size})
    return Sample(module, inputs, dynamic=dynamic, strict=rng.random() < 0.15)
