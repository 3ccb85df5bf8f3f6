"""Containers: headers, segments, archives."""

from flat import Table
from mutants import mutant


@mutant("format/file-size", "initial_state.pte")
def cut_off(p):
    return (p.to_bytes()[:-16],)


@mutant("format/min-size", "tiny.pte")
def nearly_empty(p):
    for field in list(p.root.__dict__):
        if field not in ("kind", "version"):
            p.root.drop(field)


@mutant("format/segment-bounds", "initial_state.pte")
def segment_too_long(p):
    p.root.segments[-1].size += 4096


@mutant("format/segment-order", "initial_state.pte")
def segments_swapped(p):
    p.root.segments.reverse()
    p.root.constant_segment.segment_index = 1
    p.root.mutable_data_segments[0].segment_index = 0


@mutant("format/segment-order", "shared_blob.pte")
def segments_overlap(p):
    p.add_segment(bytes(64))
    p.root.segments[-1].offset = p.root.segments[1].offset
    p.root.named_data = [Table("NamedData", key=b"more", segment_index=2)]


@mutant("format/segment-alignment", "xnnpack.pte")
def segment_off_alignment(p):
    p.data += b"\0\0\0\0"
    p.root.segments[-1].offset += 4
    p.data[-p.root.segments[-1].size :] = p.data[-p.root.segments[-1].size - 4 : -4]


@mutant("format/segment-unreferenced", "initial_state.pte")
def segment_for_nobody(p):
    p.add_segment(b"nobody's")


@mutant("format/segments-without-base", "initial_state.pte")
def no_base(p):
    return (p.to_bytes(segment_base_offset=0),)


@mutant("format/version", "tiny.pte")
def newer(p):
    p.root.version = 1


@mutant("format/constant-exclusive", "initial_state.pte")
def constants_in_two_places(p):
    p.root.constant_buffer = [Table("Buffer", storage=b""), Table("Buffer", storage=bytes(16))]


@mutant("format/constant-deprecated", "initial_state.pte")
def constants_inline(p):
    segment = p.segment_bytes(p.root.constant_segment.segment_index)
    offsets = [*p.root.constant_segment.offsets[1:], len(segment)]
    stored = [segment[start:end] for start, end in zip(offsets, offsets[1:])]
    p.root.constant_buffer = [Table("Buffer", storage=part) for part in (b"", *stored)]
    p.root.constant_segment.offsets = []


@mutant("format/constant-segment-index", "initial_state.pte")
def constants_nowhere(p):
    p.root.constant_segment.segment_index = 9


@mutant("format/mutable-segment-index", "initial_state.pte")
def states_nowhere(p):
    p.root.mutable_data_segments[0].segment_index = 9


@mutant("format/mutable-index-ignored", "initial_state.pte")
def states_elsewhere(p):
    state = next(n for n in p.planned() if p.value(n).get("data_buffer_idx"))
    p.extra(state).mutable_data_segments_idx = 1


@mutant("format/pt2-archive", "gate.pt2")
def weight_lost(p):
    del p.parts[p.part("weight_0")]


@mutant("format/segment-alignment", "two_backends.pte")
def one_of_few_segments(p):
    last = p.root.segments[-1]
    content = p.segment_bytes(len(p.root.segments) - 1)
    del p.data[last.offset :]
    last.offset += 4
    p.data += bytes(4) + content
