/* Dim orders and lists, as a .pte stores them. */
#include <string.h>

#include "verifiers/value_scan.h"

enum { MAX_RANK = 16 };

/* Steps over the next number of a JSON array; false at its end. */
static bool next_number(const char **cursor, const char *end, int64_t *number)
{
    const char *at = *cursor;
    bool negative;
    uint64_t digits = 0;

    while (at < end && *at != '-' && (*at < '0' || *at > '9'))
        at++;
    if (at == end)
        return false;
    negative = *at == '-';
    for (at += negative; at < end && *at >= '0' && *at <= '9'; at++)
        digits = digits > INT64_MAX / 16 ? digits : digits * 10 + (uint64_t)(*at - '0');
    *number = negative ? -(int64_t)digits : (int64_t)digits;
    *cursor = at;
    return true;
}

/* How many numbers there are; keeps the first `room` of them. */
static size_t read_numbers(const char *text, int64_t *numbers, size_t room)
{
    const char *end = text + strlen(text);
    int64_t number;
    size_t n = 0;

    for (; next_number(&text, end, &number); n++) {
        if (n < room)
            numbers[n] = number;
    }
    return n;
}

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
                            const struct dg_value_seen *seen)
{
    int64_t sizes[MAX_RANK], order[MAX_RANK];
    size_t rank = read_numbers(seen->shape, sizes, MAX_RANK), length;

    if (rank > MAX_RANK)
        dg_value_fault(scan, seen, DG_VALUE_RANK);
    length = seen->dim_order ? read_numbers(seen->dim_order, order, MAX_RANK) : 0;
    if (!seen->dim_order || length != rank)
        dg_value_fault(scan, seen, DG_VALUE_ORDER_LENGTH);
    else if (rank > MAX_RANK || is_identity(order, rank))
        return;
    else if (!is_permutation(order, rank))
        dg_value_fault(scan, seen, DG_VALUE_ORDER_PERMUTATION);
    else if (!is_channels_last(order, rank))
        dg_value_fault(scan, seen, DG_VALUE_ORDER_CANONICAL);
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

static void find_item(struct dg_value_scan *scan, const struct dg_value_seen *list,
                      enum dg_value_rule rule, int64_t pos, int64_t item)
{
    dg_value_fault(scan, list, rule);
    scan->faults[scan->n_faults - 1].pos = pos;
    scan->faults[scan->n_faults - 1].item = item;
}

static void look_at_item(struct dg_value_scan *scan, const struct dg_value_graph *graph,
                         const struct dg_value_seen *list, int64_t pos, int64_t item)
{
    uint8_t *state;

    if (item == -1 && list->kind == DG_VALUE_OPTIONAL_LIST)
        return;
    if (item < 0 || (uint64_t)item >= graph->n_values) {
        find_item(scan, list, rule_of(list->kind), pos, item);
        return;
    }
    state = &scan->states[graph->first_state + (size_t)item];
    if (!may_hold(list->kind, *state & DG_VALUE_KIND))
        find_item(scan, list, rule_of(list->kind), pos, item);
    else if (item > list->idx && list->kind != DG_VALUE_INT_LIST)
        find_item(scan, list, DG_VALUE_FORWARD_REF, pos, item);
    *state |= DG_VALUE_LISTED;
}

void dg_value_look_at_items(struct dg_value_scan *scan,
                            const struct dg_value_graph *graph,
                            const struct dg_value_seen *list)
{
    const char *cursor = list->items.data, *end = cursor + list->items.size;
    int64_t item;

    for (int64_t pos = 0; next_number(&cursor, end, &item); pos++)
        look_at_item(scan, graph, list, pos, item);
}
