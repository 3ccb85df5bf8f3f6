"""The programs of soundness.py: cases() yields (kind, name, function of a random.Random)."""

import itertools

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

import architectures
import networks
import programs
import random_programs
import recipes
import sound_devices
import sound_modules as modules
import sound_runs
from sound_lowering import aten, config, core, edge, pte, quantized, several, unchecked

KINDS = []
FEW = ("view_chain", "ordered", "parts", "lstm", "encoder_layer", "residual", "views_of_input")
HEAVY = ("big", "large_tensors")
LINEAR = ("mlp_norm", "twice", "big", "multihead", "products")
CONVOLVED = ("images", "conv1d", "residual", "norms", "conv_transpose")
SMALL_NETWORKS = (
    "mobilenet_v2", "mobilenet_v3_small", "squeezenet1_1", "resnet_basic", "vision_transformer",
    "convnext", "test_vit", "test_efficientnet", "bert", "gpt2", "llama", "qwen3", "phi3",
    "opt", "vit_images", "segformer_images", "albert", "gemma", "shufflenet_v2_x0_5", "swin",
)  # fmt: skip
GREEDY_AND_NAIVE = ("greedy", "naive")


def kind(make_rows):
    """make_rows() yields (name, function of a random.Random)."""
    KINDS.append((make_rows.__name__, make_rows))
    return make_rows


def cases():
    for kind_name, make_rows in KINDS:
        for name, make in make_rows():
            yield kind_name, name, make


def fixed(function, *args, **kwargs):
    """A maker that draws nothing; a sample is made when the program is."""
    return lambda rng: function(args[0](), *args[1:], **kwargs)


def of_group(group, names=None):
    return [(name, group[name]) for name in names or group]


def random_sample(rng, traits):
    sample = random_programs.random_sample(rng.random(), traits)
    sample.module.requires_grad_(False)
    return sample


def randoms(count, lower, traits=frozenset()):
    """Programs that nobody wrote: lower(sample, rng) makes each."""
    for number in range(count):
        yield f"random_{number}", lambda rng: lower(random_sample(rng, traits), rng)


def algorithm(name):
    from executorch.exir import memory_planning

    return memory_planning.MemoryPlanningAlgorithmSuite([getattr(memory_planning, name)])


# Portable kernels


@kind
def portable():
    for name, make in of_group(modules.SAMPLES):
        yield name, fixed(pte, make)
    yield from randoms(40, lambda sample, rng: pte(sample, config=recipes.random_config(rng)))


@kind
def networks_portable():
    for name in SMALL_NETWORKS[::2]:
        yield name, lambda rng, name=name: pte(networks.NETWORKS[name](rng))


@kind
def control_flow():
    for name, make in of_group(modules.LOOPS):
        yield name, fixed(pte, make)
        yield f"{name}_naive", lambda rng, make=make: pte(
            make(), config=config({"memory_planning_algo": algorithm("naive")}))
        yield f"{name}_xnnpack", lambda rng, make=make: pte(make(), [XnnpackPartitioner()])
    yield from randoms(16, lambda sample, rng: pte(sample), {"control_flow"})


@kind
def buffers():
    for name, make in of_group(modules.BUFFERS):
        yield name, fixed(pte, make)
        yield f"{name}_named", fixed(pte, make, config=config(emit_mutable_buffer_names=True))
        yield f"{name}_initial", lambda rng, make=make: pte(make(), config=config(
            passes=[InitializedMutableBufferPass(["total", "count", "keys", "filled"])]))
        yield f"{name}_reinplaced", lambda rng, make=make: pte(
            make(), config=config(run_reinplace_pass=True))
        yield f"{name}_xnnpack", lambda rng, make=make: pte(make(), [XnnpackPartitioner()])
    for name in ("accumulate", "key_value_cache"):
        yield f"{name}_unplanned", fixed(
            pte, modules.BUFFERS[name],
            config=config({"alloc_mutable_buffers": False}, emit_mutable_buffer_names=True))


@kind
def arguments():
    for name, make in of_group(modules.ARGUMENTS):
        yield name, fixed(pte, make)
    for name in ("dict_in", "named", "none_out", "same_twice", "input_back"):
        yield f"{name}_xnnpack", lambda rng, name=name: pte(
            modules.ARGUMENTS[name](), [XnnpackPartitioner()])


@kind
def dynamic():
    for name, make in of_group(modules.DYNAMIC):
        yield name, fixed(pte, make, compile_config=unchecked())
        yield f"{name}_xnnpack", lambda rng, make=make: pte(make(), [XnnpackPartitioner()])
    yield from randoms(10, lambda sample, rng: pte(sample), {"dynamic"})


# Ways to write a program


@kind
def allocation():
    for name in ("view_chain", "views_of_input", "lstm", "ordered", "identity"):
        for inputs, outputs in itertools.product((True, False), repeat=2):
            memory = {"alloc_graph_input": inputs, "alloc_graph_output": outputs}
            yield f"{name}_{int(inputs)}{int(outputs)}", fixed(
                pte, modules.SAMPLES[name], config=config(memory))


@kind
def algorithms():
    for name, which in itertools.product(FEW, GREEDY_AND_NAIVE):
        yield f"{name}_{which}", lambda rng, name=name, which=which: pte(
            modules.SAMPLES[name](), config=config({"memory_planning_algo": algorithm(which)}))
    for name, alignment in itertools.product(FEW[:3], (1, 64, 4096)):
        yield f"{name}_align_{alignment}", lambda rng, name=name, alignment=alignment: pte(
            modules.SAMPLES[name](), config=config({"alignment": alignment}))


@kind
def flags():
    choices = {
        "kept_views": {"remove_view_copy": False},
        "reinplaced": {"run_reinplace_pass": True},
        "traces": {"emit_stacktrace": True},
        "inline": {"extract_delegate_segments": False},
        "aligned": {"segment_alignment": 16, "constant_tensor_alignment": 64,
                    "delegate_alignment": 32},
        "folded": {"do_quant_fusion_and_const_prop": True},
    }  # fmt: skip
    for name, (flag, options) in itertools.product(FEW, choices.items()):
        parts = [XnnpackPartitioner] if flag in ("inline", "aligned") else []
        yield f"{name}_{flag}", lambda rng, name=name, options=options, parts=parts: pte(
            modules.SAMPLES[name](), [part() for part in parts], config(**options))
    for name in (*FEW, "to_channels_last", "channels_last_input"):
        yield f"{name}_no_dim_order", fixed(
            pte, modules.SAMPLES[name], compile_config=unchecked(_skip_dim_order=True))


def weights_apart(node):
    return "weights" if "weight" in node.name or node.name.startswith("p_") else None


def by_parity(node):
    return "even" if len(node.name) % 2 == 0 else "odd"


@kind
def external():
    ways = {"all": True, "weights": weights_apart, "two_files": by_parity}
    for name, (way, choice) in itertools.product(LINEAR, ways.items()):
        yield f"{name}_{way}", fixed(
            pte, modules.SAMPLES[name], config=config(external_constants=choice))
    for name in LINEAR[:3]:
        yield f"{name}_xnnpack", lambda rng, name=name: pte(
            modules.SAMPLES[name](), [XnnpackPartitioner()], config(external_constants=True))
    for name in ("accumulate", "written_twice"):
        yield f"{name}_all", fixed(
            pte, modules.BUFFERS[name], config=config(external_constants=True))


@kind
def methods():
    cache = {"forward": (torch.randn(1, 3), torch.tensor([1])), "reset": ()}
    shared = {"share_mutable_buffers": True}
    for name, shares, memory, partitioners in (
        ("apart", False, {}, ()),
        ("shared", True, shared, ()),
        ("shared_unplanned_io", True,
         {**shared, "alloc_graph_input": False, "alloc_graph_output": False}, ()),
        ("xnnpack", False, {}, (XnnpackPartitioner,)),
        ("shared_xnnpack", True, shared, (XnnpackPartitioner,)),
    ):
        yield name, lambda rng, shares=shares, memory=memory, partitioners=partitioners: several(
            ClearedCache(), cache, 2, shares, [part() for part in partitioners],
            config(memory, emit_mutable_buffer_names=shares),
            constant_methods={"get_length": 4, "get_name": "cache", "get_scale": 0.5})
    for name, partitioners in (("plain", ()), ("plain_xnnpack", (XnnpackPartitioner,))):
        yield name, lambda rng, partitioners=partitioners: several(
            TwoWays(), {"forward": (torch.randn(2, 4),), "encode": (torch.randn(3, 4),)},
            partitioners=[part() for part in partitioners])
    yield "one_delegated", lambda rng: several(
        TwoWays(), {"forward": (torch.randn(2, 4),), "encode": (torch.randn(3, 4),)},
        partitioners={"forward": [XnnpackPartitioner()]})


class ClearedCache(programs.KeyValueCache):
    """Writes no buffer that starts with ones: the runtime starts each at zero."""

    def reset(self):
        self.keys.zero_()
        return self.keys + 1


class TwoWays(torch.nn.Module):
    """Methods over the same weights."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(self.encode(x)).softmax(1)

    def encode(self, x):
        return torch.relu(self.layer(x))


# XNNPACK


@kind
def xnnpack():
    for name, make in of_group(modules.SAMPLES):
        if not name.startswith("dtype_"):
            yield name, lambda rng, make=make: pte(
                make(), [XnnpackPartitioner()], tolerance=sound_runs.ROUNDED)
    yield from randoms(20, lambda sample, rng: pte(
        sample, [XnnpackPartitioner()], recipes.random_config(rng), sound_runs.ROUNDED))


@kind
def xnnpack_per_op():
    for name in (*LINEAR, *CONVOLVED):
        yield name, lambda rng, name=name: pte(
            modules.SAMPLES[name](), [XnnpackPartitioner(per_op_mode=True)],
            tolerance=sound_runs.ROUNDED)


@kind
def networks_xnnpack():
    for name in SMALL_NETWORKS:
        yield name, lambda rng, name=name: pte(
            networks.NETWORKS[name](rng), [XnnpackPartitioner()], tolerance=sound_runs.ROUNDED)
    for name, width in (("whisper_encoder", 24), ("llama", 32)):
        yield f"own_{name}", lambda rng, name=name, width=width: pte(
            architectures.ARCHITECTURES[name](width), [XnnpackPartitioner()],
            tolerance=sound_runs.ROUNDED)


def xnnpack_quantized(make, partitioners, **options):
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**options))
    sample = quantized(make(), quantizer)
    return pte(sample, partitioners, tolerance=sound_runs.QUANTIZED)


@kind
def xnnpack_static():
    for name, per_channel in itertools.product((*LINEAR, *CONVOLVED), (False, True)):
        yield f"{name}_{'channels' if per_channel else 'tensor'}", (
            lambda rng, name=name, per_channel=per_channel: xnnpack_quantized(
                modules.SAMPLES[name], [XnnpackPartitioner()], is_per_channel=per_channel))
    for name in ("mobilenet_v2", "resnet_basic"):
        yield name, lambda rng, name=name: xnnpack_quantized(
            lambda: networks.NETWORKS[name](rng), [XnnpackPartitioner()], is_per_channel=True)


@kind
def xnnpack_dynamic_quant():
    for name, per_channel in itertools.product(LINEAR, (False, True)):
        yield f"{name}_{'channels' if per_channel else 'tensor'}", (
            lambda rng, name=name, per_channel=per_channel: xnnpack_quantized(
                modules.SAMPLES[name], [XnnpackPartitioner()], is_per_channel=per_channel,
                is_dynamic=True))


@kind
def quantized_portable():
    for name in (*LINEAR, *CONVOLVED):
        yield name, lambda rng, name=name: xnnpack_quantized(modules.SAMPLES[name], [])


# Backends and devices whose runtime is not here


@kind
def other_backends():
    for backend, names in sound_devices.SAMPLES_OF.items():
        for name in names:
            yield f"{backend}_{name}", lambda rng, backend=backend, name=name: (
                sound_devices.lowered_for(backend, modules.SAMPLES[name]()))


@kind
def cadence():
    for name in (*LINEAR, *CONVOLVED, "activations"):
        yield name, fixed(sound_devices.cadence, modules.SAMPLES[name])


@kind
def devices():
    yield from sound_devices.device_rows()


@kind
def aoti():
    yield from sound_devices.aoti_rows(modules.SAMPLES, FEW, LINEAR)


# .pt2


ALL_GROUPS = {
    "samples": modules.SAMPLES, "loops": modules.LOOPS, "buffers": modules.BUFFERS,
    "arguments": modules.ARGUMENTS, "dynamic": modules.DYNAMIC, "programs": programs.SAMPLES,
}  # fmt: skip


@kind
def pt2_aten():
    for group in ("programs",):
        for name, make in of_group(ALL_GROUPS[group]):
            yield f"{group}_{name}", fixed(aten, make)
    yield from randoms(
        20, lambda sample, rng: aten(sample), random_traits("dtypes", "dynamic", "control_flow"))


def random_traits(*traits):
    return frozenset(traits)


@kind
def pt2_core():
    for group, samples in ALL_GROUPS.items():
        for name, make in of_group(samples):
            yield f"{group}_{name}", fixed(core, make)


@kind
def pt2_edge():
    for group in ("programs", "arguments", "buffers", "loops"):
        for name, make in of_group(ALL_GROUPS[group]):
            yield f"{group}_{name}", fixed(edge, make, compile_config=unchecked())


@kind
def pt2_lowered():
    for name in (*FEW, *LINEAR):
        yield f"{name}_xnnpack", lambda rng, name=name: edge(
            modules.SAMPLES[name](), [XnnpackPartitioner()])
    yield from randoms(12, lambda sample, rng: edge(sample, recipes.demo_partitioners(rng)))


@kind
def pt2_networks():
    for name in SMALL_NETWORKS[1::2]:
        yield name, lambda rng, name=name: core(networks.NETWORKS[name](rng))


@kind
def training():
    yield "loss", lambda rng: sound_devices.trained(programs.loss())


@kind
def without_tools():
    """Last: the real CudaBackend hides the one of backends.py."""
    for backend in sound_devices.WITHOUT_TOOLS:
        yield backend, lambda rng, backend=backend: sound_devices.lowered_for(
            backend, programs.mlp())


