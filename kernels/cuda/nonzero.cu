/* Results whose size depends on values: nonzero, masked_select, masked_scatter. */
#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/places.cuh"
#include "kernels/cuda/state.h"
#include "kernels/cuda/types.cuh"

extern "C" {
#include "kernels/cpu/indexing.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"
}

enum { PIECE = 64 }; /* elements that one thread looks at */

static __global__ void count_pieces(int64_t n, int64_t *counts, const uint8_t *truths)
{
    int64_t piece = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, count = 0;

    if (piece * PIECE >= n)
        return;
    for (int64_t i = piece * PIECE; i < n && i < (piece + 1) * PIECE; i++)
        count += truths[i];
    counts[piece] = count;
}

/* What came before each count, and what all are together: one block. */
static __global__ void add_counts(int64_t n, int64_t *counts, int64_t *total)
{
    __shared__ int64_t sums[THREADS];
    int64_t each = (n + THREADS - 1) / THREADS, from = threadIdx.x * each;
    int64_t to = from + each < n ? from + each : n, sum = 0;

    for (int64_t i = from; i < to; i++)
        sum += counts[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (unsigned t = 0; t < threadIdx.x; t++)
        sum += sums[t];
    for (int64_t i = from; i < to; i++) {
        int64_t count = counts[i];

        counts[i] = sum;
        sum += count;
    }
    if (threadIdx.x == THREADS - 1)
        *total = sum;
}

static __global__ void list_places(int64_t n, int64_t *chosen, const int64_t *counts,
                                   const uint8_t *truths)
{
    int64_t piece = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, to;

    if (piece * PIECE >= n)
        return;
    to = counts[piece];
    for (int64_t i = piece * PIECE; i < n && i < (piece + 1) * PIECE; i++) {
        if (truths[i])
            chosen[to++] = i;
    }
}

/* Count what is true; *counts, a new tensor, says how many come before each piece. */
static enum dg_status count_truths(struct dg_call *call, const struct dg_tensor *truths,
                                   struct dg_tensor **counts, int64_t *total)
{
    struct dg_cuda *cuda = (struct dg_cuda *)call->context->memory->state;
    int64_t n = dg_tensor_count(truths), n_pieces = (n + PIECE - 1) / PIECE;
    int64_t *data;

    *counts =
        dg_tensor_new(call->context->memory, DG_TYPE_I64, 1, &n_pieces, call->err);
    if (!*counts)
        return call->err->status;
    data = (int64_t *)dg_tensor_data(*counts);
    if (launch(call, count_pieces, blocks_for(n_pieces), THREADS, n, data,
               (const uint8_t *)dg_tensor_data(truths)) ||
        launch(call, add_counts, 1, THREADS, n_pieces, data, &cuda->fault->n_chosen) ||
        cuda->finish(cuda, call->err))
        return call->err->status;
    *total = cuda->fault->n_chosen;
    return DG_OK;
}

/* Where `mask`, broadcast to a shape, is true: flat positions, one share. NULL: failed.
 */
static struct dg_tensor *true_places(struct dg_call *call, const struct dg_tensor *mask,
                                     int rank, const int64_t *sizes)
{
    struct dg_tensor *truths =
        dg_tensor_new(call->context->memory, DG_TYPE_BOOL, rank, sizes, call->err);
    struct dg_tensor *counts = NULL, *chosen = NULL;
    int64_t n = 0, total;

    if (truths && dg_tensor_count(truths) > INT32_MAX)
        dg_call_fail(call, DG_ERR_DEVICE, "%lld elements are more than a kernel takes",
                     (long long)dg_tensor_count(truths));
    else if (truths && !copy_elements(call, truths, mask) &&
             !count_truths(call, truths, &counts, &n))
        chosen = dg_tensor_new(call->context->memory, DG_TYPE_I64, 1, &n, call->err);
    if (chosen && n) {
        total = dg_tensor_count(truths);
        launch(call, list_places, blocks_for((total + PIECE - 1) / PIECE), THREADS,
               total, (int64_t *)dg_tensor_data(chosen),
               (const int64_t *)dg_tensor_data(counts),
               (const uint8_t *)dg_tensor_data(truths));
    }
    dg_tensor_drop(truths);
    dg_tensor_drop(counts);
    return chosen;
}

/* The indices of a position, the outermost dimension first. */
static __global__ void name_places(int64_t n, struct places<1> shape, int64_t *out,
                                   const int64_t *chosen)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    uint32_t position;

    if (i >= n)
        return;
    position = (uint32_t)chosen[i];
    for (int d = 0; d < shape.rank; d++) {
        uint32_t rest = shape.sizes[d].quotient(position);

        out[i * shape.rank + shape.rank - 1 - d] =
            position - rest * shape.sizes[d].value;
        position = rest;
    }
}

/* Rows of indices, [n, rank]; one share, NULL: failed. */
static struct dg_tensor *nonzero(struct dg_call *call, const struct dg_tensor *self)
{
    struct dg_tensor *chosen = true_places(call, self, self->rank, self->sizes);
    int64_t sizes[2] = {chosen ? chosen->sizes[0] : 0, self->rank};
    struct dg_tensor *rows = NULL;
    struct places<1> shape = {
    };

    if (chosen)
        rows = dg_tensor_new(call->context->memory, DG_TYPE_I64, 2, sizes, call->err);
    if (rows && dg_tensor_count(rows)) {
        shape.rank = self->rank;
        for (int d = 0; d < self->rank; d++)
            shape.sizes[d] = divisor_of(self->sizes[self->rank - 1 - d]);
        launch(call, name_places, blocks_for(sizes[0]), THREADS, sizes[0], shape,
               (int64_t *)dg_tensor_data(rows),
               (const int64_t *)dg_tensor_data(chosen));
    }
    dg_tensor_drop(chosen);
    return rows;
}

static enum dg_status no_tensor(struct dg_call *call)
{
    return dg_call_fail(call, DG_ERR_DEVICE, "an argument is no tensor");
}

enum dg_status dg_cuda_nonzero(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (!self)
        return no_tensor(call);
    return dg_give(call, 0, nonzero(call, self)) ? DG_OK : call->err->status;
}

/* (self, size, fill_value): exactly `size` rows */
enum dg_status dg_cuda_nonzero_static(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    int64_t fill = dg_arg_int(call, 2, -1), sizes[2] = {dg_arg_int(call, 1, 0), 0};
    struct dg_tensor *rows, *out, part;
    enum dg_status status;

    if (!self)
        return no_tensor(call);
    sizes[1] = self->rank;
    out = dg_result(call, 0, DG_TYPE_I64, 2, sizes);
    rows = out ? nonzero(call, self) : NULL;
    if (!rows)
        return call->err->status;
    status = fill_elements(call, out, (double)fill, fill);
    part = *out;
    if (rows->sizes[0] < sizes[0])
        part.sizes[0] = rows->sizes[0];
    else
        rows->sizes[0] = sizes[0];
    if (!status)
        status = copy_elements(call, &part, rows);
    dg_tensor_drop(rows);
    return status;
}

/* (condition): a vector of indices for each dimension */
enum dg_status dg_cuda_where_true(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);
    struct dg_tensor shape, *rows;
    struct dg_arg *items;

    if (!self)
        return no_tensor(call);
    shape = dg_as_vector(self);
    rows = nonzero(call, &shape);
    items = rows ? dg_give_list(call, shape.rank) : NULL;
    for (int d = 0; items && d < shape.rank; d++) {
        items[d].kind = DG_ARG_TENSOR;
        items[d].as.tensor =
            dg_tensor_view(rows, 1, rows->sizes, rows->strides, rows->offset + d);
    }
    dg_tensor_drop(rows);
    return items ? DG_OK : call->err->status;
}

/* Elements at `chosen` places of a tensor become a row, or (PUTS) the other way round.
 */
template <bool PUTS, class Word>
static __global__ void move_places(int64_t n, struct places<1> shape, Word *whole,
                                   Word *row, const int64_t *chosen)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, offset;

    if (i >= n)
        return;
    shape.find((uint32_t)chosen[i], &offset);
    if (PUTS)
        whole[offset] = row[i];
    else
        row[i] = whole[offset];
}

/* `whole` broadcasts to the shape that the places are of. */
template <bool PUTS>
static enum dg_status move_row(struct dg_call *call, const struct dg_tensor *whole,
                               const struct dg_tensor *row,
                               const struct dg_tensor *chosen)
{
    const struct dg_tensor *tensors[] = {whole};
    struct places<1> shape = places_of(joined_all<1>(tensors));
    int64_t n = chosen->sizes[0];

    return with_word(whole->type, [&](auto word) {
        using Word = decltype(word);

        return launch(call, move_places<PUTS, Word>, blocks_for(n), THREADS, n, shape,
                      (Word *)dg_tensor_data(whole), (Word *)dg_tensor_data(row),
                      (const int64_t *)dg_tensor_data(chosen));
    });
}

/* `self` in the shape that it and the mask have together, and where that is true. */
static enum dg_status take_masked(struct dg_call *call, struct dg_tensor *self,
                                  struct dg_tensor **chosen)
{
    struct dg_tensor *both[2] = {dg_arg_tensor(call, 0), dg_arg_tensor(call, 1)};
    int64_t sizes[DG_RANK_MOST];
    int rank;

    if (!both[0] || !both[1])
        return no_tensor(call);
    if (dg_broadcast(call, 2, both, &rank, sizes))
        return call->err->status;
    if (both[1]->type != DG_TYPE_BOOL && both[1]->type != DG_TYPE_U8)
        return dg_call_fail(call, DG_ERR_FORMAT, "a mask of %s; bool is needed",
                            dg_type_name(both[1]->type));
    *self = dg_expanded(both[0], rank, sizes);
    *chosen = true_places(call, both[1], rank, sizes);
    return *chosen ? DG_OK : call->err->status;
}

/* (self, mask) */
enum dg_status dg_cuda_masked_select(struct dg_call *call)
{
    struct dg_tensor self, *chosen, *out;
    enum dg_status status = take_masked(call, &self, &chosen);

    if (status)
        return status;
    out = dg_result(call, 0, self.type, 1, chosen->sizes);
    status = !out             ? call->err->status
             : !out->sizes[0] ? DG_OK
                              : move_row<false>(call, &self, out, chosen);
    dg_tensor_drop(chosen);
    return status;
}

/* (self, mask, source): values of the source, in order */
enum dg_status dg_cuda_masked_scatter(struct dg_call *call)
{
    struct dg_tensor *source = dg_arg_tensor(call, 2), self, *chosen, *out, *row;
    enum dg_status status =
        source ? take_masked(call, &self, &chosen) : no_tensor(call);

    if (status)
        return status;
    if (source->type != self.type || dg_tensor_count(source) < chosen->sizes[0])
        status = dg_call_fail(call, DG_ERR_FORMAT, "%lld values of %s for %lld places",
                              (long long)dg_tensor_count(source),
                              dg_type_name(source->type), (long long)chosen->sizes[0]);
    out = status ? NULL : dg_result(call, 0, self.type, self.rank, self.sizes);
    row = out && !copy_elements(call, out, &self) ? contiguous(call, source) : NULL;
    if (row && chosen->sizes[0])
        status = move_row<true>(call, out, row, chosen);
    else if (!row)
        status = call->err->status;
    dg_tensor_drop(chosen);
    dg_tensor_drop(row);
    return status;
}
