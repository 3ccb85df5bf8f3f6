"""Write hostile archives and JSON into a folder; print the name of each."""

import struct
import sys
import zipfile
from pathlib import Path

MODEL = "bomb/models/model.json"
VERSION = ("bomb/archive_format", b"pt2"), ("bomb/archive_version", b"0")


def archive(path, model, **how):
    """A .pt2 with that model JSON, in the present layout."""
    with zipfile.ZipFile(path, "w", **how) as out:
        for name, content in VERSION:
            out.writestr(name, content)
        out.writestr(MODEL, model)


def bomb(path):
    """One gigabyte of white space in one megabyte."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, content in VERSION:
            out.writestr(name, content)
        with out.open(MODEL, "w") as entry:
            for _ in range(1024):
                entry.write(b" " * (1 << 20))


def understated(path):
    """An entry that inflates to more than it declares."""
    archive(path, b" " * 100_000, compression=zipfile.ZIP_DEFLATED)
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.rfind(signature)
        struct.pack_into("<I", data, at + offset, 100)
    path.write_bytes(data)


def overlapping(path):
    """Two directory entries for the same bytes."""
    archive(path, b"{}")
    data = path.read_bytes()
    directory = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    last = data.rindex(b"PK\x01\x02")
    twin = bytearray(data[last:end])
    renamed = twin.replace(b"model.json", b"other.json")
    tail = bytearray(data[end:])
    count = struct.unpack_from("<H", tail, 10)[0] + 1
    struct.pack_into("<HHII", tail, 8, count, count, end - directory + len(renamed), directory)
    path.write_bytes(data[:end] + renamed + tail)


def beyond_the_end(path):
    """An entry that claims to lie behind the file."""
    archive(path, b"{}")
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.rindex(b"PK\x01\x02") + 42, 0x7FFFFFFF)
    path.write_bytes(data)


def wrong_crc(path):
    """Bytes that are not those the checksum was made of."""
    archive(path, b"[1, 2, 3, 4, 5, 6, 7]")
    data = path.read_bytes()
    path.write_bytes(data.replace(b"[1, 2", b"[9, 2"))


def json_model(text):
    return lambda path: archive(path, text)


def claims_vectors(path):
    """A .pte whose vectors claim 2^31 items."""
    body = bytearray(struct.pack("<I4s", 8, b"ET12") + b"\0" * 56)
    struct.pack_into("<I", body, 0, 20)
    struct.pack_into("<HHHH", body, 8, 8, 12, 4, 8)
    struct.pack_into("<i", body, 20, 12)
    struct.pack_into("<II", body, 24, 0, 8)
    struct.pack_into("<I", body, 36, 0x80000000)
    path.write_bytes(body)


HOSTILE = {
    "bomb.pt2": bomb,
    "understated.pt2": understated,
    "overlapping.pt2": overlapping,
    "beyond_the_end.pt2": beyond_the_end,
    "wrong_crc.pt2": wrong_crc,
    "deep_arrays.pt2": json_model(b"[" * 1_000_000),
    "deep_objects.pt2": json_model(b'{"a":' * 200_000 + b"1" + b"}" * 200_000),
    "not_utf8.pt2": json_model(b'{"schema_version": {"major": 8}, "\xff\xfe": 1}'),
    "control_characters.pt2": json_model(b'{"schema_version\n": 8}'),
    "huge_number.pt2": json_model(b'{"schema_version": {"major": ' + b"9" * 5000 + b"}}"),
    "wrong_type.pt2": json_model(b'{"schema_version": [8, 1], "graph_module": 7}'),
    "not_json.pt2": json_model(b"PK\x03\x04"),
    "empty_model.pt2": json_model(b""),
    "claims_vectors.pte": claims_vectors,
}


def main():
    folder = Path(sys.argv[1])
    for name, make in HOSTILE.items():
        make(folder / name)
        print(name)


if __name__ == "__main__":
    main()
