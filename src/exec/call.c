/* One call of an operator: arguments gathered, the kernel run, its results put where
 * the overload wants them. */
#include <stdlib.h>
#include <string.h>

#include "base/ops.h"
#include "exec/machine_parts.h"

struct running {
    struct dg_machine *machine;
    struct dg_call_frame *frame;
    const struct dg_step *step;
    struct dg_call call;
    struct dg_error *err;
};

static enum dg_status gather(struct running *running, struct dg_arg **args)
{
    const struct dg_step *step = running->step;
    enum dg_status status = DG_OK;

    *args = dg_alloc(&running->frame->scratch, step->n_args + 1, sizeof(**args));
    for (size_t i = 0; !status && i < step->n_args; i++)
        status = dg_operand_value(running->machine, running->frame, &step->args[i],
                                  &(*args)[i], running->err);
    return status;
}

static void drop_all(struct dg_arg *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dg_arg_drop(&values[i]);
}

/* Which arguments the kernel writes, by itself: one flag each. */
static bool *written_by_kernel(struct running *running)
{
    const struct dg_step *step = running->step;
    bool *written =
        dg_alloc(&running->frame->scratch, step->n_args + 1, sizeof(*written));

    dg_kernel_writes(step->kernel, written, step->n_args);
    return written;
}

/* Give the tensor itself the shape of another. */
static void reshape_in_place(struct dg_tensor *tensor, const struct dg_tensor *view)
{
    tensor->rank = view->rank;
    memcpy(tensor->sizes, view->sizes, sizeof(tensor->sizes));
    memcpy(tensor->strides, view->strides, sizeof(tensor->strides));
    tensor->offset = view->offset;
}

/* What the kernel wrote into arguments of the host, into those of the device. */
static enum dg_status send_written(struct running *running, const struct dg_arg *args)
{
    const bool *written = written_by_kernel(running);
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < running->call.n_args; i++) {
        struct dg_tensor *to = running->call.args[i].as.tensor;

        if (!written[i] || args[i].kind != DG_ARG_TENSOR)
            continue;
        reshape_in_place(to, args[i].as.tensor);
        status = dg_send_back(running->machine, to, args[i].as.tensor, running->err);
    }
    return status;
}

/* On the host with copies of the arguments; results go back to the device. */
static enum dg_status fall_back(struct running *running)
{
    struct dg_machine *machine = running->machine;
    struct dg_context context = machine->context;
    struct dg_call call = running->call;
    size_t n = call.n_args;
    struct dg_arg *args = dg_alloc(&running->frame->scratch, n + 1, sizeof(*args));
    enum dg_status status = DG_OK;

    context.memory = &dg_host_memory;
    call.context = &context;
    call.args = args;
    for (size_t i = 0; !status && i < n; i++)
        status = dg_move_value(machine, dg_to_host, &running->call.args[i], &args[i],
                               running->err);
    if (!status)
        status = running->step->kernel->cpu(&call);
    if (!status)
        status = send_written(running, args);
    drop_all(args, n);
    for (size_t i = 0; !status && i < call.n_results; i++) {
        struct dg_arg host = call.results[i];

        call.results[i] = (struct dg_arg){0};
        status =
            dg_move_value(machine, dg_to_device, &host, &call.results[i], running->err);
        dg_arg_drop(&host);
    }
    machine->fallbacks++;
    return status;
}

static enum dg_status run_kernel(struct running *running)
{
    const struct dg_kernel *kernel = running->step->kernel;
    enum dg_status status;

    if (dg_on_host(running->machine))
        return kernel->cpu(&running->call);
    if (!kernel->view && !kernel->cuda)
        return fall_back(running);
    status = (kernel->view ? kernel->cpu : kernel->cuda)(&running->call);
    if (status != DG_ERR_DEVICE)
        return status;
    drop_all(running->call.results, running->call.n_results);
    *running->err = (struct dg_error){0};
    return fall_back(running);
}

static bool guarded(const struct dg_arg *value)
{
    const struct dg_storage *storage;

    for (size_t i = 0; value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++) {
        if (!guarded(&value->as.list.items[i]))
            return false;
    }
    if (value->kind != DG_ARG_TENSOR)
        return true;
    storage = value->as.tensor->storage;
    return storage->memory != &dg_host_memory ||
           dg_host_guards_hold(storage->bytes, storage->size);
}

static enum dg_status check_guards(const struct running *running)
{
    const struct dg_call *call = &running->call;
    bool whole = true;

    for (size_t i = 0; i < call->n_args; i++)
        whole &= guarded(&call->args[i]);
    for (size_t i = 0; i < call->n_results; i++)
        whole &= guarded(&call->results[i]);
    return whole ? DG_OK
                 : dg_fail(running->err, DG_ERR_IO,
                           "internal error: the kernel wrote outside of its memory");
}

static size_t n_results(const char *op)
{
    const struct dg_op *schema = dg_op_find(op, strlen(op));

    return schema ? dg_op_n_returns(schema) : 1;
}

static enum dg_status make_call(struct running *running, struct dg_arg *args)
{
    struct dg_machine *machine = running->machine;
    const struct dg_step *step = running->step;
    enum dg_status status;

    running->call = (struct dg_call){
        .op = step->kernel->op,
        .args = args,
        .n_args = step->n_args,
        .n_results = step->xnnpack ? step->n_results : n_results(step->kernel->op),
        .context = &machine->context,
        .err = running->err,
        .xnnpack = step->xnnpack,
        .near_tie = step->near_tie,
    };
    running->call.results =
        dg_alloc(&running->frame->scratch, running->call.n_results + 1, sizeof(*args));
    status = run_kernel(running);
    dg_arena_clear(&machine->scratch);
    return status ? status : check_guards(running);
}

/* What a view gave becomes memory of its own. */
static enum dg_status copy_results(struct running *running)
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

static enum dg_status write_back(struct running *running)
{
    const char *op = running->step->op;
    const struct dg_op *schema = dg_op_find(op, strlen(op));
    struct dg_arg *result = &running->call.results[0];
    const struct dg_arg *self = &running->call.args[0];
    enum dg_status status = DG_OK;

    if (self->kind != DG_ARG_TENSOR || result->kind != DG_ARG_TENSOR)
        return dg_fail(running->err, DG_ERR_DEVICE, "in place on no tensor");
    if (schema && schema->flags & DG_OP_INPLACE_VIEW) /* squeeze_ */
        reshape_in_place(self->as.tensor, result->as.tensor);
    else if (self->as.tensor != result->as.tensor)
        status = dg_write_into(running->machine, self->as.tensor, result->as.tensor,
                               running->err);
    dg_arg_drop(result);
    dg_arg_set(result, self);
    return status;
}

/* Give `to` the shape of another tensor, and memory for it. */
static enum dg_status resize(struct running *running, struct dg_tensor *to,
                             const struct dg_tensor *like)
{
    struct dg_tensor *fresh = dg_tensor_new(running->machine->context.memory, to->type,
                                            like->rank, like->sizes, running->err);
    struct dg_storage *old = to->storage;

    if (!fresh)
        return running->err->status;
    to->storage = fresh->storage;
    fresh->storage = old;
    reshape_in_place(to, fresh);
    dg_tensor_drop(fresh);
    return DG_OK;
}

/* As torch does, an out argument of another shape is resized. */
static enum dg_status write_out(struct running *running, const struct dg_arg *out,
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

static enum dg_status write_outs(struct running *running)
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
static void give_one(struct running *running)
{
    struct dg_call *call = &running->call;
    struct dg_arg value = call->n_results ? call->results[0] : (struct dg_arg){0};

    if (call->n_results > 1) {
        struct dg_arg list = {DG_ARG_LIST, {.list = {call->results, call->n_results}}};

        dg_arg_set(&value, &list);
        drop_all(call->results, call->n_results);
    }
    if (running->step->n_results)
        dg_slot_take(running->frame, running->step->results[0], value);
    else
        dg_arg_drop(&value);
    call->n_results = 0;
}

static enum dg_status give(struct running *running)
{
    const struct dg_step *step = running->step;
    enum dg_status status = DG_OK;

    if (step->variant == DG_VARIANT_COPY)
        status = copy_results(running);
    else if (step->variant == DG_VARIANT_IN_PLACE)
        status = write_back(running);
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
    drop_all(running->call.results, running->call.n_results);
    return status;
}

static void poison_value(struct dg_call_frame *frame, const struct dg_arg *value,
                         struct dg_arg unknown)
{
    if (value->kind == DG_ARG_TENSOR)
        dg_poison(frame, value->as.tensor, unknown);
    for (size_t i = 0; value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++) {
        if (value->as.list.items[i].kind == DG_ARG_TENSOR)
            dg_poison(frame, value->as.list.items[i].as.tensor, unknown);
    }
}

/* What slots hold that a step would have written. */
struct held {
    const struct dg_call_frame *frame;
    struct dg_arg *values;
    size_t n;
};

static void hold(void *data, uint32_t slot)
{
    struct held *held = data;
    const struct dg_operand *list = held->frame->schedule->slots[slot].list;

    if (list)
        dg_operand_reads(list, hold, held);
    else
        dg_arg_set(DG_APPEND(held->values, held->n), &held->frame->slots[slot]);
}

/* Nobody knows any more what a step that did not run would have written. What it would
 * write may share memory: each is held until all are seen. */
static void poison(struct running *running, struct dg_arg unknown)
{
    struct held held = {running->frame, NULL, 0};

    dg_step_writes(running->step, hold, &held);
    for (size_t i = 0; i < held.n; i++)
        poison_value(running->frame, &held.values[i], unknown);
    drop_all(held.values, held.n);
    free(held.values);
}

/* Where the first unknown argument comes from; false: all are known. */
static bool rests_on_unknown(const struct running *running, const struct dg_arg *args,
                             int64_t *origin)
{
    for (size_t i = 0; i < running->step->n_args; i++) {
        const struct dg_arg *unknown = dg_unknown_in(&args[i]);

        if (unknown) {
            *origin = unknown->as.integer;
            return true;
        }
    }
    return false;
}

/* executorch_prim::et_copy_index: a list whose size is not static ends with the item
 * that is put into it, so that a shorter one can follow a longer one. */
static void shorten_list(const struct running *running, const struct dg_arg *args)
{
    const struct dg_step *step = running->step;
    const struct dg_slot *slots = running->frame->schedule->slots;
    int64_t *size;

    if (step->kernel->cpu != dg_cpu_et_copy_index || step->n_args < 3 ||
        step->args[0].kind != DG_OPERAND_SLOT || slots[step->args[0].slot].fixed ||
        args[0].kind != DG_ARG_TENSOR || !args[0].as.tensor->rank ||
        args[2].kind != DG_ARG_INT)
        return;
    size = &args[0].as.tensor->sizes[0];
    if (args[2].as.integer >= 0 && args[2].as.integer < *size)
        *size = args[2].as.integer;
}

static enum dg_status run(struct running *running, struct dg_arg *args)
{
    size_t n_args = running->step->n_args;
    struct dg_arg *owned = NULL;
    enum dg_status status = DG_OK;

    if (running->machine->autocast != DG_TYPE_NONE) {
        owned = dg_alloc(&running->frame->scratch, n_args + 1, sizeof(*owned));
        status = dg_autocast(running->machine, running->step->op, args, owned, n_args,
                             running->err);
    }
    if (!status && running->frame->schedule->is_pte)
        shorten_list(running, args);
    if (!status && running->frame->schedule->is_pte)
        dg_pte_overlap(running->machine, running->frame, running->step, args);
    if (!status)
        status = make_call(running, args);
    if (!status)
        status = give(running);
    drop_all(running->call.results, running->call.n_results);
    if (owned)
        drop_all(owned, n_args);
    return status;
}

enum dg_status dg_call_step(struct dg_machine *machine, struct dg_call_frame *frame,
                            uint32_t i, struct dg_error *err)
{
    struct running running = {machine, frame, &frame->schedule->steps[i], {0}, err};
    const char *why = running.step->why;
    struct dg_arg *args;
    enum dg_status status = gather(&running, &args);
    int64_t origin = i;

    if (status)
        return status;
    if (rests_on_unknown(&running, args, &origin)) {
        why = NULL;
    } else if (running.step->kind == DG_STEP_CALL) {
        status = run(&running, args);
        if (status != DG_ERR_DEVICE)
            return status;
        why = dg_format(&machine->memory, "%s", err->text).data;
        *err = (struct dg_error){0};
    }
    poison(&running, (struct dg_arg){DG_ARG_UNKNOWN, {.integer = origin}});
    dg_step_unknown(machine, frame, i, origin, why);
    return DG_OK;
}
