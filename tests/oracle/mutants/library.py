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


@of_library("library/format")
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


@mutant("library/machine", "aoti_package.pt2")
def of_another_machine(p):
    name = p.part("wrapper_metadata.json")
    said = json.loads(p.parts[name])
    p.parts[name] = json.dumps({**said, "AOTI_MACHINE": "aarch64"}).encode()


@of_library("library/entry-point")
def nothing_to_run(p):
    replace(p, b"\0AOTInductorModelContainerRun\0", b"\0AOTInductorModelContainerRux\0")


@of_library("library/shim", SHIMS)
def shim_of_the_future(p):
    replace(p, b"aoti_torch_get_sizes", b"aoti_torch_get_sizez")


@of_library("library/glibc", ("--glibc", "2.31"))
def glibc_of_the_future(p):
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
