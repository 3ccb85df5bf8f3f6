/* Planned values that share bytes while both live: a sweep over the instructions. */
#include <stdlib.h>

#include "base/order.h"
#include "graph/live_ranges.h"

enum { MAX_PAIRS = 10 * 1000 * 1000 };

/* Of a variable: beside each other, as most of the work is to look at them. */
struct bytes {
    int64_t arena, begin, end;
};

/* Numbers of variables, or of ranges or writes of them, by arena and by byte or node:
 * the keys. From `at` to `end` is what is to come of the present arena. */
struct order {
    const uint32_t *items;
    uint32_t n, at, end;
    dg_key_fn *key;
};

/* The variables of one arena by their first byte: each has a slot. `ends` is a tree of
 * maxima over them: the end of a variable that is live now, 0 of one that is not. */
struct sweep {
    const struct dg_live_ranges *live;
    const struct dg_flow *flow;
    struct bytes *bytes;
    struct order members, begins, ends_at, writes;
    uint32_t *slot_of; /* of a variable, in its arena */
    uint32_t width;
    int64_t *ends;
    uint32_t *active, *range_of; /* of a variable: ranges that hold now; the latest */
    uint32_t *group;             /* of a value: in-place operators join values */
    uint32_t n_pairs;
    dg_overlap_fn *visit;
    void *context;
    struct dg_arena memory;
};

static void copy_bytes(struct sweep *sweep)
{
    uint32_t n = sweep->live->n_variables;

    sweep->bytes = dg_alloc(&sweep->memory, n, sizeof(*sweep->bytes));
    for (uint32_t i = 0; i < n; i++) {
        const struct dg_flow_value *value =
            &sweep->flow->values[sweep->live->variables[i].value];

        sweep->bytes[i] = (struct bytes){value->arena, value->begin, value->end};
    }
}

static struct order order(struct sweep *sweep, uint32_t n, dg_key_fn *key)
{
    return (struct order){
        .items = dg_order(n, key, 2, sweep, &sweep->memory), .n = n, .key = key};
}

static int64_t member(const void *things, uint32_t i, unsigned key)
{
    const struct sweep *sweep = things;

    return key ? sweep->bytes[i].begin : sweep->bytes[i].arena;
}

/* What holds before the first instruction begins at -1. */
static int64_t range_begin(const void *things, uint32_t i, unsigned key)
{
    const struct sweep *sweep = things;
    const struct dg_live_range *range = &sweep->live->ranges[i];
    int64_t begin = range->begin;

    if (!key)
        return sweep->bytes[range->variable].arena;
    return range->entered && !begin ? -1 : begin;
}

static int64_t range_end(const void *things, uint32_t i, unsigned key)
{
    const struct sweep *sweep = things;
    const struct dg_live_range *range = &sweep->live->ranges[i];

    return key ? range->end : sweep->bytes[range->variable].arena;
}

static int64_t write(const void *things, uint32_t i, unsigned key)
{
    const struct sweep *sweep = things;
    const struct dg_live_place *one = &sweep->live->writes[i];

    return key ? one->node : sweep->bytes[one->of].arena;
}

static uint32_t group_of(const struct sweep *sweep, uint32_t value)
{
    while (sweep->group[value] != value) {
        sweep->group[value] = sweep->group[sweep->group[value]];
        value = sweep->group[value];
    }
    return value;
}

static bool same_begin(const struct dg_flow_value *a, const struct dg_flow_value *b)
{
    return a->arena == b->arena && a->begin == b->begin;
}

/* An in-place operator gives what it updates back as another value at the same byte. */
static void group_in_place(struct sweep *sweep)
{
    const struct dg_flow *flow = sweep->flow;
    const unsigned update = DG_FLOW_READ | DG_FLOW_WRITE;

    sweep->group = dg_alloc(&sweep->memory, flow->n_values, sizeof(uint32_t));
    for (uint32_t i = 0; i < flow->n_values; i++)
        sweep->group[i] = i;
    for (uint32_t node = 0; node < flow->n_nodes; node++) {
        const struct dg_flow_access *updated = NULL, *access = flow->accesses;

        for (uint32_t k = flow->access_of[node]; k < flow->access_of[node + 1]; k++) {
            if ((access[k].how & update) == update)
                updated = &access[k];
            else if (updated && access[k].how & DG_FLOW_WRITE &&
                     same_begin(&flow->values[access[k].value],
                                &flow->values[updated->value]))
                sweep->group[group_of(sweep, access[k].value)] =
                    group_of(sweep, updated->value);
        }
    }
}

static void set_end(struct sweep *sweep, uint32_t slot, int64_t end)
{
    uint32_t at = slot + sweep->width;

    sweep->ends[at] = end;
    for (at /= 2; at; at /= 2) {
        int64_t left = sweep->ends[2 * at], right = sweep->ends[2 * at + 1];
        int64_t most = left > right ? left : right;

        if (sweep->ends[at] == most)
            break;
        sweep->ends[at] = most;
    }
}

static void enter(struct sweep *sweep, uint32_t range)
{
    uint32_t variable = sweep->live->ranges[range].variable;

    sweep->range_of[variable] = range;
    if (!sweep->active[variable]++)
        set_end(sweep, sweep->slot_of[variable], sweep->bytes[variable].end);
}

static void leave(struct sweep *sweep, uint32_t range)
{
    uint32_t variable = sweep->live->ranges[range].variable;

    if (!--sweep->active[variable])
        set_end(sweep, sweep->slot_of[variable], 0);
}

/* Whether someone looks at the value behind the last instruction. */
static bool outlasts(const struct sweep *sweep, uint32_t value)
{
    return sweep->flow->values[value].last || sweep->live->buffer[value];
}

/* Whether two variables at the same byte may share it when `node` writes the first;
 * DG_FLOW_NONE: it is there before the first instruction. */
static bool is_alias(const struct sweep *sweep, uint32_t writer, uint32_t victim,
                     uint32_t node)
{
    const struct dg_live_variable *one = &sweep->live->variables[writer];
    const struct dg_live_variable *other = &sweep->live->variables[victim];
    const struct bytes *a = &sweep->bytes[writer], *b = &sweep->bytes[victim];

    if (one->value == other->value)
        return true;
    if (a->begin != b->begin)
        return false;
    if (one->alias || other->alias ||
        group_of(sweep, one->value) == group_of(sweep, other->value) ||
        dg_live_one_buffer(sweep->live, one->value, other->value))
        return true;
    return node != DG_FLOW_NONE && sweep->flow->nodes[node].pointwise &&
           a->end == b->end &&
           sweep->live->ranges[sweep->range_of[victim]].end == node &&
           !outlasts(sweep, other->value);
}

static int meet(struct sweep *sweep, const struct dg_live_place *write, uint32_t victim)
{
    const struct dg_live_range *range = &sweep->live->ranges[sweep->range_of[victim]];
    struct dg_overlap overlap = {write->of, write->node, victim, range->begin,
                                 range->end};

    if (victim == write->of || is_alias(sweep, write->of, victim, write->node))
        return 0;
    /* Of two results of one instruction, each is written over the other. */
    if (!range->entered && range->begin == write->node && victim > write->of)
        return 0;
    return sweep->visit(sweep->context, &overlap);
}

/* Visit what is live, begins before the end of what is written and ends behind its
 * begin. */
static int look(struct sweep *sweep, const struct dg_live_place *write)
{
    const uint32_t *members = sweep->members.items + sweep->members.at;
    const struct bytes *bytes = &sweep->bytes[write->of];
    uint32_t stack[64], n_stack = 1;
    int ended = 0;

    stack[0] = 1;
    while (n_stack && !ended && sweep->n_pairs < MAX_PAIRS) {
        uint32_t at = stack[--n_stack];

        if (sweep->ends[at] <= bytes->begin)
            continue;
        sweep->n_pairs++;
        if (at < sweep->width) {
            stack[n_stack++] = 2 * at + 1;
            stack[n_stack++] = 2 * at;
        } else {
            uint32_t victim = members[at - sweep->width];

            if (sweep->bytes[victim].begin >= bytes->end)
                break; /* slots come in order */
            ended = meet(sweep, write, victim);
        }
    }
    return ended;
}

/* Ranges that hold before the first instruction, against one another. */
static int enter_first(struct sweep *sweep)
{
    struct order *begins = &sweep->begins;
    int ended = 0;

    for (; begins->at < begins->end && !ended; begins->at++) {
        uint32_t range = begins->items[begins->at];
        struct dg_live_place write = {DG_FLOW_NONE,
                                      sweep->live->ranges[range].variable};

        if (range_begin(sweep, range, 1) >= 0)
            break;
        ended = look(sweep, &write);
        enter(sweep, range);
    }
    return ended;
}

/* What begins by `node`, and then what ends before it. */
static void go_on_to(struct sweep *sweep, uint32_t node)
{
    struct order *begins = &sweep->begins, *ends = &sweep->ends_at;
    const struct dg_live_range *ranges = sweep->live->ranges;

    for (; begins->at < begins->end && ranges[begins->items[begins->at]].begin <= node;
         begins->at++)
        enter(sweep, begins->items[begins->at]);
    for (; ends->at < ends->end && ranges[ends->items[ends->at]].end < node; ends->at++)
        leave(sweep, ends->items[ends->at]);
}

static int sweep_arena(struct sweep *sweep)
{
    struct order *writes = &sweep->writes;
    int ended = enter_first(sweep);

    for (; writes->at < writes->end && !ended; writes->at++) {
        const struct dg_live_place *write =
            &sweep->live->writes[writes->items[writes->at]];

        go_on_to(sweep, write->node);
        ended = look(sweep, write);
    }
    return ended;
}

static void begin_order(const struct sweep *sweep, struct order *order, int64_t arena)
{
    order->at = order->end;
    while (order->end < order->n &&
           order->key(sweep, order->items[order->end], 0) == arena)
        order->end++;
}

static void begin_arena(struct sweep *sweep, int64_t arena)
{
    struct order *members = &sweep->members;
    uint32_t n_members;

    begin_order(sweep, members, arena);
    begin_order(sweep, &sweep->begins, arena);
    begin_order(sweep, &sweep->ends_at, arena);
    begin_order(sweep, &sweep->writes, arena);
    n_members = members->end - members->at;
    for (sweep->width = 1; sweep->width < n_members;)
        sweep->width *= 2;
    sweep->ends =
        dg_alloc(&sweep->memory, 2 * (size_t)sweep->width, sizeof(*sweep->ends));
    for (uint32_t i = 0; i < n_members; i++)
        sweep->slot_of[members->items[members->at + i]] = i;
}

static int sweep_all(struct sweep *sweep)
{
    const struct order *members = &sweep->members;
    int ended = 0;

    while (members->end < members->n && !ended) {
        begin_arena(sweep, sweep->bytes[members->items[members->end]].arena);
        ended = sweep_arena(sweep);
    }
    return ended;
}

int dg_live_overlaps(const struct dg_live_ranges *live, dg_overlap_fn *visit,
                     void *context)
{
    struct sweep sweep = {
        .live = live, .flow = live->flow, .visit = visit, .context = context};
    int ended = 0;

    if (!live->n_variables || live->too_large)
        return 0;
    copy_bytes(&sweep);
    sweep.members = order(&sweep, live->n_variables, member);
    sweep.begins = order(&sweep, live->n_ranges, range_begin);
    sweep.ends_at = order(&sweep, live->n_ranges, range_end);
    sweep.writes = order(&sweep, live->n_writes, write);
    sweep.slot_of = dg_alloc(&sweep.memory, live->n_variables, sizeof(uint32_t));
    sweep.active = dg_alloc(&sweep.memory, live->n_variables, sizeof(uint32_t));
    sweep.range_of = dg_alloc(&sweep.memory, live->n_variables, sizeof(uint32_t));
    group_in_place(&sweep);
    ended = sweep_all(&sweep);
    dg_arena_clear(&sweep.memory);
    return ended;
}
