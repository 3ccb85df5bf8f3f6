/* Rows of tables on their way to a server, program by program. */
#include <string.h>

#include "postgres/push_parts.h"

enum { AT_ONCE = 1 << 16 }; /* bytes of lines that are sent together */

/* A cursor that ended says whether it came to the end. */
static enum dg_status advance(struct dg_push_cursor *cursor, struct dg_error *err)
{
    if (dg_rows_next(&cursor->rows))
        return DG_OK;
    cursor->ended = true;
    return dg_rows_close(&cursor->rows, DG_OK, err);
}

enum dg_status dg_push_begin(struct dg_push_cursor *cursor, struct dg_push *push,
                             const char *sql, struct dg_text given,
                             struct dg_error *err)
{
    enum dg_status status = dg_rows_open(&cursor->rows, push->store, sql, err);

    cursor->ended = status;
    if (status)
        return status;
    dg_rows_bind_text(&cursor->rows, 1, given);
    return advance(cursor, err);
}

enum dg_status dg_push_end(struct dg_push_cursor *cursor, enum dg_status status,
                           struct dg_error *err)
{
    if (!cursor->ended)
        status = dg_rows_close(&cursor->rows, status, err);
    cursor->ended = true;
    return status;
}

/* Builds are of no program alone: push_builds.c sees to them. */
static bool is_of_builds(const char *table)
{
    static const char *const names[] = {"build", "build_label", "measure"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!strcmp(names[i], table))
            return true;
    }
    return false;
}

enum dg_status dg_push_open_cursors(struct dg_push *push, struct dg_error *err)
{
    struct dg_writer list = {0};
    struct dg_text given;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < push->n_files; i++) {
        if (!push->files[i].there)
            dg_print(&list, "%s%lld", list.size ? "," : "[",
                     (long long)push->files[i].artifact);
    }
    dg_print(&list, list.size ? "]" : "[]");
    given = dg_keep(&push->memory, &list);
    push->cursors =
        dg_alloc(&push->memory, push->catalog.n_tables + 1, sizeof(*push->cursors));
    for (size_t i = 0; i < push->catalog.n_tables && !status; i++) {
        const struct dg_catalog_table *table = &push->catalog.tables[i];
        struct dg_push_cursor *cursor = &push->cursors[push->n_cursors];

        if (!table->rows_sql || is_of_builds(table->name))
            continue;
        cursor->table = table;
        push->n_cursors++;
        status = dg_push_begin(cursor, push, table->rows_sql, given, err);
    }
    return status;
}

enum dg_status dg_push_close_cursors(struct dg_push *push, enum dg_status status,
                                     struct dg_error *err)
{
    for (size_t i = 0; i < push->n_cursors && !status; i++) {
        if (!push->cursors[i].ended)
            status =
                dg_fail(err, DG_ERR_IO, "rows of %s are not in the order of programs",
                        push->cursors[i].table->name);
    }
    for (size_t i = 0; i < push->n_cursors; i++)
        status = dg_push_end(&push->cursors[i], status, err);
    return status;
}

static bool is_at(const struct dg_push_cursor *cursor, int64_t program)
{
    return !cursor->ended && dg_rows_int(&cursor->rows, 0) == program;
}

enum dg_status dg_push_skip(struct dg_push_cursor *cursor, int64_t program,
                            struct dg_error *err)
{
    enum dg_status status = DG_OK;

    while (!status && is_at(cursor, program))
        status = advance(cursor, err);
    return status;
}

/* Lines of rows of the program that the cursor is at, as many as are sent together. */
static enum dg_status write_lines(struct dg_push *push, struct dg_push_cursor *cursor,
                                  int64_t program, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    while (!status && is_at(cursor, program) && push->lines.size < AT_ONCE) {
        dg_copy_row(&push->lines, cursor->table, &cursor->rows, 1, &push->shift);
        push->pushed->rows++;
        status = advance(cursor, err);
    }
    return status;
}

/* The first lines are written before the server is asked to take them: it is still busy
 * with those of the table before. */
enum dg_status dg_push_table(struct dg_push *push, struct dg_push_cursor *cursor,
                             int64_t program, struct dg_error *err)
{
    struct dg_writer sql = {0};
    enum dg_status status;

    if (!is_at(cursor, program))
        return DG_OK;
    push->lines.size = 0;
    status = write_lines(push, cursor, program, err);
    dg_copy_begin(&sql, cursor->table);
    if (!status)
        status = dg_server_run(&push->server, sql.data, err);
    dg_writer_clear(&sql);
    while (!status && push->lines.size) {
        status = dg_server_send(&push->server, &push->lines, err);
        if (!status)
            status = write_lines(push, cursor, program, err);
    }
    return status ? status : dg_server_end_copy(&push->server, err);
}
