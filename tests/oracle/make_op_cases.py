"""Write case files for check_kernels: calls of operators with what torch makes of them.

Samples come from torch's own operator database; each is called by the ATen overloads of
its name that the kernel table has, and what those calls dispatch to is recorded, too.
"""
import argparse
import fnmatch
import random
import struct
import subprocess
import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._python_dispatch import TorchDispatchMode

NONE, TENSOR, INT, FLOAT, BOOL, STRING, TYPE, LIST, _, COMPLEX = range(10)

DTYPES = {
    "bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16,
    "i32": torch.int32, "i64": torch.int64, "f16": torch.float16,
    "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "c64": torch.complex64, "c128": torch.complex128,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()} | {torch.uint64: "u64"}
MOST_BYTES = 1 << 16  # of one tensor
CHOSEN_BYTES = 390_000  # of all that --choose takes
INEXACT = ("aten::gelu", "aten::logit", "aten::special_logit", "aten::special_ndtr",
           "aten::special_airy_ai", "aten::special_bessel_j0", "aten::special_bessel_j1",
           "aten::special_bessel_y0", "aten::special_bessel_y1", "aten::linalg_ldl_factor",
           "aten::linalg_ldl_factor_ex")  # torch in f32: doc/numerics.md
CHOSEN_TYPES = (torch.float32, torch.bfloat16, torch.int64, torch.bool, None)


UNDEFINED = ("aten::empty*", "aten::new_empty*", "dim_order_ops::_empty*")  # contents


class Unfit(Exception):
    """A call that a case file cannot hold."""


def text(value):
    data = value.encode()[:60000]
    return struct.pack("<H", len(data)) + data + b"\0"


def bits(tensor):
    flat = tensor.detach().reshape(-1)
    if flat.dtype == torch.bfloat16:
        flat = flat.view(torch.int16)
    return flat.numpy().tobytes()


def packed_tensor(tensor, at):
    if tensor.dtype not in NAMES or tensor.layout != torch.strided or tensor.is_quantized:
        raise Unfit(str(tensor.dtype))
    tensor = tensor.resolve_conj().resolve_neg()
    span = 0
    if tensor.numel():
        span = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride()))
    if span * tensor.element_size() > MOST_BYTES or tensor.dim() > 16:
        raise Unfit("large")
    base = torch.as_strided(tensor.detach(), (span,), (1,), tensor.storage_offset())
    head = struct.pack("<H", TENSOR) + text(NAMES[tensor.dtype])
    head += struct.pack("<H", tensor.dim())
    head += struct.pack(f"<{2 * tensor.dim()}q", *tensor.shape, *tensor.stride())
    head += struct.pack("<q", span)
    padding = -(at + len(head) + 2) % 8
    return head + struct.pack("<H", padding) + bytes(padding) + bits(base)


def packed(value, at, type_name=""):
    if value is None:
        return struct.pack("<H", NONE)
    if isinstance(value, torch.Tensor):
        return packed_tensor(value, at)
    if isinstance(value, torch.dtype):
        if value not in NAMES:
            raise Unfit(str(value))
        return struct.pack("<H", TYPE) + text(NAMES[value])
    if isinstance(value, bool):
        if type_name.startswith("float"):
            return struct.pack("<Hd", FLOAT, value)
        return struct.pack("<Hq", BOOL, value)
    if isinstance(value, int):
        if type_name.startswith("float"):
            return struct.pack("<Hd", FLOAT, value)
        if not -2**63 <= value < 2**63:
            raise Unfit("long")
        return struct.pack("<Hq", INT, value)
    if isinstance(value, float):
        return struct.pack("<Hd", FLOAT, value)
    if isinstance(value, complex):
        return struct.pack("<Hdd", COMPLEX, value.real, value.imag)
    if isinstance(value, str):
        return struct.pack("<H", STRING) + text(value)
    if isinstance(value, (torch.device, torch.layout, torch.memory_format)):
        return struct.pack("<H", NONE)
    if isinstance(value, (list, tuple)):
        out = struct.pack("<HH", LIST, len(value))
        inner = type_name.rstrip("]").split("[")[0]
        for item in value:
            out += packed(item, at + len(out), inner)
        return out
    raise Unfit(type(value).__name__)


def overload_name(func):
    name = func._schema.name
    overload = func._schema.overload_name
    return f"{name}.{overload}" if overload else name


def bound(func, args, kwargs):
    """Arguments in the order of the schema, with defaults."""
    values = []
    for i, arg in enumerate(func._schema.arguments):
        kind = str(arg.type)
        if i < len(args):
            value = args[i]
        elif arg.name in kwargs:
            value = kwargs[arg.name]
        else:
            value = arg.default_value
        if kind in ("int", "Optional[int]") and arg.name in ("layout", "memory_format"):
            value = None
        if isinstance(value, torch.Tensor) and kind == "int":
            value = int(value)
        if isinstance(value, torch.Tensor) and kind == "List[int]":
            value = value.reshape(-1).tolist()
        if isinstance(value, int) and "float" in kind:
            value = float(value)
        if isinstance(value, int) and kind.startswith("List["):
            value = [value]
        real = arg.real_type if hasattr(arg, "real_type") else arg.type
        if isinstance(value, int) and "ScalarType" in str(real):
            value = None if isinstance(value, bool) else value
        values.append((value, "float" if "float" in kind else ""))
    return values


def packed_case(name, label, values, results, at):
    data = text(name) + text(label[:100])
    data += struct.pack("<H", len(values))
    for value, kind in values:
        data += packed(value, at + len(data), kind)
    data += struct.pack("<H", len(results))
    for value in results:
        data += packed(value, at + len(data))
    return data


class Cases:
    def __init__(self, known, wanted, path, per_key):
        self.known, self.wanted, self.per_key = known, wanted, per_key
        self.smallest = {}
        self.out = open(path, "wb")
        self.out.write(b"DGOPS001")
        self.at = 8
        self.counts = {}
        self.seen = set()

    def takes(self, func):
        name = overload_name(func)
        return name in self.known and any(fnmatch.fnmatch(name, w) for w in self.wanted)

    def add(self, func, args, kwargs, results, label):
        name = overload_name(func)
        values = bound(func, args, kwargs)
        first = next((v for v, _ in values if isinstance(v, torch.Tensor)), None)
        if first is None:
            first = next((v[0] for v, _ in values if isinstance(v, (list, tuple)) and v
                          and isinstance(v[0], torch.Tensor)), None)
        key = name, None if first is None else first.dtype
        if self.counts.get(key, 0) >= self.per_key:
            return
        if len(func._schema.returns) == 1:
            results = [results]
        elif len(func._schema.returns) == 0:
            results = []
        data = packed_case(name, label, values, results, self.at)
        digest = hash(data)
        if digest in self.seen:
            return
        self.seen.add(digest)
        self.counts[key] = self.counts.get(key, 0) + 1
        self.out.write(data)
        self.at += len(data)
        # A tensor of one element tells little: take it where there is nothing else.
        few = all(isinstance(r, torch.Tensor) and r.numel() < 2 for r in results)
        cost = len(data) + (few << 20)
        if cost < self.smallest.get(key, (cost + 1,))[0]:
            self.smallest[key] = cost, label, values, clone(results)

    def choose(self, path, dtypes):
        """The smallest case of each operator, in one of the types at least, then in the others."""
        rank = {dtype: i for i, dtype in enumerate(CHOSEN_TYPES)}
        order = sorted((k for k in self.smallest if (k[1] is None or NAMES[k[1]] in dtypes)
                        and (k[0] not in INEXACT or k[1] is not torch.float32)), key=lambda k: (rank.get(k[1], len(rank)), k[0], str(k[1])))
        seen = set()
        first = [k for k in order if k[0] not in seen and not seen.add(k[0])]
        others = sorted((k for k in order if k not in set(first) and k[1] in rank),
                        key=lambda k: self.smallest[k][0])
        with open(path, "wb") as out:
            out.write(b"DGOPS001")
            for key in first + others:
                _, label, values, results = self.smallest[key]
                data = packed_case(key[0], label, values, results, out.tell())
                if out.tell() + len(data) <= CHOSEN_BYTES:
                    out.write(data)


class Recorder(TorchDispatchMode):
    """Records what a call dispatches to. Inside of a mode torch forgets that a view is
    conjugated: calls of complex numbers are repeated when it has ended."""

    def __init__(self, cases, label):
        super().__init__()
        self.cases, self.label, self.complex = cases, label, []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        kept = None
        if self.cases.takes(func):
            kept = clone((args, kwargs))
        results = func(*args, **kwargs)
        if kept is not None and has_complex(kept):
            self.complex.append((func, *kept))
        elif kept is not None:
            record(self.cases, func, *kept, results, self.label)
        return results

    def __exit__(self, *failure):
        super().__exit__(*failure)
        for func, args, kwargs in self.complex:
            call_extra(func, args, kwargs, self.cases, self.label)


def has_complex(value):
    if isinstance(value, torch.Tensor):
        return value.is_complex()
    if isinstance(value, dict):
        value = value.values()
    return isinstance(value, (list, tuple, type({}.values()))) and any(map(has_complex, value))


def clone(value):
    """Tensors as they are now, with their strides."""
    if isinstance(value, torch.Tensor):
        copy = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
        return copy.copy_(value.detach())
    if isinstance(value, (list, tuple)):
        return type(value)(clone(v) for v in value) if type(value) in (list, tuple) else value
    if isinstance(value, dict):
        return {k: clone(v) for k, v in value.items()}
    return value


OUTSIDE = (torch.ops.aten.as_strided.default, torch.ops.aten.as_strided_copy.default)


def record(cases, func, args, kwargs, results, label):
    try:
        if func in OUTSIDE:  # of the elements that a case file holds
            results = func(*args, **kwargs)
        cases.add(func, args, kwargs, results, label)
    except (Unfit, RuntimeError, struct.error):
        pass


def overloads(info, cases):
    for name in {info.aten_name or info.name, info.name.split(".")[-1],
                 info.name.replace(".", "_")}:
        packet = getattr(torch.ops.aten, name, None)
        if packet is None:
            continue
        for overload in packet.overloads():
            func = getattr(packet, overload)
            if cases.takes(func):
                yield func


def call(func, sample, cases, label):
    args = [sample.input, *sample.args]
    try:
        kept = clone(args), clone(dict(sample.kwargs))
        results = func(*args, **sample.kwargs)
    except Exception:
        return
    record(cases, func, kept[0], kept[1], results, label)


def run_sample(info, sample, cases, label):
    for func in overloads(info, cases):
        call(func, sample, cases, label)
    try:
        with Recorder(cases, label):
            info.op(sample.input, *sample.args, **sample.kwargs)
    except Exception:
        pass


def from_database(cases, dtypes, samples):
    for info in op_db:
        for name in dtypes:
            if not info.supports_dtype(DTYPES[name], "cpu"):
                continue
            try:
                made = list(info.sample_inputs("cpu", DTYPES[name], requires_grad=False))
            except Exception:
                continue
            if len(made) > samples:
                made = made[:samples // 2] + random.sample(made[samples // 2:],
                                                           samples - samples // 2)
            for i, sample in enumerate(made):
                run_sample(info, sample, cases, f"{info.name} {name} {i}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", required=True, help="the program check_kernels")
    parser.add_argument("--out", required=True)
    parser.add_argument("--ops", default="*", help="globs with commas between them")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--per-key", type=int, default=20,
                        help="cases of one overload and dtype")
    parser.add_argument("--extra", action="store_true", help="the calls of op_corners.py")
    parser.add_argument("--only-extra", action="store_true")
    parser.add_argument("--choose", metavar="FILE",
                        help="put a small case of each overload and main dtype there")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    random.seed(given.seed)
    torch.manual_seed(given.seed)
    torch.set_num_threads(1)
    known = set(subprocess.run([given.check, "--list"], capture_output=True, text=True,
                               check=True).stdout.split())
    known = {n for n in known if not any(fnmatch.fnmatch(n, u) for u in UNDEFINED)}
    cases = Cases(known, given.ops.split(","), given.out, given.per_key)
    with torch.no_grad():
        if not given.only_extra:
            from_database(cases, given.dtypes.split(","), given.samples)
        if given.extra or given.only_extra:
            import op_corners
            op_corners.record(lambda label: Recorder(cases, label),
                              lambda func, args, kwargs, label: call_extra(
                                  func, args, kwargs, cases, label))
    cases.out.close()
    if given.choose:
        cases.choose(given.choose, given.dtypes.split(","))
    called = {name for name, _ in cases.counts}
    missing = sorted(n for n in known - called if any(
        fnmatch.fnmatch(n, w) for w in cases.wanted))
    print(f"{sum(cases.counts.values())} cases of {len(called)} overloads, {cases.at} bytes")
    print(f"no case: {' '.join(missing) or 'none'}")


def call_extra(func, args, kwargs, cases, label):
    kept = clone(args), clone(kwargs)
    try:
        results = func(*args, **kwargs)
    except Exception as error:
        print(f"{label}: torch refuses: {str(error).splitlines()[0]}", file=sys.stderr)
        return
    if cases.takes(func):
        record(cases, func, kept[0], kept[1], results, label)


if __name__ == "__main__":
    main()
