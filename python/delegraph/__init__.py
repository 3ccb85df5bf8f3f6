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


def _encoded(what: str, text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"expected {what} as a str, not {type(text).__name__}")
    if "\0" in text:
        raise UsageError(f"{what} with a NUL in it: {text!r}")
    return os.fsencode(text) if what == "path" else text.encode()


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
    if not all(n.isascii() and n.isidentifier() for n in names):
        return tuple
    try:
        return collections.namedtuple("Row", names)._make
    except ValueError:  # keywords, underscores, the same name twice
        return tuple


class _Visit:
    """Calls back from the library; an exception waits until the library has returned."""

    def __init__(self, visit: Callable[..., None]) -> None:
        self.visit, self.problem, self.n = visit, None, 0

    def __call__(self, _: int | None, *arguments: Any) -> int:
        try:
            self.visit(*arguments)
            self.n += 1
        except BaseException as problem:  # also KeyboardInterrupt: nothing may cross C
            self.problem = problem
        return self.problem is not None

    def end(self, n_visits: int) -> None:
        """Raise what came up. A signal can come before the try above; then Python writes it
        to standard error, and a visit is missing."""
        if self.problem:
            raise self.problem
        if self.n != n_visits:
            raise KeyboardInterrupt


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
        self._busy = False
        self._handle: ctypes.c_void_p | None = None
        if not isinstance(self.path, str):
            raise TypeError(f"expected a path, not {type(self.path).__name__}")
        handle = ctypes.c_void_p()
        _call("delegraph_open", ctypes.byref(handle), _encoded("path", self.path))
        self._handle = handle

    def __repr__(self) -> str:
        return f"<delegraph.Program {self.path!r}>"

    def __reduce__(self) -> Any:
        raise TypeError("a program that was read cannot be copied; load it anew")

    __copy__ = __reduce__

    def __deepcopy__(self, memo: Any) -> Any:
        self.__reduce__()

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
            self._refuse_while_busy()  # a handler of signals, in the middle of a call
            handle, self._handle = self._handle, None
            _library.load().delegraph_close(handle)

    def _refuse_while_busy(self) -> None:
        if self._busy:
            raise UsageError(f"{self.path} is in use")

    def _ask(self, name: str, visit: Any, calls: _Visit, *arguments: object) -> None:
        with self._turn:
            self._refuse_while_busy()
            if self._handle is None:
                raise UsageError(f"{self.path} is closed")
            self._busy = True
            try:
                _call(name, self._handle, *arguments, visit(calls), None)
                n_visits = _library.load().delegraph_visits(self._handle)
            except InternalError:
                self._handle = None  # what memory left behind cannot be closed
                raise
            finally:
                self._busy = False
            calls.end(n_visits)

    def check(self) -> list[Finding]:
        """Run every rule, as ``delegraph check FILE`` does without options and policy.

        ``v_finding`` has what they found only afterwards.

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

        self._ask("delegraph_findings", _library.VISIT, _Visit(visit))
        return found

    def query(self, sql: str, seconds: float = 60) -> list[Any]:
        """Rows of one statement over the tables and views that ``delegraph schema`` tells.

        Parameters
        ----------
        sql : str
            It can only read.
        seconds : float
            After which it is stopped; 0: never. They begin when no other thread asks.

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
            if not cells:
                make.append(_row_type([names[i].decode() for i in range(n)]))
            else:
                rows.append(make[0]([_value(cells[i]) for i in range(n)]))

        if not seconds >= 0:
            raise UsageError(f"seconds is {seconds}, expected 0 or more")
        calls = _Visit(visit)
        text = _encoded("SQL", sql)
        self._ask("delegraph_query", _library.ROW, calls, text, float(seconds))
        return rows


def load(path: str | os.PathLike[str]) -> Program:
    """Read a program: ``Program(path)``."""
    return Program(path)


def check(path: str | os.PathLike[str]) -> list[Finding]:
    """What is wrong with a program: ``Program(path).check()``, and the program is closed."""
    with Program(path) as program:
        return program.check()
