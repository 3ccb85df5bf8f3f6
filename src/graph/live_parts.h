/* What the files behind live_ranges.h share: the dataflow of one variable at a time. */
#ifndef DG_GRAPH_LIVE_PARTS_H
#define DG_GRAPH_LIVE_PARTS_H

#include "graph/live_ranges.h"

/* What happens to a variable at a node; in a node, in this order. */
enum {
    DG_DATAFLOW_USE = 1 << 0,
    DG_DATAFLOW_CHECKED = 1 << 1, /* the use needs a definition */
    DG_DATAFLOW_KILL = 1 << 2,
    DG_DATAFLOW_DEF = 1 << 3,
    DG_DATAFLOW_ASSIGN = 1 << 4, /* afterwards a use is all right */
    DG_DATAFLOW_OWN = 1 << 5,    /* the definition is no other value's at that byte */
    DG_DATAFLOW_LOOK = 1 << 6,   /* the use is one, or that of a delegate */
};

struct dg_dataflow_event {
    uint32_t node;
    unsigned what;
};

/* Events of one variable, by node; and room for what its walk over blocks needs. */
struct dg_dataflow {
    struct dg_live_ranges *live;
    struct dg_dataflow_event *events;
    uint32_t n_events;
    bool first, last;

    uint32_t *stamp, *seen; /* of each block: whether `marks` is of this variable */
    uint32_t time;
    unsigned char *marks;
    uint32_t *first_event; /* of a block */
    uint32_t *queue;
    uint64_t work;          /* steps left before all is given up */
    uint64_t room;          /* events and ranges left, likewise */
    struct dg_arena memory; /* until the end: of the whole search */
};

void dg_dataflow_begin(struct dg_dataflow *dataflow, struct dg_live_ranges *live);
void dg_dataflow_end(struct dg_dataflow *dataflow);

/* Room for one event, range or source more; false: all is given up. */
bool dg_dataflow_take(struct dg_dataflow *dataflow);

/* Start another variable. */
void dg_dataflow_clear(struct dg_dataflow *dataflow);
void dg_dataflow_add(struct dg_dataflow *dataflow, uint32_t node, unsigned what);

/* Sort the events and join those of one node. */
void dg_dataflow_sort(struct dg_dataflow *dataflow);

/* Whether there is work left for so many steps; if not, the program is too large. */
bool dg_dataflow_spend(struct dg_dataflow *dataflow, uint64_t steps);

/* The block of an event. */
static inline uint32_t dg_dataflow_block(const struct dg_dataflow *dataflow,
                                         uint32_t event)
{
    return dataflow->live->flow->block_of[dataflow->events[event].node];
}

/* The node behind a block. */
static inline uint32_t dg_flow_end(const struct dg_flow *flow, uint32_t block)
{
    return block + 1 < flow->n_blocks ? flow->blocks[block + 1].begin : flow->n_nodes;
}

/* The first use of that kind (CHECKED, LOOK) that some way from the start reaches
 * without an assignment; DG_FLOW_NONE if there is none. */
uint32_t dg_dataflow_unassigned(struct dg_dataflow *dataflow, unsigned use);

/* The last instruction of some way through the method without an assignment. */
uint32_t dg_dataflow_unassigned_at_end(struct dg_dataflow *dataflow);

/* Whether a definition can run after `node`. */
bool dg_dataflow_defined_after(struct dg_dataflow *dataflow, uint32_t node);

/* Append the ranges of the variable to dataflow->live. */
void dg_dataflow_ranges(struct dg_dataflow *dataflow, uint32_t variable);

/* What the search for live ranges works with: accesses by value, and values by place.
 */
struct dg_live_builder {
    struct dg_live_ranges *live;
    const struct dg_flow *flow;
    struct dg_dataflow dataflow;
    uint32_t *access_of, *accesses; /* of value i: accesses[access_of[i]]... */
    uint32_t *by_place;             /* planned values by arena, begin */
    uint32_t n_by_place;
    uint32_t *place_of;            /* where a value stands in by_place */
    bool *handle;                  /* some move makes it one */
    bool *moved;                   /* a MoveCall does */
    uint32_t *source_of, *sources; /* what its moves take, each once: as accesses */
};

const struct dg_flow_access *
dg_live_builder_access(const struct dg_live_builder *builder, uint32_t k);

static inline bool dg_live_same_place(const struct dg_flow_value *a,
                                      const struct dg_flow_value *b)
{
    return a->arena == b->arena && a->begin == b->begin;
}

/* Note all buffers that their places tell. */
void dg_live_builder_buffers(struct dg_live_builder *builder);
/* The same of a value whose reads and writes builder->dataflow holds: state that
 * nothing but delegates read before it is updated. */
void dg_live_builder_state(struct dg_live_builder *builder, uint32_t value);
/* Add the reads and writes of a value to builder->dataflow. */
void dg_live_builder_accesses(struct dg_live_builder *builder, uint32_t value);

/* Let builder->dataflow hold the reads and writes of a value; then, too, the writes of
 * those that begin at the same byte and cover it, or have its size. */
void dg_live_builder_own(struct dg_live_builder *builder, uint32_t value);
void dg_live_builder_neighbours(struct dg_live_builder *builder, uint32_t value,
                                bool equal);

/* Whether something may write the value that does not say so. */
bool dg_live_builder_unsure(const struct dg_live_builder *builder, uint32_t value);

uint32_t dg_live_builder_variable(struct dg_live_builder *builder, uint32_t value,
                                  uint32_t via);

/* Append the variables of what a handle names; `sources` is room of the caller. */
struct dg_sources {
    struct dg_live_place *items; /* node of the move, value */
    uint32_t n_items;
    uint32_t *stack, *stamp;
    uint32_t time;
    bool moved; /* a MoveCall is among the moves */
};
void dg_live_builder_handle(struct dg_live_builder *builder, struct dg_sources *sources,
                            uint32_t via);

/* Note a tensor that the method returns and may never have written, and one without a
 * place for its bytes. */
void dg_live_builder_output(struct dg_live_builder *builder, uint32_t value);
void dg_live_builder_bare(struct dg_live_builder *builder, uint32_t value);

#endif
