/* Walks over what the CUDA and Metal backends compile: partitions of plans and lowered
 * modules; graphs of which no plan is known count as one such part. */
#ifndef DG_VERIFIERS_CUDA_SCOPES_H
#define DG_VERIFIERS_CUDA_SCOPES_H

#include "graph/alias.h"
#include "partition/partitioned.h"
#include "verifiers/verifier.h"

struct dg_cuda_scope {
    const struct dg_alias *alias;
    struct dg_text tag; /* of a partition; else data NULL */
    bool planned;       /* one of these backends will get it, or got it */
    const struct dg_view_copy *copies;
    size_t n_copies;
};

typedef enum dg_status dg_cuda_scope_fn(const struct dg_findings *found,
                                        const struct dg_cuda_scope *scope,
                                        struct dg_error *err);

/* Calls `look` for each such part with copies of views, as alias.h judges them;
 * only_written: those parts may be left out in which nothing is written. */
enum dg_status dg_each_cuda_scope(const struct dg_findings *found,
                                  dg_cuda_scope_fn *look, bool only_written,
                                  struct dg_error *err);

#endif
