/* Rows of delegate_node and delegate_value as XNNPACK's shapes need them. */
#include "graph/xnnpack_rows.h"

#include "base/int_list.h"

struct dg_xnn_shape dg_xnn_shape_said(const char *json)
{
    struct dg_xnn_shape shape;

    shape.rank = dg_int_list(json, shape.sizes, DG_XNN_RANK);
    return shape;
}

struct dg_xnn_shape dg_xnn_shape_in_order(struct dg_xnn_shape shape, const char *order)
{
    struct dg_xnn_shape dims = dg_xnn_shape_said(order), out = shape;

    for (int i = 0; dims.rank == shape.rank && i < shape.rank; i++) {
        if (dims.sizes[i] < 0 || dims.sizes[i] >= shape.rank)
            return shape;
        out.sizes[i] = shape.sizes[dims.sizes[i]];
    }
    return out;
}

struct dg_xnn_node dg_xnn_node_of(const struct dg_rows *row, int column)
{
    struct dg_xnn_node node = {.op = dg_rows_slice(row, column),
                               .flags = (uint32_t)dg_rows_int(row, column + 1)};

    column += 2;
#define NUMBER(field, name, other) node.field = dg_rows_int(row, column++);
    DG_XNN_NUMBERS(NUMBER)
#undef NUMBER
#define LIST(field, name) node.field = dg_xnn_shape_said(dg_rows_text(row, column++));
    DG_XNN_LISTS(LIST)
#undef LIST
    return node;
}
