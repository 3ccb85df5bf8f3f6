/* What the files of store/ share. */
#ifndef DG_STORE_DATABASE_H
#define DG_STORE_DATABASE_H

#include <sqlite3.h>

#include "base/file_state.h"
#include "store/bulk.h"
#include "store/idle.h"
#include "store/kept.h"
#include "store/resident.h"
#include "store/sandbox.h"
#include "store/store.h"
#include "store/unwritten.h"

#ifndef DG_VERSION
#include "config.h"
#define DG_VERSION PACKAGE_VERSION
#endif
#ifndef DG_CHECKS /* who brings a version of its own brings no config.h */
#define DG_CHECKS 0
#endif

/* Fingerprints of findings, and how many have each. Starts from {0}. */
struct dg_fingerprints {
    struct dg_int_set hashes;
    unsigned *counts;
    size_t n_counts;
};

struct dg_store {
    sqlite3 *db;
    struct dg_file_state file;    /* as it was when it was opened */
    struct dg_bulk *bulk;         /* what table dg_bulk reads */
    struct dg_resident *resident; /* its only program, where that is in memory */
    struct dg_unwritten unwritten;
    size_t least_virtual; /* rows of a table that is not written */
    struct dg_idle idle;
    sqlite3_stmt *add_finding, *complete_place; /* prepared at the first finding */
    struct dg_fingerprints fingerprints;
    struct dg_kept kept;
    struct dg_deadline deadline; /* of reading a file, or of queries in the sandbox */
    bool given;     /* a file that somebody else may have written; it is only read */
    bool timed;     /* its rows are of such a file: reading them ends after some time */
    bool unchecked; /* its rows are those of the file, and may be anything */
    struct dg_sandbox sandbox;
    bool sandboxed, has_views;
    bool unindexed;  /* until all rows are there */
    int old_changes; /* before it was emptied */
};

/* Whether it is no file; whether some of its tables are read where its program lies. */
bool dg_store_is_in_memory(const struct dg_store *store);
bool dg_store_has_virtual(const struct dg_store *store);

enum dg_status dg_store_write_table(struct dg_store *store, struct dg_table_rows *rows,
                                    struct dg_error *err);

/* Statistics for SQLite's planner, of the tables that are written. */
enum dg_status dg_store_analyze(struct dg_store *store, struct dg_error *err);

/* Write all that is not in the database: virtual tables, which can be changed then, and
 * those that no statement has named. */
enum dg_status dg_store_write_virtual(struct dg_store *store, struct dg_error *err);

/* With each index: "DROP INDEX ", or what makes it. */
enum dg_status dg_store_change_indexes(struct dg_store *store, bool drop,
                                       struct dg_error *err);

/* Whether dg_store_commit() is still to come. */
bool dg_store_loads(struct dg_store *store);

void dg_fingerprints_clear(struct dg_fingerprints *fingerprints);

/* `flags` are those of sqlite3_open_v2(). *out is to be closed even on failure. */
enum dg_status dg_store_connect(struct dg_store **out, const char *path, int flags,
                                struct dg_error *err);

/* To a file that somebody else may have written, to read it; nothing of it was read.
 * *out is to be closed even on failure. */
enum dg_status dg_store_connect_read_only(struct dg_store **out, const char *path,
                                          struct dg_error *err);

/* What is read of `store` takes no more time than what is read of `other`. */
void dg_store_take_clock(struct dg_store *store, const struct dg_store *other);

/* Of a file that says that it is a store; DG_ERR_FORMAT of another. */
enum dg_status dg_store_find_generation(int64_t *generation, struct dg_store *store,
                                        struct dg_error *err);

/* Turn SQLite's last error into ours. */
enum dg_status dg_store_fail(struct dg_store *store, struct dg_error *err);

/* Digests of the file (with DG_HASH_ALL alone), its segments, blobs and constants. */
void dg_digest_file(struct dg_digest *whole, struct dg_program *program,
                    const struct dg_file *given);

#endif
