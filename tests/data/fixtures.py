"""The shipped programs by name. Each maker returns {file name: (bytes, known facts or None)}."""

import io
import tempfile
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import (
    EdgeCompileConfig,
    ExecutorchBackendConfig,
    to_edge,
    to_edge_transform_and_lower,
)
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from executorch.exir.passes.propagate_device_config import PropagateDeviceConfig
from executorch.exir.serde.serialize import save as exir_save
from executorch.extension.pybindings.portable_lib import _load_for_executorch
from torch.export.pt2_archive._package import package_pt2
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

import compose
import facts
import libraries
import plans
import programs
from architectures import ARCHITECTURES
from backends import OpsPartitioner, aoti, as_native, on_device, open_formats
from portable_text import make_portable, with_fixed_dates

FIXTURES = {}

# Made by the toolchain, and wrong: planned on the host for a device, which its CUDA backend
# rejects; saved with a string among its results, which torch.export.load() refuses.
WRONG = {"on_cuda_planned_on_host.pte", "string_output.pt2"}

# Made anew they may be other files: scales are sums that processors round differently, code is
# what a compiler makes of it, and times are never the same.
VARYING = {"quantized_core", "xnnpack_channels", "xnnpack_merged_clamp", "xnnpack_quantized",
           "aoti_package", "profiled_trace"}
LINEAR_OPS = {"linear", "addmm", "permute_copy"}
UNSUPPORTED = {"aten::cumsum"}  # by the backend of the plans


def fixture(make):
    FIXTURES[make.__name__] = make
    return make


def export(sample, longest_trace=2, packs_well=True):
    """Weights that pack well are a pattern: whole channels are equal, and vary by nothing."""
    if packs_well:
        programs.fill_with_pattern(sample.module)
    program = torch.export.export(
        sample.module,
        sample.args,
        sample.kwargs,
        dynamic_shapes=sample.dynamic,
        strict=sample.strict,
    )
    return make_portable(program, longest_trace)


def decomposed(program):
    return make_portable(program.run_decompositions())


def saved(program, **options):
    buffer = io.BytesIO()
    torch.export.save(program, buffer, **options)
    return buffer.getvalue()


def pt2(name, data, known=None):
    return {f"{name}.pt2": (data, known)}


def pt2_as_made(name, program):
    """For files that no library loads again: facts of the program in memory."""
    data = saved(program)
    return pt2(name, data, facts.exported_facts(data, {"model": program}))


def add_exported_samples():
    for sample_name, make in programs.SAMPLES.items():
        FIXTURES[sample_name] = lambda name, make=make: pt2(name, saved(export(make())))


add_exported_samples()


def add_core_samples():
    """Samples that decomposition to Core ATen changes: functional, without composite ops."""
    for make in (
        programs.mlp,
        programs.attention,
        programs.dynamic,
        programs.input_mutation,
        programs.key_value_cache,
        programs.mutating_op,
        programs.nested_cond,
        programs.parameter_mutation,
        programs.while_loops,
    ):
        FIXTURES[f"{make.__name__}_core"] = lambda name, make=make: pt2(
            name, saved(decomposed(export(make())))
        )


add_core_samples()


@fixture
def extra_files(name):
    program = export(programs.mlp())
    for node in program.graph.nodes:
        if node.op == "call_function":
            node.meta["custom"] = {"delegation_tag": "part0", "note": "a;b,c \u00e9"}
    return pt2(name, saved(program, extra_files={"labels.txt": "cat\ndog\n"}))


@fixture
def saved_to_path(name):
    """The root folder inside is the file's name, not "archive"."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{name}.pt2")
        torch.export.save(export(programs.one_sine()), path)
        return pt2(name, path.read_bytes())


@fixture
def deflated(name):
    """Compressed, as PyTorch's writer can and as others do who pack again."""
    return pt2(name, compose.deflated(saved(export(programs.mlp()))))


@fixture
def string_output(name):
    return pt2_as_made(name, export(programs.string_output()))


@fixture
def several_models(name):
    buffer = io.BytesIO()
    models = {"encoder": export(programs.mlp()), "decoder": export(programs.tied_weights())}
    embedded = {"small.pte": executorch_program(programs.two_adds()).buffer}
    package_pt2(buffer, exported_programs=models, executorch_files=embedded)
    return pt2(name, buffer.getvalue())


@fixture
def aoti_package(name):
    """A library and weights, no model."""
    data = libraries.cpu_package(
        export(programs.mlp()),
        package_constants_in_so=False,
        package_constants_on_disk_format="pickle_weights",
    )
    return pt2(name, data, facts.exported_facts(data, {}))


@fixture
def subclass_weight(name):
    from torchao.quantization import Int8WeightOnlyConfig, quantize_

    sample = programs.mlp()
    programs.fill_with_pattern(sample.module)
    quantize_(sample.module, Int8WeightOnlyConfig())
    program = torch.export.export(sample.module, sample.args)
    return pt2(name, saved(make_portable(program)))


@fixture
def joint_loss(name):
    from torch.export.experimental import _export_forward_backward

    program = _export_forward_backward(export(programs.loss()))
    return pt2(name, saved(make_portable(program)))


@fixture
def old_layout(name):
    return pt2(name, compose.old_layout(export(programs.old())))


@fixture
def old_layout_cond(name):
    return pt2(name, compose.old_layout(decomposed(export(programs.cond()))))


@fixture
def old_layout_outputs(name):
    return pt2(name, compose.old_layout(decomposed(export(programs.multi_output()))))


@fixture
def pickled_weights(name):
    """The layout of torch 2.8."""
    return pt2(name, compose.pickled_layout(export(programs.buffers())))


# Edge programs


def edge(sample, **options):
    return to_edge(export(sample), compile_config=EdgeCompileConfig(**options))


def exir_saved(program):
    buffer = io.BytesIO()
    exir_save(make_portable(program), buffer)
    return with_fixed_dates(buffer.getvalue())


@fixture
def edge_torch_saved(name):
    return pt2_as_made(name, make_portable(edge(programs.infinities()).exported_program()))


@fixture
def edge_exir(name):
    return pt2(name, exir_saved(edge(programs.infinities()).exported_program()))


@fixture
def edge_exir_dynamic(name):
    return pt2(name, exir_saved(edge(programs.dynamic_rows()).exported_program()))


@fixture
def edge_exir_views(name):
    return pt2(name, exir_saved(edge(programs.window()).exported_program()))


@fixture
def edge_exir_cond(name):
    return pt2(name, exir_saved(edge(programs.cond()).exported_program()))


def lowered(sample, partitioners, **options):
    return to_edge_transform_and_lower(export(sample), partitioner=partitioners, **options)


@fixture
def lowered_exir(name):
    manager = lowered(programs.conv_net(), [XnnpackPartitioner()])
    return pt2(name, exir_saved(manager.exported_program()))


@fixture
def lowered_two_exir(name):
    partitioners = [
        OpsPartitioner({"relu"}, backend="DemoBackend", tag="demo"),
        OpsPartitioner(LINEAR_OPS, backend="NamedDataBackend", tag="named"),
    ]
    return pt2(name, exir_saved(lowered(programs.mlp(), partitioners).exported_program()))


@fixture
def lowered_cond_exir(name):
    manager = lowered(programs.cond(), [OpsPartitioner({"mul", "sub"})])
    return pt2(name, exir_saved(manager.exported_program()))


# Programs with plans


def plan(name, data, made):
    return {f"{name}{plans.SUFFIX}": (plans.plan_text(data, *made), None)}


def core(sample):
    return decomposed(export(sample))


def tagged(name, sample, partitioner):
    """Tags inside the program; the plan beside it has those of constants, too."""
    program = core(sample)
    made = plans.made_by(partitioner, program)
    data = saved(plans.with_custom_tags(program))
    return pt2(name, data) | plan(name, data, made)


@fixture
def gate(name):
    data = saved(core(programs.gate()))
    several, single = plans.BranchwisePartitioner(UNSUPPORTED), plans.OneTag(UNSUPPORTED)
    right = plan(f"{name}_two_tags", data, plans.made_by(several, core(programs.gate())))
    wrong = plan(f"{name}_one_tag", data, plans.made_by(single, core(programs.gate())))
    return pt2(name, data) | right | wrong


@fixture
def gate_tagged(name):
    return tagged(name, programs.gate(), plans.BranchwisePartitioner(UNSUPPORTED))


@fixture
def gate_cyclic(name):
    """Lowering fails with "Invalid partition, found dependency cycles"."""
    return tagged(f"wrong/{name}", programs.gate(), plans.OneTag(UNSUPPORTED))


@fixture
def crossed(name):
    """Two delegates of which each waits for the other."""
    data = saved(core(programs.crossed()))
    one_tag = plans.made_by(plans.OneTag(), core(programs.crossed()))
    delegation = aoti().delegation_spec
    tags = {"sin": "tag0", "cos": "tag1", "exp": "tag1", "relu": "tag0"}
    right = plan(f"{name}_one_tag", data, one_tag)
    wrong = plan(f"{name}_two_tags", data, ({"tag0": delegation, "tag1": delegation}, tags))
    return pt2(name, data) | right | wrong


@fixture
def listed_weight(name):
    program = core(programs.listed_weight())
    data = saved(program)
    made = plans.made_by(plans.BranchwisePartitioner(UNSUPPORTED), program)
    return pt2(name, data) | plan(name, data, made)


@fixture
def cond_tagged(name):
    return tagged(name, programs.cond(), aoti())


@fixture
def branches_tagged(name):
    host = {"aten::sum", "aten::gt", "higher_order::cond", "_operator.getitem"}
    files = tagged(name, programs.nested_cond(), plans.BranchwisePartitioner(host))
    return files | plan(f"{name}_swallowed", files[f"{name}.pt2"][0], tags_in_a_swallowed_branch())


def tags_in_a_swallowed_branch():
    """A cycle within a branch of a tagged cond: lowering never looks there."""
    delegation = aoti().delegation_spec
    nodes = ("true_graph_0", "false_graph_0", "cond", "getitem", "getitem_1")
    outer = dict.fromkeys(nodes, "tag0")
    inner = dict.fromkeys(("mean", "cond", "true_graph_0", "false_graph_0"), "tag1")
    tags = outer | {f"false_graph_0/{node}": tag for node, tag in inner.items()}
    return {"tag0": delegation, "tag1": delegation}, tags


@fixture
def counter_tagged(name):
    return tagged(name, programs.counter(), plans.BranchwisePartitioner(UNSUPPORTED))


@fixture
def after_xnnpack(name):
    def program():
        return lowered(programs.positions(), [XnnpackPartitioner()]).exported_program()

    data = exir_saved(program())
    several = plan(f"{name}_aoti", data, plans.made_by(aoti(), program()))
    single = plan(f"{name}_one_tag", data, plans.made_by(plans.OneTag(), program()))
    return pt2(name, data) | several | single


# Programs of ExecuTorch


def executorch_program(sample, partitioners=(), config=None, **options):
    manager = lowered(sample, list(partitioners), **options)
    return manager.to_executorch(config or ExecutorchBackendConfig())


def written(name, program):
    """The program, and each file of external data as NAME_<tag>.ptd."""
    files = {f"{name}.pte": (bytes(program.buffer), None)}
    for tag, data in sorted(program._tensor_data.items()):
        files[f"{name}_{tag.lstrip('_')}.ptd"] = (bytes(data), None)
    return files


def pte(name, sample, partitioners=(), config=None, **options):
    return written(name, executorch_program(sample, partitioners, config, **options))


@fixture
def portable(name):
    constants = {"get_size": 6, "get_scale": 0.5, "get_name": "portable", "use_cache": True}
    return pte(name, programs.portable(), constant_methods=constants)


@fixture
def tiny(name):
    """Too small for an extended header: nothing but tensors that planning places."""
    return pte(name, programs.two_adds())


@fixture
def control_flow_cond(name):
    return pte(name, programs.nested_cond())


@fixture
def control_flow_symbolic(name):
    """The verifier of edge programs refuses calls of Python's operators."""
    unchecked = EdgeCompileConfig(_check_ir_validity=False)
    return pte(name, programs.symbolic_cond(), compile_config=unchecked)


@fixture
def control_flow_map(name):
    return pte(name, programs.maps())


@fixture
def control_flow_scan(name):
    return pte(name, programs.scans())


@fixture
def control_flow_delegated(name):
    """Delegates inside of branches."""
    return pte(name, programs.cond(), [OpsPartitioner({"mul", "sub"})])


@fixture
def layouts_portable(name):
    return pte(name, programs.layouts())


@fixture
def dynamic_rows(name):
    return pte(name, programs.dynamic_rows())


@fixture
def bundled(name):
    """With two test sets of tensors of several dtypes."""
    sample = programs.portable_dtypes()
    program = executorch_program(sample)
    inputs = [sample.args, tuple(x.flip(0) for x in sample.args)]
    return bundle(name, program, [(x, sample.module(*x)) for x in inputs])


@fixture
def xnnpack_merged_clamp(name):
    """With what the runtime gives, which merges the clamp of codes into the convolution."""
    from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

    sample = programs.narrow_net()
    program = to_edge_transform_and_lower(
        quantized(sample), partitioner=[XnnpackPartitioner()]
    ).to_executorch()
    found = _load_for_executorch_from_buffer(program.buffer).forward(list(sample.args))
    return bundle(name, program, [(sample.args, found[0])])


@fixture
def xnnpack_rewrites(name):
    """With what the runtime gives, which makes tables of functions on codes, clamps of numbers, and
    squares of products, before it merges clamps into convolutions."""
    import xnnpack_graphs
    from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

    graph = xnnpack_graphs.Graph()
    codes = [[[[(7 * i + 5 * k) % 61 - 30 for k in range(6)]]] for i in range(6)]
    number = graph.codes([9], (0.05, 1), (1,))
    at = graph.add("Convert", [graph.input], (0.03, 3))
    at = graph.convolution(at, codes, (0.03, -5), (-1, 2))
    at = graph.add("Clamp", [at], (0.011, 7), (-0.5, 1.5))  # of a table, and so not of the convolution
    at = graph.add("Tanh", [at], (1 / 128, 0))
    at = graph.convolution(at, codes, (0.02, 4))
    at = graph.add("Minimum", [at, number], (0.011, 7))  # merged into the convolution
    at = graph.add("Copy", [at], (0.011, 7))
    at = graph.add("Multiply", [at, at], (1 / 256, -100))
    at = graph.add("Convert", [at], (1 / 200, 20), datatype="quint8")
    buffer = xnnpack_graphs.program_of(graph.finish(at))
    x = torch.linspace(-2, 2, 96).reshape(xnnpack_graphs.SHAPE)
    found = _load_for_executorch_from_buffer(buffer).forward([x])
    return bundle(name, buffer, [([x], found[0])])


def bundle(name, program, calls):
    from executorch.devtools import BundledProgram
    from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
    from executorch.devtools.bundled_program.serialize import (
        serialize_from_bundled_program_to_flatbuffer,
    )

    cases = [MethodTestCase(inputs=x, expected_outputs=y) for x, y in calls]
    suites = [MethodTestSuite("forward", cases)]
    with tempfile.NamedTemporaryFile(suffix=".pte") as file:
        if isinstance(program, bytes):
            file.write(program)
            file.flush()
            whole = BundledProgram(None, suites, file.name)
        else:
            whole = BundledProgram(program, suites)
        return {f"{name}.bpte": (serialize_from_bundled_program_to_flatbuffer(whole), None)}


@fixture
def dtypes_portable(name):
    return pte(name, programs.portable_dtypes())


@fixture
def literal_arguments(name):
    return pte(name, programs.literals())


@fixture
def list_arguments(name):
    return pte(name, programs.resized())


@fixture
def custom_ops_portable(name):
    return pte(name, programs.custom_out())


@fixture
def branch_linear(name):
    """XNNPACK keeps linear whole, and takes none in a branch: lowering fails."""
    return pt2(name, saved(export(programs.branch_linear())))


@fixture
def squeeze(name):
    return pt2(name, saved(export(programs.squeeze())))


def retrained():
    program = export(programs.squeeze())
    with torch.no_grad():
        for weight in program.parameters():
            weight += torch.linspace(1, 2, weight.numel()).view_as(weight)
    return program


@fixture
def squeeze_retrained(name):
    """The same network, and weights of another checkpoint."""
    return pt2(name, saved(retrained()))


@fixture
def squeeze_lowered_exir(name):
    """squeeze_xnnpack, before it became a .pte."""
    manager = lowered(programs.squeeze(), [XnnpackPartitioner()])
    return pt2(name, exir_saved(manager.exported_program()))


@fixture
def squeeze_retrained_lowered_exir(name):
    manager = to_edge_transform_and_lower(retrained(), partitioner=[XnnpackPartitioner()])
    return pt2(name, exir_saved(manager.exported_program()))


@fixture
def squeeze_core(name):
    """Batch norms give three results, of which one is used."""
    return pt2(name, exir_saved(edge(programs.squeeze()).exported_program()))


@fixture
def squeeze_portable(name):
    return pte(name, programs.squeeze())


@fixture
def squeeze_xnnpack(name):
    return pte(name, programs.squeeze(), [XnnpackPartitioner()])


@fixture
def xnnpack(name):
    return pte(name, programs.conv_net(), [XnnpackPartitioner()])


def quantized(sample, **config):
    programs.fill_with_pattern(sample.module)
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**config))
    prepared = prepare_pt2e(torch.export.export(sample.module, sample.args).module(), quantizer)
    prepared(*sample.args)
    return make_portable(torch.export.export(convert_pt2e(prepared), sample.args))


@fixture
def quantized_core(name):
    return pt2(name, saved(quantized(programs.conv_net())))


@fixture
def xnnpack_quantized(name):
    manager = to_edge_transform_and_lower(
        quantized(programs.conv_net()), partitioner=[XnnpackPartitioner()]
    )
    return written(name, manager.to_executorch())


@fixture
def xnnpack_channels(name):
    """Filters with a scale for each channel, which lie in the named data."""
    manager = to_edge_transform_and_lower(
        quantized(programs.mlp(), is_per_channel=True), partitioner=[XnnpackPartitioner()]
    )
    return written(name, manager.to_executorch())


def measured(pte, inputs, runs=3, room=1 << 16):
    """What the runtime notes down while it runs a program so many times: an ETDump, with
    what instructions gave, for which there are `room` bytes: it aborts where they are more."""
    with tempfile.TemporaryDirectory() as folder:
        program, trace = Path(folder, "model.pte"), Path(folder, "model.etdp")
        program.write_bytes(pte)
        module = _load_for_executorch(str(program), enable_etdump=True, debug_buffer_size=room)
        for _ in range(runs):
            module.forward(inputs)
        module.write_etdump_result_to_file(str(trace), str(Path(folder, "values")))
        return trace.read_bytes()


def recorded(manager):
    """The ETRecord of a program, without what belongs to this machine and this run."""
    record = manager.get_etrecord()
    record.export_graph_id = 0
    for program in [record.exported_program, *programs_of(record.edge_dialect_program)]:
        make_portable(program)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.etrecord")
        record.save(str(path))
        return with_fixed_dates(path.read_bytes())


def programs_of(edge):
    return edge.values() if isinstance(edge, dict) else [edge]


@fixture
def profiled(name):
    """A .pte, the programs that it came from, and how long its instructions took."""
    sample = programs.portable()
    manager = to_edge_transform_and_lower(
        export(sample), partitioner=[XnnpackPartitioner()], generate_etrecord=True
    ).to_executorch()
    data = manager.buffer
    return {
        f"{name}.pte": (data, None),
        f"{name}_record.etrecord": (recorded(manager), None),
        f"{name}_trace.etdp": (measured(data, list(sample.args)), None),
    }


@fixture
def xnnpack_unlowered_ops(name):
    """Delegates with portable ops between them."""
    return pte(name, programs.portable(), [XnnpackPartitioner()])


@fixture
def two_backends(name):
    partitioners = [XnnpackPartitioner(), OpsPartitioner({"sum", "cumsum"})]
    return pte(name, programs.two_backends(), partitioners)


@fixture
def shared_blob(name):
    """Equal delegates share one segment."""
    return pte(name, programs.repeated_sines(), [OpsPartitioner({"sin"})])


@fixture
def inline_delegate(name):
    config = ExecutorchBackendConfig(extract_delegate_segments=False)
    return pte(name, programs.two_backends(), [OpsPartitioner({"sum", "cumsum"})], config)


@fixture
def named_data(name):
    partitioner = OpsPartitioner(LINEAR_OPS, backend="NamedDataBackend")
    config = ExecutorchBackendConfig(extract_delegate_segments=False)
    return pte(name, programs.mlp(), [partitioner], config)


@fixture
def aligned(name):
    config = ExecutorchBackendConfig(
        segment_alignment=16, constant_tensor_alignment=64, delegate_alignment=32
    )
    return pte(name, programs.two_backends(), [XnnpackPartitioner()], config)


def two_methods(**options):
    """Both methods of one module, with the buffers that they share."""
    sample = programs.key_value_cache()
    module = sample.module
    forward = make_portable(torch.export.export(module, sample.args))
    module.forward = module.reset
    reset = make_portable(torch.export.export(module, ()))
    return to_edge_transform_and_lower({"forward": forward, "reset": reset}, **options)


@fixture
def several_methods(name):
    manager = two_methods(constant_methods={"get_length": 4})
    return written(name, manager.to_executorch())


@fixture
def shared_buffers(name):
    config = ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(share_mutable_buffers=True),
        emit_mutable_buffer_names=True,
    )
    return written(name, two_methods().to_executorch(config))


@fixture
def initial_state(name):
    config = ExecutorchBackendConfig(
        passes=[InitializedMutableBufferPass(["filled", "total", "keys"])],
        emit_mutable_buffer_names=True,
    )
    return pte(name, programs.key_value_cache(), config=config)


@fixture
def unplanned_buffers(name):
    planning = MemoryPlanningPass(alloc_mutable_buffers=False)
    config = ExecutorchBackendConfig(
        memory_planning_pass=planning, emit_mutable_buffer_names=True
    )
    return pte(name, programs.key_value_cache(), config=config)


@fixture
def unplanned(name):
    planning = MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)
    config = ExecutorchBackendConfig(memory_planning_pass=planning)
    return pte(name, programs.mlp(), config=config)


@fixture
def unplanned_scan(name):
    """A loop that carries a value in an output of the caller's."""
    planning = MemoryPlanningPass(alloc_graph_output=False)
    config = ExecutorchBackendConfig(memory_planning_pass=planning)
    return pte(name, programs.scans(), config=config)


@fixture
def only_pointers(name):
    planning = MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)
    config = ExecutorchBackendConfig(memory_planning_pass=planning)
    return pte(name, programs.one_sine(), config=config)


@fixture
def external(name):
    return pte(name, programs.mlp(), config=ExecutorchBackendConfig(external_constants=True))


@fixture
def external_tagged(name):
    def tag(node):
        return "weights" if "weight" in node.name else None

    return pte(name, programs.mlp(), config=ExecutorchBackendConfig(external_constants=tag))


@fixture
def stack_traces(name):
    return pte(name, programs.mlp(), config=ExecutorchBackendConfig(emit_stacktrace=True))


@fixture
def reinplaced(name):
    config = ExecutorchBackendConfig(run_reinplace_pass=True)
    return pte(name, programs.key_value_cache(), config=config)


@fixture
def mutated_inputs(name):
    """The mutated input is an output in front of what the user returns."""
    return pte(name, programs.input_mutation())


@fixture
def kept_views(name):
    return pte(name, programs.portable(), config=ExecutorchBackendConfig(remove_view_copy=False))


@fixture
def training(name):
    from torch.export.experimental import _export_forward_backward

    program = make_portable(_export_forward_backward(export(programs.loss())))
    manager = to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    return written(name, manager.to_executorch())


@fixture
def on_cuda(name):
    return pte(name, programs.two_adds(), [on_device({"add"})])


@fixture
def on_cuda_exir(name):
    """What on_cuda.pte is emitted from."""
    manager = lowered(programs.two_adds(), [on_device({"add"})])
    return pt2(name, exir_saved(manager.exported_program()))


@fixture
def on_second_device(name):
    return pte(name, programs.two_adds(), [on_device({"add", "mul"}, "CUDA:1")])


@fixture
def on_cuda_without_copies(name):
    config = ExecutorchBackendConfig(
        propagate_device_config=PropagateDeviceConfig(
            skip_h2d_for_method_inputs=True, skip_d2h_for_method_outputs=True
        ),
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False),
    )
    return pte(name, programs.two_adds(), [on_device({"add", "mul"})], config)


@fixture
def on_cuda_planned_on_host(name):
    config = ExecutorchBackendConfig(enable_non_cpu_memory_planning=False)
    return pte(name, programs.two_adds(), [on_device({"add"})], config)


@fixture
def aoti_blobs(name):
    return pte(name, programs.mlp(), [aoti()])


@fixture
def aoti_external(name):
    return pte(name, programs.mlp(), [aoti(external=True)])


@fixture
def aoti_by_method(name):
    """The keys that ExecuTorch 1.1 to 1.3 wrote."""
    return pte(name, programs.mlp(), [aoti(by_method=True)])


@fixture
def aoti_by_name(name):
    """What ExecuTorch 1.5.1 writes: weights under keys of their own."""
    return pte(name, programs.mlp(), [aoti(by_name=True)])


# Backends whose blobs have an open schema


@fixture
def vulkan(name):
    return pte(name, programs.squeeze(), [open_formats()[name]])


@fixture
def tosa(name):
    return pte(name, programs.squeeze(), [open_formats()[name]])


@fixture
def native(name):
    """All of a program, with the bodies of its branches, which its partitioner leaves out."""
    return {f"{name}.pte": (as_native(edge(programs.cond()).exported_program()), None)}


@fixture
def mlx(name):
    return pte(name, programs.squeeze(), [open_formats()[name]])


# Architectures


def add_architectures():
    for architecture, make in ARCHITECTURES.items():
        FIXTURES[architecture] = lambda name, make=make: pt2(name, saved(export(make(), 1)))
        FIXTURES[architecture + "_xnnpack"] = lambda name, make=make: pte(
            name, make(), [XnnpackPartitioner()]
        )


add_architectures()


@fixture
def llama_core(name):
    return pt2(name, saved(decomposed(export(ARCHITECTURES["llama"](), 1))))
