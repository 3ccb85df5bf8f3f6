"""CapabilityBasedPartitioner of torch, and its answers, from libdelegraph."""

from __future__ import annotations

import collections
import contextlib
import importlib
import threading
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


def arrays_of(nodes: list[Node], marks: bytearray) -> _library.Arrays:
    """A graph as libdelegraph takes it; ValueError says why it cannot be one."""
    number = {node: i for i, node in enumerate(nodes)}
    input_of, inputs = array("I", [0]), array("I")
    user_of, users = array("I", [0]), array("I")
    try:
        for i, node in enumerate(nodes):
            before = [number[other] for other in node.all_input_nodes]
            if before and max(before) >= i:
                raise ValueError(f"{node} stands before what it reads")
            inputs.extend(before)
            input_of.append(len(inputs))
            users.extend([number[other] for other in node.users])
            user_of.append(len(users))
    except KeyError as stranger:
        raise ValueError(f"{stranger.args[0]} is no node of the graph") from None
    return _library.Arrays(input_of, inputs, user_of, users, marks)


def _names_of(nodes: list[Node]) -> list[str | None]:
    """Qualified names of what is called."""
    known: dict[Any, str] = {}
    names: list[str | None] = []
    for node in nodes:
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


def marks_of(partitioner: CapabilityBasedPartitioner, nodes: list[Node]) -> bytearray:
    """Marks of all nodes but whether they are supported; ValueError as above."""
    names = _names_of(nodes)
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
    marks = bytearray([of_name[name] for name in names])
    for i, node in enumerate(nodes):
        if node.op == "placeholder":
            marks[i] |= _library.PLACEHOLDER
    return marks


def mark_supported(
    partitioner: CapabilityBasedPartitioner, nodes: list[Node], marks: bytearray
) -> None:
    """Ask of each node once, in the order in which torch asks. torch lists all modules anew
    for each node."""
    own = partitioner._is_node_supported
    is_supported: Callable[[Node], bool]
    if getattr(own, "__func__", None) is _is_node_supported_of_torch:
        modules = dict(partitioner.graph_module.named_modules())
        ask = partitioner.operator_support.is_node_supported
        is_supported = lambda node: ask(modules, node)  # noqa: E731
    else:
        is_supported = own
    for i in range(len(nodes) - 1, -1, -1):
        if is_supported(nodes[i]):
            marks[i] |= _library.SUPPORTED


def look(graph_module: GraphModule) -> list[tuple[Node, tuple[Node, ...]]]:
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
    if not _was_tried():
        _theirs["__init__"](
            self,
            graph_module,
            operator_support,
            allows_single_node_partition,
            non_compute_ops,
            allowed_single_node_partition_ops,
            *[skip_horizontal_fusion] * bool(skip_horizontal_fusion),
        )
        return
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
    self._delegraph_seen = look(graph_module)


def _get_viewer(self: Any) -> Any:
    """What torch's own code asks; made when it does."""
    own = self.__dict__  # as torch's __init__ leaves it there
    if "dependency_viewer" not in own and "_delegraph_seen" not in own:
        raise AttributeError("dependency_viewer")
    if "dependency_viewer" not in own:
        own["dependency_viewer"] = _Downstreams(self._delegraph_seen)
    return own["dependency_viewer"]


def _set_viewer(self: Any, viewer: Any) -> None:
    self.__dict__["dependency_viewer"] = viewer


def _was_tried() -> bool:
    return torch.__version__.startswith(tuple(f"{release}." for release in TORCH))


def seen_nodes(self: Any) -> list[Node]:
    """Those of the graph; ValueError: libdelegraph has another answer for it than torch."""
    if not _was_tried():
        raise ValueError(f"torch {torch.__version__} was never tried, {TORCH[0]} was")
    if "_delegraph_seen" not in self.__dict__:
        raise ValueError("the partitioner was made before install(), or is a copy")
    seen = look(self.graph_module)
    if seen != self._delegraph_seen:
        raise ValueError("the graph changed since the partitioner was made")
    return [node for node, _ in seen]


def _propose(self: Any) -> list[Partition]:
    try:
        nodes = seen_nodes(self)
        arrays = arrays_of(nodes, marks_of(self, nodes))
    except ValueError as why:
        warnings.warn(f"torch's own partitioner is used: {why}", Slow, stacklevel=2)
        return _propose_of_torch(self)
    mark_supported(self, nodes, arrays.marks)
    answer = _library.partition(
        arrays,
        _library.SKIP_HORIZONTAL if self.skip_horizontal_fusion else _library.CAPABILITY,
        self.allows_single_node_partition,
    )
    if answer.endless:
        raise RuntimeError(
            "torch would never return: a getitem of two producers, in different"
            " partitions, changes sides in every round"
        )
    last = len(nodes) - 1
    return [
        Partition(
            id=number,
            nodes=[nodes[i] for i in members],
            node_orders=[None if answer.moved[i] else last - i for i in members],
        )
        for number, members in answer.partitions
    ]


_propose_of_torch = CapabilityBasedPartitioner.propose_partitions
_is_node_supported_of_torch = CapabilityBasedPartitioner._is_node_supported
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


def _group() -> Any:
    """delegraph.torch.group, where ExecuTorch has what it stands in for."""
    try:
        return importlib.import_module("delegraph.torch.group")
    except ImportError:
        return None


_depth = 0
_lock = threading.Lock()


def install() -> None:
    """Let every ``CapabilityBasedPartitioner`` that is made from now on answer so, also
    those of classes that are made from it; ExecuTorch's ``GroupBasedPartitioner`` likewise,
    where ExecuTorch is there. ``uninstall()`` undoes it: as often as it was called."""
    global _depth
    _library.load()
    group = _group()
    with _lock:
        _depth += 1
        if _depth > 1:
            return
        CapabilityBasedPartitioner.dependency_viewer = _viewer
        for name, ours in _ours.items():
            setattr(CapabilityBasedPartitioner, name, ours)
        if group:
            group.install()


def uninstall() -> None:
    """Undo one ``install()``; the last puts torch's own back. Without one it does nothing.
    Partitioners that were made in between keep working."""
    global _depth
    group = _group()
    with _lock:
        _depth = max(_depth - 1, 0)
        if _depth:
            return
        for name, theirs in _theirs.items():
            setattr(CapabilityBasedPartitioner, name, theirs)
        if group:
            group.uninstall()


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """``with installed():`` does ``install()``, and ``uninstall()`` at its end."""
    install()
    try:
        yield
    finally:
        uninstall()
