"""Memory plans of `.pte` files."""

import math

from flat import Table
from mutants import mutant


def place(p, number, plan=0):
    return p.value(number, plan).allocation_info


@mutant("memory/id-range", "reinplaced.pte")
def no_such_arena(p):
    place(p, p.planned()[0]).memory_id = 9


@mutant("memory/extent", "reinplaced.pte")
def past_the_end(p):
    place(p, p.planned()[0]).memory_offset_low = 1 << 20


@mutant("memory/offset-64", "reinplaced.pte")
def offset_of_64_bits(p):
    place(p, p.planned()[0]).memory_offset_high = 1


@mutant("memory/reserved-zero", "reinplaced.pte")
def arena_zero_used(p):
    p.plan().non_const_buffer_sizes[0] = 64


@mutant("memory/alignment", "reinplaced.pte")
def off_alignment(p):
    place(p, p.plan().outputs[0]).memory_offset_low += 1
    p.plan().non_const_buffer_sizes[1] += 16


@mutant("memory/no-live-overlap", "initial_state.pte")
def two_in_one_place(p):
    first, second = p.plan().inputs[:2]
    place(p, second).memory_offset_low = place(p, first).memory_offset_low


@mutant("memory/no-live-overlap", "tiny.pte")
def outputs_in_one_place(p):
    first, second = p.plan().outputs[:2]
    place(p, first).memory_offset_low = place(p, second).memory_offset_low


@mutant("memory/hop-escape", "control_flow_delegated.pte")
def branch_result_overwritten(p):
    """A sum into the memory of the branch, then the branch's result is read."""
    call = p.call("KernelCall", skip=2)
    branch, late = call.args[2], p.add_value("Tensor", **planned(p, [2, 3], like=9))
    result = p.plan().outputs[0]
    final = p.add_value("Tensor", **planned(p, [2, 3], offset=128))
    p.plan().non_const_buffer_sizes[1] = 160
    p.add_instruction("KernelCall", op_index=call.op_index, args=[1, 0, late, late])
    p.add_instruction("KernelCall", op_index=call.op_index, args=[result, 0, final, final])
    p.plan().outputs = [final]
    assert place(p, branch).memory_offset_low == place(p, late).memory_offset_low


def planned(p, sizes, like=None, offset=0):
    """Fields of a new float tensor in arena 1, in the place of another or at an offset."""
    offset = place(p, like).memory_offset_low if like is not None else offset
    info = Table("AllocationDetails", memory_id=1, memory_offset_low=offset)
    order = bytes(range(len(sizes)))
    return dict(scalar_type=6, sizes=sizes, dim_order=order, allocation_info=info)


@mutant("memory/hop-device-arena", "on_cuda.pte")
def branch_in_device_arena(p):
    place(p, p.plan().inputs[0]).memory_id = 2
    never = p.add_value("Bool", bool_val=True)
    p.add_instruction("JumpFalseCall", 4, cond_value_index=never, destination_instruction=6)


@mutant("memory/use-before-def", "initial_state.pte")
def read_before_written(p):
    place(p, 7).memory_offset_low = 160
    p.plan().non_const_buffer_sizes[1] = 192
    del p.instructions()[1]


@mutant("memory/output-defined", "initial_state.pte")
def output_never_written(p):
    p.plan().outputs = [p.add_value("Tensor", **planned(p, [3], offset=144))]
    p.plan().non_const_buffer_sizes[1] = 160


@mutant("memory/intermediate-unplanned", "initial_state.pte")
def intermediate_without_memory(p):
    p.value(7).drop("allocation_info")


@mutant("memory/io-all-or-none", "initial_state.pte")
def one_input_unplanned(p):
    p.value(p.plan().inputs[0]).drop("allocation_info")


@mutant("memory/mutable-exclusive", "initial_state.pte")
def state_shares_bytes(p):
    place(p, 7).memory_offset_low = 48


@mutant("memory/mutable-planned-or-named", "initial_state.pte")
def state_without_memory(p):
    p.value(0).drop("allocation_info")
    p.value(0).drop("extra_tensor_info")
    p.value(0).drop("data_buffer_idx")


@mutant("memory/mutable-shared-consistent", "shared_buffers.pte")
def state_in_two_places(p):
    place(p, 1, plan=1).memory_offset_low = 64
    for plan in p.root.execution_plan:
        if len(plan.non_const_buffer_sizes) > 2:
            plan.non_const_buffer_sizes[2] = 128


@mutant("memory/inplace-alias", "reinplaced.pte")
def old_value_read_later(p):
    call = p.call("KernelCall")
    result = p.add_value("Tensor", **planned(p, [4, 3], offset=128))
    p.plan().non_const_buffer_sizes[1] = 256
    call.args[-1] = result


@mutant("memory/view-alias", "initial_state.pte")
def view_shorter_than_its_base(p):
    view = p.add_value("Tensor", **planned(p, [3, 3], like=4))
    p.calls("KernelCall")[1].args[0] = view


@mutant("memory/free-target", "reinplaced.pte")
def frees_planned_memory(p):
    p.add_instruction("FreeCall", value_index=p.planned()[0])


@mutant("control-flow/jump-forward-shape", "dynamic_rows.pte")
def jump_over_a_number(p):
    condition = p.add_value("Bool", bool_val=False)
    p.plan().inputs = [*p.plan().inputs, condition]
    p.add_instruction(
        "JumpFalseCall", 3, cond_value_index=condition, destination_instruction=5
    )


@mutant("memory/output-defined", "initial_state.pte")
def output_where_a_larger_value_was(p):
    inner = next(n for n in p.intermediates() if size(p, n) > 16)
    begin = place(p, inner).memory_offset_low
    p.plan().outputs = [p.add_value("Tensor", **planned(p, [3], offset=begin))]


def size(p, number):
    sizes = p.value(number).get("sizes") or []
    return 4 * math.prod(sizes)


@mutant("memory/use-before-def", "control_flow_delegated.pte")
def read_before_it_is_made(p):
    instructions = p.instructions()
    instructions[0], instructions[1] = instructions[1], instructions[0]


@mutant("memory/inplace-alias", "reinplaced.pte")
def update_before_a_reader_of_the_old_value(p):
    """op_1, which sums the updated buffer, as if emitted before op_0."""
    late, instructions = p.value(6), p.instructions()
    assert late.kind == "Tensor"
    false = p.add_value("Bool", bool_val=False)
    instructions[0].instr_args.args[3] = false


@mutant("memory/inplace-alias", "reinplaced.pte")
def view_of_the_old_value(p):
    update, total = p.call("KernelCall"), p.call("KernelCall", skip=1)
    view = p.add_value("Tensor", **p.like(update.args[0]))
    update.args[3] = p.add_value("Bool", bool_val=False)
    total.args[0] = view
