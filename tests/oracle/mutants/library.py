"""Native code that is damaged, or that the target cannot run."""

import json
import struct

import mutate
from mutants import mutant

SHIMS = ("--shims", str(mutate.DATA / "aoti_shims.txt"))
ELF = b"\x7fELF"


def library(p):
    """The segment of the library of a `.pte`."""
    return next(s for s in p.root.segments if p.data[s.offset : s.offset + 4] == ELF)


def replace(p, old, new):
    segment = library(p)
    code = bytes(p.data[segment.offset : segment.offset + segment.size])
    assert old in code and len(old) == len(new)
    p.data[segment.offset : segment.offset + segment.size] = code.replace(old, new)


def of_library(rule, options=()):
    def add(edit):
        mutant(rule, "aoti_blobs.pte", options=options, name=edit.__name__)(edit)
        return edit

    return add


def elf_hash(name):
    """By which a loader compares versions (System V ABI, "Hash Table")."""
    value = 0
    for letter in name:
        value = (value << 4) + letter
        value = (value ^ (value >> 24 & 0xF0)) & 0x0FFFFFFF
    return value


def put_tag(p, tag, value):
    """Of the dynamic section, whose addresses are those in the file."""
    start = library(p).offset
    headers = start + struct.unpack_from("<Q", p.data, start + 32)[0]
    n = struct.unpack_from("<H", p.data, start + 56)[0]
    at = next(start + struct.unpack_from("<Q", p.data, headers + 56 * i + 8)[0]
              for i in range(n) if struct.unpack_from("<I", p.data, headers + 56 * i)[0] == 2)
    while struct.unpack_from("<Q", p.data, at)[0] != tag:
        at += 16
    struct.pack_into("<Q", p.data, at + 8, value)


@of_library("library/unread")
def sections_outside(p):
    start = library(p).offset
    p.data[start + 40 : start + 48] = struct.pack("<Q", 1 << 40)


@of_library("library/format")
def kernel_cut_off(p):
    segment = library(p)
    code = bytes(p.data[segment.offset : segment.offset + segment.size])
    image = segment.offset + code.index(struct.pack("<I", 0xBA55ED50)) + 16
    size = struct.unpack_from("<Q", p.data, image + 8)[0]
    struct.pack_into("<Q", p.data, image + 8, size + (1 << 20))


@of_library("library/format")
def no_magic(p):
    p.data[library(p).offset] = 0


@of_library("library/format")
def nothing_to_load(p):
    struct.pack_into("<H", p.data, library(p).offset + 56, 0)


@of_library("library/format")
def no_dynamic_section(p):
    start = library(p).offset
    headers = start + struct.unpack_from("<Q", p.data, start + 32)[0]
    n = struct.unpack_from("<H", p.data, start + 56)[0]
    kinds = {struct.unpack_from("<I", p.data, headers + 56 * i)[0]: i for i in range(n)}
    struct.pack_into("<I", p.data, headers + 56 * kinds[2], 0)


@of_library("library/format")
def symbols_nowhere(p):
    put_tag(p, 6, 1 << 40)  # DT_SYMTAB


@of_library("library/format")
def relocations_not_whole(p):
    put_tag(p, 8, 25)  # DT_RELASZ


@of_library("library/format")
def for_another_system(p):
    p.data[library(p).offset + 7] = 9


@of_library("library/format")
def name_of_no_compiler(p):
    replace(p, b"aoti_torch_get_sizes", b"aoti]torch_get_sizes")


@of_library("library/unknown-need")
def library_of_nobody(p):
    replace(p, b"libc.so.6", b"libq.so.6")


@mutant("library/package", "aoti_package.pt2")
def metadata_of_numbers(p):
    name = p.part("kernel_metadata.json")
    said = json.loads(p.parts[name])
    p.parts[name] = json.dumps({**said, "AOTI_MACHINE": 64}).encode()


@mutant("library/package", "aoti_package.pt2")
def metadata_nowhere(p):
    del p.parts[p.part("kernel_metadata.json")]


@mutant("library/machine", "aoti_package.pt2")
def of_another_machine(p):
    name = p.part("wrapper_metadata.json")
    said = json.loads(p.parts[name])
    p.parts[name] = json.dumps({**said, "AOTI_MACHINE": "aarch64"}).encode()


@of_library("library/entry-point")
def nothing_to_run(p):
    replace(p, b"\0AOTInductorModelContainerRun\0", b"\0AOTInductorModelContainerRux\0")


@of_library("library/entry-point")
def nothing_to_take_weights(p):
    replace(p, b"\0AOTInductorModelUpdateConstantsFromBlob\0",
            b"\0AOTInductorModelUpdateConstantsFromBlox\0")


@of_library("library/shim", SHIMS)
def shim_of_the_future(p):
    replace(p, b"aoti_torch_get_sizes", b"aoti_torch_get_sizez")


@of_library("library/glibc", ("--glibc", "2.31"))
def glibc_of_the_future(p):
    replace(p, *(struct.pack("<I", elf_hash(name)) for name in (b"GLIBC_2.14", b"GLIBC_2.99")))
    replace(p, b"GLIBC_2.14", b"GLIBC_2.99")


@of_library("library/gpu", ("--gpu", "sm_86"))
def newer_gpus_only(p):
    replace(p, struct.pack("<I", 0x6005004), struct.pack("<I", 0x6005A04))
    replace(p, struct.pack("<II", 0x90000, 80), struct.pack("<II", 0x90000, 90))


@of_library("library/constants")
def weights_cut_off(p):
    segment = next(s for s in p.root.segments if s.size == 384)
    segment.size = 320


@mutant("library/constants", "aoti_package.pt2")
def weights_nowhere(p):
    del p.parts[p.part("/weight_0")]
