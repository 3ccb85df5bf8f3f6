/* Conditions on the arguments of a call. */
#include "partition/support_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sorted.h"

/* 1 and 1.0 differ: PyTorch's own conditions tell them apart. */
static bool same(const struct dg_support_item *a, const struct dg_support_item *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case DG_ITEM_BOOL:
    case DG_ITEM_INT:
        return a->integer == b->integer;
    case DG_ITEM_FLOAT:
        return a->real == b->real;
    case DG_ITEM_STRING:
        return dg_text_equal(a->text, b->text);
    default:
        return a->type == DG_ITEM_NONE;
    }
}

static bool among(const struct dg_support_items *items,
                  const struct dg_support_item *item)
{
    for (size_t i = 0; i < items->n_items; i++) {
        if (same(&items->items[i], item))
            return true;
    }
    return false;
}

/* An argument of a call, held against a condition on it. */
struct held {
    struct dg_support_matcher *matcher;
    const struct dg_support_arg *arg;
    struct dg_support_call_arg value;
    uint32_t node;
    struct dg_support_who who;
    struct dg_writer is, wants;
};

/* The node that an item of the call names; -1: it is not known. */
static int64_t node_of(const struct held *held, const struct dg_support_item *item)
{
    const struct dg_graph *graph = &held->matcher->nodes->graph;

    if (!held->matcher->facts->calls[held->node].by_input)
        return item->integer;
    return graph->inputs[graph->input_of[held->node] + item->integer];
}

static struct dg_text name_of(const struct held *held,
                              const struct dg_support_item *item)
{
    return held->matcher->facts->calls[held->node].by_input
               ? held->matcher->nodes->names[node_of(held, item)]
               : item->text;
}

static void write_item(struct dg_writer *out, const struct held *held,
                       const struct dg_support_item *item)
{
    switch (item->type) {
    case DG_ITEM_BOOL:
        dg_print(out, item->integer ? "true" : "false");
        break;
    case DG_ITEM_INT:
        dg_print(out, "%lld", (long long)item->integer);
        break;
    case DG_ITEM_FLOAT:
        dg_print(out, item->real == (double)(int64_t)item->real ? "%.1f" : "%g",
                 item->real);
        break;
    case DG_ITEM_STRING:
        dg_write_text(out, item->text);
        break;
    case DG_ITEM_SYMBOL:
    case DG_ITEM_TENSOR:
        dg_write_text(out, name_of(held, item));
        break;
    default:
        dg_print(out, "None");
    }
}

static const char *write_items(struct dg_writer *out, const struct held *held,
                               const struct dg_support_item *items, size_t n,
                               bool brackets)
{
    enum { SHOWN = 12 };

    out->size = 0;
    dg_print(out, brackets ? "[" : "");
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        dg_print(out, i ? ", " : "");
        write_item(out, held, &items[i]);
    }
    dg_print(out, "%s%s", n > SHOWN ? ", ..." : "", brackets ? "]" : "");
    return out->data;
}

static bool refuse(struct held *held, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(struct held *held, const char *fmt, ...)
{
    char wants[160], who[64];
    va_list args;

    va_start(args, fmt);
    vsnprintf(wants, sizeof(wants), fmt, args);
    va_end(args);
    write_items(&held->is, held, held->value.items, held->value.n_items,
                held->value.n_items != 1);
    return dg_support_refuse(held->matcher, "attribute", "%s is %s; %.*s takes %s",
                             dg_support_who_is(who, &held->who), held->is.data,
                             (int)held->matcher->support->name.size,
                             held->matcher->support->name.data, wants);
}

static bool one_of(struct held *held)
{
    const struct dg_support_items *in = &held->arg->in, *not_in = &held->arg->not_in;

    for (size_t i = 0; i < held->value.n_items; i++) {
        if (in->n_items && !among(in, &held->value.items[i]))
            return refuse(
                held, "%s",
                write_items(&held->wants, held, in->items, in->n_items, false));
        if (among(not_in, &held->value.items[i]))
            return refuse(
                held, "no %s",
                write_items(&held->wants, held, not_in->items, not_in->n_items, false));
    }
    return true;
}

static double number(const struct dg_support_item *item)
{
    return item->type == DG_ITEM_FLOAT ? item->real : (double)item->integer;
}

static bool is_number(const struct dg_support_item *item)
{
    return item->type == DG_ITEM_INT || item->type == DG_ITEM_FLOAT;
}

static bool in_range(struct held *held)
{
    const struct dg_support_range *range = &held->arg->range;

    for (size_t i = 0; i < held->value.n_items; i++) {
        const struct dg_support_item *item = &held->value.items[i];

        if (!is_number(item))
            continue;
        if (number(item) < (double)range->min && range->min > INT64_MIN)
            return refuse(held, "%lld and more", (long long)range->min);
        if (number(item) > (double)range->max && range->max < INT64_MAX)
            return refuse(held, "%lld and less", (long long)range->max);
    }
    return true;
}

static bool counted(struct held *held)
{
    const struct dg_support_range *count = &held->arg->count;
    int64_t n = (int64_t)held->value.n_items;

    if (n < count->min)
        return refuse(held, "%lld and more of them", (long long)count->min);
    if (n > count->max)
        return refuse(held, "%lld and less of them", (long long)count->max);
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* How many nodes that give tensors there are; one that is named twice counts once. */
static int64_t count_tensors(const struct held *held)
{
    size_t n = 0, distinct = 0;
    int64_t *nodes = calloc(held->value.n_items + 1, sizeof(*nodes));

    if (!nodes)
        dg_out_of_memory();
    for (size_t i = 0; i < held->value.n_items; i++) {
        if (held->value.items[i].type == DG_ITEM_TENSOR)
            nodes[n++] = node_of(held, &held->value.items[i]);
    }
    dg_sort(nodes, n, sizeof(*nodes), compare_numbers);
    for (size_t i = 0; i < n; i++)
        distinct += !i || nodes[i] != nodes[i - 1];
    free(nodes);
    return (int64_t)distinct;
}

static bool tensors_counted(struct held *held)
{
    const struct dg_support_range *range = &held->arg->tensors;
    int64_t n;

    if (range->min == INT64_MIN && range->max == INT64_MAX)
        return true;
    n = count_tensors(held);
    if (n < range->min)
        return refuse(held, "%lld and more tensors", (long long)range->min);
    if (n > range->max)
        return refuse(held, "%lld and less tensors", (long long)range->max);
    return true;
}

static bool is_literal(struct held *held)
{
    for (size_t i = 0; i < held->value.n_items; i++) {
        if (held->value.items[i].type == DG_ITEM_SYMBOL)
            return refuse(held, "numbers, not symbols");
    }
    return true;
}

/* Bit d: dimension d is among `items`. False: something is no dimension. */
static bool dim_set(uint64_t *set, const struct dg_support_item *items, size_t n,
                    int64_t rank)
{
    *set = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t dim = items[i].integer;

        if (items[i].type != DG_ITEM_INT || rank > 64 || dim >= rank || dim < -rank)
            return false;
        *set |= UINT64_C(1) << (dim < 0 ? dim + rank : dim);
    }
    return true;
}

static int64_t rank_for(const struct held *held)
{
    const struct dg_nodes *nodes = held->matcher->nodes;
    uint32_t node = held->node, first = nodes->graph.input_of[node];

    if (!held->arg->dims_of_output) {
        if (first == nodes->graph.input_of[node + 1])
            return -1;
        node = nodes->graph.inputs[first];
    }
    return dg_support_value_of(held->matcher, node)->rank;
}

static bool names_dims(struct held *held)
{
    const struct dg_support_items *dims = &held->arg->dims;
    int64_t rank = rank_for(held);
    uint64_t is, wanted;

    if (!dims->n_items || rank < 0)
        return true;
    if (dim_set(&is, held->value.items, held->value.n_items, rank) &&
        dim_set(&wanted, dims->items, dims->n_items, rank) && is == wanted)
        return true;
    return refuse(held, "%s of %lld dimensions",
                  write_items(&held->wants, held, dims->items, dims->n_items, false),
                  (long long)rank);
}

/* A list of one item stands for all; an empty one is what the other is. */
static bool at_most(struct held *held)
{
    struct dg_support_call_arg other;
    struct dg_text name = held->arg->at_most;

    if (!name.data ||
        !dg_support_arg_of(&other, held->matcher->facts, held->matcher->nodes,
                           held->node, name, -1) ||
        !other.n_items)
        return true;
    for (size_t i = 0; i < held->value.n_items; i++) {
        size_t j = i < other.n_items ? i : other.n_items - 1;

        if (is_number(&held->value.items[i]) && is_number(&other.items[j]) &&
            number(&held->value.items[i]) > number(&other.items[j]))
            return refuse(
                held, "no more than %.*s, which is %s", (int)name.size, name.data,
                write_items(&held->wants, held, other.items, other.n_items, true));
    }
    return true;
}

static bool tensors_hold(struct held *held)
{
    bool holds = true;

    for (size_t i = 0; i < held->value.n_items; i++) {
        const struct dg_support_item *item = &held->value.items[i];
        int64_t node = item->type == DG_ITEM_TENSOR ? node_of(held, item) : -1;

        if (node >= 0)
            holds &= dg_support_tensor_holds(held->matcher, &held->arg->tensor,
                                             (uint32_t)node, &held->who);
        else if (item->type != DG_ITEM_TENSOR && held->arg->tensor.producer)
            holds = refuse(held, "the result of a call");
        if (!holds)
            break;
    }
    return holds;
}

static void keep_nodes(const struct held *held)
{
    for (size_t i = 0; i < held->value.n_items; i++) {
        const struct dg_support_item *item = &held->value.items[i];
        int64_t node = item->type == DG_ITEM_TENSOR ? node_of(held, item) : -1;

        if (node >= 0)
            dg_support_keep_node(held->matcher, (uint32_t)node);
    }
}

bool dg_support_arg_holds(struct dg_support_matcher *matcher,
                          const struct dg_support_arg *arg, uint32_t node)
{
    static bool (*const conditions[])(struct held * held) = {
        one_of,     in_range,   counted, tensors_counted,
        is_literal, names_dims, at_most, tensors_hold,
    };
    struct held held = {.matcher = matcher, .arg = arg, .node = node};
    bool holds = true;

    if (!dg_support_arg_of(&held.value, matcher->facts, matcher->nodes, node, arg->name,
                           arg->position))
        return true;
    held.who =
        (struct dg_support_who){held.value.name, "argument %" PRId64, arg->position};
    for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
        holds &= conditions[i](&held);
        if (!holds && !matcher->all)
            break;
    }
    if (holds && arg->keep)
        keep_nodes(&held);
    dg_writer_clear(&held.is);
    dg_writer_clear(&held.wants);
    return holds;
}
