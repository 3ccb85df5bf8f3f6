/* Inputs and outputs of an FX graph: names and places, constants, ranges of symbolic
 * sizes. */
#include "exec/schedule_fx.h"

#include <math.h>
#include <stdlib.h>

#include "base/sorted.h"
#include "formats/stored_tensor.h"

static const char query[] =
    "SELECT s.direction, s.name, s.kind, s.spec, s.target, s.literal, s.value_id,"
    " v.dtype, v.shape, c.dtype, c.shape, c.strides, c.storage_offset, c.file_offset,"
    " c.nbytes, c.id, g.name, g.size_bytes"
    " FROM signature s LEFT JOIN value v ON v.id = s.value_id"
    " LEFT JOIN constant c ON c.fqn = s.target AND c.method_id = ?2"
    " AND s.direction = 'input' AND s.spec <> 'user_input'"
    " LEFT JOIN segment g ON g.id = c.segment_id"
    " WHERE s.graph_id = ?1 ORDER BY s.direction, s.pos";

enum {
    DIRECTION,
    NAME,
    KIND,
    SPEC,
    TARGET,
    LITERAL,
    VALUE,
    DTYPE,
    SHAPE,
    BYTES_DTYPE,
    BYTES_SHAPE,
    BYTES_STRIDES,
    STORAGE_OFFSET,
    FILE_OFFSET,
    NBYTES,
    CONSTANT,
    ENTRY,
    ENTRY_BYTES,
};

struct signature {
    struct dg_fx *fx;
    struct dg_rows rows;
    struct range *symbols; /* ordered by name */
    size_t n_symbols;
    struct dg_text *examples; /* shapes of the example inputs, in their order */
    size_t n_examples, n_user_inputs;
};

struct range {
    const char *symbol;
    int64_t least, most;
};

static const char *kept(struct dg_fx *fx, const struct dg_rows *rows, int column)
{
    struct dg_text text = dg_rows_slice(rows, column);

    return text.data ? dg_copy(&fx->schedule->memory, text) : NULL;
}

static uint32_t slot_of(const struct dg_fx *fx, int64_t value)
{
    int64_t at = value - fx->first_value;

    return at >= 0 && (uint64_t)at < fx->n_values ? fx->slot_of_value[at]
                                                  : DG_IO_LITERAL;
}

static struct dg_arg literal(struct dg_fx *fx, const struct dg_rows *rows,
                             const char *kind)
{
    struct dg_arg value = {0};
    char type = dg_rows_type(rows, LITERAL);

    if (type == 't' && !strcmp(kind, "string")) {
        value.kind = DG_ARG_STRING;
        value.as.string = kept(fx, rows, LITERAL);
    } else if (type == 't') {
        value.kind = DG_ARG_FLOAT; /* Infinity, NaN */
        value.as.real = dg_rows_real(rows, LITERAL, NAN);
    } else if (type == 'f' || (type == 'i' && !strcmp(kind, "float"))) {
        value.kind = DG_ARG_FLOAT;
        value.as.real = dg_rows_double(rows, LITERAL);
    } else if (type == 'i') {
        value.kind = strcmp(kind, "bool") ? DG_ARG_INT : DG_ARG_BOOL;
        value.as.integer = dg_rows_int(rows, LITERAL);
    }
    return value;
}

static int compare_ranges(const void *key, const void *row)
{
    return strcmp(key, ((const struct range *)row)->symbol);
}

static enum dg_status read_ranges(struct signature *signature)
{
    struct dg_fx *fx = signature->fx;
    struct dg_rows rows = dg_rows_of(fx->method->store,
                                     "SELECT symbol, min, max FROM range_constraint"
                                     " WHERE graph_id = ?1 ORDER BY symbol",
                                     fx->graph->id, fx->method->err);

    while (dg_rows_next(&rows)) {
        struct range *range = DG_APPEND(signature->symbols, signature->n_symbols);

        range->symbol = kept(fx, &rows, 0);
        range->least = dg_rows_type(&rows, 1) == 'i' ? dg_rows_int(&rows, 1) : 0;
        range->most = dg_rows_type(&rows, 2) == 'i' ? dg_rows_int(&rows, 2) : INT64_MAX;
    }
    return dg_rows_close(&rows, DG_OK, fx->method->err);
}

static enum dg_status read_examples(struct signature *signature)
{
    struct dg_fx *fx = signature->fx;
    struct dg_rows rows =
        dg_rows_of(fx->method->store,
                   "SELECT shape FROM sample_input"
                   " WHERE method_id = ?1 ORDER BY pos",
                   fx->graph->lowered ? 0 : fx->method->id, fx->method->err);

    while (dg_rows_next(&rows))
        *DG_APPEND(signature->examples, signature->n_examples) =
            dg_text(kept(fx, &rows, 0));
    return dg_rows_close(&rows, DG_OK, fx->method->err);
}

static bool is_symbol(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return (*text < '0' || *text > '9') && strspn(text, letters) == strlen(text);
}

static void add_range(struct signature *signature, int dim, const char *symbol,
                      int64_t hint)
{
    struct dg_schedule *schedule = signature->fx->schedule;
    const struct range *range =
        dg_search(symbol, signature->symbols, signature->n_symbols,
                  sizeof(*signature->symbols), compare_ranges);

    *DG_APPEND(schedule->ranges, schedule->n_ranges) = (struct dg_dimension_range){
        .input = (uint32_t)schedule->n_inputs - 1,
        .dim = dim,
        .symbol = is_symbol(symbol) ? symbol : NULL,
        .least = range ? range->least : 0,
        .most = range ? range->most : INT64_MAX,
        .hint = hint,
    };
}

/* The declared shape, with the sizes of the example where they are symbolic. */
static void declare(struct signature *signature, struct dg_slot *slot)
{
    struct dg_fx *fx = signature->fx;
    const struct dg_rows *rows = &signature->rows;
    const char *symbols[DG_RANK_MOST], *ignored[DG_RANK_MOST];
    int64_t sizes[DG_RANK_MOST], example[DG_RANK_MOST], count;
    enum dg_type type = dg_type_named(dg_rows_text(rows, DTYPE));
    int rank =
        dg_fx_sizes(dg_rows_slice(rows, SHAPE), sizes, symbols, &fx->schedule->memory);
    size_t at = signature->n_user_inputs - 1;
    int known = at < signature->n_examples ? dg_fx_sizes(signature->examples[at],
                                                         example, ignored, &fx->scratch)
                                           : -1;

    if (type == DG_TYPE_NONE || rank < 0)
        return;
    for (int i = 0; i < rank; i++) {
        if (!symbols[i])
            continue;
        sizes[i] = known == rank && example[i] >= 0 ? example[i] : -1;
        add_range(signature, i, symbols[i], sizes[i]);
        if (sizes[i] < 0)
            sizes[i] = 2;
    }
    if (!dg_shape_count(rank, sizes, type, &count))
        return;
    slot->initial.kind = DG_ARG_TENSOR;
    slot->initial.as.tensor = dg_tensor_over(type, rank, sizes, NULL);
}

static void bind(struct signature *signature, struct dg_slot *slot, const char *fqn)
{
    struct dg_fx *fx = signature->fx;
    const struct dg_rows *rows = &signature->rows;
    struct dg_fx_bytes bytes = {
        .fqn = fqn ? fqn : slot->name,
        .dtype = dg_rows_text(rows, BYTES_DTYPE),
        .shape = dg_rows_slice(rows, BYTES_SHAPE),
        .strides = dg_rows_slice(rows, BYTES_STRIDES),
        .storage_offset = dg_rows_int_or(rows, STORAGE_OFFSET, 0),
        .file_offset = dg_rows_int_or(rows, FILE_OFFSET, DG_NONE),
        .nbytes = dg_rows_int_or(rows, NBYTES, DG_NONE),
        .entry = dg_rows_slice(rows, ENTRY),
        .entry_bytes = dg_rows_int_or(rows, ENTRY_BYTES, DG_NONE),
    };

    if (!dg_rows_null(rows, CONSTANT)) {
        dg_fx_bind(fx, slot, &bytes);
        return;
    }
    if (!fx->graph->lowered) {
        slot->missing = dg_format(&fx->schedule->memory,
                                  "%s is not among the weights of the file", bytes.fqn)
                            .data;
        return;
    }
    slot->missing = dg_format(&fx->schedule->memory,
                              "%s is inside the delegate %s, which is not executed",
                              bytes.fqn, fx->graph->path)
                        .data;
    slot->initial.kind = DG_ARG_UNKNOWN;
}

static bool is_one_of(const char *text, const char *const *names)
{
    for (; *names; names++) {
        if (!strcmp(text, *names))
            return true;
    }
    return false;
}

static void fill_input(struct signature *signature, const struct dg_io *io)
{
    static const char *const weights[] = {"parameter", "constant_tensor", NULL};
    struct dg_fx *fx = signature->fx;
    struct dg_slot *slot = &fx->schedule->slots[io->slot];
    const char *spec = io->spec ? io->spec : "user_input";

    slot->kind = DG_SLOT_CONSTANT;
    if (is_one_of(spec, weights)) {
        bind(signature, slot, io->target);
    } else if (!strcmp(spec, "buffer")) {
        slot->kind = DG_SLOT_BUFFER;
        bind(signature, slot, io->target);
    } else if (!strcmp(spec, "user_input") && io->literal.kind != DG_ARG_NONE) {
        slot->initial = io->literal;
    } else if (!strcmp(spec, "user_input")) {
        slot->kind = DG_SLOT_INPUT;
        if (!strcmp(io->kind, "tensor"))
            declare(signature, slot);
    } else if (strcmp(spec, "token")) {
        slot->missing = "a custom object";
        slot->initial.kind = DG_ARG_UNKNOWN;
    }
}

static struct dg_io read_io(struct signature *signature)
{
    struct dg_fx *fx = signature->fx;
    const struct dg_rows *rows = &signature->rows;
    struct dg_io io = {.written_to = DG_IO_LITERAL};

    io.name = kept(fx, rows, NAME);
    io.kind = kept(fx, rows, KIND);
    io.spec = kept(fx, rows, SPEC);
    io.target = kept(fx, rows, TARGET);
    io.literal = literal(fx, rows, io.kind);
    io.slot = dg_rows_null(rows, VALUE) ? DG_IO_LITERAL
                                        : slot_of(fx, dg_rows_int(rows, VALUE));
    return io;
}

static void *into_arena(struct dg_arena *memory, void *items, size_t n, size_t size)
{
    void *copy = dg_alloc(memory, n + 1, size);

    if (n)
        memcpy(copy, items, n * size);
    free(items);
    return copy;
}

static void keep(struct dg_schedule *schedule)
{
    schedule->inputs = into_arena(&schedule->memory, schedule->inputs,
                                  schedule->n_inputs, sizeof(*schedule->inputs));
    schedule->outputs = into_arena(&schedule->memory, schedule->outputs,
                                   schedule->n_outputs, sizeof(*schedule->outputs));
    schedule->ranges = into_arena(&schedule->memory, schedule->ranges,
                                  schedule->n_ranges, sizeof(*schedule->ranges));
}

static enum dg_status read_ports(struct signature *signature)
{
    struct dg_fx *fx = signature->fx;
    struct dg_schedule *schedule = fx->schedule;
    struct dg_rows *rows = &signature->rows;
    enum dg_status status =
        dg_rows_open(rows, fx->method->store, query, fx->method->err);

    if (status)
        return status;
    dg_rows_bind_int(rows, 1, fx->graph->id);
    dg_rows_bind_int(rows, 2, fx->method->id);
    while (dg_rows_next(rows)) {
        struct dg_io io = read_io(signature);

        if (!strcmp(dg_rows_text(rows, DIRECTION), "output")) {
            *DG_APPEND(schedule->outputs, schedule->n_outputs) = io;
            continue;
        }
        *DG_APPEND(schedule->inputs, schedule->n_inputs) = io;
        signature->n_user_inputs += io.spec && !strcmp(io.spec, "user_input");
        if (io.slot != DG_IO_LITERAL)
            fill_input(signature, &io);
    }
    return dg_rows_close(rows, DG_OK, fx->method->err);
}

/* Branches have no signature: their placeholders, and what their output node lists. */
static void ports_of_nodes(struct dg_fx *fx)
{
    struct dg_schedule *schedule = fx->schedule;

    for (uint32_t i = 0; i < schedule->n_slots; i++) {
        if (schedule->slots[i].kind == DG_SLOT_INPUT)
            *DG_APPEND(schedule->inputs, schedule->n_inputs) =
                (struct dg_io){.slot = i,
                               .name = schedule->slots[i].name,
                               .kind = "tensor",
                               .spec = "user_input",
                               .written_to = DG_IO_LITERAL};
    }
    for (size_t i = 0; i < fx->n_outputs; i++) {
        const struct dg_operand *operand = &fx->outputs[i];
        bool literal = operand->kind != DG_OPERAND_SLOT;

        *DG_APPEND(schedule->outputs, schedule->n_outputs) =
            (struct dg_io){.slot = literal ? DG_IO_LITERAL : operand->slot,
                           .literal = operand->literal,
                           .kind = "tensor",
                           .spec = "user_output",
                           .written_to = DG_IO_LITERAL};
    }
}

enum dg_status dg_fx_signature(struct dg_fx *fx)
{
    struct signature signature = {.fx = fx};
    enum dg_status status = read_ranges(&signature);

    if (!status)
        status = read_examples(&signature);
    if (!status)
        status = read_ports(&signature);
    if (!status && !fx->schedule->n_inputs && !fx->schedule->n_outputs)
        ports_of_nodes(fx);
    keep(fx->schedule);
    dg_fx_find_written(fx->schedule);
    free(signature.symbols);
    free(signature.examples);
    return status;
}
