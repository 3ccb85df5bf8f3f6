/* The example inputs that a .pt2 carries. */
#include "exec/inputs_parts.h"

#include <string.h>

#include "base/int_list.h"
#include "formats/stored_tensor.h"

static const char query[] =
    "SELECT kind, dtype, shape, strides, file_offset, storage_offset, nbytes, scalar"
    " FROM sample_input WHERE method_id = ?1 ORDER BY pos";

enum { KIND, DTYPE, SHAPE, STRIDES, FILE_OFFSET, STORAGE_OFFSET, NBYTES, SCALAR };

/* NULL: the row does not describe bytes of the file. */
static struct dg_tensor *tensor_of(const struct dg_rows *row, struct dg_bytes file,
                                   struct dg_arena *memory)
{
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
    int rank = dg_int_list(dg_rows_text(row, SHAPE), sizes, DG_RANK_MOST);
    int n_strides = dg_int_list(dg_rows_text(row, STRIDES), strides, DG_RANK_MOST);
    enum dg_type type = dg_type_named(dg_rows_text(row, DTYPE));
    struct dg_bytes bytes;

    if (rank < 0 || rank != n_strides || type == DG_TYPE_NONE ||
        !dg_stored_bytes(file, dg_rows_int_or(row, FILE_OFFSET, -1),
                         dg_rows_int_or(row, NBYTES, -1), &bytes))
        return NULL;
    return dg_stored_tensor(type, rank, sizes, strides,
                            dg_rows_int(row, STORAGE_OFFSET), bytes, memory);
}

static struct dg_arg value_of(const struct dg_rows *row, struct dg_bytes file,
                              struct dg_arena *memory)
{
    struct dg_text kind = dg_text(dg_rows_text(row, KIND));
    struct dg_arg value = {DG_ARG_UNKNOWN, {.integer = -1}};

    if (dg_text_is(kind, "tensor")) {
        struct dg_tensor *tensor = tensor_of(row, file, memory);

        if (tensor)
            value = (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}};
    } else if (dg_text_is(kind, "none")) {
        value.kind = DG_ARG_NONE;
    } else if (dg_text_is(kind, "float")) {
        value.kind = DG_ARG_FLOAT;
        value.as.real = dg_rows_double(row, SCALAR);
    } else if (dg_text_is(kind, "int") || dg_text_is(kind, "bool")) {
        value.kind = dg_text_is(kind, "int") ? DG_ARG_INT : DG_ARG_BOOL;
        value.as.integer = dg_rows_int(row, SCALAR);
    } else if (dg_text_is(kind, "string")) {
        value.kind = DG_ARG_STRING;
        value.as.string = dg_copy(memory, dg_rows_slice(row, SCALAR));
    }
    return value;
}

/* Whether a run can use it: one of a type that does not run here is an input that is
 * not known. */
static bool is_usable(const struct dg_rows *row, const struct dg_arg *value)
{
    return value->kind != DG_ARG_UNKNOWN ||
           (!strcmp(dg_rows_text(row, KIND), "tensor") &&
            dg_type_named(dg_rows_text(row, DTYPE)) == DG_TYPE_NONE);
}

static enum dg_status read_values(struct dg_value_set *set, int64_t method_id,
                                  struct dg_store *store, struct dg_bytes file,
                                  bool *usable, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, query, err);

    *usable = true;
    if (!status)
        dg_rows_bind_int(&rows, 1, method_id);
    while (!status && dg_rows_next(&rows)) {
        struct dg_named_value *leaf = DG_APPEND(set->values, set->n_values);

        leaf->name = dg_format(&set->memory, "sample %zu", set->n_values - 1).data;
        leaf->value = value_of(&rows, file, &set->memory);
        *usable = *usable && is_usable(&rows, &leaf->value);
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_inputs_of_samples(struct dg_inputs *inputs, bool *found,
                                    const struct dg_schedule *schedule,
                                    int64_t method_id, struct dg_store *store,
                                    struct dg_bytes file, struct dg_error *err)
{
    struct dg_value_set set = {0};
    bool usable;
    enum dg_status status = read_values(&set, method_id, store, file, &usable, err);

    *inputs = (struct dg_inputs){0};
    *found = !status && usable && set.n_values;
    if (*found)
        status = dg_inputs_of_set(inputs, schedule, &set, err);
    if (*found) {
        inputs->source = "samples";
        dg_arena_adopt(&inputs->memory, &set.memory);
    }
    dg_value_set_clear(&set);
    return status;
}
