#!/usr/bin/env python3
"""Write src/partition/backends/*.json: what the partitioners of ExecuTorch take.

Names and dtypes come from the installed package. Conditions that are Python code there
are said by hand here, one entry per class or function; a class or function that is not
known here stops the script, so that a new version cannot pass unseen.

    python tests/data/make_support.py
"""

import importlib.metadata
import inspect
import json
import pathlib

import torch
from executorch.backends.vulkan import op_registry, utils as vulkan
from executorch.backends.xnnpack.partition.config import ALL_PARTITIONER_CONFIGS
from executorch.backends.xnnpack.partition.config import generic_node_configs, xnnpack_config
from executorch.backends.xnnpack.utils import quant_utils

VERSION = importlib.metadata.version("executorch")
FOLDER = pathlib.Path(__file__).parents[2] / "src" / "partition" / "backends"
DTYPES = {
    torch.float16: "f16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.bool: "bool",
    torch.uint8: "u8",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
}
GETITEM = "_operator.getitem"
DELEGATE = "higher_order::executorch_call_delegate"


def text(value):
    return json.dumps(value, ensure_ascii=False)


def layout(name, source, notes, rules, groups=()):
    lines = [
        "{",
        ' "format": "delegraph-support", "version": 1, "name": %s,' % text(name),
        ' "source": %s,' % text(source),
        ' "notes": [',
        ",\n".join("  " + text(note) for note in notes),
        " ],",
        ' "rules": [',
        ",\n".join("  " + text(rule) for rule in rules),
        " ]" + ("," if groups else ""),
        *(' "groups": [', ",\n".join("  " + text(group) for group in groups), " ]")[: 3 if groups else 0],
        "}",
    ]
    return "\n".join(lines) + "\n"


# XNNPACK

FLOATS = ["f32", "f16"]
QUANTIZED = FLOATS + ["qint32", "qint8", "quint8", "i8"]
QUANT = ["*::" + op for op in sorted(quant_utils._Q_OPS)]
DEQUANT = ["*::" + op for op in sorted(quant_utils._DQ_OPS)]
QPARAMS = ["*::" + op for op in sorted(quant_utils._QPARAM_OPS)]
PER_CHANNEL = [op for op in DEQUANT if "per_channel" in op]
NOT_PER_TENSOR = [op for op in DEQUANT if "per_tensor" not in op]
GEMMS = ["*::linear.default", "*::convolution.default", "*::addmm.default", "*::mm.default"]
TRANSPOSES = ["*::permute_copy.default", "*::t_copy.default", "*::transpose_copy.int"]
VIEWS = ["*::view_copy.default"]
ACTIVATIONS = ["*::relu.default", "*::hardtanh.default"]
FIRST = {"all": [{"ops": [GETITEM], "args": {"1": {"in": [0]}}}]}


def common(dtypes=FLOATS):
    """check_common_constraints()"""
    return {
        "inputs": {
            "dtypes": dtypes,
            "shape": "backed",
            "empty": False,
            "only_tensors": True,
            "same_dtype": True,
        },
        "outputs": {"dtypes": dtypes, "only_tensors": True},
    }


def rule(op, base=None, **more):
    """A rule of `base`, common() by default, where `more` adds to its parts."""
    made = {"ops": [op], **(common() if base is None else base)}
    for key, value in more.items():
        made[key] = {**made[key], **value} if isinstance(made.get(key), dict) else value
    return made


def args(**conditions):
    return lambda op: [rule(op, args=conditions)]


def plain(op):
    return [rule(op)]


def quantized(op):
    return [rule(op, common(QUANTIZED))]


def avg_pool2d(op):
    once = {"ceil_mode": {"in": [False]}, "divisor_override": {"in": [None]}}
    return [
        rule(op, args={**once, "padding": {"in": [0]}}),
        rule(op, args={**once, "count_include_pad": {"in": [False]}}),
    ]


def batch_norm(op):
    constants = {
        name: {"constant": True} for name in ("weight", "bias", "running_mean", "running_var")
    }
    after = {
        "ops": ["*::linear.default"],
        "args": {"weight": {"constant": True}},
    }
    conv = {
        "ops": ["*::convolution.default"],
        "args": {"input": {"rank": {"min": 3, "max": 4}}, "weight": {"constant": True}},
    }
    fused = [
        rule(
            op,
            args={"input": {"producer": producer}, "weight": {"constant": True}},
            users=FIRST,
            name=f"fused into {word}",
        )
        for producer, word in ((conv, "convolution"), (after, "linear"))
    ]
    alone = rule(
        op,
        args={"input": {"rank": {"min": 2, "max": 4}}, **constants},
        users=FIRST,
        name="as a convolution",
    )
    return [alone, *fused]


def max_dim(op):
    dtypes = FLOATS + ["i8", "qint8"]
    return [
        {
            "ops": [op],
            "args": {"self": {"rank": 4, "dtypes": dtypes}},
            "outputs": {"dtypes": dtypes},
            "users": FIRST,
        }
    ]


def max_pool2d(op):
    stride = {"stride": {"at_most": "kernel_size"}}
    return [
        rule(op, args={**stride, "ceil_mode": {"in": [False]}}),
        rule(op, args=stride, outputs={"shape": "static"}),
    ]


def slice_copy(op):
    static = {"shape": "static", "empty": False}
    return [rule(op, inputs=static, outputs=static, args={"step": {"in": [1]}})]


def quantize_or_activate(activations=ACTIVATIONS, **more):
    quantize = {"ops": QUANT, **more}
    activate = {"ops": activations, "users": {"max": 1, "all": [quantize]}, **more}
    return {"max": 1, "all": [quantize, activate] if activations else [quantize]}


def dynamic_input(first, quantize, dequantize):
    """dequantize(quantize(x, scale, zero_point)) with both from choose_qparams; `first`
    is the position of the scale."""
    qparam = {"producer": {"ops": [GETITEM], "inputs": {"producer": {"ops": QPARAMS}}}}
    chosen = {str(first): qparam, str(first + 1): qparam}
    return {
        "producer": {
            "ops": dequantize,
            "args": {**chosen, "0": {"producer": {"ops": quantize, "args": chosen}}},
        }
    }


def gemm(op, weight, bias, act, extra=None, dynamic_extra=None):
    """GEMMConfig.get_deps(): precisions FP32, STATIC_QUANT, DYNAMIC_QUANT."""
    extra, dynamic_extra = extra or {}, dynamic_extra or {}

    def merge(base):
        for name, condition in list(extra.items()):
            base[name] = {**base.get(name, {}), **condition}
        return base

    static_bias = {bias: {"constant": True}} if bias else {}
    constant = {"0": {"constant": True}}
    float_args = merge({weight: {"constant": True}, **static_bias})
    static_args = merge(
        {
            weight: {"producer": {"ops": DEQUANT, "args": constant}},
            act: {"producer": {"ops": DEQUANT}},
            **static_bias,
        }
    )
    rules = [
        rule(op, args=float_args, name="float"),
        rule(op, args=static_args, users=quantize_or_activate(), name="static quantization"),
    ]
    affine = ["*::quantize_affine.default"], ["*::dequantize_affine.default"]
    others = (
        [q for q in QUANT if q not in affine[0]],
        [d for d in DEQUANT if d not in affine[1]],
    )
    for (q, d), scale in ((others, 1), (affine, 2)):
        dynamic_args = merge(
            {
                weight: {"producer": {"ops": NOT_PER_TENSOR, "args": constant}},
                act: dynamic_input(scale, q, d),
                **static_bias,
            }
        )
        for name, condition in dynamic_extra.items():
            dynamic_args[name] = {**dynamic_args.get(name, {}), **condition}
        rules.append(rule(op, args=dynamic_args, name="dynamic quantization"))
    return rules


def linear(op):
    return gemm(op, "weight", "bias", "input")


def convolution(op):
    per_channel = {"producer": {"ops": PER_CHANNEL}}
    wrong_axis = {"producer": {"ops": PER_CHANNEL, "args": {"3": {"not_in": [1]}}}}
    transposed = {"transposed": {"in": [True]}}
    why = "xnnpack does not take a transposed convolution quantized per input channel"
    refused = [
        {
            "ops": [op],
            "take": False,
            "why": why + " in groups",
            "args": {**transposed, "weight": per_channel, "groups": {"range": {"min": 2}}},
        },
        {
            "ops": [op],
            "take": False,
            "why": why,
            "args": {**transposed, "weight": wrong_axis},
        },
    ]
    rank = {"weight": {"rank": {"min": 3, "max": 4}}}
    square = {"weight": {"rank": 4}, "groups": {"in": [1]}}
    padded = {
        "producer": {
            "ops": ["*::constant_pad_nd.default"],
            "args": {
                "self": {"producer": {"ops": DEQUANT}},
                "pad": {"range": {"min": 0}, "count": {"max": 4}},
                "value": {"in": [0, 0.0]},
            },
            "users": {"max": 1},
        }
    }
    rules = gemm(op, "weight", "bias", "input", rank, square)
    static = next(r for r in rules if r["name"] == "static quantization")
    rules.append(
        {
            **static,
            "args": {**static["args"], "input": padded, "transposed": {"in": [False]}},
            "name": "static quantization behind padding",
        }
    )
    return refused + rules


def made_by(ops, condition):
    return {"producer": {"ops": ops, "args": {"self": condition}}}


def addmm(op):
    """A linear module is a product with a transposed weight, and views around it where
    its input has more than two dimensions: get_deps_from_src_partition() looks through."""
    bias = "self" if "addmm" in op else None
    act = "mat1" if bias else "self"
    rules = gemm(op, "mat2", bias, act)
    for made in list(rules):
        name = f"{made['name']}, of a linear module"
        within = {**made["args"], "mat2": made_by(TRANSPOSES, made["args"]["mat2"])}
        rules.append({**made, "args": within, "name": name})
        if "producer" in made["args"].get(act, {}):
            viewed = {**made, "args": {**within, act: made_by(VIEWS, within[act])}, "name": name}
            if "users" in made:
                viewed["users"] = {"max": 1, "all": [{"ops": VIEWS, "users": made["users"]}]}
            rules.append(viewed)
    return rules


def nothing(op):
    return []


XNNPACK = {
    "AddConfig": args(alpha={"in": [1, 1.0]}),
    "AddmmConfig": addmm,
    "AvgPoolingConfig": avg_pool2d,
    "BatchNormConfig": batch_norm,
    "CatConfig": args(tensors={"tensors": {"min": 2}}),
    "CloneConfig": lambda op: [rule(op, outputs={"same_order": True})],
    "CloneDimOrderConfig": lambda op: [rule(op, outputs={"same_order": True})],
    "ConstantPadConfig": args(pad={"range": {"min": 0}}),
    "ConvolutionConfig": convolution,
    "GeluConfig": lambda op: [rule(op, outputs={"dtypes": ["f32"]})],
    "LinearConfig": linear,
    "MaxDimConfig": max_dim,
    "MaxPool2dConfig": max_pool2d,
    "MeanDimConfig": args(
        self={"rank": 4}, dim={"dims": [-1, -2]}, keepdim={"in": [True]}, dtype={"in": [None]}
    ),
    "MMConfig": addmm,
    "PowConfig": args(exponent={"in": [2]}),
    "PreluConfig": args(weight={"constant": True}),
    "SliceCopyConfig": slice_copy,
    "SoftmaxConfig": args(dim={"dims": [-1]}),
    "SubConfig": args(alpha={"in": [1, 1.0]}),
    "ToDimOrderCopyConfig": lambda op: [rule(op, outputs={"same_dtype": True})],
    "UnsqueezeCopyConfig": args(dim={"dims": [-1], "dims_of": "output"}),
    "UpsampleBilinear2dConfig": lambda op: [rule(op, outputs={"shape": "static"})],
    "ViewCopyConfig": args(size={"literal": True}),
    "QuantizedPerTensorConfig": quantized,
    "DeQuantizedPerTensorConfig": quantized,
    "QuantizeAffineConfig": nothing,
    "DeQuantizeAffineConfig": nothing,
    "ChooseQParamsAffineConfig": nothing,
}


def has_conditions_of_its_own(config):
    common_check = xnnpack_config.XNNPartitionerConfig.check_common_constraints
    check = inspect.getsource(config.check_constraints)
    return common_check.__name__ + "(node, ep)\n" not in check or check.count("return") > 1


def xnnpack_dependents():
    """What comes with a node that is taken: getitems, and quantization around it."""
    taken = {"taken": True}
    product = {"some": [{"ops": ["*::addmm.default", "*::mm.default"], **taken}]}

    def comes_with(ops, users):
        return {"ops": ops, "users": {"some": [{"ops": users, **taken}]}}

    return [
        {
            "ops": [GETITEM],
            "inputs": {
                "producer": {
                    "ops": ["*::max.dim", "*::_native_batch_norm_legit_no_training.default"],
                    **taken,
                }
            },
            "name": "of a node that is taken",
        },
        comes_with(DEQUANT, GEMMS),
        {"ops": DEQUANT, "users": {"some": [{"ops": TRANSPOSES + VIEWS, **taken, "users": product}]}},
        comes_with(QUANT, DEQUANT),
        {
            **comes_with([GETITEM], QUANT),
            "inputs": {"producer": {"ops": QPARAMS}},
            "name": "for quantization",
        },
        comes_with(QPARAMS, [GETITEM]),
    ]


def product_groups(op, weight, bias, act, within=lambda w: w, behind=lambda a: a, read=lambda u: u):
    """GEMMConfig.get_deps(): what comes with a product, precision by precision. Of a linear module
    that was decomposed, `within` and `behind` look through to its weight and its input, `read` to
    its users."""
    affine = ["*::dequantize_affine.default"]
    quantized = within({"producer": {"ops": DEQUANT}})
    getitem = {
        "producer": {
            "ops": [GETITEM],
            "keep": True,
            "inputs": {"producer": {"ops": QPARAMS, "keep": True}},
        }
    }

    def kept(ops, *positions, **more):
        keep = {str(position): {"keep": True} for position in positions}
        return {"producer": {"ops": ops, "args": {**keep, **more}}}

    def dynamic(quantize, dequantize, first):
        chosen = {str(first): getitem, str(first + 1): getitem}
        source = {"producer": {"ops": quantize, "keep": True, "args": chosen}}
        return {"producer": {"ops": dequantize, "args": {"0": source}}}

    constants = {weight: within({"keep": True}), **({bias: {"keep": True}} if bias else {})}
    activate = {"max": 1, "all": [{"ops": ACTIVATIONS, "keep": True}]}
    others = [q for q in QUANT if "affine" not in q], [d for d in DEQUANT if d not in affine], 1
    made = [
        {"args": constants},
        {"args": {weight: within({"constant": True}), act: behind({})}, "users": read(activate)},
        {"args": {weight: within(kept(DEQUANT, 0))}},
        {"args": {weight: within(kept(PER_CHANNEL, 1, 2))}},
        {"args": {weight: within(kept(affine, 2, 3, **{"1": {"count": 2}}))}},
        {"args": {weight: quantized, act: behind({"producer": {"ops": DEQUANT, "keep": True}})}},
        *(
            {
                "args": {weight: quantized, act: behind({"producer": static})},
                "users": read(quantize_or_activate(keep=True)),
            }
            for static in (
                {"ops": ["*::dequantize_per_tensor.default"]},
                {"ops": [d for d in DEQUANT if d not in affine], "args": {"1": {"constant": True}}},
                {"ops": affine, "args": {"2": {"constant": True}}},
            )
        ),
        *(
            {"args": {weight: quantized, act: behind(dynamic(*chain))}}
            for chain in (others, (["*::quantize_affine.default"], affine, 2))
        ),
    ]
    return [{"ops": [op], **group} for group in made]


def module_groups(op, weight, bias, act):
    """AddmmConfig.get_deps_from_src_partition(): all of the module, as addmm() above has it. Views
    of symbolic sizes are taken by nobody here, and nothing is kept across them."""
    fixed = {"ops": VIEWS, "args": {"size": {"literal": True}}}

    def within(condition):
        return made_by(TRANSPOSES, condition)

    def behind(condition):
        return {"producer": {"ops": VIEWS, "args": {"size": {"literal": True}, "self": condition}}}

    def read(users):
        return {"max": 1, "all": [{**fixed, "users": users}]}

    transpose = {weight: {"producer": {"ops": TRANSPOSES, "keep": True}}}
    view = {**fixed, "keep": True}
    return [
        *product_groups(op, weight, bias, act),
        {"ops": [op], "args": transpose},
        *product_groups(op, weight, bias, act, within),
        {
            "ops": [op],
            "args": {weight: {"producer": {"ops": TRANSPOSES}}, act: {"producer": view}},
            "users": {"max": 1, "all": [view]},
        },
        *product_groups(op, weight, bias, act, within, behind, read),
    ]


def xnnpack_groups():
    """get_node_and_deps() of each configuration."""
    padding = {"ops": ["*::constant_pad_nd.default"], "keep": True, "users": {"max": 1}}
    behind = {**padding, "args": {"self": {"producer": {"ops": DEQUANT, "keep": True}}}}
    groups = [
        *product_groups("*::linear.default", "weight", "bias", "input"),
        *product_groups("*::convolution.default", "weight", "bias", "input"),
        *module_groups("*::addmm.default", "mat2", "self", "mat1"),
        *module_groups("*::mm.default", "mat2", None, "self"),
        {
            "ops": ["*::convolution.default"],
            "args": {"weight": {"producer": {"ops": DEQUANT}}, "input": {"producer": behind}},
            "users": quantize_or_activate(keep=True),
        },
        {
            "ops": ["*::_native_batch_norm_legit_no_training.default"],
            "args": {
                name: {"keep": True} for name in ("weight", "bias", "running_mean", "running_var")
            },
            "users": {"all": [{"ops": [GETITEM], "keep": True}]},
        },
        {"ops": ["*::max.dim"], "users": {"all": [{"ops": [GETITEM], "keep": True}]}},
        {"ops": ["*::prelu.default"], "args": {"weight": {"keep": True}}},
    ]
    for config in ALL_PARTITIONER_CONFIGS:
        if not issubclass(config, generic_node_configs.GenericNodePartitionerConfig):
            continue
        made = config()
        if config.__name__ in ("QuantizedPerTensorConfig", "DeQuantizedPerTensorConfig"):
            continue
        if xnnpack_config.ConfigPrecisionType.STATIC_QUANT not in made.supported_precision_types():
            continue
        fused = ["*::" + name for name in made.fused_acts]
        groups.append(
            {
                "ops": ["*::" + config.target_name],
                "inputs": {"producer": {"ops": DEQUANT, "keep": True}},
                "users": quantize_or_activate(fused, keep=True),
            }
        )
    return groups


def make_xnnpack():
    rules = []
    for config in ALL_PARTITIONER_CONFIGS:
        made = XNNPACK.get(config.__name__)
        if made is None and has_conditions_of_its_own(config):
            raise SystemExit(f"no conditions are known for {config.__name__}")
        rules += (made or plain)("*::" + config.target_name)
    notes = [
        "Nodes that XnnpackPartitioner() puts into some partition, with its defaults.",
        "It goes by the name behind the namespace, so my::relu.default is taken, too.",
        "mm and addmm of a transposed constant are taken as parts of a linear module.",
        "avg_pool2d with a divisor_override equal to its area is taken there, not here.",
        "Depthwise is any grouped convolution here, under dynamic quantization.",
        "slice_copy between quantized values of unequal parameters is refused there.",
        "Other operators than products take no dequantization but per tensor here.",
        "A matrix product between views is one of a linear module here, whoever wrote them; between"
        " views of symbolic sizes it is grouped otherwise there.",
        "to_edge_transform_and_lower() keeps linear, hardswish, prelu, elu, max_pool2d and"
        " upsample_bilinear2d whole; other programs have them decomposed.",
    ]
    return layout(
        "xnnpack",
        f"executorch {VERSION}, backends/xnnpack/partition/config",
        notes,
        rules + xnnpack_dependents(),
        xnnpack_groups(),
    )


# Vulkan

LAYOUTS = {
    vulkan.VkMemoryLayout.TENSOR_WIDTH_PACKED: "width",
    vulkan.VkMemoryLayout.TENSOR_HEIGHT_PACKED: "height",
    vulkan.VkMemoryLayout.TENSOR_CHANNELS_PACKED: "channels",
}
LIMITS = list(vulkan.DEFAULT_TEXTURE_LIMITS)


def names_of(dtypes):
    return [name for dtype, name in DTYPES.items() if dtype in dtypes]


def store_name(op):
    if isinstance(op, str):
        return op if "." in op else op + ".default"
    if isinstance(op, torch._ops.OpOverload):
        return f"{op.namespace}::{op.__name__}"
    if inspect.isbuiltin(op):
        return f"_operator.{op.__name__}"
    return op._op.namespace + "::" + op._op.__name__


def schema_of(op):
    if isinstance(op, torch._ops.OpOverload):
        return op._schema
    return getattr(getattr(op, "_op", None), "_schema", None)


def image(repset):
    """The condition of a representation without buffers."""
    if repset.valid_buffer_layouts or not repset.valid_texture_layouts:
        return {}
    packed = [name for layout, name in LAYOUTS.items() if layout in repset.valid_texture_layouts]
    return {"image": {"packed": packed, "limits": LIMITS}}


def vulkan_base(op, features):
    limit = {} if features.supports_highdim else {"rank": {"max": 4}}
    made = {"inputs": {**limit}, "outputs": {**limit}, "args": {}}
    schema = schema_of(op)
    dtypes = features.inputs_dtypes
    whole = names_of(vulkan.ALL_T)
    if len(dtypes) == 1:
        made["inputs"]["dtypes"] = names_of(dtypes[0]) or whole
    else:
        made["inputs"]["dtypes"] = whole
        for i, argument in enumerate(schema.arguments if schema else []):
            if dtypes[i]:
                made["args"][argument.name] = {"dtypes": names_of(dtypes[i])}
    allowed = set().union(*features.outputs_dtypes.vals)
    made["outputs"]["dtypes"] = names_of(allowed) or whole
    storage = features.inputs_storage
    if len(storage) == 1:
        made["inputs"].update(image(storage[0]))
    else:
        for i, argument in enumerate(schema.arguments if schema else []):
            condition = image(storage[i]) if i < len(storage) else {}
            if condition:
                made["args"].setdefault(argument.name, {}).update(condition)
    if len(features.outputs_storage) == 1:
        made["outputs"].update(image(features.outputs_storage[0]))
    return made


def without_images(made):
    for part in (made["inputs"], made["outputs"], *made["args"].values()):
        part.pop("image", None)
    return made


def with_args(made, **conditions):
    for name, condition in conditions.items():
        made["args"][name] = {**made["args"].get(name, {}), **condition}
    return made


def copy_of(made):
    return json.loads(json.dumps(made))


def reduction(made):
    row = with_args(without_images(copy_of(made)), dim={"dims": [-1]})
    general = with_args(made, dim={"count": {"max": 2}, "not_in": [None]}, keepdim={"in": [True]})
    return [{**row, "name": "of rows"}, {**general, "name": "of any dimensions"}]


def vulkan_convolution(made):
    plane = with_args(
        copy_of(made), input={"rank": 4, "sizes": {"0": [1]}, **image(vulkan.CHANNELS_PACKED_TEXTURE)}
    )
    line = with_args(without_images(made), input={"rank": 3}, transposed={"in": [False]})
    return [{**plane, "name": "of planes"}, {**line, "name": "of lines"}]


def weight_limit(made):
    return [with_args(made, weight={"elements": {"max": vulkan.DEFAULT_BUFFER_LIMIT}})]


VULKAN = {
    "allow_node": lambda made: [made],
    "_check_copy_is_noop": lambda made: [{**made, "inputs": {**made["inputs"], "same_dtype": True}}],
    "is_reduce_node_supported": reduction,
    "register_convolution_cpp_ops.<locals>.check_conv_node": vulkan_convolution,
    "_check_index_tensor_node": lambda made: [
        with_args(made, indices={"tensors": 1, "rank": 1})
    ],
    "register_grid_sampler_2d.<locals>.check_grid_sampler_2d_node": lambda made: [
        with_args(
            made,
            interpolation_mode={"in": [0]},
            padding_mode={"in": [1]},
            align_corners={"in": [True]},
        )
    ],
    "register_embedding.<locals>.check_embedding_weight_size": weight_limit,
    "register_quantized_decomposed_embedding_4bit.<locals>.check_embedding_4bit_weight_size":
        weight_limit,
}


def make_vulkan():
    transposes = ["aten::t_copy.default", "aten::permute_copy.default"]
    products = ["aten::mm.default", "aten::addmm.default"]
    whole = names_of(vulkan.ALL_T)
    rules = [
        {
            "ops": transposes,
            "inputs": {"dtypes": whole},
            "outputs": {"dtypes": whole},
            "users": {"max": 1, "all": [{"ops": products}]},
            "name": "of a matrix to multiply with",
        }
    ]
    groups = {}
    for op, features in op_registry.vulkan_supported_ops.items():
        function = features.are_node_inputs_supported_fn.__qualname__
        if function not in VULKAN:
            raise SystemExit(f"no conditions are known for {function}")
        for made in VULKAN[function](vulkan_base(op, features)):
            made = {key: value for key, value in made.items() if value}
            groups.setdefault(text(made), (made, []))[1].append(store_name(op))
    rules += [{"ops": sorted(names), **made} for made, names in groups.values()]
    notes = [
        "Nodes that VulkanSupportedOperators.is_node_supported() takes with its defaults,"
        " in programs of the edge dialect.",
        "Subgraphs that Vulkan fuses (rms_norm, rotary embeddings, attention, quantized"
        " linear and convolution, select_as_symint) are taken whole there; here each node"
        " by itself.",
        "Several results may each have any dtype that one of them may have.",
        "Of reductions of two dimensions, one of the layouts is taken to fit.",
        "copy is taken there only if it changes no shape.",
    ]
    return layout("vulkan", f"executorch {VERSION}, backends/vulkan/op_registry.py", notes, rules)


def make_aoti():
    why = "it belongs to another delegate"
    rules = [
        {"ops": [DELEGATE], "take": False, "why": "it is a delegate already"},
        {
            "ops": [GETITEM],
            "inputs": {"producer": {"ops": [DELEGATE]}},
            "take": False,
            "why": why,
        },
        {"ops": ["*"]},
    ]
    notes = [
        "Every call but those that other partitioners took: AotiPartitioner of"
        " CudaPartitioner, MetalPartitioner and others."
    ]
    return layout("aoti", f"executorch {VERSION}, backends/aoti/aoti_partitioner.py", notes, rules)


MAKERS = {"aoti": make_aoti, "vulkan": make_vulkan, "xnnpack": make_xnnpack}


def main():
    for name, make in MAKERS.items():
        (FOLDER / f"{name}.json").write_text(make())


if __name__ == "__main__":
    main()
