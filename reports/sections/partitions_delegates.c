/* The delegates that a program has: a table, and pictures of the largest. */
#include <inttypes.h>

#include "reports/sections/partitions_parts.h"

enum { MOST_PICTURES = 6, MOST_BOXES = 60 };

/* Delegates that keep what they were lowered from, the largest first. */
static const char lowered_sql[] =
    "SELECT delegate.idx, coalesce(backend, 'no backend'), method.name, path,"
    " (SELECT count(*) FROM node WHERE graph_id = graph.id) AS size, delegate.id"
    " FROM delegate JOIN graph ON graph.id = graph_id JOIN method ON method.id = "
    "delegate.method_id"
    " WHERE artifact_id = ?1 AND path <> ''"
    " ORDER BY size DESC, delegate.id LIMIT ?2";

static enum dg_status draw_one(struct dg_page *page,
                               const struct dg_report_input *input,
                               const struct dg_rows *rows, struct dg_error *err)
{
    struct dg_arena *kept = &page->memory;
    struct dg_view_options options = {.method = dg_copy(kept, dg_rows_slice(rows, 2)),
                                      .graph = dg_copy(kept, dg_rows_slice(rows, 3)),
                                      .max_boxes = MOST_BOXES};
    const char *id =
        dg_format(kept, "delegate-%lld", (long long)dg_rows_int(rows, 5)).data;
    const char *title =
        dg_format(kept, "What delegate %lld (%s) was lowered from",
                  (long long)dg_rows_int(rows, 0), dg_rows_text(rows, 1))
            .data;
    enum dg_status status;

    dg_page_open(page, NULL, false, "Picture of delegate %lld (%s): %lld nodes",
                 (long long)dg_rows_int(rows, 0), dg_rows_text(rows, 1),
                 (long long)dg_rows_int(rows, 4));
    status = dg_section_picture(page, input, id, title, &dg_view_graph, &options, err);
    dg_page_close(page);
    return status;
}

static enum dg_status draw(struct dg_page *page, const struct dg_report_input *input,
                           struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = DG_OK;

    if (!input->pictures)
        return DG_OK;
    rows = dg_rows_of(input->store, lowered_sql, input->artifact, err);
    dg_rows_bind_int(&rows, 2, MOST_PICTURES);
    page->forms = DG_FORM_HTML;
    while (!status && dg_rows_next(&rows))
        status = draw_one(page, input, &rows, err);
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_partitions_delegates(struct dg_page *page,
                                       const struct dg_report_input *input,
                                       struct dg_error *err)
{
    enum dg_status status =
        dg_section_rows(page, input, "delegates", input->artifact, NULL, err);

    return status ? status : draw(page, input, err);
}
