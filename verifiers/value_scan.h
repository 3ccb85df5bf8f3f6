/* What the rules about values of a .pte share: one look at each value. */
#ifndef DG_VERIFIERS_VALUE_SCAN_H
#define DG_VERIFIERS_VALUE_SCAN_H

#include "base/arena.h"
#include "verifiers/verifier.h"

enum dg_value_rule {
    DG_VALUE_LIST_PRESENT,
    DG_VALUE_INT_ITEM,
    DG_VALUE_TENSOR_ITEM,
    DG_VALUE_OPTIONAL_ITEM,
    DG_VALUE_FORWARD_REF,
    DG_VALUE_RANK,
    DG_VALUE_ORDER_LENGTH,
    DG_VALUE_ORDER_PERMUTATION,
    DG_VALUE_ORDER_CANONICAL,
    DG_VALUE_DYNAMISM,
    DG_VALUE_STORAGE_OFFSET,
    DG_VALUE_LAYOUT,
};

/* A value that breaks a rule; of a list: item number `pos` is value `item`. */
struct dg_value_fault {
    enum dg_value_rule rule;
    int64_t value, pos, item;
};

enum dg_value_kind {
    DG_VALUE_OTHER,
    DG_VALUE_NULL,
    DG_VALUE_INT,
    DG_VALUE_TENSOR,
    DG_VALUE_INT_LIST,
    DG_VALUE_TENSOR_LIST,
    DG_VALUE_OPTIONAL_LIST,
};

/* What is known of each value. Value `idx` of a graph is states[first_state + idx]. */
enum {
    DG_VALUE_KIND = 7, /* mask of a dg_value_kind */
    DG_VALUE_BOUNDED = 8,
    DG_VALUE_STATIC = 16,  /* a tensor that is not bounded */
    DG_VALUE_LISTED = 32,  /* an item of some list */
    DG_VALUE_USED = 64,    /* an operand, an input or an output: set by who asks */
    DG_VALUE_FILLED = 128, /* piece by piece: bounded, and in the end full */
};

struct dg_value_graph {
    int64_t id, first_id, last_id; /* value `idx` has id first_id + idx */
    size_t first_state, n_values;
};

struct dg_value_scan {
    struct dg_value_graph *graphs;
    size_t n_graphs;
    uint8_t *states;
    size_t n_states;
    struct dg_value_fault *faults; /* by value */
    size_t n_faults;
    bool any_bounded;
};

/* The scan of all .pte graphs of the store, which keeps it: O(values + items). */
enum dg_status dg_value_scan(const struct dg_value_scan **out, struct dg_store *store,
                             struct dg_error *err);

/* A row of `value` while it is looked at. */
struct dg_value_seen {
    int64_t id, idx;
    enum dg_value_kind kind;
    const char *shape, *dim_order;
    struct dg_text items;
};

void dg_value_fault(struct dg_value_scan *scan, const struct dg_value_seen *seen,
                    enum dg_value_rule rule);
void dg_value_look_at_order(struct dg_value_scan *scan,
                            const struct dg_value_seen *seen);
/* When all values of its graph have a state. */
void dg_value_look_at_items(struct dg_value_scan *scan,
                            const struct dg_value_graph *graph,
                            const struct dg_value_seen *list);

#endif
