/* Fitting a column of calls: blocks that recur, runs of kernel calls, and at last the
 * middle of the column become one box each. */
#include "reports/views/calls_parts.h"

#include <stdlib.h>

#include "base/repeats.h"

enum {
    FEWEST_REPEATS = 4,
    SHORTEST_ROW = 8, /* calls of one operator */
    SHORTEST_RUN = 2, /* calls inside one module */
    LEGIBLE = 48,     /* boxes of a column that people still read */
};

/* Equal for calls that stand for each other in a block. Control must pass through: what
 * jumps or is jumped to equals nothing. */
static uint64_t *find_keys(const struct dg_calls *calls)
{
    uint64_t *keys = dg_zeroed(calls->n_calls + 1, sizeof(*keys));

    for (size_t i = 0; i < calls->n_calls; i++) {
        const struct dg_call *call = &calls->calls[i];

        keys[i] = call->kind == DG_CALL_JUMP || call->leads
                      ? (uint64_t)i << 1 | 1
                      : (uint64_t)call->graph << 36 ^ (uint64_t)call->what << 3 ^
                            (uint64_t)call->kind << 1;
    }
    return keys;
}

static void add_interval(struct dg_calls *calls, size_t first, size_t n_calls,
                         size_t n_repeats)
{
    *DG_APPEND(calls->intervals, calls->n_intervals) =
        (struct dg_call_interval){first, n_calls, n_repeats, 0};
}

static void add_singly(struct dg_calls *calls, size_t first, size_t n_calls)
{
    for (size_t i = 0; i < n_calls; i++)
        add_interval(calls, first + i, 1, 0);
}

/* The first and the last of a block's repetitions are drawn; a row of calls of one
 * operator is one box. */
static void fold_run(struct dg_calls *calls, const struct dg_repeat *run)
{
    size_t covers = run->period * run->times;

    if (run->period == 1) {
        add_interval(calls, run->begin, covers, 0);
        return;
    }
    add_singly(calls, run->begin, run->period);
    add_interval(calls, run->begin + run->period, covers - 2 * run->period,
                 run->times - 2);
    add_singly(calls, run->begin + covers - run->period, run->period);
}

static void fold_repeats(struct dg_calls *calls)
{
    uint64_t *keys = find_keys(calls);
    size_t n_runs, done = 0;
    struct dg_repeat *runs =
        dg_repeats_find(&n_runs, keys, calls->n_calls,
                        (struct dg_repeat_limits){FEWEST_REPEATS, SHORTEST_ROW});

    for (size_t i = 0; i < n_runs; i++) {
        add_singly(calls, done, runs[i].begin - done);
        fold_run(calls, &runs[i]);
        done = runs[i].begin + runs[i].period * runs[i].times;
    }
    add_singly(calls, done, calls->n_calls - done);
    free(keys);
    free(runs);
}

static bool is_kernel(const struct dg_calls *calls,
                      const struct dg_call_interval *interval)
{
    return interval->n_calls == 1 &&
           calls->calls[interval->first].kind == DG_CALL_KERNEL;
}

struct run_rule { /* which kernel calls are folded into one box */
    size_t shortest;
    bool by_module;
};

/* How many intervals from `first` on are kernel calls that nothing jumps between. */
static size_t run_length(const struct dg_calls *calls, size_t first, bool by_module)
{
    uint32_t module = calls->calls[calls->intervals[first].first].module;
    size_t at = first;

    for (; at < calls->n_intervals && is_kernel(calls, &calls->intervals[at]); at++) {
        const struct dg_call *call = &calls->calls[calls->intervals[at].first];

        if (at > first && (call->leads || (by_module && call->module != module)))
            break;
    }
    return at - first;
}

/* Fold by a rule, or only count what would be left. */
static size_t fold_runs(struct dg_calls *calls, struct run_rule rule, bool only_count)
{
    size_t n_kept = 0, length;

    for (size_t i = 0; i < calls->n_intervals; i += length) {
        length = run_length(calls, i, rule.by_module);
        if (length >= rule.shortest && !only_count) {
            calls->intervals[n_kept] = calls->intervals[i];
            calls->intervals[n_kept].n_calls = length;
        }
        if (length >= rule.shortest) {
            n_kept++;
            continue;
        }
        length = length ? length : 1;
        if (!only_count)
            memmove(calls->intervals + n_kept, calls->intervals + i,
                    length * sizeof(*calls->intervals));
        n_kept += length;
    }
    return n_kept;
}

/* Only as short runs as it takes; inside modules as long as that is enough. */
static void fold_runs_to_fit(struct dg_calls *calls)
{
    static const struct run_rule rules[] = {{16, true},  {SHORTEST_RUN, true},
                                            {32, false}, {16, false},
                                            {8, false},  {4, false}};
    size_t i = 0;

    if (calls->n_intervals <= LEGIBLE)
        return;
    while (i + 1 < sizeof(rules) / sizeof(*rules) &&
           fold_runs(calls, rules[i], true) > LEGIBLE)
        i++;
    calls->n_intervals = fold_runs(calls, rules[i], false);
}

static void fold_middle(struct dg_calls *calls, size_t most)
{
    size_t half = most / 2, after = calls->n_intervals - (most - half - 1);
    struct dg_call_interval *middle = &calls->intervals[half];
    const struct dg_call_interval *last = &calls->intervals[after - 1];

    middle->n_calls = last->first + last->n_calls - middle->first;
    middle->n_repeats = 0;
    memmove(middle + 1, calls->intervals + after,
            (calls->n_intervals - after) * sizeof(*middle));
    calls->n_intervals = most;
}

void dg_calls_fold(struct dg_calls *calls, size_t most)
{
    if (calls->nodes.in.options->no_fold)
        add_singly(calls, 0, calls->n_calls);
    else
        fold_repeats(calls);
    if (!calls->nodes.in.options->no_fold)
        fold_runs_to_fit(calls);
    if (calls->n_intervals > most)
        fold_middle(calls, most);
}
