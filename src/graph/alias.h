/* Which nodes of a graph share memory, who writes it, and which copies of views could
 * be views. */
#ifndef DG_GRAPH_ALIAS_H
#define DG_GRAPH_ALIAS_H

#include "graph/graph.h"

enum { DG_NOBODY = UINT32_MAX };

/* What is known of an operator before its calls are looked at. */
enum dg_effect {
    DG_EFFECT_VIEW = 1 << 0,      /* the result shares memory with an argument */
    DG_EFFECT_MAYBE = 1 << 1,     /* the same, for some strides or flags only */
    DG_EFFECT_WRITE = 1 << 2,     /* writes arguments that its schema marks */
    DG_EFFECT_OPAQUE = 1 << 3,    /* nothing says what it writes or shares */
    DG_EFFECT_SHAPE = 1 << 4,     /* looks at sizes only, not at what is in them */
    DG_EFFECT_FIRST = 1 << 5,     /* what it views or writes is its first argument */
    DG_EFFECT_STRICT = 1 << 6,    /* some strides make it fail */
    DG_EFFECT_STRIDES = 1 << 7,   /* the strides of its result follow its arguments' */
    DG_EFFECT_KEEPS = 1 << 8,     /* does something besides its result */
    DG_EFFECT_FILL = 1 << 9,      /* does not read what it writes */
    DG_EFFECT_ITEM = 1 << 10,     /* _operator.getitem */
    DG_EFFECT_COPY = 1 << 11,     /* the copying twin of a view */
    DG_EFFECT_REPLACED = 1 << 12, /* such a copy that ExecuTorch's pass looks at */
    DG_EFFECT_SHUFFLES = 1 << 13, /* such a view has no longer row-major strides */
    DG_EFFECT_OVERLAPS = 1 << 14, /* such a view has one element in several places */
    DG_EFFECT_OUTER = 1 << 15,    /* placeholder, get_attr: memory from outside */
    DG_EFFECT_TWIN_STRICT = 1 << 16, /* the view of such a copy is strict */
    DG_EFFECT_IS_VIEW = 1 << 17,     /* what PyTorch calls OpOverload.is_view */
    DG_EFFECT_TURNS = 1 << 18,       /* t_, detach_: no element changes */
    DG_EFFECT_EXACT = 1 << 19,       /* works on its argument's very strides */
};

/* Of a call of `op`, "aten::add_.Tensor". */
unsigned dg_effect_of(struct dg_text op);

/* Whether strides, lists of JSON like the shape, are not those of elements that lie one
 * after another in row-major order. */
bool dg_layout_scattered(struct dg_text shape, struct dg_text strides);

/* What the schema of `op` says of its argument called `name`; of that at `position` if
 * the name is empty. False: it is neither shared nor written. */
bool dg_effect_argument(struct dg_text op, struct dg_text name, int64_t position,
                        bool *writes, bool *is_list);

/* An argument of a node that it shares memory with, or writes. */
struct dg_alias_link {
    uint32_t node, source;
    bool shares, writes, in_list;
};

/* An output that the caller writes back to an input after all nodes ran. */
struct dg_alias_update {
    uint32_t value, state;
};

/* Node i is described by the items i. */
struct dg_alias {
    struct dg_graph graph;
    bool branch;       /* of control flow: results must not share memory with inputs */
    uint32_t *effects; /* of enum dg_effect */
    uint32_t *ops;     /* index into op_names; DG_NOBODY: no call */
    struct dg_text *op_names;
    struct dg_alias_link *links; /* by node; of calls with effects only */
    uint32_t *link_of;           /* n_nodes + 1 */
    struct dg_alias_update *updates;
    size_t n_updates;
    struct dg_arena memory;
};

static inline bool dg_is_output(const struct dg_alias *alias, uint32_t node)
{
    return alias->ops[node] == DG_NOBODY && alias->effects[node] == DG_EFFECT_KEEPS;
}

/* Read graph `id`. Clear *alias whether or not this succeeds. O(nodes + edges). */
enum dg_status dg_alias_load(struct dg_alias *alias, struct dg_store *store, int64_t id,
                             struct dg_error *err);
void dg_alias_clear(struct dg_alias *alias);

enum dg_view_verdict {
    DG_VIEW_POSSIBLE, /* a view in its place computes the same */
    DG_VIEW_WRITTEN,  /* no: base or result is written while the other is still read */
    DG_VIEW_RETURNED, /* no: the caller would get memory that the program writes */
    DG_VIEW_STRIDES,  /* no: a user, or the view itself, needs other strides */
    DG_VIEW_UNKNOWN,  /* an operator that nothing is known of has its hands in it */
};

struct dg_view_copy {
    uint32_t node, base;
    enum dg_view_verdict verdict;
    bool replaced;           /* ExecuTorch's pass makes a view of it */
    bool together;           /* so it may be, with all others that are marked so */
    bool base_written;       /* of DG_VIEW_WRITTEN; else the copy is */
    uint32_t writer, reader; /* likewise; n_nodes: what happens after the last node */
};

struct dg_view_copies {
    struct dg_view_copy *items; /* in order */
    size_t n_items;
};

/* Judges scope after scope of one graph. */
struct dg_view_judge;

/* Where two parts of one memory might not touch, the judge asks the store. */
struct dg_view_judge *dg_view_judge_new(const struct dg_alias *alias,
                                        struct dg_store *store);
void dg_view_judge_free(struct dg_view_judge *judge);

/* Append the copies of views among `members` (nodes in order), judged as if these were
 * all there is: what else they read comes from outside, what others read of them is
 * returned. Whether they may be views together is found out only if it is asked for.
 * copies->items is the caller's to free(). O(members + their edges). */
void dg_view_copies_judge(struct dg_view_copies *copies, struct dg_view_judge *judge,
                          bool together, const uint32_t *members, uint32_t n_members);

#endif
