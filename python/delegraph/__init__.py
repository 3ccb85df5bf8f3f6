"""Check lowered PyTorch programs.

>>> import delegraph
>>> delegraph.check("tests/data/tiny.pte")
[]

``delegraph.torch`` has what a PyTorch program asks of it; it alone needs torch.
"""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass

from delegraph import _library

__all__ = ["Error", "Finding", "InputError", "InternalError", "check", "version"]


class Error(Exception):
    """What delegraph could not do, and why."""


class InputError(Error):
    """A file that cannot be read: where, and what was expected there."""


class InternalError(Error):
    """Memory that ran out, or a fault of delegraph itself."""


@dataclass(frozen=True)
class Finding:
    """A rule that a program breaks.

    Attributes
    ----------
    rule : str
        The rule's id, ``memory/no-live-overlap``; ``delegraph rules`` explains it.
    severity : str
        ``error``, ``warning`` or ``note``.
    message : str
        What is wrong.
    method, graph, node, value : str or None
        Where, as far as it is one place. ``graph`` is the path within the method: ``""``
        for its own graph.
    """

    rule: str
    severity: str
    message: str
    method: str | None = None
    graph: str | None = None
    node: str | None = None
    value: str | None = None


def version() -> str:
    """Version of the library, ``"0.1.0"``."""
    return _library.load().delegraph_version().decode()


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode(errors="replace")


def check(path: str | os.PathLike[str]) -> list[Finding]:
    """Run every rule over a program.

    Parameters
    ----------
    path : str or os.PathLike
        A ``.pte``, ``.pt2``, ``.ptd``, ``.bpte`` or a store.

    Returns
    -------
    list of Finding
        In the order in which ``delegraph check`` tells them; empty for a right program.

    Raises
    ------
    InputError
        The file is not there, or is damaged.
    InternalError
        Memory ran out.
    """
    found: list[Finding] = []

    @_library.VISIT
    def visit(_: int | None, finding: ctypes._Pointer[_library.Finding]) -> int:
        row = finding.contents
        found.append(
            Finding(
                rule=row.rule.decode(),
                severity=row.severity.decode(),
                message=row.message.decode(errors="replace"),
                method=_text(row.method),
                graph=_text(row.graph),
                node=_text(row.node),
                value=_text(row.value),
            )
        )
        return 0

    error = _library.text_buffer()
    code = _library.load().delegraph_check(
        os.fsencode(path), visit, None, error, len(error)
    )
    if code:
        kind = InputError if code == _library.EXIT_INPUT else InternalError
        raise kind(error.value.decode(errors="replace"))
    return found
