/* The dataflow of one variable: which uses see a definition, and where it is live. */
#include "graph/live_parts.h"

#include <stdlib.h>

#include "base/sorted.h"

enum { MAX_WORK = 100 * 1000 * 1000 };

/* How many events and ranges there may be, which are sorted here and by who reads them:
 * so many, and for each value and touch as many. Programs of the libraries need eleven
 * for each; a file that lets values name each other's bytes needs their square. */
enum { ROOM_LEAST = 1000 * 1000, ROOM_EACH = 32 };

void dg_dataflow_begin(struct dg_dataflow *dataflow, struct dg_live_ranges *live)
{
    uint32_t n = live->flow->n_blocks;
    struct dg_arena *memory = &dataflow->memory;

    *dataflow = (struct dg_dataflow){.live = live, .work = MAX_WORK};
    dataflow->room = ROOM_LEAST + ROOM_EACH * ((uint64_t)live->flow->n_values +
                                               live->flow->n_accesses);
    dataflow->stamp = dg_alloc(memory, n, sizeof(uint32_t));
    dataflow->seen = dg_alloc(memory, n, sizeof(uint32_t));
    dataflow->first_event = dg_alloc(memory, n, sizeof(uint32_t));
    dataflow->queue = dg_alloc(memory, (size_t)n + 1, sizeof(uint32_t));
    dataflow->marks = dg_alloc(memory, n, 1);
}

void dg_dataflow_end(struct dg_dataflow *dataflow)
{
    free(dataflow->events);
    dataflow->events = NULL;
    dg_arena_clear(&dataflow->memory);
}

void dg_dataflow_clear(struct dg_dataflow *dataflow)
{
    dataflow->n_events = 0;
    dataflow->first = dataflow->last = false;
}

bool dg_dataflow_spend(struct dg_dataflow *dataflow, uint64_t steps)
{
    if (dataflow->work < steps)
        dataflow->live->too_large = true;
    dataflow->work -= dataflow->work < steps ? dataflow->work : steps;
    return !dataflow->live->too_large;
}

bool dg_dataflow_take(struct dg_dataflow *dataflow)
{
    if (!dataflow->room)
        dataflow->live->too_large = true;
    else
        dataflow->room--;
    return dg_dataflow_spend(dataflow, 1);
}

void dg_dataflow_add(struct dg_dataflow *dataflow, uint32_t node, unsigned what)
{
    if (dg_dataflow_take(dataflow))
        *DG_APPEND(dataflow->events, dataflow->n_events) =
            (struct dg_dataflow_event){node, what};
}

static int by_node(const void *a, const void *b)
{
    uint32_t left = ((const struct dg_dataflow_event *)a)->node;
    uint32_t right = ((const struct dg_dataflow_event *)b)->node;

    return (left > right) - (left < right);
}

static bool sorted(const struct dg_dataflow *dataflow)
{
    for (uint32_t i = 1; i < dataflow->n_events; i++) {
        if (dataflow->events[i - 1].node >= dataflow->events[i].node)
            return false;
    }
    return true;
}

void dg_dataflow_sort(struct dg_dataflow *dataflow)
{
    uint32_t n = 0;

    if (sorted(dataflow))
        return;
    dg_sort(dataflow->events, dataflow->n_events, sizeof(*dataflow->events), by_node);
    for (uint32_t i = 0; i < dataflow->n_events; i++) {
        if (n && dataflow->events[n - 1].node == dataflow->events[i].node)
            dataflow->events[n - 1].what |= dataflow->events[i].what;
        else
            dataflow->events[n++] = dataflow->events[i];
    }
    dataflow->n_events = n;
}

/* Whether some event of the block of event `i`, from there on, has `what`. */
static bool block_has(const struct dg_dataflow *dataflow, uint32_t i, unsigned what)
{
    for (uint32_t block = dg_dataflow_block(dataflow, i);
         i < dataflow->n_events && dg_dataflow_block(dataflow, i) == block; i++) {
        if (dataflow->events[i].what & what)
            return true;
    }
    return false;
}

/* The first event of the block with such a use before any assignment. */
static uint32_t exposed_use(const struct dg_dataflow *dataflow, uint32_t i,
                            unsigned use)
{
    for (uint32_t block = dg_dataflow_block(dataflow, i);
         i < dataflow->n_events && dg_dataflow_block(dataflow, i) == block; i++) {
        if (dataflow->events[i].what & use)
            return i;
        if (dataflow->events[i].what & DG_DATAFLOW_ASSIGN)
            break;
    }
    return DG_FLOW_NONE;
}

/* Note the first event of each block. Returns whether a use is exposed anywhere. */
static bool note_events(struct dg_dataflow *dataflow, unsigned use)
{
    bool exposed = false;

    dataflow->time++;
    for (uint32_t i = 0; i < dataflow->n_events; i++) {
        uint32_t block = dg_dataflow_block(dataflow, i);

        if (dataflow->stamp[block] == dataflow->time)
            continue;
        dataflow->stamp[block] = dataflow->time;
        dataflow->first_event[block] = i;
        exposed |= exposed_use(dataflow, i, use) != DG_FLOW_NONE;
    }
    return exposed;
}

static void enqueue(struct dg_dataflow *dataflow, uint32_t *n_queue, uint32_t block)
{
    if (block == DG_FLOW_NONE || dataflow->seen[block] == dataflow->time)
        return;
    dataflow->seen[block] = dataflow->time;
    dataflow->queue[(*n_queue)++] = block;
}

/* What goes wrong in a block that is reached without an assignment: a use, or, of none,
 * that the method may end there. */
static uint32_t fault_in(const struct dg_dataflow *dataflow, uint32_t block,
                         unsigned use)
{
    bool touched = dataflow->stamp[block] == dataflow->time;
    uint32_t found;

    if (!use) {
        bool assigned = touched && block_has(dataflow, dataflow->first_event[block],
                                             DG_DATAFLOW_ASSIGN);

        return assigned || !dataflow->live->flow->blocks[block].leaves
                   ? DG_FLOW_NONE
                   : dg_flow_end(dataflow->live->flow, block) - 1;
    }
    found = touched ? exposed_use(dataflow, dataflow->first_event[block], use)
                    : DG_FLOW_NONE;
    return found == DG_FLOW_NONE ? DG_FLOW_NONE : dataflow->events[found].node;
}

/* The first fault that some way from the start reaches without an assignment. */
static uint32_t find_fault(struct dg_dataflow *dataflow, unsigned use)
{
    const struct dg_flow *flow = dataflow->live->flow;
    uint32_t n_queue = 0;

    enqueue(dataflow, &n_queue, 0);
    for (uint32_t at = 0; at < n_queue && dg_dataflow_spend(dataflow, 1); at++) {
        uint32_t block = dataflow->queue[at], fault = fault_in(dataflow, block, use);

        if (fault != DG_FLOW_NONE)
            return fault;
        if (dataflow->stamp[block] == dataflow->time &&
            block_has(dataflow, dataflow->first_event[block], DG_DATAFLOW_ASSIGN))
            continue;
        enqueue(dataflow, &n_queue, flow->blocks[block].next[0]);
        enqueue(dataflow, &n_queue, flow->blocks[block].next[1]);
    }
    return DG_FLOW_NONE;
}

uint32_t dg_dataflow_unassigned(struct dg_dataflow *dataflow, unsigned use)
{
    if (dataflow->first || !dataflow->n_events || !note_events(dataflow, use))
        return DG_FLOW_NONE;
    return find_fault(dataflow, use);
}

uint32_t dg_dataflow_unassigned_at_end(struct dg_dataflow *dataflow)
{
    if (dataflow->first)
        return DG_FLOW_NONE;
    note_events(dataflow, 0);
    return find_fault(dataflow, 0);
}

bool dg_dataflow_defined_after(struct dg_dataflow *dataflow, uint32_t node)
{
    const struct dg_flow *flow = dataflow->live->flow;
    uint32_t n_queue = 0, block = flow->block_of[node];

    note_events(dataflow, 0);
    for (uint32_t i = dataflow->first_event[block];
         i < dataflow->n_events && dg_dataflow_block(dataflow, i) == block; i++) {
        if (dataflow->events[i].node >= node &&
            dataflow->events[i].what & DG_DATAFLOW_DEF)
            return true;
    }
    enqueue(dataflow, &n_queue, flow->blocks[block].next[0]);
    enqueue(dataflow, &n_queue, flow->blocks[block].next[1]);
    for (uint32_t at = 0; at < n_queue && dg_dataflow_spend(dataflow, 1); at++) {
        block = dataflow->queue[at];
        if (dataflow->stamp[block] == dataflow->time &&
            block_has(dataflow, dataflow->first_event[block], DG_DATAFLOW_DEF))
            return true;
        enqueue(dataflow, &n_queue, flow->blocks[block].next[0]);
        enqueue(dataflow, &n_queue, flow->blocks[block].next[1]);
    }
    return false;
}
