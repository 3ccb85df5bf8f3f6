#!/usr/bin/env python3
"""Programs and their .ptd, broken one by one: `check` finds an error in what the real
runtime refuses, crashes on or computes wrongly, and in nothing else.

    check_data.py --delegraph PROGRAM
"""

import argparse
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import torch
from executorch.exir._serialize import _program as container
from executorch.exir._serialize._flatbuffer_program import (
    _flatbuffer_to_program,
    _program_to_flatbuffer,
)
from executorch.extension.flat_tensor.serialize import serialize as flat
from executorch.extension.pybindings import portable_lib

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
FAMILIES = "data,constant,delegate,format"


def make_input(meta, index):
    """Tensors of floats, tensors of indices, and numbers."""
    try:
        tensor = meta.input_tensor_meta(index)
    except RuntimeError:
        return 1
    if tensor.dtype() == 6:  # float32
        return torch.rand(tensor.sizes())
    return torch.ones(tensor.sizes(), dtype=torch.int64)


def forward(program, data, out):
    """Runs in a child: the runtime may crash."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        module = portable_lib._load_for_executorch_from_buffer(program, data)
        meta = module.method_meta("forward")
        torch.manual_seed(0)
        inputs = [make_input(meta, i) for i in range(meta.num_inputs())]
        answer = str([t.flatten().tolist() for t in module.forward(inputs)])
    except RuntimeError as error:
        answer = f"refused: {error}"
    os.write(out, answer.encode())
    os._exit(0)


class Pte:
    """A .pte as its tables and the bytes behind them."""

    def __init__(self, path):
        data = path.read_bytes()
        header = container._get_extended_header(data)
        self.program = _flatbuffer_to_program(
            data[: header.program_size] if header else data
        )
        self.segments = bytearray(data[header.segment_base_offset :] if header else b"")

    def to_bytes(self):
        flatbuffer = _program_to_flatbuffer(self.program)
        size = container.aligned_size(
            container._ExtendedHeader.EXPECTED_LENGTH, flatbuffer.max_alignment
        )
        base = container.aligned_size(size + len(flatbuffer.data), 128)
        header = container._ExtendedHeader(
            program_size=size + len(flatbuffer.data),
            segment_base_offset=base,
            segment_data_size=len(self.segments),
        ).to_bytes()
        data = container._insert_flatbuffer_header(
            flatbuffer.data, r"ET[0-9a-zA-Z][0-9a-zA-Z]", header.ljust(size, b"\0")
        )
        return data.ljust(base, b"\0") + bytes(self.segments)

    def tensors(self, location):
        for plan in self.program.execution_plan:
            for value in plan.values:
                extra = getattr(value.val, "extra_tensor_info", None)
                if hasattr(value.val, "data_buffer_idx") and location == (
                    "external" if extra and extra.location == 1 else "segment"
                ):
                    yield value.val

    def constants(self):
        return [
            tensor
            for tensor in self.tensors("segment")
            if tensor.data_buffer_idx and not tensor.allocation_info
        ]


class Ptd:
    """A .ptd, likewise."""

    def __init__(self, path):
        data = path.read_bytes()
        header = flat._get_extended_header(data)
        self.tables = flat._deserialize_to_flat_tensor(
            data[: header.flatbuffer_offset + header.flatbuffer_size]
        )
        base = header.segment_base_offset
        self.segments = bytearray(data[base : base + header.segment_data_size])

    def to_bytes(self):
        flatbuffer = bytes(flat._serialize_to_flatbuffer(self.tables))
        base = flat.aligned_size(48 + len(flatbuffer), 128)
        header = flat.FlatTensorHeader(
            flatbuffer_offset=48,
            flatbuffer_size=len(flatbuffer),
            segment_base_offset=base,
            segment_data_size=len(self.segments),
        ).to_bytes()
        data = flat._insert_flatbuffer_header(
            flatbuffer, r"FT[0-9a-zA-Z][0-9a-zA-Z]", flat.pad_to(header, 48)
        )
        return data.ljust(base, b"\0") + bytes(self.segments)

    def entry(self, index=0):
        return self.tables.named_data[index]

    def segment_of(self, index=0):
        return self.tables.segments[self.entry(index).segment_index]


# Where both are right although they differ.
EXPLAINED = {
    "data_named_key_missing_without_ptd": "a warning while no .ptd is given",
    "data_named_segment_index_of_another_key": "it fails when that key is looked up",
    "data_layout_nbytes_long": "its end lies in the next segment; the runtime reads less",
}

CASES = []


def case(program, data=None):
    def add(function):
        CASES.append((function.__name__, program, data, function))
        return function

    return add


def unchanged(program, data=None):
    CASES.append((f"unchanged_{program}", program, data, lambda pte, ptd: None))


unchanged("external", "external_default_external_constant")
unchanged("external_tagged", "external_tagged_weights")
unchanged("xnnpack")
unchanged("portable")
unchanged("initial_state")
unchanged("several_methods")

EXTERNAL = ("external", "external_default_external_constant")


@case(*EXTERNAL)
def data_named_key_missing(pte, ptd):
    ptd.entry().key = "up.wait"


@case(*EXTERNAL)
def data_named_key_missing_without_ptd(pte, ptd):
    return pte.to_bytes(), None


@case(*EXTERNAL)
def data_named_key_missing_only_in_the_program(pte, ptd):
    move_to_program(pte, ptd, 0)
    ptd.entry().key = "another"


@case(*EXTERNAL)
def data_layout_match_type(pte, ptd):
    ptd.entry().tensor_layout.scalar_type = 3  # int32


@case(*EXTERNAL)
def data_layout_match_sizes(pte, ptd):
    ptd.entry().tensor_layout.sizes = [4, 8]


@case(*EXTERNAL)
def data_layout_match_rank(pte, ptd):
    layout = ptd.entry().tensor_layout
    layout.sizes, layout.dim_order = [32], b"\0"


@case(*EXTERNAL)
def data_layout_match_dim_order(pte, ptd):
    ptd.entry().tensor_layout.dim_order = b"\1\0"


@case(*EXTERNAL)
def data_layout_missing(pte, ptd):
    ptd.entry().tensor_layout = None


@case(*EXTERNAL)
def data_layout_nbytes_short(pte, ptd):
    shorten(ptd.segments, ptd.segment_of(), 64)


@case(*EXTERNAL)
def data_layout_nbytes_long(pte, ptd):
    ptd.segment_of().size = 132


@case(*EXTERNAL)
def data_named_segment_index(pte, ptd):
    ptd.entry().segment_index = 77


@case(*EXTERNAL)
def data_named_segment_index_of_another_key(pte, ptd):
    last = copy.deepcopy(ptd.tables.named_data[-1])
    last.key, last.segment_index = "unused", 77
    ptd.tables.named_data.append(last)


@case(*EXTERNAL)
def data_named_key_unique(pte, ptd):
    twin = copy.deepcopy(ptd.entry(2))
    twin.key = ptd.entry().key
    ptd.tables.named_data.insert(0, twin)


@case(*EXTERNAL)
def data_named_key_unique_same_shape(pte, ptd):
    twin = copy.deepcopy(ptd.entry(0))
    twin.segment_index = ptd.entry(2).segment_index
    ptd.tables.named_data.insert(0, twin)


@case(*EXTERNAL)
def data_named_key_unique_same_bytes(pte, ptd):
    ptd.tables.named_data.append(copy.deepcopy(ptd.entry(0)))


@case(*EXTERNAL)
def data_ptd_bounds_cut_off(pte, ptd):
    return pte.to_bytes(), ptd.to_bytes()[:-8]


@case(*EXTERNAL)
def data_ptd_bounds_offset(pte, ptd):
    ptd.segment_of().offset = 1 << 20


@case(*EXTERNAL)
def data_ptd_bounds_wrapped(pte, ptd):
    ptd.segment_of().offset = 2**64 - 64


@case(*EXTERNAL)
def data_ptd_magic_version(pte, ptd):
    ptd.tables.version = 1


@case(*EXTERNAL)
def data_ptd_magic_header(pte, ptd):
    return pte.to_bytes(), ptd.to_bytes().replace(b"FH01", b"FH02")


@case(*EXTERNAL)
def data_named_key_null(pte, ptd):
    ptd.entry().key = ""


@case(*EXTERNAL)
def constant_external_fqn(pte, ptd):
    next(pte.tensors("external")).extra_tensor_info.fully_qualified_name = None


@case("portable")
def data_constant_index(pte, ptd):
    pte.constants()[0].data_buffer_idx = 77


@case("portable")
def data_constant_extent_of_the_segment(pte, ptd):
    last = len(pte.program.constant_segment.offsets) - 1
    pte.program.constant_segment.offsets[last] += 64


@case("portable")
def data_constant_extent_into_the_next(pte, ptd):
    pte.program.constant_segment.offsets[2] = 16


@case("portable")
def data_constant_extent_wrapped(pte, ptd):
    pte.program.constant_segment.offsets[1] = 2**64 - 16


@case("initial_state")
def data_mutable_extent_offset(pte, ptd):
    for subsegment in pte.program.mutable_data_segments:
        subsegment.offsets[-1] += 1 << 12


@case("initial_state")
def data_mutable_extent_wrapped(pte, ptd):
    for subsegment in pte.program.mutable_data_segments:
        subsegment.offsets[-1] = 2**64 - 4


@case("initial_state")
def data_mutable_extent_index(pte, ptd):
    for tensor in pte.tensors("segment"):
        if tensor.data_buffer_idx and tensor.allocation_info:
            tensor.data_buffer_idx = 77


@case("initial_state")
def data_mutable_extent_none(pte, ptd):
    pte.program.mutable_data_segments = []


@case("xnnpack", "external_tagged_weights")
def delegate_named_key_resolves(pte, ptd):
    pte.program.named_data[0].key = "0" * 64


@case("xnnpack")
def data_named_segment_index_of_the_program(pte, ptd):
    pte.program.named_data[0].segment_index = 77


@case("xnnpack")
def data_named_key_null_of_the_program(pte, ptd):
    pte.program.named_data[0].key = None


@case("xnnpack")
def data_layout_nbytes_of_a_delegate(pte, ptd):
    segment = pte.program.segments[pte.program.named_data[0].segment_index]
    shorten(pte.segments, segment, 64)


@case("xnnpack")
def data_named_key_unique_of_the_program(pte, ptd):
    twin = copy.deepcopy(pte.program.named_data[0])
    twin.segment_index = pte.program.named_data[1].segment_index
    pte.program.named_data.insert(0, twin)


def shorten(segments, segment, size):
    """Whatever may lie behind it then."""
    end = segment.offset + segment.size
    segment.size = size
    segments[segment.offset + size : end] = b"?" * (end - segment.offset - size)


def move_to_program(pte, ptd, index):
    """A copy of what the .ptd holds."""
    segment = ptd.segment_of(index)
    pte.segments += b"\0" * (-len(pte.segments) % 128)
    pte.program.segments.append(
        container.DataSegment(offset=len(pte.segments), size=segment.size)
    )
    pte.segments += ptd.segments[segment.offset : segment.offset + segment.size]
    pte.program.named_data = [
        container.NamedData(
            key=ptd.entry(index).key, segment_index=len(pte.program.segments) - 1
        )
    ]


@case(*EXTERNAL)
def data_named_key_collision_same_bytes(pte, ptd):
    move_to_program(pte, ptd, 0)


@case("xnnpack", "external_default_external_constant")
def data_named_key_collision(pte, ptd):
    ptd.entry().key = pte.program.named_data[0].key
    ptd.segments[:] = bytes(len(ptd.segments))
    ptd.segment_of().size = 432
    ptd.entry().tensor_layout = None
    ptd.segments += bytes(512)


def run(pte, ptd):
    """right answers, or what went wrong"""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        forward(pte, ptd, into)
    os.close(into)
    answer = b""
    while part := os.read(out, 1 << 16):
        answer += part
    os.close(out)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return answer.decode()


def write(folder, pte, ptd):
    files = [folder / "a.pte"]
    files[0].write_bytes(pte)
    if ptd is not None:
        files.append(folder / "a.ptd")
        files[1].write_bytes(ptd)
    return files


def check(delegraph, files):
    done = subprocess.run(
        [delegraph, "check", *files, "--select", FAMILIES, "--format", "json"],
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 1):
        return {("refused", done.stderr.strip())}
    found = json.loads(done.stdout)["findings"]
    return {(f["severity"], f["rule"]) for f in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    baseline, n_wrong = {}, 0

    for name, program, data, function in CASES:
        if options.only and options.only not in name and "unchanged" not in name:
            continue
        pte = Pte(DATA / f"{program}.pte")
        ptd = Ptd(DATA / f"{data}.ptd") if data else None
        pair = function(pte, ptd) or (pte.to_bytes(), ptd and ptd.to_bytes())
        with tempfile.TemporaryDirectory() as folder:
            answer = run(*pair)
            found = check(options.delegraph, write(pathlib.Path(folder), *pair))
        if "unchanged" in name:
            baseline[program] = answer
        fine = answer == baseline.get(program)
        said_error = any(severity in ("error", "refused") for severity, _ in found)
        wrong = fine == said_error and name not in EXPLAINED
        n_wrong += wrong
        if fine:
            answer = "right"
        elif answer.startswith("["):
            answer = "wrong numbers"
        print("DIFFER" if wrong else "agree", name, answer[:150], sorted(found))
    print(f"{n_wrong} differ")
    return n_wrong > 0


if __name__ == "__main__":
    sys.exit(main())
