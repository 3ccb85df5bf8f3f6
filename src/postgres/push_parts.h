/* What the parts of a push share. */
#ifndef DG_POSTGRES_PUSH_PARTS_H
#define DG_POSTGRES_PUSH_PARTS_H

#include "postgres/copy.h"
#include "postgres/push.h"
#include "store/catalog.h"

/* A program of the store, or a companion: they stand behind their program. */
struct dg_push_file {
    int64_t artifact, program;
    const char *key; /* SHA-256; of a companion behind that of its program */
    bool there;      /* when the push began */
};

/* Rows of a table, program by program, each behind the artifact of its program. */
struct dg_push_cursor {
    const struct dg_catalog_table *table;
    struct dg_rows rows;
    bool ended;
};

struct dg_push {
    struct dg_store *store;
    struct dg_server server;
    struct dg_catalog catalog;
    struct dg_push_file *files;
    size_t n_files;
    struct dg_push_cursor *cursors; /* of tables that have rows of programs */
    size_t n_cursors;
    struct dg_pg_shift shift;
    struct dg_writer lines;
    struct dg_pushed *pushed;
    struct dg_arena memory;
};

/* Open a cursor with ?1 = `given`, at its first row; end it, also after a failure. */
enum dg_status dg_push_begin(struct dg_push_cursor *cursor, struct dg_push *push,
                             const char *sql, struct dg_text given,
                             struct dg_error *err);
enum dg_status dg_push_end(struct dg_push_cursor *cursor, enum dg_status status,
                           struct dg_error *err);

/* The rows of the table that are of the program, from where the cursor stands: COPY. */
enum dg_status dg_push_table(struct dg_push *push, struct dg_push_cursor *cursor,
                             int64_t program, struct dg_error *err);

/* They are not wanted. */
enum dg_status dg_push_skip(struct dg_push_cursor *cursor, int64_t program,
                            struct dg_error *err);

/* One for each table that has rows of programs, at the first artifact to push; closing
 * fails where one is not at its end. */
enum dg_status dg_push_open_cursors(struct dg_push *push, struct dg_error *err);
enum dg_status dg_push_close_cursors(struct dg_push *push, enum dg_status status,
                                     struct dg_error *err);

/* All builds that are not there, in one transaction. */
enum dg_status dg_push_builds(struct dg_push *push, struct dg_error *err);

#endif
