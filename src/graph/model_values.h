/* Values of all graphs, as columns of numbers: read from the store once, for all who
 * ask. */
#ifndef DG_GRAPH_MODEL_VALUES_H
#define DG_GRAPH_MODEL_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/dtype.h"
#include "base/error.h"
#include "store/store.h"

enum dg_value_kind {
    DG_VALUE_OTHER,
    DG_VALUE_NULL,
    DG_VALUE_INT,
    DG_VALUE_BOOL,
    DG_VALUE_DOUBLE,
    DG_VALUE_STRING,
    DG_VALUE_TENSOR,
    DG_VALUE_SYM_INT,
    DG_VALUE_SYM_FLOAT,
    DG_VALUE_SYM_BOOL,
    DG_VALUE_INT_LIST, /* of values, as the next two */
    DG_VALUE_TENSOR_LIST,
    DG_VALUE_OPTIONAL_LIST,
    DG_VALUE_DOUBLE_LIST,
    DG_VALUE_BOOL_LIST,
};

/* Where a tensor is stored. */
enum dg_stored {
    DG_STORED_ELSEWHERE,
    DG_STORED_PLANNED,
    DG_STORED_RUNTIME,
    DG_STORED_MUTABLE,
    DG_STORED_CONSTANT,
    DG_STORED_EXTERNAL,
};

/* Numbers of a list, behind one another; n < 0: the file has no such list. */
struct dg_numbers {
    uint32_t first;
    int32_t n;
};

/* What the values of one kind, dtype and shape have in common. */
struct dg_model_type {
    enum dg_value_kind kind;
    bool symbolic;                /* a size is a text, here -1 */
    const struct dg_dtype *dtype; /* NULL: no tensor, or none that is known */
    struct dg_text name, sizes;   /* of the dtype; shape or items, as stored */
    struct dg_numbers content;    /* sizes of a tensor, items of a list; doubles by
                                     their bits */
};

/* What only a .pte says of a value. */
struct dg_model_value {
    int64_t id, idx;                            /* row; EValue index */
    int64_t mem_id, offset, nbytes, data_index; /* DG_NONE: the file does not say it */
    const struct dg_dtype *dtype;     /* NULL: no tensor, or none that is known */
    struct dg_numbers content, order; /* as its type has it; dim order of a tensor */
    union {
        int64_t integer; /* INT and BOOL */
        double real;
        const char *string;
    } as;
    struct dg_text name; /* by which the caller finds a buffer; data NULL: none */
    enum dg_value_kind kind;
    enum dg_stored storage;
    bool said;               /* `as` of a scalar, text of a string */
    bool bounded, unbounded; /* its sizes; neither: static */
    bool displaced;          /* a tensor with another storage offset than 0 */
    bool sparse;             /* a tensor with another layout than strided */
};

static inline bool dg_value_is_list(const struct dg_model_value *value)
{
    return value->kind >= DG_VALUE_INT_LIST;
}

/* Whether its items are values. */
static inline bool dg_value_holds_values(const struct dg_model_value *value)
{
    return value->kind >= DG_VALUE_INT_LIST && value->kind <= DG_VALUE_OPTIONAL_LIST;
}

/* Its values are rows first + 1 to first + n. */
struct dg_value_graph {
    int64_t id;
    size_t first, n;
    bool is_pte;
};

/* Row id of table value is item id - 1 of the columns, graph id is graphs[id - 1]. */
struct dg_model_values {
    size_t n_rows, n_types, n_graphs, n_numbers;
    int64_t *nbytes;              /* DG_NONE: the file does not say it */
    uint32_t *type_of;            /* index of its type */
    uint32_t *graph_of;           /* row of its graph */
    struct dg_model_value *items; /* empty where the graph is of no .pte; NULL: no
                                     graph is */
    struct dg_model_type *types;
    struct dg_value_graph *graphs;
    int64_t *numbers;
    struct dg_arena memory;
};

/* The first of them; NULL: there is none, and maybe no array to point into. */
static inline const int64_t *dg_numbers_of(const struct dg_model_values *values,
                                           struct dg_numbers numbers)
{
    return numbers.n > 0 ? values->numbers + numbers.first : NULL;
}

/* The store owns *out, until it closes or changes. O(values + items of lists), once. */
enum dg_status dg_model_values_read(const struct dg_model_values **out,
                                    struct dg_store *store, struct dg_error *err);

/* NULL: it is of no .pte, or has no value. */
const struct dg_value_graph *dg_value_graph_of(const struct dg_model_values *values,
                                               int64_t id);

#endif
