"""libdelegraph through ctypes: delegraph.h as it is installed."""

from __future__ import annotations

import ctypes
import functools
import os
from array import array
from ctypes import c_char_p, c_int, c_ubyte, c_uint, c_ulong, c_void_p
from pathlib import Path

EXIT_USAGE, EXIT_INPUT, EXIT_INTERNAL = 2, 3, 5
SUPPORTED, CALL, GETITEM, TRANSPARENT, ALLOWED_SINGLE = 1, 2, 4, 8, 16
CAPABILITY, SKIP_HORIZONTAL = 0, 1


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
    ]


class Partitions(ctypes.Structure):
    _fields_ = [
        ("n_partitions", c_uint),
        ("ids", c_void_p),
        ("begins", c_void_p),
        ("nodes", c_void_p),
        ("moved", c_void_p),
        ("endless", c_int),
    ]


def text_buffer() -> ctypes.Array[ctypes.c_char]:
    """Room for the text of an error."""
    return ctypes.create_string_buffer(4096)


def _places() -> list[str]:
    """Where the library may be: as told, beside this file, as the system finds it."""
    told = os.environ.get("DELEGRAPH_LIBRARY")
    beside = Path(__file__).with_name("libdelegraph.so.0")
    return [told] if told else [str(beside)] * beside.exists() + ["libdelegraph.so.0"]


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """The library; ImportError where it is not there, or older than this package."""
    try:
        library = ctypes.CDLL(_places()[0])
        library.delegraph_version.restype = c_char_p
        library.delegraph_version.argtypes = []
        library.delegraph_check.restype = c_int
        library.delegraph_check.argtypes = [c_char_p, VISIT, c_void_p, c_char_p, c_ulong]
        library.delegraph_partition.restype = c_int
        library.delegraph_partition.argtypes = [
            ctypes.POINTER(Graph),
            c_int,
            c_int,
            ctypes.POINTER(Partitions),
            c_char_p,
            c_ulong,
        ]
    except OSError as problem:
        raise ImportError(
            f"libdelegraph is not there ({problem}): install it, or name it in"
            " DELEGRAPH_LIBRARY"
        ) from problem
    except AttributeError as problem:
        raise ImportError(
            f"{_places()[0]} is older than this package ({problem})"
        ) from problem
    return library


def _address(items: array[int]) -> int:
    return items.buffer_info()[0]


class PartitionError(Exception):
    """The arrays are no graph, or memory ran out."""


def partition(
    input_of: array[int],
    inputs: array[int],
    user_of: array[int],
    users: array[int],
    marks: bytearray,
    partitioner: int,
    allows_single_node_partition: bool,
) -> tuple[list[tuple[int, array[int]]], bytearray, bool]:
    """delegraph_partition().

    Returns
    -------
    partitions : list of (id, nodes)
        In torch's order, nodes too.
    moved : bytearray
        Of each node, whether the pass over getitems moved it.
    endless : bool
        Whether torch itself would not return.
    """
    n = len(marks)
    ids, begins, nodes = array("I", bytes(4 * n)), array("I", bytes(4 * n + 4)), array(
        "I", bytes(4 * n)
    )
    moved = bytearray(n)
    flags = array("B", marks)
    room = (c_ubyte * n).from_buffer(moved)
    graph = Graph(n, *map(_address, (input_of, inputs, user_of, users, flags)))
    out = Partitions(0, *map(_address, (ids, begins, nodes)), ctypes.addressof(room), 0)
    error = text_buffer()
    code = load().delegraph_partition(
        ctypes.byref(graph),
        partitioner,
        int(allows_single_node_partition),
        ctypes.byref(out),
        error,
        len(error),
    )
    if code:
        raise PartitionError(error.value.decode(errors="replace"))
    found = [
        (ids[p], nodes[begins[p] : begins[p + 1]]) for p in range(out.n_partitions)
    ]
    return found, moved, bool(out.endless)
