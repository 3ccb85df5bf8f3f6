/* A device for kernels that were compiled for the host: malloc() for its memory, plain
 * loops for cuBLAS. */
#include "tests/cuda/host_device.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/state.h"
#include "tests/cuda/sanitized.h"

/* A sanitizer has zones of its own, in which it sees who reads, too. */
#ifdef WITH_SANITIZER
enum { GUARD = 0 };
#else
enum { GUARD = 64 };
#endif
enum { PATTERN = 0xa5, UNSET = 0xc3 };

static enum dg_status allocate(struct dg_memory *memory, size_t size, void **bytes,
                               struct dg_error *err)
{
    size_t room = size + 2 * GUARD;
    unsigned char *block = malloc(room ? room : 1);

    if (!block)
        return dg_fail(err, DG_ERR_FORMAT, "no memory for %zu bytes", size);
    memset(block, PATTERN, GUARD);
    memset(block + GUARD, UNSET, size);
    memset(block + GUARD + size, PATTERN, GUARD);
    *bytes = block + GUARD;
    memory->used += size;
    return DG_OK;
}

static void release(struct dg_memory *memory, void *bytes, size_t size)
{
    memory->used -= size;
    free((unsigned char *)bytes - GUARD);
}

static enum dg_status guards(const struct dg_device *device, const void *bytes,
                             size_t size, bool *hold, struct dg_error *err)
{
    const unsigned char *before = (const unsigned char *)bytes - GUARD;
    const unsigned char *behind = (const unsigned char *)bytes + size;

    (void)device, (void)err;
    *hold = true;
    for (int i = 0; i < GUARD; i++)
        *hold = *hold && before[i] == PATTERN && behind[i] == PATTERN;
    return DG_OK;
}

static double element(const struct dg_matrix *matrix, int64_t batch, int64_t row,
                      int64_t column)
{
    int64_t offset =
        batch * matrix->batch + row * matrix->rows + column * matrix->columns;
    double value;

    dg_load_f64(&value, matrix->type,
                (const char *)matrix->data +
                    offset * (int64_t)dg_type_bytes(matrix->type),
                1, 1);
    return value;
}

/* What cuBLAS asks of its caller. */
static bool is_dense(const struct dg_matrix *matrix, int64_t rows, int64_t columns)
{
    return (matrix->columns == 1 && matrix->rows >= columns) ||
           (matrix->rows == 1 && matrix->columns >= rows);
}

static enum dg_status multiply(struct dg_cuda *cuda, const struct dg_product_job *job,
                               struct dg_error *err)
{
    if (!is_dense(&job->a, job->m, job->k) || !is_dense(&job->b, job->k, job->n))
        return dg_fail(err, DG_ERR_DEVICE, "strides that cuBLAS does not take");
    for (int64_t i = 0; i < job->n_batch * job->m * job->n; i++) {
        int64_t batch = i / (job->m * job->n), row = i / job->n % job->m;
        int64_t column = i % job->n;
        double sum = 0,
               before = job->beta != 0 ? element(&job->c, batch, row, column) : 0;

        for (int64_t k = 0; k < job->k; k++)
            sum += element(&job->a, batch, row, k) * element(&job->b, batch, k, column);
        sum = job->alpha * sum + (job->beta != 0 ? job->beta * before : 0);
        dg_store_f64(job->c.type,
                     (char *)job->c.data + i * (int64_t)dg_type_bytes(job->c.type), 1,
                     &sum, 1);
    }
    (void)cuda;
    return DG_OK;
}

static enum dg_status finish_kernels(struct dg_cuda *cuda, struct dg_error *err)
{
    (void)cuda, (void)err;
    return DG_OK;
}

static struct dg_cuda_fault fault = {
    {DG_NO_FAULT, DG_NO_FAULT, DG_NO_FAULT, DG_NO_FAULT}, 0};
static struct dg_cuda state = {
    .fault = &fault, .finish = finish_kernels, .multiply = multiply};
static struct dg_memory memory = {
    .device = "host", .allocate = allocate, .release = release, .state = &state};

static enum dg_status copy(const struct dg_device *device, void *to, const void *from,
                           size_t size, struct dg_error *err)
{
    (void)device, (void)err;
    if (size)
        memcpy(to, from, size);
    return DG_OK;
}

static enum dg_status finish(const struct dg_device *device, struct dg_error *err)
{
    (void)device, (void)err;
    return DG_OK;
}

const struct dg_device host_device = {.name = "host",
                                      .memory = &memory,
                                      .upload = copy,
                                      .download = copy,
                                      .copy = dg_cuda_copy_into,
                                      .guards = guards,
                                      .finish = finish};
