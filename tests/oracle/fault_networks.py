"""Small networks with random weights, and their inputs."""

from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F
import torchvision
import transformers
from torch import nn

from fault_ways import BF16, F16, F32, F64, normal
from networks import First, GPT, KEY_VALUE, SMALL, WITHOUT_CACHE

WIDE = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4}


@dataclass
class Network:
    name: str
    make: Callable
    inputs: Callable
    dtypes: tuple = (F32, F16, BF16)


def images(*shape):
    return lambda generator, dtype: [normal(generator, dtype, *shape)]


def words(length, most=60):
    return lambda generator, dtype: [torch.randint(1, most, (1, length), generator=generator)]


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(32, 128), nn.GELU(), nn.Linear(128, 128), nn.GELU(), nn.LayerNorm(128),
            nn.Linear(128, 24))

    def forward(self, x):
        return self.layers(x)


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.left, self.right = nn.Linear(24, 24), nn.Linear(24, 24), nn.Linear(24, 24)

    def forward(self, x):
        x = torch.relu(self.body(x))
        return self.left(x).softmax(-1), self.right(x).softmax(-1)


class Attention(nn.Module):
    """A causal layer of a decoder."""

    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(32), nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (4, 8)).transpose(1, 2)
                   for part in self.qkv(self.norm(x)).chunk(3, -1))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(mixed.transpose(1, 2).flatten(2))


class Quantized(nn.Module):
    """An int8 net as PT2E leaves it: every activation and weight between q and dq."""

    def __init__(self, shift=0, factor=1.0, floor=False):
        super().__init__()
        self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 16)
        self.shift, self.factor, self.floor = shift, factor, floor

    def step(self, x, scale, zero):
        ops = torch.ops.quantized_decomposed
        if self.floor:
            x = x - scale / 2
        q = ops.quantize_per_tensor(x, scale, zero, -128, 127, torch.int8)
        return ops.dequantize_per_tensor(
            q, scale * self.factor, zero + self.shift, -128, 127, torch.int8)

    def layer(self, x, linear):
        return F.linear(x, self.step(linear.weight, 0.003, 0), linear.bias)

    def forward(self, x):
        x = self.layer(self.step(x, 0.03, -3), self.up)
        return self.layer(self.step(torch.relu(x), 0.01, -128), self.down)


def spread_statistics(module):
    """Running statistics as of a trained net, not 0 and 1."""
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            nn.init.uniform_(part.running_var, 0.5, 2)
            nn.init.normal_(part.running_mean, 0, 0.3)
            nn.init.uniform_(part.weight, 0.5, 1.5)
            nn.init.normal_(part.bias, 0, 0.3)
    return module


def resnet():
    return spread_statistics(torchvision.models.ResNet(
        torchvision.models.resnet.BasicBlock, [1, 1, 1, 1], num_classes=10))


def language(name, options, suffix="Model"):
    def make():
        config = getattr(transformers, f"{name}Config")(**options)
        return First(getattr(transformers, f"{name}{suffix}")(config))
    return make


class T5(nn.Module):
    def __init__(self):
        super().__init__()
        config = transformers.T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
                                       vocab_size=64, use_cache=False)
        self.model = transformers.T5Model(config)

    def forward(self, words, answer):
        return self.model(input_ids=words, decoder_input_ids=answer, return_dict=False)[0]


class Whisper(nn.Module):
    def __init__(self):
        super().__init__()
        config = transformers.WhisperConfig(
            d_model=32, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=64,
            decoder_layers=1, decoder_attention_heads=2, decoder_ffn_dim=32, vocab_size=64,
            num_mel_bins=8, max_source_positions=24, pad_token_id=0, bos_token_id=1,
            eos_token_id=2, decoder_start_token_id=1)
        self.model = transformers.WhisperModel(config).encoder

    def forward(self, x):
        return self.model(x, return_dict=False)[0]


NETWORKS = [
    Network("mlp", Mlp, images(8, 32), (F32, F16, BF16, F64)),
    Network("two heads", TwoHeads, images(8, 24)),
    Network("attention", Attention, images(2, 20, 32)),
    Network("quantized", Quantized, images(8, 32), (F32,)),
    Network("resnet", resnet, images(1, 3, 64, 64)),
    Network("mobilenet_v2", lambda: spread_statistics(torchvision.models.mobilenet_v2(
        num_classes=10, width_mult=0.25)), images(1, 3, 64, 64)),
    Network("bert", language("Bert", {**SMALL, **WIDE}), words(12)),
    Network("gpt2", language("GPT2", {**GPT, **WITHOUT_CACHE, "n_embd": 64, "n_head": 4},
                             "LMHeadModel"), words(12)),
    Network("llama", language("Llama", {**KEY_VALUE, **WIDE, "num_key_value_heads": 2,
                                        "head_dim": 16}, "ForCausalLM"), words(12)),
    Network("t5", T5, lambda g, d: words(9)(g, d) + words(5)(g, d)),
    Network("whisper", Whisper, images(1, 8, 48)),
]
