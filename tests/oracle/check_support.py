#!/usr/bin/env python3
"""Hold the lists of --backend xnnpack and vulkan to the partitioners of ExecuTorch.

    check_support.py --delegraph PROGRAM [--random N] [--seed N] [--minutes N]
        [--without GROUPS] [--only WORDS]

Each program goes to the real partitioner, which is asked node by node, and as a file to
`delegraph partition --backend NAME`. What differs is printed, by operator.
"""

import argparse
import collections
import copy
import json
import logging
import random
import subprocess
import sys
import tempfile
import time
import types
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "data"), str(TESTS / "oracle")]

import torch
from torch.export import Dim
from executorch.backends.vulkan import patterns, utils as vulkan_utils
from executorch.backends.vulkan.partitioner.vulkan_partitioner import (
    VulkanPartitioner,
    VulkanSupportedOperators,
)
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import to_edge, to_edge_transform_and_lower
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

import architectures
import fixtures
import make_support
import programs
import random_programs

logging.disable(logging.WARNING)

# Every pass copies the whole history of every node: nine tenths of the time.
torch.fx.traceback.copy = types.SimpleNamespace(copy=copy.copy, deepcopy=lambda value: value)


class Seen(Exception):
    """The partitioner was reached: nothing behind it matters here."""


def seen_by(partitioner, program):
    """The program as to_edge_transform_and_lower() hands it to `partitioner`."""
    found = []

    class Looker(type(partitioner)):
        def partition(self, exported_program):
            found.append(exported_program)
            raise Seen

    looker = Looker.__new__(Looker)
    looker.__dict__.update(partitioner.__dict__)
    try:
        to_edge_transform_and_lower(program, partitioner=[looker])
    except Seen:
        pass
    return found[0]


def calls(program):
    return [node for node in program.graph.nodes if node.op == "call_function"]


def xnnpack_claims(program):
    """Names of calls in some group of nodes that a configuration matched."""
    groups = XnnpackPartitioner().get_matched_nodes_from_configs(program)
    return {node.name for group in groups for node in group if node.op == "call_function"}


def vulkan_claims(program):
    support = VulkanSupportedOperators(
        vulkan_utils.DEFAULT_TEXTURE_LIMITS,
        vulkan_utils.DEFAULT_BUFFER_LIMIT,
        fusable_subgraphs=patterns.get_all_fusable_subgraphs(program.graph_module),
    )
    return {node.name for node in calls(program) if support.is_node_supported({}, node)}


BACKENDS = {
    "xnnpack": (XnnpackPartitioner, xnnpack_claims),
    "vulkan": (VulkanPartitioner, vulkan_claims),
}


def delegraph_claims(delegraph, backend, path, names):
    command = [delegraph, "partition", path, "--backend", backend, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or done.stderr:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return names - set(json.loads(done.stdout)["methods"][0]["unsupported"])


def export(module, args, dynamic=None):
    return torch.export.export(module.eval(), args, dynamic_shapes=dynamic)


def quantized(module, args, **options):
    """After prepare and convert of PT2E."""
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(**options))
    prepared = prepare_pt2e(export(module, args).module(), quantizer)
    prepared(*args)
    return torch.export.export(convert_pt2e(prepared), args)


class Odd(torch.nn.Module):
    """Calls on both sides of the conditions."""

    def __init__(self):
        super().__init__()
        self.deep = torch.nn.Conv3d(2, 2, 3)
        self.norm3 = torch.nn.BatchNorm3d(2)
        self.line = torch.nn.Conv1d(8, 8, 3, groups=8)
        self.norm1 = torch.nn.BatchNorm1d(8)
        self.up = torch.nn.ConvTranspose2d(4, 4, 3, groups=2)
        self.prelu = torch.nn.PReLU()
        self.norm = torch.nn.GroupNorm(2, 4)

    def forward(self, x, deep, weight):
        four = x.unsqueeze(0)
        pooled = [
            torch.nn.functional.avg_pool2d(four, 2, padding=1),
            torch.nn.functional.avg_pool2d(four, 2, padding=1, count_include_pad=False),
            torch.nn.functional.avg_pool2d(four, 2, ceil_mode=True),
            torch.nn.functional.avg_pool2d(four, 2, divisor_override=3),
            torch.nn.functional.max_pool2d(four, 2, stride=3),
            torch.nn.functional.max_pool2d(four, 3, stride=2, ceil_mode=True),
            torch.nn.functional.max_pool2d(four, 2),
        ]
        values, indices = torch.max(four, 1)
        only, _ = torch.max(four, 2)
        return (
            self.norm3(self.deep(deep)),
            self.norm1(self.line(x)),
            self.norm(self.up(four)),
            self.prelu(x),
            *pooled,
            values,
            indices,
            only,
            torch.add(x, x, alpha=2),
            torch.sub(x, x, alpha=1),
            torch.softmax(x, 0),
            torch.softmax(x, -1),
            torch.log_softmax(x, 2),
            four.mean((2, 3)),
            four.mean((-1, -2), keepdim=True),
            four.mean((2, 3), keepdim=True, dtype=torch.float64),
            four.mean(1, keepdim=True),
            four.sum((2, 3)),
            four.sum((2, 3), keepdim=True),
            four.amax(-1),
            four.argmax(-1),
            four.argmax(1),
            x**2,
            x**3,
            x**2.0,
            x.half() * 2,
            torch.nn.functional.gelu(x.half()),
            x.double() + 1,
            x.to(torch.int32) + 1,
            x.to(torch.int16) + 1,
            (x > 0) & (x < 1),
            x[:, ::2],
            x[:, 1:],
            x[:, 4:4] + 1,
            x.unsqueeze(-1),
            x.unsqueeze(1),
            torch.nn.functional.pad(x, (1, 1)),
            torch.nn.functional.pad(x, (-1, 1)),
            torch.nn.functional.linear(x, weight),
            torch.mm(x[0], weight),
            torch.mm(weight, self.line.weight.reshape(8, 3)),
            torch.matmul(x, x.transpose(1, 2)),
            torch.cat([x, x], 1),
            torch.cat([x, x + 1], 1),
            torch.nn.functional.interpolate(four, scale_factor=2, mode="bilinear"),
            torch.nn.functional.interpolate(four, scale_factor=2, mode="nearest"),
            torch.nn.functional.pixel_shuffle(four, 2),
            torch.nn.functional.hardswish(x),
            torch.nn.functional.elu(x),
            torch.nn.functional.leaky_relu(x),
            x[:, torch.tensor([0, 2])],
            x[torch.tensor([0]), torch.tensor([1])],
            four.contiguous(memory_format=torch.channels_last).clone(),
            four.clone(memory_format=torch.channels_last),
            x.flip(1),
            x.repeat(2, 1, 1),
            torch.arange(8) + x[0, :, 0].long(),
            torch.where(x > 0, x, 0),
            torch.where(x > 0, x.int(), 0),
        )


def odd():
    return export(Odd(), (torch.randn(4, 8, 8), torch.randn(1, 2, 4, 4, 4), torch.randn(8, 8)))


class Sized(torch.nn.Module):
    def forward(self, x):
        n = x.shape[0]
        y = x.reshape(n * 2, -1)
        kept = x[x[:, 0] > 0]
        pool = torch.nn.functional.max_pool2d(x.reshape(1, 1, n, 8), 2, ceil_mode=True)
        return y + 1, x[1:] * 2, kept + 1, pool, torch.nn.functional.softmax(x, -1), x * n


def sized():
    return export(Sized(), (torch.randn(6, 8),), ({0: Dim.AUTO},))


def small_programs():
    for make in (programs.mlp, programs.conv_net, programs.dynamic, programs.attention,
                 programs.lifted_constants, programs.multi_output, programs.layouts,
                 programs.portable, programs.key_value_cache, programs.positions,
                 programs.squeeze):  # fmt: skip
        yield make.__name__, lambda make=make: fixtures.export(make())
    for make in (architectures.resnet, architectures.mobilenet_v3, architectures.bert,
                 architectures.llama, architectures.whisper_encoder):  # fmt: skip
        yield f"small {make.__name__}", lambda make=make: fixtures.export(make())
    yield "odd", odd
    yield "sized", sized


def quantized_programs():
    samples = {
        "mlp": programs.mlp,
        "conv_net": programs.conv_net,
        "resnet": architectures.resnet,
        "mobilenet_v3": architectures.mobilenet_v3,
        "bert": architectures.bert,
    }
    kinds = {
        "static": {},
        "per channel": {"is_per_channel": True},
        "dynamic": {"is_per_channel": True, "is_dynamic": True},
    }
    for kind, options in kinds.items():
        for name, make in samples.items():
            def build(make=make, options=options):
                sample = make()
                return quantized(sample.module, sample.args, **options)

            yield f"{kind} {name}", build


def vision_programs():
    import torchvision

    for name in ("alexnet", "vgg11", "resnet18", "resnext50_32x4d", "mobilenet_v2",
                 "mobilenet_v3_small", "squeezenet1_1", "shufflenet_v2_x0_5", "densenet121",
                 "efficientnet_b0", "regnet_y_400mf", "mnasnet0_5", "googlenet",
                 "convnext_tiny", "swin_t", "vit_b_16"):  # fmt: skip
        size = 224 if name in ("vit_b_16", "swin_t") else 96

        def build(name=name, size=size):
            return export(torchvision.models.get_model(name, weights=None),
                          (torch.randn(1, 3, size, size),))  # fmt: skip

        yield name, build


def timm_programs():
    import timm

    for name in ("ghostnet_100", "mixer_s32_224", "poolformer_s12", "edgenext_xx_small",
                 "mobilevit_xxs", "convmixer_768_32", "deit_tiny_patch16_224"):  # fmt: skip
        def build(name=name):
            return export(timm.create_model(name, pretrained=False), (torch.randn(1, 3, 224, 224),))

        yield name, build


def text_programs():
    import transformers as t

    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
             "intermediate_size": 64, "vocab_size": 100}  # fmt: skip
    made = {
        "bert": (t.BertConfig(**small), t.BertModel),
        "roberta": (t.RobertaConfig(**small), t.RobertaModel),
        "distilbert": (t.DistilBertConfig(dim=32, n_layers=2, n_heads=2, hidden_dim=64,
                                          vocab_size=100), t.DistilBertModel),
        "electra": (t.ElectraConfig(**small, embedding_size=32), t.ElectraModel),
        "gpt2": (t.GPT2Config(n_embd=32, n_layer=2, n_head=2, vocab_size=100), t.GPT2Model),
        "llama": (t.LlamaConfig(**small, num_key_value_heads=1), t.LlamaForCausalLM),
        "qwen2": (t.Qwen2Config(**small, num_key_value_heads=1), t.Qwen2ForCausalLM),
        "gemma": (t.GemmaConfig(**small, num_key_value_heads=1, head_dim=16), t.GemmaForCausalLM),
        "opt": (t.OPTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, ffn_dim=64,
                            vocab_size=100, word_embed_proj_dim=32), t.OPTModel),
    }  # fmt: skip
    for name, (config, model) in made.items():
        def build(config=config, model=model):
            config.use_cache = False
            config._attn_implementation = "sdpa"
            return export(model(config), (torch.randint(0, 100, (1, 12)),))

        yield f"transformers {name}", build


def random_makers(count, seed):
    for i in range(count):
        yield f"random {seed + i}", lambda i=i: fixtures.export(
            random_programs.random_sample(seed + i, random.Random(i).choice(((), ("dtypes",))))
        )


def views(program, partitioner):
    """The program as the partitioner meets it, in both ways to lower."""
    yield "transformed", lambda: seen_by(partitioner, program)
    yield "edge", lambda: to_edge(program).exported_program()


SHARE = 0.98  # of calls that must be equal: lists cannot say all (doc/support.md)


class Score:
    def __init__(self):
        self.equal = self.calls = self.programs = self.failed = 0
        self.differing = collections.Counter()

    def add(self, where, program, ours, theirs):
        self.programs += 1
        for node in calls(program):
            self.calls += 1
            if (node.name in ours) == (node.name in theirs):
                self.equal += 1
                continue
            verdict = "taken here only" if node.name in ours else "taken there only"
            op = getattr(node.target, "__name__", str(node.target))
            if self.differing[verdict, op] < 3:
                print(f"  {where}: {node.name}: {verdict}")
            self.differing[verdict, op] += 1

    def share(self):
        return self.equal / self.calls if self.calls else 1

    def report(self, backend):
        print(f"{backend}: {self.equal} of {self.calls} calls equal in {self.programs} programs,"
              f" {self.failed} not made")  # fmt: skip
        for (verdict, op), count in self.differing.most_common():
            print(f"  {verdict}: {count} x {op}")


def compare(score, delegraph, backend, where, program, folder):
    path = Path(folder) / "program.pt2"
    path.write_bytes(fixtures.exir_saved(program))
    theirs = BACKENDS[backend][1](program)
    names = {node.name for node in calls(program)}
    score.add(where, program, delegraph_claims(delegraph, backend, str(path), names), theirs)


def check_program(scores, delegraph, name, make, folder):
    try:
        program = make()
    except Exception as error:
        print(f"  {name}: not exported: {str(error).splitlines()[:1]}")
        return
    for backend, score in scores.items():
        for view, lower in views(program, BACKENDS[backend][0]()):
            try:
                edge = lower()
                compare(score, delegraph, backend, f"{backend} {view} {name}", edge, folder)
            except Exception as error:  # Vulkan asserts on some quantized programs
                score.failed += 1
                print(f"  {backend} {view} {name}: not made: {type(error).__name__} {error}"[:200])


def check_lists():
    """The lists of the tree are those that the installed packages give."""
    changed = [
        name
        for name, make in make_support.MAKERS.items()
        if (make_support.FOLDER / f"{name}.json").read_text() != make()
    ]
    print(f"{len(make_support.MAKERS)} lists, {len(changed)} differences {' '.join(changed)}")
    return bool(changed)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delegraph", required=True)
    parser.add_argument("--random", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60, help="then no program is begun")
    parser.add_argument("--without", default="", help="groups to leave out: vision,timm,text")
    parser.add_argument("--only", default="", help="programs whose names hold one of these words")
    return parser.parse_args()


def main():
    options = arguments()
    failed = check_lists()
    torch.manual_seed(options.seed)
    scores = {backend: Score() for backend in BACKENDS}
    groups = {
        "small": small_programs,
        "quantized": quantized_programs,
        "random": lambda: random_makers(options.random, options.seed),
        "text": text_programs,
        "vision": vision_programs,
        "timm": timm_programs,
    }
    left = options.without.split(",")
    end = time.monotonic() + 60 * options.minutes
    makers = []
    for name, group in groups.items():
        try:
            makers += [] if name in left else group()
        except ImportError as error:
            print(f"  {name} left out: {error}")
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        for name, make in makers:
            if any(word in name for word in options.only.split(",")) and time.monotonic() < end:
                check_program(scores, options.delegraph, name, make, folder)
    for backend, score in scores.items():
        score.report(backend)
        failed |= score.share() < SHARE
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
