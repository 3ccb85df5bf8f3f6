"""Files in layouts that the present torch no longer writes, composed from what it does write."""

import io
import json
import zipfile

import torch
from torch._export.serde.serialize import serialize
from torch.export.pt2_archive._package import PT2ArchiveWriter

NEWER_FIELDS = {"kind", "is_hop_single_tensor_return", "guards_code", "treespec_namedtuple_fields"}
NON_FINITE = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}


def older_range(min_val, max_val):
    low = float("-inf") if min_val is None else min_val
    high = float("inf") if max_val is None else max_val
    return {"min_val": low, "max_val": high}


def older_value(value):
    """A JSON value as torch 2.6 wrote it: no null, bare infinities, fewer fields."""
    if isinstance(value, dict):
        if value.keys() == {"min_val", "max_val"}:
            return older_range(**value)
        kept = {k: v for k, v in value.items() if v is not None and k not in NEWER_FIELDS}
        if "target" in kept and "outputs" in kept:
            kept.pop("name", None)
        if "storage_offset" in kept:
            kept["storage_offset"] = {"as_int": 0}
        if kept.get("as_float") in NON_FINITE:
            kept["as_float"] = NON_FINITE[kept["as_float"]]
        return {key: older_value(item) for key, item in kept.items()}
    if isinstance(value, list):
        return [older_value(item) for item in value]
    return value


def older_program(text):
    program = older_value(json.loads(text))
    program["schema_version"] = {"major": 8, "minor": 2}
    return json.dumps(program).encode()


def old_layout(program):
    """torch 2.6 and 2.7: one JSON and three pickles in a plain archive."""
    parts = serialize(program)
    buffer = io.BytesIO()
    entries = {
        "serialized_exported_program.json": older_program(parts.exported_program),
        "serialized_state_dict.pt": parts.state_dict,
        "serialized_constants.pt": parts.constants,
        "serialized_example_inputs.pt": parts.example_inputs,
        "version": b"8.2",
    }
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in entries.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def pickled_layout(program):
    """torch 2.8: the present archive, but with all weights in one pickle."""
    parts = serialize(program)
    buffer = io.BytesIO()
    with PT2ArchiveWriter(buffer) as archive:
        archive.write_bytes("data/weights/model.pt", parts.state_dict)
        archive.write_bytes("data/constants/model.pt", parts.constants)
        archive.write_bytes("models/model.json", parts.exported_program)
        archive.write_bytes("data/sample_inputs/model.pt", parts.example_inputs)
    return buffer.getvalue()


def deflated(data):
    """The same archive with every entry compressed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for entry in old.infolist():
            new.writestr(zipfile.ZipInfo(entry.filename), old.read(entry), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
