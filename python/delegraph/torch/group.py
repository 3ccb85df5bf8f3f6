"""GroupBasedPartitioner of ExecuTorch, and its answers, from libdelegraph."""

from __future__ import annotations

import collections
import warnings
from array import array
from collections.abc import Sequence
from typing import Any

from executorch.exir.backend.canonical_partitioners import group_partitioner
from executorch.exir.backend.canonical_partitioners.group_partitioner import (
    GroupBasedPartitioner,
)
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.partitioner import Partition
from torch.fx.passes.operator_support import OperatorSupportBase

from delegraph import _library
from delegraph.torch import partitioner as single


class Cyclic(UserWarning):
    """ExecuTorch's answer is cyclic and lowering it would fail: valid partitions took its
    place."""


def _init(
    self: Any,
    graph_module: GraphModule,
    operator_support: OperatorSupportBase,
    allows_single_node_partition: bool = False,
    non_compute_ops: Sequence[str] | None = None,
    allowed_single_node_partition_ops: Sequence[str] | None = None,
    node_groups: list[list[Node]] | None = None,
) -> None:
    single._init(
        self,
        graph_module,
        operator_support,
        allows_single_node_partition,
        non_compute_ops,
        allowed_single_node_partition_ops,
    )
    self.node_groups = [set(group) for group in node_groups] if node_groups else None
    self.node_to_group = collections.defaultdict(int)
    self.all_nodes_in_groups = set()
    for i, group in enumerate(self.node_groups or []):
        for node in group:
            if node in self.node_to_group:
                raise ValueError(f"Node {node} exists in multiple groups.")
            self.node_to_group[node] = i
            self.all_nodes_in_groups.add(node)


def _groups_of(self: Any, nodes: list[Node]) -> array[int]:
    """The group of each node. Groups may have nodes that are not in the graph."""
    return array(
        "I",
        [
            self.node_to_group[node]
            if node in self.all_nodes_in_groups
            else _library.NO_GROUP
            for node in nodes
        ],
    )


def _propose(self: Any) -> list[Partition]:
    try:
        nodes = single.seen_nodes(self)
        arrays = single.arrays_of(nodes, single.marks_of(self, nodes))
    except ValueError as why:
        warnings.warn(
            f"ExecuTorch's own partitioner is used: {why}", single.Slow, stacklevel=2
        )
        self.dependency_viewer = group_partitioner._DependencyViewer(self.graph_module)
        return _propose_of_executorch(self)
    single.mark_supported(self, nodes, arrays.marks)
    groups = _groups_of(self, nodes), len(self.node_groups or [])
    alone = self.allows_single_node_partition
    answer = _library.partition(arrays, _library.GROUP, alone, *groups)
    if answer.cyclic:
        warnings.warn(
            "ExecuTorch's GroupBasedPartitioner has a cyclic answer here, which cannot be"
            " lowered: these partitions are valid, and others",
            Cyclic,
            stacklevel=2,
        )
        answer = _library.partition(arrays, _library.VALID, alone, *groups)
    return [
        Partition(id=number, nodes=[nodes[i] for i in members])
        for number, members in answer.partitions
    ]


_propose_of_executorch = GroupBasedPartitioner.propose_partitions
_ours = {"__init__": _init, "propose_partitions": _propose}
_theirs = {name: GroupBasedPartitioner.__dict__[name] for name in _ours}


class FastGroupBasedPartitioner(GroupBasedPartitioner):
    """``GroupBasedPartitioner`` of executorch 1.5.1: same arguments, same partitions.

    ``propose_partitions()`` returns partitions with the same ids in the same order. Their
    nodes are in the order of the graph; ExecuTorch's have none.

    Warns
    -----
    Cyclic
        ExecuTorch's answer could not be lowered; the one that is returned can.
    Slow
        ExecuTorch's own code answers: another release of torch, or a graph that changed
        since the partitioner was made.
    """

    __init__ = _init
    propose_partitions = _propose
    dependency_viewer = single._viewer


def install() -> None:
    """As ``delegraph.torch.install()`` has it."""
    GroupBasedPartitioner.dependency_viewer = single._viewer
    for name, ours in _ours.items():
        setattr(GroupBasedPartitioner, name, ours)


def uninstall() -> None:
    """As ``delegraph.torch.uninstall()`` has it."""
    for name, theirs in _theirs.items():
        setattr(GroupBasedPartitioner, name, theirs)
