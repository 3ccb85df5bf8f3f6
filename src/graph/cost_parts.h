/* What the files of costs share: values, nodes and operators of a store as arrays. */
#ifndef DG_GRAPH_COST_PARTS_H
#define DG_GRAPH_COST_PARTS_H

#include <stdbool.h>

#include "graph/cost.h"
#include "graph/cost_formula.h"
#include "graph/model.h"

struct dg_cost_value {
    bool is_tensor, is_list; /* is_list: the sizes are EValue indices of items */
    uint32_t rank;
    size_t sizes; /* index of the first in dg_cost_tables.sizes */
    int64_t idx;
    int64_t nbytes; /* -1: not known */
};

/* What a call gives. */
struct dg_cost_result {
    uint32_t value; /* row of table value, or 0; of a tuple the first item */
    int64_t more;   /* bytes of the other items; -1: not known */
};

/* Item i describes row i + 1. */
struct dg_cost_tables {
    const struct dg_model *model;
    struct dg_cost_value *values;
    struct dg_cost_result *results;    /* of nodes */
    const struct dg_cost_rule **rules; /* of operators */
    int64_t n_values;
    int64_t *sizes; /* of all shapes; -1: not known */
    size_t n_sizes;
    struct dg_arena memory;
};

/* Looks up arguments that are no tensors. Start from {.store = store}. */
struct dg_cost_arguments {
    struct dg_store *store;
    struct dg_rows fx, instruction; /* open once they were needed */
};

/* Which calls count, in `memory`; what they cost is not known yet. */
enum dg_status dg_cost_calls_find(struct dg_costs *costs, const struct dg_model *model,
                                  struct dg_arena *memory, struct dg_store *store,
                                  struct dg_error *err);

enum dg_status dg_cost_tables_read(struct dg_cost_tables *tables,
                                   const struct dg_model *model, struct dg_store *store,
                                   struct dg_error *err);

/* Only the values. */
enum dg_status dg_cost_values_read(struct dg_cost_tables *tables,
                                   struct dg_store *store, struct dg_error *err);
void dg_cost_tables_clear(struct dg_cost_tables *tables);

struct dg_cost_place {
    int64_t id; /* of the node */
    bool is_instruction;
    struct dg_text op;
};

/* The numbers of the arguments `names`, "a,b", behind those in *call. */
enum dg_status dg_cost_argument(struct dg_cost_arguments *arguments,
                                const struct dg_cost_place *place, const char *names,
                                struct dg_cost_call *call, struct dg_error *err);
enum dg_status dg_cost_arguments_end(struct dg_cost_arguments *arguments,
                                     enum dg_status status, struct dg_error *err);

#endif
