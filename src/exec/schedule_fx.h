/* Making a schedule from the rows of a .pt2 graph. Private to exec/. */
#ifndef DG_EXEC_SCHEDULE_FX_H
#define DG_EXEC_SCHEDULE_FX_H

#include "base/ops.h"
#include "base/text_set.h"
#include "exec/schedule.h"
#include "formats/zip.h"

/* A graph of the method, and the schedule that was asked for of it. */
struct dg_fx_graph {
    const char *path;
    int64_t id;
    bool lowered;
    struct dg_schedule *schedule;
};

/* What the schedules of one method share. */
struct dg_fx_method {
    struct dg_store *store;
    struct dg_bytes file;
    struct dg_schedule *root; /* owns the schedules of all graphs */
    int64_t id;
    bool exir;                  /* dtype codes of exir's JSON */
    struct dg_fx_graph *graphs; /* ordered by path */
    size_t n_graphs;
    struct dg_resolved **resolved; /* by row of op */
    size_t n_resolved;
    struct dg_zip zip;           /* opened where weights are compressed */
    struct dg_text_set storages; /* where bytes lie */
    struct dg_error *err;
};

/* A name that arguments of node `dst` mention at `pos`. */
struct dg_fx_edge {
    uint32_t dst, pos, src;
};

/* The graph being read. Slot i is what node first_id + i makes. */
struct dg_fx {
    struct dg_fx_method *method;
    struct dg_schedule *schedule;
    const struct dg_fx_graph *graph;
    int64_t first_id;
    struct dg_fx_edge *edges; /* ordered by dst, pos */
    size_t n_edges, edge;     /* edge: of the node being read */
    const char **targets;     /* of get_attr nodes, by slot */
    bool *used;               /* by slot: some node reads it */
    int64_t first_value;
    uint32_t *slot_of_value; /* by value row, from first_value on */
    size_t n_values;
    struct dg_operand *outputs; /* of the output node */
    size_t n_outputs;
    struct dg_text_set origins; /* of nodes */
    struct dg_arena scratch;
};

/* An argument as the row has it. */
struct dg_fx_arg {
    struct dg_text name;
    struct dg_operand operand;
    const char *graph;   /* attribute that names a graph; NULL: no graph */
    const char *problem; /* why nothing here can run with it; NULL */
};

/* A node's row. */
struct dg_fx_node {
    uint32_t slot;
    int64_t id, op_id, value_id, lowered_graph;
    const char *name, *kind, *op, *target, *backend, *dtype;
    struct dg_text args, from_node;
    struct dg_fx_arg *items;
    size_t n_items;
};

/* A number for the node of the first export that `from_node` leads to; 0: it leads to
 * none. */
uint32_t dg_fx_origin(struct dg_fx *fx, struct dg_text from_node);

/* Arguments of node->args, in their order; in fx->scratch, operands in the schedule. */
enum dg_status dg_fx_arguments(struct dg_fx *fx, struct dg_fx_node *node);

/* Default value of an argument of a schema. */
struct dg_arg dg_fx_default(const struct dg_op_arg *arg, struct dg_arena *memory);
/* The same as an operand: its lists hold operands, whose memory is the schedule's. */
struct dg_operand dg_fx_default_operand(const struct dg_op_arg *arg,
                                        struct dg_arena *memory);

/* The value as an argument of that type takes it: 1 for a float is 1.0. */
void dg_fx_adapt(struct dg_arg *value, const char *type);

/* The step of a call_function node. */
enum dg_status dg_fx_step(struct dg_fx *fx, struct dg_fx_node *node,
                          struct dg_step *step);
/* The same of an operator that has a kernel, or has none. */
void dg_fx_call(struct dg_fx *fx, const struct dg_fx_node *node, struct dg_step *step);
/* The same of a higher-order operator; false: it is none that is known. */
#define DG_FX_GETITEM "_operator.getitem"
#define DG_FX_DELEGATE "higher_order::executorch_call_delegate"
bool dg_fx_control(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step);
/* Why a higher-order operator is not run. */
const char *dg_fx_why_no_control(struct dg_fx *fx, const struct dg_fx_node *node);
/* The step of a call of torch._functorch.predispatch; false: it is none of vmap. */
#define DG_FX_FUNCTORCH "torch._functorch."
bool dg_fx_vmap(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step);
bool dg_fx_is_vmap(const char *op);
/* Fill in the levels of vmap that slots and steps are in. */
void dg_fx_find_levels(struct dg_schedule *schedule);
/* Whether an operator only says which graphs run next, or which result is meant. */
bool dg_fx_is_control(const char *op);
/* A step that cannot run; its operator stays, where it has one. */
struct dg_step *dg_step_opaque(struct dg_step *step, const char *why);

/* Inputs, outputs, constants and ranges of the graph. */
enum dg_status dg_fx_signature(struct dg_fx *fx);

/* Fill in what is written, by steps and by those of the schedules that they call, which
 * must be known. */
void dg_fx_keep_written(struct dg_schedule *schedule);

/* Mark views of constants that may be as narrow as these: `lent` of slots. What is
 * written must be known. */
void dg_fx_borrow_constants(struct dg_schedule *schedule);

/* Fill in what operators of the user are given to write. */
void dg_fx_find_filled(struct dg_schedule *schedule);

/* Fill in the inputs that mutations of the outputs write into. */
void dg_fx_find_written(struct dg_schedule *schedule);
/* near_tie of steps: what the scales of sums before them lead to. */
void dg_fx_find_near_ties(struct dg_schedule *schedule);

/* A constant's row, and the tensor over its bytes. */
struct dg_fx_bytes {
    const char *fqn, *dtype;
    struct dg_text shape, strides;
    int64_t storage_offset, file_offset, nbytes; /* DG_NONE: the row has none */
    struct dg_text entry;                        /* of the archive */
    int64_t entry_bytes;
};
void dg_fx_bind(struct dg_fx *fx, struct dg_slot *slot,
                const struct dg_fx_bytes *bytes);

/* A list of integers; anything else in it becomes `symbol` -1 in sizes and its text in
 * symbols[]. The count; -1: more than fit. */
int dg_fx_sizes(struct dg_text json, int64_t *sizes, const char **symbols,
                struct dg_arena *memory);

#endif
