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
import functools
import json
import os
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from delegraph import _library, _program

__all__ = [
    "CapabilityError",
    "Error",
    "Finding",
    "Info",
    "InputError",
    "InternalError",
    "Output",
    "Partition",
    "Plan",
    "Program",
    "Run",
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


class CapabilityError(Error):
    """Something that is not here, or not known: a GPU, librsvg, an operator."""


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


@dataclass(frozen=True)
class Info:
    """What a program is.

    Attributes
    ----------
    path, kind : str
        The file, and its format: ``pte``, ``pt2``, ``ptd``.
    size_bytes : int
        Of the file.
    methods : list of str
        Their names.
    json : dict
        All of ``delegraph info --format json``, as doc/schema/info.schema.json has it.
    """

    path: str
    kind: str
    size_bytes: int
    methods: list[str]
    json: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Partition:
    """Nodes of one delegate.

    Attributes
    ----------
    method, tag, backend : str
        The method; the tag that the nodes have; the name of the backend.
    id : int
        As the partitioner numbers it.
    nodes : list of str
        Their names.
    inputs, outputs : int
        Values that come in, and that others read.
    boundary_bytes : int
        Of both, as far as sizes are known.
    graph : str or None
        A branch that a mended plan tags for itself; else None: the graph of the method.
    """

    method: str
    id: int
    tag: str
    backend: str
    nodes: list[str]
    inputs: int
    outputs: int
    boundary_bytes: int
    graph: str | None = None


@dataclass(frozen=True)
class Plan:
    """Which node belongs to which delegate.

    Attributes
    ----------
    partitions : list of Partition
        Of all methods.
    cyclic : bool
        The partitioner's own result has a cycle, and lowering it would fail.
    exact : bool
        The partitioner sees these nodes; not so for a file of ``torch.export.save``.
    notes : str
        What was said beside it.
    text : str
        The plan as a file has it (doc/plan.md), for ``save()`` and ``PlanPartitioner``.
    """

    partitions: list[Partition]
    cyclic: bool
    exact: bool
    notes: str
    text: str = field(repr=False)
    path: str = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan, for ``delegraph check MODEL --plan PATH`` and others."""
        Path(path).write_text(self.text)

    def _repr_svg_(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            plan = Path(folder) / "plan.json"
            self.save(plan)
            return _ask_program("dot", self.path, {"T": "svg", "plan": plan})[1]


@dataclass(frozen=True)
class Output:
    """What became of one output, or node, of a run.

    Attributes
    ----------
    call : int
        Of several calls, from 0 on.
    name, verdict : str
        ``pass``, ``fail`` or ``skip``.
    why : str or None
        The reason, where it did not pass.
    snr_db, max_abs : float or None
        Signal to noise, and the largest difference, against what was expected.
    """

    call: int
    name: str
    verdict: str
    why: str | None
    snr_db: float | None
    max_abs: float | None


@dataclass(frozen=True)
class Run:
    """What a run gave.

    Attributes
    ----------
    passed : bool
        Something was compared, and all of it is right.
    outputs : list of Output
        Of all calls.
    json : dict
        All of ``delegraph run --format json``, as doc/schema/run.schema.json has it.
    """

    passed: bool
    outputs: list[Output]
    json: dict[str, Any] = field(repr=False)


def _of_answer(kind: type[Any], told: dict[str, Any], **others: object) -> Any:
    """A dataclass, of the members that an object of JSON has for it."""
    return kind(**{name: told.get(name) for name in kind.__dataclass_fields__} | others)


_PROGRAM_ERRORS = {2: UsageError, 3: InputError, 4: CapabilityError}


def _ask_program(verb: str, path: str, options: dict[str, Any]) -> tuple[int, str, str]:
    """Exit code 0 or 1, the answer and what was said beside it."""
    words = [w if w != "--T" else "-T" for w in _program.words_of(options)]
    one = path if not path.startswith("@") else f"./{path}"  # @LIST would be many
    code, answer, told = _program.run(verb, *words, "--", one)
    if code > 1 or code < 0:
        raise _PROGRAM_ERRORS.get(code, InternalError)(
            told or f"delegraph {verb}: exit {code}"
        )
    return code, answer, told


def _spare(verb: str, options: dict[str, Any], *own: str) -> None:
    """Refuse options that would take the answer elsewhere, or ask for another one."""
    for name in options:
        if name.rstrip("_") in (*own, "help", "version"):
            raise UsageError(f"{verb}(): {name} is not for Python: use the command line")


def _of_json(verb: str, answer: str) -> Any:
    try:
        return json.loads(answer)
    except ValueError:
        raise InternalError(
            f"{_program.find()} {verb}: expected JSON, got {answer[:60]!r}"
        ) from None


def version() -> str:
    """Version of the library, ``"0.1.0"``."""
    told: bytes = _library.load().delegraph_version()
    return told.decode()


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


_namedtuple: Callable[..., Any] = collections.namedtuple


@functools.lru_cache
def _row_type(names: tuple[str, ...]) -> Callable[[list[Any]], Any]:
    """A named tuple where all columns can be attributes."""
    if not all(n.isascii() and n.isidentifier() for n in names):
        return tuple
    try:
        kind = _namedtuple("Row", names)
    except ValueError:  # keywords, underscores, the same name twice
        return tuple
    kind.__reduce__ = lambda row: (_row, (names, list(row)))  # no module has the class
    make: Callable[[list[Any]], Any] = kind._make
    return make


def _row(names: tuple[str, ...], cells: list[Any]) -> Any:
    """A row that was pickled."""
    return _row_type(names)(cells)


class _Visit:
    """Calls back from the library; an exception waits until the library has returned."""

    def __init__(self, visit: Callable[..., None]) -> None:
        self.visit, self.n = visit, 0
        self.problem: BaseException | None = None

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

    def _tell(self, verb: str, options: dict[str, Any]) -> tuple[int, str, str]:
        """The program's answer."""
        if self._handle is None:
            raise UsageError(f"{self.path} is closed")
        return _ask_program(verb, self.path, options)

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
        names, rows = self._rows(sql, seconds)
        make = _row_type(tuple(names))
        return [make(row) for row in rows]

    def frame(self, sql: str, seconds: float = 60) -> Any:
        """The same as a ``pandas.DataFrame``, for which pandas must be there.

        Parameters
        ----------
        sql, seconds
            As of ``query()``.

        Returns
        -------
        pandas.DataFrame
            With the columns of the statement, also where it has no rows.

        Raises
        ------
        ImportError
            There is no pandas.
        """
        import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]

        names, rows = self._rows(sql, seconds)
        return pandas.DataFrame(rows, columns=names)

    def _rows(self, sql: str, seconds: float) -> tuple[list[str], list[list[Any]]]:
        """Names of columns, and cells."""
        columns: list[str] = []
        rows: list[list[Any]] = []

        def visit(n: int, names: Any, cells: Any) -> None:
            if not cells:
                columns.extend(names[i].decode() for i in range(n))
            else:
                rows.append([_value(cells[i]) for i in range(n)])

        if not seconds >= 0:
            raise UsageError(f"seconds is {seconds}, expected 0 or more")
        calls = _Visit(visit)
        text = _encoded("SQL", sql)
        self._ask("delegraph_query", _library.ROW, calls, text, float(seconds))
        return columns, rows

    # What follows asks the program ``delegraph``: what it draws or executes is a process of
    # its own. Options are those of the command line: ``min_snr=40`` is ``--min-snr 40``.

    def info(self) -> Info:
        """What it is: ``delegraph info FILE``."""
        told = _of_json("info", self._tell("info", {"format": "json"})[1])
        return Info(
            told["artifact"]["path"],
            told["artifact"]["kind"],
            told["artifact"]["size_bytes"],
            [method["name"] for method in told["methods"]],
            told,
        )

    def partition(self, **options: Any) -> Plan:
        """Which nodes go to which delegate: ``delegraph partition FILE``.

        Parameters
        ----------
        **options
            ``backend="xnnpack"``, ``mode="group"``, ``unsupported_ops=["aten::softmax.int"]``,
            ``mode="multi", backend=["xnnpack", "vulkan"]``, ``repair="cyclic.plan.json"``...
        """
        _spare("partition", options, "format", "output")
        with tempfile.TemporaryDirectory() as folder:
            plan = Path(folder) / "plan.json"
            code, answer, notes = self._tell(
                "partition", {**options, "format": "json", "output": plan}
            )
            told = _of_json("partition", answer)
            text = plan.read_text()
        mended = told["mode"] == "repair"
        return Plan(
            [
                _of_answer(Partition, part, method=method["name"], graph=method.get("graph"))
                for method in told["methods"]
                for part in (mended and method.get("valid") or method)["partitions"]
            ],
            code == 1,
            told["exact"],
            notes,
            text,
            self.path,
        )

    def run(self, **options: Any) -> Run:
        """Execute it, and judge every output: ``delegraph run FILE``.

        Parameters
        ----------
        **options
            ``inputs="in.npz"``, ``expected="out.npz"``, ``against="other.pte"``, ``each=True``...
        """
        _spare("run", options, "format", "output")
        code, answer, _ = self._tell("run", {**options, "format": "json"})
        told = _of_json("run", answer)
        outputs = [
            _of_answer(Output, output, call=i)
            for i, call in enumerate(told["calls"])
            for output in call["outputs"]
        ]
        return Run(code == 0, outputs, told)

    def report(self, path: str | os.PathLike[str], **options: Any) -> bool:
        """One page with all of it: ``delegraph report FILE -o PATH``, HTML or Markdown.

        Parameters
        ----------
        path : str or os.PathLike
            ``.html`` or ``.md``.

        Returns
        -------
        bool
            False where ``fail_on="error"`` was asked for, and there is one.
        """
        _spare("report", options, "output")
        options = {"fail_on": "never", **options, "output": os.fspath(path)}
        return self._tell("report", options)[0] == 0

    def svg(self, **options: Any) -> str:
        """A picture: ``delegraph dot FILE -T svg``; a notebook shows a program so."""
        _spare("svg", options, "T", "output")
        return self._tell("dot", {**options, "T": "svg"})[1]

    def _repr_svg_(self) -> str:
        return self.svg()


def load(path: str | os.PathLike[str]) -> Program:
    """Read a program: ``Program(path)``."""
    return Program(path)


def check(path: str | os.PathLike[str]) -> list[Finding]:
    """What is wrong with a program: ``Program(path).check()``, and the program is closed."""
    with Program(path) as program:
        return program.check()
