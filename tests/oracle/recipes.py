"""Ways to turn a module into a file."""

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import ExecutorchBackendConfig
from executorch.exir.passes import MemoryPlanningPass

import compose
import fixtures
from backends import OpsPartitioner, aoti, on_device

DELEGATED_OPS = (
    "add", "mul", "sub", "relu", "sigmoid", "tanh", "addmm", "permute_copy", "_softmax", "sum",
    "cat", "mean", "maximum", "exp", "linear", "view_copy", "native_layer_norm",
)  # fmt: skip


def chosen_ops(rng):
    return set(rng.sample(DELEGATED_OPS, rng.randint(1, 8)))


def demo_partitioners(rng):
    backends = rng.sample(("DemoBackend", "NamedDataBackend"), rng.randint(1, 2))
    return [OpsPartitioner(chosen_ops(rng), backend, tag=backend) for backend in backends]


def random_config(rng):
    return ExecutorchBackendConfig(
        extract_delegate_segments=rng.random() < 0.7,
        segment_alignment=rng.choice((16, 128, 4096)),
        external_constants=rng.random() < 0.15,
        remove_view_copy=rng.random() < 0.8,
        emit_mutable_buffer_names=rng.random() < 0.5,
        run_reinplace_pass=rng.random() < 0.2,
        enable_non_cpu_memory_planning=rng.random() < 0.8,
        memory_planning_pass=MemoryPlanningPass(
            alloc_graph_input=rng.random() < 0.7, alloc_graph_output=rng.random() < 0.7
        ),
    )


def device_config(rng):
    """Planned on the device, results included: else what ExecuTorch makes cannot run."""
    config = random_config(rng)
    config.enable_non_cpu_memory_planning = True
    config.memory_planning_pass.alloc_graph_output = True
    return config


def exported(name, sample, rng):
    return fixtures.pt2(name, fixtures.saved(fixtures.export(sample)))


def core(name, sample, rng):
    return fixtures.pt2(name, fixtures.saved(fixtures.decomposed(fixtures.export(sample))))


def old(name, sample, rng):
    return fixtures.pt2(name, compose.old_layout(fixtures.decomposed(fixtures.export(sample))))


def pickled(name, sample, rng):
    return fixtures.pt2(name, compose.pickled_layout(fixtures.export(sample)))


def edge(name, sample, rng):
    return fixtures.pt2(name, fixtures.exir_saved(fixtures.edge(sample).exported_program()))


def lowered_edge(name, sample, rng):
    manager = fixtures.lowered(sample, demo_partitioners(rng))
    return fixtures.pt2(name, fixtures.exir_saved(manager.exported_program()))


def portable(name, sample, rng):
    return fixtures.pte(name, sample, config=random_config(rng))


def delegated(name, sample, rng):
    return fixtures.pte(name, sample, demo_partitioners(rng), random_config(rng))


def xnnpack(name, sample, rng):
    return fixtures.pte(name, sample, [XnnpackPartitioner()], random_config(rng))


def mixed(name, sample, rng):
    partitioners = [XnnpackPartitioner(), OpsPartitioner(chosen_ops(rng))]
    return fixtures.pte(name, sample, partitioners, random_config(rng))


def device(name, sample, rng):
    place = rng.choice(("cuda:0", "cuda:1", "CUDA:0"))
    return fixtures.pte(name, sample, [on_device(chosen_ops(rng), place)], device_config(rng))


def whole_on_device(name, sample, rng):
    return fixtures.pte(name, sample, [aoti()], device_config(rng))


EVERYTHING = {"dtypes", "dynamic", "control_flow", "while_loop", "own_ops"}

# What the programs of each recipe may hold: the toolchain cannot lower all of it.
TRAITS = {
    exported: EVERYTHING,
    core: EVERYTHING,
    old: EVERYTHING - {"own_ops"},
    pickled: {"dtypes", "dynamic"},
    edge: {"dynamic", "control_flow"},
    lowered_edge: {"control_flow"},
    portable: {"dynamic", "control_flow"},
    delegated: {"dynamic", "control_flow"},
    xnnpack: {"dynamic"},
    mixed: {"control_flow"},
    device: {"dynamic"},
    whole_on_device: set(),
}
