"""Networks of torchvision, timm and transformers, small and with random weights.

NETWORKS: by name, a function that makes one from a random.Random.
"""

import timm
import torch
import torchvision
import transformers
from torch import nn

import programs
import random_programs
from programs import Sample

NETWORKS = {}


def image(rng, side=32):
    return (torch.randn(1, 3, side, side),)


def network(make):
    NETWORKS[make.__name__] = make
    return make


# torchvision


VISION = {
    "mobilenet_v2": {"width_mult": 0.1},
    "mobilenet_v3_small": {"width_mult": 0.25},
    "mnasnet0_5": {},
    "shufflenet_v2_x0_5": {},
    "squeezenet1_1": {},
    "regnet_y_400mf": {},
    "efficientnet_b0": {},
    "googlenet": {"init_weights": False, "aux_logits": False},
}


def add_vision(name, options):
    def make(rng):
        module = getattr(torchvision.models, name)(num_classes=rng.randint(2, 9), **options)
        return Sample(module.eval(), image(rng, rng.choice((64, 96))))

    NETWORKS[name] = make


for vision_name, vision_options in VISION.items():
    add_vision(vision_name, vision_options)


@network
def resnet_basic(rng):
    layers = [rng.randint(1, 2) for _ in range(4)]
    block = torchvision.models.resnet.BasicBlock
    return Sample(torchvision.models.ResNet(block, layers, num_classes=4).eval(), image(rng))


@network
def densenet(rng):
    blocks = tuple(rng.randint(2, 4) for _ in range(3))
    module = torchvision.models.DenseNet(4, blocks, 8, 2, num_classes=5)
    return Sample(module.eval(), image(rng))


@network
def vision_transformer(rng):
    module = torchvision.models.VisionTransformer(32, 8, rng.randint(1, 3), 2, 16, 32)
    return Sample(module.eval(), image(rng))


@network
def swin(rng):
    depths = [2, rng.choice((1, 2))]
    module = torchvision.models.SwinTransformer([4, 4], 8, depths, [2, 2], [2, 2], num_classes=3)
    return Sample(module.eval(), image(rng))


@network
def convnext(rng):
    setting = torchvision.models.convnext.CNBlockConfig
    blocks = [setting(8, 16, rng.randint(1, 2)), setting(16, None, 2)]
    return Sample(torchvision.models.ConvNeXt(blocks, num_classes=3).eval(), image(rng))


@network
def segmentation(rng):
    module = torchvision.models.segmentation.lraspp_mobilenet_v3_large(
        weights_backbone=None, num_classes=3)
    return Sample(module.eval(), image(rng, 64))


# timm


TIMM = (
    "test_byobnet", "test_coatnet", "test_convnext", "test_efficientnet", "test_efficientnet_evos",
    "test_efficientnet_gn", "test_mambaout", "test_maxvit", "test_nfnet", "test_resnet",
    "test_vit", "test_vit3", "test_vit_relpos", "tinynet_e", "lcnet_035", "ghostnet_050",
    "mobilevit_xxs", "repghostnet_050", "levit_128s", "efficientvit_m0", "edgenext_xx_small",
    "hardcorenas_a", "dla46_c",
)  # fmt: skip


def add_timm(name):
    def make(rng):
        module = timm.create_model(name, pretrained=False, num_classes=rng.randint(2, 9))
        size = module.default_cfg.get("input_size", (3, 224, 224))
        return Sample(module.eval(), (torch.randn(1, *size),))

    NETWORKS[name] = make


for timm_name in TIMM:
    add_timm(timm_name)


# transformers


class First(nn.Module):
    """Tensors among what a model returns: its own class of results is no pytree."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *inputs):
        results = self.model(*inputs, return_dict=False)
        return tuple(x for x in results if isinstance(x, torch.Tensor))


SMALL = {
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32,
    "vocab_size": 64, "max_position_embeddings": 32,
}  # fmt: skip
GPT = {"n_embd": 16, "n_layer": 2, "n_head": 2, "vocab_size": 64, "n_positions": 32}
IMAGES = {"image_size": 32, "patch_size": 8}
WITHOUT_CACHE = {"use_cache": False}
KEY_VALUE = {**SMALL, "num_key_value_heads": 1, "head_dim": 8, **WITHOUT_CACHE, "pad_token_id": 0}

LANGUAGE = {
    "Bert": SMALL, "Roberta": SMALL, "Electra": {**SMALL, "embedding_size": 8},
    "Albert": {**SMALL, "embedding_size": 8}, "MPNet": SMALL, "ConvBert": {**SMALL,
    "embedding_size": 16}, "DistilBert": {"dim": 16, "n_layers": 2, "n_heads": 2,
    "hidden_dim": 32, "vocab_size": 64}, "GPT2": {**GPT, **WITHOUT_CACHE},
    "GPTNeoX": {**SMALL, **WITHOUT_CACHE}, "OPT": {"hidden_size": 16, "num_hidden_layers": 2,
    "num_attention_heads": 2, "ffn_dim": 32, "vocab_size": 64, "word_embed_proj_dim": 16,
    **WITHOUT_CACHE}, "Llama": KEY_VALUE, "Mistral": KEY_VALUE, "Qwen2": KEY_VALUE,
    "Qwen3": KEY_VALUE, "Gemma": KEY_VALUE, "Phi3": KEY_VALUE, "Olmo2": KEY_VALUE,
    "Granite": KEY_VALUE, "StableLm": KEY_VALUE,
    "Phi": {**SMALL, **WITHOUT_CACHE}, "Bloom": {"hidden_size": 16, "n_layer": 2, "n_head": 2,
    "vocab_size": 64, **WITHOUT_CACHE}, "XLM": {"emb_dim": 16, "n_layers": 2, "n_heads": 2,
    "vocab_size": 64},
}  # fmt: skip

VISUAL = {
    "ViT": {**SMALL, **IMAGES}, "DeiT": {**SMALL, **IMAGES}, "Beit": {**SMALL, **IMAGES},
    "Dinov2": {**SMALL, **IMAGES}, "PoolFormer": {"hidden_sizes": [8, 8, 16, 16],
    "depths": [1, 1, 1, 1]}, "ConvNextV2": {"hidden_sizes": [8, 8], "depths": [1, 2],
    "num_stages": 2}, "Segformer": {"hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1],
    "num_attention_heads": [1, 1, 2, 2]}, "Swin": {"embed_dim": 8, "depths": [1, 2],
    "num_heads": [2, 2], "window_size": 2, "image_size": 32, "patch_size": 4},
    "MobileNetV1": {"depth_multiplier": 0.25}, "ResNet": {"embedding_size": 8,
    "hidden_sizes": [8, 8], "depths": [1, 1]},
}  # fmt: skip


def small_model(name, options, rng):
    layers = "num_hidden_layers"
    chosen = {**options, layers: rng.randint(1, 3)} if layers in options else options
    config = getattr(transformers, f"{name}Config")(**chosen)
    return First(getattr(transformers, f"{name}Model")(config).eval())


def add_language(name, options):
    def make(rng):
        words = torch.randint(1, 60, (1, rng.randint(3, 9)))
        return Sample(small_model(name, options, rng), (words,))

    NETWORKS[name.lower()] = make


def add_visual(name, options):
    def make(rng):
        return Sample(small_model(name, options, rng), image(rng))

    NETWORKS[f"{name.lower()}_images"] = make


for language_name, language_options in LANGUAGE.items():
    add_language(language_name, language_options)
for visual_name, visual_options in VISUAL.items():
    add_visual(visual_name, visual_options)


# Small modules


class Recurrent(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        return self.cell(x)[0]


@network
def lstm(rng):
    return Sample(Recurrent(nn.LSTM(4, 6, rng.randint(1, 2))), (torch.randn(3, 1, 4),))


@network
def gru(rng):
    cell = nn.GRU(4, 6, bidirectional=rng.random() < 0.5)
    return Sample(Recurrent(cell), (torch.randn(3, 1, 4),))


class Experts(nn.Module):
    """The two best of several experts, weighted."""

    def __init__(self, n_experts):
        super().__init__()
        self.gate = nn.Linear(8, n_experts)
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(n_experts))

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(-1).topk(2)
        every = torch.stack([expert(x).relu() for expert in self.experts], 1)
        best = every.gather(1, chosen.unsqueeze(-1).expand(-1, -1, 8))
        return (best * weights.unsqueeze(-1)).sum(1)


@network
def experts(rng):
    return Sample(Experts(rng.randint(2, 5)), (torch.randn(3, 8),))


class Split(nn.Module):
    """Tuples whose items go different ways."""

    def __init__(self, n_blocks):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(n_blocks))

    def forward(self, x):
        for layer in self.layers:
            left, right = layer(x).chunk(2, -1)
            values, indices = left.sort(-1)
            x = torch.cat([right.sigmoid() * left, values + indices], -1) + x
        return x


@network
def chunks(rng):
    return Sample(Split(rng.randint(2, 8)), (torch.randn(2, 8),))


for sample_name in ("cond", "nested_cond", "while_loops", "scans", "maps", "buffers",
                    "key_value_cache", "input_mutation", "lifted_constants", "tied_weights",
                    "multi_output", "positions", "counter", "gate", "crossed"):
    NETWORKS[sample_name] = lambda rng, make=getattr(programs, sample_name): make()


def random_network(rng):
    traits = {"dynamic", "control_flow", "while_loop", "dtypes"}
    return random_programs.random_sample(rng.random(), traits)


for number in range(8):
    NETWORKS[f"random_{number}"] = random_network
