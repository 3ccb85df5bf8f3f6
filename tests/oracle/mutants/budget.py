"""Limits that a program stays under, and no longer."""

import mutate
from flat import Table
from mutants import aoti, mutant, plan_of


def limit(name, number):
    return ("--limit", f"{name}={number}")


def growth(name, number, old):
    """A limit of growth against the right program."""
    return (*limit(name, number), "--against", str(mutate.DATA / old))


@mutant("budget/host-ops", "reinplaced.pte", options=limit("host-ops", 3))
def another_operator(p):
    p.plan().operators.append(Table("Operator", name=b"aten::relu", overload=b"out"))
    output = p.plan().outputs[0]
    p.add_instruction("KernelCall", op_index=3, args=[output, output, output])


@mutant("budget/peak-memory", "reinplaced.pte", options=limit("peak-memory", 112))
def larger_arena(p):
    p.plan().non_const_buffer_sizes[1] += 1024


@mutant("budget/file-size", "initial_state.pte", options=limit("file-size", 2500))
def larger_file(p):
    p.add_segment(bytes(4096))


@mutant("budget/delegated-share", "shared_blob.pte", options=limit("delegated-share", 0.3))
def less_delegated(p):
    call = p.call("KernelCall")
    for _ in range(9):
        p.add_instruction("KernelCall", op_index=call.op_index, args=list(call.args))


@mutant("budget/boundary-bytes", "shared_blob.pte", options=limit("boundary-bytes", 1000))
def more_crosses(p):
    for number in p.call("DelegateCall").args:
        p.value(number).sizes[0] *= 1000


PLAN = plan_of({"a": "sin cos"})


@mutant("budget/partition-count", "crossed.pt2", plan=PLAN, options=limit("partition-count", 1))
def another_delegate(p, plan):
    plan.method()["delegates"]["b"] = aoti()
    plan.method()["tags"].update(exp="b", relu="b")


@mutant("budget/delegated-flops", "crossed.pt2", plan=PLAN, options=limit("delegated-flops", 0.5))
def less_computed(p, plan):
    del plan.method()["tags"]["sin"]


@mutant("budget/delegated-bytes", "crossed.pt2", plan=PLAN, options=limit("delegated-bytes", 0.5))
def less_moved(p, plan):
    del plan.method()["tags"]["sin"]


@mutant("budget/host-calls", "reinplaced.pte", options=limit("host-calls", 3))
def another_call(p):
    call = p.call("KernelCall")
    p.add_instruction("KernelCall", op_index=call.op_index, args=list(call.args))


@mutant("budget/copies", "on_cuda.pte", options=limit("copies", 6))
def another_copy(p):
    copy = next(c for c in p.calls("KernelCall") if p.operator(c).name == b"et_copy::_h2d_copy")
    p.add_instruction("KernelCall", op_index=copy.op_index, args=list(copy.args))


@mutant("budget/planned-memory", "on_cuda.pte", options=limit("planned-memory.cuda", 128))
def larger_arena_of_device(p):
    p.plan().non_const_buffer_sizes[p.plan().non_const_buffer_device[0].buffer_idx] += 64


@mutant("budget/file-size", "initial_state.pte", options=growth("file-size", "+10%", "initial_state.pte"))
def grown_file(p):
    p.add_segment(bytes(4096))


@mutant("budget/peak-memory", "reinplaced.pte", options=growth("peak-memory", "+1KiB", "reinplaced.pte"))
def grown_arena(p):
    p.plan().non_const_buffer_sizes[1] += 1025


@mutant("budget/delegated-share", "shared_blob.pte", options=growth("delegated-share", "-1%", "shared_blob.pte"))
def fallen_share(p):
    call = p.call("KernelCall")
    p.add_instruction("KernelCall", op_index=call.op_index, args=list(call.args))
