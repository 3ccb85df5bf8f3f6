/* Planned values that share bytes while both live: a sweep over the instructions. */
#include <stdlib.h>

#include "base/order.h"
#include "graph/live_ranges.h"

enum { MAX_PAIRS = 10 * 1000 * 1000 };

/* A variable, or a range or write of one, with what it is sorted by. */
struct entry {
    int64_t arena, at;
    uint32_t which;
};

/* The variables of one arena by their first byte; `ends` is a tree of maxima over them:
 * the end of a variable that is live now, 0 of one that is not. */
struct sweep {
    const struct dg_live_ranges *live;
    const struct dg_flow *flow;
    struct entry *members, *begins, *ends_at, *writes; /* each sorted */
    uint32_t *slot_of;                                 /* of a variable, in its arena */
    uint32_t first_member, n_members, width;
    int64_t *ends;
    uint32_t *active, *range_of; /* of a variable: ranges that hold now; the latest */
    uint32_t *group;             /* of a value: in-place operators join values */
    uint32_t n_pairs;
    dg_overlap_fn *visit;
    void *context;
    struct dg_arena memory;
};

static const struct dg_flow_value *bytes_of(const struct sweep *sweep,
                                            uint32_t variable)
{
    return &sweep->flow->values[sweep->live->variables[variable].value];
}

typedef struct entry make_fn(const struct sweep *sweep, uint32_t i);

struct making {
    const struct sweep *sweep;
    make_fn *make;
};

static int64_t key_of(const void *things, uint32_t i, unsigned key)
{
    const struct making *making = things;
    struct entry entry = making->make(making->sweep, i);

    return key ? entry.at : entry.arena;
}

static struct entry *sort(struct sweep *sweep, uint32_t n, make_fn *make)
{
    const struct making making = {sweep, make};
    struct entry *entries = dg_alloc(&sweep->memory, n, sizeof(*entries));
    uint32_t *order = dg_order(n, key_of, 2, &making, &sweep->memory);

    for (uint32_t i = 0; i < n; i++)
        entries[i] = make(sweep, order[i]);
    return entries;
}

static struct entry member(const struct sweep *sweep, uint32_t i)
{
    return (struct entry){bytes_of(sweep, i)->arena, bytes_of(sweep, i)->begin, i};
}

/* What holds before the first instruction begins at -1. */
static struct entry range_begin(const struct sweep *sweep, uint32_t i)
{
    const struct dg_live_range *range = &sweep->live->ranges[i];
    int64_t begin = range->begin;

    return (struct entry){bytes_of(sweep, range->variable)->arena,
                          range->entered && !begin ? -1 : begin, i};
}

static struct entry range_end(const struct sweep *sweep, uint32_t i)
{
    const struct dg_live_range *range = &sweep->live->ranges[i];

    return (struct entry){bytes_of(sweep, range->variable)->arena, range->end, i};
}

static struct entry write(const struct sweep *sweep, uint32_t i)
{
    const struct dg_live_place *one = &sweep->live->writes[i];

    return (struct entry){bytes_of(sweep, one->of)->arena, one->node, i};
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
        set_end(sweep, sweep->slot_of[variable], bytes_of(sweep, variable)->end);
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

/* Whether two variables at the same byte may share it when `node` writes the first. */
static bool is_alias(const struct sweep *sweep, uint32_t writer, uint32_t victim,
                     uint32_t node)
{
    const struct dg_live_variable *one = &sweep->live->variables[writer];
    const struct dg_live_variable *other = &sweep->live->variables[victim];
    const struct dg_flow_value *a = bytes_of(sweep, writer);
    const struct dg_flow_value *b = bytes_of(sweep, victim);

    if (one->value == other->value)
        return true;
    if (!same_begin(a, b))
        return false;
    if (one->alias || other->alias ||
        group_of(sweep, one->value) == group_of(sweep, other->value) ||
        dg_live_one_buffer(sweep->live, one->value, other->value))
        return true;
    return sweep->flow->nodes[node].pointwise && a->end == b->end &&
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

/* Visit what is live, begins before slot `limit` and ends behind the write's begin. */
static int visit_slots(struct sweep *sweep, const struct dg_live_place *write,
                       uint32_t limit)
{
    int64_t begin = bytes_of(sweep, write->of)->begin;
    uint32_t stack[64], n_stack = 1;
    int ended = 0;

    stack[0] = 1;
    while (n_stack && !ended && sweep->n_pairs < MAX_PAIRS) {
        uint32_t at = stack[--n_stack], slot = at - sweep->width;

        if (sweep->ends[at] <= begin)
            continue;
        sweep->n_pairs++;
        if (at < sweep->width) {
            stack[n_stack++] = 2 * at + 1;
            stack[n_stack++] = 2 * at;
        } else if (slot < limit) {
            ended =
                meet(sweep, write, sweep->members[sweep->first_member + slot].which);
        } else {
            break; /* slots come in order */
        }
    }
    return ended;
}

/* How many members begin before byte `end`. */
static uint32_t count_before(const struct sweep *sweep, int64_t end)
{
    uint32_t low = 0, high = sweep->n_members;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (sweep->members[sweep->first_member + middle].at < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int look(struct sweep *sweep, const struct dg_live_place *write)
{
    return visit_slots(sweep, write,
                       count_before(sweep, bytes_of(sweep, write->of)->end));
}

/* Part of a sorted array that belongs to one arena. */
struct span {
    uint32_t at, end;
};

static struct span span_of(const struct entry *entries, uint32_t n, uint32_t from,
                           int64_t arena)
{
    struct span span = {from, from};

    while (span.end < n && entries[span.end].arena == arena)
        span.end++;
    return span;
}

/* Ranges that hold before the first instruction, against one another. */
static int enter_first(struct sweep *sweep, struct span *begins)
{
    int ended = 0;

    for (; begins->at < begins->end && !ended; begins->at++) {
        const struct entry *entry = &sweep->begins[begins->at];
        struct dg_live_place write = {0, sweep->live->ranges[entry->which].variable};

        if (entry->at >= 0)
            break;
        ended = look(sweep, &write);
        enter(sweep, entry->which);
    }
    return ended;
}

static int sweep_arena(struct sweep *sweep, struct span begins, struct span ends,
                       struct span writes)
{
    int ended = enter_first(sweep, &begins);

    for (; writes.at < writes.end && !ended; writes.at++) {
        const struct entry *write = &sweep->writes[writes.at];

        for (; begins.at < begins.end && sweep->begins[begins.at].at <= write->at;
             begins.at++)
            enter(sweep, sweep->begins[begins.at].which);
        for (; ends.at < ends.end && sweep->ends_at[ends.at].at < write->at; ends.at++)
            leave(sweep, sweep->ends_at[ends.at].which);
        ended = look(sweep, &sweep->live->writes[write->which]);
    }
    return ended;
}

static void begin_arena(struct sweep *sweep, struct span members)
{
    sweep->first_member = members.at;
    sweep->n_members = members.end - members.at;
    for (sweep->width = 1; sweep->width < sweep->n_members;)
        sweep->width *= 2;
    sweep->ends =
        dg_alloc(&sweep->memory, 2 * (size_t)sweep->width, sizeof(*sweep->ends));
    for (uint32_t i = 0; i < sweep->n_members; i++)
        sweep->slot_of[sweep->members[members.at + i].which] = i;
}

static int sweep_all(struct sweep *sweep)
{
    const struct dg_live_ranges *live = sweep->live;
    struct span members = {0}, begins = {0}, ends = {0}, writes = {0};
    int ended = 0;

    while (members.end < live->n_variables && !ended) {
        int64_t arena = sweep->members[members.end].arena;

        members = span_of(sweep->members, live->n_variables, members.end, arena);
        begins = span_of(sweep->begins, live->n_ranges, begins.end, arena);
        ends = span_of(sweep->ends_at, live->n_ranges, ends.end, arena);
        writes = span_of(sweep->writes, live->n_writes, writes.end, arena);
        begin_arena(sweep, members);
        ended = sweep_arena(sweep, begins, ends, writes);
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
    sweep.members = sort(&sweep, live->n_variables, member);
    sweep.begins = sort(&sweep, live->n_ranges, range_begin);
    sweep.ends_at = sort(&sweep, live->n_ranges, range_end);
    sweep.writes = sort(&sweep, live->n_writes, write);
    sweep.slot_of = dg_alloc(&sweep.memory, live->n_variables, sizeof(uint32_t));
    sweep.active = dg_alloc(&sweep.memory, live->n_variables, sizeof(uint32_t));
    sweep.range_of = dg_alloc(&sweep.memory, live->n_variables, sizeof(uint32_t));
    group_in_place(&sweep);
    ended = sweep_all(&sweep);
    dg_arena_clear(&sweep.memory);
    return ended;
}
