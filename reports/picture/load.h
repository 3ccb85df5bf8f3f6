/* Reading a picture from a store, table by table. */
#ifndef DG_REPORTS_PICTURE_LOAD_H
#define DG_REPORTS_PICTURE_LOAD_H

#include "reports/picture/picture.h"

struct dg_picture_loading {
    struct dg_picture *picture;
    struct dg_store *store;
    const struct dg_view_options *options;
    struct dg_error *err;
    size_t *box_of_node;  /* by row, up to n_nodes; SIZE_MAX: not in the picture */
    size_t *box_of_value; /* likewise: the box that makes it */
    int64_t n_nodes, n_values;
};

/* What follows the WHERE of a query over `graph` and `method`. */
#define DG_PICTURE_CHOSEN                                                              \
    " (?1 IS NULL OR method.name = ?1) AND (?3 = 0 OR method.artifact_id = ?3)"        \
    " AND (?2 IS NULL OR graph.path = ?2 OR"                                           \
    "      substr(graph.path, 1, length(?2) + 1) = ?2 || '.')"

/* Open such a query: ?1 is the method, ?2 the path of a graph, ?3 the artifact. */
enum dg_status dg_picture_open(struct dg_rows *rows,
                               const struct dg_picture_loading *loading,
                               const char *sql);

struct dg_text dg_picture_copy(struct dg_picture *picture, const struct dg_rows *rows,
                               int column);

/* "f32[1,16]@cuda:0" from the two columns of DG_PICTURE_TYPE, without a device for host
 * memory; NULL when there is no dtype. */
#define DG_PICTURE_TYPE                                                                \
    " value.dtype, value.shape || iif(value.device <> 'cpu', '@' || value.device, '')"
struct dg_text dg_picture_value(struct dg_picture *picture, const struct dg_rows *rows,
                                int dtype);

/* How a node of that kind is drawn: columns node.kind and op.name. */
enum dg_box_kind dg_picture_box_kind(struct dg_text kind, struct dg_text op);

/* The box of a row, or SIZE_MAX. */
size_t dg_picture_find(const size_t *boxes, int64_t n_rows, int64_t row);

/* Title and path of the picture: of one artifact, or (0) of the only one. */
enum dg_status dg_picture_load_title(const struct dg_picture_loading *loading,
                                     int64_t artifact);

enum dg_status dg_picture_load_nodes(struct dg_picture_loading *loading);

/* What edges do not show: which inputs are weights; of a .pte inputs, outputs
 * and constants. */
enum dg_status dg_picture_load_values(struct dg_picture_loading *loading);

/* Partitions of the newest plan as frames, with what breaks its rules; after edges. */
enum dg_status dg_picture_load_plan(struct dg_picture_loading *loading);

/* Findings of rules about plans: which boxes and links they name. */
enum dg_status dg_picture_load_offenders(struct dg_picture_loading *loading);

/* The frame of a module inside `frame`; made when it is new. */
size_t dg_picture_module_frame(struct dg_picture *picture, size_t frame,
                               struct dg_text fqn);

/* Jumps of a .pte, and the blocks of instructions between them as frames. */
enum dg_status dg_picture_load_flow(struct dg_picture_loading *loading);

#endif
