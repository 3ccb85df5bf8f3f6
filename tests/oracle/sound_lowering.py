"""Ways from a module to files for soundness.py, each with what running them has to give."""

import copy
import functools
import io
import tempfile
import types
import typing
from dataclasses import dataclass, field
from pathlib import Path

import torch
import typing_extensions
from executorch.exir import (
    EdgeCompileConfig,
    ExecutorchBackendConfig,
    to_edge_transform_and_lower,
)
from executorch.exir.serde.serialize import load as exir_load
from executorch.exir.serde.serialize import save as exir_save

import sound_runs

if not hasattr(typing, "override"):  # Cadence's passes ask for Python 3.12
    typing.override = typing_extensions.override
# Every pass copies the whole history of every node: nine tenths of the time.
torch.fx.traceback.copy = types.SimpleNamespace(copy=copy.copy, deepcopy=lambda value: value)

TWICE = 2  # calls of each program: the second meets what the first left in memory


@dataclass
class Made:
    """Bytes by name, the program first; `beside` is what it came from. Nobody runs what has `why`."""

    files: dict
    verify: object = None
    why: str = ""
    beside: dict = field(default_factory=dict)
    stays_wrong: str = ""  # what the target's runtime will not take, by design


def exported(sample):
    return torch.export.export(
        sample.module, sample.args, sample.kwargs, dynamic_shapes=sample.dynamic,
        strict=sample.strict)


def saved(program):
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    return buffer.getvalue()


def exir_saved(program):
    buffer = io.BytesIO()
    exir_save(program, buffer)
    return buffer.getvalue()


def calls_of(sample, module=None, times=TWICE):
    call = ("forward", sample.args, sample.kwargs)
    return sound_runs.eager_calls(module or sample.module, [call] * times)


# .pte


@functools.cache
def runtime_names():
    """Backends and kernels of the wheel."""
    import executorch.kernels.quantized  # noqa: F401  registers kernels
    from executorch.runtime import Runtime

    runtime = Runtime.get()
    return (set(runtime.backend_registry.registered_backend_names),
            set(runtime.operator_registry.operator_names))


def missing_here(program):
    """What the runtime of the wheel lacks for a program, in words."""
    backends, kernels = runtime_names()
    missing = set()
    for plan in program.execution_plan:
        missing |= {f"backend {d.id}" for d in plan.delegates if d.id not in backends}
        names = {f"{op.name}.{op.overload}" if op.overload else op.name for op in plan.operators}
        missing |= {f"kernel {name}" for name in names if name not in kernels}
    return ", ".join(sorted(missing))


def files_of(program):
    files = {"program.pte": bytes(program.buffer)}
    for tag, data in sorted(program._tensor_data.items()):
        files[f"{tag.lstrip('_')}.ptd"] = bytes(data)
    return files


def run_files(files, calls, tolerance):
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in files]
        for path, data in zip(paths, files.values()):
            path.write_bytes(data)
        companion = paths[1] if paths[1:] else None
        return sound_runs.run_program(paths[0], calls, tolerance, companion)


def made_program(program, calls, tolerance=sound_runs.EXACT, beside=None):
    files = files_of(program)
    why = missing_here(program.executorch_program)
    if len(files) > 2:
        why = why or "the runtime's Python takes one .ptd"
    if any(isinstance(value, str) for call in calls for value in call.inputs):
        why = why or "the runtime's Python takes no strings"
    verify = functools.partial(run_files, files, calls, tolerance)
    return Made(files, verify, why, beside or {})


def lowered(program, partitioners=(), **options):
    return to_edge_transform_and_lower(program, partitioner=list(partitioners), **options)


def pte(sample, partitioners=(), config=None, tolerance=sound_runs.EXACT, **options):
    """A sample on its way that most people take; its .pt2 files on the way lie beside it."""
    calls = calls_of(sample)
    source = exported(sample)
    beside = {"aten.pt2": saved(source)}
    manager = lowered(source, partitioners, **options)
    beside |= lowered_beside(manager, sample, calls)
    program = manager.to_executorch(config or ExecutorchBackendConfig())
    return made_program(program, calls, tolerance, beside)


def lowered_beside(manager, sample, calls):
    """The lowered program as a file, where the serializer keeps its meaning: that of 1.5.1 numbers
    the getitems of a delegate anew, so that the second result alone becomes the first."""
    given = (sample.args, sample.kwargs or {})
    try:
        data = exir_saved(manager.exported_program())
        other = verify_loaded(exir_load, data, calls, given, sound_runs.QUANTIZED)
    except Exception:
        return {}
    return {} if other else {"lowered.pt2": data}


def quantized(sample, quantizer, per_calibration=1):
    """The module after prepare and convert of PT2E, as a sample."""
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    prepared = prepare_pt2e(exported(sample).module(), quantizer)
    for _ in range(per_calibration):
        prepared(*sample.args)
    converted = convert_pt2e(prepared)
    return type(sample)(converted, sample.args, sample.kwargs, sample.dynamic, sample.strict)


def several(module, methods, times=1, shares=False, partitioners=(), config=None, **options):
    """methods: {name: args}. Unless they share buffers, each runs in a program of its own."""
    from executorch.exir import ExecutorchBackendConfig as Config

    calls = [(name, args, None) for name, args in methods.items()] * times
    if shares:
        expected = sound_runs.eager_calls(module, calls)
    else:
        expected = [c for call in calls[: len(methods)]
                    for c in sound_runs.eager_calls(module, [call])]
    forward, programs_by_name = module.forward, {}
    for name, args in methods.items():
        module.forward = forward if name == "forward" else getattr(module, name)
        programs_by_name[name] = torch.export.export(module, args)
    module.forward = forward
    given = partitioners if isinstance(partitioners, dict) else list(partitioners)
    manager = to_edge_transform_and_lower(programs_by_name, partitioner=given, **options)
    made = made_program(manager.to_executorch(config or Config()), expected)
    if not shares:
        made.verify = functools.partial(run_each, made.files, expected)
    return made


def run_each(files, calls):
    return [text for call in calls for text in run_files(files, [call], sound_runs.EXACT)]


# .pt2


def verify_loaded(load, data, calls, given, tolerance=sound_runs.EXACT):
    module = load(io.BytesIO(data)).module()
    return sound_runs.run_module(module, [(call, given) for call in calls], tolerance)


def made_pt2(sample, data, load, tolerance=sound_runs.EXACT):
    given = copy.deepcopy((sample.args, sample.kwargs or {}))
    verify = functools.partial(verify_loaded, load, data, calls_of(sample), given, tolerance)
    return Made({"program.pt2": data}, verify)


def aten(sample):
    return made_pt2(sample, saved(exported(sample)), torch.export.load)


def core(sample):
    return made_pt2(sample, saved(exported(sample).run_decompositions()), torch.export.load)


def edge(sample, partitioners=(), **options):
    program = lowered(exported(sample), partitioners, **options).exported_program()
    return made_pt2(sample, exir_saved(program), exir_load, sound_runs.ROUNDED)


def config(memory=None, **options):
    """An ExecutorchBackendConfig; `memory` is for its MemoryPlanningPass."""
    from executorch.exir.passes import MemoryPlanningPass

    planning = MemoryPlanningPass(**(memory or {}))
    return ExecutorchBackendConfig(memory_planning_pass=planning, **options)


def unchecked(**options):
    return EdgeCompileConfig(_check_ir_validity=False, **options)
