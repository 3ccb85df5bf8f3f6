"""Plans of the real partitioners: `check` must let pass what lowering takes."""

import json
import subprocess

import facts
import plans
import program_partitions
from backends import aoti
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, EdgeProgramManager
from executorch.exir.backend import utils
from executorch.exir.backend.backend_api import to_backend
from executorch.exir.backend.partitioner import DelegationSpec


UNCHECKED = EdgeCompileConfig(_check_ir_validity=False)


def loaded(path):
    return facts.load_exported(path)["model"]


def errors_of(delegraph, path, plan):
    """Findings of severity error against a plan."""
    findings = program_partitions.ask(delegraph, "check", path, "--plan", plan, "--format", "json",
                                      "--fail-on", "never")["findings"]
    return [f"{row['rule']}: {row['message']}" for row in findings if row["severity"] == "error"]


def anyhow(plan):
    """A partitioner for a plan whose delegates take whatever they are given."""
    method = json.loads(plan.read_text(encoding="utf-8"))["methods"]["forward"]
    delegates = {tag: DelegationSpec("DemoBackend", []) for tag in method["delegates"]}
    return plans.PlanPartitioner(delegates, method["tags"])


# What lowering takes, and to_executorch() does not.
LATER = ("partition/getitem-with-producer: ", "partition/boundary-kinds: all that ")


def is_emitted(path, plan):
    lowered = to_backend(loaded(path), anyhow(plan))
    try:
        EdgeProgramManager(lowered, compile_config=UNCHECKED).to_executorch()
    except Exception:  # of whatever kind the pass that meets it raises
        return False
    return True


def judge(delegraph, path, plan):
    """Whether lowering takes a plan, and what is wrong with what delegraph says of it."""
    refused = plans.refusal(loaded(path), anyhow(plan))
    errors = errors_of(delegraph, path, plan)
    if refused is None:
        later = [error for error in errors if error.startswith(LATER)]
        if later and not is_emitted(path, plan):
            errors = [error for error in errors if error not in later]
        return True, [f"{plan.name}: it can be lowered, but: {error}" for error in errors]
    if errors:
        return False, []
    return False, [f"{plan.name}: no error, but lowering says: {refused.splitlines()[0]}"]


def made_by_real(path, kind, partitioner):
    """A plan file with the tags of a real partitioner, or None where it tags nothing."""
    delegates, tags = plans.made_by(partitioner, loaded(path))
    if not tags:
        return None
    plan = path.with_suffix(f".{kind}.plan.json")
    plan.write_bytes(plans.plan_text(path.read_bytes(), delegates, tags))
    return plan


def made_by_delegraph(delegraph, path, flags):
    plan = path.with_suffix(".torch.plan.json")
    command = [delegraph, "partition", path, *flags, "-o", plan]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: exit {done.returncode}: {done.stderr}")
    return plan if json.loads(plan.read_text(encoding="utf-8"))["methods"] else None


def copies_made(path, plan):
    """Copies of constants that lowering makes: name, user, tag."""
    program = loaded(path)
    own = {node.name for node in program.graph.nodes}
    copies = []
    assign = utils._assign_new_tag

    def record(tagged, names):
        assign(tagged, names)
        copies.extend(
            [node.name, user.name, node.meta["delegation_tag"]]
            for node in tagged.graph.nodes
            if node.op == "placeholder" and node.name in names - own
            for user in node.users
        )

    utils._assign_new_tag = record
    try:
        to_backend(program, anyhow(plan))
    finally:
        utils._assign_new_tag = assign
    return sorted(copies)


def check_copies(delegraph, path, plan, flags):
    """Differences between what --lower foretells and what lowering does."""
    method = program_partitions.ask(
        delegraph, "partition", path, *flags, "--lower", "--format", "json")["methods"][0]
    came = sorted([copy["name"], copy["user"], copy["tag"]]
                  for constant in method["duplicates"] for copy in constant["copies"])
    want = copies_made(path, plan)
    return [] if came == want else [f"{plan.name}: copies: expected {want}, came {came}"]


def perturbed(plan, rng, number):
    """The plan with some nodes in other delegates, or in none."""
    text = json.loads(plan.read_text(encoding="utf-8"))
    method = text["methods"]["forward"]
    tags, names = method["tags"], sorted(method["tags"])
    for name in rng.sample(names, min(len(names), rng.randint(1, 4))):
        tag = rng.choice([None, *method["delegates"]])
        if tag:
            tags[name] = tag
        else:
            del tags[name]
    method["delegates"] = {tag: entry for tag, entry in method["delegates"].items()
                           if tag in tags.values()}
    other = plan.with_suffix(f".other{number}.json")
    other.write_text(json.dumps(text), encoding="utf-8")
    return other if tags else None


def plans_for(path, own, n_others, rng):
    """The real partitioners' plans, that of delegraph, and some that are near it."""
    yield made_by_real(path, "xnnpack", XnnpackPartitioner())
    yield made_by_real(path, "aoti", aoti())
    yield own
    for number in range(n_others if own else 0):
        yield perturbed(own, rng, number)


def check_plans(delegraph, path, program, rng):
    """Plans, how many of them are lowered, differences."""
    calls = program_partitions.Calls(program)
    ops = ",".join(calls.sample(rng, 4))
    flags = ["--unsupported-ops", ops, "--backend-id", "DemoBackend"]
    own = made_by_delegraph(delegraph, path, flags) if ops else None
    n_others = 3 if len(calls.nodes) < 250 else 0
    judged = [judge(delegraph, path, plan)
              for plan in plans_for(path, own, n_others, rng) if plan]
    differences = [text for _, texts in judged for text in texts]
    if own:
        differences += check_copies(delegraph, path, own, flags)
    return len(judged), sum(lowered for lowered, _ in judged), differences


def stacked(delegraph, path):
    """XNNPACK's plan lowered, then AOTI's partitioner: really, and with --prior."""
    prior = made_by_real(path, "prior", XnnpackPartitioner())
    if prior is None:
        return 0, []
    program = to_backend(loaded(path), anyhow(prior))
    question = program_partitions.Question("aoti", flags=["--prior", str(prior)])
    want = program_partitions.expected(question, program)
    came = program_partitions.said(delegraph, path, question, {})
    differs = program_partitions.difference(want, came)
    return 1, [f"{path.name} after {prior.name}: {differs}"] if differs else []
