/* One look at each value of a .pte, for all rules about values. */
#include "verifiers/value_scan.h"

#include <stdlib.h>

#include "base/sorted.h"

static void release(void *object)
{
    struct dg_value_scan *scan = object;

    free(scan->states);
    free(scan->faults);
    free(scan);
}

void dg_value_fault(struct dg_value_scan *scan, const struct dg_model_value *value,
                    enum dg_value_rule rule)
{
    *DG_APPEND(scan->faults, scan->n_faults) =
        (struct dg_value_fault){.rule = rule, .value = value->id};
}

static uint8_t look_at_tensor(struct dg_value_scan *scan,
                              const struct dg_model_value *tensor)
{
    if (tensor->content.n >= 0)
        dg_value_look_at_order(scan, tensor);
    if (tensor->displaced)
        dg_value_fault(scan, tensor, DG_VALUE_STORAGE_OFFSET);
    if (tensor->sparse)
        dg_value_fault(scan, tensor, DG_VALUE_LAYOUT);
    if (tensor->unbounded)
        dg_value_fault(scan, tensor, DG_VALUE_DYNAMISM);
    scan->any_bounded |= tensor->bounded;
    return tensor->bounded ? DG_VALUE_BOUNDED : DG_VALUE_STATIC;
}

static bool lacks_content(const struct dg_model_value *value)
{
    return value->kind == DG_VALUE_STRING
               ? !value->said
               : dg_value_is_list(value) && value->content.n < 0;
}

static void scan_graph(struct dg_value_scan *scan, const struct dg_value_graph *graph)
{
    const struct dg_model_value *value = scan->values->items + graph->first;
    uint8_t *state = scan->states + graph->first;

    for (size_t i = 0; i < graph->n; i++, value++) {
        if (value->kind == DG_VALUE_TENSOR)
            state[i] |= look_at_tensor(scan, value);
        else if (lacks_content(value))
            dg_value_fault(scan, value, DG_VALUE_LIST_PRESENT);
        else if (dg_value_holds_values(value))
            dg_value_look_at_items(scan, graph, value);
    }
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
    struct dg_value_scan *scan = dg_store_kept(store, release);
    const struct dg_model_values *values;
    enum dg_status status;

    *out = scan;
    if (scan)
        return DG_OK;
    status = dg_model_values_read(&values, store, err);
    if (status)
        return status;
    *out = scan = dg_zeroed(1, sizeof(*scan));
    scan->values = values;
    scan->states = dg_zeroed(values->n_rows, 1);
    for (size_t i = 0; i < values->n_graphs; i++)
        if (values->graphs[i].is_pte)
            scan_graph(scan, &values->graphs[i]);
    dg_sort(scan->faults, scan->n_faults, sizeof(*scan->faults), compare_faults);
    dg_store_keep(store, scan, release);
    return DG_OK;
}
