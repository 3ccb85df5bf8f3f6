"""Write verifiers/cuda_fallbacks.def: operators that AOTInductor compiles no code for and
calls a kernel of PyTorch instead, and which of these kernels ExecuTorch's AOTI backends
bring along. Sources: torch._inductor.lowering.fallbacks and decomposition.decompositions;
get_supported_fallback_kernels() of backends/cuda and backends/apple/metal.

usage: make_cuda_fallbacks.py > verifiers/cuda_fallbacks.def"""

import ast
import importlib.metadata
import importlib.util
import pathlib
import re

import torch
import torch._inductor.decomposition
import torch._inductor.lowering
from torch._inductor.fx_passes import replace_random

BACKENDS = {"CUDA": "backends/cuda/cuda_backend.py",
            "METAL": "backends/apple/metal/metal_backend.py"}


def supported(path):
    """The keys of the dict that get_supported_fallback_kernels() returns, from its source:
    the backends themselves need a GPU's packages."""
    folder = importlib.util.find_spec("executorch").submodule_search_locations[0]
    tree = ast.parse((pathlib.Path(folder) / path).read_text())
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and \
                function.name == "get_supported_fallback_kernels":
            return max((sorted(ast.literal_eval(node).keys()) for node in ast.walk(function)
                        if isinstance(node, ast.Dict)), key=len)
    raise SystemExit(f"{path} has no get_supported_fallback_kernels")


def name_of(op):
    name, overload = op._schema.name, op._schema.overload_name
    return f"{name}.{overload}" if overload else name


def brought_along(kernel):
    """The operator of "at::_ops::sort_stable::call" or "metal::gather_qmv"; shims have a
    name of these kinds, too."""
    match = re.fullmatch(r"at::_ops::(\w+)::call", kernel)
    if not match:
        return kernel if "::" in kernel else None
    known = {name_of(op).replace(".", "_"): name_of(op) for op in overloads("aten")}
    return known["aten::" + match[1]] if "aten::" + match[1] in known else None


def overloads(namespace):
    packets = getattr(torch.ops, namespace)
    for packet in (getattr(packets, name) for name in dir(packets)):
        for overload in getattr(packet, "overloads", list)():
            yield getattr(packet, overload)


def is_composite(op):
    return torch._C._dispatch_has_kernel_for_dispatch_key(
        op.name(), "CompositeImplicitAutograd")


def always_falls_back(op):
    """Some operators fall back for some shapes and dtypes only: these are left out."""
    lower = torch._inductor.lowering.lowerings.get(op)
    return getattr(lower, "_is_fallback_handler", False)


def fallbacks():
    decomposed = set(torch._inductor.decomposition.fast_random_decomps())
    decomposed |= {target for _, target in replace_random.patterns.patterns}
    for op in filter(always_falls_back, torch._inductor.lowering.fallbacks):
        if not isinstance(op, torch._ops.OpOverload) or op._schema.is_mutable or \
                op.namespace not in ("aten", "prims"):
            continue
        try:
            if op in decomposed or is_composite(op):
                continue
        except RuntimeError:  # known to TorchScript only
            continue
        yield op


def main():
    has = {name_of(op): ["ALWAYS"] for op in fallbacks()}
    for backend, path in BACKENDS.items():
        for op in sorted(set(filter(None, map(brought_along, supported(path))))):
            has.setdefault(op, [] if op.startswith("aten::") else ["ALWAYS"]).append(backend)
    versions = [f"{p} {importlib.metadata.version(p).split('+')[0]}"
                for p in ("torch", "executorch")]
    print("/* Operators that AOTInductor leaves to kernels of PyTorch, sorted by name, and the"
          "\n * backends that bring such a kernel along; ALWAYS: for every shape and dtype."
          f"\n * Made by tests/data/make_cuda_fallbacks.py from {' and '.join(versions)}:"
          "\n * change the script, not this file. */")
    for op in sorted(has):
        print(f'FALLBACK("{op}", {" | ".join(has[op])})')


if __name__ == "__main__":
    main()
