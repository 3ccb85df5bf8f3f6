"""Hold the verdicts of `delegraph run` to results that are known to be right or wrong.

Every wrong result must fail, every right one of another summation order must pass, for each
tolerance class, dtype and seed. Prints a table of counts, and a line for each that does not
do what it should.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import warnings

import torch

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "data"))

import fault_networks
import fault_ways
import faults_network
import faults_one_op  # the cases
import faults_one_sum
from check_run import flat, save
from journal import Journal

SPECIAL = float("nan"), float("inf"), float("-inf")


class Judge:
    """Asks delegraph for verdicts on calls of one program."""

    def __init__(self, delegraph, work, verbose):
        self.delegraph, self.work, self.verbose = os.path.abspath(delegraph), work, verbose
        self.counts = collections.defaultdict(lambda: [0] * 4)  # right, skipped, all, slight
        self.told = []

    def path(self, name):
        return os.path.join(self.work, name)

    def verdicts(self, program, calls):
        """(exit code, [(verdict, why, name) of the worst output] of each call)."""
        command = [self.delegraph, "run", program, "--format", "json"]
        for i, (inputs, outputs) in enumerate(calls):
            save(self.path(f"x{i}.npz"), "in", inputs)
            save(self.path(f"y{i}.npz"), "out", outputs)
            command += ["--inputs", self.path(f"x{i}.npz"), "--expected", self.path(f"y{i}.npz")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode not in (0, 1):
            return done.returncode, [("refused", done.stderr.strip(), "")] * len(calls)
        worst = {"fail": 0, "skip": 1, "pass": 2}
        answer = json.loads(done.stdout)
        return done.returncode, [
            min(((o["verdict"], o["why"] or "", o["name"]) for o in call["outputs"]),
                key=lambda o: worst[o[0]])
            for call in answer["calls"]]

    def hold(self, program, where, what, wanted, calls):
        """Each call should have the verdict `wanted`; a fault's must be told and named."""
        code, verdicts = self.verdicts(program, calls)
        counts = self.counts[(*where, what, wanted)]
        told = []
        for verdict, why, name in verdicts:
            good = verdict == wanted and (wanted == "pass" or (why and name and code == 1))
            counts[0] += bool(good)
            counts[1] += verdict == "skip"
            counts[2] += 1
            if not good:
                told.append(f"{verdict} {name} {why}")
        if told:
            fault = "missed" if wanted == "fail" else "false failure"
            self.told.append(f"{fault}: {' '.join(where)}: {what}: "
                             f"{len(told)} of {len(calls)}: {told[0]}"[:400])
        elif self.verbose:
            print(f"{wanted}: {' '.join(where)}: {what}: {verdicts[0][1]}"[:300], flush=True)

    def answer(self):
        """What a journal keeps of it."""
        return {"counts": [[*key, counts] for key, counts in self.counts.items()],
                "told": self.told}

    def add(self, answer):
        for *key, counts in answer["counts"]:
            self.counts[tuple(key)] = counts
        for line in answer["told"]:
            print(line, flush=True)

    def report(self):
        """Prints the tables; how many verdicts are wrong."""
        rows = collections.defaultdict(lambda: [0] * 4)
        for (kind, _, _, what, wanted), counts in self.counts.items():
            for key in ((wanted, kind, what), (wanted, kind, "all"), (wanted, "all", "all")):
                rows[key] = [a + b for a, b in zip(rows[key], counts)]
        for (wanted, kind, what), (good, skips, n, slight) in sorted(rows.items()):
            word = "caught" if wanted == "fail" else "passed"
            print(f"{kind:12} {what:28} {word} {good} of {n}"
                  + (f", {skips} skipped" if skips else "")
                  + (f"; {slight} within rounding" if slight else ""))
        caught, faults = rows["fail", "all", "all"][0::2][:2]
        passed, rights = rows["pass", "all", "all"][0::2][:2]
        print(f"faults caught {caught} of {faults}, right results passed {passed} of {rights}")
        return faults - caught + rights - passed


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def made(function, inputs, path):
    torch.export.save(torch.export.export(Module(function).eval(), tuple(inputs)), path)


def kind_of(dtype):
    return str(dtype).removeprefix("torch.")


def with_special(case, dtype, value):
    """Inputs where the first float holds a NaN or infinity."""
    inputs = case.inputs(torch.Generator().manual_seed(99), dtype)
    inputs[0].view(-1)[5] = value
    return inputs


def without(result):
    """What tools that mask such values would give."""
    return torch.where(result.isfinite(), result, torch.zeros_like(result))


def check_special(judge, program, where, case, dtype):
    for value in SPECIAL:
        inputs = with_special(case, dtype, value)
        with torch.backends.mkldnn.flags(enabled=False):  # whose gelu(inf) is NaN
            result = case.function(*inputs)
        if not result.is_floating_point() or result.isfinite().all():
            continue
        judge.hold(program, where, f"{value} kept", "pass", [(inputs, [result])])
        judge.hold(program, where, f"{value} dropped", "fail", [(inputs, [without(result)])])
        if result.isinf().any():
            nan = torch.where(result.isinf(), torch.full_like(result, float("nan")), result)
            judge.hold(program, where, "inf as NaN", "fail", [(inputs, [nan])])
            judge.hold(program, where, "inf of the other sign", "fail", [
                (inputs, [torch.where(result.isinf(), -result, result)])])


def check_one_op(judge, case, dtype, seeds, fault_seeds):
    where = case.tolerance, case.name, kind_of(dtype)
    program = judge.path("p.pt2")
    all_inputs = [case.inputs(torch.Generator().manual_seed(s), dtype) for s in range(seeds)]
    made(case.function, all_inputs[0], program)
    for name, (dtypes, right) in {"eager": (case.dtypes, case.function), **case.rights}.items():
        if dtype in dtypes:
            judge.hold(program, where, name, "pass", [(i, [right(*i)]) for i in all_inputs])
    for name, (dtypes, fault) in case.faults.items():
        if dtype in dtypes:
            judge.hold(program, where, name, "fail", [
                (i, [fault(*i)]) for i in all_inputs[:fault_seeds]])
    check_special(judge, program, where, case, dtype)


def check_network(judge, network, dtype, seeds, fault_seeds):
    where = "network", network.name, kind_of(dtype)
    program = judge.path("p.pt2")
    torch.manual_seed(0)
    module = network.make().eval().to(dtype)
    all_inputs = [network.inputs(torch.Generator().manual_seed(s), dtype) for s in range(seeds)]
    torch.export.save(torch.export.export(module, tuple(all_inputs[0])), program)
    with torch.no_grad():
        rights = faults_network.rights_of(module, all_inputs[0], network)
        for name, right in rights.items():
            judge.hold(program, where, name, "pass", [(i, flat(right(*i))) for i in all_inputs])
        check_network_faults(judge, program, where, module, network, all_inputs[:fault_seeds])


def check_network_faults(judge, program, where, module, network, all_inputs):
    exact = module if network.name == "quantized" else faults_network.in_f64(module)
    legs = [(i, flat(module(*i)), flat(exact(*i))) for i in all_inputs]
    rounding = faults_network.rounding_of(legs)
    for name, fault in faults_network.faults_of(module, network):
        calls = [(i, flat(fault(*i)), exact) for i, _, exact in legs]
        serious = [(i, wrong) for i, wrong, exact in calls
                   if faults_network.matters(wrong, exact, rounding)]
        judge.counts[(*where, name, "fail")][3] += len(calls) - len(serious)
        if serious:
            judge.hold(program, where, name, "fail", serious)


def judged(check, thing, dtype, given):
    judge = Judge(given.delegraph, given.work, given.verbose)
    with torch.no_grad():
        check(judge, thing, dtype, given.seeds, given.fault_seeds)
    return judge.answer()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--work", default="/tmp/check_faults")
    parser.add_argument("--only", default="", help="part of a name")
    parser.add_argument("--groups", default="ops,networks")
    parser.add_argument("--seeds", type=int, default=50, help="of right results")
    parser.add_argument("--fault-seeds", type=int, default=5)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--journal", help="goes on where a run that wrote this file ended")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    os.makedirs(given.work, exist_ok=True)
    judge, journal = Judge(given.delegraph, given.work, given.verbose), Journal(given.journal)
    todo = []
    if "ops" in given.groups:
        todo += [(check_one_op, case) for case in fault_ways.CASES]
    if "networks" in given.groups:
        todo += [(check_network, network) for network in fault_networks.NETWORKS]
    for check, thing in todo:
        for dtype in thing.dtypes:
            kind = getattr(thing, "tolerance", "network")
            name = f"{kind} {thing.name} {kind_of(dtype)}"
            if given.only in name:
                judge.add(journal.answer(name, lambda: judged(check, thing, dtype, given)))
    return 1 if judge.report() else 0


if __name__ == "__main__":
    sys.exit(main())
