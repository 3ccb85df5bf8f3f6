/* Several tensors element by element, broadcast to the shape of the first. */
#include "kernels/cpu/walk.h"

#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/parallel.h"

/* Whether dimension `dim` continues the one inside it in every tensor. */
static bool continues(const struct dg_walk *walk, int dim)
{
    for (int k = 0; k < walk->n; k++) {
        if (walk->strides[k][dim] != walk->strides[k][dim + 1] * walk->sizes[dim + 1])
            return false;
    }
    return true;
}

static void remove_dimension(struct dg_walk *walk, int dim)
{
    walk->rank--;
    for (int d = dim; d < walk->rank; d++) {
        walk->sizes[d] = walk->sizes[d + 1];
        for (int k = 0; k < walk->n; k++)
            walk->strides[k][d] = walk->strides[k][d + 1];
    }
}

static void join_dimensions(struct dg_walk *walk)
{
    for (int dim = walk->rank - 1; dim >= 0; dim--) {
        if (walk->sizes[dim] == 1 && walk->rank > 1)
            remove_dimension(walk, dim);
    }
    for (int dim = walk->rank - 2; dim >= 0; dim--) {
        if (!continues(walk, dim))
            continue;
        walk->sizes[dim + 1] *= walk->sizes[dim];
        remove_dimension(walk, dim);
    }
}

static void count_lines(struct dg_walk *walk)
{
    walk->n_lines = walk->sizes[walk->rank - 1] ? 1 : 0;
    for (int dim = 0; dim < walk->rank - 1; dim++)
        walk->n_lines *= walk->sizes[dim];
}

void dg_walk_begin(struct dg_walk *walk, int n, struct dg_tensor *const *tensors)
{
    const struct dg_tensor *out = tensors[0];

    *walk = (struct dg_walk){.n = n, .rank = out->rank ? out->rank : 1, .sizes = {1}};
    for (int dim = 0; dim < out->rank; dim++)
        walk->sizes[dim] = out->sizes[dim];
    for (int k = 0; k < n; k++) {
        int shift = out->rank - tensors[k]->rank;

        walk->bases[k] = dg_tensor_data(tensors[k]);
        walk->bytes[k] = dg_type_bytes(tensors[k]->type);
        for (int dim = 0; dim < tensors[k]->rank; dim++) {
            if (tensors[k]->sizes[dim] != 1)
                walk->strides[k][dim + shift] = tensors[k]->strides[dim];
        }
    }
    join_dimensions(walk);
    count_lines(walk);
}

int64_t dg_walk_once(struct dg_walk *walk)
{
    int64_t times = 1;

    for (int dim = 0; dim < walk->rank; dim++) {
        int64_t reached = 0;

        for (int k = 0; k < walk->n; k++)
            reached |= walk->strides[k][dim];
        if (reached || !walk->sizes[dim])
            continue;
        times *= walk->sizes[dim];
        walk->sizes[dim] = 1;
    }
    join_dimensions(walk);
    count_lines(walk);
    return times;
}

static int64_t pieces_of_line(const struct dg_walk *walk)
{
    return (walk->sizes[walk->rank - 1] + DG_LINE_MOST - 1) / DG_LINE_MOST;
}

int64_t dg_walk_n_pieces(const struct dg_walk *walk)
{
    return walk->n_lines * pieces_of_line(walk);
}

int64_t dg_walk_before(const struct dg_walk *walk, int64_t piece)
{
    int64_t of_line = pieces_of_line(walk);

    return of_line ? piece / of_line * walk->sizes[walk->rank - 1] +
                         piece % of_line * DG_LINE_MOST
                   : 0;
}

static void find_line(const struct dg_walk *walk, int64_t line, char **at)
{
    memcpy(at, walk->bases, sizeof(walk->bases));
    for (int dim = walk->rank - 2; dim >= 0; dim--) {
        int64_t index = line % walk->sizes[dim];

        line /= walk->sizes[dim];
        for (int k = 0; k < walk->n; k++)
            at[k] += index * walk->strides[k][dim] * (int64_t)walk->bytes[k];
    }
}

void dg_walk_pieces(const struct dg_walk *walk, int64_t from, int64_t to,
                    dg_line_fn *fn, void *data)
{
    int64_t length = walk->sizes[walk->rank - 1], of_line = pieces_of_line(walk);
    int64_t strides[DG_WALK_MOST];
    char *at[DG_WALK_MOST];

    for (int k = 0; k < walk->n; k++)
        strides[k] = walk->strides[k][walk->rank - 1];
    for (int64_t piece = from; piece < to; piece++) {
        int64_t start = piece % of_line * DG_LINE_MOST;
        int64_t n = length - start < DG_LINE_MOST ? length - start : DG_LINE_MOST;

        find_line(walk, piece / of_line, at);
        for (int k = 0; k < walk->n; k++)
            at[k] += start * strides[k] * (int64_t)walk->bytes[k];
        fn(data, at, strides, n);
    }
}

struct job {
    const struct dg_walk *walk;
    dg_line_fn *fn;
    void *data;
};

static void run_job(void *data, int64_t from, int64_t to)
{
    const struct job *job = data;

    dg_walk_pieces(job->walk, from, to, job->fn, job->data);
}

void dg_walk_lines(const struct dg_walk *walk, int n_threads, dg_line_fn *fn,
                   void *data)
{
    int64_t length = walk->sizes[walk->rank - 1];
    int64_t piece = length < DG_LINE_MOST ? length + 8 : DG_LINE_MOST;
    struct job job = {walk, fn, data};

    dg_parallel(n_threads, dg_walk_n_pieces(walk), (1 << 15) / piece + 1, run_job,
                &job);
}

enum dg_status dg_broadcast(struct dg_call *call, int n,
                            struct dg_tensor *const *tensors, int *rank, int64_t *sizes)
{
    *rank = 0;
    for (int k = 0; k < n; k++) {
        if (tensors[k] && tensors[k]->rank > *rank)
            *rank = tensors[k]->rank;
    }
    for (int dim = 0; dim < *rank; dim++)
        sizes[dim] = 1;
    for (int k = 0; k < n; k++) {
        int shift = tensors[k] ? *rank - tensors[k]->rank : 0;

        for (int dim = 0; tensors[k] && dim < tensors[k]->rank; dim++) {
            int64_t size = tensors[k]->sizes[dim], *common = &sizes[dim + shift];

            if (size != 1 && *common != 1 && size != *common)
                return dg_call_fail(call, DG_ERR_FORMAT,
                                    "sizes %lld and %lld do not broadcast",
                                    (long long)*common, (long long)size);
            if (size != 1)
                *common = size;
        }
    }
    return DG_OK;
}

struct conversion {
    enum dg_type to, from;
};

/* To bool: whether any part is not 0. */
static void copy_complex(const struct conversion *types, char *const *at,
                         const int64_t *strides, int64_t n)
{
    double _Complex line[DG_LINE_MOST];
    uint8_t truths[DG_LINE_MOST];

    dg_load_complex(line, types->from, at[1], strides[1], n);
    if (types->to != DG_TYPE_BOOL) {
        dg_store_complex(types->to, at[0], strides[0], line, n);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        truths[i] = line[i] != 0;
    for (int64_t i = 0; i < n; i++)
        at[0][i * strides[0]] = (char)truths[i];
}

static void copy_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    const struct conversion *types = data;
    union {
        int64_t integers[DG_LINE_MOST];
        double reals[DG_LINE_MOST];
    } line;
    bool floats = types->from >= DG_TYPE_F8E5M2 || dg_type_is_float(types->from);
    bool by_f32 = types->from == DG_TYPE_F64 && dg_type_bytes(types->to) <= 2 &&
                  !dg_type_is_integer(types->to) && types->to != DG_TYPE_BOOL;

    if (dg_type_is_complex(types->from)) {
        copy_complex(types, at, strides, n);
        return;
    }
    if (types->from == types->to && strides[0] == 1 && strides[1] == 1) {
        memcpy(at[0], at[1], (size_t)n * dg_type_bytes(types->to));
        return;
    }
    if (!floats) {
        dg_load_i64(line.integers, types->from, at[1], strides[1], n);
        dg_store_i64(types->to, at[0], strides[0], line.integers, n);
        return;
    }
    dg_load_f64(line.reals, types->from, at[1], strides[1], n);
    /* torch converts f64 to 16 bits by way of f32: it rounds twice. */
    for (int64_t i = 0; i < n && by_f32; i++)
        line.reals[i] = (float)line.reals[i];
    dg_store_f64(types->to, at[0], strides[0], line.reals, n);
}

void dg_copy_elements(struct dg_tensor *to, struct dg_tensor *from, int n_threads)
{
    struct conversion types = {to->type, from->type};
    struct dg_walk walk;

    dg_walk_begin(&walk, 2, (struct dg_tensor *[]){to, from});
    dg_walk_lines(&walk, n_threads, copy_line, &types);
}

struct dg_tensor *dg_copy_apart(struct dg_memory *memory, struct dg_tensor *tensor,
                                int n_threads, struct dg_error *err)
{
    int64_t stretch = dg_tensor_reach(tensor) - tensor->offset, one = 1;
    struct dg_tensor *copy, *shown, *result;

    if (stretch >= dg_tensor_count(tensor)) {
        copy = dg_tensor_new(memory, tensor->type, tensor->rank, tensor->sizes, err);
        if (copy)
            dg_copy_elements(copy, tensor, n_threads);
        return copy;
    }
    copy = dg_tensor_new(memory, tensor->type, 1, &stretch, err);
    if (!copy)
        return NULL;
    shown = dg_tensor_view(tensor, 1, &stretch, &one, tensor->offset);
    dg_copy_elements(copy, shown, n_threads);
    result = dg_tensor_view(copy, tensor->rank, tensor->sizes, tensor->strides, 0);
    dg_tensor_drop(shown);
    dg_tensor_drop(copy);
    return result;
}

struct dg_tensor *dg_contiguous(struct dg_call *call, struct dg_tensor *tensor)
{
    struct dg_tensor *copy;

    if (dg_tensor_contiguous(tensor))
        return dg_tensor_keep(tensor);
    copy = dg_tensor_new(call->context->memory, tensor->type, tensor->rank,
                         tensor->sizes, call->err);
    if (copy)
        dg_copy_elements(copy, tensor, call->context->n_threads);
    return copy;
}
