/* Conditions on one tensor. */
#include "partition/support_parts.h"

#include <inttypes.h>
#include <stdio.h>

const struct dg_support_value *dg_support_value_of(struct dg_support_matcher *matcher,
                                                   uint32_t node)
{
    static const struct dg_support_value unknown = {.rank = -1};

    return matcher->facts->values ? &matcher->facts->values[node] : &unknown;
}

/* A tensor held against conditions. */
struct held {
    struct dg_support_matcher *matcher;
    const struct dg_support_tensor *tensor;
    const struct dg_support_value *value;
    uint32_t node;
    const struct dg_support_who *who;
    struct dg_text list;
};

#define LIST(held) (int)(held)->list.size, (held)->list.data
#define WHO(held) dg_support_who_is((char[64]){""}, (held)->who)

const char *dg_support_who_is(char text[64], const struct dg_support_who *who)
{
    if (who->name.size)
        snprintf(text, 64, "%.*s", (int)who->name.size, who->name.data);
    else
        snprintf(text, 64, who->format, who->number);
    return text;
}

static bool dtype_holds(const struct held *held)
{
    const struct dg_support_tensor *tensor = held->tensor;
    char wants[160] = "";
    size_t size = 0;

    if (!tensor->n_dtypes || !held->value->dtype)
        return true;
    for (size_t i = 0; i < tensor->n_dtypes; i++) {
        if (tensor->dtypes[i] == held->value->dtype)
            return true;
        if (size < sizeof(wants))
            size += (size_t)snprintf(wants + size, sizeof(wants) - size, "%s%s",
                                     i ? ", " : "", tensor->dtypes[i]->name);
    }
    return dg_support_refuse(held->matcher, "dtype", "%s is %s; %.*s takes %s",
                             WHO(held), held->value->dtype->name, LIST(held), wants);
}

static bool rank_holds(const struct held *held)
{
    int rank = held->value->rank;
    const struct dg_support_range *range = &held->tensor->rank;

    if (rank < 0 || (rank >= range->min && rank <= range->max))
        return true;
    if (range->min == range->max)
        return dg_support_refuse(held->matcher, "rank",
                                 "%s has rank %d; %.*s takes rank %" PRId64, WHO(held),
                                 rank, LIST(held), range->min);
    return dg_support_refuse(
        held->matcher, "rank", "%s has rank %d; %.*s takes rank %" PRId64 " and %s",
        WHO(held), rank, LIST(held), rank < range->min ? range->min : range->max,
        rank < range->min ? "more" : "less");
}

static bool shape_holds(const struct held *held)
{
    const struct dg_support_value *value = held->value;
    bool holds = true;

    if (held->tensor->is_backed && value->unbacked)
        holds =
            dg_support_refuse(held->matcher, "dynamic-shape",
                              "the shape of %s depends on data; %.*s needs one that "
                              "does not",
                              WHO(held), LIST(held));
    for (int i = 0; i < value->rank && holds; i++) {
        if (held->tensor->is_static && value->sizes[i] == INT64_MIN)
            return dg_support_refuse(held->matcher, "dynamic-shape",
                                     "dimension %d of %s is symbolic; %.*s needs a "
                                     "static shape",
                                     i, WHO(held), LIST(held));
        if (held->tensor->not_empty && !value->sizes[i])
            return dg_support_refuse(held->matcher, "attribute",
                                     "%s has no elements; %.*s needs some", WHO(held),
                                     LIST(held));
    }
    return holds;
}

static bool size_holds(const struct held *held, const struct dg_support_size *size)
{
    const struct dg_support_value *value = held->value;
    int64_t dim = size->dim < 0 ? size->dim + value->rank : size->dim;

    if (value->rank < 0 || dim < 0 || dim >= value->rank)
        return true;
    for (size_t i = 0; i < size->sizes.n_items; i++) {
        if (size->sizes.items[i].integer == value->sizes[dim])
            return true;
    }
    if (value->sizes[dim] == INT64_MIN)
        return dg_support_refuse(
            held->matcher, "dynamic-shape",
            "dimension %" PRId64 " of %s is symbolic; %.*s takes %" PRId64, dim,
            WHO(held), LIST(held), size->sizes.items[0].integer);
    return dg_support_refuse(
        held->matcher, "attribute",
        "dimension %" PRId64 " of %s is %" PRId64 "; %.*s takes %" PRId64, dim,
        WHO(held), value->sizes[dim], LIST(held), size->sizes.items[0].integer);
}

static bool sizes_hold(const struct held *held)
{
    for (size_t i = 0; i < held->tensor->n_sizes; i++) {
        if (!size_holds(held, &held->tensor->sizes[i]))
            return false;
    }
    return true;
}

/* Sizes of an image on a GPU: width, height, and depth times batch; four elements of
 * the packed dimension are one texel. Symbolic sizes are taken to fit. */
static bool fits(const struct held *held, int packed)
{
    const struct dg_support_value *value = held->value;
    int64_t texels[3] = {1, 1, 1};

    for (int i = 0; i < 3 && i < value->rank; i++)
        texels[i] = value->sizes[value->rank - 1 - i];
    texels[packed] =
        texels[packed] > INT64_MAX - 3 ? INT64_MAX / 4 : (texels[packed] + 3) / 4;
    if (value->rank > 3 && value->sizes[0] > 0 &&
        texels[2] > held->tensor->limits[2] / value->sizes[0])
        return false;
    return texels[0] <= held->tensor->limits[0] &&
           texels[1] <= held->tensor->limits[1] && texels[2] <= held->tensor->limits[2];
}

static bool image_holds(const struct held *held)
{
    const struct dg_support_tensor *tensor = held->tensor;

    if (!tensor->n_packed || held->value->rank < 0)
        return true;
    if (held->value->rank > 4)
        return dg_support_refuse(
            held->matcher, "rank",
            "%s has rank %d; %.*s needs an image of rank 4 and less", WHO(held),
            held->value->rank, LIST(held));
    for (size_t i = 0; i < tensor->n_packed; i++) {
        if (fits(held, tensor->packed[i]))
            return true;
    }
    return dg_support_refuse(
        held->matcher, "attribute",
        "%s fits no image of %" PRId64 " x %" PRId64 " x %" PRId64 ", which %.*s needs",
        WHO(held), tensor->limits[0], tensor->limits[1], tensor->limits[2], LIST(held));
}

static bool elements_hold(const struct held *held)
{
    const struct dg_support_range *range = &held->tensor->elements;
    int64_t n = 1;

    for (int i = 0; i < held->value->rank; i++) {
        int64_t size = held->value->sizes[i];

        if (size == INT64_MIN)
            return true;
        n = size && n > INT64_MAX / size ? INT64_MAX : n * size;
    }
    if (held->value->rank < 0 || (n >= range->min && n <= range->max))
        return true;
    return dg_support_refuse(
        held->matcher, "attribute",
        "%s has %" PRId64 " elements; %.*s takes %" PRId64 " and %s", WHO(held), n,
        LIST(held), n < range->min ? range->min : range->max,
        n < range->min ? "more" : "less");
}

static bool constant_holds(const struct held *held)
{
    bool is =
        held->matcher->nodes->marks[held->node] & (DG_MARK_CONSTANT | DG_MARK_GET_ATTR);

    if (held->tensor->constant < 0 || held->tensor->constant == is)
        return true;
    return dg_support_refuse(held->matcher, "attribute",
                             is ? "%s is a constant; %.*s needs one that is computed"
                                : "%s is computed; %.*s needs a parameter, buffer or "
                                  "constant",
                             WHO(held), LIST(held));
}

static bool is_tensor(const struct held *held)
{
    if (!held->tensor->only || !held->value->known || held->value->tensor)
        return true;
    return dg_support_refuse(held->matcher, "dtype",
                             "%s is a symbolic number; %.*s takes tensors", WHO(held),
                             LIST(held));
}

static bool producer_holds(const struct held *held)
{
    const struct dg_support_match *producer = held->tensor->producer;

    if (!producer || dg_support_matches(held->matcher, producer, held->node))
        return true;
    if (!producer->n_ops)
        return dg_support_refuse(
            held->matcher, "attribute",
            "%s is made by %.*s, which %.*s does not take so", WHO(held),
            (int)held->matcher->nodes->names[held->node].size,
            held->matcher->nodes->names[held->node].data, LIST(held));
    return dg_support_refuse(
        held->matcher, "attribute", "%s is not made as %.*s needs it, by %.*s%s",
        WHO(held), LIST(held), (int)producer->ops[0].size, producer->ops[0].data,
        producer->n_ops > 1 ? " or one like it" : "");
}

bool dg_support_tensor_holds(struct dg_support_matcher *matcher,
                             const struct dg_support_tensor *tensor, uint32_t node,
                             const struct dg_support_who *who)
{
    static bool (*const conditions[])(const struct held *held) = {
        is_tensor,     dtype_holds, rank_holds,     shape_holds,    sizes_hold,
        elements_hold, image_holds, constant_holds, producer_holds,
    };
    struct held held = {matcher, tensor, dg_support_value_of(matcher, node),
                        node,    who,    matcher->support->name};
    bool holds = true;

    for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
        holds &= conditions[i](&held);
        if (!holds && !matcher->all)
            break;
    }
    return holds;
}
