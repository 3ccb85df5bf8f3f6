"""Programs of soundness.py for other places: backends, devices, AOTInductor, training."""

import functools
import itertools

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge
from executorch.exir.passes.propagate_device_config import PropagateDeviceConfig

import programs
import sound_runs
from backends import OpsPartitioner, aoti, on_device
from sound_lowering import calls_of, config, edge, exported, made_program, pte, unchecked

SAMPLES_OF = {
    "vulkan": ("mlp_norm", "images", "activations", "residual", "embedded", "products"),
    "coreml": ("mlp_norm", "images", "activations", "residual", "embedded", "products",
               "encoder_layer", "view_chain", "reduced", "conv1d", "pointwise", "joined"),
    "native": ("mlp_norm", "images", "activations", "residual", "embedded", "products", "twice",
               "encoder_layer", "view_chain", "reduced", "conv1d", "pointwise", "joined", "lstm",
               "parts", "ordered"),
    "webgpu": ("mlp_norm", "activations"),
    "rpc": ("mlp_norm", "activations", "products", "parts", "pointwise"),
    "compiler_demo": ("scalars", "joined", "pointwise"),
    "example": ("mlp_norm",),
}  # fmt: skip
# Partitioners of the wheel that ask for a tool, a driver or a generated file.
WITHOUT_TOOLS = ("tosa", "vgf", "ethosu", "mediatek", "mlx", "nxp", "openvino", "qualcomm",
                 "samsung", "metal", "cuda", "coreai", "cortex_m")  # fmt: skip


def vulkan():
    from executorch.backends.vulkan import patterns
    from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner

    for entry in patterns.fusable_patterns.values():  # they are exported at each look
        if entry.get_graphs_fn and not hasattr(entry.get_graphs_fn, "cache_info"):
            entry.get_graphs_fn = functools.cache(entry.get_graphs_fn)
    return VulkanPartitioner()


def coreml():
    from executorch.backends.apple.coreml.partition import CoreMLPartitioner

    return CoreMLPartitioner()


def native():
    from executorch.backends.native.partitioner import NativePartitioner

    return NativePartitioner()


def webgpu():
    from executorch.backends.webgpu.partitioner import WebGPUPartitioner

    vulkan()
    return WebGPUPartitioner()


def rpc():
    from executorch.exir.backend.test.demos.rpc.executor_backend_partitioner import (
        ExecutorBackendPartitioner,
    )

    return ExecutorBackendPartitioner()


def compiler_demo():
    from executorch.exir.backend.test.op_partitioner_demo import AddMulPartitionerDemo

    return AddMulPartitionerDemo()


def example():
    from executorch.backends.example.example_partitioner import ExamplePartitioner

    return ExamplePartitioner()


def tosa():
    from executorch.backends.arm.tosa.partitioner import TOSAPartitioner

    return TOSAPartitioner("TOSA-1.0+FP")


def vgf():
    from executorch.backends.arm.vgf import VgfCompileSpec, VgfPartitioner

    return VgfPartitioner(VgfCompileSpec())


def ethosu():
    from executorch.backends.arm.ethosu import EthosUCompileSpec, EthosUPartitioner

    return EthosUPartitioner(EthosUCompileSpec("ethos-u55-128"))


def mediatek():
    from executorch.backends.mediatek.partitioner import NeuropilotPartitioner

    return NeuropilotPartitioner([])


def mlx():
    from executorch.backends.mlx.partitioner import MLXPartitioner

    return MLXPartitioner()


def nxp():
    from executorch.backends.nxp.neutron_partitioner import NeutronPartitioner

    return NeutronPartitioner([])


def openvino():
    from executorch.backends.openvino.partitioner import OpenvinoPartitioner

    return OpenvinoPartitioner([])


def qualcomm():
    from executorch.backends.qualcomm.partition.qnn_partitioner import QnnPartitioner
    from executorch.backends.qualcomm.serialization.qc_schema import QcomChipset
    from executorch.backends.qualcomm.utils import utils

    options = utils.generate_htp_compiler_spec(use_fp16=True)
    return QnnPartitioner(utils.generate_qnn_executorch_compiler_spec(
        soc_model=QcomChipset.SM8550, backend_options=options))


def samsung():
    from executorch.backends.samsung.partition.enn_partitioner import EnnPartitioner

    return EnnPartitioner([])


def metal():
    from executorch.backends.apple.metal.metal_backend import MetalBackend
    from executorch.backends.apple.metal.metal_partitioner import MetalPartitioner

    return MetalPartitioner([MetalBackend.generate_method_name_compile_spec("forward")])


def cuda():
    from executorch.backends.cuda.cuda_backend import CudaBackend
    from executorch.backends.cuda.cuda_partitioner import CudaPartitioner

    return CudaPartitioner([CudaBackend.generate_method_name_compile_spec("forward")])


def coreai():
    from executorch.backends.apple.coreai.partition import partitioner

    return partitioner.CoreAIPartitioner()


def cortex_m():
    from executorch.backends.cortex_m.passes import cortex_m_pass_manager

    return cortex_m_pass_manager.CortexMPassManager()


def lowered_for(backend, sample):
    return pte(sample, [globals()[backend]()])


def cadence(sample):
    """Cadence has no partitioner: its compiler replaces ops by its own."""
    import executorch.backends.cadence.aot.compiler as compiler

    calls = calls_of(sample)
    program = compiler.export_to_executorch_gen_etrecord(sample.module, sample.args)
    return made_program(program, calls)


# Devices: a backend that only says where it is


HALVES = {"add", "mul", "relu", "linear", "permute_copy", "addmm"}
SKIPS = {"copies": (False, False), "skip_in": (True, False), "skip_out": (False, True),
         "skip_both": (True, True)}  # fmt: skip
DEVICE_SAMPLES = {
    "two_adds": programs.two_adds, "mlp": programs.mlp, "portable": programs.portable,
    "counter": programs.counter, "multi": programs.crossed,
}  # fmt: skip


def device_config(skips, allocates, plans=True):
    return config(
        {"alloc_graph_input": allocates, "alloc_graph_output": allocates},
        propagate_device_config=PropagateDeviceConfig(
            skip_h2d_for_method_inputs=skips[0], skip_d2h_for_method_outputs=skips[1]),
        enable_non_cpu_memory_planning=plans)


def on_device_with(make, partitioners, skips, allocates, plans=True):
    """Two ways that 1.5.1 takes and no device can run: the legacy planning, which the CUDA backend
    refuses, and copies to outputs that the caller owns, from tensors that nobody planned."""
    made = pte(make(), partitioners, device_config(skips, allocates, plans))
    if not plans:
        made.stays_wrong = "device tensors planned on the host"
    elif not allocates and not skips[1]:
        made.stays_wrong = "outputs of delegates without memory before their copies to the host"
    return made


def device_rows():
    for name, make in DEVICE_SAMPLES.items():
        for (way, skips), allocates in itertools.product(SKIPS.items(), (True, False)):
            if allocates and way != "copies":
                continue  # PropagateDeviceConfig asks for unplanned inputs and outputs then
            yield f"{name}_{way}_{int(allocates)}", (
                lambda rng, make=make, skips=skips, allocates=allocates: on_device_with(
                    make, [on_device(HALVES)], skips, allocates))
        yield f"{name}_second", lambda rng, make=make: pte(make(), [on_device(HALVES, "cuda:1")])
        yield f"{name}_after_xnnpack", lambda rng, make=make: pte(
            make(), [XnnpackPartitioner(), on_device({"add", "mul", "sin", "cumsum"})])
        yield f"{name}_two_places", lambda rng, make=make: pte(make(), [
            on_device({"add", "relu"}), OpsPartitioner({"mul", "linear"}, tag="host")])
        yield f"{name}_edge", lambda rng, make=make: edge(make(), [on_device(HALVES)])
    yield "two_adds_legacy", lambda rng: on_device_with(
        programs.two_adds, [on_device({"add"})], (False, False), True, False)


# AOTInductor: blobs and keys as its backends write them, without a compiler


def aoti_rows(samples, few, linear):
    for name in (*few, *linear):
        yield name, lambda rng, name=name: pte(samples[name](), [aoti()])
        yield f"{name}_after_xnnpack", lambda rng, name=name: pte(
            samples[name](), [XnnpackPartitioner(), aoti()])
    for name in linear:
        yield f"{name}_external", lambda rng, name=name: pte(
            samples[name](), [aoti(external=True)])
        yield f"{name}_edge", lambda rng, name=name: edge(
            samples[name](), [XnnpackPartitioner(), aoti()])
    for name in ("counter", "positions", "gate", "key_value_cache"):
        yield name, lambda rng, name=name: pte(getattr(programs, name)(), [aoti()])
        yield f"{name}_after_xnnpack", lambda rng, name=name: pte(
            getattr(programs, name)(), [XnnpackPartitioner(), aoti()])


def trained(sample):
    """A loss, its gradients and its weights, on the usual runtime."""
    from torch.export.experimental import _export_forward_backward

    module = sample.module
    source = _export_forward_backward(exported(sample))
    result = module(*sample.args)
    result.backward()
    expected = [result.detach(), *(p.grad for p in module.parameters()),
                *(p.detach() for p in module.parameters())]
    manager = to_edge(source, compile_config=unchecked())
    call = sound_runs.Call("forward", list(sample.args), expected)
    return made_program(manager.to_executorch(), [call])


