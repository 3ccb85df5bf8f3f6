/* Whether values fit the inputs that a program declares. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text_set.h"
#include "exec/inputs_parts.h"
#include "kernels/cpu/line.h"

const char *dg_value_text(const struct dg_arg *value, char *text, size_t room)
{
    static const char *const kinds[] = {
        [DG_ARG_NONE] = "None",
        [DG_ARG_INT] = "a Python int",
        [DG_ARG_FLOAT] = "a Python float",
        [DG_ARG_BOOL] = "a Python bool",
        [DG_ARG_STRING] = "a string",
        [DG_ARG_COMPLEX] = "a Python complex",
        [DG_ARG_TYPE] = "a dtype",
        [DG_ARG_LIST] = "a list",
        [DG_ARG_UNKNOWN] = "complex32",
    };
    char shape[200];

    if (value->kind != DG_ARG_TENSOR)
        snprintf(text, room, "%s", kinds[value->kind]);
    else
        snprintf(text, room, "%s %s", dg_type_name(value->as.tensor->type),
                 dg_shape_text(value->as.tensor, shape, sizeof(shape)));
    return text;
}

const struct dg_tensor *dg_input_declared(const struct dg_schedule *schedule,
                                          size_t input)
{
    uint32_t slot = schedule->inputs[input].slot;
    const struct dg_arg *initial =
        slot == DG_IO_LITERAL ? NULL : &schedule->slots[slot].initial;

    return initial && initial->kind == DG_ARG_TENSOR ? initial->as.tensor : NULL;
}

static const struct dg_dimension_range *range_of(const struct dg_schedule *schedule,
                                                 size_t input, int dim)
{
    for (size_t i = 0; i < schedule->n_ranges; i++) {
        if (schedule->ranges[i].input == input && schedule->ranges[i].dim == dim)
            return &schedule->ranges[i];
    }
    return NULL;
}

const char *dg_declared_text(const struct dg_schedule *schedule, size_t input,
                             char *text, size_t room)
{
    const struct dg_tensor *declared = dg_input_declared(schedule, input);
    const char *kind = schedule->inputs[input].kind;
    size_t at;

    if (!declared) {
        snprintf(text, room, "of kind %s", kind ? kind : "tensor");
        return text;
    }
    at = (size_t)snprintf(text, room, "%s [", dg_type_name(declared->type));
    for (int i = 0; i < declared->rank && at + 24 < room; i++) {
        const struct dg_dimension_range *range = range_of(schedule, input, i);
        const char *comma = i ? "," : "";

        if (range)
            at += (size_t)snprintf(text + at, room - at, "%s%.16s", comma,
                                   range->symbol ? range->symbol : "?");
        else
            at += (size_t)snprintf(text + at, room - at, "%s%lld", comma,
                                   (long long)declared->sizes[i]);
    }
    snprintf(text + at, room - at, "]");
    return text;
}

static enum dg_status refuse(const struct dg_schedule *schedule, size_t i,
                             const char *name, const struct dg_arg *value,
                             struct dg_error *err)
{
    const char *input = schedule->inputs[i].name;
    char is[240], declared[240];

    return dg_fail(err, DG_ERR_FORMAT, "%s is %s; input %s is %s", name,
                   dg_value_text(value, is, sizeof(is)), input ? input : name,
                   dg_declared_text(schedule, i, declared, sizeof(declared)));
}

static bool is_tensor(const struct dg_schedule *schedule, size_t input)
{
    const char *kind = schedule->inputs[input].kind;

    return dg_input_declared(schedule, input) || !kind || !strcmp(kind, "tensor");
}

static bool fits(const struct dg_arg *value, const struct dg_tensor *declared)
{
    if (value->kind == DG_ARG_UNKNOWN)
        return !declared;
    return value->kind == DG_ARG_TENSOR &&
           (!declared || (value->as.tensor->type == declared->type &&
                          value->as.tensor->rank == declared->rank));
}

struct dg_arg dg_scalar_of(const struct dg_arg *value)
{
    const struct dg_tensor *tensor = value->as.tensor;
    struct dg_arg scalar = {.kind = DG_ARG_BOOL};

    if (value->kind != DG_ARG_TENSOR || dg_tensor_count(tensor) != 1 ||
        dg_type_is_complex(tensor->type))
        return *value;
    if (dg_type_is_float(tensor->type))
        return (struct dg_arg){.kind = DG_ARG_FLOAT, .as.real = dg_get_f64(tensor, 0)};
    if (dg_type_is_integer(tensor->type))
        scalar.kind = DG_ARG_INT;
    scalar.as.integer = dg_get_i64(tensor, 0);
    return scalar;
}

static enum dg_arg_kind scalar_kind(const char *kind)
{
    static const struct {
        const char *word;
        enum dg_arg_kind kind;
    } kinds[] = {
        {"sym_int", DG_ARG_INT},     {"int", DG_ARG_INT},       {"float", DG_ARG_FLOAT},
        {"sym_float", DG_ARG_FLOAT}, {"double", DG_ARG_FLOAT},  {"bool", DG_ARG_BOOL},
        {"sym_bool", DG_ARG_BOOL},   {"string", DG_ARG_STRING},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (!strcmp(kinds[i].word, kind))
            return kinds[i].kind;
    }
    return DG_ARG_NONE;
}

enum dg_status dg_inputs_put(struct dg_inputs *inputs,
                             const struct dg_schedule *schedule, size_t i,
                             const char *name, const struct dg_arg *value,
                             struct dg_error *err)
{
    const struct dg_io *io = &schedule->inputs[i];
    struct dg_arg scalar;
    enum dg_arg_kind kind;

    if (is_tensor(schedule, i)) {
        if (!fits(value, dg_input_declared(schedule, i)))
            return refuse(schedule, i, name, value, err);
        dg_arg_drop(&inputs->values[i]);
        dg_arg_set(&inputs->values[i], value);
        return DG_OK;
    }
    scalar = dg_scalar_of(value);
    kind = scalar_kind(io->kind);
    if (kind == DG_ARG_FLOAT && scalar.kind == DG_ARG_INT)
        scalar = (struct dg_arg){.kind = kind, .as.real = (double)scalar.as.integer};
    if (scalar.kind != kind)
        return refuse(schedule, i, name, value, err);
    inputs->values[i] = scalar;
    return DG_OK;
}

static bool equals(const struct dg_arg *value, const struct dg_arg *constant)
{
    struct dg_arg scalar = dg_scalar_of(value);

    if (constant->kind == DG_ARG_FLOAT && scalar.kind == DG_ARG_INT)
        return (double)scalar.as.integer == constant->as.real;
    if (scalar.kind != constant->kind)
        return false;
    if (scalar.kind == DG_ARG_FLOAT)
        return scalar.as.real == constant->as.real ||
               (isnan(scalar.as.real) && isnan(constant->as.real));
    if (scalar.kind == DG_ARG_STRING)
        return !strcmp(scalar.as.string, constant->as.string);
    return scalar.kind == DG_ARG_NONE || scalar.as.integer == constant->as.integer;
}

static const char *constant_text(const struct dg_arg *constant, char *text, size_t room)
{
    if (constant->kind == DG_ARG_FLOAT)
        snprintf(text, room, "%.17g", constant->as.real);
    else if (constant->kind == DG_ARG_INT)
        snprintf(text, room, "%lld", (long long)constant->as.integer);
    else if (constant->kind == DG_ARG_BOOL)
        snprintf(text, room, "%s", constant->as.integer ? "True" : "False");
    else if (constant->kind == DG_ARG_STRING)
        snprintf(text, room, "\"%.100s\"", constant->as.string);
    else
        dg_value_text(constant, text, room);
    return text;
}

/* A .pte keeps it as a value of its own. */
static const struct dg_arg *constant_of(const struct dg_schedule *schedule,
                                        size_t input)
{
    const struct dg_io *io = &schedule->inputs[input];

    if (io->literal.kind != DG_ARG_NONE || io->slot == DG_IO_LITERAL)
        return &io->literal;
    return &schedule->slots[io->slot].initial;
}

enum dg_status dg_inputs_hold(const struct dg_schedule *schedule, size_t i,
                              const char *name, const struct dg_arg *value,
                              struct dg_error *err)
{
    const struct dg_arg *literal = constant_of(schedule, i);
    const char *input = schedule->inputs[i].name;
    struct dg_arg scalar = dg_scalar_of(value);
    char is[240], constant[240];

    if (equals(value, literal))
        return DG_OK;
    return dg_fail(err, DG_ERR_FORMAT, "%s is %s; input %s is the constant %s", name,
                   constant_text(&scalar, is, sizeof(is)), input ? input : name,
                   constant_text(literal, constant, sizeof(constant)));
}

static bool has_static_sizes(const struct dg_tensor *tensor,
                             const struct dg_tensor *declared, uint32_t symbolic)
{
    for (int i = 0; declared && i < tensor->rank; i++) {
        if (!(symbolic >> i & 1) && tensor->sizes[i] != declared->sizes[i])
            return false;
    }
    return true;
}

/* What a range is about: a dimension, or (dimension -1) the value itself. */
static bool size_of(const struct dg_arg *value, int dim, int64_t *size)
{
    if (value->kind == DG_ARG_INT && dim < 0)
        *size = value->as.integer;
    else if (value->kind == DG_ARG_TENSOR && dim >= 0 && dim < value->as.tensor->rank)
        *size = value->as.tensor->sizes[dim];
    else
        return false;
    return true;
}

static const char *name_of(const struct dg_schedule *schedule, size_t input)
{
    const char *name = schedule->inputs[input].name;

    return name ? name : "without a name";
}

static enum dg_status refuse_size(const struct dg_schedule *schedule,
                                  const struct dg_dimension_range *range, int64_t size,
                                  struct dg_error *err)
{
    const char *symbol = range->symbol ? range->symbol : "its size";
    char most[32] = "any size";

    if (range->most < INT64_MAX)
        snprintf(most, sizeof(most), "%lld", (long long)range->most);
    return dg_fail(err, DG_ERR_FORMAT,
                   "dimension %d of input %s has size %lld; %s is from %lld to %s",
                   range->dim, name_of(schedule, range->input), (long long)size, symbol,
                   (long long)range->least, most);
}

static enum dg_status refuse_unequal(const struct dg_schedule *schedule,
                                     const struct dg_dimension_range *first,
                                     int64_t first_size,
                                     const struct dg_dimension_range *range,
                                     int64_t size, struct dg_error *err)
{
    return dg_fail(err, DG_ERR_FORMAT,
                   "dimension %d of input %s has size %lld, dimension %d of input %s "
                   "%lld; both are %s",
                   first->dim, name_of(schedule, first->input), (long long)first_size,
                   range->dim, name_of(schedule, range->input), (long long)size,
                   range->symbol);
}

static enum dg_status check_symbols(const struct dg_inputs *inputs,
                                    const struct dg_schedule *schedule,
                                    struct dg_arena *memory, struct dg_error *err)
{
    const struct dg_dimension_range **firsts =
        dg_alloc(memory, schedule->n_ranges, sizeof(*firsts));
    struct dg_text_set symbols = {0};
    enum dg_status status = DG_OK;
    int64_t size, first_size = 0;

    for (size_t i = 0; !status && i < schedule->n_ranges; i++) {
        const struct dg_dimension_range *range = &schedule->ranges[i], **first;

        if (!size_of(&inputs->values[range->input], range->dim, &size))
            continue;
        if (size < range->least || size > range->most)
            status = refuse_size(schedule, range, size, err);
        if (status || !range->symbol)
            continue;
        first = &firsts[dg_text_set_add(&symbols, dg_text(range->symbol))];
        *first = *first ? *first : range;
        size_of(&inputs->values[(*first)->input], (*first)->dim, &first_size);
        if (first_size != size)
            status = refuse_unequal(schedule, *first, first_size, range, size, err);
    }
    dg_text_set_clear(&symbols);
    return status;
}

enum dg_status dg_inputs_check_sizes(const struct dg_inputs *inputs,
                                     const struct dg_schedule *schedule,
                                     struct dg_error *err)
{
    struct dg_arena memory = {0};
    uint32_t *symbolic = dg_alloc(&memory, schedule->n_inputs, sizeof(*symbolic));
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < schedule->n_ranges; i++) {
        if (schedule->ranges[i].dim >= 0)
            symbolic[schedule->ranges[i].input] |= 1u << schedule->ranges[i].dim;
    }
    for (size_t i = 0; !status && i < schedule->n_inputs; i++) {
        const struct dg_arg *value = &inputs->values[i];

        if (value->kind == DG_ARG_TENSOR &&
            !has_static_sizes(value->as.tensor, dg_input_declared(schedule, i),
                              symbolic[i]))
            status = refuse(schedule, i, name_of(schedule, i), value, err);
    }
    if (!status)
        status = check_symbols(inputs, schedule, &memory, err);
    dg_arena_clear(&memory);
    return status;
}
