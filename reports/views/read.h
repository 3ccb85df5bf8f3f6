/* What a view reads from, and what all views ask of it. */
#ifndef DG_REPORTS_VIEWS_READ_H
#define DG_REPORTS_VIEWS_READ_H

#include "reports/picture/picture.h"
#include "reports/views/view.h"
#include "store/store.h"

struct dg_view_input {
    struct dg_store *store;
    const struct dg_view_options *options;
    struct dg_error *err;
};

/* What follows the WHERE of a query over `graph` and `method`. */
#define DG_VIEW_CHOSEN                                                                 \
    " (?1 IS NULL OR method.name = ?1) AND (?3 = 0 OR method.artifact_id = ?3)"        \
    " AND (?2 IS NULL OR graph.path = ?2 OR"                                           \
    "      substr(graph.path, 1, length(?2) + 1) = ?2 || '.')"

/* Open such a query: ?1 is the method, ?2 the path of a graph, ?3 the artifact. */
enum dg_status dg_view_open(struct dg_rows *rows, const struct dg_view_input *in,
                            const char *sql);

/* "f32[1,16]@cuda:0" from the two columns of DG_VIEW_TYPE, without a device for host
 * memory; NULL when there is no dtype. */
#define DG_VIEW_TYPE                                                                   \
    " value.dtype, value.shape || iif(value.device <> 'cpu', '@' || value.device, '')"
struct dg_text dg_view_type(struct dg_arena *memory, const struct dg_rows *rows,
                            int dtype);

/* Title and path of a picture: of one artifact, or (0) of the only one. */
enum dg_status dg_view_title(struct dg_picture *picture, const struct dg_view_input *in,
                             int64_t artifact);

/* The same of the artifact that was asked for, and the frame around all. */
enum dg_status dg_view_begin(struct dg_picture *picture,
                             const struct dg_view_input *in);

/* DG_ERR_USAGE where a graph or method was asked for and nothing was found; `what`
 * begins the message: "no ". */
enum dg_status dg_view_check_chosen(const struct dg_view_input *in, size_t n_found,
                                    const char *what);

/* The Python lines of the boxes that are drawn: when a few hundred are left. */
enum dg_status dg_view_load_lines(struct dg_picture *picture,
                                  const struct dg_view_input *in);

#endif
