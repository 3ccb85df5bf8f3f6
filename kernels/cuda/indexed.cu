/* Elements found by index tensors. */
#include "kernels/cuda/indexed.cuh"

template <int K> struct index_tables {
    const int64_t *data[K];
    int64_t size[K], step[K];
    bool wraps;
    struct dg_cuda_fault *fault;

    /* Where the indices at these offsets lead; false: out of range, and noted. */
    __device__ bool follow(const int64_t *offsets, int64_t *distance) const
    {
        *distance = 0;
        for (int k = 0; k < K; k++) {
            int64_t given = data[k] ? data[k][offsets[k]] : 0;
            int64_t index = wraps && given < 0 ? given + size[k] : given;

            if (index < 0 || index >= size[k]) {
                fault->index[k] = given;
                return false;
            }
            *distance += index * step[k];
        }
        return true;
    }
};

enum action { READ, WRITE, LOCATE };

/* Tensors 0 and 1 of the places are what is written and what is read, or located. */
template <int K, enum action ACTION, class Word>
static __global__ void move_indexed(struct places<2 + K> places, int64_t n, Word *to,
                                    const Word *from, struct index_tables<K> tables)
{
    int64_t position = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t offsets[2 + K], distance;

    if (position >= n)
        return;
    places.find((uint32_t)position, offsets);
    if (!tables.follow(offsets + 2, &distance))
        return;
    if constexpr (ACTION == LOCATE)
        to[offsets[0]] = (Word)(offsets[1] + distance);
    else if constexpr (ACTION == WRITE)
        to[offsets[0] + distance] = from[offsets[1]];
    else
        to[offsets[0]] = from[offsets[1] + distance];
}

static enum dg_status report_fault(struct dg_call *call, const struct indexed *of)
{
    struct dg_cuda *cuda = (struct dg_cuda *)call->context->memory->state;
    enum dg_status status = cuda->finish(cuda, call->err);

    for (int k = 0; k < of->n && !status; k++) {
        int64_t index = cuda->fault->index[k];

        if (index != DG_NO_FAULT)
            status =
                dg_call_fail(call, DG_ERR_FORMAT,
                             "index %lld is out of range for dimension %d of size %lld",
                             (long long)index, of->dim[k], (long long)of->size[k]);
    }
    for (int64_t &index : cuda->fault->index)
        index = DG_NO_FAULT;
    return status;
}

template <int K, enum action ACTION>
static enum dg_status move_by(struct dg_call *call, const struct indexed *of,
                              const struct dg_tensor *to, const struct dg_tensor *from)
{
    struct dg_cuda *cuda = (struct dg_cuda *)call->context->memory->state;
    const struct dg_tensor *tensors[2 + K] = {to, from};
    struct index_tables<K> tables = {
    };
    struct shape<2 + K> shape;
    enum dg_status status;
    int64_t n;

    tables.fault = cuda->fault;
    tables.wraps = of->wraps;
    for (int k = 0; k < K; k++) {
        bool used = k < of->n;

        tensors[2 + k] = used ? &of->index[k] : NULL;
        tables.data[k] = used ? (const int64_t *)dg_tensor_data(&of->index[k]) : NULL;
        tables.size[k] = used ? of->size[k] : 1;
        tables.step[k] = used ? of->step[k] : 0;
    }
    shape = joined_all<2 + K>(tensors);
    n = shape.count();
    if (n > INT32_MAX)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "%lld elements are more than a kernel takes", (long long)n);
    if (!n)
        return DG_OK;
    status = with_word(to->type, [&](auto word) {
        using Word = decltype(word);

        return launch(call, move_indexed<K, ACTION, Word>, blocks_for(n), THREADS,
                      places_of(shape), n, (Word *)dg_tensor_data(to),
                      (const Word *)dg_tensor_data(from), tables);
    });
    return status ? status : report_fault(call, of);
}

enum dg_status read_indexed(struct dg_call *call, const struct dg_tensor *out,
                            const struct indexed *from)
{
    return from->n == 1 ? move_by<1, READ>(call, from, out, &from->whole)
                        : move_by<DG_INDEXED_MOST, READ>(call, from, out, &from->whole);
}

enum dg_status write_indexed(struct dg_call *call, const struct indexed *to,
                             const struct dg_tensor *values)
{
    return to->n == 1 ? move_by<1, WRITE>(call, to, &to->whole, values)
                      : move_by<DG_INDEXED_MOST, WRITE>(call, to, &to->whole, values);
}

struct dg_tensor *located(struct dg_call *call, const struct indexed *of)
{
    struct dg_tensor *places = dg_tensor_new(
        call->context->memory, DG_TYPE_I64, of->whole.rank, of->whole.sizes, call->err);
    enum dg_status status;

    if (!places)
        return NULL;
    status = of->n == 1
                 ? move_by<1, LOCATE>(call, of, places, &of->whole)
                 : move_by<DG_INDEXED_MOST, LOCATE>(call, of, places, &of->whole);
    if (!status)
        return places;
    dg_tensor_drop(places);
    return NULL;
}

enum dg_status add_index(struct dg_call *call, struct indexed *of,
                         const struct dg_tensor *self, int dim, struct dg_tensor *index)
{
    if (of->n == DG_INDEXED_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "more than %d indexed dimensions",
                            (int)DG_INDEXED_MOST);
    if (index->type != DG_TYPE_I64 && index->type != DG_TYPE_I32)
        return dg_call_fail(call, DG_ERR_DEVICE, "%s indexes on the host only",
                            dg_type_name(index->type));
    of->held[of->n] = converted(call, index, DG_TYPE_I64);
    if (!of->held[of->n])
        return call->err->status;
    of->dim[of->n] = dim;
    of->size[of->n] = self->rank ? self->sizes[dim] : 1;
    of->step[of->n] = self->rank ? self->strides[dim] : 0;
    of->n++;
    return DG_OK;
}

struct dg_tensor spread(const struct dg_tensor *tensor, int rank, const int64_t *sizes)
{
    struct dg_tensor view = *tensor;

    view.rank = rank;
    for (int d = 0; d < rank; d++) {
        view.sizes[d] = sizes[d];
        view.strides[d] = 0;
    }
    return view;
}
