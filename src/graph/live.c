/* Finding what each planned value's life consists of: its own reads and writes, those
 * of values at the same bytes, and those through handles. */
#include "graph/live.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "graph/live_parts.h"

static void index_touches(struct dg_finder *finder)
{
    const struct dg_flow *plan = finder->plan;
    struct dg_arena *memory = &finder->live->memory;
    uint32_t n = plan->n_values;

    finder->touch_of = dg_alloc(memory, (size_t)n + 1, sizeof(uint32_t));
    finder->touches = dg_alloc(memory, plan->n_touches, sizeof(uint32_t));
    finder->handle = dg_alloc(memory, n, sizeof(bool));
    for (uint32_t i = 0; i < plan->n_touches; i++)
        finder->touch_of[plan->touches[i].value + 1]++;
    for (uint32_t i = 0; i < n; i++)
        finder->touch_of[i + 1] += finder->touch_of[i];
    for (uint32_t i = 0; i < plan->n_touches; i++) {
        const struct dg_touch *touch = &plan->touches[i];

        finder->touches[finder->touch_of[touch->value]++] = i;
        finder->handle[touch->value] |= (touch->how & DG_TOUCH_MOVE) != 0;
    }
    for (uint32_t i = n; i > 0; i--)
        finder->touch_of[i] = finder->touch_of[i - 1];
    finder->touch_of[0] = 0;
}

const struct dg_touch *dg_finder_touch(const struct dg_finder *finder, uint32_t k)
{
    return &finder->plan->touches[finder->touches[k]];
}

static void index_sources(struct dg_finder *finder)
{
    struct dg_arena *memory = &finder->live->memory;
    uint32_t n = finder->plan->n_values, n_sources = 0;
    uint32_t *seen = dg_alloc(memory, n, sizeof(uint32_t));

    finder->source_of = dg_alloc(memory, (size_t)n + 1, sizeof(uint32_t));
    finder->sources = dg_alloc(memory, finder->plan->n_touches, sizeof(uint32_t));
    finder->moved = dg_alloc(memory, n, sizeof(bool));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = finder->handle[i] ? finder->touch_of[i + 1] : 0;

        for (uint32_t k = finder->touch_of[i]; k < end; k++) {
            const struct dg_touch *touch = dg_finder_touch(finder, k);

            if (!(touch->how & DG_TOUCH_MOVE))
                continue;
            finder->moved[i] |= finder->plan->nodes[touch->node].moves;
            if (seen[touch->from] != i + 1)
                finder->sources[n_sources++] = touch->from;
            seen[touch->from] = i + 1;
        }
        finder->source_of[i + 1] = n_sources;
    }
}

struct place {
    int64_t arena, begin;
    uint32_t value;
};

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    int order = compare(left->arena, right->arena);

    if (!order)
        order = compare(left->begin, right->begin);
    return order ? order : compare(left->value, right->value);
}

static void index_places(struct dg_finder *finder)
{
    const struct dg_flow *plan = finder->plan;
    struct dg_arena *memory = &finder->live->memory;
    struct place *places = dg_alloc(memory, plan->n_values, sizeof(*places));
    uint32_t n = 0;

    for (uint32_t i = 0; i < plan->n_values; i++) {
        if (plan->values[i].arena >= 0)
            places[n++] =
                (struct place){plan->values[i].arena, plan->values[i].begin, i};
    }
    dg_sort(places, n, sizeof(*places), compare_places);
    finder->n_by_place = n;
    finder->by_place = dg_alloc(memory, n, sizeof(uint32_t));
    finder->place_of = dg_alloc(memory, plan->n_values, sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++) {
        finder->by_place[i] = places[i].value;
        finder->place_of[places[i].value] = i;
    }
}

static unsigned event_of(unsigned how)
{
    unsigned what = 0;

    if (how & DG_TOUCH_READ)
        what |= DG_LIFE_USE | (how & DG_TOUCH_UNSURE ? 0 : DG_LIFE_CHECKED);
    if (how & DG_TOUCH_WRITE)
        what |= DG_LIFE_DEF | DG_LIFE_ASSIGN | (how & DG_TOUCH_KEEP ? 0 : DG_LIFE_KILL);
    if (how & DG_TOUCH_MOVE)
        what |= DG_LIFE_KILL | DG_LIFE_ASSIGN;
    return what;
}

static void add_touches(struct dg_finder *finder, uint32_t value)
{
    for (uint32_t k = finder->touch_of[value]; k < finder->touch_of[value + 1]; k++)
        dg_life_add(&finder->life, dg_finder_touch(finder, k)->node,
                    event_of(dg_finder_touch(finder, k)->how));
}

void dg_finder_own(struct dg_finder *finder, uint32_t value)
{
    struct dg_life *life = &finder->life;

    dg_life_clear(life);
    life->first = finder->plan->values[value].first || finder->live->buffer[value];
    life->last = finder->plan->values[value].last || finder->live->buffer[value];
    add_touches(finder, value);
    dg_life_sort(life);
}

/* The writes of another value that begins at the same byte and covers this one. */
static void add_writes_of(struct dg_finder *finder, uint32_t other)
{
    for (uint32_t k = finder->touch_of[other]; k < finder->touch_of[other + 1]; k++) {
        unsigned what = event_of(dg_finder_touch(finder, k)->how);

        what &= ~(unsigned)(DG_LIFE_USE | DG_LIFE_CHECKED);
        if (what)
            dg_life_add(&finder->life, dg_finder_touch(finder, k)->node, what);
    }
    finder->life.first |=
        finder->plan->values[other].first || finder->live->buffer[other];
}

static bool same_place(const struct dg_flow_value *a, const struct dg_flow_value *b)
{
    return a->arena == b->arena && a->begin == b->begin;
}

/* Whether anything gives the value its bytes. */
static bool is_made(const struct dg_finder *finder, uint32_t value)
{
    const struct dg_flow_value *one = &finder->plan->values[value];

    return one->fresh || one->updated || one->first || finder->handle[value] ||
           finder->live->buffer[value];
}

void dg_finder_neighbours(struct dg_finder *finder, uint32_t value, bool equal)
{
    const struct dg_flow_value *values = finder->plan->values;
    uint32_t at = finder->place_of[value];

    while (at > 0 && same_place(&values[finder->by_place[at - 1]], &values[value]))
        at--;
    for (; at < finder->n_by_place; at++) {
        uint32_t other = finder->by_place[at];

        if (!same_place(&values[other], &values[value]) || !finder->life.work)
            break;
        finder->life.work--;
        if (other != value && values[other].end >= values[value].end &&
            !(equal && values[other].end > values[value].end) && is_made(finder, other))
            add_writes_of(finder, other);
    }
    dg_life_sort(&finder->life);
}

bool dg_finder_unsure(const struct dg_finder *finder, uint32_t value)
{
    for (uint32_t k = finder->touch_of[value]; k < finder->touch_of[value + 1]; k++) {
        if (dg_finder_touch(finder, k)->how & DG_TOUCH_UNSURE)
            return true;
    }
    return false;
}

uint32_t dg_finder_variable(struct dg_finder *finder, uint32_t value, uint32_t via)
{
    struct dg_live *live = finder->live;

    *DG_APPEND(live->variables, live->n_variables) =
        (struct dg_live_variable){.value = value, .via = via};
    return live->n_variables - 1;
}

static void note_undefined(struct dg_finder *finder, uint32_t value, uint32_t node)
{
    struct dg_live *live = finder->live;

    *DG_APPEND(live->undefined, live->n_undefined) =
        (struct dg_live_place){node, value};
}

/* A read that nothing precedes: of a view whose base was written; of a buffer, which
 * keeps its bytes from run to run and is updated later on; or wrong. Returns whether
 * the value is a view. */
static bool explain(struct dg_finder *finder, uint32_t value, uint32_t reader)
{
    struct dg_life *life = &finder->life;
    bool unsure = dg_finder_unsure(finder, value);
    const struct dg_flow_value *one = &finder->plan->values[value];
    bool updated = one->updated && !one->fresh && dg_life_defined_after(life, reader);

    dg_finder_neighbours(finder, value, false);
    reader = dg_life_unassigned(life);
    if (reader == DG_FLOW_NONE)
        return true;
    dg_finder_own(finder, value);
    if (unsure || updated)
        life->first = life->last = true;
    else
        note_undefined(finder, value, reader);
    finder->live->buffer[value] |= updated && !unsure;
    return false;
}

/* An out argument stands twice among the operands: as argument and as result. */
static void add_writes(struct dg_finder *finder, uint32_t value, uint32_t variable)
{
    struct dg_live *live = finder->live;
    uint32_t last = DG_FLOW_NONE;

    for (uint32_t k = finder->touch_of[value]; k < finder->touch_of[value + 1]; k++) {
        const struct dg_touch *touch = dg_finder_touch(finder, k);

        if (!(touch->how & DG_TOUCH_WRITE) || touch->node == last ||
            finder->plan->nodes[touch->node].nop)
            continue;
        *DG_APPEND(live->writes, live->n_writes) =
            (struct dg_live_place){touch->node, variable};
        last = touch->node;
    }
}

static void find_own(struct dg_finder *finder, uint32_t value)
{
    uint32_t variable = dg_finder_variable(finder, value, DG_FLOW_NONE), reader;

    dg_finder_own(finder, value);
    reader = dg_life_unassigned(&finder->life);
    if (reader != DG_FLOW_NONE)
        finder->live->variables[variable].alias = explain(finder, value, reader);
    dg_life_ranges(&finder->life, variable);
    add_writes(finder, value, variable);
}

static void find_value(struct dg_finder *finder, struct dg_sources *sources,
                       uint32_t value)
{
    const struct dg_flow_value *one = &finder->plan->values[value];

    if (one->arena >= 0)
        find_own(finder, value);
    if (finder->handle[value])
        dg_finder_handle(finder, sources, value);
    if (one->bare)
        dg_finder_bare(finder, value);
    if (one->made && one->last)
        dg_finder_output(finder, value);
}

static void find_all(struct dg_finder *finder)
{
    const struct dg_flow *plan = finder->plan;
    struct dg_sources sources = {0};

    sources.stack = dg_alloc(&finder->live->memory, plan->n_values, sizeof(uint32_t));
    sources.stamp = dg_alloc(&finder->live->memory, plan->n_values, sizeof(uint32_t));
    for (uint32_t i = 0; i < plan->n_values && !finder->live->too_large; i++)
        find_value(finder, &sources, i);
    free(sources.items);
}

static bool any_fresh(const struct dg_finder *finder, uint32_t at, uint32_t end)
{
    const struct dg_flow_value *values = finder->plan->values;

    for (uint32_t i = at; i < end; i++) {
        if (values[finder->by_place[i]].fresh || values[finder->by_place[i]].first)
            return true;
    }
    return false;
}

/* Values at one byte of which some are updated, none is made, and one is read first: a
 * buffer that is written back, and views of it. */
static void note_buffers_at(struct dg_finder *finder, uint32_t at, uint32_t end)
{
    const struct dg_flow_value *values = finder->plan->values;
    struct dg_life *life = &finder->life;

    if (any_fresh(finder, at, end))
        return;
    dg_life_clear(life);
    for (uint32_t i = at; i < end; i++)
        add_touches(finder, finder->by_place[i]);
    dg_life_sort(life);
    if (dg_life_unassigned(life) == DG_FLOW_NONE)
        return;
    for (uint32_t i = at; i < end; i++)
        finder->live->buffer[finder->by_place[i]] |=
            values[finder->by_place[i]].updated;
}

static void note_buffers(struct dg_finder *finder)
{
    const struct dg_flow_value *values = finder->plan->values;

    for (uint32_t i = 0; i < finder->plan->n_values; i++)
        finder->live->buffer[i] = values[i].state;
    for (uint32_t at = 0, end; at < finder->n_by_place; at = end) {
        for (end = at + 1; end < finder->n_by_place; end++) {
            if (!same_place(&values[finder->by_place[end]],
                            &values[finder->by_place[at]]))
                break;
        }
        note_buffers_at(finder, at, end);
    }
}

bool dg_live_one_buffer(const struct dg_live *live, uint32_t a, uint32_t b)
{
    const struct dg_flow_value *left = &live->plan->values[a];
    const struct dg_flow_value *right = &live->plan->values[b];

    return live->buffer[a] && live->buffer[b] && same_place(left, right) &&
           !(left->restored && right->restored);
}

bool dg_live_counted(const struct dg_live *live, uint32_t i,
                     struct dg_live_range *range)
{
    *range = live->ranges[i];
    if (!live->buffer[live->variables[range->variable].value])
        return true;
    range->begin = 0;
    range->end = live->plan->n_nodes - 1;
    range->entered = true;
    return !i || live->ranges[i - 1].variable != range->variable;
}

/* Without instructions nothing is written. */
static void miss_all(struct dg_live *live)
{
    for (uint32_t i = 0; i < live->plan->n_values; i++) {
        const struct dg_flow_value *one = &live->plan->values[i];

        live->buffer[i] = one->state;
        if (one->made && one->last && !one->first)
            *DG_APPEND(live->missing, live->n_missing) =
                (struct dg_live_place){DG_FLOW_NONE, i};
    }
}

void dg_live_find(struct dg_live *live, const struct dg_flow *plan)
{
    struct dg_finder finder = {.live = live, .plan = plan};

    *live = (struct dg_live){.plan = plan, .too_large = plan->too_large};
    live->buffer = dg_alloc(&live->memory, plan->n_values, sizeof(*live->buffer));
    if (!plan->n_nodes) {
        miss_all(live);
        return;
    }
    index_touches(&finder);
    index_sources(&finder);
    index_places(&finder);
    dg_life_begin(&finder.life, live);
    note_buffers(&finder);
    find_all(&finder);
    live->too_large |= !finder.life.work;
    dg_life_end(&finder.life);
}

void dg_live_clear(struct dg_live *live)
{
    free(live->variables);
    free(live->ranges);
    free(live->writes);
    free(live->undefined);
    free(live->missing);
    free(live->bare);
    dg_arena_clear(&live->memory);
    *live = (struct dg_live){0};
}
