"""Constants, named data, `.ptd` files."""

import struct

from flat import Table
from mutants import mutant

EXTERNAL = ("external.pte", "external_default_external_constant.ptd")
TAGGED = ("external_tagged.pte", "external_tagged_weights.ptd")


@mutant("data/constant-index", "initial_state.pte")
def constant_nowhere(p):
    p.value(p.constants()[0]).data_buffer_idx = 99


@mutant("data/aoti-key-format", "aoti_blobs.pte")
def keys_in_the_wrong_order(p):
    for number, segment in enumerate(p.root.segments):
        first, _, second = p.segment_bytes(number).partition(b"\n")
        if first.endswith(b"_so_blob"):
            p.data[segment.offset : segment.offset + segment.size] = second + b"\n" + first


@mutant("data/constant-extent", "initial_state.pte")
def constant_too_long(p):
    p.value(p.constants()[0]).sizes[0] = 4096


@mutant("data/constant-offset-order", "unplanned.pte")
def offsets_not_in_order(p):
    offsets = p.root.constant_segment.offsets
    offsets[1], offsets[2] = offsets[2], offsets[1]
    for number in p.constants():
        tensor = p.value(number)
        tensor.data_buffer_idx = {1: 2, 2: 1}.get(tensor.data_buffer_idx, tensor.data_buffer_idx)


@mutant("data/constant-typed-twice", "unplanned.pte")
def constant_of_two_lengths(p):
    first, second = p.constants()[:2]
    p.value(second).data_buffer_idx = p.value(first).data_buffer_idx


@mutant("data/mutable-extent", "initial_state.pte")
def state_too_long(p):
    p.root.mutable_data_segments[0].offsets[1] += 1 << 20


@mutant("data/named-segment-index", "named_data.pte")
def key_of_no_segment(p):
    p.root.named_data[0].segment_index = 99


@mutant("data/named-key-null", "named_data.pte")
def data_without_key(p):
    p.root.named_data[0].drop("key")


@mutant("data/named-key-null", *TAGGED)
def ptd_without_key(p, d):
    d.root.named_data[0].key = b""


@mutant("data/named-key-unique", "named_data.pte")
def key_twice(p):
    segment = p.add_segment(b"other data")
    key = p.root.named_data[0].key
    p.root.named_data.append(Table("NamedData", key=key, segment_index=segment))


@mutant("data/named-key-collision", *TAGGED)
def key_in_both_files(p, d):
    segment = p.add_segment(bytes(range(64)))
    key = d.root.named_data[0].key
    p.root.named_data = [Table("NamedData", key=key, segment_index=segment)]


@mutant("data/named-key-missing", *TAGGED)
def key_in_no_file(p, d):
    d.root.named_data[0].key += b"s"


@mutant("data/layout-match", *TAGGED)
def another_type(p, d):
    d.root.named_data[0].tensor_layout.scalar_type = 3


@mutant("data/layout-missing", *TAGGED)
def no_layout(p, d):
    d.root.named_data[0].drop("tensor_layout")


@mutant("data/layout-nbytes", *TAGGED)
def data_too_short(p, d):
    d.root.segments[d.root.named_data[0].segment_index].size -= 4


@mutant("data/ptd-magic", "external_tagged_weights.ptd")
def newer_file(d):
    d.root.version = 1


@mutant("data/ptd-bounds", "external_tagged_weights.ptd")
def ptd_cut_off(d):
    return (d.to_bytes()[:-16],)


@mutant("data/ptd-bounds", "external_tagged_weights.ptd")
def ptd_segment_too_long(d):
    d.root.segments[-1].size += 1 << 20


@mutant("data/duplicate-bytes", "named_data.pte")
def stored_twice(p):
    for key in (b"one", b"another"):
        segment = p.add_segment(bytes(range(256)) * 4)
        p.root.named_data.append(Table("NamedData", key=key, segment_index=segment))


@mutant("data/aoti-key-format", "aoti_blobs.pte")
def payload_without_newline(p):
    segment = p.root.segments[p.plan().delegates[0].processed.index]
    blob = p.segment_bytes(p.plan().delegates[0].processed.index).replace(b"\n", b" ")
    p.data[segment.offset : segment.offset + segment.size] = blob


@mutant("constant/external-fqn", "external_tagged.pte")
def external_without_name(p):
    external = next(n for n in p.values_of("Tensor") if p.value(n).get("extra_tensor_info"))
    p.extra(external).drop("fully_qualified_name")


# What the CUDA backend needs


@mutant("cuda/method-name-missing", "aoti_blobs.pte")
def method_unnamed(p):
    delegate = p.plan().delegates[0]
    delegate.compile_specs = [s for s in delegate.compile_specs if s.key != b"method_name"]


@mutant("cuda/method-name-mismatch", "aoti_blobs.pte")
def method_misnamed(p):
    specs = p.plan().delegates[0].compile_specs
    next(spec for spec in specs if spec.key == b"method_name").value = b"backward"


@mutant("cuda/key-missing", "aoti_blobs.pte")
def library_missing(p):
    p.root.named_data[0].key = b"0" * 64 + b"_so_blob"


@mutant("cuda/weights-missing", "aoti_external.pte", "aoti_external_aoti_cuda_blob.ptd")
def weights_missing(p, d):
    d.root.named_data[0].key = b"0" * 64 + b"_weights_blob"


@mutant("cuda/key-collision", "aoti_by_method.pte")
def library_of_two(p):
    segment = p.add_segment(b"another library")
    key = p.root.named_data[0].key
    p.root.named_data.append(Table("NamedData", key=key, segment_index=segment))


@mutant("cuda/io-not-tensor", "aoti_blobs.pte")
def number_passed(p):
    call = p.call("DelegateCall")
    call.args = [p.add_value("Int", int_val=3), *call.args]


@mutant("value/output-not-external", *EXTERNAL)
def weight_returned(p, data):
    plan = p.plan()
    weight = next(i for i, v in enumerate(plan.values) if v.val.kind == "Tensor"
                  and (extra := v.val.get("extra_tensor_info")) and extra.get("location") == 1)
    plan.outputs = [*plan.outputs, weight]
