/* Operators that compute each element of the result from one element of each operand.
 */
#include "kernels/cpu/pointwise.h"

#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/promote.h"

enum dg_type dg_operation_type(enum dg_type type)
{
    return dg_type_is_float(type) && dg_type_bytes(type) == 2 ? DG_TYPE_F32 : type;
}

struct operand {
    enum dg_type type;
    enum dg_type rounded_to; /* NONE: its values are exact in the type of the work */
};

struct job {
    const struct dg_pointwise *op;
    const struct dg_parameters *parameters;
    struct operand operands[DG_OPERANDS_MOST];
    enum dg_type result;
    bool integers;
};

/* Make every element a number of `type`, as a cast does: to 16 bits by way of f32. */
static void round_line(enum dg_type type, double *line, int64_t n)
{
    double narrow[DG_LINE_MOST];

    if (dg_operation_type(type) != type)
        round_line(DG_TYPE_F32, line, n);
    dg_store_f64(type, narrow, 1, line, n);
    dg_load_f64(line, type, narrow, 1, n);
}

static void wrap_line(enum dg_type type, int64_t *line, int64_t n)
{
    int64_t narrow[DG_LINE_MOST];

    dg_store_i64(type, narrow, 1, line, n);
    dg_load_i64(line, type, narrow, 1, n);
}

double dg_rounded(const struct dg_context *context, enum dg_type type, double value)
{
    if (context->precision != DG_PRECISION_WIDE && dg_type_is_float(type))
        round_line(type, &value, 1);
    return value;
}

/* A line of one operand; what does not vary along it is read once. */
static void read_reals(const struct operand *operand, const void *from, int64_t stride,
                       int64_t n, double *line)
{
    int64_t n_read = stride ? n : 1;

    dg_load_f64(line, operand->type, from, stride, n_read);
    if (operand->rounded_to != DG_TYPE_NONE)
        round_line(operand->rounded_to, line, n_read);
    for (int64_t i = n_read; i < n; i++)
        line[i] = line[0];
}

static void read_integers(const struct operand *operand, const void *from,
                          int64_t stride, int64_t n, int64_t *line)
{
    int64_t n_read = stride ? n : 1;

    dg_load_i64(line, operand->type, from, stride, n_read);
    if (operand->rounded_to != DG_TYPE_NONE)
        wrap_line(operand->rounded_to, line, n_read);
    for (int64_t i = n_read; i < n; i++)
        line[i] = line[0];
}

static void real_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    const struct job *job = data;
    double in[DG_OPERANDS_MOST][DG_LINE_MOST], to[DG_LINE_MOST];

    for (int k = 0; k < job->op->n_operands; k++)
        read_reals(&job->operands[k], at[k + 1], strides[k + 1], n, in[k]);
    job->op->real(n, to, in, job->parameters->real);
    dg_store_f64(job->result, at[0], strides[0], to, n);
}

static void integer_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    const struct job *job = data;
    int64_t in[DG_OPERANDS_MOST][DG_LINE_MOST], to[DG_LINE_MOST];

    for (int k = 0; k < job->op->n_operands; k++)
        read_integers(&job->operands[k], at[k + 1], strides[k + 1], n, in[k]);
    job->op->integer(n, to, in, job->parameters->integer);
    dg_store_i64(job->result, at[0], strides[0], to, n);
}

/* Whether every value of `from` is one of `to`. */
static bool holds(enum dg_type to, enum dg_type from)
{
    if (to == from || from == DG_TYPE_BOOL)
        return true;
    if (dg_type_is_float(from))
        return dg_type_bytes(from) < dg_type_bytes(to);
    if (dg_type_is_float(to))
        return dg_type_bytes(from) * 2 <= dg_type_bytes(to) || from == DG_TYPE_U8 ||
               from == DG_TYPE_I8;
    return dg_type_bytes(from) < dg_type_bytes(to) && from != DG_TYPE_I8;
}

enum dg_status dg_operand_tensors(struct dg_call *call, const struct dg_arg *operands,
                                  int n, struct dg_tensor **tensors)
{
    for (int k = 0; k < n; k++) {
        if (operands[k].kind == DG_ARG_TENSOR)
            tensors[k] = dg_tensor_keep(operands[k].as.tensor);
        else if (dg_number_type(&operands[k]) != DG_TYPE_NONE)
            tensors[k] = dg_number_tensor(&operands[k]);
        else
            return dg_call_fail(call, DG_ERR_DEVICE,
                                "operand %d is neither a tensor nor a number", k);
    }
    return DG_OK;
}

static enum dg_type type_of_work(const struct dg_call *call,
                                 const struct dg_pointwise *op,
                                 const struct dg_arg *operands)
{
    struct dg_arg deciding[DG_OPERANDS_MOST];
    size_t n = 0;
    enum dg_type type;

    for (int k = 0; k < op->n_operands; k++) {
        if (!op->typed_by || op->typed_by >> k & 1)
            deciding[n++] = operands[k];
    }
    type = dg_common_type(deciding, n);
    if (op->result == DG_FLOAT && (dg_type_is_integer(type) || type == DG_TYPE_BOOL))
        type = DG_TYPE_F32;
    if (op->result == DG_DOUBLE)
        type = DG_TYPE_F64;
    return dg_kept_type(call->context, type);
}

static void describe(const struct dg_call *call, struct job *job, enum dg_type work,
                     struct dg_tensor *const *tensors)
{
    for (int k = 0; k < job->op->n_operands; k++) {
        bool kept = job->op->keeps_numbers && !tensors[k]->rank;
        enum dg_type type = kept ? dg_operation_type(work) : work;

        job->operands[k] = (struct operand){tensors[k]->type, DG_TYPE_NONE};
        if (!holds(type, tensors[k]->type) &&
            call->context->precision != DG_PRECISION_WIDE)
            job->operands[k].rounded_to = type;
        if (job->integers && !holds(type, tensors[k]->type))
            job->operands[k].rounded_to = type;
    }
}

static enum dg_status run(struct dg_call *call, struct job *job, enum dg_type work,
                          struct dg_tensor *const *tensors)
{
    struct dg_tensor *all[DG_OPERANDS_MOST + 1];
    int64_t sizes[DG_RANK_MOST];
    int rank, n = job->op->n_operands;
    struct dg_walk walk;
    enum dg_status status = dg_broadcast(call, n, tensors, &rank, sizes);

    if (status)
        return status;
    job->result = job->op->result == DG_TRUTH ? DG_TYPE_BOOL : work;
    all[0] = dg_result(call, 0, job->result, rank, sizes);
    if (!all[0])
        return call->err->status;
    for (int k = 0; k < n; k++)
        all[k + 1] = tensors[k];
    describe(call, job, work, tensors);
    dg_walk_begin(&walk, n + 1, all);
    dg_walk_lines(&walk, call->context->n_threads,
                  job->integers ? integer_line : real_line, job);
    return DG_OK;
}

/* f32 where torch computes in it: parameters are numbers of that type. */
static struct dg_parameters round_parameters(const struct dg_call *call,
                                             const struct dg_parameters *parameters,
                                             enum dg_type work)
{
    struct dg_parameters rounded = *parameters;

    for (int i = 0; i < DG_PARAMETERS_MOST; i++)
        rounded.real[i] =
            dg_rounded(call->context, dg_operation_type(work), rounded.real[i]);
    return rounded;
}

enum dg_status dg_pointwise_of(struct dg_call *call, const struct dg_pointwise *op,
                               const struct dg_arg *operands,
                               const struct dg_parameters *parameters)
{
    enum dg_type work = type_of_work(call, op, operands);
    struct dg_parameters rounded = round_parameters(call, parameters, work);
    struct job job = {.op = op, .parameters = &rounded};
    struct dg_tensor *tensors[DG_OPERANDS_MOST] = {0};
    enum dg_status status = dg_operand_tensors(call, operands, op->n_operands, tensors);

    job.integers = !dg_type_is_float(work);
    if (!status && (work == DG_TYPE_NONE || work >= DG_TYPE_F8E5M2))
        status = dg_call_fail(call, DG_ERR_DEVICE,
                              "operands of these types have no common type");
    else if (!status && !(job.integers ? (void *)op->integer : (void *)op->real))
        status = dg_call_fail(call, DG_ERR_DEVICE, "operands of type %s",
                              dg_type_name(work));
    if (!status)
        status = run(call, &job, work, tensors);
    for (int k = 0; k < op->n_operands; k++)
        dg_tensor_drop(tensors[k]);
    return status;
}

void dg_pointwise_operands(const struct dg_call *call, int n, struct dg_arg *operands)
{
    for (int k = 0; k < n; k++)
        operands[k] = (size_t)k < call->n_args ? call->args[k] : (struct dg_arg){0};
}

enum dg_status dg_pointwise(struct dg_call *call, const struct dg_pointwise *op)
{
    struct dg_arg operands[DG_OPERANDS_MOST];
    struct dg_parameters parameters = {0};

    dg_pointwise_operands(call, op->n_operands, operands);
    for (int i = 0; i < op->n_parameters; i++) {
        size_t at = (size_t)(op->n_operands + i);

        parameters.real[i] = dg_arg_real(call, at, NAN);
        parameters.integer[i] = dg_arg_int(call, at, 1);
    }
    return dg_pointwise_of(call, op, operands, &parameters);
}
