"""Runs programs for soundness.py: each in a child process, its outputs held to those of eager."""

import copy
import json
import os
import select
import signal
import sys
from dataclasses import dataclass

import torch
from torch.utils import _pytree as pytree

RIGHT, WRONG, FAILED, CRASHED = "right", "wrong", "failed", "crashed"
NOT_HERE = "not run here"  # its backend, or a way to hand in its inputs, is missing
SECONDS = 60

EXACT = 1e-4  # relative to the largest number of the output
ROUNDED = 2e-2  # half precision, or kernels that approximate
QUANTIZED = 0.15


@dataclass
class Call:
    """One call of a method: flat inputs, and what eager returns, flat."""

    method: str
    inputs: list
    expected: list


def eager_calls(module, calls):
    """Run [(method, args, kwargs)] on one copy of a module, which keeps its state between them."""
    module = copy.deepcopy(module)
    found = []
    for method, args, kwargs in calls:
        inputs = pytree.tree_leaves(copy.deepcopy((args, kwargs or {})))
        function = module if method == "forward" else getattr(module, method)
        with torch.no_grad():
            given = copy.deepcopy((args, kwargs or {}))
            results = function(*given[0], **given[1])
        found.append(Call(method, inputs, copy.deepcopy(pytree.tree_leaves(results))))
    return found


def tensor_difference(given, wanted, tolerance):
    if given.dtype != wanted.dtype or given.shape != wanted.shape:
        return f"{given.dtype} {list(given.shape)}, eager {wanted.dtype} {list(wanted.shape)}"
    if wanted.numel() == 0 or torch.equal(given, wanted):
        return None
    given, wanted = given.detach().to(torch.float64), wanted.detach().to(torch.float64)
    finite = wanted.isfinite()
    if not torch.equal(given.isfinite(), finite):
        return "infinite or no numbers at other places than eager"
    far = (given - wanted)[finite].abs().max().item() if finite.any() else 0.0
    largest = wanted[finite].abs().max().item() if finite.any() else 0.0
    return f"differs by {far:.4g} of {largest:.4g}" if far > tolerance * max(largest, 1) else None


def differences(given, wanted, tolerance):
    """In words, what the outputs of one call have that eager does not."""
    if len(given) != len(wanted):
        return [f"{len(given)} outputs, eager has {len(wanted)}"]
    found = []
    for place, (mine, theirs) in enumerate(zip(given, wanted)):
        if isinstance(theirs, torch.Tensor) and isinstance(mine, torch.Tensor):
            text = tensor_difference(mine, theirs, tolerance)
        else:
            same = mine == theirs or theirs is None and mine is None
            text = None if same else f"{mine!r}, eager {theirs!r}"
        if text:
            found.append(f"output {place}: {text}")
    return found


def run_program(path, calls, tolerance, data_path=None):
    """Differences from eager of a .pte on the runtime of the wheel."""
    import executorch.kernels.quantized  # noqa: F401  registers kernels
    from executorch.runtime import Runtime, Verification

    program = Runtime.get().load_program(
        path, verification=Verification.InternalConsistency, data_path=data_path
    )
    found = []
    for call in calls:
        given = program.load_method(call.method).execute(call.inputs)
        found += differences(given, call.expected, tolerance)
    return found


def run_module(module, calls, tolerance):
    """Differences from eager of an exported program that was loaded again."""
    found = []
    for call, (args, kwargs) in calls:
        with torch.no_grad():
            given = pytree.tree_leaves(module(*copy.deepcopy(args), **copy.deepcopy(kwargs)))
        found += differences(given, call.expected, tolerance)
    return found


def write_outcome(out, verify):
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.dup2(devnull, 2)
    try:
        found = verify()
        outcome = (WRONG, "; ".join(found)) if found else (RIGHT, "")
    except Exception as problem:
        outcome = (FAILED, f"{type(problem).__name__}: {problem}"[:300])
    os.write(out, json.dumps(outcome).encode())


def in_child(verify):
    """(state, why) of verify() in a process of its own: runtimes crash and hang."""
    sys.stdout.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            write_outcome(writing, verify)
        finally:
            os._exit(0)
    os.close(writing)
    ready, _, _ = select.select([reading], [], [], SECONDS)
    text = os.read(reading, 1 << 20) if ready else b""
    os.close(reading)
    if not ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if text:
        return tuple(json.loads(text))
    if not ready:
        return CRASHED, f"no answer in {SECONDS} seconds"
    return CRASHED, f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "no answer"
