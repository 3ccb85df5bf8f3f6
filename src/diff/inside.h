/* What a delegate computes, as diff compares it. */
#ifndef DG_DIFF_INSIDE_H
#define DG_DIFF_INSIDE_H

#include "diff/diff_parts.h"

struct dg_diff_operand_inside {
    struct dg_text name, type, quantization;
    struct dg_text constant; /* its key, or a digest of its bytes; NULL: not known */
    int64_t made;            /* node that made it; 0: none did */
    int64_t external;        /* operand of the call that it is, -1: none */
    bool written;
};

struct dg_diff_node_inside {
    int64_t id;
    struct dg_text name, op, args;
    size_t first, n_operands;
    size_t match; /* in the other program, from 1 on; 0: none so far */
};

struct dg_diff_inside {
    struct dg_diff_node_inside *nodes;
    size_t n_nodes;
    struct dg_diff_operand_inside *operands;
    size_t n_operands;
    struct dg_text path; /* delegate_0 */
    bool lacks;          /* nobody knows the bytes of a constant */
    bool opened;         /* its nodes were compared with others */
    /* What tells it from others: nodes, types and constants, without debug handles;
     * NULL where not all of that is known. */
    struct dg_text signature;
    struct dg_diff_inside *next; /* of all that were read */
};

/* Row `graph` of delegate_graph. It lives as long as the comparison. */
enum dg_status dg_diff_inside_read(struct dg_diff_inside **inside,
                                   struct dg_diffing *diffing, int side, int64_t graph,
                                   struct dg_error *err);
void dg_diff_insides_clear(struct dg_diffing *diffing);

/* Fill in the signature. */
void dg_diff_inside_sign(struct dg_diff_inside *inside, struct dg_arena *memory);

/* The node that made what `operand` reads; NULL: none did. O(log n). */
const struct dg_diff_node_inside *
dg_diff_maker(const struct dg_diff_inside *inside,
              const struct dg_diff_operand_inside *operand);

#endif
