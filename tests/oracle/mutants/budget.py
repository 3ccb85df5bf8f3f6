"""Limits that a program stays under, and no longer."""

from flat import Table
from mutants import aoti, mutant, plan_of


def limit(name, number):
    return ("--limit", f"{name}={number}")


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
