/* Reductions over any dimensions. A reducer R says what is kept of a row:
 *
 *   typename R::state            a plain struct of words
 *   state start()
 *   state add(state, C value, int64_t index)
 *   state merge(state, state)    in any order
 *   void give(int64_t row, state)
 */
#ifndef DG_KERNELS_CUDA_REDUCE_CUH
#define DG_KERNELS_CUDA_REDUCE_CUH

#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/places.cuh"
#include "kernels/cuda/team.cuh"
#include "kernels/cuda/types.cuh"

/* A tensor as rows to be reduced; long ones are cut into parts. */
struct rows {
    struct places<1> row, element;
    int64_t n_rows, length, n_parts, part; /* elements of a part */
};

template <int TEAM, class R, class T>
static __global__ void reduce_rows(struct rows rows, R r, const T *in,
                                   typename R::state *parts)
{
    int64_t job = team_row<TEAM>(), row = job / rows.n_parts, base, offset;
    int64_t from = job % rows.n_parts * rows.part, to = from + rows.part;
    typename R::state state = r.start();

    if (row >= rows.n_rows)
        return;
    to = to < rows.length ? to : rows.length;
    rows.row.find((uint32_t)row, &base);
    for (int64_t i = from + team_place<TEAM>(); i < to; i += TEAM) {
        rows.element.find((uint32_t)i, &offset);
        state = r.add(state, value_of(in[base + offset]), i);
    }
    state = merged<TEAM>(
        state, [&](typename R::state a, typename R::state b) { return r.merge(a, b); });
    if (team_place<TEAM>() == 0 && parts)
        parts[job] = state;
    else if (team_place<TEAM>() == 0)
        r.give(row, state);
}

/* The parts of each row, one block for a row. */
template <class R>
static __global__ void reduce_parts(int64_t n_parts, R r,
                                    const typename R::state *parts)
{
    int64_t row = blockIdx.x;
    typename R::state state = r.start();

    for (int64_t i = threadIdx.x; i < n_parts; i += THREADS)
        state = r.merge(state, parts[row * n_parts + i]);
    state = merged<TEAM_BLOCK>(
        state, [&](typename R::state a, typename R::state b) { return r.merge(a, b); });
    if (threadIdx.x == 0)
        r.give(row, state);
}

/* The dimensions of a reduction. */
struct reduction {
    struct dg_tensor *tensor; /* an operand: of the type computed with */
    bool reduced[DG_RANK_MOST];
    int rank; /* of the result */
    int64_t sizes[DG_RANK_MOST];
    int64_t length; /* elements that make one */
};

/* Dimensions of argument `i`: a list, a number, or nothing for all of them. */
static inline enum dg_status take_dims(struct dg_call *call, struct reduction *of,
                                       size_t i, bool keeps)
{
    int64_t dims[DG_RANK_MOST];
    int n = dg_arg_ints(call, i, dims, DG_RANK_MOST);

    for (int k = 0; k < n; k++) {
        int dim;

        if (!dg_dimension(call, dims[k], of->tensor->rank, &dim))
            return call->err->status;
        of->reduced[dim] = true;
    }
    of->length = 1;
    for (int d = 0; d < of->tensor->rank; d++) {
        of->reduced[d] = of->reduced[d] || n == 0;
        if (of->reduced[d])
            of->length *= of->tensor->sizes[d];
        if (keeps || !of->reduced[d])
            of->sizes[of->rank++] = of->reduced[d] ? 1 : of->tensor->sizes[d];
    }
    return n < 0 ? call->err->status : DG_OK;
}

static inline struct shape<1> chosen_dims(const struct reduction *of, bool reduced) {
    int dims[DG_RANK_MOST], n = 0;
    const struct dg_tensor *tensors[] = {of->tensor};

    for (int d = 0; d < of->tensor->rank; d++) {
        if (of->reduced[d] == reduced)
            dims[n++] = d;
    }
    return joined<1>(tensors, dims, n);
}

template <int TEAM, class T, class R>
static enum dg_status reduce_by(struct dg_call *call, const struct rows &rows, R r,
                                const T *in)
{
    int64_t n_jobs = rows.n_rows * rows.n_parts, size;
    struct dg_tensor *parts = NULL;
    enum dg_status status;

    size = n_jobs * (int64_t)sizeof(typename R::state);
    if (rows.n_parts > 1) {
        parts = dg_tensor_new(call->context->memory, DG_TYPE_U8, 1, &size, call->err);
        if (!parts)
            return call->err->status;
    }
    status =
        launch(call, reduce_rows<TEAM, R, T>, team_blocks(n_jobs, TEAM), THREADS, rows,
               r, in, parts ? (typename R::state *)dg_tensor_data(parts) : NULL);
    if (parts && !status)
        status = launch(call, reduce_parts<R>, rows.n_rows, THREADS, rows.n_parts, r,
                        (const typename R::state *)dg_tensor_data(parts));
    dg_tensor_drop(parts);
    return status;
}

/* Reduce `of` by r, which writes the results. */
template <class T, class R>
static enum dg_status reduce(struct dg_call *call, const struct reduction *of, R r)
{
    enum { PART = 16384, BUSY = 1024 };
    struct shape<1> outer = chosen_dims(of, false), inner = chosen_dims(of, true);
    const T *in = (const T *)dg_tensor_data(of->tensor);
    struct rows rows = {{}, {}, outer.count(), inner.count(), 1, 0};
    bool across = outer.rank && outer.strides[0][0] == 1 && inner.rank &&
                  inner.strides[0][0] != 1; /* neighbours are in different rows */

    if (!rows.n_rows)
        return DG_OK;
    if (rows.n_rows > INT32_MAX || rows.length > INT32_MAX)
        return dg_call_fail(call, DG_ERR_DEVICE, "%lld rows of %lld are too many",
                            (long long)rows.n_rows, (long long)rows.length);
    rows.row = places_of(outer);
    if (rows.length)
        rows.element = places_of(inner);
    if (rows.n_rows < BUSY && rows.length > 2 * PART)
        rows.n_parts = (rows.length + PART - 1) / PART;
    rows.part = (rows.length + rows.n_parts - 1) / rows.n_parts;
    if (across && rows.n_rows >= BUSY)
        return reduce_by<TEAM_THREAD>(call, rows, r, in);
    return with_team(rows.part, [&](auto team) {
        return reduce_by<decltype(team)::value>(call, rows, r, in);
    });
}

#endif
