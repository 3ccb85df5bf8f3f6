/* _chunk_cat: each tensor in as many chunks, and those of one number side by side. */
#include <string.h>

#include "kernels/cpu/movement.h"
#include "kernels/cpu/reduce.h"

struct chunks {
    struct dg_tensor **tensors;
    size_t n_tensors;
    int dim;
    int64_t n, rows, width; /* [rows, n, width] is the result */
};

/* Elements of a chunk of `tensor`, the last of which may be beyond its end. */
static int64_t chunk_of(const struct chunks *chunks, const struct dg_tensor *tensor)
{
    int64_t size = tensor->sizes[chunks->dim], inner = 1;

    for (int dim = chunks->dim + 1; dim < tensor->rank; dim++)
        inner *= tensor->sizes[dim];
    return (size / chunks->n + (size % chunks->n != 0)) * inner;
}

static enum dg_status check(struct dg_call *call, const struct chunks *chunks,
                            const struct dg_tensor *tensor)
{
    const struct dg_tensor *first = chunks->tensors[0];

    if (!tensor || !dg_tensor_count(tensor) || tensor->rank <= chunks->dim ||
        tensor->type != first->type)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "chunks along dimension %d of a tensor that is empty, of "
                            "another type or has it not",
                            chunks->dim);
    for (int dim = 0; dim < chunks->dim; dim++) {
        if (tensor->sizes[dim] != first->sizes[dim])
            return dg_call_fail(call, DG_ERR_FORMAT, "%lld beside %lld in dimension %d",
                                (long long)tensor->sizes[dim],
                                (long long)first->sizes[dim], dim);
    }
    return DG_OK;
}

/* tensors, dim, num_chunks */
static enum dg_status begin(struct dg_call *call, struct chunks *chunks)
{
    int64_t dim = dg_arg_int(call, 1, 0);
    bool same_rank = true;

    chunks->tensors = dg_arg_tensors(call, 0, &chunks->n_tensors);
    chunks->n = dg_arg_int(call, 2, 0);
    if (!chunks->n_tensors || !chunks->tensors[0] || chunks->n < 1)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld chunks of %zu tensors",
                            (long long)chunks->n, chunks->n_tensors);
    for (size_t i = 0; i < chunks->n_tensors; i++)
        same_rank = same_rank && chunks->tensors[i] &&
                    chunks->tensors[i]->rank == chunks->tensors[0]->rank;
    if (dim < 0 && !same_rank)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "dimension %lld of tensors of several ranks",
                            (long long)dim);
    if (!dg_dimension(call, dim, chunks->tensors[0]->rank, &chunks->dim))
        return call->err->status;
    for (size_t i = 0; i < chunks->n_tensors; i++) {
        int64_t chunk;

        if (check(call, chunks, chunks->tensors[i]))
            return call->err->status;
        chunk = chunk_of(chunks, chunks->tensors[i]);
        if (__builtin_add_overflow(chunks->width, chunk, &chunks->width))
            return dg_call_fail(call, DG_ERR_FORMAT, "chunks larger than memory");
    }
    return DG_OK;
}

/* One tensor into the columns from `column` on; what it lacks stays 0. */
static enum dg_status place(struct dg_call *call, const struct chunks *chunks,
                            struct dg_tensor *tensor, int64_t column,
                            struct dg_tensor *out)
{
    struct dg_tensor *from = dg_as_type(call, tensor, out->type);
    size_t bytes = dg_type_bytes(out->type);
    int64_t chunk = chunk_of(chunks, tensor), each, at = 0;
    char *to = dg_tensor_data(out);

    if (!from)
        return call->err->status;
    each = dg_tensor_count(from) / chunks->rows;
    for (int64_t row = 0; row < chunks->rows; row++) {
        for (int64_t i = 0, left = each; left > 0; i++, left -= chunk) {
            int64_t n = left < chunk ? left : chunk;
            int64_t target = (row * chunks->n + i) * chunks->width + column;

            memcpy(to + (size_t)target * bytes,
                   (char *)dg_tensor_data(from) + (size_t)at * bytes,
                   (size_t)n * bytes);
            at += n;
        }
    }
    dg_tensor_drop(from);
    return DG_OK;
}

enum dg_status dg_cpu_chunk_cat(struct dg_call *call)
{
    struct chunks chunks = {.rows = 1};
    int64_t sizes[DG_RANK_MOST + 2], column = 0;
    enum dg_status status = begin(call, &chunks);
    struct dg_tensor *out;

    if (status)
        return status;
    if (chunks.dim + 2 > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "chunks along dimension %d",
                            chunks.dim);
    for (int dim = 0; dim < chunks.dim; dim++) {
        sizes[dim] = chunks.tensors[0]->sizes[dim];
        chunks.rows *= sizes[dim];
    }
    sizes[chunks.dim] = chunks.n;
    sizes[chunks.dim + 1] = chunks.width;
    out = dg_result(call, 0, chunks.tensors[0]->type, chunks.dim + 2, sizes);
    if (!out)
        return call->err->status;
    dg_zero_elements(out);
    for (size_t i = 0; i < chunks.n_tensors && !status; i++) {
        status = place(call, &chunks, chunks.tensors[i], column, out);
        column += chunk_of(&chunks, chunks.tensors[i]);
    }
    return status;
}
