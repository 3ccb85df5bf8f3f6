/* hash_tensor: the bits of elements, exclusive-or'ed. */
#include <string.h>

#include "kernels/cpu/reduce.h"

static uint64_t bits_of_reals(struct dg_group *group)
{
    double line[DG_LINE_MOST];
    uint64_t hash = 0, bits;

    for (int64_t n; (n = dg_read_reals(group, line));) {
        for (int64_t i = 0; i < n; i++) {
            memcpy(&bits, &line[i], sizeof(bits));
            hash ^= bits;
        }
    }
    return hash;
}

static uint64_t bits_of_integers(struct dg_group *group)
{
    int64_t line[DG_LINE_MOST];
    uint64_t hash = 0;

    for (int64_t n; (n = dg_read_integers(group, line));) {
        for (int64_t i = 0; i < n; i++)
            hash ^= (uint64_t)line[i];
    }
    return hash;
}

static void hash_group(const struct dg_reduction *r, struct dg_group *group, int64_t i)
{
    bool reals = dg_type_is_float(r->in->type);

    dg_put_integer(r->out[0], i,
                   (int64_t)(reals ? bits_of_reals(group) : bits_of_integers(group)));
}

/* self, dim, keepdim, mode */
enum dg_status dg_cpu_hash_tensor(struct dg_call *call)
{
    struct dg_reduction r;
    enum dg_status status = dg_reduce_begin(&r, call, (struct dg_reduce_args){1, 2, 0});

    if (status)
        return status;
    if (dg_arg_int(call, 3, 0) || !r.n_each)
        return dg_call_fail(call, DG_ERR_FORMAT, "a hash of mode %lld of %lld elements",
                            (long long)dg_arg_int(call, 3, 0), (long long)r.n_each);
    status = dg_reduce_result(&r, 0, DG_TYPE_U64);
    if (!status)
        dg_reduce_run(&r, hash_group);
    return status;
}
