/* What the parts of view "calls" share. */
#ifndef DG_REPORTS_VIEWS_CALLS_PARTS_H
#define DG_REPORTS_VIEWS_CALLS_PARTS_H

#include "reports/views/node_rows.h"

/* Numbered as the query in calls.c numbers them. */
enum dg_call_kind { DG_CALL_KERNEL, DG_CALL_DELEGATE, DG_CALL_JUMP, DG_CALL_OTHER };

struct dg_call { /* what runs: an instruction, or a node that calls */
    int64_t node, graph, idx;
    int64_t
        what; /* row of op; of a delegate that of the first with its backend, negated */
    int64_t jump; /* index of the instruction, or DG_NONE */
    int64_t module;
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
    struct dg_text *ops; /* by row: "add" of "aten::add.out" */
    int64_t n_ops;
};

/* The call of an instruction of the same graph as calls[near]; SIZE_MAX: none. */
size_t dg_calls_find(const struct dg_calls *calls, size_t near, int64_t idx);

/* Part the calls into intervals: at most `most` of them. */
void dg_calls_fold(struct dg_calls *calls, size_t most);

/* The inputs of the graph that begins with calls[call] as one box, or its outputs;
 * SIZE_MAX: it has none. */
enum dg_status dg_calls_add_end(struct dg_calls *calls, size_t call, bool output,
                                size_t *box);

/* One box for each interval, in a column, and the jumps. */
enum dg_status dg_calls_draw(struct dg_calls *calls);

#endif
