/* Scaled dot-product attention: scores of a block of queries, softmax, values. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"

enum { BLOCK = 128 }; /* queries at a time */

/* Places of arguments behind query, key and value; 0: there is none. */
struct places {
    size_t mask, dropout, causal, scale, shared_heads;
};

struct job {
    struct dg_tensor query, key, value,
        mask; /* of one batch shape: some strides are 0 */
    bool masked, causal, narrow;
    bool shared;     /* heads are two dimensions */
    bool adds_truth; /* a mask of bool counts as 0 and 1, as torch's decomposition has
                        it */
    int batch_rank;
    int64_t batch_sizes[DG_RANK_MOST];
    int64_t n_queries, n_keys, width, value_width, n_blocks;
    int64_t diagonal; /* query i sees keys up to i + diagonal */
    double scale;
    const struct dg_tensor *out, *weights, *log_sums; /* NULL: not asked for */
};

/* The data of product `number` of a batch. */
static char *of_batch(const struct job *job, const struct dg_tensor *tensor,
                      int64_t number)
{
    int64_t offset = 0;

    for (int dim = job->batch_rank - 1; dim >= 0; dim--) {
        offset += number % job->batch_sizes[dim] * tensor->strides[dim];
        number /= job->batch_sizes[dim];
    }
    return (char *)dg_tensor_data(tensor) +
           offset * (int64_t)dg_type_bytes(tensor->type);
}

static int64_t stride_from_end(const struct dg_tensor *tensor, int dim)
{
    return tensor->strides[tensor->rank - dim];
}

static int64_t size_from_end(const struct dg_tensor *tensor, int dim)
{
    return tensor->sizes[tensor->rank - dim];
}

static int64_t row_bytes(const struct dg_tensor *tensor)
{
    return stride_from_end(tensor, 2) * (int64_t)dg_type_bytes(tensor->type);
}

static struct dg_gemm_matrix matrix(const struct dg_tensor *tensor, char *data)
{
    return (struct dg_gemm_matrix){tensor->type,
                                   data,
                                   stride_from_end(tensor, 2),
                                   stride_from_end(tensor, 1),
                                   {0}};
}

static void mask_row(const struct job *job, const char *mask, double *scores,
                     double *line)
{
    dg_load_f64(line, job->mask.type, mask, stride_from_end(&job->mask, 1),
                job->n_keys);
    for (int64_t i = 0; i < job->n_keys; i++) {
        if (job->mask.type != DG_TYPE_BOOL || job->adds_truth)
            scores[i] += line[i];
        else if (line[i] == 0)
            scores[i] = -INFINITY;
    }
}

/* Weights of one query instead of its scores; all 0 where nothing is to be seen. */
static double weigh(const struct job *job, int64_t query, const char *mask,
                    double *scores, double *line)
{
    int64_t n_seen = 0;

    for (int64_t i = 0; i < job->n_keys; i++)
        scores[i] *= job->scale;
    if (job->masked)
        mask_row(job, mask, scores, line);
    for (int64_t i = query + job->diagonal + 1; job->causal && i < job->n_keys; i++) {
        if (i >= 0)
            scores[i] = -INFINITY;
    }
    for (int64_t i = 0; i < job->n_keys; i++)
        n_seen += scores[i] != -INFINITY;
    if (n_seen)
        return dg_softmax_line(scores, job->n_keys, job->narrow);
    memset(scores, 0, (size_t)job->n_keys * sizeof(*scores));
    return -INFINITY;
}

static void store_at(const struct dg_tensor *tensor, int64_t at, const double *values,
                     int64_t n)
{
    if (tensor)
        dg_store_f64(tensor->type,
                     (char *)dg_tensor_data(tensor) +
                         at * (int64_t)dg_type_bytes(tensor->type),
                     1, values, n);
}

static void weigh_block(const struct job *job, int64_t batch, int64_t first,
                        int64_t rows, double *scores, double *line)
{
    const char *mask = job->masked ? of_batch(job, &job->mask, batch) : NULL;

    for (int64_t row = 0; row < rows; row++) {
        int64_t query = first + row, at = batch * job->n_queries + query;
        double *weights = scores + row * job->n_keys;
        double log_sum =
            weigh(job, query, mask ? mask + query * row_bytes(&job->mask) : NULL,
                  weights, line);

        store_at(job->log_sums, at, &log_sum, 1);
        store_at(job->weights, at * job->n_keys, weights, job->n_keys);
    }
}

static void run_block(const struct job *job, int64_t number, double *scores,
                      double *line)
{
    static const struct dg_context alone = {.n_threads = 1};
    int64_t batch = number / job->n_blocks, first = number % job->n_blocks * BLOCK;
    int64_t rows = job->n_queries - first < BLOCK ? job->n_queries - first : BLOCK;
    struct dg_gemm_matrix key = matrix(&job->key, of_batch(job, &job->key, batch));
    struct dg_gemm gemm = {.m = rows,
                           .n = job->n_keys,
                           .k = job->width,
                           .alpha = 1,
                           .narrow = job->narrow};

    gemm.a = matrix(&job->query,
                    of_batch(job, &job->query, batch) + first * row_bytes(&job->query));
    gemm.b = key;
    gemm.b.row = key.column;
    gemm.b.column = key.row;
    gemm.c = (struct dg_gemm_matrix){DG_TYPE_F64, scores, job->n_keys, 1, {0}};
    dg_gemm(&alone, &gemm);
    weigh_block(job, batch, first, rows, scores, line);
    gemm.k = job->n_keys;
    gemm.n = job->value_width;
    gemm.a = gemm.c;
    gemm.b = matrix(&job->value, of_batch(job, &job->value, batch));
    gemm.c =
        matrix(job->out, of_batch(job, job->out, batch) + first * row_bytes(job->out));
    dg_gemm(&alone, &gemm);
}

static void run_blocks(void *data, int64_t from, int64_t to)
{
    const struct job *job = data;
    int64_t rows = job->n_queries < BLOCK ? job->n_queries : BLOCK;
    struct dg_arena memory = {0};
    double *line = dg_alloc(&memory, (size_t)job->n_keys, sizeof(*line));
    double *scores =
        dg_alloc(&memory, (size_t)job->n_keys, (size_t)rows * sizeof(*scores));

    for (int64_t number = from; number < to; number++)
        run_block(job, number, scores, line);
    dg_arena_clear(&memory);
}

static enum dg_status expand(struct dg_call *call, const struct job *job,
                             struct dg_tensor *tensor, int64_t rows, int64_t columns)
{
    int64_t sizes[DG_RANK_MOST];
    char text[400];

    memcpy(sizes, job->batch_sizes, (size_t)job->batch_rank * sizeof(*sizes));
    sizes[job->batch_rank] = rows;
    sizes[job->batch_rank + 1] = columns;
    dg_shape_text(tensor, text, sizeof(text));
    if (dg_expand(tensor, job->batch_rank + 2, sizes))
        return DG_OK;
    return dg_call_fail(call, DG_ERR_FORMAT,
                        "shape %.300s does not fit %lld queries, %lld keys of %lld",
                        text, (long long)job->n_queries, (long long)job->n_keys,
                        (long long)job->width);
}

/* Heads of the query share those of key and value: one dimension becomes two. */
static void split_heads(struct dg_tensor *tensor, int64_t n)
{
    int dim = tensor->rank - 3;
    int64_t each = tensor->sizes[dim] / n, stride = tensor->strides[dim];

    dg_insert_dimension(tensor, dim + 1);
    if (tensor->sizes[dim] == 1)
        return;
    tensor->sizes[dim] = n;
    tensor->strides[dim] = stride * each;
    tensor->sizes[dim + 1] = each;
    tensor->strides[dim + 1] = stride;
}

static enum dg_status share_heads(struct dg_call *call, struct job *job)
{
    int64_t n, n_query;

    if (job->query.rank < 3 || job->key.rank < 3 || job->value.rank < 3 ||
        job->query.rank + 1 > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_FORMAT, "a query of rank %d has no heads",
                            job->query.rank);
    n = job->key.sizes[job->key.rank - 3];
    n_query = job->query.sizes[job->query.rank - 3];
    if (n < 1 || n_query % n || job->value.sizes[job->value.rank - 3] != n)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld heads of queries, %lld of keys",
                            (long long)n_query, (long long)n);
    if (job->masked && job->mask.rank > 2) {
        if (job->mask.sizes[job->mask.rank - 3] != 1 &&
            job->mask.sizes[job->mask.rank - 3] != n_query)
            return dg_call_fail(call, DG_ERR_FORMAT, "a mask for %lld heads of %lld",
                                (long long)job->mask.sizes[job->mask.rank - 3],
                                (long long)n_query);
        split_heads(&job->mask, n);
    }
    job->shared = true;
    split_heads(&job->query, n);
    split_heads(&job->key, n);
    split_heads(&job->value, n);
    return DG_OK;
}

static enum dg_status set_batch(struct dg_call *call, struct job *job)
{
    struct dg_tensor query = job->query, key = job->key, value = job->value;
    enum dg_status status;

    query.rank -= 2;
    key.rank -= 2;
    value.rank -= 2;
    status = dg_broadcast(call, 3, (struct dg_tensor *[]){&query, &key, &value},
                          &job->batch_rank, job->batch_sizes);
    if (status == DG_OK)
        status = expand(call, job, &job->query, job->n_queries, job->width);
    if (status == DG_OK)
        status = expand(call, job, &job->key, job->n_keys, job->width);
    if (status == DG_OK)
        status = expand(call, job, &job->value, job->n_keys, job->value_width);
    if (status == DG_OK && job->masked)
        status = expand(call, job, &job->mask, job->n_queries, job->n_keys);
    return status;
}

static enum dg_status read_tensors(struct dg_call *call, struct job *job, size_t mask)
{
    struct dg_tensor *tensors[3];

    for (size_t i = 0; i < 3; i++) {
        tensors[i] = dg_arg_tensor(call, i);
        if (!tensors[i] || tensors[i]->rank < 2 || !dg_type_is_float(tensors[i]->type))
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "query, key and value are floats of rank 2 or more");
        if (tensors[i]->type != tensors[0]->type)
            return dg_call_fail(
                call, DG_ERR_FORMAT, "a query of %s, a key or value of %s",
                dg_type_name(tensors[0]->type), dg_type_name(tensors[i]->type));
    }
    job->query = *tensors[0];
    job->key = *tensors[1];
    job->value = *tensors[2];
    job->masked = mask && dg_arg_tensor(call, mask);
    if (job->masked)
        job->mask = *dg_arg_tensor(call, mask);
    return DG_OK;
}

static enum dg_status read_call(struct dg_call *call, struct job *job,
                                const struct places *places)
{
    enum dg_status status = read_tensors(call, job, places->mask);

    if (status)
        return status;
    if (dg_arg_real(call, places->dropout, 0) != 0)
        return dg_call_fail(call, DG_ERR_DEVICE, "attention with dropout");
    job->n_queries = size_from_end(&job->query, 2);
    job->n_keys = size_from_end(&job->key, 2);
    job->width = size_from_end(&job->query, 1);
    job->value_width = size_from_end(&job->value, 1);
    job->n_blocks = (job->n_queries + BLOCK - 1) / BLOCK;
    job->causal = dg_arg_bool(call, places->causal, false);
    job->scale = dg_arg_real(call, places->scale, 1 / sqrt((double)job->width));
    job->narrow = dg_sums_are_narrow(call->context, job->query.type);
    if (places->shared_heads && dg_arg_bool(call, places->shared_heads, false))
        status = share_heads(call, job);
    return status ? status : set_batch(call, job);
}

/* The batch's sizes as the query has them, then `rows` and `columns` (-1: none). */
static struct dg_tensor *make_result(struct dg_call *call, const struct job *job,
                                     size_t result, enum dg_type type, int64_t rows,
                                     int64_t columns)
{
    int64_t sizes[DG_RANK_MOST];
    int rank = job->batch_rank;

    memcpy(sizes, job->batch_sizes, (size_t)rank * sizeof(*sizes));
    if (job->shared) {
        rank--;
        sizes[rank - 1] *= sizes[rank];
    }
    sizes[rank++] = rows;
    if (columns >= 0)
        sizes[rank++] = columns;
    return dg_result(call, result, type, rank, sizes);
}

/* The result with the batch dimensions that the job counts. */
static void view_result(const struct job *job, const struct dg_tensor *result,
                        struct dg_tensor *view)
{
    int64_t sizes[DG_RANK_MOST];

    memcpy(sizes, job->batch_sizes, (size_t)job->batch_rank * sizeof(*sizes));
    sizes[job->batch_rank] = job->n_queries;
    sizes[job->batch_rank + 1] = job->value_width;
    *view = *result;
    view->rank = job->batch_rank + 2;
    memcpy(view->sizes, sizes, (size_t)view->rank * sizeof(*sizes));
    dg_contiguous_strides(view->rank, sizes, view->strides);
}

static void run(const struct dg_call *call, const struct job *job)
{
    int64_t n = job->n_blocks,
            work = job->n_keys * (job->width + job->value_width + 20);

    for (int dim = 0; dim < job->batch_rank; dim++)
        n *= job->batch_sizes[dim];
    work *= job->n_queries < BLOCK ? job->n_queries : BLOCK;
    if (job->value_width)
        dg_parallel(call->context->n_threads, n, (1 << 20) / (work + 1) + 1, run_blocks,
                    (void *)job);
}

/* What result 1 is. */
enum second { NOTHING, WEIGHTS, LOG_SUMS };

static enum dg_status attend(struct dg_call *call, const struct places *places,
                             enum second second)
{
    struct job job = {.adds_truth = second == WEIGHTS};
    struct dg_tensor *out, view;
    enum dg_status status = read_call(call, &job, places);
    enum dg_type type = job.query.type;

    if (status)
        return status;
    out = make_result(call, &job, 0, type, job.n_queries, job.value_width);
    if (out && second == WEIGHTS)
        job.weights = make_result(call, &job, 1, type, job.n_queries, job.n_keys);
    if (out && second == LOG_SUMS)
        job.log_sums =
            make_result(call, &job, 1, type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32,
                        job.n_queries, -1);
    if (!out || (second != NOTHING && !job.weights && !job.log_sums))
        return call->err->status;
    view_result(&job, out, &view);
    job.out = &view;
    run(call, &job);
    return DG_OK;
}

/* ..., attn_mask, dropout_p, is_causal, scale, enable_gqa */
enum dg_status dg_cpu_attention(struct dg_call *call)
{
    return attend(call, &(struct places){3, 4, 5, 6, 7}, NOTHING);
}

/* ..., attn_mask, dropout_p, is_causal, dropout_mask, scale, enable_gqa */
enum dg_status dg_cpu_attention_math(struct dg_call *call)
{
    if (dg_arg_tensor(call, 6))
        return dg_call_fail(call, DG_ERR_DEVICE, "attention with a dropout mask");
    return attend(call, &(struct places){3, 4, 5, 7, 8}, WEIGHTS);
}

/* ..., dropout_p, is_causal, attn_mask, scale */
enum dg_status dg_cpu_attention_flash(struct dg_call *call)
{
    return attend(call, &(struct places){5, 3, 4, 6, 0}, LOG_SUMS);
}
