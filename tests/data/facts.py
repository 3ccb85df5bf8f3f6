"""What a program holds, as the real libraries see it, in the words of `delegraph info`."""

import hashlib
import os
import re
from collections import Counter

import torch
from executorch.exir._serialize._flatbuffer_program import _flatbuffer_to_program
from executorch.exir._serialize._program import _get_extended_header
from executorch.exir import schema
from executorch.exir.dialects.backend._ops import BackendOpOverload
from executorch.exir.dialects.edge._ops import EdgeOpOverload
from executorch.exir.lowered_backend_module import LoweredBackendModule
from executorch.exir.scalar_type import ScalarType
from torch.export.graph_signature import (
    ConstantArgument,
    CustomObjArgument,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
    TokenArgument,
)

DTYPE_NAMES = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "complex32": "c32", "complex64": "c64", "complex128": "c128", "bool": "bool",
    "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2", "float8_e4m3fnuz": "f8e4m3fnuz",
    "float8_e5m2fnuz": "f8e5m2fnuz", "float8_e8m0fnu": "f8e8m0fnu",
}  # fmt: skip

SCALAR_TYPE_NAMES = {
    "BYTE": "u8", "CHAR": "i8", "SHORT": "i16", "INT": "i32", "LONG": "i64",
    "HALF": "f16", "FLOAT": "f32", "DOUBLE": "f64", "BOOL": "bool", "BFLOAT16": "bf16",
    "UINT16": "u16", "UINT32": "u32", "UINT64": "u64",
    "FLOAT8E4M3FN": "f8e4m3fn", "FLOAT8E5M2": "f8e5m2",
    "FLOAT8E4M3FNUZ": "f8e4m3fnuz", "FLOAT8E5M2FNUZ": "f8e5m2fnuz",
    "QINT8": "qint8", "QUINT8": "quint8", "QINT32": "qint32",
}  # fmt: skip

CONTROL_CHARACTER = re.compile("[\x00-\x1f\x7f]")

NODE_KINDS = ("placeholder", "get_attr", "call_function", "output")
INSTRUCTION_KINDS = {
    schema.KernelCall: "kernel_call",
    schema.DelegateCall: "delegate_call",
    schema.MoveCall: "move_call",
    schema.JumpFalseCall: "jump_false_call",
    schema.FreeCall: "free_call",
}
VALUE_KINDS = {
    schema.Tensor: "tensor",
    schema.Int: "int",
    schema.Bool: "bool",
    schema.Double: "double",
    schema.String: "string",
    schema.Null: "null",
    schema.IntList: "int_list",
    schema.BoolList: "bool_list",
    schema.DoubleList: "double_list",
    schema.TensorList: "tensor_list",
    schema.OptionalTensorList: "optional_tensor_list",
}
ARGUMENT_KINDS = {
    TensorArgument: "tensor",
    SymIntArgument: "sym_int",
    SymFloatArgument: "sym_float",
    SymBoolArgument: "sym_bool",
    CustomObjArgument: "custom_obj",
    TokenArgument: "token",
}
CONSTANT_KINDS = {bool: "bool", int: "int", float: "float", str: "string", type(None): "none"}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def artifact_facts(data, kind):
    return {"kind": kind, "size_bytes": len(data), "sha256": sha256(data)}


def compile_spec_value(value):
    """Text where it is UTF-8 without control characters, otherwise "hex:" and lower-case digits."""
    try:
        text = bytes(value).decode("utf-8")
    except UnicodeDecodeError:
        return "hex:" + bytes(value).hex()
    return "hex:" + bytes(value).hex() if CONTROL_CHARACTER.search(text) else text


def compile_specs_facts(specs):
    return [{"key": spec.key, "value": compile_spec_value(spec.value)} for spec in specs]


def count_rows(names):
    counted = Counter(names)
    return [{"name": name, "count": counted[name]} for name in sorted(counted)]


# Programs of torch.export


def operator_name(target):
    """`aten::add.Tensor`, `aten::relu.default`: the words of the file, `ns::op.overload`."""
    op = target._op if isinstance(target, (EdgeOpOverload, BackendOpOverload)) else target
    if isinstance(op, torch._ops.OpOverload):
        return op.name() if op._overloadname != "default" else op.name() + ".default"
    if isinstance(op, torch._ops.HigherOrderOperator):
        return f"{op.namespace}::{op._name}"
    return f"{target.__module__}.{target.__name__}"


def size_of(size):
    if isinstance(size, int) or size.node.expr.is_Integer:
        return int(size)
    return str(size.node.expr)


def tensor_facts(value):
    if not isinstance(value, torch.Tensor):
        return {"dtype": None, "shape": None, "device": None}
    return {
        "dtype": DTYPE_NAMES[str(value.dtype).removeprefix("torch.")],
        "shape": [size_of(size) for size in value.shape],
        "device": str(value.device),
    }


def node_rows(method, path, graph):
    for index, node in enumerate(graph.nodes):
        is_call = node.op == "call_function"
        yield {
            "method": method,
            "graph": path,
            "index": index,
            "name": node.name,
            "op": node.op,
            "target": operator_name(node.target) if is_call else node.target,
            "inputs": [source.name for source in node.all_input_nodes],
            **tensor_facts(node.meta.get("val")),
        }


def graphs_of(module, path=""):
    """Each graph with its path: that of a branch or a lowered module is its attribute's name."""
    yield path, module.graph
    seen = set()
    for node in module.graph.nodes:
        if node.op != "get_attr" or node.target in seen:
            continue
        seen.add(node.target)
        inner = inner_module(getattr(module, node.target, None))
        if inner is not None:
            yield from graphs_of(inner, f"{path}.{node.target}" if path else node.target)


def inner_module(attribute):
    if isinstance(attribute, LoweredBackendModule):
        return attribute.original_module.graph_module
    return attribute if isinstance(attribute, torch.fx.GraphModule) else None


def lowered_modules(module):
    for node in module.graph.nodes:
        attribute = getattr(module, node.target, None) if node.op == "get_attr" else None
        if isinstance(attribute, LoweredBackendModule):
            yield attribute, sum("delegate" in operator_name(user.target) for user in node.users)
        elif isinstance(attribute, torch.fx.GraphModule):
            yield from lowered_modules(attribute)


def lowered_delegate_facts(module):
    return [
        {
            "index": index,
            "backend": lowered.backend_id,
            "calls": calls,
            "location": "inline",
            "blob_bytes": len(lowered.processed_bytes),
            "blob_sha256": sha256(lowered.processed_bytes),
            "compile_specs": compile_specs_facts(lowered.compile_specs),
        }
        for index, (lowered, calls) in enumerate(lowered_modules(module))
    ]


def graph_facts(path, graph):
    kinds = Counter(node.op for node in graph.nodes)
    calls = [node for node in graph.nodes if node.op == "call_function"]
    return {
        "path": path,
        "nodes": len(graph.nodes),
        "node_kinds": {kind: kinds[kind] for kind in NODE_KINDS},
        "edges": sum(len(node.all_input_nodes) for node in graph.nodes),
        "ops": count_rows(operator_name(node.target) for node in calls),
    }


def argument_kind(argument):
    if isinstance(argument, ConstantArgument):
        return CONSTANT_KINDS[type(argument.value)]
    return ARGUMENT_KINDS[type(argument)]


def signature_row(spec, value):
    return {
        "name": spec.arg.name or None,
        "kind": argument_kind(spec.arg),
        **tensor_facts(value),
        "spec": spec.kind.name.lower(),
        "target": spec.target,
    }


def values_by_name(program):
    return {node.name: node.meta.get("val") for node in program.graph.nodes}


def input_facts(program):
    values = values_by_name(program)
    specs = program.graph_signature.input_specs
    return [signature_row(spec, values.get(spec.arg.name)) for spec in specs]


def output_facts(program):
    values = values_by_name(program)
    specs = program.graph_signature.output_specs
    return [signature_row(spec, values.get(spec.arg.name)) for spec in specs]


def stored_facts(program, kind):
    """How many input specs are of a kind, and the bytes of their tensors, shared ones twice."""
    values = values_by_name(program)
    specs = [s for s in program.graph_signature.input_specs if s.kind.name == kind]
    tensors = [values[spec.arg.name] for spec in specs]
    return {"count": len(specs), "bytes": sum(t.numel() * t.itemsize for t in tensors)}


def exported_method_facts(name, program):
    module = program.graph_module
    return {
        "name": name,
        "ir": "edge" if program.dialect == "EDGE" else "aten",
        "inputs": input_facts(program),
        "outputs": output_facts(program),
        "graphs": [graph_facts(path, graph) for path, graph in graphs_of(module)],
        "delegates": lowered_delegate_facts(module),
        "constants": stored_facts(program, "CONSTANT_TENSOR"),
        "buffers": stored_facts(program, "BUFFER"),
        "parameters": stored_facts(program, "PARAMETER"),
    }


def exported_facts(data, programs):
    """Facts of a `.pt2` from its loaded programs by model name."""
    methods = {"forward": p for p in programs.values()} if len(programs) == 1 else programs
    return {
        "artifact": artifact_facts(data, "pt2"),
        "methods": [exported_method_facts(name, p) for name, p in methods.items()],
        "nodes": [
            row
            for name, program in methods.items()
            for path, graph in graphs_of(program.graph_module)
            for row in node_rows(name, path, graph)
        ],
    }


# Programs of ExecuTorch


def device_name(device_type, index):
    return "cpu" if device_type == schema.DeviceType.CPU else f"{device_type.name.lower()}:{index}"


def tensor_device(tensor):
    extra = tensor.extra_tensor_info
    return device_name(extra.device_type, extra.device_index) if extra else "cpu"


def value_kind(value):
    return VALUE_KINDS[type(value.val)]


def value_facts(value):
    tensor = value.val
    if not isinstance(tensor, schema.Tensor):
        return {"kind": value_kind(value), "dtype": None, "shape": None, "device": None}
    return {
        "kind": "tensor",
        "dtype": SCALAR_TYPE_NAMES[ScalarType(tensor.scalar_type).name],
        "shape": list(tensor.sizes),
        "device": tensor_device(tensor),
    }


def boundary_facts(plan, indices):
    rows = []
    for index in indices:
        value = plan.values[index]
        row = value_facts(value)
        is_tensor = row["kind"] == "tensor"
        row["dim_order"] = list(value.val.dim_order) if is_tensor else None
        row["planned"] = value.val.allocation_info is not None if is_tensor else None
        rows.append(row)
    return rows


def instructions_of(plan):
    return [i.instr_args for chain in plan.chains for i in chain.instructions]


def plan_operator_name(operator):
    return operator.name + ("." + operator.overload if operator.overload else "")


def blob_of(program, reference, segments):
    if reference.location == schema.DataLocation.INLINE:
        return bytes(program.backend_delegate_data[reference.index].data)
    return segments[reference.index]


def delegate_facts(program, plan, segments):
    calls = Counter(
        i.delegate_index for i in instructions_of(plan) if isinstance(i, schema.DelegateCall)
    )
    rows = []
    for index, delegate in enumerate(plan.delegates):
        blob = blob_of(program, delegate.processed, segments)
        rows.append(
            {
                "index": index,
                "backend": delegate.id,
                "calls": calls[index],
                "location": delegate.processed.location.name.lower(),
                "blob_bytes": len(blob),
                "blob_sha256": sha256(blob),
                "compile_specs": compile_specs_facts(delegate.compile_specs),
            }
        )
    return rows


def arena_facts(plan):
    devices = {
        entry.buffer_idx: device_name(entry.device_type, entry.device_index)
        for entry in plan.non_const_buffer_device or []
    }
    return [
        {"id": index, "bytes": size, "device": devices.get(index, "cpu")}
        for index, size in enumerate(plan.non_const_buffer_sizes)
    ]


def constant_facts(program):
    """The program's constants as it numbers them: entry 0 is reserved, and counted."""
    segment = program.constant_segment
    if segment is not None and segment.offsets:
        size = program.segments[segment.segment_index].size
        return {"count": len(segment.offsets), "bytes": size}
    inline = program.constant_buffer or []
    return {"count": len(inline), "bytes": sum(len(buffer.storage) for buffer in inline)}


def plan_facts(program, plan, segments):
    instructions = instructions_of(plan)
    kinds = Counter(INSTRUCTION_KINDS[type(i)] for i in instructions)
    values = Counter(value_kind(value) for value in plan.values)
    calls = [i for i in instructions if isinstance(i, schema.KernelCall)]
    return {
        "name": plan.name,
        "ir": "pte",
        "inputs": boundary_facts(plan, plan.inputs),
        "outputs": boundary_facts(plan, plan.outputs),
        "instructions": {kind: kinds[kind] for kind in INSTRUCTION_KINDS.values()},
        "operators": count_rows(plan_operator_name(plan.operators[i.op_index]) for i in calls),
        "values": {kind: values[kind] for kind in VALUE_KINDS.values()},
        "delegates": delegate_facts(program, plan, segments),
        "arenas": arena_facts(plan),
        "constants": constant_facts(program),
    }


def segment_kinds(program):
    kinds = {}
    for entry in program.named_data or []:
        kinds[entry.segment_index] = "named_data"
    for plan in program.execution_plan:
        for delegate in plan.delegates:
            if delegate.processed.location == schema.DataLocation.SEGMENT:
                kinds[delegate.processed.index] = "delegate"
    for entry in program.mutable_data_segments or []:
        kinds[entry.segment_index] = "mutable"
    if program.constant_segment is not None and program.constant_segment.offsets:
        kinds[program.constant_segment.segment_index] = "constant"
    return kinds


def segment_facts(segments, kinds):
    return [
        {"index": i, "kind": kinds.get(i), "offset": s.offset, "size_bytes": s.size}
        for i, s in enumerate(segments)
    ]


def named_data_facts(named_data, segments):
    return [
        {"key": entry.key, "size_bytes": segments[entry.segment_index].size}
        for entry in named_data or []
    ]


def read_pte(data):
    """The program without its segments put back, and the bytes of each segment."""
    header = _get_extended_header(data)
    if header is None or not header.is_valid():
        program = _flatbuffer_to_program(data)
        return program, [b""] * len(program.segments)
    program = _flatbuffer_to_program(data[: header.program_size])
    starts = [header.segment_base_offset + s.offset for s in program.segments]
    return program, [data[a : a + s.size] for a, s in zip(starts, program.segments)]


def pte_facts(data):
    program, segments = read_pte(data)
    plans = program.execution_plan
    return {
        "artifact": artifact_facts(data, "pte"),
        "methods": [plan_facts(program, plan, segments) for plan in plans],
        "segments": segment_facts(program.segments, segment_kinds(program)),
        "named_data": named_data_facts(program.named_data, program.segments),
        "values": [
            {"method": plan.name, "index": index, **value_facts(value)}
            for plan in plans
            for index, value in enumerate(plan.values)
        ],
    }


def bundled_facts(data):
    """Those of the program inside, whose places count from its own start."""
    from executorch.devtools.bundled_program.serialize import (
        deserialize_from_flatbuffer_to_bundled_program,
    )

    bundle = deserialize_from_flatbuffer_to_bundled_program(data)
    return pte_facts(bundle.program) | {"artifact": artifact_facts(data, "pte")}


def ptd_facts(data):
    from executorch.extension.flat_tensor.serialize.serialize import (
        FlatTensorHeader,
        _deserialize_to_flat_tensor,
    )

    header = FlatTensorHeader.from_bytes(data[8:])
    tensors = _deserialize_to_flat_tensor(data[: header.flatbuffer_offset + header.flatbuffer_size])
    kinds = dict.fromkeys(range(len(tensors.segments)), "named_data")
    return {
        "artifact": artifact_facts(data, "ptd"),
        "methods": [],
        "segments": segment_facts(tensors.segments, kinds),
        "named_data": named_data_facts(tensors.named_data, tensors.segments),
    }


# What goes around programs


def etrecord_facts(data, path):
    from executorch.devtools.etrecord import parse_etrecord

    record = parse_etrecord(str(path))
    edge = record.edge_dialect_program
    found = exported_facts(data, edge if isinstance(edge, dict) else {"forward": edge})
    found["instruction_handles"] = [
        {"method": method, "instruction": int(instruction), "debug_handle": str(handle)}
        for method, instructions in record._debug_handle_map.items()
        for instruction, handles in instructions.items()
        for handle in (handles if isinstance(handles, (list, tuple)) else [handles])
    ]
    return found


def event_facts(event):
    time = event.profile_event
    part = time.delegate_debug_id_str
    if part is None and time.delegate_debug_id_int != -1:
        part = str(time.delegate_debug_id_int)
    return {
        "name": time.name,
        "instruction": time.instruction_id if time.chain_index >= 0 else None,
        "part": part,
        "begin": time.start_time,
        "end": time.end_time,
    }


def etdump_facts(data):
    from executorch.devtools.etdump.serialize import deserialize_from_etdump_flatcc

    runs = deserialize_from_etdump_flatcc(data).run_data
    return {
        "artifact": artifact_facts(data, "etdump"),
        "methods": [],
        "profile_events": [
            {"run": index, **event_facts(event)}
            for index, run in enumerate(runs)
            for event in run.events
            if event.profile_event
        ],
    }


# Files


def load_exported(path):
    """Programs by model name. exir loads what it saved itself, torch everything else."""
    import zipfile

    from executorch.exir.serde.serialize import load as exir_load
    from torch.export.pt2_archive._package import load_pt2

    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        version = archive.read("version").decode() if "version" in names else None
    if version is None:
        return load_pt2(path).exported_programs
    if version.startswith("5"):
        return {"model": exir_load(path)}
    return {"model": torch.export.load(path)}


def facts_of(path):
    with open(path, "rb") as file:
        data = file.read()
    kind = os.path.splitext(path)[1]
    if kind == ".pte":
        return pte_facts(data)
    if kind == ".bpte":
        return bundled_facts(data)
    if kind == ".ptd":
        return ptd_facts(data)
    if kind == ".etrecord":
        return etrecord_facts(data, path)
    if kind == ".etdp":
        return etdump_facts(data)
    return exported_facts(data, load_exported(path))
