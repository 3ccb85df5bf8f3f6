/* Finding what each planned value's life consists of: its own reads and writes, those
 * of values at the same bytes, and those through handles. */
#include "graph/live.h"

#include <stdlib.h>

#include "graph/live_parts.h"

/* Touches by value, and values by place. */
struct finder {
    struct dg_live *live;
    const struct dg_plan *plan;
    struct dg_life life;
    uint32_t *touch_of, *touches; /* of value i: touches[touch_of[i]]... */
    uint32_t *by_place;           /* planned values by arena, begin */
    uint32_t n_by_place;
    uint32_t *place_of; /* where a value stands in by_place */
    bool *handle;       /* some move makes it one */
};

static void index_touches(struct finder *finder)
{
    const struct dg_plan *plan = finder->plan;
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

static void index_places(struct finder *finder)
{
    const struct dg_plan *plan = finder->plan;
    struct dg_arena *memory = &finder->live->memory;
    struct place *places = dg_alloc(memory, plan->n_values, sizeof(*places));
    uint32_t n = 0;

    for (uint32_t i = 0; i < plan->n_values; i++) {
        if (plan->values[i].arena >= 0)
            places[n++] =
                (struct place){plan->values[i].arena, plan->values[i].begin, i};
    }
    qsort(places, n, sizeof(*places), compare_places);
    finder->n_by_place = n;
    finder->by_place = dg_alloc(memory, n, sizeof(uint32_t));
    finder->place_of = dg_alloc(memory, plan->n_values, sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++) {
        finder->by_place[i] = places[i].value;
        finder->place_of[places[i].value] = i;
    }
}

static const struct dg_touch *touch_at(const struct finder *finder, uint32_t k)
{
    return &finder->plan->touches[finder->touches[k]];
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

/* The value's own reads and writes. */
static void add_own(struct finder *finder, uint32_t value)
{
    struct dg_life *life = &finder->life;

    dg_life_clear(life);
    life->first = finder->plan->values[value].first;
    life->last = finder->plan->values[value].last;
    for (uint32_t k = finder->touch_of[value]; k < finder->touch_of[value + 1]; k++)
        dg_life_add(life, touch_at(finder, k)->node,
                    event_of(touch_at(finder, k)->how));
    dg_life_sort(life);
}

/* The writes of another value that begins at the same byte and covers this one. */
static void add_writes_of(struct finder *finder, uint32_t other)
{
    for (uint32_t k = finder->touch_of[other]; k < finder->touch_of[other + 1]; k++) {
        unsigned what = event_of(touch_at(finder, k)->how);

        what &= ~(unsigned)(DG_LIFE_USE | DG_LIFE_CHECKED);
        if (what)
            dg_life_add(&finder->life, touch_at(finder, k)->node, what);
    }
    finder->life.first |= finder->plan->values[other].first;
}

static bool same_place(const struct dg_plan_value *a, const struct dg_plan_value *b)
{
    return a->arena == b->arena && a->begin == b->begin;
}

static void add_neighbours(struct finder *finder, uint32_t value)
{
    const struct dg_plan_value *values = finder->plan->values;
    uint32_t at = finder->place_of[value];

    while (at > 0 && same_place(&values[finder->by_place[at - 1]], &values[value]))
        at--;
    for (; at < finder->n_by_place; at++) {
        uint32_t other = finder->by_place[at];

        if (!same_place(&values[other], &values[value]) || !finder->life.work)
            break;
        finder->life.work--;
        if (other != value && values[other].end >= values[value].end)
            add_writes_of(finder, other);
    }
    dg_life_sort(&finder->life);
}

/* Whether something may write the value that does not say so. */
static bool may_be_written(const struct finder *finder, uint32_t value)
{
    for (uint32_t k = finder->touch_of[value]; k < finder->touch_of[value + 1]; k++) {
        if (touch_at(finder, k)->how & DG_TOUCH_UNSURE)
            return true;
    }
    return false;
}

static uint32_t new_variable(struct finder *finder, uint32_t value, uint32_t via)
{
    struct dg_live *live = finder->live;

    *DG_APPEND(live->variables, live->n_variables) =
        (struct dg_live_variable){value, via, false};
    return live->n_variables - 1;
}

static void note_undefined(struct finder *finder, uint32_t value, uint32_t node)
{
    struct dg_live *live = finder->live;

    *DG_APPEND(live->undefined, live->n_undefined) =
        (struct dg_live_place){node, value};
}

/* A read that nothing precedes: of a view whose base was written; of a buffer, which
 * keeps its bytes from run to run and is written later on; or wrong. Returns whether
 * the value is a view. */
static bool explain(struct finder *finder, uint32_t value, uint32_t reader)
{
    struct dg_life *life = &finder->life;
    bool buffer = may_be_written(finder, value) || dg_life_defined_after(life, reader);

    add_neighbours(finder, value);
    reader = dg_life_unassigned(life);
    if (reader == DG_PLAN_NONE)
        return true;
    add_own(finder, value);
    if (buffer)
        life->first = life->last = true;
    else
        note_undefined(finder, value, reader);
    return false;
}

/* An out argument stands twice among the operands: as argument and as result. */
static void add_writes(struct finder *finder, uint32_t value, uint32_t variable)
{
    struct dg_live *live = finder->live;
    uint32_t last = DG_PLAN_NONE;

    for (uint32_t k = finder->touch_of[value]; k < finder->touch_of[value + 1]; k++) {
        const struct dg_touch *touch = touch_at(finder, k);

        if (!(touch->how & DG_TOUCH_WRITE) || touch->node == last)
            continue;
        *DG_APPEND(live->writes, live->n_writes) =
            (struct dg_live_place){touch->node, variable};
        last = touch->node;
    }
}

static void find_own(struct finder *finder, uint32_t value)
{
    uint32_t variable = new_variable(finder, value, DG_PLAN_NONE), reader;

    add_own(finder, value);
    reader = dg_life_unassigned(&finder->life);
    if (reader != DG_PLAN_NONE)
        finder->live->variables[variable].alias = explain(finder, value, reader);
    dg_life_ranges(&finder->life, variable);
    add_writes(finder, value, variable);
}

/* The planned values whose bytes a handle may name, once for each of its moves. */
struct sources {
    struct dg_live_place *items; /* node of the move, value */
    uint32_t n_items;
    uint32_t *stack, *stamp;
    uint32_t time;
};

static void follow(struct finder *finder, struct sources *sources, uint32_t node,
                   uint32_t from)
{
    uint32_t n_stack = 0;

    sources->time++;
    sources->stamp[from] = sources->time;
    sources->stack[n_stack++] = from;
    while (n_stack && finder->life.work) {
        uint32_t value = sources->stack[--n_stack];

        finder->life.work--;
        if (finder->plan->values[value].arena >= 0)
            *DG_APPEND(sources->items, sources->n_items) =
                (struct dg_live_place){node, value};
        for (uint32_t k = finder->touch_of[value];
             finder->handle[value] && k < finder->touch_of[value + 1]; k++) {
            const struct dg_touch *touch = touch_at(finder, k);

            if (!(touch->how & DG_TOUCH_MOVE) ||
                sources->stamp[touch->from] == sources->time)
                continue;
            sources->stamp[touch->from] = sources->time;
            sources->stack[n_stack++] = touch->from;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const struct dg_live_place *left = a, *right = b;
    int order = compare(left->of, right->of);

    return order ? order : compare(left->node, right->node);
}

/* The life of the bytes of `items[0].of` through the handle `via`. */
static void find_through(struct finder *finder, uint32_t via,
                         const struct dg_live_place *items, uint32_t n_items)
{
    uint32_t variable = new_variable(finder, items->of, via);

    add_own(finder, via);
    finder->life.first = false;
    for (uint32_t i = 0; i < finder->life.n_events; i++) {
        if (finder->life.events[i].what & DG_LIFE_DEF)
            finder->life.events[i].what ^= DG_LIFE_DEF | DG_LIFE_KILL;
    }
    for (uint32_t i = 0; i < n_items; i++)
        dg_life_add(&finder->life, items[i].node, DG_LIFE_KILL | DG_LIFE_DEF);
    dg_life_sort(&finder->life);
    dg_life_ranges(&finder->life, variable);
}

static void find_handle(struct finder *finder, struct sources *sources, uint32_t via)
{
    sources->n_items = 0;
    for (uint32_t k = finder->touch_of[via]; k < finder->touch_of[via + 1]; k++) {
        const struct dg_touch *touch = touch_at(finder, k);

        if (touch->how & DG_TOUCH_MOVE && !finder->live->too_large)
            follow(finder, sources, touch->node, touch->from);
    }
    if (!sources->n_items)
        return;
    qsort(sources->items, sources->n_items, sizeof(*sources->items), by_value);
    for (uint32_t i = 0, n; i < sources->n_items; i += n) {
        for (n = 1; i + n < sources->n_items; n++) {
            if (sources->items[i + n].of != sources->items[i].of)
                break;
        }
        find_through(finder, via, sources->items + i, n);
    }
}

static void find_all(struct finder *finder)
{
    const struct dg_plan *plan = finder->plan;
    struct sources sources = {0};

    sources.stack = dg_alloc(&finder->live->memory, plan->n_values, sizeof(uint32_t));
    sources.stamp = dg_alloc(&finder->live->memory, plan->n_values, sizeof(uint32_t));
    for (uint32_t i = 0; i < plan->n_values && !finder->live->too_large; i++) {
        if (plan->values[i].arena >= 0)
            find_own(finder, i);
        if (finder->handle[i])
            find_handle(finder, &sources, i);
    }
    free(sources.items);
}

void dg_live_find(struct dg_live *live, const struct dg_plan *plan)
{
    struct finder finder = {.live = live, .plan = plan};

    *live = (struct dg_live){.plan = plan};
    if (!plan->n_nodes)
        return;
    index_touches(&finder);
    index_places(&finder);
    dg_life_begin(&finder.life, live);
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
    dg_arena_clear(&live->memory);
    *live = (struct dg_live){0};
}
