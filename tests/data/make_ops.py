#!/usr/bin/env python3
"""Write src/base/ops.def: the operator schemas of PyTorch and ExecuTorch.

    make_ops.py [OUTPUT]

Run it with torch 2.13.0 and executorch 1.5.1; other versions are refused, since
the table says which versions it speaks for. The same packages give the same bytes.
"""

import importlib
import importlib.metadata
import importlib.resources
import logging
import pathlib
import pkgutil
import re
import sys

TORCH, EXECUTORCH = "2.13.0", "1.5.1"

NAMESPACES = (
    "aten",
    "dim_order_ops",
    "et_copy",
    "executorch_prim",
    "prims",
    "quantized_decomposed",
    "torch_nn",
    "torchao",
)

# Operators register themselves when the module that defines them is imported.
REGISTRARS = (
    "torch._prims",
    "torch._refs",
    "torch._inductor.inductor_prims",
    "torch.ao.quantization.fx._decomposed",
    "executorch.exir",
    "executorch.exir.passes._device_copy_ops_registry",
    "executorch.exir.passes._quant_patterns_and_replacements",
    "executorch.exir.passes.dim_order_ops_registry",
    "executorch.exir.passes.executorch_prim_ops_registry",
    "executorch.kernels.quantized",
    "executorch.backends.cadence.aot.ops_registrations",  # adds to aten::
    "torchao.quantization.quant_primitives",
)

# The emitter and the runtime speak of these, but no Python package registers them.
# Arguments and returns are the indices of a kernel call, in order: et_view's third
# one is the tensor that becomes the view, et_copy_index has no index for a result.
RUNTIME_ONLY = (
    "executorch_prim::et_copy_index.tensor"
    "(Tensor(a!) copy_to, Tensor copy_from, int index) -> ()",
    "executorch_prim::et_view(Tensor(a) self, int[] size) -> Tensor(a)",
    "executorch_prim::floordiv.int(int a, int b) -> int",
    "executorch_prim::mod.int(int a, int b) -> int",
)

# Kernels of kernels/prim_ops that go by an ATen name: part of every runtime.
RUNTIME_ATEN = ("aten::_local_scalar_dense", "aten::sym_numel", "aten::sym_size.int")

FLAG_OF_TAG = {
    "core": "CORE",
    "pointwise": "POINTWISE",
    "nondeterministic_seeded": "NONDETERMINISTIC",
    "nondeterministic_bitwise": "NONDETERMINISTIC",
    "inplace_view": "INPLACE_VIEW",
    "view_copy": "VIEW_COPY",
    "reduction": "REDUCTION",
    "dynamic_output_shape": "DYNAMIC_SHAPE",
    "data_dependent_output": "DATA_DEPENDENT",
    "maybe_aliasing_or_mutating": "MAYBE_ALIASING",
}

# The order in which a row names its flags: that of enum dg_op_flag.
FLAGS = (
    "CORE VIEW POINTWISE NONDETERMINISTIC PORTABLE MUTATES OUT INPLACE_VIEW VIEW_COPY"
    " REDUCTION DYNAMIC_SHAPE DATA_DEPENDENT MAYBE_ALIASING SHIPPED SCRIPT"
    " MORE_ARGS MORE_RETURNS"
).split()

HEADER = f"""\
/* Operator schemas: OP(name, arguments, returns, flags), sorted bytewise by name.
 * Made by tests/data/make_ops.py from torch {TORCH} and executorch {EXECUTORCH}; change
 * the script, not this file. A name without overload is the default overload. */
"""


def import_packages():
    """Import whatever registers operators; refuse versions that are not ours."""
    logging.disable(logging.WARNING)
    for package, wanted in ("torch", TORCH), ("executorch", EXECUTORCH):
        found = importlib.metadata.version(package).split("+")[0]
        if found != wanted:
            sys.exit(f"make_ops.py: needs {package} {wanted}, found {found}")
    for module in REGISTRARS:
        importlib.import_module(module)
    higher_order = importlib.import_module("torch._higher_order_ops")
    for module in pkgutil.walk_packages(
        higher_order.__path__, higher_order.__name__ + "."
    ):
        importlib.import_module(module.name)


def without_default(name):
    return name.removesuffix(".default")


def name_of(schema):
    name, overload = schema.name, schema.overload_name
    return without_default(f"{name}.{overload}" if overload else name)


def shipped_kernels():
    """Names of the kernels in the runtime that comes with the Python package."""
    portable_lib = importlib.import_module("executorch.extension.pybindings.portable_lib")
    return {without_default(name) for name in portable_lib._get_operator_names()}


def yaml_kernels(path):
    import yaml

    root = importlib.resources.files("executorch.kernels")
    names = set()
    for row in yaml.safe_load(root.joinpath(path).read_text()):
        name = row.get("op") or row["func"].partition("(")[0]
        names.add(without_default(name if "::" in name else "aten::" + name))
    return names


def yaml_schemas(path):
    """Schemas of a kernel list that spells them out."""
    import torch
    import yaml

    root = importlib.resources.files("executorch.kernels")
    for row in yaml.safe_load(root.joinpath(path).read_text()):
        text = row["func"]
        yield torch._C.parse_schema(text if "::" in text else "aten::" + text)


def closing(text, start):
    """Index of the bracket that closes the one at `start`; quotes hide brackets."""
    depth, quote, at = 0, None, start
    while True:
        char = text[at]
        if quote:
            at += char == "\\"
            quote = None if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
            if not depth:
                return at
        at += 1


def split_schema(schema):
    """Texts of the arguments and of the returns, each without its parentheses."""
    text = with_sorted_labels(str(schema))
    start = text.index("(")
    end = closing(text, start)
    args, arrow, returns = text[start + 1 : end], text[end + 1 : end + 5], text[end + 5 :]
    assert arrow == " -> ", text
    if returns.startswith("(") and closing(returns, 0) == len(returns) - 1:
        returns = returns[1:-1]
    return single_quoted(args), returns


def with_sorted_labels(text):
    """PyTorch prints the set of `Tensor(b|a)` in any order."""
    return re.sub(
        r"\w(\|\w)+", lambda labels: "|".join(sorted(labels[0].split("|"))), text
    )


def single_quoted(args):
    """Strings in single quotes need no escape in C, and PyTorch reads both."""
    if "'" in args or "\\" in args:
        return args
    return args.replace('"', "'")


def check_text(schema, args, returns):
    """PyTorch's own parser must read the row back as the schema it came from."""
    import torch

    name = f"{schema.name}.{schema.overload_name}".removesuffix(".")
    again = torch._C.parse_schema(f"{name}({args}) -> ({returns})")
    assert again == schema, str(schema)
    assert with_sorted_labels(str(again)) == with_sorted_labels(str(schema))


# The labels that a value may share memory under: `Tensor(a)`, `Tensor(a -> *)[]`.
# A written one (`a!`) does not count; `Future(t)` and `RRef(t)` hold a type instead.
SHARED = re.compile(r"(?<!Future)(?<!RRef)\((\w(?:\|\w)*)(?: -> \*)?\)")


def shared_labels(text):
    return {label for found in SHARED.findall(text) for label in found.split("|")}


def alias_flags(schema, args, returns):
    written = [arg for arg in schema.arguments if arg.is_write]
    flags = set()
    if written:
        flags.add("MUTATES")
        if all(arg.is_out for arg in written):
            flags.add("OUT")
    if shared_labels(args) & shared_labels(returns):
        flags.add("VIEW")
    return flags


def tag_flags(schema):
    import torch

    found = torch._C._get_operation_overload(schema.name, schema.overload_name)
    tags = {str(tag).removeprefix("Tag.") for tag in found[2]} if found else set()
    return {FLAG_OF_TAG[tag] for tag in tags & FLAG_OF_TAG.keys()}


def registered_schemas():
    """Every schema of our namespaces, from whichever package has it, by name."""
    import torch
    import torch.nn.modules.linear_cross_entropy  # registers torch_nn

    schemas = {}
    every = list(torch._C._jit_get_all_schemas())
    every += [torch._C.parse_schema(text) for text in RUNTIME_ONLY]
    for schema in every:
        if schema.name.partition("::")[0] in NAMESPACES:
            name = name_of(schema)
            assert name not in schemas, name
            schemas[name] = schema
    for path in "portable/custom_ops.yaml", "quantized/quantized.yaml":
        for schema in yaml_schemas(path):
            schemas.setdefault(name_of(schema), schema)
    return schemas


def higher_order_rows():
    import torch

    for name, op in torch._ops._higher_order_ops.items():
        assert op.namespace == "higher_order", name
        yield "higher_order::" + name, "...", "...", {"MORE_ARGS", "MORE_RETURNS"}


def schema_rows():
    import torch

    shipped = shipped_kernels()
    portable = yaml_kernels("portable/functions.yaml") | set(RUNTIME_ATEN)
    portable |= {name for name in shipped if name.startswith("executorch_prim::")}
    dispatched = set(torch._C._dispatch_get_all_op_names())
    schemas = registered_schemas()
    assert portable <= shipped <= schemas.keys(), shipped - schemas.keys()
    for name, schema in schemas.items():
        args, returns = split_schema(schema)
        check_text(schema, args, returns)
        flags = alias_flags(schema, args, returns) | tag_flags(schema)
        flags |= {"PORTABLE"} if name in portable else set()
        flags |= {"SHIPPED"} if name in shipped else set()
        flags |= {"MORE_ARGS"} if args.endswith("...") else set()
        if torch._C._get_operation_overload(schema.name, schema.overload_name):
            flags |= set() if name in dispatched else {"SCRIPT"}
        yield name, args, returns, flags


def c_string(text):
    assert text.isascii() and text.isprintable(), text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def row_text(name, args, returns, flags):
    assert flags <= set(FLAGS), flags
    words = " | ".join("DG_OP_" + flag for flag in FLAGS if flag in flags)
    texts = ", ".join(c_string(text) for text in (name, args, returns))
    return f"OP({texts}, {words or '0'})\n"


def generate():
    """The whole text of ops.def."""
    import_packages()
    rows = sorted([*schema_rows(), *higher_order_rows()], key=lambda row: row[0])
    return HEADER + "".join(row_text(*row) for row in rows)


def default_output():
    return pathlib.Path(__file__).resolve().parents[2] / "src" / "base" / "ops.def"


def main():
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default_output()
    text = generate()
    output.write_text(text)
    print(f"{text.count(chr(10)) - HEADER.count(chr(10))} overloads")


if __name__ == "__main__":
    main()
