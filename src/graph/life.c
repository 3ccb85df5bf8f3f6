/* The life of one variable: which uses see a definition, and where it is live. */
#include "graph/live_parts.h"

#include <stdlib.h>

#include "base/sorted.h"

enum { MAX_WORK = 100 * 1000 * 1000 };

/* How many events and ranges there may be, which are sorted here and by who reads them:
 * so many, and for each value and touch as many. Programs of the libraries need eleven
 * for each; a file that lets values name each other's bytes needs their square. */
enum { ROOM_LEAST = 1000 * 1000, ROOM_EACH = 32 };

/* Marks of a block. */
enum {
    EXPOSED = 1 << 0, /* a use comes before any kill */
    KILLS = 1 << 1,
    DEFINED = 1 << 2,  /* a definition holds at its end... */
    CLOSED = 1 << 3,   /* ...or none, whatever came in */
    REACHED = 1 << 4,  /* a definition may come in */
    LIVE_OUT = 1 << 5, /* a use may come behind it */
};

void dg_life_begin(struct dg_life *life, struct dg_live *live)
{
    uint32_t n = live->plan->n_blocks;
    struct dg_arena *memory = &live->memory;

    *life = (struct dg_life){.live = live, .work = MAX_WORK};
    life->room = ROOM_LEAST +
                 ROOM_EACH * ((uint64_t)live->plan->n_values + live->plan->n_accesses);
    life->stamp = dg_alloc(memory, n, sizeof(uint32_t));
    life->seen = dg_alloc(memory, n, sizeof(uint32_t));
    life->first_event = dg_alloc(memory, n, sizeof(uint32_t));
    life->queue = dg_alloc(memory, (size_t)n + 1, sizeof(uint32_t));
    life->marks = dg_alloc(memory, n, 1);
}

void dg_life_end(struct dg_life *life)
{
    free(life->events);
    life->events = NULL;
}

void dg_life_clear(struct dg_life *life)
{
    life->n_events = 0;
    life->first = life->last = false;
}

static bool spend(struct dg_life *life, uint64_t steps)
{
    if (life->work < steps)
        life->live->too_large = true;
    life->work -= life->work < steps ? life->work : steps;
    return !life->live->too_large;
}

bool dg_life_take(struct dg_life *life)
{
    if (!life->room)
        life->live->too_large = true;
    else
        life->room--;
    return spend(life, 1);
}

void dg_life_add(struct dg_life *life, uint32_t node, unsigned what)
{
    if (dg_life_take(life))
        *DG_APPEND(life->events, life->n_events) = (struct dg_life_event){node, what};
}

static int by_node(const void *a, const void *b)
{
    uint32_t left = ((const struct dg_life_event *)a)->node;
    uint32_t right = ((const struct dg_life_event *)b)->node;

    return (left > right) - (left < right);
}

static bool sorted(const struct dg_life *life)
{
    for (uint32_t i = 1; i < life->n_events; i++) {
        if (life->events[i - 1].node >= life->events[i].node)
            return false;
    }
    return true;
}

void dg_life_sort(struct dg_life *life)
{
    uint32_t n = 0;

    if (sorted(life))
        return;
    dg_sort(life->events, life->n_events, sizeof(*life->events), by_node);
    for (uint32_t i = 0; i < life->n_events; i++) {
        if (n && life->events[n - 1].node == life->events[i].node)
            life->events[n - 1].what |= life->events[i].what;
        else
            life->events[n++] = life->events[i];
    }
    life->n_events = n;
}

static uint32_t block_of(const struct dg_life *life, uint32_t event)
{
    return life->live->plan->block_of[life->events[event].node];
}

/* Whether some event of the block of event `i`, from there on, has `what`. */
static bool block_has(const struct dg_life *life, uint32_t i, unsigned what)
{
    for (uint32_t block = block_of(life, i);
         i < life->n_events && block_of(life, i) == block; i++) {
        if (life->events[i].what & what)
            return true;
    }
    return false;
}

/* The first event of the block with a checked use before any assignment. */
static uint32_t exposed_check(const struct dg_life *life, uint32_t i)
{
    for (uint32_t block = block_of(life, i);
         i < life->n_events && block_of(life, i) == block; i++) {
        if (life->events[i].what & DG_LIFE_CHECKED)
            return i;
        if (life->events[i].what & DG_LIFE_ASSIGN)
            break;
    }
    return DG_FLOW_NONE;
}

/* Note the first event of each block. Returns whether a check is exposed anywhere. */
static bool note_events(struct dg_life *life)
{
    bool exposed = false;

    life->time++;
    for (uint32_t i = 0; i < life->n_events; i++) {
        uint32_t block = block_of(life, i);

        if (life->stamp[block] == life->time)
            continue;
        life->stamp[block] = life->time;
        life->first_event[block] = i;
        exposed |= exposed_check(life, i) != DG_FLOW_NONE;
    }
    return exposed;
}

static void enqueue(struct dg_life *life, uint32_t *n_queue, uint32_t block)
{
    if (block == DG_FLOW_NONE || life->seen[block] == life->time)
        return;
    life->seen[block] = life->time;
    life->queue[(*n_queue)++] = block;
}

static uint32_t block_end(const struct dg_flow *plan, uint32_t block)
{
    return block + 1 < plan->n_blocks ? plan->blocks[block + 1].begin : plan->n_nodes;
}

/* What goes wrong in a block that is reached without an assignment: a checked use, or
 * `at_end`, that the method may end there. */
static uint32_t fault_in(const struct dg_life *life, uint32_t block, bool at_end)
{
    bool touched = life->stamp[block] == life->time;
    uint32_t check;

    if (at_end) {
        bool assigned =
            touched && block_has(life, life->first_event[block], DG_LIFE_ASSIGN);

        return assigned || !life->live->plan->blocks[block].leaves
                   ? DG_FLOW_NONE
                   : block_end(life->live->plan, block) - 1;
    }
    check = touched ? exposed_check(life, life->first_event[block]) : DG_FLOW_NONE;
    return check == DG_FLOW_NONE ? DG_FLOW_NONE : life->events[check].node;
}

/* The first fault that some way from the start reaches without an assignment. */
static uint32_t find_fault(struct dg_life *life, bool at_end)
{
    const struct dg_flow *plan = life->live->plan;
    uint32_t n_queue = 0;

    enqueue(life, &n_queue, 0);
    for (uint32_t at = 0; at < n_queue && spend(life, 1); at++) {
        uint32_t block = life->queue[at], fault = fault_in(life, block, at_end);

        if (fault != DG_FLOW_NONE)
            return fault;
        if (life->stamp[block] == life->time &&
            block_has(life, life->first_event[block], DG_LIFE_ASSIGN))
            continue;
        enqueue(life, &n_queue, plan->blocks[block].next[0]);
        enqueue(life, &n_queue, plan->blocks[block].next[1]);
    }
    return DG_FLOW_NONE;
}

uint32_t dg_life_unassigned(struct dg_life *life)
{
    if (life->first || !life->n_events || !note_events(life))
        return DG_FLOW_NONE;
    return find_fault(life, false);
}

uint32_t dg_life_unassigned_at_end(struct dg_life *life)
{
    if (life->first)
        return DG_FLOW_NONE;
    note_events(life);
    return find_fault(life, true);
}

bool dg_life_defined_after(struct dg_life *life, uint32_t node)
{
    const struct dg_flow *plan = life->live->plan;
    uint32_t n_queue = 0, block = plan->block_of[node];

    note_events(life);
    for (uint32_t i = life->first_event[block];
         i < life->n_events && block_of(life, i) == block; i++) {
        if (life->events[i].node >= node && life->events[i].what & DG_LIFE_DEF)
            return true;
    }
    enqueue(life, &n_queue, plan->blocks[block].next[0]);
    enqueue(life, &n_queue, plan->blocks[block].next[1]);
    for (uint32_t at = 0; at < n_queue && spend(life, 1); at++) {
        block = life->queue[at];
        if (life->stamp[block] == life->time &&
            block_has(life, life->first_event[block], DG_LIFE_DEF))
            return true;
        enqueue(life, &n_queue, plan->blocks[block].next[0]);
        enqueue(life, &n_queue, plan->blocks[block].next[1]);
    }
    return false;
}

static unsigned char *mark(struct dg_life *life, uint32_t block)
{
    if (life->stamp[block] != life->time) {
        life->stamp[block] = life->time;
        life->marks[block] = 0;
        life->first_event[block] = DG_FLOW_NONE;
    }
    return &life->marks[block];
}

static void summarize(struct dg_life *life)
{
    life->time++;
    for (uint32_t i = 0; i < life->n_events; i++) {
        unsigned what = life->events[i].what;
        uint32_t block = block_of(life, i);
        unsigned char *marks = mark(life, block);

        if (life->first_event[block] == DG_FLOW_NONE)
            life->first_event[block] = i;
        if (what & DG_LIFE_USE && !(*marks & KILLS))
            *marks |= EXPOSED;
        if (what & DG_LIFE_KILL)
            *marks = (unsigned char)((*marks | KILLS | CLOSED) & ~DEFINED);
        if (what & DG_LIFE_DEF)
            *marks = (unsigned char)((*marks | DEFINED) & ~CLOSED);
    }
}

static void push(struct dg_life *life, uint32_t *n_stack, uint32_t block, int bit)
{
    if (block == DG_FLOW_NONE || *mark(life, block) & bit)
        return;
    *mark(life, block) |= (unsigned char)bit;
    life->queue[(*n_stack)++] = block;
}

static void push_next(struct dg_life *life, uint32_t *n_stack, uint32_t block)
{
    push(life, n_stack, life->live->plan->blocks[block].next[0], REACHED);
    push(life, n_stack, life->live->plan->blocks[block].next[1], REACHED);
}

static void push_previous(struct dg_life *life, uint32_t *n_stack, uint32_t block)
{
    const struct dg_flow *plan = life->live->plan;

    for (uint32_t k = plan->previous_of[block]; k < plan->previous_of[block + 1]; k++)
        push(life, n_stack, plan->previous[k], LIVE_OUT);
    spend(life, plan->previous_of[block + 1] - plan->previous_of[block]);
}

/* Forwards: where a definition may come in. */
static void reach(struct dg_life *life)
{
    uint32_t n_stack = 0;

    if (life->first)
        push(life, &n_stack, 0, REACHED);
    for (uint32_t i = 0; i < life->n_events; i++) {
        uint32_t block = block_of(life, i);

        if (life->first_event[block] == i && life->marks[block] & DEFINED)
            push_next(life, &n_stack, block);
    }
    while (n_stack && spend(life, 1)) {
        uint32_t block = life->queue[--n_stack];

        if (!(life->marks[block] & CLOSED))
            push_next(life, &n_stack, block);
    }
}

/* Backwards: behind which a use may come. */
static void need(struct dg_life *life)
{
    const struct dg_flow *plan = life->live->plan;
    uint32_t n_stack = 0;

    for (uint32_t i = 0; life->last && i < plan->n_blocks; i++) {
        if (plan->blocks[i].leaves)
            push(life, &n_stack, i, LIVE_OUT);
    }
    for (uint32_t i = 0; i < life->n_events; i++) {
        uint32_t block = block_of(life, i);

        if (life->first_event[block] == i && life->marks[block] & EXPOSED)
            push_previous(life, &n_stack, block);
    }
    while (n_stack && spend(life, 1)) {
        uint32_t block = life->queue[--n_stack];

        if (!(life->marks[block] & KILLS))
            push_previous(life, &n_stack, block);
    }
}

static void append_range(struct dg_life *life, const struct dg_live_range *range)
{
    struct dg_live *live = life->live;

    if (range->end != DG_FLOW_NONE && dg_life_take(life))
        *DG_APPEND(live->ranges, live->n_ranges) = *range;
}

/* The ranges inside one block. `end` NONE: defined, but no use seen so far. */
static void walk_block(struct dg_life *life, uint32_t variable, uint32_t block)
{
    const struct dg_flow *plan = life->live->plan;
    struct dg_live_range range = {variable, plan->blocks[block].begin, DG_FLOW_NONE,
                                  true};
    unsigned marks = life->marks[block];
    bool holds = marks & REACHED;

    for (uint32_t i = life->first_event[block];
         i < life->n_events && block_of(life, i) == block; i++) {
        const struct dg_life_event *event = &life->events[i];

        if (event->what & DG_LIFE_USE && holds)
            range.end = event->node;
        if (event->what & DG_LIFE_KILL) {
            append_range(life, &range);
            range.end = DG_FLOW_NONE;
            holds = false;
        }
        if (event->what & DG_LIFE_DEF) {
            if (!holds)
                range = (struct dg_live_range){variable, event->node, 0, false};
            range.end = event->node;
            holds = true;
        }
    }
    if (holds && marks & LIVE_OUT)
        range.end = block_end(plan, block) - 1;
    append_range(life, &range);
}

void dg_life_ranges(struct dg_life *life, uint32_t variable)
{
    const struct dg_flow *plan = life->live->plan;

    if (!plan->n_blocks)
        return;
    summarize(life);
    reach(life);
    need(life);
    if (plan->n_blocks > 1)
        spend(life, plan->n_blocks);
    for (uint32_t i = 0; i < plan->n_blocks && !life->live->too_large; i++) {
        if (life->stamp[i] == life->time)
            walk_block(life, variable, i);
    }
}
