#!/usr/bin/env python3
"""Writes verifiers/edge_dtypes.def: which types edge operators take together.

The facts are those of executorch 1.5.1's edge dialect (exir/dialects/edge/edge.yaml). Run it
with an interpreter that has torch and executorch (tests/data/requirements.txt).
"""

import itertools
from importlib import resources
from pathlib import Path

import torch
import yaml
from executorch.exir.dialects import edge

LETTERS = {"Bool": "b", "Byte": "B", "Char": "c", "Short": "s", "Int": "i", "Long": "l", "Half": "h",
           "BFloat16": "g", "Float": "f", "Double": "d", "UInt16": "S", "ComplexFloat": "F",
           "ComplexDouble": "D"}
TARGET = Path(__file__).resolve().parents[2] / "verifiers/edge_dtypes.def"
HEAD = """\
/* Types that operators of the edge dialect take and give together: EDGE_DTYPES(operator, its
 * tensors, combinations). A combination has a letter for each tensor: b bool, B u8, S u16,
 * c i8, s i16, i i32, l i64, h f16, g bf16, f f32, d f64, F c64, D c128. __ret_0 is the first
 * result. Made by tests/data/make_edge_dtypes.py from executorch 1.5.1; change the script, not
 * this file. */
"""


def is_tensor(kind):
    return str(kind) in ("Tensor", "Optional[Tensor]", "List[Tensor]", "List[Optional[Tensor]]")


def tensors_of(name):
    packet, _, overload = name.partition(".")
    schema = getattr(getattr(torch.ops.aten, packet.split("::")[1]), overload or "default")._schema
    names = [a.name for a in schema.arguments if is_tensor(a.type)]
    returns = [r for r in schema.returns if is_tensor(r.type)]
    if len(schema.returns) == 1 and returns:
        names.append(returns[0].name or "__ret_0")
    return names


def combinations(entry, names):
    """Tensors with one alias have one type."""
    found = set()
    for constraint in entry["type_constraint"]:
        aliases = list(dict.fromkeys(constraint[n] for n in names))
        for choice in itertools.product(*(entry["type_alias"][a] for a in aliases)):
            letter = dict(zip(aliases, (LETTERS[c] for c in choice)))
            found.add("".join(letter[constraint[n]] for n in names))
    return sorted(found)


def row(entry):
    names = tensors_of(entry["inherits"])
    found = combinations(entry, names)
    lines = [" ".join(found[i:i + 84 // (len(names) + 1)])
             for i in range(0, len(found), 84 // (len(names) + 1))]
    texts = "\n".join(f'            " {line}"' for line in lines)
    return f'EDGE_DTYPES("{entry["inherits"]}", "{" ".join(names)}",\n{texts})\n'


def main():
    text = resources.files(edge).joinpath("edge.yaml").read_text(encoding="utf-8")
    entries = sorted(yaml.safe_load(text), key=lambda e: e["inherits"])
    TARGET.write_text(HEAD + "".join(row(e) for e in entries if tensors_of(e["inherits"])),
                      encoding="utf-8")


main()
