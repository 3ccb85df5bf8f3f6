"""Plans of the real partitioners: `check` must let pass what lowering takes."""

import json
import subprocess

import facts
import plans
import program_partitions
from backends import aoti
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir.backend.backend_api import to_backend


def loaded(path):
    return facts.load_exported(path)["model"]


def errors_of(delegraph, path, plan):
    """Findings of severity error against a plan."""
    findings = program_partitions.ask(delegraph, "check", path, "--plan", plan, "--format", "json",
                                      "--fail-on", "never")["findings"]
    return [f"{row['rule']}: {row['message']}" for row in findings if row["severity"] == "error"]


def judge(delegraph, path, plan):
    """Whether lowering takes a plan, and what is wrong with what delegraph says of it."""
    refused = plans.refusal(loaded(path), plans.read_plan(plan.read_text(encoding="utf-8")))
    errors = errors_of(delegraph, path, plan)
    if refused is None:
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


def made_by_delegraph(delegraph, path, kind, *flags):
    plan = path.with_suffix(f".{kind}.plan.json")
    command = [delegraph, "partition", path, *flags, "-o", plan]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: exit {done.returncode}: {done.stderr}")
    return plan if json.loads(plan.read_text(encoding="utf-8"))["methods"] else None


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


def plans_for(delegraph, path, program, rng):
    """Plans that ought to be lowered; those of delegraph are the real classes' own."""
    yield made_by_real(path, "xnnpack", XnnpackPartitioner())
    yield made_by_real(path, "aoti", aoti())
    calls = program_partitions.Calls(program)
    if not calls.nodes:
        return
    ops = ",".join(calls.sample(rng, 4))
    made = made_by_delegraph(delegraph, path, "torch", "--unsupported-ops", ops,
                             "--backend-id", "DemoBackend")
    yield made
    for number in range(3 if made and len(calls.nodes) < 250 else 0):
        yield perturbed(made, rng, number)


def check_plans(delegraph, path, program, rng):
    """Plans, how many of them are lowered, differences."""
    judged = [judge(delegraph, path, plan)
              for plan in plans_for(delegraph, path, program, rng) if plan]
    differences = [text for _, texts in judged for text in texts]
    return len(judged), sum(lowered for lowered, _ in judged), differences


def stacked(delegraph, path):
    """XNNPACK's plan lowered, then AOTI's partitioner: really, and with --prior."""
    prior = made_by_real(path, "prior", XnnpackPartitioner())
    if prior is None:
        return 0, []
    program = to_backend(loaded(path), XnnpackPartitioner())
    question = program_partitions.Question("aoti", flags=["--prior", str(prior)])
    want = program_partitions.expected(question, program)
    came = program_partitions.said(delegraph, path, question, {})
    differs = program_partitions.difference(want, came)
    return 1, [f"{path.name} after {prior.name}: {differs}"] if differs else []
