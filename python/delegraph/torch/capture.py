"""What partitioners see and decide, as files, while a model is lowered."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from executorch.exir.backend import backend_api
from executorch.exir.backend.partitioner import Partitioner, PartitionResult
from torch.export import ExportedProgram
from torch.fx import Graph, Node

from delegraph.torch import plans


@dataclass
class Captured:
    """One call of a partitioner.

    Attributes
    ----------
    partitioner : str
        Its class.
    program, plan : Path or None
        The files; None: they could not be written, ``problem`` says why.
    problem : str or None
    """

    partitioner: str
    program: Path | None = None
    plan: Path | None = None
    problem: str | None = None
    result: PartitionResult | None = field(default=None, repr=False)

    def command(self) -> str:
        """The line that looks at both."""
        words = ["delegraph", "check", str(self.program)]
        if self.plan:
            words += ["--plan", str(self.plan)]
        return shlex.join(words)


def _line_of(node: Node) -> str:
    """Of the user's Python, the innermost: `` at model.py:12``; else nothing."""
    lines = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    return f" at {Path(lines[-1][0]).name}:{lines[-1][1]}" if lines else ""


def _unit(node: Node) -> object:
    """What lowering makes of it: one call for each tag. A constant stays where it is."""
    return node if node.op == "placeholder" else node.meta.get(plans.TAG) or node


def find_cycle(graph: Graph) -> list[Node]:
    """Nodes along a cycle that exists once each tag is one call, the first again at its end;
    empty: there is none."""
    users: dict[object, dict[object, Node]] = {}
    for node in graph.nodes:
        own = users.setdefault(_unit(node), {})
        for user in node.users:
            if _unit(user) != _unit(node):
                own.setdefault(_unit(user), node)
    waiting = dict.fromkeys(users, 0)
    for others in users.values():
        for other in others:
            waiting[other] += 1
    ready = [unit for unit, n in waiting.items() if not n]
    while ready:
        for other in users[ready.pop()]:
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    left = {unit for unit, n in waiting.items() if n}
    return _walk(users, left) if left else []


def _walk(users: dict[object, dict[object, Node]], left: set[object]) -> list[Node]:
    """Back from a unit that waits to one that it waits for, until one comes again: what is
    left has none but such."""
    before: dict[object, object] = {}
    for unit in left:
        for other in users[unit]:
            if other in left:
                before[other] = unit
    unit, way, seen = next(u for u in left if u in before), [], {}
    while unit not in seen:
        seen[unit] = len(way)
        way.append(unit)
        unit = before[unit]
    ring = way[seen[unit] :][::-1]
    return [users[a][b] for a, b in zip(ring, ring[1:] + ring[:1])]


def explain(captured: Captured) -> str:
    """One sentence about what cannot be lowered; "" where no cycle is to blame."""
    if captured.result is None:
        return ""
    for path, graph in plans._graphs(captured.result.tagged_exported_program.graph_module):
        cycle = find_cycle(graph)
        if cycle:
            steps = [
                f"{node.name} ({node.meta.get(plans.TAG) or 'not delegated'}{_line_of(node)})"
                for node in cycle
            ]
            where = f" in {path}" if path else ""
            return (
                f"the tags of {captured.partitioner} make a cycle{where}: "
                + " -> ".join([*steps, steps[0]])
            )
    return ""


class Capture:
    """The calls so far, in order: ``seen``."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.seen: list[Captured] = []
        self._real: dict[int, tuple[ExportedProgram, ExportedProgram]] = {}

    def _remember(self, fake: ExportedProgram, real: ExportedProgram) -> None:
        self._real = {id(fake): (fake, real)}  # the next call is about this one

    def _save(self, one: Captured, program: ExportedProgram) -> None:
        _, real = self._real.get(id(program), (program, program))
        stem = f"{len(self.seen):02d}_{one.partitioner}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            plans.save_program(real, self.folder / f"{stem}.pt2")
            one.program = self.folder / f"{stem}.pt2"
        except Exception as problem:  # what cannot be saved must not stop a lowering
            one.problem = f"{type(problem).__name__}: {problem}"
            warnings.warn(f"{stem} was not saved: {one.problem}", stacklevel=4)

    def _save_plan(self, one: Captured) -> None:
        if one.program is None or one.result is None:
            return
        path = one.program.with_suffix(".plan.json")
        plans.save_plan(one.result, path)
        one.plan = path

    def call(self, partitioner: Partitioner, program: ExportedProgram) -> PartitionResult:
        one = Captured(type(partitioner).__name__)
        self.seen.append(one)
        self._save(one, program)
        one.result = partitioner.partition(program)
        self._save_plan(one)
        return one.result

    def complain(self, problem: BaseException) -> str:
        """What is known of a lowering that failed."""
        said = [f"delegraph: lowering failed: {type(problem).__name__}"]
        for one in reversed(self.seen):
            why = explain(one)
            if why:
                said.append(f"delegraph: {why}")
                if one.program:
                    said.append(f"delegraph: {one.command()}")
                return "\n".join(said)
        said += [f"delegraph: {one.command()}" for one in self.seen[-1:] if one.program]
        return "\n".join(said)


@contextlib.contextmanager
def capture(folder: str | os.PathLike[str]) -> Iterator[Capture]:
    """Save every program that a partitioner of ExecuTorch sees, and its tags.

    Parameters
    ----------
    folder : str or os.PathLike
        Gets ``01_XnnpackPartitioner.pt2`` and ``01_XnnpackPartitioner.plan.json``, and so on,
        in the order of the calls. The program is written before it is partitioned.

    Yields
    ------
    Capture
        ``seen`` has the calls.

    Notes
    -----
    Where lowering fails, the reason as far as tags are to blame (a cycle, with its nodes and
    Python lines) and the command that shows it are written to standard error; the exception goes
    on. Partitioners that are called as ``to_backend()`` calls them are seen, those whose
    ``partition()`` is called by hand are not.
    """
    captured = Capture(folder)
    of_partitioner, of_fakes = Partitioner.__call__, backend_api.get_fake_program

    def called(self: Partitioner, exported_program: ExportedProgram) -> PartitionResult:
        return captured.call(self, exported_program)

    def faked(program: ExportedProgram) -> ExportedProgram:
        fake = of_fakes(program)
        captured._remember(fake, program)
        return fake

    Partitioner.__call__ = called
    backend_api.get_fake_program = faked
    try:
        yield captured
    except Exception as problem:
        print(captured.complain(problem), file=sys.stderr)
        raise
    finally:
        Partitioner.__call__ = of_partitioner
        backend_api.get_fake_program = of_fakes
        for one in captured.seen:
            one.result = None  # graphs of the lowering
        captured._real = {}
