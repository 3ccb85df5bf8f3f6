/* One call of an operator: arguments gathered, and the kernel run. */
#include <stdlib.h>
#include <string.h>

#include "base/ops.h"
#include "exec/call_linear.h"
#include "kernels/xnnpack.h"

static bool widens(const struct dg_running *running, size_t i)
{
    const struct dg_step *step = running->step;

    if (step->xnnpack)
        return dg_xnn_widens(step->xnnpack, i);
    if (dg_makes_lent(running))
        return i == 0;
    return step->kernel && dg_kernel_widens(step->kernel, i);
}

/* A constant as the file has it, where a wide run need not widen it before the kernel
 * loads it: weights are most of what a program holds. NULL: it is no such argument. */
static const struct dg_arg *as_stored(const struct dg_running *running, size_t i)
{
    const struct dg_operand *operand = &running->step->args[i];
    const struct dg_slot *slot = &running->frame->schedule->slots[operand->slot];

    if (running->machine->context.precision != DG_PRECISION_WIDE ||
        !dg_on_host(running->machine) || operand->kind != DG_OPERAND_SLOT ||
        !widens(running, i))
        return NULL;
    return slot->kind == DG_SLOT_CONSTANT && slot->initial.kind == DG_ARG_TENSOR &&
                   dg_type_is_float(slot->initial.as.tensor->type) && !slot->missing &&
                   !slot->within && !slot->shows &&
                   running->frame->slots[operand->slot].kind == DG_ARG_NONE
               ? &slot->initial
               : NULL;
}

static enum dg_status gather_one(struct dg_running *running, size_t i,
                                 struct dg_arg *arg)
{
    const struct dg_arg *stored = as_stored(running, i);

    if (!stored)
        return dg_operand_value(running->machine, running->frame,
                                &running->step->args[i], arg, running->err);
    *arg = *stored;
    return DG_OK;
}

static enum dg_status gather(struct dg_running *running, struct dg_arg **args)
{
    const struct dg_step *step = running->step;
    enum dg_status status = DG_OK;

    *args = dg_alloc(&running->frame->scratch, step->n_args + 1, sizeof(**args));
    /* What is merged reads what the first node does, and not what that gives. */
    for (size_t i = step->xnnpack && step->xnnpack->merged; !status && i < step->n_args;
         i++)
        status = gather_one(running, i, &(*args)[i]);
    return status;
}

/* Which arguments the kernel writes, by itself: one flag each. */
static bool *written_by_kernel(struct dg_running *running)
{
    const struct dg_step *step = running->step;
    bool *written =
        dg_alloc(&running->frame->scratch, step->n_args + 1, sizeof(*written));

    dg_step_kernel_writes(step, written);
    return written;
}

/* What the kernel wrote into arguments of the host, into those of the device. */
static enum dg_status send_written(struct dg_running *running,
                                   const struct dg_arg *args)
{
    const bool *written = written_by_kernel(running);
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < running->call.n_args; i++) {
        struct dg_tensor *to = running->call.args[i].as.tensor;

        if (!written[i] || args[i].kind != DG_ARG_TENSOR)
            continue;
        dg_reshape_in_place(to, args[i].as.tensor);
        status = dg_send_back(running->machine, to, args[i].as.tensor, running->err);
    }
    return status;
}

static enum dg_status check_guards(const struct dg_device *device,
                                   const struct dg_call *call)
{
    enum dg_status status =
        dg_guards_check(device, call->args, call->n_args, call->err);

    return status ? status
                  : dg_guards_check(device, call->results, call->n_results, call->err);
}

/* On the host with copies of the arguments; results go back to the device. */
static enum dg_status fall_back(struct dg_running *running)
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
        status = dg_kernel_run(running->step->kernel, &call);
    if (!status)
        status = check_guards(&dg_host, &call);
    machine->context.used_lapack |= context.used_lapack;
    if (!status)
        status = send_written(running, args);
    dg_args_drop(args, n);
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

/* A view of a copy on the device: where strides do not allow one of the tensor itself.
 */
static enum dg_status view_copy(struct dg_running *running)
{
    struct dg_call call = running->call;
    size_t n = call.n_args;
    struct dg_arg *args = dg_alloc(&running->frame->scratch, n + 1, sizeof(*args));
    enum dg_status status;

    memcpy(args, call.args, n * sizeof(*args));
    args[0].as.tensor = dg_copied(running->machine, args[0].as.tensor, running->err);
    if (!args[0].as.tensor)
        return running->err->status;
    call.args = args;
    status = running->step->kernel->cpu(&call);
    dg_tensor_drop(args[0].as.tensor);
    return status;
}

/* Whether a view may need one: of what is contiguous each shape is one. */
static bool may_view_copy(const struct dg_running *running)
{
    const struct dg_call *call = &running->call;

    return running->step->kernel->view && call->n_args &&
           call->args[0].kind == DG_ARG_TENSOR &&
           !dg_tensor_contiguous(call->args[0].as.tensor);
}

/* What a kernel that does not do this call has left. */
static void forget(struct dg_running *running)
{
    dg_args_drop(running->call.results, running->call.n_results);
    *running->err = (struct dg_error){0};
}

static enum dg_status run_on_host(struct dg_running *running)
{
    return dg_call_linear(running)
               ? DG_OK
               : dg_kernel_run(running->step->kernel, &running->call);
}

static enum dg_status run_kernel(struct dg_running *running)
{
    const struct dg_kernel *kernel = running->step->kernel;
    enum dg_status status;

    if (dg_on_host(running->machine))
        return run_on_host(running);
    if (!dg_kernel_serves_all(kernel) &&
        (!kernel->cuda || dg_call_has_complex(&running->call)))
        return fall_back(running);
    status =
        (dg_kernel_serves_all(kernel) ? kernel->cpu : kernel->cuda)(&running->call);
    if (status == DG_ERR_DEVICE && may_view_copy(running)) {
        forget(running);
        status = view_copy(running);
    }
    if (status != DG_ERR_DEVICE)
        return status;
    forget(running);
    return fall_back(running);
}

static size_t n_results(const char *op)
{
    const struct dg_op *schema = dg_op_find(op, strlen(op));

    return schema ? dg_op_n_returns(schema) : 1;
}

/* The element type that the program says argument `i` has, whatever a wide run made of
 * it. */
static enum dg_type declared_type(const struct dg_running *running, size_t i)
{
    const struct dg_operand *operand =
        i < running->step->n_args ? &running->step->args[i] : NULL;
    const struct dg_slot *slot;

    if (!operand || operand->kind != DG_OPERAND_SLOT)
        return DG_TYPE_NONE;
    slot = &running->frame->schedule->slots[operand->slot];
    return slot->initial.kind == DG_ARG_TENSOR ? slot->initial.as.tensor->type
                                               : slot->type;
}

static enum dg_status make_call(struct dg_running *running, struct dg_arg *args)
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
        .quantizes = step->quantizes,
        .declared = declared_type(running, 0),
    };
    running->call.results =
        dg_alloc(&running->frame->scratch, running->call.n_results + 1, sizeof(*args));
    status = run_kernel(running);
    dg_arena_clear(&machine->scratch);
    if (status || step->kernel->view) /* it looks at shapes only */
        return status;
    return check_guards(machine->device, &running->call);
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
static void poison(struct dg_running *running, struct dg_arg unknown)
{
    struct held held = {running->frame, NULL, 0};

    dg_step_writes(running->step, hold, &held);
    for (size_t i = 0; i < held.n; i++)
        poison_value(running->frame, &held.values[i], unknown);
    dg_args_drop(held.values, held.n);
    free(held.values);
}

/* Where the first unknown argument comes from; false: all are known. */
static bool rests_on_unknown(const struct dg_running *running,
                             const struct dg_arg *args, int64_t *origin)
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
static void shorten_list(const struct dg_running *running, const struct dg_arg *args)
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

static bool is_cast(const struct dg_running *running)
{
    return running->machine->autocast != DG_TYPE_NONE ||
           running->step->variant == DG_VARIANT_OUT_TYPE;
}

static enum dg_status cast(struct dg_running *running, struct dg_arg *args,
                           struct dg_arg *owned)
{
    const struct dg_step *step = running->step;

    if (step->variant == DG_VARIANT_OUT_TYPE)
        return dg_widen_arguments(running->machine, step->out_type, args, owned,
                                  step->n_args, running->err);
    return dg_autocast(running->machine, step->op, args, owned, step->n_args,
                       running->err);
}

static enum dg_status run(struct dg_running *running, struct dg_arg *args)
{
    size_t n_args = running->step->n_args;
    struct dg_arg *owned = NULL;
    enum dg_status status = DG_OK;

    if (is_cast(running)) {
        owned = dg_alloc(&running->frame->scratch, n_args + 1, sizeof(*owned));
        status = cast(running, args, owned);
    }
    if (!status && running->frame->schedule->is_pte)
        shorten_list(running, args);
    if (!status && running->frame->schedule->is_pte)
        dg_pte_overlap(running->machine, running->frame, running->step, args);
    if (!status)
        status = make_call(running, args);
    if (!status)
        status = dg_call_give(running);
    dg_args_drop(running->call.results, running->call.n_results);
    if (owned)
        dg_args_drop(owned, n_args);
    return status;
}

enum dg_status dg_call_step(struct dg_machine *machine, struct dg_call_frame *frame,
                            uint32_t i, struct dg_error *err)
{
    struct dg_running running = {machine, frame, &frame->schedule->steps[i], {0}, err};
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
