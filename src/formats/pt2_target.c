/* Targets of calls: from the file's spelling to operator and Python function. */
#include "formats/pt2.h"

static bool strip(struct dg_text *text, const char *prefix)
{
    size_t size = strlen(prefix);

    if (!dg_text_begins(*text, prefix))
        return false;
    *text = (struct dg_text){text->data + size, text->size - size};
    return true;
}

static struct dg_text after_last(struct dg_text text, char separator)
{
    for (size_t i = text.size; i > 0; i--) {
        if (text.data[i - 1] == separator)
            return (struct dg_text){text.data + i, text.size - i};
    }
    return text;
}

/* "aten.add.Tensor" to "aten::add.Tensor" */
static struct dg_text operator_name(struct dg_pt2 *pt2, struct dg_text path)
{
    const char *dot = memchr(path.data, '.', path.size);
    size_t size = dot ? (size_t)(dot - path.data) : 0;

    if (!dot)
        return path;
    return dg_format(&pt2->program->memory, "%.*s::%.*s", (int)size, path.data,
                     (int)(path.size - size - 1), dot + 1);
}

static struct dg_text without_namespace(struct dg_text path)
{
    const char *dot = memchr(path.data, '.', path.size);
    size_t size = dot ? (size_t)(dot - path.data) + 1 : 0;

    return (struct dg_text){path.data + size, path.size - size};
}

static bool is_edge(struct dg_text *path)
{
    return strip(path, "executorch.exir.dialects.edge.ops.") ||
           strip(path, "executorch.exir.dialects.edge._ops.") ||
           strip(path, "executorch.exir.dialects.backend.ops.") ||
           strip(path, "executorch.exir.dialects.backend._ops.");
}

static struct dg_text describe(struct dg_pt2 *pt2, struct dg_text text,
                               struct dg_pt2_target *target)
{
    struct dg_text path = text;

    if (is_edge(&path)) {
        target->edge = true;
        target->function = path;
        return operator_name(pt2, path);
    }
    if (strip(&path, "torch.ops.")) {
        target->higher_order = dg_text_begins(path, "higher_order.");
        target->function = without_namespace(path);
        target->delegate = dg_text_is(path, "higher_order.executorch_call_delegate");
        return operator_name(pt2, path);
    }
    target->symbolic = dg_text_begins(text, "_operator.") ||
                       dg_text_begins(text, "math.") ||
                       dg_text_begins(text, "torch.sym_");
    target->unresolved = !target->symbolic && !dg_text_begins(text, "torch.");
    target->function = after_last(text, dg_text_begins(text, "#") ? ':' : '.');
    if (target->unresolved && pt2->exir && text.size && text.data[0] != '#' &&
        !dg_text_is(text, "executorch.exir.memory.view") &&
        !dg_text_is(text, "memory.alloc"))
        target->function = text;
    return text;
}

struct dg_pt2_target dg_pt2_target(struct dg_pt2 *pt2, struct dg_text text)
{
    struct dg_name *known = dg_names_at(&pt2->targets, text);
    struct dg_pt2_target target = {0};

    if (known->value != DG_NONE)
        return pt2->target_list[known->value];
    known->value = (int64_t)pt2->n_targets;
    target.op = dg_intern_op(pt2->program, describe(pt2, text, &target));
    target.function = dg_fx_snake_case(target.function, &pt2->program->memory);
    target.symbolic |= dg_text_is(text, "torch.ops.aten.item.default");
    *DG_APPEND(pt2->target_list, pt2->n_targets) = target;
    return target;
}
