"""What is inside of XNNPACK delegates."""

import struct

import mutate
from flat import Table
from mutants import mutant


def inside(rule, file="xnnpack.pte"):
    """Registers an edit of the blob of the first delegate."""

    def add(edit):
        def edit_program(p):
            blob = mutate.Blob(p.blob())
            edit(blob)
            p.set_blob(blob.to_bytes())

        mutant(rule, file, name=edit.__name__)(edit_program)
        return edit

    return add


@mutant("blob/format", "xnnpack.pte")
def cut_off(p):
    p.set_blob(p.blob()[:-64])


@mutant("blob/format", "xnnpack.pte")
def constants_before_the_graph(p):
    data = bytearray(p.blob())
    struct.pack_into("<I", data, 18, 32)
    p.set_blob(bytes(data))


@inside("blob/value-unique")
def one_number_for_two(b):
    b.value(3).id_out = 2


@inside("blob/value-defined")
def bias_of_no_value(b):
    b.node(1).bias_id = 9


@inside("blob/value-written")
def result_that_nobody_writes(b):
    b.node(2).output_id = 3


@inside("blob/acyclic")
def needs_its_own_result(b):
    b.node(1).input1_id = 3


@inside("blob/external-id")
def operand_of_no_call(b):
    b.value(5).external_id = 7


@inside("blob/external-id")
def result_over_the_input(b):
    b.value(5).external_id = 0


@inside("blob/value-type")
def no_type(b):
    b.value(3).datatype = 0


@inside("blob/value-type")
def type_that_only_the_runtime_makes(b):
    b.value(3).datatype = 11


@inside("blob/value-type", "xnnpack_quantized.pte")
def type_of_other_quantization(b):
    b.value(2).datatype = 6


@inside("blob/quantization", "xnnpack_quantized.pte")
def scale_of_nothing(b):
    b.params(2).scale = 0.0


@inside("blob/quantization", "xnnpack_quantized.pte")
def zero_point_that_is_no_code(b):
    b.params(2).zero_point = 200


@inside("blob/constant")
def constant_that_is_not_there(b):
    b.value(2).constant_buffer_idx = 9


@inside("blob/constant")
def more_than_there_is(b):
    b.value(2).dims = [4, 3, 3, 4]


@inside("blob/node-kind")
def kind_that_is_newer(b):
    b.root.xnodes[1].xnode_union_type = 100


@inside("blob/node-kind")
def kind_without_a_body(b):
    b.root.xnodes[1].drop("xnode_union")


@inside("blob/output-range")
def range_upside_down(b):
    b.root.xnodes[1].output_min_max = Table("OutputMinMax", output_min=6.0, output_max=0.0)


@inside("blob/window")
def window_that_never_moves(b):
    b.node(1).subsampling_width = 0


@inside("blob/weights")
def channels_without_filter(b):
    b.node(1).group_output_channels = 5


@inside("blob/flags")
def flag_of_another_kind(b):
    b.node(1).flags = 1


@inside("blob/datatype")
def halves_among_floats(b):
    b.value(3).datatype = 2


@inside("blob/rescale", "xnnpack_quantized.pte")
def scales_far_apart(b):
    b.params(3).scale = 1e6


@inside("blob/shape")
def order_of_a_dimension_twice(b):
    b.node(0).perm = [0, 2, 3, 3]
