/* What the rules about memory plans share. */
#ifndef DG_VERIFIERS_MEMORY_PARTS_H
#define DG_VERIFIERS_MEMORY_PARTS_H

#include "graph/liveness.h"
#include "verifiers/verifier.h"

enum { DG_MEMORY_FEW = 20 }; /* findings of a kind in a method */

/* A rule at work on one method. */
struct dg_memory_walk {
    const struct dg_findings *found;
    struct dg_method_liveness *method;
    enum dg_status status;
    struct dg_error *err;
};

typedef void dg_memory_fn(struct dg_memory_walk *memory);

/* Calls `look` for each method of a .pte until one fails. */
enum dg_status dg_memory_each(const struct dg_findings *found, dg_memory_fn *look,
                              struct dg_error *err);

/* Where a finding lies: nodes and a value of the method. */
struct dg_memory_place {
    const char *severity;  /* NULL: the rule's */
    uint32_t node, value;  /* DG_FLOW_NONE: none */
    const uint32_t *nodes; /* the witness */
    size_t n_nodes;
};

#define DG_MEMORY_METHOD                                                               \
    (struct dg_memory_place)                                                           \
    {                                                                                  \
        NULL, DG_FLOW_NONE, DG_FLOW_NONE, NULL, 0                                      \
    }

void dg_memory_find(struct dg_memory_walk *memory, struct dg_memory_place place,
                    const char *message, ...)
    __attribute__((format(printf, 3, 4), nonnull(3)));

/* Says that nothing can be said of the method, if so. */
bool dg_memory_gives_up(struct dg_memory_walk *memory);

/* The arguments of "value %lld, bytes %lld..%lld of arena %lld". */
#define DG_MEMORY_SHOWN "value %lld, bytes %lld..%lld of arena %lld"
#define DG_MEMORY_VALUE(one)                                                           \
    (long long)(one)->idx, (long long)(one)->begin, (long long)(one)->end,             \
        (long long)(one)->arena

extern dg_memory_fn dg_memory_ids, dg_memory_extents, dg_memory_alignment;
extern dg_memory_fn dg_memory_far_offsets;
extern dg_memory_fn dg_memory_overlaps, dg_memory_escapes;
extern dg_memory_fn dg_memory_undefined, dg_memory_outputs, dg_memory_views;
extern dg_memory_fn dg_memory_intermediates, dg_memory_lost_buffers;
extern dg_memory_fn dg_memory_shared_buffers, dg_memory_in_place, dg_memory_stale;
extern dg_memory_fn dg_memory_live_aliases, dg_memory_dead_stores;
extern dg_memory_fn dg_memory_assignments;
extern dg_memory_fn dg_memory_peaks;

extern const char dg_memory_sql_reserved_zero[], dg_memory_sql_device_arena[],
    dg_memory_sql_io_all_or_none[], dg_memory_sql_planned_output[],
    dg_memory_sql_caller_buffers[], dg_memory_sql_free_target[],
    dg_memory_sql_shared_consistent[], dg_memory_sql_xnnpack_padding[];

enum dg_status dg_memory_initial_state(const struct dg_findings *found,
                                       struct dg_error *err);

enum dg_status dg_memory_slack(const struct dg_findings *found, struct dg_error *err);

#endif
