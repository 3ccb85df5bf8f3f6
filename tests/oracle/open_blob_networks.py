"""Networks whose blobs hold what few do: lists with sizes that are known late or with nothing in
them, several chains, bodies that take numbers, inputs that are written to, clamps of halves.

OWN: by name, the only backend that it is for, or None, and a function that makes a sample.
"""

import importlib

import torch
from torch import nn

import backends
from programs import Sample
from xnnpack_networks import Of

ROWS = torch.export.Dim("rows", min=2, max=8)
OWN = {}


def own(name, function, *inputs, backend=None, dynamic=None):
    OWN[name] = backend, lambda: Sample(Of(function), inputs, dynamic=dynamic and (dynamic,))


own("view of a late size", lambda x: torch.relu((x * 2).view(x.shape[0], 2, 2)), torch.ones(4, 4),
    dynamic=({0: ROWS},))
own("reshape to a late product", lambda x: torch.sigmoid((x * 2).reshape(x.shape[0] * 4) + 1),
    torch.ones(4, 4), dynamic=({0: ROWS},))
own("index of the second dimension", lambda x, i: torch.relu(x * 2)[:, i] + 1, torch.ones(4, 4),
    torch.tensor([1, 2]))
for dtype in (torch.float16, torch.bfloat16):
    own(f"clamp of {dtype}", lambda x: torch.clamp(x, -1.5, 2.25), torch.ones(2, 4, dtype=dtype))


def branches(x):
    rows = x.shape[0]
    ones, twos = lambda: torch.ones(rows, 4), lambda: torch.full((rows, 4), 2.0)
    return x + torch.cond(x.sum() > x.numel(), ones, twos, ())


def put(x, i, y):
    out = x * 2
    return out.index_put_((i,), out[:2]) + out.add_(y)


own("branches that take a size", branches, torch.ones(4, 4), backend="native", dynamic=({0: ROWS},))
own("writes to what it reads", put, torch.ones(4, 4), torch.tensor([1, 2]), torch.ones(4, 4),
    backend="native")


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(8, 4))

    def forward(self, i, x):
        self.cache.index_put_((i,), x)
        return self.cache * 2


OWN["a buffer that is written to"] = None, lambda: Sample(Cache(), (torch.tensor([1, 2]), torch.ones(2, 4)))


def mlx_module(name):
    backends.make_mlx()
    return importlib.import_module(f"executorch.backends.mlx.{name}")


def sampling():
    head = mlx_module("llm.sampling").SamplingHead(nn.Identity())
    keep_all = torch.tensor(torch.iinfo(torch.int64).max), torch.tensor(1.0)
    return Sample(Of(lambda head, logits, heat: head(logits, heat, *keep_all, None), head),
                  (torch.randn(1, 64), torch.tensor(0.8)))


class Recurrence(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(1, 2, 8, 8))

    def forward(self, q, k, v, g, beta):
        return torch.ops.mlx.gated_delta_rule(q, k, v, g, beta, self.state, use_custom_kernel=False) * 2


def recurrence():
    mlx_module("custom_kernel_ops.gated_delta_rule")
    x, y = torch.ones(1, 4, 2, 8), torch.ones(1, 4, 2)
    return Sample(Recurrence(), (x, x, x, y, y))


def packed():
    from torchao.quantization.granularity import PerGroup
    from torchao.quantization.quant_api import IntxWeightOnlyConfig, quantize_

    module = nn.Sequential(nn.Linear(64, 64), nn.ReLU())
    quantize_(module, IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(32)))
    return Sample(module, (torch.randn(1, 64),))


OWN["sampling with a branch"] = "mlx", sampling
OWN["a scan with a state"] = "mlx", recurrence
OWN["biases made before all calls"] = "mlx", packed
