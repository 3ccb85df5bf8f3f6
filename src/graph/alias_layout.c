/* How the elements of bases and results lie in memory: asked of the store when it
 * matters. */
#include "graph/alias_parts.h"

/* The last item of a JSON list, which is cut off; empty: there is none. */
static struct dg_text take_last(struct dg_text *list)
{
    const char *end;

    while (list->size && strchr("[], \"", list->data[list->size - 1]))
        list->size--;
    if (!list->size)
        return (struct dg_text){0};
    end = list->data + list->size;
    while (list->size && !strchr("[], \"", list->data[list->size - 1]))
        list->size--;
    return (struct dg_text){list->data + list->size,
                            (size_t)(end - list->data) - list->size};
}

/* -1: a symbol, or too large. */
static int64_t number_in(struct dg_text text)
{
    int64_t number = 0;

    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || number > INT64_MAX / 16)
            return -1;
        number = number * 10 + (text.data[i] - '0');
    }
    return number;
}

/* Left of a symbolic size, strides are symbolic, too, and left unread. */
bool dg_layout_scattered(struct dg_text shape, struct dg_text strides)
{
    int64_t expected = 1;

    for (;;) {
        struct dg_text size = take_last(&shape), stride = take_last(&strides);
        int64_t n = number_in(size);

        if (!size.size || !stride.size)
            return false;
        if (n != 1 && number_in(stride) != expected)
            return true;
        if (n < 0 || (n && expected > INT64_MAX / n))
            expected = -1;
        else if (expected > 0)
            expected *= n;
    }
}

/* Whether no more than one size differs from 1. */
static bool is_in_a_row(struct dg_text shape)
{
    size_t n = 0;

    for (struct dg_text size = take_last(&shape); size.size; size = take_last(&shape))
        n += number_in(size) != 1;
    return n <= 1;
}

static const char layout_sql[] = "SELECT shape, strides FROM node JOIN value"
                                 " ON value.id = value_id WHERE node.id = ?1";

enum { UNASKED, NO, YES };

/* What one row about `node` says; `otherwise` if there is none. */
static bool ask(struct dg_view_judge *judge, uint8_t *known, uint32_t node,
                bool (*says)(struct dg_text shape, struct dg_text strides),
                bool otherwise)
{
    struct dg_rows *rows = &judge->layouts;
    struct dg_error ignored;

    if (known[node] != UNASKED)
        return known[node] == YES;
    if (!rows->statement && dg_rows_open(rows, judge->store, layout_sql, &ignored))
        return otherwise;
    dg_rows_bind_int(rows, 1, judge->alias->graph.first_id + node);
    if (dg_rows_next(rows))
        otherwise = says(dg_rows_slice(rows, 0), dg_rows_slice(rows, 1));
    known[node] = otherwise ? YES : NO;
    return !dg_rows_again(rows, &ignored) && otherwise;
}

bool dg_is_scattered(struct dg_view_judge *judge, uint32_t node)
{
    if (judge->alias->effects[node] & DG_EFFECT_COPY)
        return false;
    return ask(judge, judge->scattered, node, dg_layout_scattered, false);
}

static bool is_row(struct dg_text shape, struct dg_text strides)
{
    (void)strides;
    return is_in_a_row(shape);
}

bool dg_is_in_a_row(struct dg_view_judge *judge, uint32_t copy)
{
    const struct dg_graph *graph = &judge->alias->graph;

    if (graph->user_of[copy] < graph->user_of[copy + 1] &&
        judge->alias->effects[graph->users[graph->user_of[copy]]] & DG_EFFECT_ITEM)
        copy = graph->users[graph->user_of[copy]];
    return ask(judge, judge->in_a_row, copy, is_row, false);
}
