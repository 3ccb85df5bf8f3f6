"""Check lowered PyTorch programs, and ask about them in SQL.

>>> import delegraph
>>> program = delegraph.load("tests/data/tiny.pte")
>>> program.check()
[]
>>> program.query("SELECT name, op FROM v_node LIMIT 1")
[Row(name='op_0', op='aten::add.out')]

``delegraph.torch`` has what a PyTorch program asks of it; it alone needs torch.
"""

from __future__ import annotations

import collections
import ctypes
import keyword
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from delegraph import _library

__all__ = [
    "Error",
    "Finding",
    "InputError",
    "InternalError",
    "Program",
    "StoppedError",
    "UsageError",
    "check",
    "load",
    "version",
]


class Error(Exception):
    """What delegraph could not do, and why."""


class UsageError(Error):
    """What was asked cannot be: SQL that is wrong, a program that is closed."""


class InputError(Error):
    """A file that cannot be read: where, and what was expected there."""


class StoppedError(Error):
    """A limit of time or memory ended a query."""


class InternalError(Error):
    """Memory that ran out, or a fault of delegraph itself."""


_ERRORS = {2: UsageError, 3: InputError, 4: StoppedError}


def _call(name: str, *arguments: object) -> None:
    code, text = _library.call(name, *arguments)
    if code:
        raise _ERRORS.get(code, InternalError)(text)


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


def _value(cell: _library.Cell) -> Any:
    if cell.type == b"i":
        return cell.integer
    if cell.type == b"f":
        return cell.real
    if cell.type == b"n":
        return None
    data = ctypes.string_at(cell.data, cell.size) if cell.size else b""
    return data.decode(errors="replace") if cell.type == b"t" else data


def _row_type(names: list[str]) -> Callable[[list[Any]], Any]:
    """A named tuple where all columns can be attributes."""
    good = all(n.isidentifier() and not n.startswith("_") for n in names)
    if not good or len(set(names)) < len(names) or any(map(keyword.iskeyword, names)):
        return tuple
    return collections.namedtuple("Row", names)._make


class _Visit:
    """Calls back from the library; an exception waits until the library has returned."""

    def __init__(self, visit: Callable[..., None]) -> None:
        self.visit, self.problem = visit, None

    def __call__(self, _: int | None, *arguments: Any) -> int:
        try:
            self.visit(*arguments)
        except BaseException as problem:  # also KeyboardInterrupt: nothing may cross C
            self.problem = problem
        return self.problem is not None

    def again(self) -> None:
        if self.problem:
            raise self.problem


class Program:
    """A program that was read. Threads may share it; they take turns.

    Use it in a ``with``, or ``close()`` it; otherwise it is closed when nothing refers to
    it any more.

    Parameters
    ----------
    path : str or os.PathLike
        A ``.pte``, ``.pt2``, ``.ptd`` or a store, which must not change until it is closed.

    Raises
    ------
    InputError
        The file is not there, or is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._turn = threading.RLock()
        self._handle: ctypes.c_void_p | None = None
        handle = ctypes.c_void_p()
        _call("delegraph_open", ctypes.byref(handle), os.fsencode(path))
        self._handle = handle

    def __repr__(self) -> str:
        return f"<delegraph.Program {self.path!r}>"

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Give back its memory. Whatever is asked afterwards is a ``UsageError``."""
        if getattr(self, "_handle", None) is None:
            return
        with self._turn:
            handle, self._handle = self._handle, None
            _library.load().delegraph_close(handle)

    def _ask(self, name: str, *arguments: object) -> None:
        with self._turn:
            if self._handle is None:
                raise UsageError(f"{self.path} is closed")
            try:
                _call(name, self._handle, *arguments)
            except InternalError:
                self._handle = None  # what memory left behind cannot be closed
                raise

    def check(self) -> list[Finding]:
        """Run every rule.

        Returns
        -------
        list of Finding
            In the order in which ``delegraph check`` tells them; empty for a right program.
        """
        found: list[Finding] = []

        def visit(finding: Any) -> None:
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

        calls = _Visit(visit)
        self._ask("delegraph_findings", _library.VISIT(calls), None)
        calls.again()
        return found

    def query(self, sql: str, seconds: float = 60) -> list[Any]:
        """Rows of one statement over the tables and views that ``delegraph schema`` tells.

        Parameters
        ----------
        sql : str
            It can only read.
        seconds : float
            After which it is stopped; 0: never.

        Returns
        -------
        list of tuple
            Named tuples where all columns have names that can be attributes.

        Raises
        ------
        UsageError
            The statement is wrong.
        StoppedError
            It took too long, or too much memory.
        """
        make: list[Callable[[list[Any]], Any]] = []
        rows: list[Any] = []

        def visit(n: int, names: Any, cells: Any) -> None:
            if not make:
                make.append(_row_type([names[i].decode() for i in range(n)]))
            else:
                rows.append(make[0]([_value(cells[i]) for i in range(n)]))

        calls = _Visit(visit)
        self._ask("delegraph_query", sql.encode(), seconds, _library.ROW(calls), None)
        calls.again()
        return rows


def load(path: str | os.PathLike[str]) -> Program:
    """Read a program: ``Program(path)``."""
    return Program(path)


def check(path: str | os.PathLike[str]) -> list[Finding]:
    """What is wrong with a program: ``Program(path).check()``, and the program is closed."""
    with Program(path) as program:
        return program.check()
