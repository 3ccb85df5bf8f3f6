/* What a delegate computes, as diff compares it. */
#ifndef DG_DIFF_INSIDE_H
#define DG_DIFF_INSIDE_H

#include "diff/diff.h"

struct dg_diff_operand_inside {
    struct dg_text name, type, quantization, constant;
    int64_t made;     /* node that made it; 0: none did */
    int64_t external; /* operand of the call that it is, -1: none */
    bool written;
};

struct dg_diff_node_inside {
    int64_t id;
    struct dg_text name, op, args;
    size_t first, n_operands;
    size_t match; /* in the other program, from 1 on; 0: none so far */
};

/* Start from {0}; end with dg_diff_inside_clear(). Texts belong to the arena. */
struct dg_diff_inner {
    struct dg_diff_node_inside *nodes;
    size_t n_nodes;
    struct dg_diff_operand_inside *operands;
    size_t n_operands;
    struct dg_text path; /* delegate_0 */
};

/* Of a row of `delegate`; no nodes where nothing was read of its blob. */
enum dg_status dg_diff_inside_read(struct dg_diff_inner *inside,
                                   const struct dg_diff_program *program,
                                   int64_t delegate, struct dg_arena *memory,
                                   struct dg_error *err);
void dg_diff_inside_clear(struct dg_diff_inner *inside);

/* What tells an inside from others: nodes, types and constants, without debug handles;
 * NULL where nothing was read. */
enum dg_status dg_diff_inside_sign(struct dg_text *signature,
                                   const struct dg_diff_program *program,
                                   int64_t delegate, struct dg_arena *memory,
                                   struct dg_error *err);

/* By its row; NULL: it is none of these. O(log n). */
const struct dg_diff_node_inside *
dg_diff_inside_find(const struct dg_diff_inner *inside, int64_t id);

#endif
