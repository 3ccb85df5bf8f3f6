"""Random wrong programs: one field of a FlatBuffer changed, or bytes flipped."""

import collections
import copy
import struct

import flat
from flat import Table

EDGES = {
    "?": [0, 1],
    "b": [0, 1, 2, 3, 7, 100, -1, -128],
    "B": [0, 1, 2, 7, 100, 255],
    "h": [0, 1, 2, 3, 14, 15, 100, -1, -(2**15)],
    "H": [0, 1, 2, 100, 2**15, 2**16 - 1],
    "i": [0, 1, 2, 3, 100, 65536, 2**31 - 1, -1, -3, -(2**31)],
    "I": [0, 1, 2, 3, 100, 65536, 2**31, 2**32 - 1],
    "q": [0, 1, 2, 3, 100, 2**32, 2**40, 2**63 - 1, -1, -3, -(2**63)],
    "Q": [0, 1, 2, 8, 100, 2**32, 2**63, 2**64 - 8, 2**64 - 1],
    "f": [0.0, -1.0, 1e30, 1e-40, float("inf"), float("-inf"), float("nan")],
    "d": [0.0, -1.0, 1e300, float("inf"), float("nan")],
}
HEADER = ("program_size", "segment_base_offset", "segment_data_size")


def sites(schema, root):
    """Every field of every table: (table, field, path)."""
    found, waiting = [], [(root, schema.root)]
    while waiting:
        table, path = waiting.pop()
        for _, field in schema.tables[table.kind]:
            here = f"{path}.{field.name}"
            found.append((table, field, here))
            value = table.get(field.name)
            if isinstance(value, Table):
                waiting.append((value, here))
            elif isinstance(value, list) and value and isinstance(value[0], Table):
                waiting += [(item, f"{here}[{i}]") for i, item in enumerate(value)]
    return found


def other_number(rng, code, value):
    """A number that stands nearby or at the edge of its type."""
    if code == "?":
        return not value
    near = [value + 1, value - 1, value * 2, value + 4, value + 16, -value]
    while True:
        new = rng.choice(near if rng.random() < 0.5 else EDGES[code])
        if new != value:
            return flat.fitted(code, new)


def other_string(rng, value):
    text = bytes(value or b"")
    place = rng.randrange(len(text) + 1)
    flipped = bytearray(text)
    if text:
        flipped[place - 1] ^= 1 << rng.randrange(7)
    return rng.choice([None, b"", text + b"x", text[:place], bytes(flipped), b"a" * 200, b"\xff" + text])


def other_vector(rng, items, code):
    """Fewer items, more, others, in another order, or none at all."""
    items = list(items or [])
    edits = ["gone", "empty"]
    edits += ["drop", "twice", "change"] if items else []
    edits += ["swap"] if len(items) > 1 else []
    edits += ["more"] if code else []
    edit = rng.choice(edits)
    place = rng.randrange(len(items)) if items else 0
    if edit == "gone":
        return edit, None
    if edit == "empty":
        return edit, []
    if edit == "drop":
        del items[place]
    elif edit == "twice":
        items.insert(place, items[place])
    elif edit == "more":
        items.append(rng.choice(EDGES[code]))
    elif edit == "swap":
        other = rng.randrange(len(items))
        items[place], items[other] = items[other], items[place]
    elif not code:
        items[place] = copy.deepcopy(rng.choice(items))
    else:
        items[place] = other_number(rng, code, items[place])
    return f"{edit} {place}", items


def other_union(rng, schema, table, field):
    """Another type for the same value, a value without type or the reverse, another value."""
    names = schema.unions[field.kind]
    edit = rng.choice(["type", "no type", "no value", "empty", "both gone"])
    if edit in ("type", "no type"):
        number = rng.randrange(len(names) + 2) if edit == "type" else 0
        setattr(table, f"{field.name}_type", number)
        return f"{edit} {number}"
    if edit == "empty":
        number = rng.randrange(1, len(names))
        setattr(table, f"{field.name}_type", number)
        setattr(table, field.name, Table(names[number]))
        return f"empty {names[number]}"
    table.drop(field.name)
    if edit == "both gone":
        table.drop(f"{field.name}_type")
    return edit


def change(rng, schema, table, field, peers):
    """Changes one field and says how."""
    value = table.get(field.name)
    if field.is_union:
        return other_union(rng, schema, table, field)
    if field.is_vector:
        edit, new = other_vector(rng, value, field.code)
        said = edit
    elif field.code:
        new = other_number(rng, field.code, value or 0)
        said = f"{value} -> {new}"
    elif field.kind == "string":
        new = other_string(rng, value)
        said = f"{value} -> {new}"
    else:
        others = [peer for peer in peers if peer is not None and peer is not value]
        new = rng.choice([None, Table(field.kind), *([rng.choice(others)] if others else [])])
        said = "gone" if new is None else "another"
    if new is None:
        table.drop(field.name)
    else:
        setattr(table, field.name, new)
    return said[:80]


def edit_tree(container, rng):
    """One edit; kinds of fields have equal chances, however often each occurs."""
    schema = flat.schema_of(container.format)
    by_kind = collections.defaultdict(list)
    for table, field, path in sites(schema, container.root):
        by_kind[table.kind, field.name].append((table, field, path))
    kind = rng.choice(sorted(by_kind))
    table, field, path = rng.choice(by_kind[kind])
    peers = [other.get(field.name) for other, _, _ in by_kind[kind]]
    said = change(rng, schema, table, field, peers)
    return f"{kind[0]}.{kind[1]}", f"{path}: {said}"


def edit_header(container, rng):
    data = bytearray(container.to_bytes())
    number = rng.randrange(len(HEADER))
    place = len(data) and 16 + 8 * number + (8 if container.format == "ptd" else 0)
    value = struct.unpack_from("<Q", data, place)[0]
    new = other_number(rng, "Q", value)
    struct.pack_into("<Q", data, place, new)
    return f"header.{HEADER[number]}", f"{value} -> {new}", bytes(data)


def cut(container, rng):
    data = container.to_bytes()
    size = rng.randrange(1, len(data))
    return "file.size", f"{len(data)} -> {size}", data[:size]


def flip(container, rng, place=None):
    """Bits of the bytes that are no weights: those of weights are told by no structure."""
    data = bytearray(container.to_bytes())
    end = len(data) - len(container.data)
    flips = []
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        place, bit = rng.randrange(end), rng.randrange(8)
        data[place] ^= 1 << bit
        flips.append(f"{place}:{bit}")
    return "raw", f"bits {' '.join(flips)}", bytes(data)


def mutant(container, rng):
    """(class, what was changed, bytes) of a changed copy."""
    draw = rng.random()
    if draw < 0.15:
        return flip(container, rng)
    if draw < 0.18 and container.header:
        return edit_header(container, rng)
    if draw < 0.19:
        return cut(container, rng)
    changed = container.copy()
    kind, said = edit_tree(changed, rng)
    return kind, said, changed.to_bytes()
