/* Many nodes drawn as few boxes: which node is in which part, what each part adds up
 * to, and what goes from part to part. */
#ifndef DG_REPORTS_PARTS_H
#define DG_REPORTS_PARTS_H

#include "reports/views/outline.h"

enum { DG_PART_OPS = 3 }; /* that a label names */

struct dg_part_op {
    uint32_t op; /* row */
    size_t count;
};

struct dg_part {
    enum dg_box_kind kind;
    struct dg_text title, name, backend, note, where, command;
    struct dg_text value; /* of a single input or output */
    size_t frame;
    uint32_t graph;   /* index into the outline's */
    uint32_t first;   /* node; DG_NOWHERE: none yet */
    uint32_t stage;   /* see stages.h */
    bool is_step;     /* all of a stage that was in no part before */
    uint64_t order;   /* boxes are drawn by it */
    size_t n_repeats; /* that are folded into it; 0: itself alone */
    uint32_t tangle;  /* parts on a cycle have the same number; 0: on none */
    int64_t blob;     /* bytes of a delegate's blob and its named data; -1: none */
    size_t n_calls;   /* below: dg_parts_measure() */
    size_t n_kinds;   /* of operators */
    struct dg_part_op ops[DG_PART_OPS]; /* the most frequent, falling */
    double flops, bytes;
    int64_t weights; /* bytes of those that it reads */
    bool gone;       /* another part took all of its nodes */
    size_t box;
};

struct dg_parts {
    struct dg_outline *outline;
    uint32_t *part_of; /* of each node; DG_NOWHERE: none */
    struct dg_part *items;
    size_t n_items;
    uint32_t *drawn_as;  /* of each part: what stands for it; see dg_parts_repeat() */
    size_t n_folded;     /* parts that others stand for */
    size_t n_twins;      /* parts that dg_parts_fold_twins() folded */
    double flops, bytes; /* of all; 0: table cost is not filled */
    bool opaque; /* those of the host alone: what delegates compute is unknown */
    struct dg_arena memory;
};

/* All nodes in no part. Clear *parts in the end. */
void dg_parts_begin(struct dg_parts *parts, struct dg_outline *outline);
void dg_parts_clear(struct dg_parts *parts);

uint32_t dg_parts_add(struct dg_parts *parts, enum dg_box_kind kind, uint32_t graph);
void dg_parts_join(struct dg_parts *parts, uint32_t node, uint32_t part);

/* Inputs and outputs as parts: one each, or one for all where there are many; those of
 * `branches`, too, where branches are told apart. */
void dg_parts_add_ends(struct dg_parts *parts, bool branches);

/* Operators, costs and weights of each part. */
enum dg_status dg_parts_measure(struct dg_parts *parts, const struct dg_view_input *in);

/* Operators alone. */
void dg_parts_count_ops(struct dg_parts *parts);

/* Those that are not gone, in their order; the caller frees the array. */
struct dg_part **dg_parts_sorted(const struct dg_parts *parts, size_t *count);

/* Rows of parts that come three times or more: the first is drawn, and one box for the
 * others. Fills drawn_as and n_folded; after dg_parts_measure(). */
void dg_parts_repeat(struct dg_parts *parts);

struct dg_part_pair { /* values go from one to the other */
    uint32_t from, to;
};

/* Parts with the same neighbours, where at least four have, become one box. Each pair
 * stands once; after dg_parts_repeat(). */
void dg_parts_fold_twins(struct dg_parts *parts, const struct dg_part_pair *pairs,
                         size_t n_pairs);

/* Nodes go to the parts that stand for theirs. */
void dg_parts_follow(struct dg_parts *parts);

/* A frame for each method and branch that is drawn, and `frame` of the parts in it. */
void dg_parts_frame(struct dg_parts *parts, struct dg_picture *picture);

/* A box for each part, and one link for all values from a part to another. With
 * `repeat`, dg_parts_repeat() is called in between. */
enum dg_status dg_parts_draw(struct dg_parts *parts, struct dg_picture *picture,
                             const struct dg_view_input *in, bool repeat);

/* Lines of the box of a part. */
void dg_part_describe(struct dg_picture *picture, struct dg_box *box,
                      const struct dg_parts *parts, const struct dg_part *part);

#endif
