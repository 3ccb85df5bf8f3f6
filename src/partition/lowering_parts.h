/* A graph that is being lowered tag by tag. */
#ifndef DG_PARTITION_LOWERING_PARTS_H
#define DG_PARTITION_LOWERING_PARTS_H

#include "partition/run.h"

struct dg_lowering_vertex {
    int64_t id; /* row of the store; 0: lowering made it */
    struct dg_text name;
    const struct dg_text *op; /* NULL: no call */
    int64_t nbytes;
    uint32_t input, n_inputs; /* in dg_lowering.inputs; each input once */
    uint32_t tag;             /* DG_NO_PART: none */
    uint16_t marks;
    bool gone;      /* into a delegate */
    uint32_t touch; /* when its arguments were set: the order of users in torch */
};

struct dg_lowering {
    struct dg_lowering_vertex *vertices;
    size_t n_vertices;
    uint32_t *inputs; /* vertices */
    size_t n_inputs;
    uint32_t *order; /* of the vertices that are left; room for more behind it */
    uint32_t n_order;
    uint32_t clock; /* of the next touch */
    struct dg_text *tags;
    uint32_t n_tags;
    struct dg_arena memory;
};

uint32_t dg_lowering_add(struct dg_lowering *lowering,
                         struct dg_lowering_vertex vertex);
void dg_lowering_add_input(struct dg_lowering *lowering, uint32_t input);

/* Contract the vertices of one tag into a call. */
enum dg_status dg_lower_tag(struct dg_lowering *lowering, uint32_t tag,
                            struct dg_error *err);

/* Put what is left into graph->nodes and graph->ids; calls of delegates from vertex
 * `first_made` on get the node of their module. */
void dg_lowering_build(struct dg_run_graph *graph, struct dg_lowering *lowering,
                       uint32_t first_made, bool claim);

#endif
