"""Well-known networks with their real topology and very few channels."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from programs import Sample


# ResNet-18


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, width=4, blocks=(2, 2, 2, 2), classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn = nn.BatchNorm2d(width)
        stages, inputs = [], width
        for stage, count in enumerate(blocks):
            outputs = width * 2**stage
            for block in range(count):
                stride = 2 if stage and not block else 1
                stages.append(BasicBlock(inputs, outputs, stride))
                inputs = outputs
        self.stages = nn.Sequential(*stages)
        self.classifier = nn.Linear(inputs, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn(self.stem(x))), 3, 2, 1)
        x = self.stages(x)
        return self.classifier(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


def resnet(width=2):
    return Sample(ResNet(width).eval(), (torch.randn(1, 3, 32, 32),))


# MobileNetV3-small: kernel, expanded, out, squeeze, activation, stride


MOBILENET_SMALL = (
    (3, 16, 16, True, nn.ReLU, 2),
    (3, 72, 24, False, nn.ReLU, 2),
    (3, 88, 24, False, nn.ReLU, 1),
    (5, 96, 40, True, nn.Hardswish, 2),
    (5, 240, 40, True, nn.Hardswish, 1),
    (5, 240, 40, True, nn.Hardswish, 1),
    (5, 120, 48, True, nn.Hardswish, 1),
    (5, 144, 48, True, nn.Hardswish, 1),
    (5, 288, 96, True, nn.Hardswish, 2),
    (5, 576, 96, True, nn.Hardswish, 1),
    (5, 576, 96, True, nn.Hardswish, 1),
)


def narrow(channels, divisor):
    return max(2, channels // divisor)


def conv_norm(inputs, outputs, kernel=1, stride=1, groups=1, activation=None):
    layers = [
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs, eps=0.001),
    ]
    return nn.Sequential(*layers, *([activation()] if activation else []))


class SqueezeExcitation(nn.Module):
    def __init__(self, channels):
        super().__init__()
        squeezed = max(1, channels // 4)
        self.fc1 = nn.Conv2d(channels, squeezed, 1)
        self.fc2 = nn.Conv2d(squeezed, channels, 1)

    def forward(self, x):
        scale = F.relu(self.fc1(F.adaptive_avg_pool2d(x, 1)))
        return F.hardsigmoid(self.fc2(scale)) * x


class InvertedResidual(nn.Module):
    def __init__(self, inputs, kernel, expanded, outputs, squeeze, activation, stride):
        super().__init__()
        self.skips = stride == 1 and inputs == outputs
        layers = [conv_norm(inputs, expanded, activation=activation)] if expanded != inputs else []
        layers.append(conv_norm(expanded, expanded, kernel, stride, expanded, activation))
        if squeeze:
            layers.append(SqueezeExcitation(expanded))
        layers.append(conv_norm(expanded, outputs))
        self.block = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.block(x) if self.skips else self.block(x)


class MobileNetV3(nn.Module):
    def __init__(self, divisor=8, classes=10):
        super().__init__()
        inputs = narrow(16, divisor)
        layers = [conv_norm(3, inputs, 3, 2, activation=nn.Hardswish)]
        for kernel, expanded, outputs, *rest in MOBILENET_SMALL:
            sizes = narrow(expanded, divisor), narrow(outputs, divisor)
            layers.append(InvertedResidual(inputs, kernel, *sizes, *rest))
            inputs = sizes[1]
        last = inputs * 6
        layers.append(conv_norm(inputs, last, activation=nn.Hardswish))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Linear(last, 16), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(16, classes)
        )

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), 1)
        return self.classifier(torch.flatten(x, 1))


def mobilenet_v3(divisor=16):
    return Sample(MobileNetV3(divisor).eval(), (torch.randn(1, 3, 32, 32),))


# Transformers


def split_heads(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


class SelfAttention(nn.Module):
    def __init__(self, width, heads, key_bias=True):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width, bias=key_bias)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x, mask=None):
        q, k, v = (split_heads(p(x), self.heads) for p in (self.query, self.key, self.value))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).flatten(2))


class BertLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = SelfAttention(width, heads)
        self.attention_norm = nn.LayerNorm(width, eps=1e-12)
        self.intermediate = nn.Linear(width, 4 * width)
        self.output = nn.Linear(4 * width, width)
        self.output_norm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, x, mask):
        x = self.attention_norm(x + self.attention(x, mask))
        return self.output_norm(x + self.output(F.gelu(self.intermediate(x))))


class Bert(nn.Module):
    def __init__(self, vocabulary=64, width=16, heads=2, layers=3, longest=16):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width, padding_idx=0)
        self.positions = nn.Embedding(longest, width)
        self.types = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(BertLayer(width, heads) for _ in range(layers))
        self.pooler = nn.Linear(width, width)
        self.register_buffer("position_ids", torch.arange(longest)[None], persistent=False)

    def forward(self, input_ids, attention_mask, token_type_ids):
        length = input_ids.shape[1]
        x = self.words(input_ids) + self.positions(self.position_ids[:, :length])
        x = self.norm(x + self.types(token_type_ids))
        mask = (1.0 - attention_mask[:, None, None, :].float()) * torch.finfo(x.dtype).min
        for layer in self.layers:
            x = layer(x, mask)
        return {"last_hidden_state": x, "pooler_output": torch.tanh(self.pooler(x[:, 0]))}


def bert(width=16):
    tokens = torch.tensor([[2, 5, 9, 3, 7, 1, 8, 4]])
    return Sample(
        Bert(width=width).eval(), (tokens, torch.ones_like(tokens), torch.zeros_like(tokens))
    )


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


def rotated(x, cos, sin):
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


class LlamaAttention(nn.Module):
    def __init__(self, width, heads, kv_heads, longest):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        head = width // heads
        self.wq = nn.Linear(width, heads * head, bias=False)
        self.wk = nn.Linear(width, kv_heads * head, bias=False)
        self.wv = nn.Linear(width, kv_heads * head, bias=False)
        self.wo = nn.Linear(heads * head, width, bias=False)
        self.register_buffer("k_cache", torch.zeros(1, kv_heads, longest, head))
        self.register_buffer("v_cache", torch.zeros(1, kv_heads, longest, head))

    def forward(self, x, position, cos, sin, mask):
        q = rotated(split_heads(self.wq(x), self.heads), cos, sin)
        k = rotated(split_heads(self.wk(x), self.kv_heads), cos, sin)
        v = split_heads(self.wv(x), self.kv_heads)
        self.k_cache.index_copy_(2, position, k)
        self.v_cache.index_copy_(2, position, v)
        groups = self.heads // self.kv_heads
        keys = self.k_cache.repeat_interleave(groups, 1)
        values = self.v_cache.repeat_interleave(groups, 1)
        y = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)
        return self.wo(y.transpose(1, 2).flatten(2))


class LlamaLayer(nn.Module):
    def __init__(self, width, heads, kv_heads, longest):
        super().__init__()
        self.attention = LlamaAttention(width, heads, kv_heads, longest)
        self.attention_norm = RmsNorm(width)
        self.ffn_norm = RmsNorm(width)
        self.w1 = nn.Linear(width, 2 * width, bias=False)
        self.w2 = nn.Linear(2 * width, width, bias=False)
        self.w3 = nn.Linear(width, 2 * width, bias=False)

    def forward(self, x, *rest):
        x = x + self.attention(self.attention_norm(x), *rest)
        y = self.ffn_norm(x)
        return x + self.w2(F.silu(self.w1(y)) * self.w3(y))


class Llama(nn.Module):
    def __init__(self, vocabulary=64, width=16, heads=4, kv_heads=2, layers=2, longest=8):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(
            LlamaLayer(width, heads, kv_heads, longest) for _ in range(layers)
        )
        self.norm = RmsNorm(width)
        self.output = nn.Linear(width, vocabulary, bias=False)
        self.output.weight = self.embedding.weight
        rates = 10000.0 ** -(torch.arange(0, width // heads, 2) / (width // heads))
        angles = torch.outer(torch.arange(longest).float(), rates)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        self.register_buffer("mask", torch.tril(torch.ones(longest, longest, dtype=torch.bool)))

    def forward(self, tokens, position):
        x = self.embedding(tokens)
        tables = self.cos[position], self.sin[position], self.mask[position]
        for layer in self.layers:
            x = layer(x, position, *tables)
        return self.output(self.norm(x))


def llama(width=16):
    module = Llama(width=width).eval().requires_grad_(False)
    return Sample(module, (torch.tensor([[5]]), torch.tensor([3])))


def sinusoids(length, channels):
    rates = torch.exp(-math.log(10000) / (channels // 2 - 1) * torch.arange(channels // 2))
    angles = torch.arange(length)[:, None] * rates[None]
    return torch.cat([angles.sin(), angles.cos()], 1)


class WhisperLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = SelfAttention(width, heads, key_bias=False)
        self.attention_norm = nn.LayerNorm(width)
        inner = 4 * width
        self.mlp = nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))
        self.mlp_norm = nn.LayerNorm(width)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class WhisperEncoder(nn.Module):
    def __init__(self, mels=8, frames=16, width=16, heads=2, layers=4):
        super().__init__()
        self.conv1 = nn.Conv1d(mels, width, 3, padding=1)
        self.conv2 = nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.register_buffer("positions", sinusoids(frames // 2, width))
        self.layers = nn.ModuleList(WhisperLayer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, mel):
        x = F.gelu(self.conv2(F.gelu(self.conv1(mel)))).permute(0, 2, 1)
        x = x + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


def whisper_encoder(width=16):
    return Sample(WhisperEncoder(width=width).eval(), (torch.randn(1, 8, 16),))


ARCHITECTURES = {
    make.__name__: make for make in (resnet, mobilenet_v3, bert, llama, whisper_encoder)
}
