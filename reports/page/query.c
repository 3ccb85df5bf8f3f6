/* Tables of a report: columns by their names, rows from those of a query. */
#include "reports/page/page.h"

#include <string.h>

static enum dg_cell_kind kind_named(const char *mark)
{
    static const char *const names[] = {
        [DG_CELL_TEXT] = "text",         [DG_CELL_CODE] = "code",
        [DG_CELL_COUNT] = "count",       [DG_CELL_BYTES] = "bytes",
        [DG_CELL_PERCENT] = "percent",   [DG_CELL_REAL] = "real",
        [DG_CELL_NODE] = "node",         [DG_CELL_FINDING] = "finding",
        [DG_CELL_SEVERITY] = "severity", [DG_CELL_TREND] = "trend",
    };

    for (size_t i = 0; mark && i < sizeof(names) / sizeof(*names); i++)
        if (!strcmp(names[i], mark))
            return (enum dg_cell_kind)i;
    return DG_CELL_TEXT;
}

static void add_column(struct dg_page *page, const char *name)
{
    const char *mark = strrchr(name, ':');
    struct dg_text title = {name, mark ? (size_t)(mark - name) : strlen(name)};

    dg_table_column(page, dg_copy(&page->memory, title),
                    kind_named(mark ? mark + 1 : NULL));
}

void dg_table_columns(struct dg_page *page, ...)
{
    va_list names;
    const char *name;

    va_start(names, page);
    while ((name = va_arg(names, const char *)))
        add_column(page, name);
    va_end(names);
}

static void add_row(struct dg_page *page, const struct dg_rows *rows)
{
    for (int i = 0; i < dg_rows_columns(rows); i++) {
        char type = dg_rows_type(rows, i);

        if (type == 'n')
            dg_table_none(page);
        else if (type == 'i' || type == 'f')
            dg_table_number(page, dg_rows_double(rows, i));
        else
            dg_table_text(page, dg_rows_slice(rows, i));
    }
}

enum dg_status dg_page_rows(struct dg_page *page, const char *id, const char *caption,
                            struct dg_rows *rows, size_t most, const char *more,
                            size_t *n_rows, struct dg_error *err)
{
    size_t n = 0;

    for (; dg_rows_next(rows); n++) {
        if (!n) {
            dg_page_table(page, id, caption);
            for (int i = 0; i < dg_rows_columns(rows); i++)
                add_column(page, dg_rows_column(rows, i));
        }
        if (!most || n < most)
            add_row(page, rows);
    }
    if (most && n > most)
        dg_table_more(page, n - most, "%s", more ? more : "");
    if (n_rows)
        *n_rows = n;
    return dg_rows_close(rows, DG_OK, err);
}

enum dg_status dg_page_query(struct dg_page *page, const char *id, const char *caption,
                             struct dg_store *store, const char *sql, int64_t row,
                             size_t most, const char *more, size_t *n_rows,
                             struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, sql, row, err);

    return dg_page_rows(page, id, caption, &rows, most, more, n_rows, err);
}
