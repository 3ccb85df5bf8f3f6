/* Delegraph's own DDL, statement by statement. Private to store/. */
#ifndef DG_STORE_SCHEMA_H
#define DG_STORE_SCHEMA_H

#include <stdbool.h>

#include "base/bytes.h"

enum { DG_APPLICATION_ID = 0x44475246, DG_GENERATION = 16 };

/* Bytes of a page, of a store that is a file and of one in memory: there each table has
 * a page or more, and touching them costs a small program more than large ones gain. */
enum { DG_PAGE_BYTES = 8192, DG_MEMORY_PAGE_BYTES = 2048 };

/* A statement that makes something, as SQLite keeps it in sqlite_schema: without the
 * semicolon. */
struct dg_entry {
    struct dg_text type, name, sql; /* "table", "node", "CREATE TABLE node (..." */
};

/* Of dg_store_schema(): behind the tables and their indexes. */
const char *dg_schema_views(void);

/* The next statement that makes something; `rest` moves behind it. */
bool dg_schema_next(struct dg_text *rest, struct dg_entry *entry);

/* The next token, a word, a quoted one or a character; empty at the end. White space
 * and comments are between tokens. */
struct dg_text dg_sql_token(struct dg_text *rest);

/* Whether two texts differ in white space and comments only. */
bool dg_sql_same(struct dg_text a, struct dg_text b);

#endif
