/* info for people: signatures first, then what runs, then where the bytes are. */
#include "base/quantity.h"
#include "base/sorted.h"
#include "graph/promise_sql.h"
#include "graph/runnable.h"
#include "reports/info_lines.h"
#include "reports/page/text_drawing.h"
#include "reports/report.h"
#include "reports/rows.h"

enum { MOST_BOUNDARIES = 12, LABEL = 14, BAR = 10 };

struct info {
    struct dg_writer *out;
    struct dg_store *store;
    const struct dg_report_options *options;
    bool has[DG_N_ABOUT];
    struct dg_error *err;
};

static void begin_item(struct dg_writer *out, const struct dg_info_line *line, int n,
                       bool stacked)
{
    if (!n)
        dg_print(out, "  %-*s", LABEL, line->label);
    else if (stacked)
        dg_print(out, "\n  %-*s", LABEL, "");
    else
        dg_print(out, ", ");
}

static void write_item(struct dg_writer *out, const struct dg_rows *rows, bool bar,
                       const struct dg_report_options *options)
{
    if (bar) {
        const struct dg_page_options how = {.color = options->color};

        dg_write_tone(out, DG_TONE_NOTE, &how);
        dg_write_bar(out, dg_rows_double(rows, 2), BAR, true, options->ascii);
        dg_write_end_tone(out, &how);
        dg_write(out, " ", 1);
    }
    dg_write_plain(out, dg_rows_slice(rows, 0));
    if (!dg_rows_null(rows, 1)) {
        dg_write(out, " ", 1);
        dg_write_size(out, dg_rows_int(rows, 1));
    }
}

/* Those that are called most first. */
static int by_calls(const void *a, const void *b)
{
    const struct dg_called_op *const *x = a, *const *y = b;

    if ((*x)->n != (*y)->n)
        return (*x)->n < (*y)->n ? 1 : -1;
    return dg_text_compare((*x)->op, (*y)->op);
}

/* Operators without a kernel, in `missing`, which has room for all. */
static size_t find_missing(const struct dg_called_op **missing,
                           const struct dg_runnable *runnable)
{
    size_t n = 0;

    for (size_t i = 0; i < runnable->n_ops; i++) {
        if (!runnable->ops[i].cpu)
            missing[n++] = &runnable->ops[i];
    }
    dg_sort(missing, n, sizeof(*missing), by_calls);
    return n;
}

static void write_missing(struct dg_writer *out, const struct dg_called_op *op)
{
    dg_print(out, "not ");
    dg_write_plain(out, op->op);
    if (op->n > 1)
        dg_print(out, " x%lld", (long long)op->n);
}

static void write_runnable(struct dg_writer *out, const struct dg_runnable *runnable,
                           const struct dg_info_line *line)
{
    struct dg_runnable_sums sums = dg_runnable_sums(runnable);
    struct dg_arena memory = {0};
    const struct dg_called_op **missing =
        dg_alloc(&memory, runnable->n_ops, sizeof(*missing));
    size_t n = find_missing(missing, runnable), most = (size_t)line->most - 2;

    if (sums.nodes) {
        begin_item(out, line, 0, false);
        dg_print(out, "%lld of %lld node%s on the CPU, %lld on CUDA", (long long)sums.cpu,
                 (long long)sums.nodes, sums.nodes == 1 ? "" : "s",
                 (long long)sums.cuda);
        for (size_t i = 0; i < n && i < most; i++) {
            begin_item(out, line, 2, false);
            write_missing(out, missing[i]);
        }
        if (n > most)
            dg_print(out, ", and %zu more", n - most);
        dg_print(out, "\n");
    }
    dg_arena_clear(&memory);
}

static enum dg_status write_line(const struct info *info, const struct dg_info_line *line,
                                 int64_t id)
{
    struct dg_writer *out = info->out;
    struct dg_rows rows = dg_rows_of(info->store, line->sql, id, info->err);
    bool shares;
    int n = 0;

    shares = info->options->width && dg_rows_columns(&rows) > 2;
    for (; dg_rows_next(&rows); n++) {
        if (n >= line->most)
            continue;
        begin_item(out, line, n, line->stacked || shares);
        write_item(out, &rows, shares && !dg_rows_null(&rows, 2), info->options);
    }
    if (n > line->most) {
        begin_item(out, line, n, line->stacked || shares);
        dg_print(out, "and %d more", n - line->most);
    }
    dg_print(out, n ? "\n" : "");
    return dg_rows_close(&rows, DG_OK, info->err);
}

static enum dg_status write_lines(const struct info *info, const struct dg_info_line *line,
                                  int64_t id)
{
    enum dg_status status = DG_OK;

    for (; line->label && !status; line++) {
        struct dg_runnable runnable;

        if (!line->sql) {
            runnable = dg_runnable(info->store, id);
            write_runnable(info->out, &runnable, line);
        } else if (info->has[line->about]) {
            status = write_line(info, line, id);
        }
    }
    return status;
}

/* What a caller passes and gets; parameters, buffers and mutations are not his. */
static const char boundary_sql[] =
    "SELECT signature.name, coalesce(dtype, signature.kind), shape AS \"shape:json\","
    " nullif(device, 'cpu') FROM signature LEFT JOIN value ON value.id = value_id"
    " WHERE signature.graph_id = " DG_SQL_OWN_GRAPH " AND direction = ?2"
    " AND (spec IS NULL OR spec IN ('user_input', 'user_output', 'loss_output'))"
    " ORDER BY pos";

static void write_boundary(struct dg_writer *out, const struct dg_rows *rows)
{
    if (!dg_rows_null(rows, 0)) {
        dg_write_plain(out, dg_rows_slice(rows, 0));
        dg_write(out, " ", 1);
    }
    dg_write_plain(out, dg_rows_slice(rows, 1));
    if (!dg_rows_null(rows, 2))
        dg_write_cell_text(out, rows, 2);
    if (!dg_rows_null(rows, 3)) {
        dg_write(out, "@", 1);
        dg_write_plain(out, dg_rows_slice(rows, 3));
    }
}

static enum dg_status write_boundaries(const struct info *info, int64_t method,
                                       const char *direction)
{
    struct dg_writer *out = info->out;
    struct dg_rows rows = dg_rows_of(info->store, boundary_sql, method, info->err);
    int n = 0;

    dg_rows_bind_text(&rows, 2, dg_text(direction));
    dg_write(out, "(", 1);
    for (; dg_rows_next(&rows); n++) {
        if (n >= MOST_BOUNDARIES)
            continue;
        dg_print(out, n ? ", " : "");
        write_boundary(out, &rows);
    }
    if (n > MOST_BOUNDARIES)
        dg_print(out, ", and %d more", n - MOST_BOUNDARIES);
    dg_write(out, ")", 1);
    return dg_rows_close(&rows, DG_OK, info->err);
}

static enum dg_status write_method(const struct info *info,
                                   const struct dg_rows *method)
{
    int64_t id = dg_rows_int(method, 0);
    enum dg_status status;

    dg_print(info->out, "method ");
    dg_write_plain(info->out, dg_rows_slice(method, 1));
    status = write_boundaries(info, id, "input");
    dg_print(info->out, " -> ");
    if (!status)
        status = write_boundaries(info, id, "output");
    dg_print(info->out, "\n");
    return status ? status : write_lines(info, dg_info_method_lines, id);
}

static enum dg_status write_methods(const struct info *info)
{
    struct dg_rows rows = dg_rows_of(
        info->store, "SELECT id, name FROM method WHERE artifact_id = ?1 ORDER BY id",
        info->options->artifact, info->err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = write_method(info, &rows);
    return dg_rows_close(&rows, status, info->err);
}

static enum dg_status write_artifact(const struct info *info)
{
    struct dg_writer *out = info->out;
    struct dg_rows rows = dg_rows_of(
        info->store,
        "SELECT path, kind, size_bytes, container, sha256,"
        " (SELECT group_concat(key || ' ' || value, ', ') FROM json_each(version)"
        "   WHERE value IS NOT NULL AND type NOT IN ('object', 'array')"
        "   AND key NOT GLOB '*_size' AND key NOT GLOB '*_offset'"
        "   AND key NOT GLOB '*_bytes'),"
        " 'cut off: ' || nullif(" DG_SQL_MISSING_BYTES ", 0) || ' bytes are missing'"
        " FROM artifact WHERE id = ?1",
        info->options->artifact, info->err);

    if (dg_rows_next(&rows)) {
        dg_write_plain(out, dg_rows_slice(&rows, 0));
        dg_print(out, ": ");
        dg_write_plain(out, dg_rows_slice(&rows, 1));
        dg_print(out, ", ");
        dg_write_size(out, dg_rows_int(&rows, 2));
        for (int i = 3; i <= 6; i++) {
            if (dg_rows_null(&rows, i) || !dg_rows_slice(&rows, i).size)
                continue;
            dg_print(out, i == 4 ? ", sha256 " : ", ");
            dg_write_plain(out, dg_rows_slice(&rows, i));
        }
        dg_print(out, "\n");
    }
    return dg_rows_close(&rows, DG_OK, info->err);
}

static enum dg_status write(struct dg_writer *out, struct dg_store *store,
                            const struct dg_report_options *options,
                            struct dg_error *err)
{
    struct info info = {.out = out, .store = store, .options = options, .err = err};
    bool wanted[DG_N_ABOUT] = {[DG_ABOUT_ANY] = true};
    enum dg_status status;

    for (const struct dg_info_line *line = dg_info_method_lines; line->label; line++)
        wanted[line->about] = true;
    for (const struct dg_info_line *line = dg_info_artifact_lines; line->label; line++)
        wanted[line->about] = true;
    status = dg_about_read(info.has, wanted, store, err);
    if (!status)
        status = write_artifact(&info);
    if (!status)
        status = write_methods(&info);
    if (status)
        return status;
    dg_print(out, "file\n");
    return write_lines(&info, dg_info_artifact_lines, options->artifact);
}

const struct dg_report dg_report_info_text = {
    "info-text",
    "what an artifact holds, for people",
    write,
};
