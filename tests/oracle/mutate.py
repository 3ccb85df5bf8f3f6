"""Right programs to make wrong ones of: `.pte`, `.ptd`, `.pt2`, plans, each with all its parts
open to be changed, and the bytes written with what ExecuTorch and PyTorch write with."""

import copy
import io
import json
import pickle
import struct
import zipfile
from pathlib import Path

from executorch.exir._serialize._program import _ExtendedHeader, _insert_flatbuffer_header
from executorch.extension.flat_tensor.serialize.serialize import FlatTensorHeader

import flat
from flat import Table

DATA = Path(__file__).resolve().parent.parent / "data"
VALUES = ["NONE", *flat.schema_of("pte").unions["KernelTypes"][1:]]
CALLS = ["NONE", *flat.schema_of("pte").unions["InstructionArguments"][1:]]


class Container:
    """A FlatBuffer with segments behind it."""

    format = None
    alignment = 128

    def __init__(self, data):
        self.root = flat.read(self.format, data)
        self.header = self.read_header(data)
        self.data = bytearray(data[self.header.segment_base_offset :] if self.header else b"")
        if self.header and self.header.segment_base_offset % 128:
            self.alignment = 16

    def copy(self):
        return pickle.loads(pickle.dumps(self))

    def segment_bytes(self, number):
        segment = self.root.segments[number]
        return bytes(self.data[segment.offset : segment.offset + segment.size])

    def add_segment(self, content):
        """The number of a new last segment."""
        self.data += bytes(-len(self.data) % self.alignment)
        offset = len(self.data)
        self.data += content
        segment = Table("DataSegment", offset=offset, size=len(content))
        self.root.segments = [*(self.root.get("segments") or []), segment]
        return len(self.root.segments) - 1

    def to_bytes(self, **header):
        """The file; `header` overrides fields of its extended header."""
        tree = flat.write(self.format, self.root)
        if not self.header and not self.data and not header:
            return tree
        fields, length = self.new_header(len(tree))
        base = fields["segment_base_offset"]
        fields.update(header)
        head = self.header_bytes(fields).ljust(length, b"\0")
        whole = _insert_flatbuffer_header(tree, r"\w{4}", head).ljust(base, b"\0")
        return whole + bytes(self.data)


class Pte(Container):
    format = "pte"

    @staticmethod
    def read_header(data):
        header = _ExtendedHeader.from_bytes(data[8:40])
        return header if header.is_valid() else None

    def new_header(self, tree_size):
        end = tree_size + 32
        base = end + -end % self.alignment
        return {
            "program_size": end,
            "segment_base_offset": base,
            "segment_data_size": len(self.data),
        }, 32

    @staticmethod
    def header_bytes(fields):
        return _ExtendedHeader(**fields).to_bytes()

    # What most mutants change.

    def plan(self, number=0):
        return self.root.execution_plan[number]

    def value(self, number, plan=0):
        return self.plan(plan).values[number].val

    def instructions(self, plan=0):
        return self.plan(plan).chains[0].instructions

    def call(self, kind, plan=0, skip=0):
        """The first instruction of a kind: its arguments' table."""
        return self.calls(kind, plan)[skip]

    def calls(self, kind, plan=0):
        found = [i.instr_args for i in self.instructions(plan)]
        return [arguments for arguments in found if arguments.kind == kind]

    def values_of(self, kind, plan=0):
        """Numbers of the values of a kind."""
        values = self.plan(plan).values
        return [i for i, value in enumerate(values) if value.val.kind == kind]

    def planned(self, plan=0):
        """Numbers of the tensors in planned memory."""
        return [
            number
            for number in self.values_of("Tensor", plan)
            if self.value(number, plan).get("allocation_info")
        ]

    def constants(self, plan=0):
        """Numbers of the tensors that are constants in the file."""
        return [
            number
            for number in self.values_of("Tensor", plan)
            if self.value(number, plan).get("data_buffer_idx", 0)
            and not self.value(number, plan).get("allocation_info")
        ]

    def intermediates(self, plan=0):
        """Planned tensors that are no input and no output."""
        plan_ = self.plan(plan)
        return [n for n in self.planned(plan) if n not in [*plan_.inputs, *plan_.outputs]]

    def like(self, number, **changes):
        """The fields of a value, with changes."""
        fields = {**self.value(number).__dict__, **changes}
        del fields["kind"]
        return fields

    def add_value(self, kind, plan=0, **fields):
        value = Table("EValue", val_type=VALUES.index(kind), val=Table(kind, **fields))
        self.plan(plan).values.append(value)
        return len(self.plan(plan).values) - 1

    def add_instruction(self, kind, place=None, plan=0, **fields):
        instructions = self.instructions(plan)
        made = Table(
            "Instruction", instr_args_type=CALLS.index(kind), instr_args=Table(kind, **fields)
        )
        instructions.insert(len(instructions) if place is None else place, made)
        return made.instr_args

    def blob(self, number=0, plan=0):
        """The bytes of a delegate whose payload is a segment."""
        return self.segment_bytes(self.plan(plan).delegates[number].processed.index)

    def set_blob(self, content, number=0, plan=0):
        self.plan(plan).delegates[number].processed.index = self.add_segment(content)

    def operator(self, call, plan=0):
        return self.plan(plan).operators[call.get("op_index", 0)]

    def extra(self, number, plan=0):
        """The extra_tensor_info of a tensor, made where it is absent."""
        tensor = self.value(number, plan)
        if tensor.get("extra_tensor_info") is None:
            tensor.extra_tensor_info = Table("ExtraTensorInfo")
        return tensor.extra_tensor_info


class Ptd(Container):
    format = "ptd"

    @staticmethod
    def read_header(data):
        return FlatTensorHeader.from_bytes(data[8:48])

    def new_header(self, tree_size):
        end = tree_size + 48
        return {
            "flatbuffer_offset": 48,
            "flatbuffer_size": tree_size,
            "segment_base_offset": end + -end % self.alignment,
            "segment_data_size": len(self.data),
        }, 48

    @staticmethod
    def header_bytes(fields):
        return FlatTensorHeader(**fields).to_bytes()


class Blob:
    """The payload of an XNNPACK delegate."""

    format = "xnnpack"
    header_bytes = 32

    def __init__(self, data):
        offset, size = struct.unpack_from("<II", data, 10)
        assert data[4:8] == b"XH00"
        self.root = flat.read(self.format, data[offset : offset + size])

    def node(self, number):
        return self.root.xnodes[number].xnode_union

    def value(self, number):
        """The XNNTensorValue, that of a quantized one, too."""
        value = self.root.xvalues[number].xvalue_union
        return value.get("tensor_value") or value

    def params(self, number):
        return self.root.xvalues[number].xvalue_union.quant_params

    def to_bytes(self):
        tree = flat.write(self.format, self.root)
        end = self.header_bytes + -(-len(tree) // 16) * 16
        head = struct.pack("<4s4sHIIIQ", b"", b"XH00", 30, self.header_bytes, len(tree), end, 0)
        return (head.ljust(self.header_bytes, b"\0") + tree).ljust(end, b"\0")


class Pt2:
    """An archive: its JSON program, if it has one, and the other parts as bytes."""

    def __init__(self, data):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            self.parts = {i.filename: archive.read(i) for i in archive.infolist()}
        self.program_part = self.find_program()
        self.program = json.loads(self.parts.get(self.program_part, b"null"))

    def find_program(self):
        for name in self.parts:
            if "/models/" in name or name.endswith("serialized_exported_program.json"):
                if name.endswith(".json"):
                    return name
        return None

    def copy(self):
        return copy.deepcopy(self)

    def to_bytes(self):
        if self.program_part:
            self.parts[self.program_part] = json.dumps(self.program).encode()
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
            for name, content in self.parts.items():
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
        return target.getvalue()

    def part(self, ending):
        """The name of the part that ends so."""
        return next(name for name in self.parts if name.endswith(ending))

    @property
    def graph(self):
        return self.program["graph_module"]["graph"]

    @property
    def signature(self):
        return self.program["graph_module"]["signature"]

    def node(self, target, skip=0):
        """The first node whose target ends so."""
        found = [node for node in self.graph["nodes"] if node["target"].endswith(target)]
        return found[skip]

    def named(self, name):
        """The node that makes the tensor of this name."""
        return next(n for n in self.graph["nodes"] if name in names_of(n["outputs"]))

    def lowered(self, number=0):
        """The lowered module of a call of a delegate, as a dictionary, and the argument to
        put it back into with set_lowered()."""
        calls = [n for n in self.graph["nodes"] if "call_delegate" in n["target"]]
        argument = calls[number]["inputs"][0]["arg"]
        return self.parse(argument), argument

    @staticmethod
    def parse(argument):
        return json.loads(argument["as_string"])

    @staticmethod
    def set_lowered(argument, module):
        argument["as_string"] = json.dumps(module)

    def edit_lowered(self, edit, number=0):
        module, argument = self.lowered(number)
        edit(module)
        self.set_lowered(argument, module)


def names_of(arguments):
    """Names of tensors in a list of arguments."""
    found = []
    for argument in arguments:
        for kind, value in argument.items():
            if kind == "as_tensor":
                found.append(value["name"])
            elif kind == "as_tensors":
                found += [item["name"] for item in value]
    return found


class Plan:
    def __init__(self, data):
        self.plan = json.loads(data)

    def copy(self):
        return copy.deepcopy(self)

    def method(self, name="forward"):
        return self.plan["methods"][name]

    def to_bytes(self):
        self.plan["program_sha256"] = None  # the program may be another now
        return json.dumps(self.plan).encode()


class Raw:
    """Bytes as they are, for what no writer writes."""

    def __init__(self, data):
        self.data = bytearray(data)

    def put(self, code, place, *numbers):
        struct.pack_into("<" + code, self.data, place, *numbers)

    def to_bytes(self):
        return bytes(self.data)


def open_program(path):
    data = path.read_bytes()
    if path.name.endswith(".plan.json"):
        return Plan(data)
    return {".pte": Pte, ".ptd": Ptd, ".pt2": Pt2}[path.suffix](data)
