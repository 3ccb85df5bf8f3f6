/* Rows of delegate_node and delegate_value as XNNPACK's shapes need them. */
#ifndef DG_GRAPH_XNNPACK_ROWS_H
#define DG_GRAPH_XNNPACK_ROWS_H

#include "base/xnnpack_shapes.h"
#include "store/store.h"

/* SQL of the columns of `delegate_node AS n` that dg_xnn_node_of() reads, DG_XNN_COLUMNS
 * of them. */
#define DG_XNN_NUMBER_SQL(field, name, other)                                          \
    ", coalesce(json_extract(n.args, '$." name "'), json_extract(n.args, '$." other    \
    "'), 0)"
#define DG_XNN_LIST_SQL(field, name) ", json_extract(n.args, '$." name "')"
#define DG_XNN_NODE_SQL                                                                \
    "n.op, n.flags" DG_XNN_NUMBERS(DG_XNN_NUMBER_SQL) DG_XNN_LISTS(DG_XNN_LIST_SQL)

/* Kinds whose results the runtime clamps to the range that they say. */
#define DG_XNN_CLAMPED_SQL                                                             \
    "'Add', 'Subtract', 'Multiply', 'Div', 'Clamp', 'FullyConnected', 'Conv2d',"       \
    " 'DepthwiseConv2d', 'ConvTranspose2d', 'AvgPooling2d', 'MaxPooling2d',"           \
    " 'GlobalAvgPooling2d'"

#define DG_XNN_ONE(...) +1
enum { DG_XNN_COLUMNS = 2 DG_XNN_NUMBERS(DG_XNN_ONE) DG_XNN_LISTS(DG_XNN_ONE) };

/* The node without its inputs; its name is the row's. */
struct dg_xnn_node dg_xnn_node_of(const struct dg_rows *row, int first_column);

/* "[1,3,8,8]"; rank -1: more dimensions than the runtime knows, or no list. */
struct dg_xnn_shape dg_xnn_shape_said(const char *json);

/* As it lies in memory, by the order of dimensions that JSON says. */
struct dg_xnn_shape dg_xnn_shape_in_order(struct dg_xnn_shape shape, const char *order);

#endif
