/* Branches, loops and inlined graphs. */
#include <stdlib.h>
#include <string.h>

#include "exec/control_parts.h"
#include "kernels/cpu/line.h"

enum { DEPTH_MOST = 64 };

void dg_values_push(struct dg_values *values, const struct dg_arg *value)
{
    dg_arg_set(DG_APPEND(values->items, values->n), value);
}

void dg_values_push_list(struct dg_values *values, const struct dg_arg *list)
{
    for (size_t i = 0; list->kind == DG_ARG_LIST && i < list->as.list.n_items; i++)
        dg_values_push(values, &list->as.list.items[i]);
}

void dg_values_clear(struct dg_values *values)
{
    for (size_t i = 0; i < values->n; i++)
        dg_arg_drop(&values->items[i]);
    free(values->items);
    *values = (struct dg_values){0};
}

enum dg_status dg_truth(struct dg_machine *machine, const struct dg_arg *value,
                        bool *truth, struct dg_error *err)
{
    struct dg_tensor *tensor;

    *truth = value->kind == DG_ARG_FLOAT ? value->as.real != 0 : value->as.integer != 0;
    if (value->kind == DG_ARG_INT || value->kind == DG_ARG_BOOL ||
        value->kind == DG_ARG_FLOAT)
        return DG_OK;
    if (value->kind != DG_ARG_TENSOR || dg_tensor_count(value->as.tensor) != 1)
        return dg_fail(err, DG_ERR_FORMAT,
                       "the condition is not a number or a tensor of one element");
    tensor = dg_to_host(machine, value->as.tensor, err);
    if (!tensor)
        return err->status;
    *truth = dg_get_f64(tensor, 0) != 0;
    dg_tensor_drop(tensor);
    return DG_OK;
}

static struct dg_call_frame *frame_of(struct dg_machine *machine,
                                      const struct dg_schedule *schedule)
{
    struct dg_call_frame *frame = &machine->frames[schedule->number];

    if (!frame->schedule) {
        frame->schedule = schedule;
        frame->slots =
            dg_alloc(&machine->memory, schedule->n_slots + 1, sizeof(*frame->slots));
        frame->reported = dg_alloc(&machine->memory, schedule->n_steps + 1, 1);
    }
    return frame;
}

static void drop_computed(struct dg_call_frame *frame)
{
    for (uint32_t i = 0; i < frame->schedule->n_slots; i++) {
        if (frame->schedule->slots[i].kind == DG_SLOT_COMPUTED ||
            frame->schedule->slots[i].kind == DG_SLOT_INPUT)
            dg_slot_drop(frame, i);
    }
}

static bool is_user_input(const struct dg_schedule *schedule, const struct dg_io *io)
{
    return io->slot != DG_IO_LITERAL && schedule->slots[io->slot].kind == DG_SLOT_INPUT;
}

static enum dg_status bind(struct dg_call_frame *frame, const struct dg_values *args,
                           struct dg_error *err)
{
    const struct dg_schedule *schedule = frame->schedule;
    size_t n = 0;

    for (size_t i = 0; i < schedule->n_inputs; i++) {
        struct dg_arg value = {0};

        if (!is_user_input(schedule, &schedule->inputs[i]))
            continue;
        if (n < args->n)
            dg_arg_set(&value, &args->items[n]);
        dg_slot_take(frame, schedule->inputs[i].slot, value);
        n++;
    }
    if (n == args->n)
        return DG_OK;
    return dg_fail(err, DG_ERR_FORMAT, "%zu operands for a graph of %zu inputs",
                   args->n, n);
}

static enum dg_status collect(struct dg_machine *machine, struct dg_call_frame *frame,
                              struct dg_values *results, struct dg_error *err)
{
    const struct dg_schedule *schedule = frame->schedule;

    for (size_t i = 0; i < schedule->n_outputs; i++) {
        const struct dg_io *io = &schedule->outputs[i];
        const struct dg_arg *value = &io->literal;

        if (io->spec && strcmp(io->spec, "user_output"))
            continue;
        if (io->slot != DG_IO_LITERAL)
            value = dg_slot_value(machine, frame, io->slot, err);
        if (!value)
            return err->status;
        dg_values_push(results, value);
    }
    return DG_OK;
}

static enum dg_status run_steps(struct dg_machine *machine, struct dg_call_frame *frame,
                                struct dg_error *err)
{
    enum dg_status status = DG_OK;
    uint32_t i = 0;

    while (!status && i < frame->schedule->n_steps)
        status = dg_frame_step(machine, frame, i, &i, err);
    return status;
}

/* Run a schedule; `results` are added to. */
enum dg_status dg_control_run(struct dg_control *control,
                              const struct dg_schedule *schedule,
                              const struct dg_values *args, struct dg_values *results)
{
    struct dg_machine *machine = control->machine;
    struct dg_call_frame *frame = frame_of(machine, schedule);
    enum dg_status status;

    if (frame->active || machine->depth == DEPTH_MOST)
        return dg_fail(control->err, DG_ERR_FORMAT,
                       "graphs that call each other more than %d deep", DEPTH_MOST);
    machine->depth++;
    frame->active = true;
    drop_computed(frame);
    status = bind(frame, args, control->err);
    if (!status)
        status = run_steps(machine, frame, control->err);
    if (!status)
        status = dg_frame_finish(machine, frame, control->err);
    if (!status)
        status = collect(machine, frame, results, control->err);
    drop_computed(frame);
    frame->active = false;
    machine->depth--;
    return status;
}

/* A graph with a single result that is no tuple is known by its node having a value. */
static void give(struct dg_control *control, struct dg_values *results)
{
    uint32_t slot = control->step->results[0];
    struct dg_arg value = {DG_ARG_LIST, {.list = {results->items, results->n}}};
    struct dg_arg owned;

    if (results->n == 1 && control->frame->schedule->slots[slot].value_id)
        value = results->items[0];
    dg_arg_set(&owned, &value);
    dg_slot_take(control->frame, slot, owned);
}

static enum dg_status run_cond(struct dg_control *control, struct dg_values *results)
{
    struct dg_values operands = {0};
    bool truth = false;
    enum dg_status status =
        dg_truth(control->machine, &control->args[0], &truth, control->err);

    for (size_t i = 1; i < control->step->n_args; i++)
        dg_values_push(&operands, &control->args[i]);
    if (!status)
        status = dg_control_run(control, control->step->schedules[!truth], &operands,
                                results);
    dg_values_clear(&operands);
    return status;
}

static enum dg_status run_inline(struct dg_control *control, size_t first,
                                 struct dg_values *results)
{
    struct dg_values operands = {0};
    enum dg_status status;

    for (size_t i = first; i < control->step->n_args; i++)
        dg_values_push(&operands, &control->args[i]);
    status = dg_control_run(control, control->step->schedules[0], &operands, results);
    dg_values_clear(&operands);
    return status;
}

static enum dg_status run_autocast(struct dg_control *control,
                                   struct dg_values *results)
{
    const struct dg_arg *type = &control->args[0];
    enum dg_type outside = control->machine->autocast;
    enum dg_status status;

    control->machine->autocast =
        type->kind == DG_ARG_TYPE ? type->as.type : DG_TYPE_NONE;
    status = run_inline(control, 1, results);
    control->machine->autocast = outside;
    return status;
}

static enum dg_status run_operator(struct dg_control *control,
                                   struct dg_values *results)
{
    switch (control->step->kind) {
    case DG_STEP_COND:
        return run_cond(control, results);
    case DG_STEP_WHILE:
    case DG_STEP_WHILE_STACKED:
        return dg_run_while(control, results);
    case DG_STEP_SCAN:
        return dg_run_scan(control, results);
    case DG_STEP_MAP:
        return dg_run_map(control, results);
    case DG_STEP_ASSOCIATIVE_SCAN:
        return dg_run_associative_scan(control, results);
    case DG_STEP_AUTOCAST:
        return run_autocast(control, results);
    default:
        return run_inline(control, 0, results);
    }
}

static enum dg_status gather(struct dg_control *control, bool *known, int64_t *origin)
{
    const struct dg_step *step = control->step;
    enum dg_status status = DG_OK;

    control->args =
        dg_alloc(&control->frame->scratch, step->n_args + 1, sizeof(*control->args));
    for (size_t i = 0; !status && i < step->n_args; i++) {
        const struct dg_arg *unknown;

        status = dg_operand_value(control->machine, control->frame, &step->args[i],
                                  &control->args[i], control->err);
        unknown = status ? NULL : dg_unknown_in(&control->args[i]);
        if (unknown && *known)
            *origin = unknown->as.integer;
        *known &= !unknown;
    }
    return status;
}

/* What is unknown inside is unknown here because of this step. */
static bool has_unknown(const struct dg_values *results)
{
    for (size_t i = 0; i < results->n; i++) {
        if (dg_unknown_in(&results->items[i]))
            return true;
    }
    return false;
}

/* A graph that writes what it is given runs with what is not known, too: what it writes
 * of that is not known then. */
static bool is_inlined_writer(const struct dg_step *step)
{
    return (step->kind == DG_STEP_INLINE || step->kind == DG_STEP_AUTOCAST) &&
           dg_step_changes(step);
}

enum dg_status dg_control_step(struct dg_machine *machine, struct dg_call_frame *frame,
                               uint32_t i, struct dg_error *err)
{
    struct dg_control control = {machine, frame, &frame->schedule->steps[i], NULL, err};
    struct dg_values results = {0};
    bool known = true;
    int64_t origin = i;
    enum dg_status status = gather(&control, &known, &origin);

    if (status)
        return status;
    if (known || is_inlined_writer(control.step))
        status = run_operator(&control, &results);
    if (dg_step_changes(control.step))
        dg_poison_lost(frame, (struct dg_arg){DG_ARG_UNKNOWN, {.integer = origin}});
    if (!known && (!status || status == DG_ERR_DEVICE)) {
        *err = (struct dg_error){0};
        dg_step_unknown(machine, frame, i, origin, NULL);
        status = DG_OK;
    } else if (status == DG_ERR_DEVICE || (!status && has_unknown(&results))) {
        const char *why =
            status ? dg_format(&machine->memory, "%s", err->text).data : machine->why;

        *err = (struct dg_error){0};
        dg_step_unknown(machine, frame, i, i, why);
        status = DG_OK;
    } else if (!status) {
        give(&control, &results);
    }
    dg_values_clear(&results);
    return status;
}
