"""Plans: which node of a saved program goes to which delegate, and whether lowering takes them."""

import hashlib
import json

import torch
from executorch.exir.backend.backend_api import to_backend
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.backend.utils import (
    get_non_lowered_nodes,
    tag_constant_data,
    tag_mutated_buffer,
)
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

import backends
import facts

TAG = "delegation_tag"
SUFFIX = ".plan.json"


class AllBut(OperatorSupportBase):
    """Every call but those of the named operators, whatever the overload."""

    def __init__(self, names):
        self.names = names

    def is_node_supported(self, submodules, node):
        if node.op != "call_function":
            return False
        operator = facts.operator_name(node.target)
        return not any(f"{operator}.".startswith(f"{name}.") for name in self.names)


def graphs_of(program):
    """The graphs of a program by path: its own, then those of its branches."""
    for path, module in program.graph_module.named_modules():
        lowered = any(part.startswith("lowered_module_") for part in path.split("."))
        if isinstance(module, torch.fx.GraphModule) and not lowered:
            yield path, module


class BranchwisePartitioner(Partitioner):
    """torch's partitions of every graph, those of branches included."""

    def __init__(self, unsupported):
        super().__init__()
        self.unsupported = unsupported
        self.delegation_spec = backends.aoti().delegation_spec

    def partition(self, exported_program):
        tags = {}
        for _, module in graphs_of(exported_program):
            partitioner = CapabilityBasedPartitioner(
                module, AllBut(self.unsupported), allows_single_node_partition=True
            )
            for part in partitioner.propose_partitions():
                tag = f"tag{len(tags)}"
                tags[tag] = self.delegation_spec
                for node in part.nodes:
                    node.meta[TAG] = tag
        tag_constant_data(exported_program)
        tag_mutated_buffer(exported_program)
        return PartitionResult(tagged_exported_program=exported_program, partition_tags=tags)


class OneTag(Partitioner):
    """Every op that nothing has lowered yet, in one delegate: what AOTI's partitioner once did."""

    def __init__(self, unsupported=()):
        super().__init__()
        self.support = AllBut(unsupported)
        self.delegation_spec = backends.aoti().delegation_spec

    def partition(self, exported_program):
        for node in get_non_lowered_nodes(exported_program.graph):
            if self.support.is_node_supported({}, node):
                node.meta[TAG] = "tag0"
        tag_constant_data(exported_program)
        tag_mutated_buffer(exported_program)
        return PartitionResult(exported_program, {"tag0": self.delegation_spec})


class PlanPartitioner(Partitioner):
    """Gives nodes the tags that a plan gives them."""

    def __init__(self, delegates, tags):
        super().__init__()
        self.delegates = delegates
        self.tags = tags

    def partition(self, exported_program):
        for path, module in graphs_of(exported_program):
            for node in module.graph.nodes:
                node.meta.pop(TAG, None)
                if tag := self.tags.get(f"{path}/{node.name}" if path else node.name):
                    node.meta[TAG] = tag
        return PartitionResult(exported_program, self.delegates)


class CustomTags(Partitioner):
    """Gives nodes the tags that were saved with them; constants have none there."""

    def partition(self, exported_program):
        delegates = {}
        for _, module in graphs_of(exported_program):
            for node in module.graph.nodes:
                if tag := node.meta.get("custom", {}).get(TAG):
                    node.meta[TAG] = tag
                    delegates[tag] = DelegationSpec("DemoBackend", [])
        tag_constant_data(exported_program)
        tag_mutated_buffer(exported_program)
        return PartitionResult(exported_program, delegates)


def made_by(partitioner, program):
    """The delegates and tags that a partitioner gives a program, which keeps the tags."""
    result = partitioner.partition(program)
    tags = {}
    for path, module in graphs_of(program):
        for node in module.graph.nodes:
            if tag := node.meta.get(TAG):
                tags[f"{path}/{node.name}" if path else node.name] = tag
    return result.partition_tags, tags


def with_custom_tags(program):
    """Tags where torch.export.save keeps them: in the metadata of calls."""
    for _, module in graphs_of(program):
        for node in module.graph.nodes:
            if tag := node.meta.get(TAG):
                node.meta["custom"] = {TAG: tag}
    return program


def plan_text(data, delegates, tags):
    """A plan file for the program in `data`."""
    described = {
        tag: {
            "backend": spec.backend_id,
            "compile_specs": facts.compile_specs_facts(spec.compile_specs),
        }
        for tag, spec in delegates.items()
    }
    plan = {
        "format": "delegraph-plan",
        "version": 1,
        "program_sha256": hashlib.sha256(data).hexdigest(),
        "methods": {"forward": {"delegates": described, "tags": tags}},
    }
    return (json.dumps(plan, indent=1) + "\n").encode()


def read_plan(text):
    method = json.loads(text)["methods"]["forward"]
    delegates = {
        tag: DelegationSpec(
            entry["backend"],
            [CompileSpec(s["key"], s["value"].encode()) for s in entry["compile_specs"]],
        )
        for tag, entry in method["delegates"].items()
    }
    return PlanPartitioner(delegates, method["tags"])


def refusal(program, partitioner):
    """What lowering says against a plan; None: it takes it."""
    try:
        to_backend(program, partitioner)
    except (AssertionError, RuntimeError) as problem:
        return str(problem)
    return None


def lowering_facts(path, plans):
    """For the tags inside a program (plan null) and each plan beside it: what lowering says."""
    programs = facts.load_exported(path)
    tagged = any(
        TAG in node.meta.get("custom", {})
        for _, module in graphs_of(programs["model"])
        for node in module.graph.nodes
    )
    partitioners = [(None, CustomTags())] if tagged else []
    partitioners += [(name, read_plan(text)) for name, text in sorted(plans.items())]
    return [
        {"plan": name, "error": refusal(facts.load_exported(path)["model"], partitioner)}
        for name, partitioner in partitioners
    ]
