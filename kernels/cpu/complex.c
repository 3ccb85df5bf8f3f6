/* Complex numbers, element by element. */
#include "kernels/cpu/complex.h"

#include "kernels/cpu/line.h"
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/walk.h"

enum { OPERANDS_MOST = 3 };

struct job {
    const struct dg_complex_op *op;
    enum dg_type operands[OPERANDS_MOST], result;
    enum dg_type rounded_to[OPERANDS_MOST]; /* NONE: nothing is lost */
    double _Complex parameter;
};

static void complex_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    const struct job *job = data;
    double _Complex rows[OPERANDS_MOST][DG_LINE_MOST], to[DG_LINE_MOST];
    double _Complex *in[OPERANDS_MOST];

    for (int k = 0; k < job->op->n_operands; k++) {
        in[k] = rows[k];
        dg_load_complex(in[k], job->operands[k], at[k + 1], strides[k + 1], n);
        if (job->rounded_to[k] != DG_TYPE_NONE) {
            dg_store_complex(job->rounded_to[k], to, 1, in[k], n);
            dg_load_complex(in[k], job->rounded_to[k], to, 1, n);
        }
    }
    job->op->line(n, to, in, &job->parameter);
    dg_store_complex(job->result, at[0], strides[0], to, n);
}

static enum dg_type type_of_work(const struct dg_call *call,
                                 const struct dg_complex_op *op,
                                 const struct dg_arg *operands)
{
    struct dg_arg deciding[OPERANDS_MOST];
    size_t n = 0;
    enum dg_type type;

    if (op->result == DG_COMPLEX_DOUBLE)
        return DG_TYPE_C128;
    for (int k = 0; k < op->n_operands; k++) {
        if (!op->typed_by || op->typed_by >> k & 1)
            deciding[n++] = operands[k];
    }
    type = dg_common_type(deciding, n);
    if (!dg_type_is_complex(type))
        type = dg_type_complex(type);
    return dg_kept_type(call->context, type);
}

static enum dg_status run(struct dg_call *call, struct job *job, enum dg_type work,
                          struct dg_tensor *const *tensors)
{
    struct dg_tensor *all[OPERANDS_MOST + 1];
    int64_t sizes[DG_RANK_MOST];
    int rank, n = job->op->n_operands;
    struct dg_walk walk;
    enum dg_status status = dg_broadcast(call, n, tensors, &rank, sizes);

    if (status)
        return status;
    job->result = job->op->result == DG_COMPLEX_TRUTH  ? DG_TYPE_BOOL
                  : job->op->result == DG_COMPLEX_PART ? dg_type_part(work)
                                                       : work;
    all[0] = dg_result(call, 0, job->result, rank, sizes);
    if (!all[0])
        return call->err->status;
    for (int k = 0; k < n; k++) {
        bool exact = tensors[k]->type == work || work == DG_TYPE_C128;

        all[k + 1] = tensors[k];
        job->operands[k] = tensors[k]->type;
        job->rounded_to[k] = exact ? DG_TYPE_NONE : work;
    }
    dg_walk_begin(&walk, n + 1, all);
    dg_walk_lines(&walk, call->context->n_threads, complex_line, job);
    return DG_OK;
}

enum dg_status dg_complex_pointwise(struct dg_call *call,
                                    const struct dg_complex_op *op)
{
    struct dg_tensor *tensors[OPERANDS_MOST] = {NULL};
    struct dg_arg operands[OPERANDS_MOST];
    struct job job = {.op = op, .parameter = 1};
    enum dg_status status;

    dg_pointwise_operands(call, op->n_operands, operands);
    status = dg_operand_tensors(call, operands, op->n_operands, tensors);
    if (op->parameter && !dg_arg_complex(call, (size_t)op->parameter, &job.parameter))
        job.parameter = dg_arg_real(call, (size_t)op->parameter, 1);
    if (!status)
        status = run(call, &job, type_of_work(call, op, operands), tensors);
    for (int k = 0; k < op->n_operands; k++)
        dg_tensor_drop(tensors[k]);
    return status;
}
