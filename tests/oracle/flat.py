"""FlatBuffers as trees that may say anything: read and written by ExecuTorch's own schemas.

A table is a Table with the schema's field names as attributes; a field that is absent is not
set. A union is two fields, `val_type` (a number) and `val`, so that they may contradict.
"""

import functools
import re
import struct
from pathlib import Path

import executorch.backends.xnnpack.serialization
import executorch.exir._serialize
import executorch.extension.flat_tensor.serialize
import flatbuffers

SCALARS = {
    "bool": "?",
    "byte": "b",
    "int8": "b",
    "ubyte": "B",
    "uint8": "B",
    "short": "h",
    "ushort": "H",
    "int": "i",
    "int32": "i",
    "uint": "I",
    "uint32": "I",
    "long": "q",
    "int64": "q",
    "uint64": "Q",
    "float": "f",
    "double": "d",
}
NUMBERS = set()  # names of fields that are numbers
PREPEND = {
    "?": "Bool",
    "b": "Int8",
    "B": "Uint8",
    "h": "Int16",
    "H": "Uint16",
    "i": "Int32",
    "I": "Uint32",
    "q": "Int64",
    "Q": "Uint64",
    "f": "Float32",
    "d": "Float64",
}


class Table:
    def __init__(self, kind, **fields):
        self.kind = kind
        self.__dict__.update(fields)

    def __getattr__(self, field):
        """The default of a number that is absent."""
        if field in NUMBERS:
            return 0
        raise AttributeError(field)

    def get(self, field, default=None):
        return self.__dict__.get(field, default)

    def drop(self, field):
        self.__dict__.pop(field, None)


class Field:
    def __init__(self, name, kind, schema, alignment):
        self.name, self.alignment = name, alignment
        self.is_vector = kind.startswith("[")
        self.kind = schema.aliases.get(kind.strip("[]"), kind.strip("[]")).split(".")[-1]
        self.is_union = self.kind in schema.unions
        self.code = SCALARS.get(schema.enums.get(self.kind, self.kind))


class Schema:
    """The tables of an .fbs file and what it includes."""

    aliases = {}

    def __init__(self, path):
        self.enums, self.unions, self.tables = {}, {}, {}
        texts = [path.read_text()]
        for name in re.findall(r'include "(.*?)"', texts[0]):
            texts.append((path.parent / name).read_text())
        text = re.sub(r"//.*", "", "\n".join(texts))
        for name, kind in re.findall(r"enum (\w+) *: *(\w+)", text):
            self.enums[name] = kind
        for name, body in re.findall(r"union (\w+) *{(.*?)}", text, re.S):
            members = re.findall(r"(?:\w+ *: *)?(\w+)", body)  # of "Alias: Table" the table
            self.unions[name] = ["NONE", *members]
        for name, body in re.findall(r"table (\w+) *{(.*?)}", text, re.S):
            self.tables[name] = self.fields(body)
        self.root = re.search(r"root_type (\w+)", text)[1]
        self.identifier = re.search(r'file_identifier "(\w+)"', text)[1].encode()

    def fields(self, body):
        """Slot numbers and fields; a union takes the slot before its own for its type."""
        slot, found = 0, []
        for name, kind, more in re.findall(r"(\w+) *: *([\w.\[\]]+)(.*?);", body):
            aligned = re.search(r"force_align: *(\d+)", more)
            field = Field(name, kind, self, int(aligned[1]) if aligned else 1)
            if field.code and not field.is_vector:
                NUMBERS.add(name)
            slot += field.is_union
            found.append((slot, field))
            slot += 1
        return found


@functools.cache
def schema_of(format):
    package, name = {
        "pte": (executorch.exir._serialize, "program.fbs"),
        "ptd": (executorch.extension.flat_tensor.serialize, "flat_tensor.fbs"),
        "xnnpack": (executorch.backends.xnnpack.serialization, "schema.fbs"),
    }[format]
    return Schema(Path(package.__path__[0]) / name)


class Reader:
    def __init__(self, schema, data):
        self.schema, self.data = schema, data

    def number(self, code, place):
        return struct.unpack_from("<" + code, self.data, place)[0]

    def target(self, place):
        return place + self.number("I", place)

    def place_of(self, table, slot):
        vtable = table - self.number("i", table)
        entry = 4 + 2 * slot
        if entry >= self.number("H", vtable):
            return None
        offset = self.number("H", vtable + entry)
        return table + offset if offset else None

    def root(self):
        return self.table(self.schema.root, self.target(0))

    def table(self, kind, start):
        table = Table(kind)
        for slot, field in self.schema.tables[kind]:
            place = self.place_of(start, slot)
            if field.is_union:
                self.union(table, field, self.place_of(start, slot - 1), place)
            elif place is not None:
                setattr(table, field.name, self.value(field, place))
        return table

    def union(self, table, field, type_place, place):
        if type_place is None:
            return
        number = self.number("B", type_place)
        setattr(table, f"{field.name}_type", number)
        if place is not None:
            kind = self.schema.unions[field.kind][number]
            setattr(table, field.name, self.table(kind, self.target(place)))

    def value(self, field, place):
        if field.is_vector:
            return self.vector(field, self.target(place))
        return self.item(field, place)

    def vector(self, field, start):
        count = self.number("I", start)
        if field.code == "B":
            return self.data[start + 4 : start + 4 + count]
        size = struct.calcsize("<" + field.code) if field.code else 4
        return [self.item(field, start + 4 + i * size) for i in range(count)]

    def item(self, field, place):
        if field.code:
            return self.number(field.code, place)
        if field.kind == "string":
            start = self.target(place)
            return self.data[start + 4 : start + 4 + self.number("I", start)]
        return self.table(field.kind, self.target(place))


class Writer:
    def __init__(self, schema):
        self.schema = schema
        self.builder = flatbuffers.Builder(1024)
        self.builder.ForceDefaults(True)

    def write(self, root):
        self.builder.Finish(self.table(root), file_identifier=self.schema.identifier)
        return bytes(self.builder.Output())

    def table(self, table):
        fields = self.schema.tables[table.kind]
        children = {}
        for slot, field in fields:
            value = table.get(field.name)
            if value is not None and (field.is_vector or not field.code):
                children[slot] = self.child(field, value)
        self.builder.StartObject(max((slot + 1 for slot, _ in fields), default=0))
        for slot, field in fields:
            if slot in children:
                self.builder.PrependUOffsetTRelativeSlot(slot, children[slot], 0)
            elif field.code and not field.is_vector:
                self.scalar(slot, field.code, table.get(field.name))
            if field.is_union:
                self.scalar(slot - 1, "B", table.get(f"{field.name}_type"))
        return self.builder.EndObject()

    def scalar(self, slot, code, value):
        if value is not None:
            getattr(self.builder, f"Prepend{PREPEND[code]}Slot")(slot, fitted(code, value), 0)

    def child(self, field, value):
        if field.is_vector:
            return self.vector(field, value)
        return self.string(value) if field.kind == "string" else self.table(value)

    def string(self, value):
        return self.builder.CreateString(value if isinstance(value, str) else bytes(value))

    def vector(self, field, items):
        builder = self.builder
        if not field.code:
            made = [self.child_of_vector(field, item) for item in items]
            builder.StartVector(4, len(made), 4)
            for offset in reversed(made):
                builder.PrependUOffsetTRelative(offset)
            return builder.EndVector()
        size = struct.calcsize("<" + field.code)
        packed = bytes(items) if field.code == "B" else pack(field.code, items)
        builder.StartVector(size, len(items), max(field.alignment, size))
        builder.head = builder.Head() - len(packed)
        builder.Bytes[builder.Head() : builder.Head() + len(packed)] = packed
        return builder.EndVector()

    def child_of_vector(self, field, item):
        return self.string(item) if field.kind == "string" else self.table(item)


def fitted(code, value):
    """What is left of a number in a field that is too narrow for it."""
    if code in "df?":
        return value
    bits = 8 * struct.calcsize("<" + code)
    value = int(value) & ((1 << bits) - 1)
    return value - (1 << bits) if code.islower() and value >> (bits - 1) else value


def pack(code, items):
    return struct.pack(f"<{len(items)}{code}", *(fitted(code, item) for item in items))


def read(format, data):
    return Reader(schema_of(format), data).root()


def write(format, root):
    return Writer(schema_of(format)).write(root)
