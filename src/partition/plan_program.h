/* The nodes of one method by the names that plans give them. */
#ifndef DG_PARTITION_PLAN_PROGRAM_H
#define DG_PARTITION_PLAN_PROGRAM_H

#include "base/arena.h"
#include "base/text_set.h"
#include "store/store.h"

struct dg_plan_program {
    int64_t method;
    int64_t *graphs; /* graphs[0] is the method's own */
    size_t n_graphs;
    struct dg_text_set names; /* "node", in a branch graph "path/node" */
    int64_t *nodes;           /* of each name: id */
    uint32_t *graph_of;       /* of each name: index into graphs */
    size_t n_nodes;
    struct dg_arena memory;
};

/* Clear *out whether or not this succeeds. */
enum dg_status dg_plan_program_read(struct dg_plan_program *out, struct dg_store *store,
                                    int64_t method, struct dg_error *err);
void dg_plan_program_clear(struct dg_plan_program *program);

/* The name nearest to one that is unknown, or NULL. Large programs are not searched. */
const char *dg_plan_program_near(struct dg_plan_program *program, struct dg_text name);

#endif
