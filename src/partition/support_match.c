/* Nodes against conditions on tensors, producers and users. */
#include "partition/support_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

bool dg_support_refuse(struct dg_support_matcher *matcher, const char *reason,
                       const char *fmt, ...)
{
    struct dg_writer *out = &matcher->text;
    char text[400];
    va_list args;

    matcher->n_reasons++;
    if (!matcher->told || matcher->status)
        return false;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    out->size = 0;
    if (matcher->rule.data)
        dg_print(out, "%.*s: ", (int)matcher->rule.size, matcher->rule.data);
    dg_write_text(out, dg_text(text));
    matcher->status = matcher->told(matcher->context, matcher->node, reason,
                                    dg_written(out), matcher->err);
    return false;
}

void dg_support_keep_node(struct dg_support_matcher *matcher, uint32_t node)
{
    if (matcher->kept)
        *DG_APPEND(matcher->kept->nodes, matcher->kept->n_nodes) = node;
}

/* A nested match is one condition: which part of it fails is not told. */
static bool matches(struct dg_support_matcher *matcher,
                    const struct dg_support_match *match, uint32_t node)
{
    struct dg_support_matcher quiet = *matcher;
    size_t n_kept = matcher->kept ? matcher->kept->n_nodes : 0;
    bool holds;

    quiet.told = NULL;
    quiet.all = false;
    holds = (!match->n_ops || dg_wildcard_any(match->ops, match->n_ops,
                                              dg_nodes_op(matcher->nodes, node))) &&
            dg_support_holds(&quiet, match, node);
    matcher->waits |= quiet.waits;
    if (matcher->kept && !holds)
        matcher->kept->n_nodes = n_kept;
    if (holds && match->keep)
        dg_support_keep_node(matcher, node);
    return holds;
}

bool dg_support_matches(struct dg_support_matcher *matcher,
                        const struct dg_support_match *match, uint32_t node)
{
    size_t slot =
        (((uintptr_t)match >> 4) + node * UINT64_C(0x9e3779b1)) % DG_SUPPORT_KNOWN;
    struct dg_support_known *known = &matcher->known[slot];

    if (matcher->kept && (!matcher->kept->n_steps || !--matcher->kept->n_steps))
        return false;
    if (!match->fixed || matcher->kept)
        return matches(matcher, match, node);
    if (known->match != match || known->node != node) {
        bool holds = matches(matcher, match, node);

        *known = (struct dg_support_known){match, node, holds};
    }
    return known->holds;
}

static bool alike(struct dg_support_matcher *matcher, uint32_t node)
{
    const struct dg_graph *graph = &matcher->nodes->graph;
    const struct dg_dtype *first = NULL;

    for (uint32_t e = graph->input_of[node]; e < graph->input_of[node + 1]; e++) {
        const struct dg_dtype *dtype =
            dg_support_value_of(matcher, graph->inputs[e])->dtype;

        if (first && dtype && dtype != first)
            return dg_support_refuse(
                matcher, "dtype", "its inputs are %s and %s; %.*s takes one dtype",
                first->name, dtype->name, (int)matcher->support->name.size,
                matcher->support->name.data);
        first = first ? first : dtype;
    }
    return true;
}

static bool inputs_hold(struct dg_support_matcher *matcher,
                        const struct dg_support_tensor *tensor, uint32_t node)
{
    const struct dg_graph *graph = &matcher->nodes->graph;
    uint32_t begin = graph->input_of[node], end = graph->input_of[node + 1];
    bool holds = true;

    for (uint32_t e = begin; e < end && holds; e++) {
        struct dg_support_who who = {.format = "input %" PRId64, .number = e - begin};

        holds = dg_support_tensor_holds(matcher, tensor, graph->inputs[e], &who);
    }
    if (tensor->alike && (holds || matcher->all))
        holds &= alike(matcher, node);
    return holds;
}

/* Of several results and several inputs, the first ones. */
static bool keeps(struct dg_support_matcher *matcher,
                  const struct dg_support_tensor *tensor, uint32_t node)
{
    const struct dg_graph *graph = &matcher->nodes->graph;
    const struct dg_support_value *is = dg_support_value_of(matcher, node), *was;
    struct dg_text list = matcher->support->name;
    bool holds = true;

    if (graph->input_of[node] == graph->input_of[node + 1])
        return true;
    was = dg_support_value_of(matcher, graph->inputs[graph->input_of[node]]);
    if (tensor->alike && is->dtype && was->dtype && is->dtype != was->dtype)
        holds = dg_support_refuse(matcher, "dtype",
                                  "it turns %s into %s; %.*s keeps the "
                                  "dtype",
                                  was->dtype->name, is->dtype->name, (int)list.size,
                                  list.data);
    if (tensor->same_order && !dg_support_same_order(is, was))
        holds = dg_support_refuse(matcher, "attribute",
                                  "it reorders dimensions in memory; "
                                  "%.*s keeps their order",
                                  (int)list.size, list.data);
    return holds;
}

/* Of a tuple, the items that are taken out of it. */
static bool outputs_hold(struct dg_support_matcher *matcher,
                         const struct dg_support_tensor *tensor, uint32_t node)
{
    const struct dg_nodes *nodes = matcher->nodes;
    const struct dg_graph *graph = &nodes->graph;
    const struct dg_support_who result = {.name = dg_text("its result")},
                                item = {.name = dg_text("one of its results")};
    bool holds = true;

    holds = keeps(matcher, tensor, node);
    if (!holds && !matcher->all)
        return false;
    if (dg_support_value_of(matcher, node)->known)
        return dg_support_tensor_holds(matcher, tensor, node, &result) & holds;
    for (uint32_t e = graph->user_of[node]; e < graph->user_of[node + 1] && holds;
         e++) {
        if (nodes->marks[graph->users[e]] & DG_MARK_GETITEM)
            holds = dg_support_tensor_holds(matcher, tensor, graph->users[e], &item);
    }
    return holds;
}

static bool one_matches(struct dg_support_matcher *matcher,
                        const struct dg_support_match *all, size_t n, uint32_t node)
{
    for (size_t i = 0; i < n; i++) {
        if (dg_support_matches(matcher, &all[i], node))
            return true;
    }
    return false;
}

/* A user that reads a node twice is one user; its edges follow one another. Counts up
 * to one more than `limit`. */
static int64_t count_users(const struct dg_graph *graph, uint32_t node, int64_t limit)
{
    int64_t n = 0;

    for (uint32_t e = graph->user_of[node]; e < graph->user_of[node + 1] && n <= limit;
         e++)
        n += e == graph->user_of[node] || graph->users[e] != graph->users[e - 1];
    return n;
}

static bool users_hold(struct dg_support_matcher *matcher,
                       const struct dg_support_users *users, uint32_t node)
{
    const struct dg_nodes *nodes = matcher->nodes;
    const struct dg_graph *graph = &nodes->graph;
    struct dg_text list = matcher->support->name;
    bool some = !users->n_some;

    if (users->max < INT64_MAX && count_users(graph, node, users->max) > users->max)
        return dg_support_refuse(matcher, "attribute",
                                 "more than %" PRId64
                                 " nodes use its result; %.*s takes no more",
                                 users->max, (int)list.size, list.data);
    for (uint32_t e = graph->user_of[node]; e < graph->user_of[node + 1]; e++) {
        uint32_t user = graph->users[e];

        if (users->n_all && !one_matches(matcher, users->all, users->n_all, user))
            return dg_support_refuse(
                matcher, "attribute", "%.*s uses its result; %.*s takes no such user",
                (int)nodes->names[user].size, nodes->names[user].data, (int)list.size,
                list.data);
        if (!some || matcher->kept)
            some |= one_matches(matcher, users->some, users->n_some, user);
    }
    return some || dg_support_refuse(matcher, "attribute",
                                     "no user of its result is one that %.*s needs",
                                     (int)list.size, list.data);
}

static bool is_taken(struct dg_support_matcher *matcher, uint32_t node)
{
    if (matcher->blind && (node > matcher->node || matcher->open[node])) {
        matcher->waits = true;
        return false;
    }
    return matcher->nodes->marks[node] & DG_MARK_SUPPORTED;
}

static bool asks(const struct dg_support_tensor *tensor)
{
    return tensor->n_dtypes || tensor->rank.min > INT64_MIN ||
           tensor->rank.max < INT64_MAX || tensor->is_static || tensor->is_backed ||
           tensor->not_empty || tensor->only || tensor->alike || tensor->same_order ||
           tensor->constant >= 0 || tensor->n_sizes || tensor->producer ||
           tensor->n_packed || tensor->elements.max < INT64_MAX ||
           tensor->elements.min > INT64_MIN;
}

bool dg_support_holds(struct dg_support_matcher *matcher,
                      const struct dg_support_match *match, uint32_t node)
{
    bool holds = !match->taken || is_taken(matcher, node), all = matcher->all;

    if (match->taken && !holds)
        return false;
    if (asks(&match->inputs))
        holds &= inputs_hold(matcher, &match->inputs, node);
    if ((holds || all) && asks(&match->outputs))
        holds &= outputs_hold(matcher, &match->outputs, node);
    for (size_t i = 0; i < match->n_args && (holds || all); i++)
        holds &= dg_support_arg_holds(matcher, &match->args[i], node);
    if ((holds || all) && match->users)
        holds &= users_hold(matcher, match->users, node);
    return holds;
}
