/* Results whose elements come from an index of the source along each dimension. */
#include <string.h>

#include "kernels/cpu/movement.h"
#include "kernels/cpu/parallel.h"

struct taking {
    char *to;
    const char *from, *fill;
    size_t bytes;
    int rank;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
    const int64_t *source[DG_RANK_MOST];
};

/* Whether dimension `dim` continues the one inside it, both taken as they are. */
static bool continues(const struct taking *taking, int dim, const struct dg_tensor *in)
{
    return !taking->source[dim] && !taking->source[dim + 1] &&
           in->strides[dim] == taking->strides[dim + 1] * taking->sizes[dim + 1];
}

static void join_inner_dimensions(struct taking *taking, const struct dg_tensor *in)
{
    while (taking->rank > 1 && continues(taking, taking->rank - 2, in)) {
        int outer = taking->rank - 2;

        taking->sizes[outer] *= taking->sizes[outer + 1];
        taking->strides[outer] = taking->strides[outer + 1];
        taking->rank--;
    }
}

#define FILL(size, type)                                                               \
    case size:                                                                         \
        for (int64_t i = 0; i < n; i++)                                                \
            memcpy(to + i * size, taking->fill, size);                                 \
        break;
#define TAKE(size, type)                                                               \
    case size: {                                                                       \
        const type *source = (const type *)(const void *)from;                         \
        type *target = (type *)(void *)to, fill = {0};                                 \
        if (taking->fill)                                                              \
            memcpy(&fill, taking->fill, size);                                         \
        for (int64_t i = 0; i < n; i++)                                                \
            target[i] = !map         ? source[i * stride]                              \
                        : map[i] < 0 ? fill                                            \
                                     : source[map[i] * stride];                        \
        break;                                                                         \
    }
#define OF_SIZE(EACH)                                                                  \
    switch (taking->bytes) {                                                           \
        EACH(1, uint8_t)                                                               \
        EACH(2, uint16_t)                                                              \
        EACH(4, uint32_t)                                                              \
        EACH(8, uint64_t)                                                              \
        EACH(16, struct dg_sixteen)                                                    \
    }

static void fill_line(const struct taking *taking, char *to, int64_t n)
{
    OF_SIZE(FILL)
}

static void take_line(const struct taking *taking, char *to, const char *from,
                      int64_t n)
{
    const int64_t *map = taking->source[taking->rank - 1];
    int64_t stride = taking->strides[taking->rank - 1];

    if (!map && stride == 1)
        memcpy(to, from, (size_t)n * taking->bytes);
    else
        OF_SIZE(TAKE)
}

/* Where a line of the result begins in the source; NULL: it is all fill. */
static const char *find_line(const struct taking *taking, int64_t line)
{
    const char *from = taking->from;

    for (int dim = taking->rank - 2; dim >= 0; dim--) {
        int64_t index = line % taking->sizes[dim];

        line /= taking->sizes[dim];
        if (taking->source[dim])
            index = taking->source[dim][index];
        if (index < 0)
            return NULL;
        from += index * taking->strides[dim] * (int64_t)taking->bytes;
    }
    return from;
}

static void take_lines(void *data, int64_t first, int64_t end)
{
    const struct taking *taking = data;
    int64_t n = taking->sizes[taking->rank - 1];

    for (int64_t line = first; line < end; line++) {
        char *to = taking->to + (size_t)(line * n) * taking->bytes;
        const char *from = find_line(taking, line);

        if (from)
            take_line(taking, to, from, n);
        else
            fill_line(taking, to, n);
    }
}

void dg_take_axes(struct dg_tensor *out, const struct dg_tensor *in,
                  const struct dg_axes *axes, const void *fill, int n_threads)
{
    struct taking taking = {.to = dg_tensor_data(out),
                            .from = dg_tensor_data(in),
                            .fill = fill,
                            .bytes = dg_type_bytes(out->type),
                            .rank = out->rank};
    int64_t count = dg_tensor_count(out);

    if (!count)
        return;
    memcpy(taking.sizes, out->sizes, sizeof(taking.sizes));
    memcpy(taking.strides, in->strides, sizeof(taking.strides));
    memcpy(taking.source, axes->source, sizeof(taking.source));
    if (!taking.rank) {
        taking.rank = 1;
        taking.sizes[0] = 1;
    }
    join_inner_dimensions(&taking, in);
    count /= taking.sizes[taking.rank - 1];
    dg_parallel(n_threads, count, (1 << 15) / taking.sizes[taking.rank - 1] + 1,
                take_lines, &taking);
}
