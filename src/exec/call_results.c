/* What a call gave is put where its overload wants it. */
#include <string.h>

#include "base/ops.h"
#include "exec/call_parts.h"

void dg_args_drop(struct dg_arg *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dg_arg_drop(&values[i]);
}

void dg_reshape_in_place(struct dg_tensor *tensor, const struct dg_tensor *view)
{
    tensor->rank = view->rank;
    memcpy(tensor->sizes, view->sizes, sizeof(tensor->sizes));
    memcpy(tensor->strides, view->strides, sizeof(tensor->strides));
    tensor->offset = view->offset;
}

/* What a view gave becomes memory of its own. */
static enum dg_status copy_results(struct dg_running *running)
{
    struct dg_call *call = &running->call;
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < call->n_results; i++) {
        struct dg_arg view = call->results[i];

        call->results[i] = (struct dg_arg){0};
        status = dg_move_value(running->machine, dg_copied, &view, &call->results[i],
                               running->err);
        dg_arg_drop(&view);
    }
    return status;
}

static enum dg_status write_back(struct dg_running *running)
{
    const char *op = running->step->op;
    const struct dg_op *schema = dg_op_find(op, strlen(op));
    struct dg_arg *result = &running->call.results[0];
    const struct dg_arg *self = &running->call.args[0];
    enum dg_status status = DG_OK;

    if (self->kind != DG_ARG_TENSOR || result->kind != DG_ARG_TENSOR)
        return dg_fail(running->err, DG_ERR_DEVICE, "in place on no tensor");
    if (schema && schema->flags & DG_OP_INPLACE_VIEW) /* squeeze_ */
        dg_reshape_in_place(self->as.tensor, result->as.tensor);
    else if (self->as.tensor != result->as.tensor)
        status = dg_write_into(running->machine, self->as.tensor, result->as.tensor,
                               running->err);
    dg_arg_drop(result);
    dg_arg_set(result, self);
    return status;
}

/* Give `to` the shape of another tensor, and memory for it. */
static enum dg_status resize(struct dg_running *running, struct dg_tensor *to,
                             const struct dg_tensor *like)
{
    struct dg_tensor *fresh = dg_tensor_new(running->machine->context.memory, to->type,
                                            like->rank, like->sizes, running->err);
    struct dg_storage *old = to->storage;

    if (!fresh)
        return running->err->status;
    to->storage = fresh->storage;
    fresh->storage = old;
    dg_reshape_in_place(to, fresh);
    dg_tensor_drop(fresh);
    return DG_OK;
}

/* As torch does, an out argument of another shape is resized. */
static enum dg_status write_out(struct dg_running *running, const struct dg_arg *out,
                                struct dg_arg *result)
{
    enum dg_status status = DG_OK;

    if (out->kind != DG_ARG_TENSOR || result->kind != DG_ARG_TENSOR)
        return dg_fail(running->err, DG_ERR_DEVICE, "out is no tensor");
    if (!dg_tensor_same_shape(out->as.tensor, result->as.tensor))
        status = resize(running, out->as.tensor, result->as.tensor);
    if (!status)
        status = dg_write_into(running->machine, out->as.tensor, result->as.tensor,
                               running->err);
    dg_arg_drop(result);
    dg_arg_set(result, out);
    return status;
}

static enum dg_status write_outs(struct dg_running *running)
{
    const struct dg_step *step = running->step;
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < step->n_outs && i < running->call.n_results;
         i++) {
        struct dg_arg out;

        status = dg_operand_value(running->machine, running->frame, &step->outs[i],
                                  &out, running->err);
        if (!status)
            status = write_out(running, &out, &running->call.results[i]);
    }
    return status;
}

/* One slot takes all of it: several results as a list. */
static void give_one(struct dg_running *running)
{
    struct dg_call *call = &running->call;
    struct dg_arg value = call->n_results ? call->results[0] : (struct dg_arg){0};

    if (call->n_results > 1) {
        struct dg_arg list = {DG_ARG_LIST, {.list = {call->results, call->n_results}}};

        dg_arg_set(&value, &list);
        dg_args_drop(call->results, call->n_results);
    }
    if (running->step->n_results)
        dg_slot_take(running->frame, running->step->results[0], value);
    else
        dg_arg_drop(&value);
    call->n_results = 0;
}

enum dg_status dg_call_give(struct dg_running *running)
{
    const struct dg_step *step = running->step;
    enum dg_status status = DG_OK;

    if (step->variant == DG_VARIANT_COPY && !dg_makes_lent(running))
        status = copy_results(running);
    else if (step->variant == DG_VARIANT_IN_PLACE)
        status = write_back(running);
    else if (step->variant == DG_VARIANT_OUT_TYPE && running->call.n_results)
        status = dg_give_out_type(running->machine, step->out_type,
                                  &running->call.results[0], running->err);
    else if (step->n_outs)
        status = write_outs(running);
    if (!status && !running->frame->schedule->is_pte)
        give_one(running);
    for (size_t i = 0; !status && running->frame->schedule->is_pte &&
                       i < running->call.n_results && i < step->n_results;
         i++)
        status = (step->variant == DG_VARIANT_FUNCTIONAL ? dg_pte_take : dg_pte_give)(
            running->machine, running->frame, step->results[i],
            &running->call.results[i], running->err);
    dg_args_drop(running->call.results, running->call.n_results);
    return status;
}
