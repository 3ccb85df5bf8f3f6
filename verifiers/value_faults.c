/* What the scan of values found, in words. */
#include <string.h>

#include "verifiers/value_parts.h"
#include "verifiers/value_scan.h"

/* clang-format off */

/* Item number ?2 of list v is value ?3. */
#define OF_ITEM                                                                        \
    "  FROM value AS v LEFT JOIN value AS item ON item.id = v.id - v.idx + ?3"         \
    "   AND item.graph_id = v.graph_id AND item.idx = ?3 WHERE v.id = ?1"
#define ITEM(expected)                                                                 \
    "SELECT printf('item %lld of value %lld, %s, is value %lld%s', ?2, v.idx,"         \
    DG_A_KIND("v") ", ?3, iif(item.id IS NULL,"                                        \
    " printf('; the method has %lld values', " DG_N_VALUES("v.graph_id") "),"          \
    " printf(', %s; expected " expected "', " DG_A_KIND("item") ")))" OF_ITEM

#define OF_VALUE "  FROM value AS v WHERE v.id = ?1"

/* The message about a fault of value ?1; then its severity, where that is not the
 * rule's: a kernel that writes a tensor knows its dim order. */
static const struct {
    const char *rule, *message;
} faults[] = {
    [DG_VALUE_LIST_PRESENT] = {"list-present",
        "SELECT printf('value %lld is %s without %s', idx, " DG_A_KIND("v") ","
        " iif(kind = 'string', 'text', 'items'))" OF_VALUE},
    [DG_VALUE_INT_ITEM] = {"int-list-item", ITEM("an int")},
    [DG_VALUE_TENSOR_ITEM] = {"tensor-list-item", ITEM("a tensor")},
    [DG_VALUE_OPTIONAL_ITEM] = {"optional-list-item", ITEM("a tensor, null or -1")},
    [DG_VALUE_FORWARD_REF] = {"list-forward-ref",
        "SELECT printf('item %lld of value %lld, %s, is value %lld, which is set up"
        " after it', ?2, v.idx, " DG_A_KIND("v") ", ?3)" OF_VALUE},
    [DG_VALUE_RANK] = {"rank",
        "SELECT printf('value %lld has %lld dimensions; at most 16 are possible', idx,"
        " json_array_length(shape))" OF_VALUE},
    [DG_VALUE_ORDER_LENGTH] = {"dim-order-length",
        "SELECT iif(dim_order IS NULL, printf('value %lld has sizes %s and no dim_order',"
        "  idx, shape), printf('value %lld has %lld sizes, %s, and a dim_order of %lld,"
        " %s', idx, json_array_length(shape), shape, json_array_length(dim_order),"
        " dim_order))" OF_VALUE},
    [DG_VALUE_ORDER_PERMUTATION] = {"dim-order-permutation",
        "SELECT printf('value %lld has dim_order %s; expected a permutation of 0..%lld',"
        " idx, dim_order, json_array_length(dim_order) - 1)" OF_VALUE},
    [DG_VALUE_ORDER_CANONICAL] = {"dim-order-canonical",
        "SELECT printf('value %lld, sizes %s, has dim_order %s; expected %s', idx, shape,"
        " dim_order, CASE json_array_length(shape) WHEN 4 THEN '[0,1,2,3] or [0,2,3,1]'"
        " WHEN 5 THEN '[0,1,2,3,4] or [0,2,3,4,1]' ELSE (SELECT"
        "  json_group_array(key) FROM json_each(dim_order)) END),"
        " iif(EXISTS (SELECT 1 FROM operand WHERE value_id = v.id AND access = 'write'),"
        "  'note', NULL)" OF_VALUE},
    [DG_VALUE_DYNAMISM] = {"dynamism",
        "SELECT printf('value %lld, sizes %s, is %s; expected static or bounded sizes',"
        " idx, shape, iif(dynamism = 'unbounded', 'unbounded',"
        " 'of an unknown dynamism'))" OF_VALUE},
    [DG_VALUE_STORAGE_OFFSET] = {"storage-offset",
        "SELECT printf('value %lld has storage_offset %s; expected 0', idx,"
        " storage_offset)" OF_VALUE},
    [DG_VALUE_LAYOUT] = {"layout-strided",
        "SELECT printf('value %lld has layout %s; expected strided', idx, layout)"
        OF_VALUE},
};

/* clang-format on */

static enum dg_status find_fault(const struct dg_findings *found, struct dg_rows *rows,
                                 const struct dg_value_fault *fault,
                                 struct dg_error *err)
{
    struct dg_finding finding = {.value = fault->value};
    enum dg_status status;

    if (dg_find_full(found) && dg_rows_columns(rows) == 1)
        return dg_find(found, &finding, err);
    dg_rows_bind_int(rows, 1, fault->value);
    dg_rows_bind_int(rows, 2, fault->pos);
    dg_rows_bind_int(rows, 3, fault->item);
    if (!dg_rows_next(rows))
        return dg_rows_again(rows, err);
    finding.message = dg_rows_slice(rows, 0);
    if (dg_rows_columns(rows) > 1)
        finding.severity = dg_rows_text(rows, 1);
    status = dg_find(found, &finding, err);
    return status ? status : dg_rows_again(rows, err);
}

static enum dg_status find_faults(const struct dg_findings *found,
                                  const struct dg_value_scan *scan,
                                  enum dg_value_rule rule, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, found->store, faults[rule].message, err);

    if (status)
        return status;
    for (size_t i = 0; i < scan->n_faults && !status; i++) {
        if (scan->faults[i].rule == rule)
            status = find_fault(found, &rows, &scan->faults[i], err);
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_check_value_faults(const struct dg_findings *found,
                                     struct dg_error *err)
{
    const struct dg_value_scan *scan;
    enum dg_status status = dg_value_scan(&scan, found->store, err);
    enum dg_value_rule rule = 0;

    while (strcmp(faults[rule].rule, found->rule->name))
        rule++;
    return status || !scan->n_faults ? status : find_faults(found, scan, rule, err);
}
