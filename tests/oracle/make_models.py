"""make_models.py OUT [NAME...]: well-known networks with their real topology, as exported, lowered to
XNNPACK, and planned for AOTI on top of that: what the pictures in doc/ are drawn of."""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "data"))

import architectures
import fixtures
import networks
import plans
import torch
import torchvision
import transformers
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from programs import Sample

TRACE = 8  # frames of Python kept for each node


def mobilenet_v2():
    module = torchvision.models.mobilenet_v2(width_mult=0.25, num_classes=10)
    return Sample(module.eval(), (torch.randn(1, 3, 96, 96),))


def bert():
    config = transformers.BertConfig(
        vocab_size=128,
        hidden_size=32,
        num_hidden_layers=12,
        num_attention_heads=4,
        intermediate_size=64,
        attn_implementation="eager",
    )
    module = transformers.BertModel(config, add_pooling_layer=True)
    tokens = torch.randint(0, 128, (1, 16))
    return Sample(networks.First(module).eval(), (tokens, torch.ones_like(tokens)))


def llama32():
    module = architectures.Llama(vocabulary=128, width=32, layers=32, longest=16)
    tokens, position = torch.tensor([[5]]), torch.tensor([3])
    return Sample(module.eval().requires_grad_(False), (tokens, position))


def lowered(sample, partitioners):
    program = fixtures.export(sample, TRACE)
    return to_edge_transform_and_lower(program, partitioner=partitioners)


def write(out, name, data):
    (out / name).write_bytes(data)
    print(name, len(data), flush=True)


def write_plan(out, name, data, made):
    write(out, f"{name}{plans.SUFFIX}", plans.plan_text(data, *made))


def make(out, name, sample):
    xnnpack = [XnnpackPartitioner()]
    write(out, f"{name}.pt2", fixtures.saved(fixtures.export(sample(), TRACE)))
    write(out, f"{name}_xnnpack.pte", bytes(lowered(sample(), xnnpack).to_executorch().buffer))
    data = fixtures.exir_saved(lowered(sample(), xnnpack).exported_program())
    write(out, f"{name}_xnnpack.pt2", data)
    aoti = plans.made_by(fixtures.aoti(), lowered(sample(), xnnpack).exported_program())
    write_plan(out, f"{name}_xnnpack_aoti", data, aoti)
    one_tag = plans.made_by(plans.OneTag(), lowered(sample(), xnnpack).exported_program())
    write_plan(out, f"{name}_xnnpack_one_tag", data, one_tag)
    both = lowered(sample(), [*xnnpack, fixtures.aoti()]).to_executorch()
    write(out, f"{name}_xnnpack_aoti.pte", bytes(both.buffer))


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    random.seed(0)
    for sample in (mobilenet_v2, bert, llama32):
        if sample.__name__ in (sys.argv[2:] or sample.__name__):
            torch.manual_seed(0)
            make(out, sample.__name__, sample)


if __name__ == "__main__":
    main()
