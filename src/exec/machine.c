/* The machine: opening, calls, steps, results. */
#include "exec/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "exec/machine_parts.h"
#include "kernels/cpu/walk.h"

/* No program may take more than the machine has, or may give to one. */
static void limit_memory(struct dg_memory *memory)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    struct rlimit allowed;

    if (memory->limit || pages <= 0 || size <= 0)
        return;
    memory->limit = (uint64_t)pages * (uint64_t)size;
    if (!getrlimit(RLIMIT_AS, &allowed) && allowed.rlim_cur &&
        allowed.rlim_cur < memory->limit)
        memory->limit = allowed.rlim_cur;
}

static void open_frame(struct dg_machine *machine)
{
    const struct dg_schedule *schedule = machine->schedule;
    size_t n_schedules = schedule->n_schedules ? schedule->n_schedules : 1;
    struct dg_call_frame *frame;

    machine->frames = dg_alloc(&machine->memory, n_schedules, sizeof(*machine->frames));
    frame = &machine->frames[0];
    frame->schedule = schedule;
    frame->slots =
        dg_alloc(&machine->memory, schedule->n_slots + 1, sizeof(*frame->slots));
    frame->reported = dg_alloc(&machine->memory, schedule->n_steps + 1, 1);
    machine->slots = frame->slots;
    machine->unknowns =
        dg_alloc(&machine->memory, schedule->n_steps + 1, sizeof(*machine->unknowns));
}

enum dg_status dg_machine_open(struct dg_machine *machine,
                               const struct dg_schedule *schedule,
                               const struct dg_device *device,
                               enum dg_precision precision, int n_threads,
                               struct dg_error *err)
{
    *machine = (struct dg_machine){.schedule = schedule,
                                   .device = device ? device : &dg_host,
                                   .autocast = DG_TYPE_NONE};
    machine->context = (struct dg_context){
        .memory = machine->device->memory,
        .scratch = &machine->scratch,
        .n_threads = n_threads,
        .precision = precision,
        .stream = machine->device->stream,
    };
    limit_memory(&dg_host_memory);
    open_frame(machine);
    return schedule->is_pte ? dg_pte_open(machine, err) : DG_OK;
}

void dg_machine_close(struct dg_machine *machine)
{
    size_t n_schedules = machine->schedule && machine->schedule->n_schedules
                             ? machine->schedule->n_schedules
                             : 1;

    for (size_t i = 0; machine->frames && i < n_schedules; i++) {
        struct dg_call_frame *frame = &machine->frames[i];

        for (uint32_t k = 0; frame->schedule && k < frame->schedule->n_slots; k++)
            dg_slot_drop(frame, k);
        dg_arena_clear(&frame->scratch);
    }
    if (machine->schedule && machine->schedule->is_pte)
        dg_pte_close(machine);
    dg_arena_clear(&machine->scratch);
    dg_arena_clear(&machine->memory);
    *machine = (struct dg_machine){0};
}

static const char *text_of(const struct dg_arg *value, char *text, size_t room)
{
    static const char *const kinds[] = {
        [DG_ARG_NONE] = "nothing",  [DG_ARG_INT] = "an int",
        [DG_ARG_FLOAT] = "a float", [DG_ARG_BOOL] = "a bool",
        [DG_ARG_STRING] = "a text", [DG_ARG_TYPE] = "a dtype",
        [DG_ARG_LIST] = "a list",   [DG_ARG_UNKNOWN] = "unknown",
    };
    char shape[200];

    if (value->kind != DG_ARG_TENSOR)
        return kinds[value->kind];
    dg_shape_text(value->as.tensor, shape, sizeof(shape));
    snprintf(text, room, "%s %s", dg_type_name(value->as.tensor->type), shape);
    return text;
}

static bool varies(const struct dg_schedule *schedule, size_t input, int dim)
{
    for (size_t i = 0; i < schedule->n_ranges; i++) {
        if (schedule->ranges[i].input == input && schedule->ranges[i].dim == dim)
            return true;
    }
    return false;
}

/* Upper bounds of a .pte are its own business; sizes of ranges are the caller's. */
static bool fits(const struct dg_schedule *schedule, size_t input,
                 const struct dg_arg *want, const struct dg_arg *value)
{
    const struct dg_tensor *declared = want->as.tensor, *given = value->as.tensor;

    if (want->kind != DG_ARG_TENSOR)
        return true;
    if (value->kind != DG_ARG_TENSOR || given->type != declared->type ||
        given->rank != declared->rank)
        return value->kind == DG_ARG_UNKNOWN;
    for (int i = 0; i < given->rank; i++) {
        if (!schedule->is_pte && given->sizes[i] != declared->sizes[i] &&
            !varies(schedule, input, i))
            return false;
    }
    return true;
}

/* The caller keeps its tensors: a .pte, which takes over what nobody else holds, is
 * lent them. */
static enum dg_status put(struct dg_machine *machine, uint32_t slot,
                          const struct dg_arg *value, struct dg_error *err)
{
    struct dg_arg lent = {DG_ARG_TENSOR, {0}};
    struct dg_tensor *lender;
    enum dg_status status;

    if (!machine->schedule->is_pte)
        return dg_slot_lend(machine, &machine->frames[0], slot, value, err);
    if (value->kind != DG_ARG_TENSOR)
        return dg_pte_give(machine, &machine->frames[0], slot, value, err);
    lender = dg_to_device(machine, value->as.tensor, err);
    if (!lender)
        return err->status;
    lent.as.tensor = dg_tensor_borrow(lender);
    dg_tensor_drop(lender);
    status = dg_pte_give(machine, &machine->frames[0], slot, &lent, err);
    dg_arg_drop(&lent);
    return status;
}

static enum dg_status take_input(struct dg_machine *machine, size_t i,
                                 const struct dg_arg *value, struct dg_error *err)
{
    const struct dg_schedule *schedule = machine->schedule;
    const struct dg_io *io = &schedule->inputs[i];
    const struct dg_arg *want;
    char have[240], wanted[240];

    if (io->slot == DG_IO_LITERAL || schedule->slots[io->slot].kind != DG_SLOT_INPUT)
        return DG_OK;
    want = &schedule->slots[io->slot].initial;
    if (!fits(schedule, i, want, value))
        return dg_fail(err, DG_ERR_FORMAT, "input %s is %s; %s was given",
                       io->name ? io->name : "without a name",
                       text_of(want, wanted, sizeof(wanted)),
                       text_of(value, have, sizeof(have)));
    return put(machine, io->slot, value, err);
}

void dg_machine_drop(struct dg_machine *machine)
{
    const struct dg_schedule *schedule = machine->schedule;

    for (uint32_t i = 0; i < schedule->n_slots && !schedule->is_pte; i++) {
        if (schedule->slots[i].kind == DG_SLOT_COMPUTED ||
            schedule->slots[i].kind == DG_SLOT_INPUT)
            dg_slot_drop(&machine->frames[0], i);
    }
}

enum dg_status dg_machine_begin(struct dg_machine *machine, const struct dg_arg *inputs,
                                struct dg_error *err)
{
    struct dg_call_frame *frame = &machine->frames[0];
    const struct dg_schedule *schedule = machine->schedule;
    enum dg_status status = DG_OK;

    dg_machine_drop(machine);
    memset(frame->reported, 0, schedule->n_steps);
    machine->n_unknowns = 0;
    machine->fallbacks = 0;
    machine->turns = 0;
    machine->batched_runs = 0;
    machine->why = NULL;
    if (schedule->is_pte)
        dg_pte_begin(machine, frame);
    for (size_t i = 0; !status && i < schedule->n_inputs; i++)
        status = take_input(machine, i, &inputs[i], err);
    return status;
}

enum dg_status dg_machine_step(struct dg_machine *machine, uint32_t i, uint32_t *next,
                               struct dg_error *err)
{
    machine->why = NULL;
    return dg_frame_step(machine, &machine->frames[0], i, next, err);
}

enum dg_status dg_machine_run(struct dg_machine *machine, struct dg_error *err)
{
    enum dg_status status = DG_OK;
    uint32_t i = 0;

    while (!status && i < machine->schedule->n_steps)
        status = dg_machine_step(machine, i, &i, err);
    return status ? status : dg_machine_finish(machine, err);
}

static enum dg_status write_shared(struct dg_machine *machine,
                                   struct dg_call_frame *frame, uint32_t slot,
                                   const struct dg_arg *value, struct dg_error *err)
{
    const struct dg_arg *held = dg_slot_value(machine, frame, slot, err);

    if (!held)
        return err->status;
    if (held->kind == DG_ARG_TENSOR && value->kind == DG_ARG_TENSOR)
        return dg_write_into(machine, held->as.tensor, value->as.tensor, err);
    if (held->kind == DG_ARG_TENSOR)
        dg_poison(frame, held->as.tensor, *value);
    return DG_OK;
}

/* A buffer takes a copy: what was computed may share memory with other values. One of
 * several names of a storage is written where it lies. */
static enum dg_status write_back(struct dg_machine *machine,
                                 struct dg_call_frame *frame, const struct dg_io *io,
                                 struct dg_error *err)
{
    struct dg_arg copy, *value = dg_slot_value(machine, frame, io->slot, err);
    enum dg_status status;

    if (!value)
        return err->status;
    if (frame->schedule->slots[io->written_to].within)
        return write_shared(machine, frame, io->written_to, value, err);
    status = dg_move_value(machine, dg_copied, value, &copy, err);
    if (!status)
        dg_slot_take(frame, io->written_to, copy);
    return status;
}

enum dg_status dg_frame_finish(struct dg_machine *machine, struct dg_call_frame *frame,
                               struct dg_error *err)
{
    const struct dg_schedule *schedule = frame->schedule;
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < schedule->n_outputs; i++) {
        const struct dg_io *io = &schedule->outputs[i];

        if (io->slot == DG_IO_LITERAL || io->written_to == DG_IO_LITERAL ||
            schedule->slots[io->written_to].kind == DG_SLOT_INPUT ||
            io->written_to == io->slot)
            continue;
        status = write_back(machine, frame, io, err);
    }
    return status;
}

enum dg_status dg_machine_finish(struct dg_machine *machine, struct dg_error *err)
{
    enum dg_status status = dg_frame_finish(machine, &machine->frames[0], err);

    return status ? status : machine->device->finish(machine->device, err);
}

enum { IMAGE = 4 };
static const int nhwc_as_nchw[IMAGE] = {0, 3, 1, 2};
static const int nchw_as_nhwc[IMAGE] = {0, 2, 3, 1};

/* The same elements with their dimensions in another order. */
static void turn_image(struct dg_arg *value, const int *order)
{
    struct dg_tensor *image = value->as.tensor;
    int64_t sizes[IMAGE], strides[IMAGE];

    if (value->kind != DG_ARG_TENSOR || image->rank != IMAGE)
        return;
    for (int i = 0; i < IMAGE; i++) {
        sizes[i] = image->sizes[order[i]];
        strides[i] = image->strides[order[i]];
    }
    value->as.tensor = dg_tensor_view(image, IMAGE, sizes, strides, image->offset);
    dg_tensor_drop(image);
}

enum dg_status dg_machine_read(struct dg_machine *machine, uint32_t slot,
                               struct dg_arg *value, struct dg_error *err)
{
    struct dg_call_frame *frame = &machine->frames[0];
    struct dg_operand operand = {.kind = DG_OPERAND_SLOT, .slot = slot};
    struct dg_arg held;
    enum dg_status status = dg_operand_value(machine, frame, &operand, &held, err);

    *value = (struct dg_arg){0};
    if (!status)
        status = dg_move_value(machine, dg_to_host, &held, value, err);
    if (!status && machine->schedule->slots[slot].is_nhwc)
        turn_image(value, nhwc_as_nchw);
    dg_arena_clear(&frame->scratch);
    return status;
}

enum dg_status dg_machine_write(struct dg_machine *machine, uint32_t slot,
                                const struct dg_arg *value, struct dg_error *err)
{
    struct dg_arg turned = {0};
    enum dg_status status;

    if (!machine->schedule->slots[slot].is_nhwc)
        return put(machine, slot, value, err);
    dg_arg_set(&turned, value);
    turn_image(&turned, nchw_as_nhwc);
    status = put(machine, slot, &turned, err);
    dg_arg_drop(&turned);
    return status;
}

static struct dg_tensor *copy_apart(struct dg_machine *machine,
                                    struct dg_tensor *tensor, struct dg_error *err)
{
    return dg_copy_apart(&dg_host_memory, tensor, machine->context.n_threads, err);
}

enum { SLOT_AND_READER = 2 };

/* Whether no later call writes into what the slot holds: the next one drops it, and it
 * shares its memory with nothing. What is written in place is held by two slots. */
static bool is_apart(const struct dg_machine *machine, uint32_t slot,
                     const struct dg_arg *held)
{
    const struct dg_tensor *tensor = held->as.tensor;

    return held->kind == DG_ARG_TENSOR && !machine->schedule->is_pte &&
           machine->schedule->slots[slot].kind == DG_SLOT_COMPUTED &&
           tensor->holders <= SLOT_AND_READER && tensor->storage->holders == 1 &&
           tensor->storage->memory == &dg_host_memory && dg_tensor_contiguous(tensor);
}

/* Later calls may write into what other slots hold: of these it is a copy. */
enum dg_status dg_machine_output(struct dg_machine *machine, size_t output,
                                 struct dg_arg *value, struct dg_error *err)
{
    const struct dg_io *io = &machine->schedule->outputs[output];
    struct dg_arg held;
    enum dg_status status;

    if (io->slot == DG_IO_LITERAL) {
        dg_arg_set(value, &io->literal);
        return DG_OK;
    }
    status = dg_machine_read(machine, io->slot, &held, err);
    if (!status && is_apart(machine, io->slot, &held)) {
        *value = held;
        return DG_OK;
    }
    *value = (struct dg_arg){0};
    if (!status)
        status = dg_move_value(machine, copy_apart, &held, value, err);
    dg_arg_drop(&held);
    return status;
}
