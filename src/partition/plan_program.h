/* The nodes of one method by the names that plans give them. */
#ifndef DG_PARTITION_PLAN_PROGRAM_H
#define DG_PARTITION_PLAN_PROGRAM_H

#include "base/arena.h"
#include "base/text_set.h"
#include "partition/plan_parse.h"
#include "store/store.h"

/* Which call a name means, and where it is among the nodes of its graph in memory: that
 * lacks the getitems that a file has of results that nobody uses. */
struct dg_plan_place {
    struct dg_text op; /* data NULL: no call */
    int64_t position;  /* -1: only the file has it */
};

struct dg_plan_program {
    int64_t method;
    int64_t *graphs; /* graphs[0] is the method's own */
    size_t n_graphs;
    struct dg_text_set names;     /* "node", in a branch graph "path/node" */
    int64_t *nodes;               /* of each name: id */
    uint32_t *graph_of;           /* of each name: index into graphs */
    struct dg_plan_place *places; /* of each name */
    size_t n_nodes;
    struct dg_text_set ops;
    int64_t position; /* of the next node of its graph */
    struct dg_arena memory;
};

/* Clear *out whether or not this succeeds. */
enum dg_status dg_plan_program_read(struct dg_plan_program *out, struct dg_store *store,
                                    int64_t method, struct dg_error *err);
void dg_plan_program_clear(struct dg_plan_program *program);

/* Whether the program has another node under the name of *known. */
bool dg_plan_program_differs(const struct dg_plan_program *program,
                             const struct dg_plan_known *known);

/* What differs then, in words that live as long as the program. */
struct dg_text dg_plan_program_difference(struct dg_plan_program *program,
                                          const struct dg_plan_known *known);

/* The name nearest to one that is unknown, or NULL. Large programs are not searched. */
const char *dg_plan_program_near(struct dg_plan_program *program, struct dg_text name);

#endif
