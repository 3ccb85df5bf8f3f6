/* The schedule of a method of a .pte: values are slots, instructions are steps. */
#include "exec/schedule_inside.h"

#include <stdlib.h>
#include <string.h>

/* Items in `memory` with room for one more. */
static void *roomy(struct dg_arena *memory, void *items, size_t n, size_t *room,
                   size_t size)
{
    enum { FIRST = 64 };
    void *more;

    if (n < *room)
        return items;
    *room = n < FIRST ? FIRST : 2 * n;
    more = dg_alloc(memory, *room, size);
    if (n)
        memcpy(more, items, n * size);
    return more;
}

struct dg_step *dg_pte_add_step(struct dg_pte_maker *maker)
{
    struct dg_schedule *schedule = maker->schedule;

    schedule->steps = roomy(&schedule->memory, schedule->steps, schedule->n_steps,
                            &maker->steps_room, sizeof(*schedule->steps));
    return &schedule->steps[schedule->n_steps++];
}

struct dg_slot *dg_pte_add_slot(struct dg_pte_maker *maker)
{
    struct dg_schedule *schedule = maker->schedule;

    schedule->slots = roomy(&schedule->memory, schedule->slots, schedule->n_slots,
                            &maker->slots_room, sizeof(*schedule->slots));
    return &schedule->slots[schedule->n_slots++];
}

static enum dg_status read_method(struct dg_pte_maker *maker, int64_t method_id)
{
    struct dg_schedule *schedule = maker->schedule;
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, maker->store,
                     "SELECT method.name, method.artifact_id, graph.id"
                     "  FROM method JOIN graph ON method_id = method.id"
                     " WHERE method.id = ?1 AND graph.kind = 'method'",
                     maker->err);

    if (!status)
        dg_rows_bind_int(&rows, 1, method_id);
    if (!status && dg_rows_next(&rows)) {
        schedule->method = dg_copy(&schedule->memory, dg_rows_slice(&rows, 0));
        schedule->artifact_id = dg_rows_int(&rows, 1);
        schedule->graph_id = dg_rows_int(&rows, 2);
        schedule->method_id = method_id;
    } else if (!status) {
        status = dg_fail(maker->err, DG_ERR_FORMAT, "there is no such method");
    }
    return dg_rows_close(&rows, status, maker->err);
}

static enum dg_status read_arenas(struct dg_pte_maker *maker)
{
    struct dg_schedule *schedule = maker->schedule;
    uint64_t *bytes = NULL;
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, maker->store,
        "SELECT size_bytes FROM arena WHERE method_id = ?1 ORDER BY idx", maker->err);

    if (!status)
        dg_rows_bind_int(&rows, 1, schedule->method_id);
    while (!status && dg_rows_next(&rows)) {
        int64_t size = dg_rows_int(&rows, 0);

        *DG_APPEND(bytes, schedule->n_arenas) = size > 0 ? (uint64_t)size : 0;
    }
    schedule->arena_bytes =
        dg_alloc(&schedule->memory, schedule->n_arenas, sizeof(*bytes));
    if (schedule->n_arenas)
        memcpy(schedule->arena_bytes, bytes, schedule->n_arenas * sizeof(*bytes));
    free(bytes);
    return dg_rows_close(&rows, status, maker->err);
}

static const char signature_query[] =
    "SELECT direction = 'input', signature.kind, value_idx, dynamism"
    "  FROM signature LEFT JOIN value ON value.id = value_id"
    " WHERE signature.graph_id = ?1 ORDER BY direction, pos";

/* Tensors of variable size have their upper bound. */
static void add_ranges(struct dg_schedule *schedule, size_t *n, uint32_t input,
                       const char *dynamism)
{
    const struct dg_arg *initial =
        &schedule->slots[schedule->inputs[input].slot].initial;
    bool bounded = !strcmp(dynamism, "bounded");

    if (initial->kind != DG_ARG_TENSOR || !strcmp(dynamism, "static"))
        return;
    for (int i = 0; i < initial->as.tensor->rank; i++) {
        int64_t size = initial->as.tensor->sizes[i];

        schedule->ranges = dg_grow(schedule->ranges, *n, sizeof(*schedule->ranges));
        schedule->ranges[(*n)++] = (struct dg_dimension_range){
            input, i, NULL, 0, bounded ? size : INT64_MAX, size};
    }
}

static void add_io(struct dg_pte_maker *maker, const struct dg_rows *row,
                   struct dg_io **ios, size_t *n)
{
    struct dg_schedule *schedule = maker->schedule;
    int64_t index = dg_rows_int_or(row, 2, -1);
    bool input = dg_rows_int(row, 0) != 0;
    const char *kind = dg_rows_text(row, 1);
    struct dg_io *io = DG_APPEND(*ios, *n);

    io->kind = !strcmp(kind, "null")     ? "none"
               : !strcmp(kind, "double") ? "float"
                                         : dg_copy(&schedule->memory, dg_text(kind));
    io->spec = input ? "user_input" : "user_output";
    io->slot = io->written_to = DG_IO_LITERAL;
    if (index < 0 || (uint64_t)index >= maker->n_values)
        return;
    io->slot = (uint32_t)index;
    /* The caller of the runtime brings memory for outputs that have none. */
    if (!input && schedule->slots[index].arena < 0)
        schedule->slots[index].zeros =
            schedule->slots[index].kind == DG_SLOT_COMPUTED &&
            schedule->slots[index].initial.kind == DG_ARG_TENSOR;
    if (input && maker->values[index].stored->kind == DG_VALUE_TENSOR &&
        schedule->slots[index].kind == DG_SLOT_COMPUTED)
        schedule->slots[index].kind = DG_SLOT_INPUT;
}

/* Of a slot that user_input_mutation may be said of. */
enum { IS_INPUT = 1, IS_WRITTEN = 2, IS_RETURNED = 4 };

static void note_write(void *data, uint32_t slot)
{
    ((uint8_t *)data)[slot] |= IS_WRITTEN;
}

/* By slot: whether it is an input, and whether a step of its own writes it. */
static uint8_t *mark_slots(const struct dg_schedule *schedule)
{
    uint8_t *marks = calloc(schedule->n_slots + 1, sizeof(*marks));

    if (!marks)
        dg_out_of_memory();
    for (size_t i = 0; i < schedule->n_inputs; i++) {
        if (schedule->inputs[i].slot != DG_IO_LITERAL)
            marks[schedule->inputs[i].slot] |= IS_INPUT;
    }
    for (size_t i = 0; i < schedule->n_steps; i++) {
        if (schedule->steps[i].variant == DG_VARIANT_IN_PLACE)
            dg_step_writes(&schedule->steps[i], note_write, marks);
    }
    return marks;
}

/* No row says what an output is: exir puts the inputs that it copies results back into
 * in front of what the user returns, each once. */
static void name_mutations(struct dg_schedule *schedule)
{
    uint8_t *marks = mark_slots(schedule);

    for (size_t i = 0; i < schedule->n_outputs; i++) {
        struct dg_io *io = &schedule->outputs[i];

        if (io->slot == DG_IO_LITERAL || marks[io->slot] != (IS_INPUT | IS_WRITTEN))
            break;
        marks[io->slot] |= IS_RETURNED;
        io->spec = "user_input_mutation";
    }
    free(marks);
}

static void *moved_to(struct dg_arena *memory, void *items, size_t n, size_t size)
{
    void *copy = dg_alloc(memory, n, size);

    if (n)
        memcpy(copy, items, n * size);
    free(items);
    return copy;
}

static enum dg_status read_signature(struct dg_pte_maker *maker)
{
    struct dg_schedule *schedule = maker->schedule;
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, maker->store, signature_query, maker->err);

    if (!status)
        dg_rows_bind_int(&rows, 1, schedule->graph_id);
    while (!status && dg_rows_next(&rows)) {
        if (!dg_rows_int(&rows, 0)) {
            add_io(maker, &rows, &schedule->outputs, &schedule->n_outputs);
            continue;
        }
        add_io(maker, &rows, &schedule->inputs, &schedule->n_inputs);
        if (!dg_rows_null(&rows, 3) &&
            schedule->inputs[schedule->n_inputs - 1].slot != DG_IO_LITERAL)
            add_ranges(schedule, &schedule->n_ranges, (uint32_t)schedule->n_inputs - 1,
                       dg_rows_text(&rows, 3));
    }
    schedule->inputs = moved_to(&schedule->memory, schedule->inputs, schedule->n_inputs,
                                sizeof(*schedule->inputs));
    schedule->outputs = moved_to(&schedule->memory, schedule->outputs,
                                 schedule->n_outputs, sizeof(*schedule->outputs));
    schedule->ranges = moved_to(&schedule->memory, schedule->ranges, schedule->n_ranges,
                                sizeof(*schedule->ranges));
    name_mutations(schedule);
    return dg_rows_close(&rows, status, maker->err);
}

enum dg_status dg_schedule_pte(struct dg_schedule *schedule, struct dg_store *store,
                               const struct dg_schedule_files *files, int64_t method_id,
                               struct dg_error *err)
{
    static enum dg_status (*const parts[])(struct dg_pte_maker *) = {
        read_arenas,           dg_pte_schedule_data, dg_pte_schedule_slots,
        dg_pte_schedule_steps, read_signature,       dg_pte_schedule_lent,
    };
    struct dg_pte_maker maker = {
        .schedule = schedule, .store = store, .files = files, .err = err};
    enum dg_status status;

    *schedule = (struct dg_schedule){.is_pte = true};
    status = read_method(&maker, method_id);
    for (size_t i = 0; !status && i < sizeof(parts) / sizeof(*parts); i++)
        status = parts[i](&maker);
    dg_text_set_clear(&maker.data.keys);
    free(maker.data.of_key);
    free(maker.data.constants);
    free(maker.data.mutables);
    dg_inside_drop(&maker);
    dg_arena_clear(&maker.scratch);
    return status;
}
