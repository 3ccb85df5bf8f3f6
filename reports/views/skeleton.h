/* A program as numbers, for all views that look at the whole of it: what each node is
 * and who reads what, without names: what was asked for of the model, and inputs and
 * outputs as nodes. */
#ifndef DG_REPORTS_VIEWS_SKELETON_H
#define DG_REPORTS_VIEWS_SKELETON_H

#include "graph/flow.h"
#include "graph/model.h"
#include "graph/model_values.h"
#include "reports/views/read.h"

enum { DG_NOWHERE = UINT32_MAX }; /* no node, graph, op... */

enum dg_role {
    DG_ROLE_NONE, /* never drawn: get_attr, what was not asked for */
    DG_ROLE_ITEM, /* getitem */
    DG_ROLE_CALL, /* what runs: from here */
    DG_ROLE_DELEGATE,
    DG_ROLE_CONTROL, /* runs other graphs */
    DG_ROLE_JUMP,
    DG_ROLE_FREE, /* free_call; what runs: to here */
    DG_ROLE_INPUT,
    DG_ROLE_WEIGHT, /* parameter, buffer, constant */
    DG_ROLE_OUTPUT,
    DG_ROLE_LITERAL, /* an output of a .pte that nothing makes */
};

struct dg_skeleton_node {
    uint8_t role;   /* enum dg_role */
    uint32_t graph; /* index into graphs; DG_NOWHERE: not asked for */
    uint32_t value; /* row of the result; 0: none or several */
    uint32_t end;   /* of what the signature or a file gives: index into ends, or
                       DG_NOWHERE */
};

struct dg_skeleton_graph {
    int64_t id;
    int64_t method_id;
    struct dg_text path, method;
    struct dg_text backend; /* that it was lowered to; NULL: none that is known */
    bool lowered;           /* what a delegate was made from */
    bool instructions;      /* of a .pte */
    struct dg_flow flow;    /* of those */
    uint32_t first, n_nodes;
    uint32_t caller;    /* the node that runs it; DG_NOWHERE: none */
    uint32_t n_outputs; /* of its signature */
    size_t frame;       /* in a picture; 0: none of its own */
};

/* An input, weight or output of a signature; a tensor that a file carries. */
struct dg_skeleton_end {
    struct dg_text name, value; /* value: "f32[1,16]", or a number */
    struct dg_text spec;        /* of a .pt2: user_input, buffer_mutation, ... */
    struct dg_text target;      /* likewise: "layers.0.weight" */
};

struct dg_skeleton_use {
    uint32_t from, to; /* nodes */
    uint32_t value;    /* row; 0: none */
};

/* Node i has the row i + 1. Behind the n_rows of the store stand nodes for inputs and
 * weights of a .pte, and for outputs, which have no rows. */
struct dg_skeleton {
    const struct dg_model *model; /* the store's, as the next */
    const struct dg_model_values *values;
    struct dg_skeleton_node *nodes;
    size_t n_nodes, n_rows;
    struct dg_skeleton_graph *graphs;
    size_t n_graphs, n_methods;
    struct dg_skeleton_end *ends;
    size_t n_ends;
    struct dg_skeleton_use *uses;
    size_t n_uses;
    struct dg_text *ops; /* by row */
    size_t n_ops;
    uint32_t *made_by; /* by row of a value: the node; of a .pte what it is at first: an
                          input or a weight */
    size_t n_values;
    uint32_t *graph_of; /* by row of a graph: index into graphs */
    size_t n_graph_rows;
    struct dg_arena memory;
};

/* What the store says of a node, asked for or not; nothing of one without a row. */
static inline const struct dg_model_node *
dg_skeleton_row(const struct dg_skeleton *skeleton, size_t node)
{
    static const struct dg_model_node nothing;

    return node < skeleton->n_rows ? &skeleton->model->nodes[node] : &nothing;
}

/* The graphs that were asked for. Clear *skeleton in any case. */
enum dg_status dg_skeleton_read(struct dg_skeleton *skeleton,
                                const struct dg_view_input *in);
void dg_skeleton_clear(struct dg_skeleton *skeleton);

/* Inputs, outputs and weights: what skeleton_io.c adds to the nodes that are read. */
enum dg_status dg_skeleton_read_ends(struct dg_skeleton *skeleton,
                                     const struct dg_view_input *in);

/* Frames of methods, where there are several, and of graphs in them: of those that are
 * `drawn`; NULL: of all. */
void dg_skeleton_frame(struct dg_skeleton *skeleton, struct dg_picture *picture,
                       const bool *drawn);

#endif
