"""``python -m delegraph.torch lower MODEL.pt2 --backend xnnpack -o DIR``."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import torch

#: Partitioners by the name that ``delegraph partition --backend`` has for a backend.
PARTITIONERS = {
    "xnnpack": "executorch.backends.xnnpack.partition.xnnpack_partitioner:XnnpackPartitioner",
}
EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_CAPABILITY = 1, 2, 3, 4


class _Failure(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def _parse(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m delegraph.torch",
        description="What ExecuTorch does to a program, as files.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    lower = verbs.add_parser(
        "lower",
        help="lower a program of torch.export.save, and save what each partitioner sees",
        description="Lowers a program of torch.export.save by to_edge_transform_and_lower(). DIR"
        " gets the program and the plan of each call of a partitioner, as delegraph reads them,"
        " and the .pte. This runs torch's loader, which runs code of the file: only for files"
        " you trust.",
    )
    lower.add_argument("model", type=Path, metavar="MODEL.pt2")
    lower.add_argument(
        "--backend",
        action="append",
        default=[],
        metavar="NAME",
        help=f"one of {', '.join(PARTITIONERS)}, or MODULE:CLASS of a partitioner that is made"
        " without arguments; several in the order of lowering",
    )
    lower.add_argument("-o", dest="folder", type=Path, required=True, metavar="DIR")
    return parser.parse_args(words)


def _partitioner(name: str) -> Any:
    module, _, kind = PARTITIONERS.get(name, name).partition(":")
    if not kind:
        raise _Failure(
            EXIT_USAGE,
            f"no backend {name}; expected {', '.join(PARTITIONERS)}, or MODULE:CLASS",
        )
    try:
        return getattr(importlib.import_module(module), kind)()
    except (ImportError, AttributeError) as problem:
        raise _Failure(EXIT_CAPABILITY, f"--backend {name}: {problem}") from problem


def _is_edge(path: Path) -> bool:
    """Whether exir.save() wrote it, whose format torch.export.load() takes for an old one."""
    try:
        with zipfile.ZipFile(path) as archive:
            program = json.loads(archive.read("serialized_exported_program.json"))
        return "EDGE" in program["verifiers"]
    except Exception:  # it may be damaged in any way
        return False


def _load(path: Path) -> torch.export.ExportedProgram:
    try:
        return torch.export.load(path)
    except Exception as problem:  # whatever torch says of a file
        said = f"torch.export.load: {type(problem).__name__}: {problem}"
        if _is_edge(path):
            said = "an edge program, of exir.save(); expected what torch.export.save() wrote"
        raise _Failure(EXIT_INPUT, f"{path}: {said}") from problem


def _lower(given: argparse.Namespace) -> int:
    from executorch.exir import to_edge_transform_and_lower

    from delegraph.torch.capture import capture

    program = _load(given.model)
    partitioners = [_partitioner(name) for name in given.backend]
    given.folder.mkdir(parents=True, exist_ok=True)
    try:
        with capture(given.folder) as captured:
            lowered = to_edge_transform_and_lower(program, partitioner=partitioners)
    except Exception as problem:
        raise _Failure(EXIT_FAILED, f"{type(problem).__name__}: {problem}") from problem
    target = given.folder / f"{given.model.stem}.pte"
    aside = target.with_name(f".{target.name}.part")
    aside.write_bytes(lowered.to_executorch().buffer)
    aside.replace(target)
    for one in captured.seen:
        print(one.command() if one.program else f"{one.partitioner}: {one.problem}")
    print(f"delegraph check {target}")
    return 0


def main(words: list[str] | None = None) -> int:
    """Exit codes: 1 it was not lowered, 2 usage, 3 bad input, 4 a backend is missing."""
    given = _parse(words)
    try:
        return _lower(given)
    except _Failure as failure:
        print(f"delegraph: {failure}", file=sys.stderr)
        return failure.code
    except ImportError as problem:
        print(f"delegraph: executorch is not here: {problem}", file=sys.stderr)
        return EXIT_CAPABILITY


if __name__ == "__main__":
    sys.exit(main())
