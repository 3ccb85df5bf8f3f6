/* Dim orders and lists, as a .pte stores them. */
#include "verifiers/value_scan.h"

enum { MAX_RANK = 16 };

static bool is_permutation(const int64_t *order, size_t n)
{
    uint32_t seen = 0;

    for (size_t i = 0; i < n; i++) {
        if (order[i] < 0 || order[i] >= (int64_t)n || seen >> order[i] & 1)
            return false;
        seen |= UINT32_C(1) << order[i];
    }
    return true;
}

static bool is_identity(const int64_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (order[i] != (int64_t)i)
            return false;
    }
    return true;
}

/* 0,2,3,1 or 0,2,3,4,1 */
static bool is_channels_last(const int64_t *order, size_t n)
{
    if ((n != 4 && n != 5) || order[0] != 0 || order[n - 1] != 1)
        return false;
    for (size_t i = 1; i + 1 < n; i++) {
        if (order[i] != (int64_t)i + 1)
            return false;
    }
    return true;
}

void dg_value_look_at_order(struct dg_value_scan *scan,
                            const struct dg_model_value *tensor)
{
    const int64_t *order = dg_numbers_of(scan->values, tensor->order);
    size_t rank = (size_t)tensor->content.n;

    if (rank > MAX_RANK)
        dg_value_fault(scan, tensor, DG_VALUE_RANK);
    if (tensor->order.n != tensor->content.n)
        dg_value_fault(scan, tensor, DG_VALUE_ORDER_LENGTH);
    else if (rank > MAX_RANK || is_identity(order, rank))
        return;
    else if (!is_permutation(order, rank))
        dg_value_fault(scan, tensor, DG_VALUE_ORDER_PERMUTATION);
    else if (!is_channels_last(order, rank))
        dg_value_fault(scan, tensor, DG_VALUE_ORDER_CANONICAL);
}

static enum dg_value_rule rule_of(enum dg_value_kind list)
{
    if (list == DG_VALUE_INT_LIST)
        return DG_VALUE_INT_ITEM;
    return list == DG_VALUE_TENSOR_LIST ? DG_VALUE_TENSOR_ITEM : DG_VALUE_OPTIONAL_ITEM;
}

static bool may_hold(enum dg_value_kind list, enum dg_value_kind item)
{
    if (list == DG_VALUE_INT_LIST)
        return item == DG_VALUE_INT;
    return item == DG_VALUE_TENSOR ||
           (list == DG_VALUE_OPTIONAL_LIST && item == DG_VALUE_NULL);
}

static void find_item(struct dg_value_scan *scan, const struct dg_model_value *list,
                      enum dg_value_rule rule, int64_t pos, int64_t item)
{
    dg_value_fault(scan, list, rule);
    scan->faults[scan->n_faults - 1].pos = pos;
    scan->faults[scan->n_faults - 1].item = item;
}

static void look_at_item(struct dg_value_scan *scan, const struct dg_value_graph *graph,
                         const struct dg_model_value *list, int64_t pos, int64_t item)
{
    size_t at = graph->first + (size_t)item;

    if (item == -1 && list->kind == DG_VALUE_OPTIONAL_LIST)
        return;
    if (item < 0 || (uint64_t)item >= graph->n) {
        find_item(scan, list, rule_of(list->kind), pos, item);
        return;
    }
    if (!may_hold(list->kind, scan->values->items[at].kind))
        find_item(scan, list, rule_of(list->kind), pos, item);
    else if (item > list->idx && list->kind != DG_VALUE_INT_LIST)
        find_item(scan, list, DG_VALUE_FORWARD_REF, pos, item);
    scan->states[at] |= DG_VALUE_LISTED;
}

void dg_value_look_at_items(struct dg_value_scan *scan,
                            const struct dg_value_graph *graph,
                            const struct dg_model_value *list)
{
    const int64_t *items = dg_numbers_of(scan->values, list->content);

    for (int64_t pos = 0; pos < list->content.n; pos++)
        look_at_item(scan, graph, list, pos, items[pos]);
}
