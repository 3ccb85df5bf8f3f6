"""Hold `delegraph run` to torch where a program writes through views.

Every way to view a tensor times every way to write, on buffers, inputs and intermediate values,
in plain programs, under no_grad and in branches, as torch.export leaves them: outputs and what
the next calls find in the buffers. Prints a table, and a line for each form that differs.
"""

import argparse
import json
import os
import subprocess
import sys
import warnings

import torch
from torch._higher_order_ops.while_loop import while_loop

import shares
from check_run import flat, save

CALLS = 3
SHAPE = 3, 4

VIEWS = {
    "itself": lambda b: b,
    "slice": lambda b: b[1:],
    "steps": lambda b: b[:, ::2],
    "select": lambda b: b[1],
    "column": lambda b: b.select(1, 2),
    "narrow": lambda b: b.narrow(1, 1, 2),
    "view": lambda b: b.view(-1),
    "view as": lambda b: b.view_as(torch.empty(2, 6)),
    "reshape": lambda b: b.reshape(4, 3),
    "flatten": lambda b: b.flatten(),
    "unflatten": lambda b: b.unflatten(1, (2, 2)),
    "transpose": lambda b: b.transpose(0, 1),
    "t": lambda b: b.t(),
    "T": lambda b: b.T,
    "permute": lambda b: b.permute(1, 0),
    "movedim": lambda b: b.movedim(0, 1),
    "expand": lambda b: b.expand(1, *SHAPE),
    "expand as": lambda b: b.expand_as(torch.empty(1, *SHAPE)),
    "unsqueeze": lambda b: b.unsqueeze(1),
    "squeeze": lambda b: b[:1].squeeze(0),
    "squeeze dims": lambda b: b.unsqueeze(0).squeeze((0,)),
    "diagonal": lambda b: b.diagonal(),
    "unbind": lambda b: b.unbind(0)[2],
    "split": lambda b: b.split(2)[0],
    "split sizes": lambda b: b.split([1, 3], 1)[1],
    "chunk": lambda b: b.chunk(2, 1)[1],
    "tensor split": lambda b: b.tensor_split(2, 1)[1],
    "unfold": lambda b: b.unfold(1, 2, 2),
    "as_strided": lambda b: b.as_strided((2, 2), (4, 2), 1),
    "detach": lambda b: b.detach(),
    "contiguous": lambda b: b.contiguous(),
    "contiguous copy": lambda b: b.t().contiguous(),
    "reshape copy": lambda b: b.t().reshape(-1),
    "to same dtype": lambda b: b.to(b.dtype),
    "to other dtype": lambda b: b.to(torch.float64),
    "to bf16": lambda b: b.to(torch.bfloat16),
    "type_as": lambda b: b.type_as(torch.empty(1)),
    "clone": lambda b: b.clone(),
    "positive": lambda b: +b,
    "dropout": lambda b: torch.nn.functional.dropout(b, 0.5, False),
    "chain": lambda b: b[1:].transpose(0, 1)[::2].view(2, 2)[0],
    "chain of views": lambda b: b.view(2, 6)[1].view(2, 3).t()[1:],
}


def at(v, *numbers):
    """Indices, made without a constant that the program would carry."""
    return (torch.arange(len(numbers)) + numbers[0]) % v.shape[0]


WRITES = {
    "add_": lambda v, x: v.add_(x),
    "mul_": lambda v, x: v.mul_(x),
    "copy_": lambda v, x: v.copy_(x),
    "fill_": lambda v, x: v.fill_(3),
    "fill_ tensor": lambda v, x: v.fill_(x),
    "zero_": lambda v, x: v.zero_(),
    "clamp_": lambda v, x: v.clamp_(0, 0.5),
    "relu_": lambda v, x: v.relu_(),
    "+=": lambda v, x: v.__iadd__(x),
    "pow_": lambda v, x: v.pow_(2),
    "[...] =": lambda v, x: v.__setitem__(..., x.to(v.dtype)),
    "[0] =": lambda v, x: v.__setitem__(0, x.to(v.dtype)),
    "[1:] =": lambda v, x: v.__setitem__(slice(1, None), x.to(v.dtype)),
    "[indices] =": lambda v, x: v.__setitem__(at(v, 1), x.to(v.dtype)),
    "[mask] =": lambda v, x: v.__setitem__(v > 0, x.to(v.dtype)),
    "index_put_": lambda v, x: v.index_put_((at(v, 0, 1),), x.to(v.dtype), accumulate=True),
    "index_copy_": lambda v, x: v.index_copy_(0, at(v, 1), x.expand(1, *v.shape[1:]).to(v.dtype)),
    "index_add_": lambda v, x: v.index_add_(0, at(v, 1), x.expand(1, *v.shape[1:]).to(v.dtype)),
    "index_fill_": lambda v, x: v.index_fill_(0, at(v, 1), 2),
    "masked_fill_": lambda v, x: v.masked_fill_(v > 0, 2),
    "scatter_": lambda v, x: v.scatter_(
        0, torch.zeros((1,) * v.dim(), dtype=torch.int64), x.expand((1,) * v.dim()).to(v.dtype)),
    "scatter_add_": lambda v, x: v.scatter_add_(
        0, torch.zeros((1,) * v.dim(), dtype=torch.int64), x.expand((1,) * v.dim()).to(v.dtype)),
    "addcmul_": lambda v, x: v.addcmul_(v, x.to(v.dtype)),
    "lerp_": lambda v, x: v.lerp_(torch.ones_like(v), 0.25),
    "out of add": lambda v, x: torch.add(v, x, out=v),
    "out of mul": lambda v, x: torch.mul(x.to(v.dtype), torch.ones_like(v), out=v),
    "out of cat": lambda v, x: torch.cat([v[1:].clone(), v[:1].clone()], out=v),
    "out of max": lambda v, x: torch.max(v[None], 0, out=(v, torch.empty_like(v, dtype=torch.int64))),
}

class Writes(torch.nn.Module):
    """All ways to write through one way to view: what was there before, or what is there then."""

    def __init__(self, view, writes, place, reads):
        super().__init__()
        self.view, self.writes, self.place, self.reads = view, writes, place, reads
        for i in range(len(writes)):
            value = torch.randn(SHAPE, generator=torch.Generator().manual_seed(i))
            if place.startswith("parameter"):
                setattr(self, f"b{i}", torch.nn.Parameter(value))
            elif place == "constant":
                setattr(self, f"b{i}", value)
            else:
                self.register_buffer(f"b{i}", value)
        if place == "two names":
            for i in range(len(writes)):
                self.register_buffer(f"c{i}", getattr(self, f"b{i}")[:, 1:])

    def base(self, i, x):
        if self.place.startswith("input"):
            return x[i]
        stored = getattr(self, f"b{i}")
        return stored * x[0, 0, 0] if self.place.startswith("intermediate") else stored

    def forward(self, x):
        results, others = [], []
        for i, write in enumerate(self.writes):
            base = self.base(i, x)
            before = getattr(self, f"c{i}", base).clone()
            after, other = PLACES[self.place](self.view, write, base, x[0, 0, 1] * 1)
            results.append(after.clone() if self.reads else before)
            others.append(other)
        return tuple(results + others)


def plainly(view, write, base, by):
    write(view(base), by)
    return base, None


def without_grad(view, write, base, by):
    with torch.no_grad():
        write(view(base), by)
        other = by * 2  # a region without results is not exported
    return base, other


def copied(view, write, base, by):
    return plainly(view, write, base.clone(), by)[0]


def in_branch(view, write, base, by):
    return torch.cond(by > -100, lambda base, by: copied(view, write, base, by),
                      lambda base, by: base + by, (base, by)), None


def in_loop(view, write, base, by):
    def body(i, base, by):
        return i + 1, copied(view, write, base, by), by.clone()
    return while_loop(lambda i, base, by: i < 3, body, (torch.tensor(0), base, by))[1:]


PLACES = {
    "buffer": plainly, "constant": plainly, "input": plainly, "intermediate": plainly,
    "two names": plainly, "parameter, no_grad": without_grad, "buffer, no_grad": without_grad,
    "intermediate, branch": in_branch, "intermediate, loop": in_loop,
}


# What is written there ends with the call; elsewhere the next call reads it.
FLEETING = "input", "intermediate", "intermediate, branch", "intermediate, loop"


def works(view, write):
    """Whether torch takes this form at all."""
    try:
        write(view(torch.ones(SHAPE)), torch.tensor(0.5))
        return True
    except (RuntimeError, IndexError):
        return False


def make(module, inputs, folder, program):
    """A program, and what torch gives in successive calls: kept, as exporting takes long."""
    os.makedirs(folder, exist_ok=True)
    torch.export.save(torch.export.export(module, (inputs[0].clone(),), strict=False), program)
    runs = torch.export.load(program).module()
    for i, x in enumerate(inputs):
        save(f"{folder}/x{i}.npz", "in", [x])
        with torch.no_grad():
            save(f"{folder}/y{i}.npz", "out", flat(runs(x.clone())))
    open(os.path.join(folder, "done"), "w").close()


def check(given, what, place, view, reads):
    """(names that agree, {name: why}) of all ways to write through one view."""
    names = [name for name, write in WRITES.items() if works(view, write)]
    module = Writes(view, [WRITES[n] for n in names], place, reads)
    inputs = [torch.randn(len(names), *SHAPE, generator=torch.Generator().manual_seed(90 + i))
              for i in range(CALLS)]
    folder = os.path.join(given.work, f"{place}.{what}.{'after' if reads else 'before'}")
    program = os.path.join(folder, "p.pt2")
    if not os.path.exists(os.path.join(folder, "done")):
        make(module, inputs, folder, program)
    command = [given.delegraph, "run", program, "--format", "json"]
    for i in range(CALLS):
        command += ["--inputs", f"{folder}/x{i}.npz", "--expected", f"{folder}/y{i}.npz"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode not in (0, 1):
        return [], {name: done.stderr.strip() for name in names}
    wrong = {}
    for number, call in enumerate(json.loads(done.stdout)["calls"]):
        for name, output in zip(names, call["outputs"]):
            if output["verdict"] != "pass":
                wrong.setdefault(name, f"call {number}: {output['why']}")
    return [n for n in names if n not in wrong], wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", default="/tmp/check_view_writes")
    parser.add_argument("--only", default="", help="part of a view's or place's name")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    os.makedirs(given.work, exist_ok=True)
    n_right = n_wrong = n_unmade = 0
    for place in PLACES:
        for what, view in VIEWS.items():
            if given.only not in f"{place} {what}" or not shares.mine(f"{place} {what}"):
                continue
            for reads in (True,) if place in FLEETING else (False,):
                try:
                    right, wrong = check(given, what, place, view, reads)
                except Exception as error:
                    n_unmade += 1
                    lines = str(error).strip().splitlines() or [repr(error)]
                    print(f"not made: {place}: {what}: {lines[0]}"[:200], flush=True)
                    continue
                n_right += len(right)
                n_wrong += len(wrong)
                for name, why in wrong.items():
                    print(f"differs: {place}: {what}: {name}, read "
                          f"{'after' if reads else 'before'}: {why}"[:300], flush=True)
    print(f"{n_right + n_wrong} forms of {CALLS} calls: {n_right} as torch, {n_wrong} not; "
          f"{n_unmade} programs not made")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
