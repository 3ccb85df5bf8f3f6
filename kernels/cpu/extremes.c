/* Largest and smallest elements and where they are. NaN wins; among equals, the first.
 */
#include "kernels/cpu/compose.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/reduce.h"

enum wanted { VALUE, INDEX, VALUE_AND_INDEX, BOTH_ENDS };

struct extremes {
    enum wanted wanted;
    bool largest;
};

/* The first element that none is beyond, and its index. A NaN is beyond all, as no
 * comparison with it holds, and nothing is beyond a NaN. */
#define SEARCH(name, ctype, read, not_beyond)                                          \
    static ctype name(struct dg_group *group, int64_t *index)                          \
    {                                                                                  \
        ctype line[DG_LINE_MOST], best = 0;                                            \
        int64_t n, start = group->next = 0;                                            \
                                                                                       \
        *index = -1;                                                                   \
        for (; (n = read(group, line)); start += n) {                                  \
            for (int64_t i = 0; i < n; i++) {                                          \
                if (*index >= 0 && line[i] not_beyond best)                            \
                    continue;                                                          \
                best = line[i];                                                        \
                *index = start + i;                                                    \
                if (best != best)                                                      \
                    return best;                                                       \
            }                                                                          \
        }                                                                              \
        return best;                                                                   \
    }

SEARCH(largest_real, double, dg_read_reals, <=)
SEARCH(smallest_real, double, dg_read_reals, >=)
SEARCH(largest_integer, int64_t, dg_read_integers, <=)
SEARCH(smallest_integer, int64_t, dg_read_integers, >=)

/* The extreme goes to `out` unless that is NULL. */
static int64_t find(struct dg_group *group, bool largest, struct dg_tensor *out,
                    int64_t i)
{
    int64_t index, integer;
    double real;

    if (dg_type_is_float(group->reduction->in->type)) {
        real = (largest ? largest_real : smallest_real)(group, &index);
        if (out)
            dg_put_real(out, i, real);
    } else {
        integer = (largest ? largest_integer : smallest_integer)(group, &index);
        if (out)
            dg_put_integer(out, i, integer);
    }
    return index;
}

static void extremes_group(const struct dg_reduction *r, struct dg_group *group,
                           int64_t i)
{
    const struct extremes *kind = r->data;
    bool largest = kind->largest && kind->wanted != BOTH_ENDS;
    int64_t index = find(group, largest, kind->wanted == INDEX ? NULL : r->out[0], i);

    if (kind->wanted == INDEX)
        dg_put_integer(r->out[0], i, index);
    if (kind->wanted == VALUE_AND_INDEX)
        dg_put_integer(r->out[1], i, index);
    if (kind->wanted == BOTH_ENDS)
        find(group, true, r->out[1], i);
}

static enum dg_status extremes(struct dg_call *call, struct dg_reduce_args at,
                               struct extremes kind)
{
    struct dg_reduction r;
    enum dg_status status = dg_reduce_begin(&r, call, at);
    enum dg_type index = DG_TYPE_I64;

    if (status)
        return status;
    if (r.n_groups && !r.n_each)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "of no elements none is the largest or smallest");
    r.data = &kind;
    status = dg_reduce_result(&r, 0, kind.wanted == INDEX ? index : r.in->type);
    if (!status && kind.wanted >= VALUE_AND_INDEX)
        status = dg_reduce_result(&r, 1, kind.wanted == BOTH_ENDS ? r.in->type : index);
    if (!status)
        dg_reduce_run(&r, extremes_group);
    return status;
}

static enum dg_status end_of_range(struct dg_call *call, bool largest)
{
    enum dg_status status = extremes(call, (struct dg_reduce_args){1, 2, 0},
                                     (struct extremes){VALUE, largest});
    struct dg_tensor *bound = status ? NULL : call->results[0].as.tensor;

    if (!bound || !call->quantizes || !dg_type_is_float(bound->type))
        return status;
    bound = dg_bound_of(call, bound);
    call->results[0] = (struct dg_arg){0};
    return dg_finish(call, bound);
}

enum dg_status dg_cpu_amax(struct dg_call *call)
{
    return end_of_range(call, true);
}

enum dg_status dg_cpu_amin(struct dg_call *call)
{
    return end_of_range(call, false);
}

/* EXTREMES(kernel, positions of dim and keepdim, what, of the largest elements) */
#define EXTREMES(name, dims, keepdim, wanted, largest)                                 \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return extremes(call, (struct dg_reduce_args){dims, keepdim, 0},               \
                        (struct extremes){wanted, largest});                           \
    }

EXTREMES(max, 0, 0, VALUE, true)
EXTREMES(min, 0, 0, VALUE, false)
EXTREMES(max_dim, 1, 2, VALUE_AND_INDEX, true)
EXTREMES(min_dim, 1, 2, VALUE_AND_INDEX, false)
EXTREMES(argmax, 1, 2, INDEX, true)
EXTREMES(argmin, 1, 2, INDEX, false)
EXTREMES(aminmax, 1, 2, BOTH_ENDS, true)
EXTREMES(aminmax_all, 0, 0, BOTH_ENDS, true)
