"""What a program gives when it is run, held to what it was made from."""

from mutants import mutant

RUN = ("--numerics",)


@mutant("numerics/output", "unplanned.pte", "mlp.pt2", options=RUN)
def weight_of_another_sign(p, program):
    """The highest byte of the first element of the first constant."""
    p.data[p.root.segments[0].offset + 3] ^= 0x80


@mutant("numerics/refused", "unplanned.pte", "mlp.pt2", options=RUN)
def result_declared_larger(p, program):
    p.value(p.plan().outputs[0]).sizes[1] += 1


@mutant("numerics/compared", "unplanned.pte", "mlp.pt2", options=RUN)
def operator_of_ones_own(p, program):
    last = p.operator(p.calls("KernelCall")[-1])
    last.name, last.overload = b"custom::linear", b"out"


@mutant("numerics/skipped", "unplanned.pte", "mlp.pt2", options=RUN)
def method_without_a_model(p, program):
    other = p.copy().plan()
    other.name = b"other"
    p.root.execution_plan.append(other)
