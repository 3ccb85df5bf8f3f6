/* What the parts of view "calls" share. */
#ifndef DG_REPORTS_VIEWS_CALLS_PARTS_H
#define DG_REPORTS_VIEWS_CALLS_PARTS_H

#include "reports/views/node_rows.h"
#include "reports/views/skeleton.h"

enum dg_call_kind { DG_CALL_KERNEL, DG_CALL_DELEGATE, DG_CALL_JUMP, DG_CALL_OTHER };

struct dg_call { /* what runs: an instruction, or a node that calls */
    int64_t node;
    uint32_t graph, module; /* of the skeleton; row */
    int64_t
        what; /* row of op; of a delegate that of the first with its backend, negated */
    const struct dg_flow_node *flow; /* of an instruction */
    enum dg_call_kind kind;
    bool leads; /* control may come from elsewhere than the call before */
};

/* An interval of calls that one box stands for. */
struct dg_call_interval {
    size_t first, n_calls;
    size_t n_repeats; /* of a block that recurs: how often; else 0 */
    size_t box;
};

struct dg_calls {
    struct dg_node_rows nodes;
    struct dg_call *calls;
    size_t n_calls;
    struct dg_call_interval *intervals;
    size_t n_intervals;
    struct dg_skeleton skeleton;
    int64_t *backends; /* by row of a delegate: the first of its backend */
    size_t n_backends;
};

/* Part the calls into intervals: at most `most` of them. */
void dg_calls_fold(struct dg_calls *calls, size_t most);

/* One box for each interval, in a column, and the jumps. */
enum dg_status dg_calls_draw(struct dg_calls *calls);

#endif
