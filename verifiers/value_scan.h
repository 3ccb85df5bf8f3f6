/* What the rules about values of a .pte share: one look at each value. */
#ifndef DG_VERIFIERS_VALUE_SCAN_H
#define DG_VERIFIERS_VALUE_SCAN_H

#include "graph/model_values.h"
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

/* What is known of each value besides. */
enum {
    DG_VALUE_BOUNDED = 1,
    DG_VALUE_STATIC = 2,  /* a tensor that is not bounded */
    DG_VALUE_LISTED = 4,  /* an item of some list */
    DG_VALUE_USED = 8,    /* an operand, an input or an output: set by who asks */
    DG_VALUE_FILLED = 16, /* piece by piece: bounded, and in the end full */
};

struct dg_value_scan {
    const struct dg_model_values *values;
    uint8_t *states;               /* of each */
    struct dg_value_fault *faults; /* by value */
    size_t n_faults;
    bool any_bounded;
};

/* The scan of all .pte graphs of the store, which keeps it: O(values + items). */
enum dg_status dg_value_scan(const struct dg_value_scan **out, struct dg_store *store,
                             struct dg_error *err);

void dg_value_fault(struct dg_value_scan *scan, const struct dg_model_value *value,
                    enum dg_value_rule rule);
void dg_value_look_at_order(struct dg_value_scan *scan,
                            const struct dg_model_value *tensor);
void dg_value_look_at_items(struct dg_value_scan *scan,
                            const struct dg_value_graph *graph,
                            const struct dg_model_value *list);

#endif
