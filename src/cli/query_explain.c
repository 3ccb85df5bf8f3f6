/* What was meant by names in SQL that are not there. */
#define _GNU_SOURCE
#include "cli/query_explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

/* Words that could be meant. */
struct words {
    const char **items;
    size_t n_items;
    struct dg_arena memory;
};

/* The first column of `sql` from `column` on. */
static void add_words(struct words *words, struct dg_store *store, const char *sql,
                      int column)
{
    struct dg_error ignored = {0};
    struct dg_rows rows;

    if (dg_rows_open(&rows, store, sql, &ignored))
        return;
    while (dg_rows_next(&rows))
        *DG_APPEND(words->items, words->n_items) =
            dg_copy(&words->memory, dg_rows_slice(&rows, column));
    dg_rows_close(&rows, DG_OK, &ignored);
}

static void clear(struct words *words)
{
    free(words->items);
    dg_arena_clear(&words->memory);
}

/* Views without "v_". Tables are not to be relied upon. */
static void add_views(struct words *views, struct dg_store *store)
{
    add_words(views, store,
              "SELECT substr(name, 3) FROM (SELECT * FROM sqlite_schema UNION ALL"
              " SELECT * FROM sqlite_temp_schema) WHERE type = 'view'"
              " AND name GLOB 'v_*' ORDER BY name",
              0);
}

/* "nodes" means v_node. */
static void explain_view(struct dg_store *store, const char *wrong,
                         struct dg_error *err)
{
    struct dg_error said = *err;
    struct words views = {0};
    const char *near;

    add_views(&views, store);
    near = dg_nearest(wrong + (strncmp(wrong, "v_", 2) ? 0 : 2), views.items,
                      views.n_items);
    if (near)
        dg_fail(err, said.status, "%.300s; did you mean v_%s?", said.text, near);
    clear(&views);
}

/* "n.nmae" means the name of a view that `sql` speaks of. */
static void explain_column(struct dg_store *store, const char *sql, const char *wrong,
                           struct dg_error *err)
{
    struct dg_error said = *err;
    struct words views = {0}, columns = {0};
    const char *dot = strrchr(wrong, '.'), *near;

    add_views(&views, store);
    for (size_t i = 0; i < views.n_items; i++) {
        const char *view = dg_format(&views.memory, "v_%s", views.items[i]).data;

        if (strcasestr(sql, view))
            add_words(&columns, store,
                      dg_format(&views.memory, "PRAGMA table_info(%s)", view).data, 1);
    }
    near = dg_nearest(dot ? dot + 1 : wrong, columns.items, columns.n_items);
    if (near)
        dg_fail(err, said.status, "%.300s; did you mean %s?", said.text, near);
    clear(&views);
    clear(&columns);
}

enum dg_status dg_query_explain(struct dg_store *store, const char *sql,
                                struct dg_error *err)
{
    static const char table[] = "no such table: ", column[] = "no such column: ";
    const struct dg_error said = *err;
    const char *text = strstr(said.text, "no such ");

    if (text && !strncmp(text, table, strlen(table)))
        explain_view(store, text + strlen(table), err);
    if (text && !strncmp(text, column, strlen(column)))
        explain_column(store, sql, text + strlen(column), err);
    return said.status;
}

/* Of a node inside of a delegate, by any of its names, a call of that; NULL: it is
 * none.
 */
static const char *call_around(struct dg_store *store, const char *name,
                               struct dg_arena *memory)
{
    struct dg_error ignored = {0};
    struct dg_rows rows = dg_rows_all(
        store,
        "SELECT c.name FROM delegate_node AS n JOIN delegate_graph AS g"
        "  ON g.id = n.graph_id JOIN delegate ON inside_id = g.id"
        "  JOIN node AS c ON c.delegate_id = delegate.id WHERE n.name = ?1 OR"
        "  n.name = substr(?1, instr(?1, '/') + 1) AND"
        "  substr(?1, 1, instr(?1, '/') - 1) IN (c.name, g.path) ORDER BY c.id",
        &ignored);
    const char *found = NULL;

    dg_rows_bind_text(&rows, 1, dg_text(name));
    if (dg_rows_next(&rows))
        found = dg_copy(memory, dg_rows_slice(&rows, 0));
    dg_rows_close(&rows, DG_OK, &ignored);
    return found;
}

enum dg_status dg_query_find_node(struct dg_store *store, const char *name,
                                  struct dg_error *err)
{
    struct words nodes = {0};
    bool found = false;
    const char *near, *call;

    add_words(&nodes, store, "SELECT DISTINCT name FROM node", 0);
    for (size_t i = 0; i < nodes.n_items && !found; i++)
        found = !strcmp(nodes.items[i], name);
    near = found ? NULL : dg_nearest(name, nodes.items, nodes.n_items);
    call = found ? NULL : call_around(store, name, &nodes.memory);
    if (call)
        dg_fail(err, DG_ERR_USAGE,
                "\"%.80s\" is a node inside of a delegate, which this question does not"
                " look into: ask about its call, %.80s, or see show and dot --around",
                name, call);
    else if (!found)
        dg_fail(err, DG_ERR_USAGE, "no node \"%.80s\"%s%.80s%s", name,
                near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    clear(&nodes);
    return found ? DG_OK : DG_ERR_USAGE;
}
