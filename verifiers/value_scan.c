/* One look at each value of a .pte, for all rules about values. */
#include "verifiers/value_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

struct lists {
    struct dg_value_seen *items;
    size_t n_items;
    struct dg_arena memory;
};

static void release(void *object)
{
    struct dg_value_scan *scan = object;

    free(scan->graphs);
    free(scan->states);
    free(scan->faults);
    free(scan);
}

static enum dg_value_kind kind_of(const char *name)
{
    static const struct {
        const char *name;
        enum dg_value_kind kind;
    } kinds[] = {
        {"tensor", DG_VALUE_TENSOR},
        {"int", DG_VALUE_INT},
        {"int_list", DG_VALUE_INT_LIST},
        {"null", DG_VALUE_NULL},
        {"tensor_list", DG_VALUE_TENSOR_LIST},
        {"optional_tensor_list", DG_VALUE_OPTIONAL_LIST},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (!strcmp(name, kinds[i].name))
            return kinds[i].kind;
    }
    return DG_VALUE_OTHER;
}

void dg_value_fault(struct dg_value_scan *scan, const struct dg_value_seen *seen,
                    enum dg_value_rule rule)
{
    *DG_APPEND(scan->faults, scan->n_faults) =
        (struct dg_value_fault){.rule = rule, .value = seen->id};
}

/* Columns of the scan, and what few tensors are. */
enum { KIND, CONTENT, ORDER, ODD };
enum { OFFSET = 1, LAYOUT = 2, BOUNDED = 4, UNBOUNDED = 8 };

static const char scan_sql[] =
    "SELECT kind, CASE kind WHEN 'tensor' THEN shape WHEN 'int' THEN NULL"
    "  WHEN 'string' THEN scalar ELSE items END, CASE kind WHEN 'tensor' THEN dim_order"
    "  END, CASE WHEN kind <> 'tensor' OR (storage_offset = 0 AND layout = 'strided'"
    "   AND dynamism = 'static') THEN 0 ELSE (storage_offset <> 0)"
    "   + 2 * (layout <> 'strided') + 4 * (dynamism = 'bounded')"
    "   + 8 * (dynamism NOT IN ('bounded', 'static')) END"
    "  FROM value WHERE id BETWEEN ?1 AND ?2 ORDER BY id";

static uint8_t look_at_tensor(struct dg_value_scan *scan,
                              const struct dg_value_seen *seen,
                              const struct dg_rows *rows)
{
    static const enum dg_value_rule rules[] = {
        [OFFSET] = DG_VALUE_STORAGE_OFFSET,
        [LAYOUT] = DG_VALUE_LAYOUT,
        [UNBOUNDED] = DG_VALUE_DYNAMISM,
    };
    int64_t odd = dg_rows_int_or(rows, ODD, 0);

    if (seen->shape)
        dg_value_look_at_order(scan, seen);
    for (int bit = OFFSET; bit <= UNBOUNDED && odd; bit *= 2) {
        if (odd & bit & ~BOUNDED)
            dg_value_fault(scan, seen, rules[bit]);
    }
    scan->any_bounded |= odd & BOUNDED;
    return odd & BOUNDED ? DG_VALUE_BOUNDED : DG_VALUE_STATIC;
}

static void keep_list(struct lists *lists, struct dg_value_seen seen,
                      const struct dg_rows *rows)
{
    seen.items = dg_rows_slice(rows, CONTENT);
    seen.items.data = dg_copy(&lists->memory, seen.items);
    *DG_APPEND(lists->items, lists->n_items) = seen;
}

static uint8_t look_at(struct dg_value_scan *scan, struct lists *lists,
                       struct dg_value_seen seen, const struct dg_rows *rows)
{
    const char *kind = dg_rows_text(rows, KIND);

    seen.kind = kind_of(kind);
    if (seen.kind == DG_VALUE_TENSOR) {
        seen.shape = dg_rows_text(rows, CONTENT);
        seen.dim_order = dg_rows_text(rows, ORDER);
        return (uint8_t)(look_at_tensor(scan, &seen, rows) | DG_VALUE_TENSOR);
    }
    if (seen.kind >= DG_VALUE_INT_LIST && !dg_rows_null(rows, CONTENT))
        keep_list(lists, seen, rows);
    else if ((strstr(kind, "list") || !strcmp(kind, "string")) &&
             dg_rows_null(rows, CONTENT))
        dg_value_fault(scan, &seen, DG_VALUE_LIST_PRESENT);
    return (uint8_t)seen.kind;
}

static enum dg_status scan_graph(struct dg_value_scan *scan,
                                 struct dg_value_graph *graph, struct dg_rows *rows,
                                 struct dg_error *err)
{
    struct lists lists = {0};

    graph->first_state = scan->n_states;
    dg_rows_bind_int(rows, 1, graph->first_id);
    dg_rows_bind_int(rows, 2, graph->last_id);
    while (dg_rows_next(rows)) {
        struct dg_value_seen seen = {.id = graph->first_id + (int64_t)graph->n_values,
                                     .idx = (int64_t)graph->n_values};
        uint8_t state = look_at(scan, &lists, seen, rows);

        *DG_APPEND(scan->states, scan->n_states) = state;
        graph->n_values++;
    }
    for (size_t i = 0; i < lists.n_items; i++)
        dg_value_look_at_items(scan, graph, &lists.items[i]);
    free(lists.items);
    dg_arena_clear(&lists.memory);
    return dg_rows_again(rows, err);
}

static enum dg_status scan_graphs(struct dg_value_scan *scan, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, scan_sql, err);

    if (status)
        return status;
    for (size_t i = 0; i < scan->n_graphs && !status; i++)
        status = scan_graph(scan, &scan->graphs[i], &rows, err);
    return dg_rows_close(&rows, status, err);
}

/* Ids of the values of a graph are consecutive. */
static const char graphs_sql[] =
    "SELECT g.id, (SELECT min(id) FROM value WHERE graph_id = g.id) AS first,"
    " (SELECT max(id) FROM value WHERE graph_id = g.id)"
    "  FROM \"graph\" AS g JOIN method ON method.id = g.method_id"
    " WHERE method.ir = 'pte' AND first IS NOT NULL ORDER BY first";

static enum dg_status find_graphs(struct dg_value_scan *scan, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows;
    int64_t last = 0;
    enum dg_status status = dg_rows_open(&rows, store, graphs_sql, err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        struct dg_value_graph graph = {.id = dg_rows_int(&rows, 0),
                                       .first_id = dg_rows_int(&rows, 1),
                                       .last_id = dg_rows_int(&rows, 2)};

        if (graph.first_id <= last)
            continue;
        *DG_APPEND(scan->graphs, scan->n_graphs) = graph;
        last = graph.last_id;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static int compare_faults(const void *left, const void *right)
{
    const struct dg_value_fault *a = left, *b = right;

    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->pos < b->pos ? -1 : a->pos > b->pos;
}

enum dg_status dg_value_scan(const struct dg_value_scan **out, struct dg_store *store,
                             struct dg_error *err)
{
    static const struct dg_value_scan none;
    struct dg_value_scan *scan = dg_store_kept(store, release);
    enum dg_status status;

    *out = scan;
    if (scan)
        return DG_OK;
    scan = calloc(1, sizeof(*scan));
    if (!scan)
        dg_out_of_memory();
    status = find_graphs(scan, store, err);
    if (!status)
        status = scan_graphs(scan, store, err);
    if (status) {
        release(scan);
        return status;
    }
    /* What the store keeps for others is worth more. */
    if (!scan->n_graphs) {
        release(scan);
        *out = &none;
        return DG_OK;
    }
    dg_sort(scan->faults, scan->n_faults, sizeof(*scan->faults), compare_faults);
    dg_store_keep(store, scan, release);
    *out = scan;
    return DG_OK;
}
