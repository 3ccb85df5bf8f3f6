"""GroupBasedPartitioner of ExecuTorch, and its answers, from libdelegraph."""

from __future__ import annotations

import collections
import importlib.metadata
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

#: The release whose answers these are.
EXECUTORCH = "1.5."


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
    of_torch = (
        graph_module,
        operator_support,
        allows_single_node_partition,
        non_compute_ops,
        allowed_single_node_partition_ops,
    )
    if not single._was_tried():
        _theirs["__init__"](self, *of_torch, node_groups)
        return
    single._init(self, *of_torch)
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
    """The group of each node."""
    return array(
        "I",
        [
            self.node_to_group[node]
            if node in self.all_nodes_in_groups
            else _library.NO_GROUP
            for node in nodes
        ],
    )


def _nodes_of(self: Any) -> list[Node]:
    """ValueError: libdelegraph has another answer than ExecuTorch."""
    release = importlib.metadata.version("executorch")
    if not release.startswith(EXECUTORCH):
        raise ValueError(f"executorch {release} was never tried, {EXECUTORCH}1 was")
    for name, theirs in _steps.items():
        if getattr(type(self), name) is not theirs or name in self.__dict__:
            raise ValueError(f"{type(self).__name__} has a {name} of its own")
    nodes = single.seen_nodes(self)
    if not self.all_nodes_in_groups.issubset(nodes):
        raise ValueError("a group has a node that is not in the graph")
    return nodes


def _propose(self: Any) -> list[Partition]:
    try:
        nodes = _nodes_of(self)
        arrays = single.arrays_of(nodes, single.marks_of(self, nodes))
    except ValueError as why:
        warnings.warn(
            f"ExecuTorch's own partitioner is used, on the graph as it is now: {why}",
            single.Slow,
            stacklevel=2,
        )
        self.dependency_viewer = group_partitioner._DependencyViewer(self.graph_module)
        return _propose_of_executorch(self)
    single.mark_supported(self, nodes, arrays.marks)
    groups = _groups_of(self, nodes), len(self.node_groups or [])
    alone = self.allows_single_node_partition
    answer = _library.partition(arrays, _library.GROUP, alone, *groups)
    if answer.cyclic:
        warnings.warn(
            "ExecuTorch's GroupBasedPartitioner has a cyclic answer here, with which"
            " lowering fails; it gets valid partitions instead: nothing to be done",
            Cyclic,
            stacklevel=2,
        )
        answer = _library.partition(arrays, _library.VALID, alone, *groups)
    return [
        Partition(id=number, nodes=[nodes[i] for i in members])
        for number, members in answer.partitions
    ]


def _get_viewer(self: Any) -> Any:
    """ExecuTorch's, which knows upstreams too; made when it is asked for."""
    own = self.__dict__
    if "dependency_viewer" not in own:
        own["dependency_viewer"] = group_partitioner._DependencyViewer(self.graph_module)
    return own["dependency_viewer"]


_viewer = property(_get_viewer, single._set_viewer)
_propose_of_executorch = GroupBasedPartitioner.propose_partitions
_steps = {
    name: step
    for name, step in GroupBasedPartitioner.__dict__.items()
    if name.startswith(("_can_", "_process_", "_merge_", "_perform_", "_filter_"))
}
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
    dependency_viewer = _viewer


def install() -> None:
    """As ``delegraph.torch.install()`` has it."""
    GroupBasedPartitioner.dependency_viewer = _viewer
    for name, ours in _ours.items():
        setattr(GroupBasedPartitioner, name, ours)


def uninstall() -> None:
    """As ``delegraph.torch.uninstall()`` has it."""
    for name, theirs in _theirs.items():
        setattr(GroupBasedPartitioner, name, theirs)
