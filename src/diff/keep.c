/* Differences as rows of a store: who asks SQL, and pictures and reports, read them
 * there. */
#include "base/json_writer.h"
#include "base/text.h"
#include "diff/diff.h"

static void put_ignored(struct dg_writer *out, unsigned ignored)
{
    struct dg_json_writer json = {.out = out};

    dg_put_array(&json, NULL);
    for (unsigned class = 1; dg_diff_class_name(class); class <<= 1) {
        if (ignored & class)
            dg_put_text(&json, NULL, dg_text(dg_diff_class_name(class)));
    }
    dg_put_end(&json);
    dg_json_written(&json);
}

static void put_unknown(struct dg_writer *out, const struct dg_diff *diff)
{
    struct dg_json_writer json = {.out = out};

    dg_put_array(&json, NULL);
    for (size_t i = 0; i < diff->n_unknown; i++)
        dg_put_text(&json, NULL, diff->unknown[i]);
    dg_put_end(&json);
    dg_json_written(&json);
}

static enum dg_status keep_comparison(const struct dg_diff *diff,
                                      struct dg_store *store, const char *old_path,
                                      struct dg_error *err)
{
    static const char *const results[] = {"same", "different", "unknown"};
    struct dg_writer summary = {0}, ignored = {0}, unknown = {0};
    struct dg_rows rows =
        dg_rows_all(store,
                    "INSERT INTO comparison(artifact_id, old, result, summary, ignored,"
                    " not_compared) SELECT min(id), ?1, ?2, ?3, ?4, ?5 FROM artifact"
                    " WHERE companion_of IS NULL",
                    err);

    dg_diff_write_sentence(&summary, diff);
    put_ignored(&ignored, diff->ignored);
    put_unknown(&unknown, diff);
    if (!rows.failed) {
        dg_rows_bind_text(&rows, 1, dg_text(old_path));
        dg_rows_bind_text(&rows, 2, dg_text(results[dg_diff_result(diff)]));
        dg_rows_bind_text(&rows, 3, dg_written(&summary));
        dg_rows_bind_text(&rows, 4, dg_written(&ignored));
        dg_rows_bind_text(&rows, 5, dg_written(&unknown));
        dg_rows_next(&rows);
    }
    dg_writer_clear(&summary);
    dg_writer_clear(&ignored);
    dg_writer_clear(&unknown);
    return dg_rows_close(&rows, DG_OK, err);
}

/* What is not bound is NULL. */
static void bind(struct dg_rows *rows, int parameter, struct dg_text text)
{
    if (text.data)
        dg_rows_bind_text(rows, parameter, text);
}

static void bind_row(struct dg_rows *rows, int parameter, int64_t row)
{
    if (row)
        dg_rows_bind_int(rows, parameter, row);
}

static enum dg_status keep_difference(struct dg_rows *rows,
                                      const struct dg_difference *item,
                                      struct dg_error *err)
{
    bind(rows, 1, dg_text(dg_diff_kind_name(item->kind)));
    bind(rows, 2, dg_text(dg_diff_change_name(item->change)));
    bind(rows, 3, dg_text(dg_diff_class_name(item->class)));
    bind(rows, 4, item->method);
    bind(rows, 5, item->graph);
    bind(rows, 6, item->module);
    bind(rows, 7, item->what);
    bind(rows, 8, item->name);
    bind(rows, 9, item->old);
    bind(rows, 10, item->new);
    bind(rows, 11, item->note);
    dg_rows_bind_int(rows, 12, item->count);
    bind_row(rows, 13, item->node);
    bind_row(rows, 14, item->old_node);
    dg_rows_next(rows);
    return dg_rows_again(rows, err);
}

static enum dg_status keep_differences(const struct dg_diff *diff,
                                       struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "INSERT INTO difference(comparison_id, kind, change, class, method, \"graph\","
        " module, what, name, old, new, note, count, node_id, old_node)"
        " VALUES ((SELECT max(id) FROM comparison), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
        " ?9, ?10, ?11, ?12, ?13, ?14)",
        err);

    if (status)
        return status;
    for (size_t i = 0; i < diff->n_items && !status; i++)
        status = keep_difference(&rows, &diff->items[i], err);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status keep_edges(const struct dg_diff *diff, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "INSERT INTO removed_edge(comparison_id, src_old, src_id, dst_old, dst_id)"
        " VALUES ((SELECT max(id) FROM comparison), ?1, ?2, ?3, ?4)",
        err);

    if (status)
        return status;
    for (size_t i = 0; i < diff->n_edges && !status; i++) {
        bind_row(&rows, 1, diff->edges[i].from_old);
        bind_row(&rows, 2, diff->edges[i].from);
        bind_row(&rows, 3, diff->edges[i].to_old);
        bind_row(&rows, 4, diff->edges[i].to);
        dg_rows_next(&rows);
        status = dg_rows_again(&rows, err);
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_diff_keep(const struct dg_diff *diff, struct dg_store *store,
                            const char *old_path, struct dg_error *err)
{
    enum dg_status status = keep_comparison(diff, store, old_path, err);

    if (!status)
        status = keep_differences(diff, store, err);
    return status ? status : keep_edges(diff, store, err);
}
