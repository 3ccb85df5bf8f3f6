"""Random wrong programs as ExecuTorch's own serializer writes them: one field changed."""

import collections
import copy
import dataclasses
import enum

from executorch.exir import schema
from executorch.exir._serialize import _deserialize_pte_binary, _serialize_pte_binary

EDGES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 65536, 2**31 - 1, 2**32 - 1, 2**40, -1, -2, -(2**31))
NUMBERS = (0.0, 1.0, -1.0, 0.5, 1e300)
KERNEL_TYPES = schema.KernelTypes.__args__
INSTRUCTIONS = schema.InstructionArguments.__args__
OPAQUE = (schema.Buffer, schema.BackendDelegateInlineData)


class Site:
    """A field of an object, or an item of a list, and what may stand there instead."""

    def __init__(self, owner, key, kind, path):
        self.owner, self.key, self.kind, self.path = owner, key, kind, path

    @property
    def value(self):
        if isinstance(self.owner, list):
            return self.owner[self.key]
        return getattr(self.owner, self.key)

    def set(self, value):
        if isinstance(self.owner, list):
            self.owner[self.key] = value
        else:
            setattr(self.owner, self.key, value)


def sites(root, path="program"):
    """Every field of every object below `root`; the content of blobs has no structure."""
    found = []
    for field in dataclasses.fields(root):
        here = Site(root, field.name, f"{type(root).__name__}.{field.name}", f"{path}.{field.name}")
        found.append(here)
        value = here.value
        for place, item in enumerate(value if isinstance(value, list) else [value]):
            if dataclasses.is_dataclass(item) and not isinstance(item, OPAQUE):
                found += sites(item, f"{here.path}[{place}]" if isinstance(value, list) else here.path)
    return found


def other_number(rng, value):
    near = (value + 1, value - 1, value * 2, value + 16, -value)
    return rng.choice(near if rng.random() < 0.6 else EDGES)


def other_text(rng, value, peers):
    texts = [peer for peer in peers if isinstance(peer, str)]
    return rng.choice(["", value + "x", value[:-1], *texts])


def other_list(rng, items, peers):
    """Fewer items, more, others, in another order, or none at all."""
    items = list(items)
    edits = ["empty", "drop", "twice", "change", "swap", "peer"] if items else ["peer", "more"]
    edit = rng.choice(edits)
    place = rng.randrange(len(items)) if items else 0
    if edit == "empty":
        return []
    if edit == "drop":
        del items[place]
    elif edit == "twice":
        items.insert(place, copy.deepcopy(items[place]))
    elif edit == "swap":
        second = rng.randrange(len(items))
        items[place], items[second] = items[second], items[place]
    elif edit == "more":
        items.append(rng.choice(EDGES))
    elif edit == "peer":
        return copy.deepcopy(rng.choice(peers))
    else:
        items[place] = other(rng, items[place], [item for peer in peers for item in peer or []])
    return items


def empty_union(rng, kinds):
    """An alternative of a union with nothing in it that it does not need."""
    kind = rng.choice([k for k in kinds if k is not schema.Tensor])
    defaults = {int: 0, float: 0.5, bool: True, str: ""}
    return kind(**{f.name: defaults.get(f.type, []) for f in dataclasses.fields(kind)})


def other(rng, value, peers):
    if isinstance(value, bool):
        return not value
    if isinstance(value, enum.IntEnum):
        return rng.choice(list(type(value)))
    if isinstance(value, int):
        values = [peer for peer in peers if isinstance(peer, int)]
        return rng.choice(values) if values and rng.random() < 0.3 else other_number(rng, value)
    if isinstance(value, float):
        return rng.choice(NUMBERS)
    if isinstance(value, str):
        return other_text(rng, value, peers)
    if isinstance(value, bytes):
        return value[: rng.randrange(len(value) + 1)]
    if isinstance(value, list):
        return other_list(rng, value, peers)
    unions = [kinds for kinds in (KERNEL_TYPES, INSTRUCTIONS) if isinstance(value, kinds)]
    if unions and rng.random() < 0.4:
        return empty_union(rng, unions[0])
    return copy.deepcopy(rng.choice([*peers, None]))


def brief(value):
    return " ".join(repr(value).split())[:70]


def mutant(data, rng):
    """(kind of field, what was changed, bytes): one change that the serializer writes."""
    while True:
        pte = _deserialize_pte_binary(data)
        by_kind = collections.defaultdict(list)
        everywhere = sites(pte.program)
        for site in everywhere:
            by_kind[site.kind].append(site)
        # Kinds of fields have equal chances, however often each occurs; or all places.
        site = rng.choice(everywhere)
        if rng.random() < 0.5:
            site = rng.choice(by_kind[rng.choice(sorted(by_kind))])
        before = site.value
        site.set(other(rng, before, [peer.value for peer in by_kind[site.kind]]))
        said = f"{site.path}: {brief(before)} -> {brief(site.value)}"
        try:
            changed = written(pte)
        except Exception:  # a value that the serializer has no room for
            continue
        if changed != data:
            return site.kind, said, changed


def written(pte):
    return bytes(_serialize_pte_binary(pte, extract_delegate_segments=True))


def rewritten(data):
    """The program as the serializer writes it, unchanged."""
    return written(_deserialize_pte_binary(data))
