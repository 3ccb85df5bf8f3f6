/* A CUDA device: its memory, its stream, and what is said where there is none. */
#include "exec/device.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/copy.h"
#include "kernels/cuda/cublas.h"
#include "kernels/cuda/state.h"
#include "kernels/kernel.h"

/* Blocks that were released wait for the next tensor of their class: four classes for
 * each power of two. Work on one stream is in order, so a block can be used again at
 * once. */
enum { N_CLASSES = 4 * 48, LEAST_BYTES = 512 };

/* As much as cudaMalloc() aligns to: what lies between two zones is aligned, too. */
enum { GUARD = 256, PATTERN = 0xa5 };

struct block {
    void *bytes;
    size_t size; /* of the tensor that guard zones are around */
    struct block *next;
};

struct device {
    struct dg_cuda shared; /* what kernels see */
    struct dg_memory memory;
    struct block *idle[N_CLASSES];
    struct cudaDeviceProp properties;
    char name[16];
    int ordinal;
};

static int class_of(size_t size)
{
    size_t step = LEAST_BYTES / 4;
    int class = 0;

    while (4 * step < size) {
        size_t quarter = (size - 4 * step + step - 1) / step;

        if (quarter <= 4)
            return class + (int)quarter;
        step *= 2;
        class += 4;
    }
    return class;
}

static size_t class_bytes(int class)
{
    size_t step = (size_t)(LEAST_BYTES / 4) << class / 4;

    return 4 * step + (size_t)(class % 4) * step;
}

static void free_idle(struct device *device)
{
    for (int i = 0; i < N_CLASSES; i++) {
        for (struct block *block = device->idle[i], *next; block; block = next) {
            next = block->next;
            cudaFree(block->bytes);
            free(block);
        }
        device->idle[i] = NULL;
    }
}

static enum dg_status out_of_memory(const struct device *device, size_t size,
                                    struct dg_error *err)
{
    size_t left = 0, total = 0;

    cudaMemGetInfo(&left, &total);
    return dg_fail(err, DG_ERR_DEVICE,
                   "%s has %zu of %zu bytes left, and a tensor needs %zu",
                   device->properties.name, left, total, size);
}

static enum dg_status check(cudaError_t error, const char *what, struct dg_error *err)
{
    return error
               ? dg_fail(err, DG_ERR_DEVICE, "%s: %s", what, cudaGetErrorString(error))
               : DG_OK;
}

/* Nobody may write there: GUARD bytes before and behind what is given away. */
static enum dg_status set_guards(const struct device *device, unsigned char *block,
                                 size_t size, struct dg_error *err)
{
    cudaStream_t stream = device->shared.stream;
    cudaError_t error = cudaMemsetAsync(block, PATTERN, GUARD, stream);

    if (!error)
        error = cudaMemsetAsync(block + GUARD + size, PATTERN, GUARD, stream);
    return check(error, "marking the ends of memory", err);
}

/* *size: of the tensor that guard zones are around; left alone where there are none.
 * NULL: there is no memory. */
static void *take_block(struct device *device, int class, size_t *size)
{
    struct block *block = device->idle[class];
    void *bytes = NULL;

    if (block) {
        device->idle[class] = block->next;
        bytes = block->bytes;
        *size = block->size;
        free(block);
        return bytes;
    }
    if (!cudaMalloc(&bytes, class_bytes(class)))
        return bytes;
    cudaGetLastError(); /* forget it */
    free_idle(device);
    if (!cudaMalloc(&bytes, class_bytes(class)))
        return bytes;
    cudaGetLastError();
    return NULL;
}

static void give_block(struct device *device, int class, void *bytes, size_t size)
{
    struct block *block = malloc(sizeof(*block));

    if (!block) {
        cudaFree(bytes);
        return;
    }
    *block = (struct block){bytes, size, device->idle[class]};
    device->idle[class] = block;
}

static enum dg_status allocate(struct dg_memory *memory, size_t size, void **bytes,
                               struct dg_error *err)
{
    struct device *device = memory->state;
    int class = size >> 47 ? N_CLASSES : class_of(size + 2 * GUARD);
    unsigned char *block = NULL;
    size_t guarded = SIZE_MAX;

    if (class < N_CLASSES && dg_memory_has(memory, size))
        block = take_block(device, class, &guarded);
    if (!block)
        return out_of_memory(device, size, err);
    if (guarded != size && set_guards(device, block, size, err)) {
        cudaFree(block);
        return err->status;
    }
    *bytes = block + GUARD;
    memory->used += size;
    memory->peak = memory->used > memory->peak ? memory->used : memory->peak;
    return DG_OK;
}

static void release(struct dg_memory *memory, void *bytes, size_t size)
{
    memory->used -= size;
    give_block(memory->state, class_of(size + 2 * GUARD),
               (unsigned char *)bytes - GUARD, size);
}

static enum dg_status upload(const struct dg_device *device, void *to, const void *from,
                             size_t size, struct dg_error *err)
{
    return check(
        cudaMemcpyAsync(to, from, size, cudaMemcpyHostToDevice, device->stream),
        "copying to the device", err);
}

static enum dg_status download(const struct dg_device *device, void *to,
                               const void *from, size_t size, struct dg_error *err)
{
    cudaError_t error =
        cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, device->stream);

    return check(error ? error : cudaStreamSynchronize(device->stream),
                 "copying from the device", err);
}

static enum dg_status guards(const struct dg_device *device, const void *bytes,
                             size_t size, bool *hold, struct dg_error *err)
{
    unsigned char zones[2 * GUARD], *first = (unsigned char *)bytes;
    enum dg_status status = download(device, zones, first - GUARD, GUARD, err);

    *hold = true;
    if (!status)
        status = download(device, zones + GUARD, first + size, GUARD, err);
    for (size_t i = 0; i < sizeof(zones) && !status; i++)
        *hold = *hold && zones[i] == PATTERN;
    return *hold || status
               ? status /* else told once: the memory will be another tensor's */
               : set_guards(device->memory->state, first - GUARD, size, err);
}

static enum dg_status finish_stream(struct dg_cuda *cuda, struct dg_error *err)
{
    return check(cudaStreamSynchronize(cuda->stream), "running on the device", err);
}

static enum dg_status finish(const struct dg_device *device, struct dg_error *err)
{
    return finish_stream(device->memory->state, err);
}

int dg_cuda_devices(void)
{
    int count = 0;

    return cudaGetDeviceCount(&count) ? 0 : count;
}

/* Errors 35 and 100 are the same to a user: nothing to run on. */
static enum dg_status no_device(int ordinal, struct dg_error *err)
{
    int count = dg_cuda_devices(), driver = 0;

    cudaDriverGetVersion(&driver);
    if (count > 0)
        return dg_fail(err, DG_ERR_DEVICE, "there is no cuda:%d: %d device%s here",
                       ordinal, count, count == 1 ? " is" : "s are");
    if (!driver)
        return dg_fail(err, DG_ERR_DEVICE,
                       "no NVIDIA driver is here; CUDA %d.%d needs one",
                       CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (driver < CUDART_VERSION - CUDART_VERSION % 1000)
        return dg_fail(err, DG_ERR_DEVICE,
                       "the driver is for CUDA %d.%d; this build needs one for %d.0",
                       driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000);
    return dg_fail(err, DG_ERR_DEVICE, "the driver for CUDA %d.%d finds no device",
                   driver / 1000, driver % 1000 / 10);
}

/* Where the linker puts constructors of kernels/cuda: compile.sh says why. */
typedef void constructor(void);
extern constructor *const __start_dg_cuda_kernels[], *const __stop_dg_cuda_kernels[];

static void register_kernels(void)
{
    for (constructor *const *at = __start_dg_cuda_kernels; at < __stop_dg_cuda_kernels;
         at++)
        (*at)();
}

static enum dg_status start(struct device *device, int ordinal, struct dg_error *err)
{
    cudaStream_t stream = NULL;
    enum dg_status status = check(cudaSetDevice(ordinal), "choosing the device", err);

    if (!status)
        status = check(cudaGetDeviceProperties(&device->properties, ordinal),
                       "asking for its properties", err);
    if (!status)
        status = check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                       "making a stream", err);
    device->shared.stream = stream;
    if (!status)
        status =
            check(cudaHostAlloc((void **)&device->shared.fault,
                                sizeof(*device->shared.fault), cudaHostAllocMapped),
                  "making memory of the host", err);
    for (int i = 0; !status && i < DG_INDEXED_MOST; i++)
        device->shared.fault->index[i] = DG_NO_FAULT;
    return status;
}

enum dg_status dg_cuda_open(struct dg_device *device, int ordinal, struct dg_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct device *state;
    enum dg_status status;

    *device = (struct dg_device){0};
    pthread_once(&once, register_kernels);
    if (ordinal < 0 || ordinal >= dg_cuda_devices())
        return no_device(ordinal, err);
    state = calloc(1, sizeof(*state));
    if (!state)
        return dg_fail(err, DG_ERR_IO, "no memory");
    status = start(state, ordinal, err);
    snprintf(state->name, sizeof(state->name), "cuda:%d", ordinal);
    state->ordinal = ordinal;
    state->shared.finish = finish_stream;
    state->shared.multiply = dg_cublas_multiply;
    state->memory = (struct dg_memory){.device = state->name,
                                       .allocate = allocate,
                                       .release = release,
                                       .state = state};
    *device = (struct dg_device){.name = state->name,
                                 .memory = &state->memory,
                                 .stream = state->shared.stream,
                                 .upload = upload,
                                 .download = download,
                                 .copy = dg_cuda_copy_into,
                                 .guards = guards,
                                 .finish = finish};
    return status;
}

void dg_cuda_close(struct dg_device *device)
{
    struct device *state = device->memory ? device->memory->state : NULL;

    if (!state)
        return;
    if (state->shared.stream)
        cudaStreamSynchronize(state->shared.stream);
    dg_cublas_close(&state->shared);
    free_idle(state);
    if (state->shared.fault)
        cudaFreeHost(state->shared.fault);
    if (state->shared.stream)
        cudaStreamDestroy(state->shared.stream);
    free(state);
    *device = (struct dg_device){0};
}

const char *dg_cuda_describe(const struct dg_device *device, char *text, size_t room)
{
    const struct device *state = device->memory->state;
    int driver = 0, blas = dg_cublas_version(&state->shared);
    size_t used;

    cudaDriverGetVersion(&driver);
    snprintf(text, room,
             "%s, compute capability %d.%d, driver for CUDA %d.%d, runtime %d.%d",
             state->properties.name, state->properties.major, state->properties.minor,
             driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10);
    used = strlen(text);
    if (blas)
        snprintf(text + used, room - used, ", cuBLAS %d", blas);
    return text;
}
