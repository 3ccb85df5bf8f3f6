/* What the files behind flow.h share: reading a method from the store. */
#ifndef DG_GRAPH_FLOW_PARTS_H
#define DG_GRAPH_FLOW_PARTS_H

#include "graph/flow.h"
#include "graph/model.h"

/* What matters of an operator. */
struct dg_flow_op {
    unsigned flags;
    bool known;    /* its schema */
    bool in_place; /* gives back what it updates */
    bool views;    /* gives a value another one's bytes */
    bool replaces; /* its first operand, without looking at it */
    bool fills;    /* a part of its first operand */
    bool nop;      /* its result lies in its input, or the other way round */
};

struct dg_flow_loader {
    struct dg_flow_op *ops; /* by id - 1 */
    uint32_t n_ops;
    struct dg_flow *flow;
    struct dg_store *store;
    const struct dg_model *model;
    struct dg_model_graph graph; /* the method's */
    const struct dg_model_values *values;
};

/* The value of that index; DG_FLOW_NONE if there is none. */
uint32_t dg_flow_value_at(const struct dg_flow *flow, int64_t idx);

/* Read the instructions, then what each does to which value. */
enum dg_status dg_flow_read_calls(struct dg_flow_loader *loader, struct dg_error *err);

#endif
