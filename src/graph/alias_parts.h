/* What the files that judge copies of views share. */
#ifndef DG_GRAPH_ALIAS_PARTS_H
#define DG_GRAPH_ALIAS_PARTS_H

#include "graph/alias.h"

/* Nodes that surely share memory are of one class; so are, on the other side, those
 * that may. The sweep has seen the accesses from its place to the end. */
enum { DG_SURE, DG_MAYBE, DG_SIDES };

/* Node i is at time i + 1; 0 is never. Behind the last node come the updates, then the
 * caller looks at what it owns, then, the program having run again, at results. */
enum { DG_NEVER_READ = 0, DG_NEVER_WRITTEN = UINT32_MAX };

struct dg_class_access {
    uint32_t node, time;
    bool writes;
    uint32_t next; /* a later one of the class; DG_NOBODY: none */
};

struct dg_class {
    uint32_t parent;
    uint32_t written, read; /* first and last time */
    uint32_t accesses;      /* the first of them; of sure classes only */
    bool outer, ever_written, overlaps;
    bool merged; /* copies became views: offsets count from several starts */
};

/* What users want of the strides of a node. */
enum { DG_WANTS_VIEWABLE = 1 << 0, DG_WANTS_EXACT = 1 << 1 };

struct dg_view_judge {
    const struct dg_alias *alias;
    struct dg_class *classes[DG_SIDES];
    struct dg_class_access *accesses;
    size_t n_accesses;
    uint32_t *scope;   /* of each node: in which it was touched last */
    uint32_t *member;  /* in which it is a member */
    uint32_t *updates; /* as how many updates the output names it */
    bool *live;
    uint8_t *wanted, *far_wanted; /* by views of it; by those of what follows from it */
    uint32_t n_scopes;
    bool writes;      /* some node of the scope does */
    bool commit;      /* copies that may be views are views from then on */
    int64_t patience; /* regions that may be looked up */
    struct dg_store *store;
    struct dg_rows layouts; /* open once it was needed */
    uint8_t *scattered, *in_a_row;
    struct dg_arena memory;
};

struct dg_class *dg_class_of(struct dg_view_judge *judge, int side, uint32_t node);
void dg_classes_unite(struct dg_view_judge *judge, int side, uint32_t a, uint32_t b);

/* Make the classes of a scope, and look at what happens behind its last node. */
void dg_classes_begin(struct dg_view_judge *judge, const uint32_t *members,
                      uint32_t n_members);

void dg_note_read(struct dg_view_judge *judge, uint32_t node, uint32_t time);
void dg_note_write(struct dg_view_judge *judge, int side, uint32_t node, uint32_t time);

/* When the caller looks at what it owns; when, at last, at results. */
static inline uint32_t dg_at_exit(const struct dg_view_judge *judge)
{
    return judge->alias->graph.n_nodes + (uint32_t)judge->alias->n_updates + 1;
}

static inline uint32_t dg_next_call(const struct dg_view_judge *judge)
{
    return dg_at_exit(judge) + 1;
}

static inline bool dg_is_member(const struct dg_view_judge *judge, uint32_t node)
{
    return judge->member[node] == judge->n_scopes;
}

static inline const struct dg_alias_link *dg_links_of(const struct dg_view_judge *judge,
                                                      uint32_t node, uint32_t *n_links)
{
    const struct dg_alias *alias = judge->alias;

    *n_links = alias->link_of[node + 1] - alias->link_of[node];
    return *n_links ? &alias->links[alias->link_of[node]] : NULL;
}

/* The sweep meets `node`. */
void dg_pass_output(struct dg_view_judge *judge, uint32_t node);
void dg_look_outside(struct dg_view_judge *judge, uint32_t node);
void dg_pass_node(struct dg_view_judge *judge, uint32_t node, bool is_view);

/* Whether the elements that the view would show are surely none of those of the
 * accesses that collide with it. */
bool dg_view_stands_apart(struct dg_view_judge *judge, const struct dg_view_copy *copy,
                          const struct dg_class *result);

/* Whether elements do not lie one after another in row-major order. */
bool dg_is_scattered(struct dg_view_judge *judge, uint32_t node);

/* Whether the result of a copy has one dimension, but for those of size 1. */
bool dg_is_in_a_row(struct dg_view_judge *judge, uint32_t copy);

/* Where a tensor lies in the memory of its class, in elements. */
struct dg_region {
    bool known;
    int64_t offset;
    size_t rank;
    int64_t sizes[16], strides[16];
};

#endif
