"""libdelegraph through ctypes: delegraph.h as it is installed."""

from __future__ import annotations

import ctypes
import functools
import os
from array import array
from ctypes import c_char_p, c_int, c_ubyte, c_uint, c_ulong, c_void_p
from pathlib import Path
from typing import NamedTuple

EXIT_USAGE, EXIT_INPUT, EXIT_INTERNAL = 2, 3, 5
SUPPORTED, CALL, GETITEM, TRANSPARENT, ALLOWED_SINGLE, PLACEHOLDER = 1, 2, 4, 8, 16, 32
CAPABILITY, SKIP_HORIZONTAL, GROUP, VALID = range(4)
NO_GROUP = 0xFFFFFFFF


class Finding(ctypes.Structure):
    _fields_ = [
        (name, c_char_p)
        for name in ("rule", "severity", "method", "graph", "node", "value", "message")
    ]


VISIT = ctypes.CFUNCTYPE(c_int, c_void_p, ctypes.POINTER(Finding))


class Graph(ctypes.Structure):
    _fields_ = [
        ("n_nodes", c_uint),
        ("input_of", c_void_p),
        ("inputs", c_void_p),
        ("user_of", c_void_p),
        ("users", c_void_p),
        ("marks", c_void_p),
        ("n_groups", c_uint),
        ("group_of", c_void_p),
    ]


class Partitions(ctypes.Structure):
    _fields_ = [
        ("n_partitions", c_uint),
        ("ids", c_void_p),
        ("begins", c_void_p),
        ("nodes", c_void_p),
        ("moved", c_void_p),
        ("endless", c_int),
        ("cyclic", c_int),
    ]


class Cell(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_char),
        ("integer", ctypes.c_longlong),
        ("real", ctypes.c_double),
        ("data", c_void_p),
        ("size", c_ulong),
    ]


ROW = ctypes.CFUNCTYPE(
    c_int, c_void_p, c_uint, ctypes.POINTER(c_char_p), ctypes.POINTER(Cell)
)


def text_buffer() -> ctypes.Array[ctypes.c_char]:
    """Room for the text of an error."""
    return ctypes.create_string_buffer(4096)


def _places() -> list[str]:
    """Where the library may be: as told, beside this file, as the system finds it."""
    told = os.environ.get("DELEGRAPH_LIBRARY")
    beside = Path(__file__).with_name("_native") / "libdelegraph.so.0"
    return [told] if told else [str(beside)] * beside.exists() + ["libdelegraph.so.0"]


# Functions of delegraph.h: what they return, and of what; all that can fail end with room
# for a text.
_ERROR = [c_char_p, c_ulong]
_FUNCTIONS = {
    "delegraph_version": (c_char_p, []),
    "delegraph_open": (c_int, [ctypes.POINTER(c_void_p), c_char_p, *_ERROR]),
    "delegraph_close": (None, [c_void_p]),
    "delegraph_visits": (c_ulong, [c_void_p]),
    "delegraph_findings": (c_int, [c_void_p, VISIT, c_void_p, *_ERROR]),
    "delegraph_query": (
        c_int,
        [c_void_p, c_char_p, ctypes.c_double, ROW, c_void_p, *_ERROR],
    ),
    "delegraph_partition": (
        c_int,
        [ctypes.POINTER(Graph), c_int, c_int, ctypes.POINTER(Partitions), *_ERROR],
    ),
}


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """The library; ImportError where it is not there, or older than this package."""
    try:
        library = ctypes.CDLL(_places()[0])
        for name, (returns, takes) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = returns, takes
    except OSError as problem:
        raise ImportError(
            f"libdelegraph cannot be loaded ({problem}): install it, or name it in"
            " DELEGRAPH_LIBRARY, by its whole path"
        ) from problem
    except AttributeError as problem:
        raise ImportError(
            f"{_places()[0]} is no libdelegraph, or an older one than this package has"
            f" ({problem})"
        ) from problem
    return library


def call(name: str, *arguments: object) -> tuple[int, str]:
    """Exit code and text of a function that can fail."""
    error = text_buffer()
    code = getattr(load(), name)(*arguments, error, len(error))
    return code, error.value.decode(errors="replace")


def _address(items: array[int]) -> int:
    return items.buffer_info()[0]


class PartitionError(Exception):
    """The arrays are no graph, or memory ran out."""


class Arrays(NamedTuple):
    """A graph as delegraph.h has it."""

    input_of: array[int]
    inputs: array[int]
    user_of: array[int]
    users: array[int]
    marks: bytearray


class Answer(NamedTuple):
    """Partitions as (id, nodes), in torch's order, nodes too; of each node, whether the pass
    over getitems moved it; whether torch would never return; whether it is cyclic."""

    partitions: list[tuple[int, array[int]]]
    moved: bytearray
    endless: bool
    cyclic: bool


def _zeros(n: int) -> array[int]:
    return array("I", bytes(4 * n))


def partition(
    arrays: Arrays,
    partitioner: int,
    allows_single_node_partition: bool,
    group_of: array[int] | None = None,
    n_groups: int = 0,
) -> Answer:
    """delegraph_partition()."""
    n = len(arrays.marks)
    ids, begins, nodes = _zeros(n), _zeros(n + 1), _zeros(n)
    moved, marks = bytearray(n), array("B", arrays.marks)
    room = (c_ubyte * n).from_buffer(moved)
    groups = _address(group_of) if group_of else None
    graph = Graph(n, *map(_address, arrays[:4]), _address(marks), n_groups, groups)
    out = Partitions(
        0, *map(_address, (ids, begins, nodes)), ctypes.addressof(room), 0, 0
    )
    code, text = call(
        "delegraph_partition",
        ctypes.byref(graph),
        partitioner,
        int(allows_single_node_partition),
        ctypes.byref(out),
    )
    if code:
        raise PartitionError(text)
    found = [
        (ids[p], nodes[begins[p] : begins[p + 1]]) for p in range(out.n_partitions)
    ]
    return Answer(found, moved, bool(out.endless), bool(out.cyclic))
