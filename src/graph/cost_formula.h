/* FLOPs of one call from the shapes of its operands. */
#ifndef DG_GRAPH_COST_FORMULA_H
#define DG_GRAPH_COST_FORMULA_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum dg_formula {
    DG_FLOPS_UNKNOWN,
    DG_FLOPS_NONE,
    DG_FLOPS_PER_RESULT,  /* `n` for each element of the result */
    DG_FLOPS_PER_OPERAND, /* `n` for each element of the first operand */
    DG_FLOPS_MATRIX,      /* operand `n` times the next one */
    DG_FLOPS_CONVOLUTION,
    DG_FLOPS_CONVOLUTION_TRANSPOSED,
    DG_FLOPS_CONVOLUTION_EITHER, /* `argument` says which */
    DG_FLOPS_CONVOLUTION_BACKWARD,
    DG_FLOPS_ATTENTION,
    DG_FLOPS_WINDOW, /* one for each place of an `n`-dimensional window */
};

struct dg_cost_rule {
    const char *op; /* without overload: "aten::conv2d" */
    enum dg_formula formula;
    int n;
    const char *argument; /* whose numbers it needs, in this order: "a,b"; NULL: none */
    const char *source;   /* where the formula comes from */
};

struct dg_cost_shape {
    int64_t rank;         /* -1: not a tensor, or not known */
    const int64_t *sizes; /* -1: not known */
};

enum { DG_CALL_OPERANDS = 4, DG_CALL_NUMBERS = 8 };

struct dg_cost_call {
    struct dg_cost_shape operands[DG_CALL_OPERANDS]; /* the first ones */
    struct dg_cost_shape result;                     /* the first one */
    int64_t numbers[DG_CALL_NUMBERS];                /* of the arguments */
    size_t n_numbers; /* all of them, even when there is no room */
};

/* The rule for an operator with enum dg_op_flag flags; NULL: FLOPs are not known. */
const struct dg_cost_rule *dg_cost_rule(struct dg_text op, unsigned flags);

/* -1: not known. */
int64_t dg_call_flops(const struct dg_cost_rule *rule, const struct dg_cost_call *call);

#endif
