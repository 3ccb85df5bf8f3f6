/* What operators do to memory, as their schemas and names say. */
#include <string.h>

#include "base/ops.h"
#include "graph/alias.h"

struct named {
    const char *name; /* of the operator, without namespace and overload */
    unsigned effects;
};

/* The schema says that these share memory; whether they do depends on their input. */
static const struct named schema_says_too_much[] = {
    {"contiguous", DG_EFFECT_MAYBE | DG_EFFECT_STRIDES},
    {"flatten", DG_EFFECT_MAYBE | DG_EFFECT_STRIDES},
    {"ravel", DG_EFFECT_MAYBE | DG_EFFECT_STRIDES},
    {"real", DG_EFFECT_MAYBE | DG_EFFECT_STRIDES},
    {"reshape", DG_EFFECT_MAYBE | DG_EFFECT_STRIDES},
    {"reshape_as", DG_EFFECT_MAYBE | DG_EFFECT_STRIDES},
    {"conj", DG_EFFECT_MAYBE | DG_EFFECT_STRIDES},
    {"resolve_conj", DG_EFFECT_MAYBE | DG_EFFECT_STRIDES},
    {"resolve_neg", DG_EFFECT_MAYBE | DG_EFFECT_STRIDES},
    {"to", DG_EFFECT_MAYBE | DG_EFFECT_STRIDES},
};

/* And of these it says too little. */
static const struct named more[] = {
    {"_unsafe_view", DG_EFFECT_VIEW | DG_EFFECT_FIRST | DG_EFFECT_STRICT},
    {"view", DG_EFFECT_STRICT},
    {"view_as", DG_EFFECT_STRICT},
    {"view_as_complex", DG_EFFECT_EXACT},
    {"view_as_real", DG_EFFECT_EXACT},
    {"unflatten", DG_EFFECT_STRICT},
    {"as_strided", DG_EFFECT_EXACT | DG_EFFECT_OVERLAPS},
    {"as_strided_copy", DG_EFFECT_EXACT | DG_EFFECT_OVERLAPS | DG_EFFECT_SHUFFLES},
    {"as_strided_scatter", DG_EFFECT_EXACT},
    {"set_", DG_EFFECT_OPAQUE},
    {"resize_", DG_EFFECT_OPAQUE},
    {"resize_as_", DG_EFFECT_OPAQUE},
    {"view_copy", DG_EFFECT_TWIN_STRICT},
    {"view_as_complex_copy", DG_EFFECT_TWIN_STRICT},
    {"view_as_real_copy", DG_EFFECT_TWIN_STRICT},
    {"expand", DG_EFFECT_OVERLAPS},
    {"expand_as", DG_EFFECT_OVERLAPS},
    {"unfold", DG_EFFECT_OVERLAPS},
    {"expand_copy", DG_EFFECT_OVERLAPS | DG_EFFECT_SHUFFLES},
    {"unfold_copy", DG_EFFECT_OVERLAPS | DG_EFFECT_SHUFFLES},
    {"permute_copy", DG_EFFECT_SHUFFLES},
    {"transpose_copy", DG_EFFECT_SHUFFLES},
    {"t_copy", DG_EFFECT_SHUFFLES},
    {"diagonal_copy", DG_EFFECT_SHUFFLES},
    {"clone", DG_EFFECT_STRIDES},
    {"_clone_dim_order", DG_EFFECT_STRIDES},
    {"_to_copy", DG_EFFECT_STRIDES},
    {"_to_dim_order_copy", DG_EFFECT_STRIDES},
    {"copy_", DG_EFFECT_FILL},
    {"fill_", DG_EFFECT_FILL},
    {"zero_", DG_EFFECT_FILL},
    {"dropout", DG_EFFECT_STRIDES},
    {"_assert_tensor_metadata", DG_EFFECT_SHAPE},
    {"sym_size", DG_EFFECT_SHAPE},
    {"sym_numel", DG_EFFECT_SHAPE},
    {"sym_stride", DG_EFFECT_SHAPE | DG_EFFECT_EXACT},
    {"sym_storage_offset", DG_EFFECT_SHAPE | DG_EFFECT_EXACT},
    {"empty_like", DG_EFFECT_SHAPE | DG_EFFECT_STRIDES},
    {"full_like", DG_EFFECT_SHAPE | DG_EFFECT_STRIDES},
    {"ones_like", DG_EFFECT_SHAPE | DG_EFFECT_STRIDES},
    {"rand_like", DG_EFFECT_SHAPE | DG_EFFECT_STRIDES},
    {"randn_like", DG_EFFECT_SHAPE | DG_EFFECT_STRIDES},
    {"zeros_like", DG_EFFECT_SHAPE | DG_EFFECT_STRIDES},
    {"new_empty", DG_EFFECT_SHAPE},
    {"new_full", DG_EFFECT_SHAPE},
    {"new_ones", DG_EFFECT_SHAPE},
    {"new_zeros", DG_EFFECT_SHAPE},
};

/* backends/aoti/passes/replace_view_copy_with_view.py of executorch 1.5.1 */
static const char *const replaced[] = {
    "aten::slice_copy.Tensor", "aten::select_copy.int", "aten::split_copy.Tensor"};

static bool among(const struct named *rows, size_t n_rows, struct dg_text name,
                  unsigned *effects)
{
    for (size_t i = 0; i < n_rows; i++) {
        if (dg_text_is(name, rows[i].name)) {
            *effects |= rows[i].effects;
            return true;
        }
    }
    return false;
}

#define AMONG(rows, name, effects)                                                     \
    among(rows, sizeof(rows) / sizeof(*(rows)), name, effects)

/* "add_" of "aten::add_.Tensor" */
static struct dg_text short_name(struct dg_text op)
{
    const char *colons = memchr(op.data, ':', op.size);
    const char *begin = colons ? colons + 2 : op.data;
    const char *dot = memchr(begin, '.', (size_t)(op.data + op.size - begin));

    return (struct dg_text){begin, (size_t)((dot ? dot : op.data + op.size) - begin)};
}

/* Branches of cond, map, scan and while_loop neither write their operands nor return
 * them: torch refuses to trace those that do. What auto_functionalized and with_effects
 * call writes into copies, or nothing. */
static unsigned of_higher_order(struct dg_text name)
{
    static const char *const harmless[] = {"cond",
                                           "map_impl",
                                           "scan",
                                           "while_loop",
                                           "while_loop_stack_output",
                                           "associative_scan",
                                           "auto_functionalized",
                                           "auto_functionalized_v2",
                                           "out_dtype",
                                           "print",
                                           "with_effects",
                                           "executorch_call_delegate"};

    for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
        if (dg_text_is(name, harmless[i]))
            return DG_EFFECT_KEEPS;
    }
    return DG_EFFECT_OPAQUE | DG_EFFECT_KEEPS;
}

struct marks {
    size_t n_marked, n_written;
    bool first, result; /* a tensor in first place is marked; the result is */
};

static struct marks marks_of(const struct dg_op *op)
{
    struct dg_op_arg arg = {0}, result = {0};
    const char *cursor = op->args, *returns = op->returns;
    struct marks marks = {0};

    for (size_t i = 0; dg_op_next_arg(&cursor, &arg); i++) {
        marks.n_marked += arg.alias != NULL;
        marks.n_written += arg.writes;
        marks.first |= !i && arg.alias && !strchr(arg.type, '[');
    }
    while (dg_op_next_arg(&returns, &result))
        marks.result |= result.alias != NULL;
    return marks;
}

static unsigned of_schema(const struct dg_op *op, struct dg_text name)
{
    struct marks marks = marks_of(op);
    unsigned effects = op->returns[0] || marks.n_written ? 0 : DG_EFFECT_KEEPS;

    if (marks.first && marks.n_marked == 1)
        effects |= DG_EFFECT_FIRST;
    if (op->flags & DG_OP_INPLACE_VIEW)
        effects |= DG_EFFECT_TURNS;
    else if (marks.n_written)
        effects |= DG_EFFECT_WRITE;
    if (marks.n_marked && !marks.n_written)
        effects |= DG_EFFECT_IS_VIEW;
    if (marks.result && !AMONG(schema_says_too_much, name, &effects))
        effects |= DG_EFFECT_VIEW | DG_EFFECT_STRIDES;
    if (op->flags & DG_OP_MAYBE_ALIASING)
        effects |= DG_EFFECT_MAYBE;
    if (op->flags & DG_OP_POINTWISE)
        effects |= DG_EFFECT_STRIDES;
    return effects;
}

/* "aten::slice_copy.Tensor" is the copying twin of "aten::slice.Tensor"; what
 * lift_fresh lifts is a constant of the program. */
static unsigned of_copy(struct dg_text op, struct dg_text name)
{
    static const char suffix[] = "_copy";
    const size_t n = sizeof(suffix) - 1;
    size_t before = (size_t)(name.data + name.size - op.data), rest = op.size - before;
    unsigned effects = DG_EFFECT_COPY;
    const struct dg_op *view;
    char text[128];

    if (dg_text_is(name, "lift_fresh_copy") || name.size <= n ||
        memcmp(name.data + name.size - n, suffix, n) != 0 ||
        op.size - n >= sizeof(text))
        return 0;
    memcpy(text, op.data, before - n);
    memcpy(text + before - n, name.data + name.size, rest);
    view = dg_op_find(text, op.size - n);
    if (!view || !(view->flags & DG_OP_VIEW))
        return 0;
    for (size_t i = 0; i < sizeof(replaced) / sizeof(*replaced); i++) {
        if (dg_text_is(op, replaced[i]))
            effects |= DG_EFFECT_REPLACED;
    }
    return effects;
}

unsigned dg_effect_of(struct dg_text op)
{
    const struct dg_op *known;
    struct dg_text name;
    unsigned effects = 0;

    if (!op.size) /* of no call */
        return DG_EFFECT_SHAPE;
    known = dg_op_find(op.data, op.size);
    name = short_name(op);
    if (dg_text_is(op, "_operator.getitem"))
        return DG_EFFECT_ITEM;
    if (dg_text_begins(op, "higher_order::"))
        return of_higher_order(name);
    if (dg_text_begins(op, "torch._functorch."))
        return DG_EFFECT_OPAQUE | DG_EFFECT_KEEPS; /* vmap: views of its argument */
    if (!memchr(op.data, ':', op.size))
        return DG_EFFECT_SHAPE; /* Python's arithmetic on sizes */
    if (!known)
        return DG_EFFECT_OPAQUE | DG_EFFECT_KEEPS;
    effects = of_schema(known, name) | of_copy(op, name);
    AMONG(more, name, &effects);
    return dg_text_is(op, "aten::view.dtype") ? effects | DG_EFFECT_EXACT : effects;
}

bool dg_effect_argument(struct dg_text op, struct dg_text name, int64_t position,
                        bool *writes, bool *is_list)
{
    const struct dg_op *known = dg_op_find(op.data, op.size);
    const char *cursor = known ? known->args : "";
    struct dg_op_arg arg = {0};

    for (int64_t i = 0; dg_op_next_arg(&cursor, &arg); i++) {
        if (name.size
                ? !dg_text_equal(name, (struct dg_text){arg.name, arg.name_length})
                : i != position)
            continue;
        *writes = arg.writes;
        *is_list = strchr(arg.type, '[') != NULL;
        return arg.alias != NULL;
    }
    return false;
}
