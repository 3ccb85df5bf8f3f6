/* What the files of costs share: values, nodes and operators of a store as arrays. */
#ifndef DG_GRAPH_COST_PARTS_H
#define DG_GRAPH_COST_PARTS_H

#include <stdbool.h>

#include "graph/cost.h"
#include "graph/cost_formula.h"
#include "graph/cost_sizes.h"
#include "graph/model.h"
#include "graph/model_values.h"

/* Sizes of a type of values. */
struct dg_cost_type {
    bool is_tensor, is_list; /* is_list: the sizes are EValue indices of items */
    bool read;
    int64_t method; /* whose symbols its sizes are bounds for */
    int64_t nbytes; /* -1: not known */
    size_t rank;
    int64_t *sizes; /* -1: not known */
};

/* Values of a store: symbolic sizes by their upper bounds. Start from {0}. */
struct dg_cost_values {
    const struct dg_model_values *model;
    struct dg_cost_type *types; /* of the model's types */
    struct dg_cost_sizes sizes;
    struct dg_size_list list; /* for one use */
    struct dg_arena memory;
};

/* What a call gives. */
struct dg_cost_result {
    uint32_t value; /* row of table value, or 0; of a tuple the first item */
    int64_t more;   /* bytes of the other items; -1: not known */
};

/* Item i describes row i + 1. */
struct dg_cost_tables {
    const struct dg_model *model;
    struct dg_cost_values values;
    struct dg_cost_result *results;    /* of nodes */
    const struct dg_cost_rule **rules; /* of operators */
    struct dg_arena memory;
};

/* Which table a node is a row of: node as FX has it, node as an instruction, or
 * delegate_node. */
enum dg_cost_place_kind {
    DG_COST_FX,
    DG_COST_INSTRUCTION,
    DG_COST_INSIDE,
    DG_N_COST_PLACES,
};

/* Looks up arguments that are no tensors. Start from {.store = store}. */
struct dg_cost_arguments {
    struct dg_store *store;
    struct dg_rows rows[DG_N_COST_PLACES]; /* open once they were needed */
};

/* Which calls count, in `memory`; what they cost is not known yet. */
enum dg_status dg_cost_calls_find(struct dg_costs *costs, const struct dg_model *model,
                                  struct dg_arena *memory, struct dg_store *store,
                                  struct dg_error *err);

enum dg_status dg_cost_tables_read(struct dg_cost_tables *tables,
                                   const struct dg_model *model, struct dg_store *store,
                                   struct dg_error *err);

enum dg_status dg_cost_values_read(struct dg_cost_values *values,
                                   struct dg_store *store, struct dg_error *err);
void dg_cost_values_clear(struct dg_cost_values *values);

/* The type of the value in a row, until a value of another method is asked for. NULL:
 * there is no such row. */
const struct dg_cost_type *dg_cost_type(struct dg_cost_values *values, int64_t row);

/* Of a tensor; -1: not known, or none. */
int64_t dg_cost_nbytes(struct dg_cost_values *values, int64_t row);

void dg_cost_tables_clear(struct dg_cost_tables *tables);

struct dg_cost_place {
    int64_t id; /* of the node */
    enum dg_cost_place_kind kind;
    struct dg_text op;
};

/* The numbers of the arguments `names`, "a,b", behind those in *call. */
enum dg_status dg_cost_argument(struct dg_cost_arguments *arguments,
                                const struct dg_cost_place *place, const char *names,
                                struct dg_cost_call *call, struct dg_error *err);
enum dg_status dg_cost_arguments_end(struct dg_cost_arguments *arguments,
                                     enum dg_status status, struct dg_error *err);

#endif
