"""CapabilityBasedPartitioner of torch, and its answers, from libdelegraph."""

from __future__ import annotations

import collections
import contextlib
import warnings
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import _get_qualified_name
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner, Partition
from torch.fx.passes.operator_support import OperatorSupportBase

from delegraph import _library

#: The releases whose answers these are, held to the original in delegraph's oracle.
TORCH = ("2.13",)

GETITEM = "_operator.getitem"
NO_COMPUTE = frozenset({"torch.ops.aten.view", GETITEM})  # to torch, without being told


class Slow(UserWarning):
    """torch's own code answers, and takes its time: the warning says why."""


class _Downstreams:
    """What comes behind each node, as it was when the partitioner was made."""

    def __init__(self, seen: list[tuple[Node, tuple[Node, ...]]]) -> None:
        self.downstreams: dict[Node, set[Node]] = collections.defaultdict(set)
        for node, users in reversed(seen):
            behind = self.downstreams[node]
            for user in users:
                behind.add(user)
                behind |= self.downstreams[user]

    def downstreams_of(self, node: Node) -> set[Node]:
        return self.downstreams[node]


class _Arrays:
    """A graph as libdelegraph takes it; ValueError says why it cannot be one."""

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        number = {node: i for i, node in enumerate(nodes)}
        self.input_of, self.inputs = array("I", [0]), array("I")
        self.user_of, self.users = array("I", [0]), array("I")
        try:
            for node in nodes:
                self.inputs.extend([number[other] for other in node.all_input_nodes])
                self.input_of.append(len(self.inputs))
                self.users.extend([number[other] for other in node.users])
                self.user_of.append(len(self.users))
        except KeyError as stranger:
            raise ValueError(f"{stranger.args[0]} is no node of the graph") from None

    def names(self) -> list[str | None]:
        """Qualified names of what is called."""
        known: dict[Any, str] = {}
        names: list[str | None] = []
        for node in self.nodes:
            if node.op != "call_function":
                names.append(None)
                continue
            name = known.get(node.target)
            if name is None:
                try:
                    name = known[node.target] = _get_qualified_name(node.target)
                except Exception as problem:
                    raise ValueError(f"{node} calls what has no name") from problem
            names.append(name)
        return names


def _mark(
    partitioner: CapabilityBasedPartitioner, names: list[str | None]
) -> bytearray:
    """Marks of all nodes but whether they are supported."""
    transparent = NO_COMPUTE.union(partitioner.non_compute_ops)
    alone = frozenset(partitioner.allowed_single_node_partition_ops)
    of_name = {
        name: _library.CALL
        | (_library.GETITEM if name == GETITEM else 0)
        | (_library.TRANSPARENT if name in transparent else 0)
        | (_library.ALLOWED_SINGLE if name in alone else 0)
        for name in set(names)
    }
    of_name[None] = 0
    return bytearray([of_name[name] for name in names])


def _support(partitioner: CapabilityBasedPartitioner) -> Callable[[Node], bool]:
    """Whether a node is supported. torch lists all modules for each node anew."""
    own = type(partitioner)._is_node_supported
    if own is not CapabilityBasedPartitioner._is_node_supported:
        return partitioner._is_node_supported
    modules = dict(partitioner.graph_module.named_modules())
    return lambda node: partitioner.operator_support.is_node_supported(modules, node)


def _look(graph_module: GraphModule) -> list[tuple[Node, tuple[Node, ...]]]:
    return [(node, tuple(node.users)) for node in graph_module.graph.nodes]


def _init(
    self: Any,
    graph_module: GraphModule,
    operator_support: OperatorSupportBase,
    allows_single_node_partition: bool = False,
    non_compute_ops: Sequence[str] | None = None,
    allowed_single_node_partition_ops: Sequence[str] | None = None,
    skip_horizontal_fusion: bool = False,
) -> None:
    self.graph_module = graph_module
    self.operator_support = operator_support
    self.allows_single_node_partition = allows_single_node_partition
    self.non_compute_ops = [] if non_compute_ops is None else non_compute_ops
    self.allowed_single_node_partition_ops = (
        []
        if allowed_single_node_partition_ops is None
        else allowed_single_node_partition_ops
    )
    self.skip_horizontal_fusion = skip_horizontal_fusion
    self._delegraph_seen = _look(graph_module)


def _get_viewer(self: Any) -> Any:
    """What torch's own code asks; made when it does."""
    own = self.__dict__  # as torch's __init__ leaves it there
    if "dependency_viewer" not in own:
        own["dependency_viewer"] = _Downstreams(self._delegraph_seen)
    return own["dependency_viewer"]


def _set_viewer(self: Any, viewer: Any) -> None:
    self.__dict__["dependency_viewer"] = viewer


def _arrays_of(self: Any) -> tuple[_Arrays, bytearray]:
    """ValueError: libdelegraph has no answer, or another one than torch."""
    seen = _look(self.graph_module)
    if not torch.__version__.startswith(TORCH):
        raise ValueError(f"torch {torch.__version__} was never tried, {TORCH[0]} was")
    if seen != self.__dict__.get("_delegraph_seen"):
        raise ValueError("the graph is not that which the partitioner was made of")
    arrays = _Arrays([node for node, _ in seen])
    return arrays, _mark(self, arrays.names())


def _propose(self: Any) -> list[Partition]:
    try:
        arrays, marks = _arrays_of(self)
    except ValueError as why:
        warnings.warn(f"torch's own partitioner is used: {why}", Slow, stacklevel=2)
        return _propose_of_torch(self)
    is_supported = _support(self)
    for i in range(len(arrays.nodes) - 1, -1, -1):  # in the order in which torch asks
        if is_supported(arrays.nodes[i]):
            marks[i] |= _library.SUPPORTED
    found, moved, endless = _library.partition(
        arrays.input_of,
        arrays.inputs,
        arrays.user_of,
        arrays.users,
        marks,
        _library.SKIP_HORIZONTAL if self.skip_horizontal_fusion else _library.CAPABILITY,
        self.allows_single_node_partition,
    )
    if endless:
        raise RuntimeError(
            "torch would never return: a getitem of two producers, in different"
            " partitions, changes sides in every round"
        )
    last = len(arrays.nodes) - 1
    return [
        Partition(
            id=number,
            nodes=[arrays.nodes[i] for i in nodes],
            node_orders=[None if moved[i] else last - i for i in nodes],
        )
        for number, nodes in found
    ]


_propose_of_torch = CapabilityBasedPartitioner.propose_partitions
_viewer = property(_get_viewer, _set_viewer)
_ours = {"__init__": _init, "propose_partitions": _propose}
_theirs = {name: CapabilityBasedPartitioner.__dict__[name] for name in _ours}


class FastCapabilityBasedPartitioner(CapabilityBasedPartitioner):
    """``CapabilityBasedPartitioner`` of torch 2.13: same arguments, same partitions.

    ``propose_partitions()`` returns the same ``Partition`` objects, ids and order, of
    nodes too, in time that is linear in nodes and edges. Everything else is torch's own.

    Warns
    -----
    Slow
        torch's own code answers: another release of torch, or a graph that changed since
        the partitioner was made.

    Raises
    ------
    RuntimeError
        From ``propose_partitions()`` where torch itself would never return.
    """

    __init__ = _init
    propose_partitions = _propose
    dependency_viewer = _viewer


def install() -> None:
    """Let every ``CapabilityBasedPartitioner`` of the process answer so, those that are
    made from it and those that exist already, until ``uninstall()``."""
    _library.load()
    CapabilityBasedPartitioner.dependency_viewer = _viewer
    for name, ours in _ours.items():
        setattr(CapabilityBasedPartitioner, name, ours)


def uninstall() -> None:
    """Undo ``install()``. Partitioners that were made in between keep working: their
    ``dependency_viewer`` is made when torch asks for it."""
    for name, theirs in _theirs.items():
        setattr(CapabilityBasedPartitioner, name, theirs)


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """``with installed():`` does ``install()``, and ``uninstall()`` at its end."""
    install()
    try:
        yield
    finally:
        uninstall()
