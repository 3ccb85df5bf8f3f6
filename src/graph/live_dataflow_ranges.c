/* Where one variable is live: its definitions forwards, its uses backwards. */
#include "base/sorted.h"
#include "graph/live_parts.h"

/* Marks of a block. */
enum {
    EXPOSED = 1 << 0, /* a use comes before any kill */
    KILLS = 1 << 1,
    DEFINED = 1 << 2,  /* a definition holds at its end... */
    CLOSED = 1 << 3,   /* ...or none, whatever came in */
    REACHED = 1 << 4,  /* a definition may come in */
    LIVE_OUT = 1 << 5, /* a use may come behind it */
};

static unsigned char *mark(struct dg_dataflow *dataflow, uint32_t block)
{
    if (dataflow->stamp[block] != dataflow->time) {
        dataflow->stamp[block] = dataflow->time;
        dataflow->marks[block] = 0;
        dataflow->first_event[block] = DG_FLOW_NONE;
    }
    return &dataflow->marks[block];
}

static void summarize(struct dg_dataflow *dataflow)
{
    dataflow->time++;
    for (uint32_t i = 0; i < dataflow->n_events; i++) {
        unsigned what = dataflow->events[i].what;
        uint32_t block = dg_dataflow_block(dataflow, i);
        unsigned char *marks = mark(dataflow, block);

        if (dataflow->first_event[block] == DG_FLOW_NONE)
            dataflow->first_event[block] = i;
        if (what & DG_DATAFLOW_USE && !(*marks & KILLS))
            *marks |= EXPOSED;
        if (what & DG_DATAFLOW_KILL)
            *marks = (unsigned char)((*marks | KILLS | CLOSED) & ~DEFINED);
        if (what & DG_DATAFLOW_DEF)
            *marks = (unsigned char)((*marks | DEFINED) & ~CLOSED);
    }
}

static void push(struct dg_dataflow *dataflow, uint32_t *n_stack, uint32_t block,
                 int bit)
{
    if (block == DG_FLOW_NONE || *mark(dataflow, block) & bit)
        return;
    *mark(dataflow, block) |= (unsigned char)bit;
    dataflow->queue[(*n_stack)++] = block;
}

static void push_next(struct dg_dataflow *dataflow, uint32_t *n_stack, uint32_t block)
{
    push(dataflow, n_stack, dataflow->live->flow->blocks[block].next[0], REACHED);
    push(dataflow, n_stack, dataflow->live->flow->blocks[block].next[1], REACHED);
}

static void push_previous(struct dg_dataflow *dataflow, uint32_t *n_stack,
                          uint32_t block)
{
    const struct dg_flow *flow = dataflow->live->flow;

    for (uint32_t k = flow->previous_of[block]; k < flow->previous_of[block + 1]; k++)
        push(dataflow, n_stack, flow->previous[k], LIVE_OUT);
    dg_dataflow_spend(dataflow,
                      flow->previous_of[block + 1] - flow->previous_of[block]);
}

/* Forwards: where a definition may come in. */
static void reach(struct dg_dataflow *dataflow)
{
    uint32_t n_stack = 0;

    if (dataflow->first)
        push(dataflow, &n_stack, 0, REACHED);
    for (uint32_t i = 0; i < dataflow->n_events; i++) {
        uint32_t block = dg_dataflow_block(dataflow, i);

        if (dataflow->first_event[block] == i && dataflow->marks[block] & DEFINED)
            push_next(dataflow, &n_stack, block);
    }
    while (n_stack && dg_dataflow_spend(dataflow, 1)) {
        uint32_t block = dataflow->queue[--n_stack];

        if (!(dataflow->marks[block] & CLOSED))
            push_next(dataflow, &n_stack, block);
    }
}

/* Backwards: behind which a use may come. */
static void need(struct dg_dataflow *dataflow)
{
    const struct dg_flow *flow = dataflow->live->flow;
    uint32_t n_stack = 0;

    for (uint32_t i = 0; dataflow->last && i < flow->n_blocks; i++) {
        if (flow->blocks[i].leaves)
            push(dataflow, &n_stack, i, LIVE_OUT);
    }
    for (uint32_t i = 0; i < dataflow->n_events; i++) {
        uint32_t block = dg_dataflow_block(dataflow, i);

        if (dataflow->first_event[block] == i && dataflow->marks[block] & EXPOSED)
            push_previous(dataflow, &n_stack, block);
    }
    while (n_stack && dg_dataflow_spend(dataflow, 1)) {
        uint32_t block = dataflow->queue[--n_stack];

        if (!(dataflow->marks[block] & KILLS))
            push_previous(dataflow, &n_stack, block);
    }
}

static void append_range(struct dg_dataflow *dataflow,
                         const struct dg_live_range *range)
{
    struct dg_live_ranges *live = dataflow->live;

    if (range->end != DG_FLOW_NONE && dg_dataflow_take(dataflow))
        *DG_APPEND(live->ranges, live->n_ranges) = *range;
}

/* The ranges inside one block. `end` NONE: defined, but no use seen so far. */
static void walk_block(struct dg_dataflow *dataflow, uint32_t variable, uint32_t block)
{
    const struct dg_flow *flow = dataflow->live->flow;
    struct dg_live_range range = {variable, flow->blocks[block].begin, DG_FLOW_NONE,
                                  true};
    unsigned marks = dataflow->marks[block];
    bool holds = marks & REACHED;

    for (uint32_t i = dataflow->first_event[block];
         i < dataflow->n_events && dg_dataflow_block(dataflow, i) == block; i++) {
        const struct dg_dataflow_event *event = &dataflow->events[i];

        if (event->what & DG_DATAFLOW_USE && holds)
            range.end = event->node;
        if (event->what & DG_DATAFLOW_KILL) {
            append_range(dataflow, &range);
            range.end = DG_FLOW_NONE;
            holds = false;
        }
        if (event->what & DG_DATAFLOW_DEF) {
            if (!holds)
                range =
                    (struct dg_live_range){variable, event->node, DG_FLOW_NONE, false};
            if (event->what & DG_DATAFLOW_OWN)
                range.end = event->node;
            holds = true;
        }
    }
    if (holds && marks & LIVE_OUT)
        range.end = dg_flow_end(flow, block) - 1;
    append_range(dataflow, &range);
}

void dg_dataflow_ranges(struct dg_dataflow *dataflow, uint32_t variable)
{
    const struct dg_flow *flow = dataflow->live->flow;

    if (!flow->n_blocks)
        return;
    summarize(dataflow);
    reach(dataflow);
    need(dataflow);
    if (flow->n_blocks > 1)
        dg_dataflow_spend(dataflow, flow->n_blocks);
    for (uint32_t i = 0; i < flow->n_blocks && !dataflow->live->too_large; i++) {
        if (dataflow->stamp[i] == dataflow->time)
            walk_block(dataflow, variable, i);
    }
}
