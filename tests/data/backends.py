"""Backends that exist ahead of time only, and their partitioners: every kind of delegate."""

import hashlib
import importlib.resources
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import final

from executorch.backends.aoti.aoti_partitioner import AotiPartitioner
from executorch.backends.cuda.cuda_weight_collector import (
    AOTI_DEVICE_TYPE_CUDA,
    CudaWeightEntry,
    _storage_key,
    encode_cuda_weight_metadata,
)
from executorch.exir._serialize._named_data_store import NamedDataStore
from executorch.exir.backend.backend_api import to_backend
from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult
from executorch.exir.backend.canonical_partitioners.pattern_op_partitioner import (
    generate_partitions_from_list_of_nodes,
)
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.backend.utils import tag_constant_data, tag_mutated_buffer
from executorch.exir.dialects.edge._ops import EdgeOpOverload
from executorch.exir.tensor import scalar_type_enum
from torch.fx.passes.operator_support import OperatorSupportBase

import libraries

TARGET_DEVICE = "target_device"


def packet_name(node):
    return node.target._op.overloadpacket._qualified_op_name.split("::")[1]


def listing(program):
    """A blob that says which ops are inside."""
    calls = [n for n in program.graph.nodes if n.op == "call_function"]
    return "\n".join(str(n.target.__name__) for n in calls).encode()


@final
class DemoBackend(BackendDetails):
    @staticmethod
    def preprocess(program, compile_specs):
        return PreprocessResult(processed_bytes=listing(program))


@final
class NamedDataBackend(BackendDetails):
    """Keeps its weights beside the blob, under keys of its own."""

    @staticmethod
    def preprocess(program, compile_specs):
        store = NamedDataStore()
        for key, tensor in sorted(program.state_dict.items()):
            store.add_named_data(key, tensor.detach().numpy().tobytes(), alignment=64)
        return PreprocessResult(
            processed_bytes=listing(program), data_store_output=store.get_named_data_store_output()
        )


def packed_weights(program):
    tensors = [t.detach().contiguous() for _, t in sorted(program.state_dict.items())]
    return b"".join(t.numpy().tobytes().ljust(-(-t.nbytes // 64) * 64, b"\0") for t in tensors)


def preprocess_by_name(program, store, library):
    """Each weight under a key of its own, which the blob lists by its name."""
    library_key = hashlib.sha256(library).hexdigest() + "_so_blob"
    store.add_named_data(library_key, library, 1, None)
    entries = []
    for name, tensor in sorted(program.state_dict.items()):
        tensor = tensor.detach()
        data, key = tensor.numpy().tobytes(), _storage_key(name, AOTI_DEVICE_TYPE_CUDA)
        store.add_named_data(key, data, 1, None)
        entries.append(
            CudaWeightEntry(name, key, len(data), int(scalar_type_enum(tensor.dtype)),
                            AOTI_DEVICE_TYPE_CUDA, 0, tuple(tensor.shape), tensor.stride())
        )
    return PreprocessResult(
        processed_bytes=encode_cuda_weight_metadata(library_key, entries),
        data_store_output=store.get_named_data_store_output(),
    )


@final
class CudaBackend(BackendDetails):
    """Blob and named data laid out as AOTInductor's backends do, without its compiler."""

    @staticmethod
    def preprocess(program, compile_specs):
        specs = {spec.key: spec.value for spec in compile_specs}
        store = NamedDataStore()
        weights = packed_weights(program)
        by_name = "by_name" in specs
        library = libraries.cuda_library(listing(program), None if by_name else len(weights))
        tag = "aoti_cuda_blob" if "external" in specs else None
        if by_name:  # as 1.5.1 does
            return preprocess_by_name(program, store, library)
        if "by_method" in specs:  # the generation before content hashes
            method = specs["method_name"].decode()
            library_key, weights_key = f"{method}_so_blob", f"{method}_weights_blob"
            blob = b""
        else:
            library_key = hashlib.sha256(library).hexdigest() + "_so_blob"
            weights_key = hashlib.sha256(weights).hexdigest() + "_weights_blob"
            blob = f"{library_key}\n{weights_key}".encode()
        store.add_named_data(library_key, library, 1, None)
        store.add_named_data(weights_key, weights, 1, tag)
        return PreprocessResult(
            processed_bytes=blob, data_store_output=store.get_named_data_store_output()
        )


class NamedOps(OperatorSupportBase):
    def __init__(self, names):
        self.names = names

    def is_node_supported(self, submodules, node):
        return isinstance(node.target, EdgeOpOverload) and packet_name(node) in self.names


class OpsPartitioner(Partitioner):
    """Delegates the named ops, connected ones together."""

    def __init__(self, names, backend="DemoBackend", specs=(), tag="part"):
        super().__init__()
        self.names = names
        self.tag = tag
        self.delegation_spec = DelegationSpec(backend, list(specs))

    def partition(self, exported_program):
        support = NamedOps(self.names)
        groups = generate_partitions_from_list_of_nodes(
            exported_program.graph_module, op_support=support
        )
        tags = {}
        for group in groups:
            tag = f"{self.tag}{group.id}"
            tags[tag] = self.delegation_spec
            for node in group.nodes:
                node.meta["delegation_tag"] = tag
        tag_constant_data(exported_program)
        tag_mutated_buffer(exported_program)
        return PartitionResult(tagged_exported_program=exported_program, partition_tags=tags)


def on_device(names, device="cuda:0"):
    specs = [CompileSpec("max_value", bytes([4])), CompileSpec(TARGET_DEVICE, device.encode())]
    return OpsPartitioner(names, specs=specs)


def aoti(method="forward", **flags):
    specs = [
        CompileSpec("method_name", method.encode()),
        CompileSpec(TARGET_DEVICE, b"cuda:0"),
        *(CompileSpec(key, b"1") for key in flags),
    ]
    return AotiPartitioner("CudaBackend", specs)


def make_mlx():
    """The wheel has the schema of MLX and what makes its Python modules, and not those."""
    folder = Path(importlib.util.find_spec("executorch.backends.mlx").origin).parent
    if not (folder / "serialization/mlx_graph_schema.py").exists():
        flatc = importlib.resources.files("executorch.data.bin") / "flatc"
        subprocess.run([sys.executable, "generate.py", "--flatc", flatc],
                       cwd=folder / "serialization", capture_output=True)  # its C++ part fails


def open_formats():
    """A partitioner for each backend, beside XNNPACK, whose blobs have an open schema."""
    from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
    from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
    from executorch.backends.native.partitioner import NativePartitioner
    from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner

    make_mlx()
    from executorch.backends.mlx.partitioner import MLXPartitioner

    return {
        "vulkan": VulkanPartitioner(),
        "tosa": TOSAPartitioner(TosaCompileSpec("TOSA-1.0+FP")),
        "native": NativePartitioner(external_constants_tag=None),
        "mlx": MLXPartitioner(),
    }


def as_native(program):
    """A .pte that is one delegate of NativeBackend."""
    import executorch.backends.native.preprocess  # registers it

    return bytes(to_backend("NativeBackend", program, []).buffer())
