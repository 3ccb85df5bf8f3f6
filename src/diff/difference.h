/* One thing that is different between two programs. */
#ifndef DG_DIFF_DIFFERENCE_H
#define DG_DIFF_DIFFERENCE_H

#include "base/bytes.h"

/* In the order in which they are told. */
enum dg_diff_kind {
    DG_DIFF_METHOD,
    DG_DIFF_GRAPH, /* a branch, or what a delegate was made from */
    DG_DIFF_OP,
    DG_DIFF_VALUE, /* dtype or shape of a result */
    DG_DIFF_SIGNATURE,
    DG_DIFF_STATE,
    DG_DIFF_WEIGHT,
    DG_DIFF_DELEGATE,
    DG_DIFF_INSIDE, /* a node of what a delegate computes */
    DG_DIFF_LIBRARY, /* native code, what it needs, calls and holds */
    DG_DIFF_MEMORY,
    DG_DIFF_SIZE,
    DG_DIFF_FLOPS,
    DG_DIFF_FINDING,
    DG_DIFF_NAME,
    DG_DIFF_SOURCE,
    DG_DIFF_METADATA,
    DG_DIFF_KINDS,
};

enum dg_diff_change {
    DG_DIFF_ADDED,
    DG_DIFF_REMOVED,
    DG_DIFF_CHANGED,
    DG_DIFF_MOVED, /* between host and delegate */
};

/* What may be left out, as bits. */
enum dg_diff_class {
    DG_DIFF_NAMES = 1 << 0,
    DG_DIFF_SOURCES = 1 << 1,
    DG_DIFF_WEIGHTS = 1 << 2, /* values, not shapes */
    DG_DIFF_METADATAS = 1 << 3,
    DG_DIFF_SIZES = 1 << 4,
    DG_DIFF_FINDINGS = 1 << 5,
};

/* Texts are absent (data NULL) where there is nothing to say. */
struct dg_difference {
    enum dg_diff_kind kind;
    enum dg_diff_change change;
    unsigned class;                       /* enum dg_diff_class; 0: always told */
    struct dg_text method, graph, module; /* where */
    struct dg_text what;                  /* changes: operator, shape, bytes... */
    struct dg_text name;                  /* of what is different */
    struct dg_text old, new;              /* how it was, and is */
    struct dg_text note;                  /* how far apart; severity of a finding */
    int64_t count;                        /* of things that it stands for */
    int64_t node, old_node; /* rows of a call in both stores; 0: there is none */
};

/* Who a removed call read, or who read it. Each end is a removed call, by its row in
 * the old store, or a node by its row in the new one; the other number is 0. */
struct dg_diff_edge {
    int64_t from_old, from, to_old, to;
};

/* "method", "op"...; "added"...; "names"... or NULL. */
const char *dg_diff_kind_name(enum dg_diff_kind kind);
const char *dg_diff_change_name(enum dg_diff_change change);
const char *dg_diff_class_name(unsigned class);

#endif
