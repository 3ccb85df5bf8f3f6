"""Plans as files: which node of a program has which tag, and a partitioner that does what a
plan says. The format is told in doc/plan.md."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.backend.partitioner import (
    DelegationSpec,
    Partitioner,
    PartitionResult,
)
from executorch.exir.dialects.edge._ops import EdgeOpOverload
from executorch.exir.serde.serialize import save
from torch.export import ExportedProgram
from torch.fx import Graph, GraphModule, Node

TAG = "delegation_tag"


class PlanError(ValueError):
    """A plan that is none, or that means another program."""


def operator_of(node: Node) -> str | None:
    """What a node calls, as ``delegraph ls`` has it; None: it is no call."""
    if node.op != "call_function":
        return None
    target: Any = node.target
    if isinstance(target, EdgeOpOverload):
        target = target._op
    if isinstance(target, torch._ops.OpOverload):
        return str(target).replace(".", "::", 1)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order::{target.name()}"
    return f"{target.__module__}.{target.__name__}"


def _only_in_files(node: Node) -> bool:
    """A result that nobody uses: a program that was loaded has it, too."""
    return (
        "_unused_" in node.name
        and operator_of(node) == "_operator.getitem"
        and not node.users
    )


def _nodes_of(graph: Graph) -> list[Node]:
    """By their positions."""
    return [node for node in graph.nodes if not _only_in_files(node)]


def _unread(node: Node) -> Iterator[str]:
    """Names that a file has for results that nobody reads."""
    val = node.meta.get("val")
    if node.op != "call_function" or not isinstance(val, (tuple, list)):
        return
    read = {user.args[1] for user in node.users if operator_of(user) == "_operator.getitem"}
    for i, item in enumerate(val):
        if i not in read and item is not None and not isinstance(item, (tuple, list)):
            yield f"{node.name}_unused_{i}"


def _graphs(module: GraphModule, path: str = "") -> Iterator[tuple[str, Graph]]:
    """The graph of a method and those of its branches, by path."""
    yield path, module.graph
    for node in module.graph.nodes:
        branch = getattr(module, node.target, None) if node.op == "get_attr" else None
        if isinstance(branch, GraphModule):
            yield from _graphs(branch, f"{path}/{node.target}".lstrip("/"))


def plan_of(result: PartitionResult, method: str = "forward") -> dict[str, Any]:
    """The plan that a partitioner made.

    Parameters
    ----------
    result : PartitionResult
        Of ``partitioner.partition(program)`` or ``partitioner(program)``.
    method : str
        The program's name among the methods of a model.

    Returns
    -------
    dict
        As JSON has it; ``save_plan`` writes it.
    """
    tags: dict[str, str] = {}
    nodes: dict[str, dict[str, Any]] = {}

    def add(path: str, name: str, tag: str, op: str | None, position: int | None) -> None:
        full = f"{path}/{name}".lstrip("/")
        tags[full] = tag
        nodes[full] = {"op": op, "position": position}

    for path, graph in _graphs(result.tagged_exported_program.graph_module):
        for position, node in enumerate(_nodes_of(graph)):
            if TAG not in node.meta:
                continue
            add(path, node.name, node.meta[TAG], operator_of(node), position)
            for name in _unread(node):
                add(path, name, node.meta[TAG], "_operator.getitem", None)
    delegates = {
        tag: {
            "backend": spec.backend_id,
            "compile_specs": [
                {"key": one.key, "value": bytes(one.value).decode(errors="replace")}
                for one in spec.compile_specs
            ],
        }
        for tag, spec in result.partition_tags.items()
    }
    return {
        "format": "delegraph-plan",
        "version": 2,
        "methods": {method: {"delegates": delegates, "tags": tags, "nodes": nodes}},
    }


def _write_aside(path: str | os.PathLike[str], text: str) -> None:
    target = Path(path)
    aside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        aside.write_text(text, encoding="utf-8")
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def save_plan(
    result: PartitionResult, path: str | os.PathLike[str], method: str = "forward"
) -> None:
    """Write what a partitioner decided, for ``delegraph check FILE --plan PATH``."""
    _write_aside(path, json.dumps(plan_of(result, method), indent=1) + "\n")


def save_program(program: ExportedProgram, path: str | os.PathLike[str]) -> None:
    """Write a program, of the ATen or the edge dialect, as a file that delegraph reads.

    Tags are not in it: ``save_plan`` writes them.
    """
    target = Path(path)
    aside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        save(program, aside)
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def _note_implicit_quantization(program: ExportedProgram) -> None:
    """XNNPACK's partitioner leaves more than tags: which quantization is a part of the
    operator beside it, without which its passes refuse quantized programs. A plan may have
    the two in different delegates: then it is no part of it."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.backends.xnnpack.utils import quant_utils

    nodes = program.graph.nodes
    if not any(quant_utils.is_quant(node) or quant_utils.is_dequant(node) for node in nodes):
        return
    XnnpackPartitioner().get_matched_nodes_from_configs(program)
    for node in nodes:
        if not quant_utils.is_tagged_as_implicit_q_dq(node):
            continue
        beside = node.all_input_nodes[:1] if quant_utils.is_quant(node) else node.users
        if all(node.meta.get(TAG) != other.meta.get(TAG) for other in beside):
            del node.meta[quant_utils.IS_IMPLICIT_Q_DQ_TAG]


#: What else a backend's passes need of the nodes of a program, by its id.
_NOTES = {"XnnpackBackend": _note_implicit_quantization}


class PlanPartitioner(Partitioner):
    """A partitioner of ExecuTorch that tags what a plan says.

    Parameters
    ----------
    path : str or os.PathLike
        A plan of ``delegraph partition -o``, or of ``save_plan``.
    method : str
        Which method of the plan.

    Raises
    ------
    PlanError
        The plan cannot be read, or lacks the method; from ``partition()``: the program has
        another node at a place than the plan means.
    """

    def __init__(self, path: str | os.PathLike[str], method: str = "forward") -> None:
        super().__init__()
        self.path = os.fspath(path)
        try:
            plan = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            raise PlanError(f"{self.path}: {problem}") from problem
        if not isinstance(plan, dict) or plan.get("format") != "delegraph-plan":
            raise PlanError(f'{self.path}: expected "format": "delegraph-plan"')
        methods = plan.get("methods", {})
        if method not in methods:
            raise PlanError(
                f"{self.path}: no method {method}; there are: {', '.join(methods)}"
            )
        self.plan = methods[method]

    def _find(self, name: str, nodes: list[Node], names: dict[str, Node]) -> Node | None:
        known = self.plan.get("nodes", {}).get(name)
        name = name.rpartition("/")[2]
        if known is None or known.get("position") is None:
            return names.get(name)
        position = known["position"]
        node = nodes[position] if position < len(nodes) else None
        found = operator_of(node) if node else None
        if node is None or found != known["op"] or (node.name != name and name in names):
            raise PlanError(
                f"{self.path} means {name} ({known['op'] or 'no call'}) at position"
                f" {position}, the program has {node or 'no node'}"
                f" ({found or 'no call'}) there"
            )
        return node

    def _tag(self, graph: Graph, path: str) -> None:
        names = {node.name: node for node in graph.nodes}
        nodes = _nodes_of(graph)
        for name, tag in self.plan["tags"].items():
            if name.rpartition("/")[0] == path:
                node = self._find(name, nodes, names)
                if node is not None:
                    node.meta[TAG] = tag

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tag the nodes of the plan."""
        for path in sorted({name.rpartition("/")[0] for name in self.plan["tags"]}):
            try:
                module = exported_program.graph_module.get_submodule(path)
            except AttributeError as problem:
                raise PlanError(f"{self.path}: the program has no graph {path}") from problem
            self._tag(module.graph, path)
        for backend in {one["backend"] for one in self.plan["delegates"].values()}:
            if backend in _NOTES:
                _NOTES[backend](exported_program)
        return PartitionResult(
            exported_program,
            {
                tag: DelegationSpec(
                    delegate["backend"],
                    [
                        CompileSpec(one["key"], one["value"].encode())
                        for one in delegate["compile_specs"]
                    ],
                )
                for tag, delegate in self.plan["delegates"].items()
            },
        )
