/* The graph store: one SQLite database that holds programs and all we learn of them. */
#ifndef DG_STORE_STORE_H
#define DG_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "store/program.h"

struct dg_store;

/* A new, empty store in memory, without the views: they would take a third of the time
 * of a small file. On success the caller closes *out. */
enum dg_status dg_store_create(struct dg_store **out, struct dg_error *err);

/* Make a store that dg_store_create() made, and dg_store_commit() has ended, as empty
 * as it was then; its queries stay prepared. False: it cannot be, or a new one is
 * better; then it can only be closed. */
bool dg_store_empty(struct dg_store *store);
bool dg_store_can_be_emptied(struct dg_store *store);

/* The views, where they are not there yet. */
enum dg_status dg_store_add_views(struct dg_store *store, struct dg_error *err);

/* A new, empty store in the file `path`, which should not exist: the caller writes
 * aside and renames. Everything up to dg_store_commit() is one durable transaction. */
enum dg_status dg_store_create_file(struct dg_store **out, const char *path,
                                    struct dg_error *err);

/* An existing store, read-only: one with the schema, types and references that
 * delegraph writes, or the reason why not. What is added is kept in temporary tables
 * over it. */
enum dg_status dg_store_open(struct dg_store **out, const char *path,
                             struct dg_error *err);

/* A store of an older generation, as a new one in `aside`: the rows of tables and
 * columns that are in both. What came later is NULL, or what the schema says it is
 * otherwise. DG_ERR_FORMAT where it is damaged, or lacks what cannot be told otherwise.
 */
enum dg_status dg_store_upgrade(const char *path, const char *aside,
                                struct dg_error *err);
bool dg_store_is_older(const char *path); /* no store: false */

/* Leave of a store the program `artifact` alone, with what was given with it and its
 * builds: *store becomes one in memory, with ids of its own. Findings, plans and
 * whatever else was worked out of it stays. */
enum dg_status dg_store_choose(struct dg_store **store, int64_t artifact,
                               struct dg_error *err);

/* An existing store, to be added to, up to dg_store_commit(): a copy that the caller
 * renames when that succeeded. It is held to all that readers ask of a store, which
 * takes a second for a million nodes. */
enum dg_status dg_store_open_to_add(struct dg_store **out, const char *path,
                                    struct dg_error *err);

/* DG_ERR_FORMAT where SQLite would lay over a store at `path` what another program left
 * beside it, or that program is still there. */
enum dg_status dg_store_check_place(const char *path, struct dg_error *err);

/* How many builds are in a file: 0 in one that is no store. DG_ERR_FORMAT: it is one,
 * of any generation, and that cannot be told. */
enum dg_status dg_store_count_builds(int64_t *n, const char *path,
                                     struct dg_error *err);

/* The time that reading it may take begins anew, and is that of this thread: for who
 * keeps a store open. */
void dg_store_restart_clock(struct dg_store *store);

/* Whether the file begins like a SQLite database with our application id. */
bool dg_store_recognises(struct dg_bytes head);

void dg_store_close(struct dg_store *store);

enum dg_hash {
    DG_HASH_NONE,
    DG_HASH_EQUAL,  /* XXH3 of segments, blobs and constants where equality within the
                       file takes it: what is alone with its size has that as digest */
    DG_HASH_REPORT, /* the same, and SHA-256 of a file that is hashed in no time */
    DG_HASH_QUICK,  /* XXH3 of all of these, but for the model of a .pt2 */
    DG_HASH_ALL,    /* SHA-256 and XXH3 of these and of the file */
};

struct dg_file { /* how an artifact is named, and the bytes behind it */
    const char *path;
    struct dg_bytes bytes;
    enum dg_hash hash;
    int64_t companion_of;  /* an artifact of the store; 0: none */
    const char *role;      /* of a companion: "data", "program" */
    bool mapped;           /* pages of `bytes` come back when they were let go */
    struct dg_text sha256; /* of the bytes, where it is known; NULL */
};

/* Write the rows of `program`. */
enum dg_status dg_store_add_program(struct dg_store *store, struct dg_program *program,
                                    const struct dg_file *file, struct dg_error *err);

/* The same; each table is freed when it is written. */
enum dg_status dg_store_take_program(struct dg_store *store, struct dg_program *program,
                                     const struct dg_file *file, struct dg_error *err);

/* A row of `setting`: what the caller says of the target. */
enum dg_status dg_store_set(struct dg_store *store, const char *name,
                            struct dg_text value, struct dg_error *err);

/* Build indexes, gather statistics, commit, flush to disk. */
enum dg_status dg_store_commit(struct dg_store *store, struct dg_error *err);

enum dg_presence { DG_PRESENCE_UNKNOWN, DG_ABSENT, DG_PRESENT };

/* Whether a table has rows, as far as that is known without asking SQL: of the tables
 * that come with a program, while it is in memory and alone. */
enum dg_presence dg_store_presence(const struct dg_store *store, const char *table);

/* Run statements that return no rows. */
enum dg_status dg_store_exec(struct dg_store *store, const char *sql,
                             struct dg_error *err);

/* The rows of one query, visited with `while (dg_rows_next(&rows))`. */
struct dg_rows {
    struct dg_store *store;
    struct sqlite3_stmt *statement;
    int state;             /* last sqlite3_step() result */
    enum dg_status failed; /* to open: there are no rows, and closing says so */
};

/* `sql` may hold ?1 ?2 ...: bind with dg_rows_bind_*() before the first dg_rows_next().
 */
enum dg_status dg_rows_open(struct dg_rows *rows, struct dg_store *store,
                            const char *sql, struct dg_error *err);

/* The same; a failure is what dg_rows_close() returns, until then there are no rows. */
struct dg_rows dg_rows_all(struct dg_store *store, const char *sql,
                           struct dg_error *err);

/* Likewise, with ?1 = `id`. */
struct dg_rows dg_rows_of(struct dg_store *store, const char *sql, int64_t id,
                          struct dg_error *err);
void dg_rows_bind_int(struct dg_rows *rows, int parameter, int64_t value);
void dg_rows_bind_real(struct dg_rows *rows, int parameter, double value);
void dg_rows_bind_text(struct dg_rows *rows, int parameter, struct dg_text value);
bool dg_rows_next(struct dg_rows *rows);

/* Columns of the present row; what they point at lives until the next row. */
bool dg_rows_null(const struct dg_rows *rows, int column);
int64_t dg_rows_int(const struct dg_rows *rows, int column);
int64_t dg_rows_int_or(const struct dg_rows *rows, int column, int64_t null);
double dg_rows_double(const struct dg_rows *rows, int column);
/* A number as rows and JSON say it, which also is "Infinity", "-Infinity" and "NaN";
 * NaN for any other text. */
double dg_rows_real(const struct dg_rows *rows, int column, double null);
const char *dg_rows_text(const struct dg_rows *rows, int column); /* NULL for NULL */
/* Whether both results have the same bytes there: of stores in two encodings the same
 * text has not. */
bool dg_rows_same(const struct dg_rows *a, const struct dg_rows *b, int column);
struct dg_text dg_rows_slice(const struct dg_rows *rows, int column); /* text or blob */
/* A copy that ends with NUL; NULL for NULL. */
struct dg_text dg_rows_keep(struct dg_arena *memory, const struct dg_rows *rows,
                            int column);
int dg_rows_columns(const struct dg_rows *rows);
const char *dg_rows_column(const struct dg_rows *rows, int column); /* its name */
/* The column's type as SQLite has it: 'i'nteger, 'f'loat, 't'ext, 'b'lob, 'n'ull. */
char dg_rows_type(const struct dg_rows *rows, int column);

/* End this visit and be ready for the next: bind anew. For one statement run often. */
enum dg_status dg_rows_again(struct dg_rows *rows, struct dg_error *err);

/* End a visit. Returns `status` if the visit itself failed, else how stepping went. */
enum dg_status dg_rows_close(struct dg_rows *rows, enum dg_status status,
                             struct dg_error *err);

/* The first column of the first row of `sql` with ?1 = `id`; `otherwise` if there is
 * none. */
enum dg_status dg_store_int_of(struct dg_store *store, const char *sql, int64_t id,
                               int64_t otherwise, int64_t *out, struct dg_error *err);
enum dg_status dg_store_int(struct dg_store *store, const char *sql, int64_t otherwise,
                            int64_t *out, struct dg_error *err);

/* A broken rule. Ids are rows of the store; 0 is none. */
struct dg_finding {
    const char *rule, *severity;
    int64_t artifact, method, graph, node, value;
    struct dg_text message;
    struct dg_text witness; /* JSON array of node names, or NULL */
    bool counts;            /* another number in the message is another finding */
};

/* The place is completed: a node names its graph, a graph its method, and so on. */
enum dg_status dg_store_add_finding(struct dg_store *store,
                                    const struct dg_finding *finding,
                                    struct dg_error *err);

/* Objects that were read from the store and are wanted again, one of each kind: a kind
 * is known by how it is released. They are released when the store closes, gets another
 * program (forget), or changes what this kind was read from (drop). NULL: there is none
 * of that kind. */
void dg_store_keep(struct dg_store *store, void *object, void (*release)(void *));
void *dg_store_kept(const struct dg_store *store, void (*release)(void *));
void dg_store_drop(struct dg_store *store, void (*release)(void *));

/* What is read of a row, once. `read` fills *object, which is zeroed; all that it
 * points at lies in dg_store_memory(), which lives until the store closes, forgets, or
 * drops these rows. */
struct dg_row_reader {
    size_t size;
    enum dg_status (*read)(void *object, struct dg_store *store, int64_t row,
                           struct dg_error *err);
};
struct dg_arena *dg_store_memory(struct dg_store *store);

/* *out is the store's; after a failure, which is no answer for the next time, what was
 * read until then. */
enum dg_status dg_store_read_row(const void **out, struct dg_store *store, int64_t row,
                                 const struct dg_row_reader *reader,
                                 struct dg_error *err);

/* Releases what was read so, of all rows. */
void dg_store_drop_read_rows(struct dg_store *store);

/* Releases all that is kept: another program comes. */
void dg_store_forget(struct dg_store *store);

/* The same before dg_store_empty(): its rows are not wanted any more. */
void dg_store_give_up(struct dg_store *store);

/* Of a process that will call dg_store_sandbox() for no store; before the first is
 * opened. Counting what SQLite allocates, which the sandbox needs, takes a seventh of
 * its time. */
void dg_stores_without_sandbox(void);

/* That it will, after all; also before the first is opened. */
void dg_stores_with_sandbox(void);

/* For SQL of users: no statement can write, attach, or load code; after `seconds` (0:
 * never) a running one is stopped. Until dg_store_leave_sandbox(), before which all
 * that was opened is closed. */
void dg_store_sandbox(struct dg_store *store, double seconds);
void dg_store_leave_sandbox(struct dg_store *store);

/* The documented tables, their indexes and views: the text of schema.sql and views.sql.
 */
const char *dg_store_schema(void);

#endif
