/* What a store has any of: what is about something else need not be asked of it.
 * Preparing a query takes longer than all that a small program has to be asked. */
#ifndef DG_GRAPH_ABOUT_H
#define DG_GRAPH_ABOUT_H

#include "base/error.h"
#include "store/store.h"

/* In SQL, beside a condition on a node's kind: lets index node_rare find the nodes. */
#define DG_RARE(node) node ".kind NOT IN ('call_function', 'kernel_call')"

/* In SQL, backends that compile with AOTInductor. */
#define DG_AOTI "('CudaBackend', 'MetalBackend')"

/* In SQL, whether a delegate or a plan names one of them. */
#define DG_NAMES_AOTI                                                                  \
    "(EXISTS (SELECT 1 FROM delegate WHERE backend IN " DG_AOTI ")"                    \
    " OR EXISTS (SELECT 1 FROM partition WHERE backend IN " DG_AOTI "))"

enum dg_about {
    DG_ABOUT_ANY, /* nothing is said; of a rule: what all of its family are about */
#define ABOUT(name, ...) DG_ABOUT_##name,
#include "graph/about.def"
#undef ABOUT
    DG_N_ABOUT
};

/* Fill `has`, of DG_N_ABOUT items, where `wanted` is set; NULL: all are. DG_ABOUT_ANY is
 * true. */
enum dg_status dg_about_read(bool *has, const bool *wanted, struct dg_store *store,
                             struct dg_error *err);

#endif
