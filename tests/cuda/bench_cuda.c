/* Speed on a GPU: matrix products beside cuBLAS called directly, kernels that move
 * memory beside a copy on the device, an encoder layer beside the sum of its parts. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "exec/device.h"
#include "kernels/cuda/cublas.h"
#include "kernels/kernel.h"

enum { SKIPPED = 77, WARM_UPS = 3, REPEATS = 20, MEGABYTES = 64 };

static struct dg_device device;
static struct dg_error err;
static int n_failed;

static void fail(void)
{
    fprintf(stderr, "%s\n", err.text);
    exit(EXIT_FAILURE);
}

static double now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* One run; err says what fails. */
typedef enum dg_status work_fn(void *data);

static int ascending(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) -
           (*(const double *)a < *(const double *)b);
}

/* Seconds of one run, the median of several batches; NAN: it fails. */
static double seconds(work_fn *work, void *data)
{
    double times[REPEATS];

    for (int i = -WARM_UPS; i < REPEATS; i++) {
        double start = now();

        for (int k = 0; k < 10; k++) {
            if (work(data))
                return NAN;
        }
        if (device.finish(&device, &err))
            return NAN;
        if (i >= 0)
            times[i] = (now() - start) / 10;
    }
    qsort(times, REPEATS, sizeof(*times), ascending);
    return times[REPEATS / 2];
}

/* Ends the line of a row: whether it has numbers to tell. */
static bool has_run(double seconds)
{
    if (!isnan(seconds))
        return true;
    printf(" FAILS: %s\n", err.text);
    err = (struct dg_error){0};
    n_failed++;
    return false;
}

static struct dg_arg zeros(enum dg_type type, int rank, const int64_t *sizes)
{
    struct dg_tensor *tensor = dg_tensor_new(device.memory, type, rank, sizes, &err);

    if (!tensor || cudaMemset(dg_tensor_data(tensor), 0, tensor->storage->size))
        fail();
    return (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}};
}

struct operation {
    const char *op;
    struct dg_arg args[8];
    size_t n_args;
};

static enum dg_status run_operation(void *data)
{
    const struct operation *operation = data;
    const struct dg_kernel *kernel = dg_kernel_find(operation->op);
    struct dg_arena scratch = {0};
    struct dg_context context = {.memory = device.memory,
                                 .scratch = &scratch,
                                 .n_threads = 1,
                                 .stream = device.stream};
    struct dg_arg results[3] = {{0}};
    struct dg_call call = {
        operation->op, operation->args, operation->n_args, results, 1, &context, &err};
    enum dg_status status = kernel && kernel->cuda
                                ? kernel->cuda(&call)
                                : dg_fail(&err, DG_ERR_DEVICE, "no kernel");

    for (int i = 0; i < 3; i++)
        dg_arg_drop(&results[i]);
    dg_arena_clear(&scratch);
    return status;
}

static enum dg_status run_product(void *data)
{
    return dg_cublas_multiply(device.memory->state, data, &err);
}

static void bench_products(enum dg_type type, int64_t n)
{
    int64_t sizes[2] = {n, n};
    struct operation mm = {
        "aten::mm", {zeros(type, 2, sizes), zeros(type, 2, sizes)}, 2};
    struct dg_arg out = zeros(type, 2, sizes);
    struct dg_product_job job = {
        .m = n,
        .n = n,
        .k = n,
        .n_batch = 1,
        .a = {dg_tensor_data(mm.args[0].as.tensor), type, n, 1, 0},
        .b = {dg_tensor_data(mm.args[1].as.tensor), type, n, 1, 0},
        .c = {dg_tensor_data(out.as.tensor), type, n, 1, 0},
        .alpha = 1};
    double ours = seconds(run_operation, &mm);
    double alone = isnan(ours) ? NAN : seconds(run_product, &job);

    printf("product    %-5s %lld:", dg_type_name(type), (long long)n);
    if (has_run(alone))
        printf(" %8.1f GFLOP/s, %5.1f %% of cuBLAS alone\n",
               2e-9 * (double)(n * n * n) / ours, 100 * alone / ours);
    dg_arg_drop(&mm.args[0]);
    dg_arg_drop(&mm.args[1]);
    dg_arg_drop(&out);
}

struct copying {
    void *to, *from;
    size_t size;
};

static enum dg_status run_copy(void *data)
{
    struct copying *copying = data;
    cudaError_t error = cudaMemcpyAsync(copying->to, copying->from, copying->size,
                                        cudaMemcpyDeviceToDevice, device.stream);

    return error ? dg_fail(&err, DG_ERR_DEVICE, "%s", cudaGetErrorString(error))
                 : DG_OK;
}

/* Bytes a second of a copy on the device: read and written. */
static double copy_rate(void)
{
    int64_t size = (int64_t)MEGABYTES << 20;
    struct dg_arg to = zeros(DG_TYPE_U8, 1, &size), from = zeros(DG_TYPE_U8, 1, &size);
    struct copying copying = {dg_tensor_data(to.as.tensor),
                              dg_tensor_data(from.as.tensor), (size_t)size};
    double rate = 2 * (double)size / seconds(run_copy, &copying);

    dg_arg_drop(&to);
    dg_arg_drop(&from);
    return rate;
}

static void bench_memory(enum dg_type type, double copies)
{
    int64_t columns = 1024,
            rows = ((int64_t)MEGABYTES << 20) / columns / (int64_t)dg_type_bytes(type);
    int64_t sizes[2] = {rows, columns};
    struct dg_arg x = zeros(type, 2, sizes), y = zeros(type, 2, sizes);
    struct dg_arg row = zeros(type, 1, &columns), one = {DG_ARG_INT, {.integer = 1}};
    struct dg_arg last = {DG_ARG_INT, {.integer = -1}}, none = {0};
    struct dg_arg shape = {DG_ARG_LIST, {.list = {calloc(1, sizeof(one)), 1}}};
    const struct {
        struct operation operation;
        double tensors; /* that it reads and writes */
    } benches[] = {
        {{"aten::relu", {x}, 1}, 2},
        {{"aten::add.Tensor", {x, y, one}, 3}, 3},
        {{"aten::add.Tensor", {x, row, one}, 3}, 2},
        {{"aten::gelu", {x}, 1}, 2},
        {{"aten::clone", {x}, 1}, 2},
        {{"aten::sum.dim_IntList", {x, last, none, none}, 4}, 1},
        {{"aten::softmax.int", {x, last, none}, 3}, 2},
        {{"aten::layer_norm", {x, shape, row, row}, 4}, 2},
    };

    shape.as.list.items[0] = (struct dg_arg){DG_ARG_INT, {.integer = columns}};
    for (size_t i = 0; i < sizeof(benches) / sizeof(*benches); i++) {
        struct operation operation = benches[i].operation;
        double bytes = benches[i].tensors * (double)((int64_t)MEGABYTES << 20);
        double rate = bytes / seconds(run_operation, &operation);

        printf("memory     %-5s %-22s", dg_type_name(type), operation.op);
        if (has_run(rate))
            printf(" %7.1f GB/s, %5.1f %% of a copy\n", 1e-9 * rate,
                   100 * rate / copies);
    }
    dg_arg_drop(&x);
    dg_arg_drop(&y);
    dg_arg_drop(&row);
    dg_arg_drop(&shape);
}

/* Operations one behind the other without waiting, beside each of them alone. */
struct layer {
    struct operation operations[6];
    size_t n;
};

static enum dg_status run_layer(void *data)
{
    struct layer *layer = data;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < layer->n && !status; i++)
        status = run_operation(&layer->operations[i]);
    return status;
}

static void bench_layer(enum dg_type type)
{
    int64_t tokens[2] = {512, 768}, up[2] = {3072, 768}, down[2] = {768, 3072};
    int64_t wide[2] = {512, 3072}, feature = 768, features = 3072;
    struct dg_arg x = zeros(type, 2, tokens), h = zeros(type, 2, wide);
    struct dg_arg w1 = zeros(type, 2, up), w2 = zeros(type, 2, down);
    struct dg_arg b1 = zeros(type, 1, &features), b2 = zeros(type, 1, &feature);
    struct dg_arg one = {DG_ARG_INT, {.integer = 1}};
    struct dg_arg all[] = {x, h, w1, w2, b1, b2};
    struct layer layer = {{{"aten::linear", {x, w1, b1}, 3},
                           {"aten::gelu", {h}, 1},
                           {"aten::linear", {h, w2, b2}, 3},
                           {"aten::add.Tensor", {x, x, one}, 3}},
                          4};
    double parts = 0, whole = seconds(run_layer, &layer);

    for (size_t i = 0; i < layer.n; i++)
        parts += seconds(run_operation, &layer.operations[i]);
    printf("subgraph   %-5s feed-forward:", dg_type_name(type));
    if (has_run(whole / parts))
        printf(" %.1f us, %.2f of the sum of its parts\n", 1e6 * whole, whole / parts);
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        dg_arg_drop(&all[i]);
}

int main(void)
{
    static const enum dg_type types[] = {DG_TYPE_F32, DG_TYPE_F16, DG_TYPE_BF16};
    char text[300];
    double copies;

    if (dg_cuda_open(&device, 0, &err)) {
        puts(err.text);
        return SKIPPED;
    }
    puts(dg_cuda_describe(&device, text, sizeof(text)));
    copies = copy_rate();
    printf("copy of %d MB on the device:", MEGABYTES);
    if (has_run(copies))
        printf(" %.1f GB/s\n", 1e-9 * copies);
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        bench_products(types[i], 1024);
        bench_products(types[i], 4096);
        bench_memory(types[i], copies);
        bench_layer(types[i]);
    }
    puts(dg_cuda_describe(&device, text, sizeof(text)));
    dg_cuda_close(&device);
    return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
