/* What a program says of its outputs, and values that something else made of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/run_parts.h"

/* The next size of a JSON list, in *size; -1: a symbol stands there. NULL: no more. */
static const char *next_size(const char *at, int64_t *size)
{
    const char *end = at;

    at += strspn(at, "[, ");
    if (!*at || *at == ']')
        return NULL;
    *size = -1;
    if (*at == '"')
        end = strchr(at + 1, '"') ? strchr(at + 1, '"') + 1 : at + strlen(at);
    else
        *size = strtoll(at, (char **)&end, 10);
    return end > at ? end : NULL;
}

/* Whether a tensor may have these sizes, which are but bounds where `most` says so. */
static bool fits(const struct dg_tensor *tensor, const char *shape, bool most)
{
    int64_t size;
    int rank = 0;

    for (const char *at = next_size(shape, &size); at; at = next_size(at, &size)) {
        if (rank >= tensor->rank)
            return false;
        if (size >= 0 &&
            (most ? tensor->sizes[rank] > size : tensor->sizes[rank] != size))
            return false;
        rank++;
    }
    return rank == tensor->rank;
}

/* `row`: dtype, shape, whether sizes are bounds, whether there are no bounds. */
static void hold(char why[200], const struct dg_tensor *tensor,
                 const struct dg_rows *row)
{
    const char *dtype = dg_rows_text(row, 0), *shape = dg_rows_text(row, 1);
    enum dg_type type = dtype ? dg_type_named(dtype) : DG_TYPE_NONE;
    bool most = dg_rows_int_or(row, 2, 0);
    char got[200];

    if (type != DG_TYPE_NONE && type != tensor->type)
        snprintf(why, 200, "dtype is %s, the program gives %s",
                 dg_type_name(tensor->type), dtype);
    else if (shape && !dg_rows_int_or(row, 3, 0) && !fits(tensor, shape, most))
        snprintf(why, 200, "shape is %.80s, the program gives %.80s%s",
                 dg_shape_text(tensor, got, sizeof(got)), shape,
                 most ? " at most" : "");
}

enum dg_status dg_hold_to_declared(char why[200],
                                   const struct dg_comparison *comparison,
                                   uint32_t slot, const struct dg_arg *value,
                                   struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status;

    *why = '\0';
    if (value->kind != DG_ARG_TENSOR || slot == DG_IO_LITERAL)
        return DG_OK;
    status = dg_rows_open(&rows, comparison->request->store,
                          "SELECT dtype, shape, dynamism = 'bounded',"
                          " dynamism = 'unbounded' FROM value WHERE id = ?1",
                          err);
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, comparison->schedule->slots[slot].value_id);
    if (dg_rows_next(&rows))
        hold(why, value->as.tensor, &rows);
    return dg_rows_close(&rows, DG_OK, err);
}
