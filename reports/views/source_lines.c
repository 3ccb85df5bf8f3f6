/* The Python lines of what a picture shows. Looked up at the end, when a few hundred
 * boxes are left: a program has many more stack traces than that. */
#include "reports/views/read.h"
#include "store/line_sql.h"

static const char QUERY[] =
    "SELECT frame.file, frame.line FROM node"
    " JOIN frame ON frame.trace_id = node.trace_id"
    "  AND frame.pos = (SELECT pos" DG_SQL_OF_LINE("node.trace_id") ") WHERE node.id = ?1";

static struct dg_text file_and_line(struct dg_picture *picture,
                                    const struct dg_rows *rows)
{
    const char *path = dg_rows_text(rows, 0);
    const char *slash = strrchr(path, '/');
    const char *file = slash && slash[1] ? slash + 1 : path;

    if (dg_rows_null(rows, 1))
        return dg_format(&picture->memory, "%s", file);
    return dg_format(&picture->memory, "%s:%lld", file,
                     (long long)dg_rows_int(rows, 1));
}

enum dg_status dg_view_load_lines(struct dg_picture *picture,
                                  const struct dg_view_input *in)
{
    struct dg_rows rows = dg_rows_of(in->store, QUERY, 0, in->err);
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < picture->n_boxes; i++) {
        struct dg_box *box = &picture->boxes[i];

        if (!box->drawn || !box->node)
            continue;
        dg_rows_bind_int(&rows, 1, box->node);
        if (dg_rows_next(&rows))
            box->source = file_and_line(picture, &rows);
        status = dg_rows_again(&rows, in->err);
    }
    return dg_rows_close(&rows, status, in->err);
}
