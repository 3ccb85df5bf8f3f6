/* What the files behind plan.h share: reading a method from the store. */
#ifndef DG_GRAPH_PLAN_PARTS_H
#define DG_GRAPH_PLAN_PARTS_H

#include "graph/plan.h"

struct dg_plan_list { /* a value that holds other values */
    char *items;      /* JSON; NULL: no list */
};

/* What matters of an operator. */
struct dg_plan_op {
    unsigned flags;
    bool known;    /* its schema */
    bool in_place; /* gives back what it updates */
    bool views;    /* gives a value another one's bytes */
    bool replaces; /* its first operand, without looking at it */
    bool fills;    /* a part of its first operand */
    bool nop;      /* its result lies in its input, or the other way round */
};

/* An instruction, as far as its operands go. */
struct dg_plan_call {
    uint32_t op; /* in loader.ops; DG_PLAN_NONE: none is known */
    char kind;   /* of kernel, delegate, move: its first letter */
};

struct dg_plan_loader {
    struct dg_plan_op *ops; /* by id - 1 */
    uint32_t n_ops;
    struct dg_plan_call *calls; /* by node */
    uint32_t n_calls;
    struct dg_plan *plan;
    struct dg_store *store;
    struct dg_plan_list *lists; /* by value */
    uint32_t n_lists;
    uint32_t node;    /* at hand */
    uint32_t updated; /* by it, in place; DG_PLAN_NONE */
    bool moving;      /* it gives a value another one's bytes */
    struct dg_arena memory;
};

/* The value of that index; DG_PLAN_NONE if there is none. */
uint32_t dg_plan_value_at(const struct dg_plan *plan, int64_t idx);

/* Read the instructions, then what each does to which value. */
enum dg_status dg_plan_read_calls(struct dg_plan_loader *loader, struct dg_error *err);

#endif
