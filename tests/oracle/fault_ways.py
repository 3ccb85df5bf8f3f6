"""Cases of one operator, and ways to compute that are right in another order, or wrong.

CASES: what faults_one_op and faults_one_sum put there.
"""

from dataclasses import dataclass, field
from typing import Callable

import torch

F32, F16, BF16, F64 = torch.float32, torch.float16, torch.bfloat16, torch.float64
ALL = (F32, F16, BF16, F64)
NARROW = (F16, BF16)


@dataclass
class Case:
    """`faults` and `rights`: by name, (dtypes, function of the same inputs)."""

    tolerance: str
    name: str
    function: Callable
    inputs: Callable  # of a generator and a dtype
    dtypes: tuple = ALL
    faults: dict = field(default_factory=dict)
    rights: dict = field(default_factory=dict)


CASES = []


def case(*args, **options):
    CASES.append(Case(*args, **options))


def normal(generator, dtype, *shape, scale=1.0, shift=0.0):
    return (torch.randn(shape, generator=generator, dtype=F64) * scale + shift).to(dtype)


def inputs(*shapes, scale=1.0, shift=0.0):
    return lambda generator, dtype: [
        normal(generator, dtype, *shape, scale=scale, shift=shift) for shape in shapes
    ]


def on(dtypes, function):
    return dtypes, function


# Rounding and summing in other ways


def rounded_to_tf32(x):
    bits = x.contiguous().view(torch.int32)
    return ((bits + 0xFFF + ((bits >> 13) & 1)) & ~0x1FFF).view(F32)


def with_tf32(function):
    return lambda *args: function(*map(rounded_to_tf32, args))


def in_bf16(function):
    """Weights, the second input, rounded to bf16."""
    return lambda x, w, *rest: function(x, w.to(BF16).to(x.dtype), *rest)


def of_f64(function):
    """Computed in f64, rounded once."""
    def compute(*args):
        results = function(*[a.double() if a.is_floating_point() else a for a in args])
        return results.to(args[0].dtype)
    return compute


def wide(x):
    return x.double() if x.dtype == F64 else x.float()


def permuted(a, b):
    order = torch.randperm(a.shape[-1], generator=torch.Generator().manual_seed(7))
    return (wide(a)[..., order] @ wide(b)[..., order, :]).to(a.dtype)


def split_in_four(a, b):
    parts = zip(wide(a).chunk(4, -1), wide(b).chunk(4, -2))
    return sum(x @ y for x, y in parts).to(a.dtype)


def one_by_one(a, b, accumulate=None):
    """The plainest loop over K, whose sum has `accumulate` as its type."""
    dtype = accumulate or wide(a).dtype
    total = torch.zeros(*a.shape[:-1], b.shape[-1], dtype=dtype)
    for k in range(a.shape[-1]):
        product = wide(a)[..., k, None] * wide(b)[..., k, None, :]
        total = (total.to(product.dtype) + product).to(dtype)
    return total.to(a.dtype)


def sums_in_the_dtype(a, b):
    return one_by_one(a, b, a.dtype)


def halves(x, dim=-1):
    """A sum of sums."""
    return sum(part.sum(dim) for part in wide(x).chunk(8, dim))


def one_by_one_sum(x):
    return wide(x).cumsum(-1)[..., -1].to(x.dtype)


def roll(function, by=1, dim=-1):
    return lambda *args: function(*args).roll(by, dim)


def first_wrong(function):
    """One element, by as much as values are large."""
    def compute(*args):
        result = function(*args).clone()
        flat = result.view(-1)
        flat[flat.numel() // 3] += result.float().std().to(result.dtype)
        return result
    return compute


def largest_lost(function):
    """The largest element as if it were never written."""
    def compute(*args):
        result = function(*args).clone().contiguous()
        result.view(-1)[result.abs().argmax()] = 0
        return result
    return compute


def without_mkldnn(function):
    def compute(*args):
        with torch.backends.mkldnn.flags(enabled=False):
            return function(*args)
    return compute


def in_threads(function, n=2):
    def compute(*args):
        before = torch.get_num_threads()
        torch.set_num_threads(n)
        try:
            return function(*args)
        finally:
            torch.set_num_threads(before)
    return compute
