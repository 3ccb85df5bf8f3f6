/* Which builds of a store are meant, for all who compare them. */
#ifndef DG_GRAPH_BUILDS_H
#define DG_GRAPH_BUILDS_H

#include "store/store.h"

struct dg_build_choice {
    const char *name;      /* NULL: all names */
    struct dg_text labels; /* a JSON object: those that a build has to have */
    int64_t last;          /* so many of each name, the newest; 0: all */
};

/* Whether the row `build`, whose number is `id`, has the name and the labels. */
#define DG_SQL_IS_MEANT(build, id)                                                     \
    "(?1 IS NULL OR " build ".name = ?1) AND NOT EXISTS"                               \
    " (SELECT 1 FROM json_each(?2) AS wanted WHERE NOT EXISTS (SELECT 1"               \
    "   FROM build_label AS l WHERE l.build_id = " build "." id                        \
    "    AND l.name = wanted.key AND l.value = wanted.value))"

/* Begins a query: table `build` has the rows of v_build that are meant, `nth` (1: the
 * newest of its name) and `n_builds`, how many of its name there are, older ones than
 * the last counted. */
#define DG_SQL_BUILDS DG_SQL_NEWEST_BUILDS("?3")

/* The same with the one before them, where there is one: its `nth` is ?3 + 1. */
#define DG_SQL_BUILDS_AND_BEFORE DG_SQL_NEWEST_BUILDS("?3 + 1")

#define DG_SQL_NEWEST_BUILDS(last)                                                     \
    "WITH build AS (SELECT * FROM (SELECT v_build.*,"                                  \
    "   row_number() OVER (PARTITION BY name ORDER BY build_id DESC) AS nth,"          \
    "   count(*) OVER (PARTITION BY name) AS n_builds FROM v_build"                    \
    "   WHERE " DG_SQL_IS_MEANT("v_build", "build_id") ") WHERE nth <= " last ")"

/* "branch=main day=3", or NULL. Not by `labels`: JSON of SQLite takes no control
 * characters that a name may have. */
#define DG_SQL_LABEL_WORDS                                                             \
    "(SELECT group_concat(name || '=' || value, ' ') FROM (SELECT name, value"         \
    "   FROM build_label WHERE build_label.build_id = build.build_id ORDER BY name))"

/* Rows of a query that begins so. The store has its views. */
enum dg_status dg_builds_open(struct dg_rows *rows, struct dg_store *store,
                              const char *sql, const struct dg_build_choice *choice,
                              struct dg_error *err);

/* DG_ERR_USAGE where none is meant, and why that is. */
enum dg_status dg_builds_check(struct dg_store *store,
                               const struct dg_build_choice *choice,
                               struct dg_error *err);

#endif
