"""Write programs whose calls name long lists: the file grows with the items and the calls, what
looks at each item of each call with their product."""

import struct
import sys
from pathlib import Path

INT, NULL, TENSOR, INT_LIST, TENSOR_LIST = 2, 1, 5, 7, 10


class Table:
    """A FlatBuffers table: a field is None, ("<i", number), a string, a Table, a list of these, or
    (bytes of an item, items)."""

    def __init__(self, *fields):
        self.fields = fields


def align(out, size):
    out.extend(bytes(-len(out) % size))


def refer(out, at, content):
    """The offset at `at` leads to the content, which is written at the end."""
    align(out, 8)
    begin = write_table(out, content) if isinstance(content, Table) else write_vector(out, content)
    struct.pack_into("<I", out, at, begin - at)


def write_vector(out, items):
    if isinstance(items, str):
        begin = len(out)
        out += struct.pack("<I", len(items)) + items.encode() + b"\0"
        return begin
    if isinstance(items, tuple):
        size, data = items
        out.extend(bytes(-(len(out) + 4) % size))  # aligned behind the count
        begin = len(out)
        out += struct.pack("<I", len(data) // size) + data
        return begin
    begin = len(out)
    out += struct.pack("<I", len(items)) + bytes(4 * len(items))
    for i, item in enumerate(items):
        refer(out, begin + 4 + 4 * i, item)
    return begin


def write_table(out, table):
    """Each field takes eight bytes behind the offset to the vtable."""
    fields = table.fields
    vtable = struct.pack("<HH", 4 + 2 * len(fields), 8 + 8 * len(fields))
    vtable += b"".join(
        struct.pack("<H", 0 if one is None else 8 + 8 * i) for i, one in enumerate(fields)
    )
    start = len(out)
    out += vtable
    align(out, 8)
    begin = len(out)
    out += struct.pack("<i", begin - start) + bytes(4 + 8 * len(fields))
    for i, one in enumerate(fields):
        at = begin + 8 + 8 * i
        if isinstance(one, tuple) and isinstance(one[0], str):
            struct.pack_into(one[0], out, at, one[1])
        elif one is not None:
            refer(out, at, one)
    return begin


def ints(form, *numbers):
    return (struct.calcsize(form), b"".join(struct.pack(form, one) for one in numbers))


def value(kind, *fields):
    return Table(("<B", kind), Table(*fields))


def tensor(offset):
    where = Table(("<I", 1), ("<I", offset), ("<I", 0))
    number = "<i"
    return value(
        TENSOR, ("<b", 6), (number, 0), ints("<i", 4), ints("<B", 0), ("<B", 0), ("<I", 0), where
    )


def call(operator, *operands):
    return Table(("<B", 1), Table(("<i", operator), ints("<i", *operands)))


def program(values, operators, calls, outputs):
    names = [Table(name, overload) for name, overload in operators]
    chain = Table(None, None, calls, None)
    plan = Table(
        "forward", None, values, ints("<i", 0), ints("<i", *outputs), [chain], names, [],
        ints("<q", 0, 4096),
    )
    out = bytearray(struct.pack("<I4s", 0, b"ET12"))
    refer(out, 0, Table(("<I", 0), [plan], [Table(None)], [], []))
    return bytes(out)


def lists(kind, item, n_items, operators, operands, n_calls):
    """Value 0 is the input, 1 the result, 2 an int, 3 null, 4 and 5 the list twice."""
    form = "<q" if kind == INT_LIST else "<i"
    items = (struct.calcsize(form), struct.pack(form, item) * n_items)
    values = [tensor(0), tensor(16), value(INT, ("<q", 0)), Table(("<B", NULL), Table())]
    values += [value(kind, items), value(kind, items)]
    return program(values, operators, [call(0, *operands)] * n_calls, [1])


def main(folder, n_items, n_calls):
    cat = [("aten::cat", "out")]
    sums = [("aten::sum", "IntList_out")]
    made = {
        "cat": (TENSOR_LIST, 0, cat, (4, 2, 1, 1)),
        "cat-into-list": (TENSOR_LIST, 0, cat, (4, 2, 5, 5)),
        "sum": (INT_LIST, 2, sums, (0, 4, 3, 3, 1, 1)),
        "unknown": (TENSOR_LIST, 0, [("own::gather", "out")], (0, 4, 5)),
    }
    for name, (kind, item, operators, operands) in made.items():
        data = lists(kind, item, int(n_items), operators, operands, int(n_calls))
        path = Path(folder) / f"{name}.pte"
        path.write_bytes(data)
        print(path.name)


if __name__ == "__main__":
    main(*sys.argv[1:])
