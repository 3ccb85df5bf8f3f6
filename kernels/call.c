/* What kernels share: reading arguments and giving results. */
#include "kernels/kernel.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

enum dg_status dg_call_fail(struct dg_call *call, enum dg_status status,
                            const char *fmt, ...)
{
    char text[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return dg_fail(call->err, status, "%s", text);
}

enum dg_type dg_kept_type(const struct dg_context *context, enum dg_type type)
{
    if (context->precision != DG_PRECISION_WIDE)
        return type;
    if (dg_type_is_complex(type))
        return DG_TYPE_C128;
    return dg_type_is_float(type) ? DG_TYPE_F64 : type;
}

double dg_epsilon(const struct dg_call *call, enum dg_type type)
{
    bool wide = call->context->precision == DG_PRECISION_WIDE;

    return dg_type_part(wide ? call->declared : type) == DG_TYPE_F64
               ? DBL_EPSILON
               : (double)FLT_EPSILON;
}

static bool is_complex(const struct dg_arg *arg)
{
    bool found =
        arg->kind == DG_ARG_COMPLEX ||
        (arg->kind == DG_ARG_TENSOR && dg_type_is_complex(arg->as.tensor->type)) ||
        (arg->kind == DG_ARG_TYPE && dg_type_is_complex(arg->as.type));

    for (size_t i = 0; arg->kind == DG_ARG_LIST && !found && i < arg->as.list.n_items;
         i++)
        found = is_complex(&arg->as.list.items[i]);
    return found;
}

bool dg_call_has_complex(const struct dg_call *call)
{
    for (size_t i = 0; i < call->n_args; i++) {
        if (is_complex(&call->args[i]))
            return true;
    }
    return false;
}

enum dg_status dg_kernel_run(const struct dg_kernel *kernel, struct dg_call *call)
{
    dg_kernel_fn *run = kernel->cpu;

    if (dg_call_has_complex(call)) {
        run = dg_complex_kernel(run);
        if (!run && dg_kernel_serves_all(kernel))
            run = kernel->cpu;
    }
    return run ? run(call) : dg_call_fail(call, DG_ERR_DEVICE, "complex numbers");
}

struct dg_tensor *dg_result(struct dg_call *call, size_t i, enum dg_type type, int rank,
                            const int64_t *sizes)
{
    struct dg_tensor *tensor =
        dg_tensor_new(call->context->memory, dg_kept_type(call->context, type), rank,
                      sizes, call->err);

    return dg_give(call, i, tensor) ? tensor : NULL;
}

bool dg_give(struct dg_call *call, size_t i, struct dg_tensor *tensor)
{
    if (!tensor)
        return false;
    call->results[i].kind = DG_ARG_TENSOR;
    call->results[i].as.tensor = tensor;
    return true;
}

/* An arena cannot refuse: the memory is asked whether it has the room. */
void *dg_scratch(struct dg_call *call, int64_t count, size_t size)
{
    struct dg_memory *memory = call->context->memory;
    size_t bytes;
    void *room;

    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes)) {
        dg_call_fail(call, DG_ERR_FORMAT, "%lld items are more than memory can hold",
                     (long long)count);
        return NULL;
    }
    if (memory->allocate(memory, bytes, &room, call->err))
        return NULL;
    memory->release(memory, room, bytes);
    return dg_alloc(call->context->scratch, (size_t)count, size);
}

static const struct dg_arg *argument(const struct dg_call *call, size_t i)
{
    static const struct dg_arg none;

    return i < call->n_args ? &call->args[i] : &none;
}

struct dg_tensor *dg_arg_tensor(const struct dg_call *call, size_t i)
{
    const struct dg_arg *arg = argument(call, i);

    return arg->kind == DG_ARG_TENSOR ? arg->as.tensor : NULL;
}

static bool as_integer(const struct dg_arg *arg, int64_t *value)
{
    if (arg->kind == DG_ARG_INT || arg->kind == DG_ARG_BOOL)
        *value = arg->as.integer;
    else if (arg->kind == DG_ARG_FLOAT && arg->as.real > -9e18 && arg->as.real < 9e18)
        *value = (int64_t)arg->as.real;
    else
        return false;
    return true;
}

int64_t dg_arg_int(const struct dg_call *call, size_t i, int64_t otherwise)
{
    int64_t value;

    return as_integer(argument(call, i), &value) ? value : otherwise;
}

double dg_arg_real(const struct dg_call *call, size_t i, double otherwise)
{
    const struct dg_arg *arg = argument(call, i);

    if (arg->kind == DG_ARG_FLOAT)
        return arg->as.real;
    return arg->kind == DG_ARG_INT || arg->kind == DG_ARG_BOOL ? (double)arg->as.integer
                                                               : otherwise;
}

bool dg_arg_complex(const struct dg_call *call, size_t i, double _Complex *value)
{
    const struct dg_arg *arg = argument(call, i);

    if (arg->kind == DG_ARG_COMPLEX)
        memcpy(value, &arg->as.pair, sizeof(*value));
    return arg->kind == DG_ARG_COMPLEX;
}

bool dg_arg_bool(const struct dg_call *call, size_t i, bool otherwise)
{
    return dg_arg_int(call, i, otherwise) != 0;
}

enum dg_type dg_arg_type(const struct dg_call *call, size_t i, enum dg_type otherwise)
{
    const struct dg_arg *arg = argument(call, i);

    return arg->kind == DG_ARG_TYPE ? arg->as.type : otherwise;
}

int dg_arg_ints(const struct dg_call *call, size_t i, int64_t *values, int room)
{
    const struct dg_arg *arg = argument(call, i);

    if (arg->kind == DG_ARG_INT || arg->kind == DG_ARG_BOOL) {
        values[0] = arg->as.integer;
        return 1;
    }
    if (arg->kind != DG_ARG_LIST)
        return 0;
    if (arg->as.list.n_items > (size_t)room) {
        dg_fail(call->err, DG_ERR_DEVICE,
                "argument %zu lists %zu numbers; at most %d are supported", i,
                arg->as.list.n_items, room);
        return -1;
    }
    for (size_t k = 0; k < arg->as.list.n_items; k++) {
        if (!as_integer(&arg->as.list.items[k], &values[k]))
            values[k] = 0;
    }
    return (int)arg->as.list.n_items;
}

bool dg_arg_missing(const struct dg_call *call, size_t i)
{
    return argument(call, i)->kind == DG_ARG_NONE;
}

bool dg_dimension(struct dg_call *call, int64_t dim, int rank, int *result)
{
    int64_t least = rank ? rank : 1; /* a 0-d tensor has the dimensions 0 and -1 */

    if (dim < -least || dim >= least) {
        dg_call_fail(call, DG_ERR_FORMAT, "dimension %lld of a tensor of rank %d",
                     (long long)dim, rank);
        return false;
    }
    *result = (int)(dim < 0 ? dim + least : dim);
    return true;
}
