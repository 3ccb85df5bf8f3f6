/* Writing the rows of a program. */
#include <sqlite3.h>
#include <stdio.h>

#include "base/text.h"
#include "store/database.h"
#include "store/schema.h"
#include "store/tables.h"

static enum dg_status add_artifact(struct dg_store *store, struct dg_program *program,
                                   const struct dg_file *file, struct dg_error *err)
{
    struct dg_rows rows;
    struct dg_digest all = {0};
    enum dg_status status = dg_rows_open(
        &rows, store,
        "INSERT INTO artifact VALUES (NULL,?1,?2,?3,?4,?5,?6,?7,nullif(?8, 0),?9)",
        err);

    if (status)
        return status;
    if (file->hash)
        dg_digest_file(&all, program, file);
    dg_rows_bind_text(&rows, 1, dg_text(file->path));
    dg_rows_bind_text(&rows, 2, dg_text(program->kind));
    dg_rows_bind_int(&rows, 3, (int64_t)file->bytes.size);
    dg_rows_bind_text(&rows, 4, all.sha256);
    dg_rows_bind_text(&rows, 5, all.xxh3);
    dg_rows_bind_text(&rows, 6,
                      program->version.data ? program->version : dg_text("{}"));
    dg_rows_bind_text(&rows, 7, program->container);
    dg_rows_bind_int(&rows, 8, file->companion_of);
    dg_rows_bind_text(&rows, 9, dg_text(file->role));
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Ids go on after those of the programs that are there already. */
static enum dg_status find_bases(struct dg_store *store, int64_t *bases,
                                 struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (enum dg_table t = 0; t < DG_N_TABLES && !status; t++) {
        char sql[96];

        snprintf(sql, sizeof(sql), "SELECT max(id) FROM %s", dg_table_name(t));
        if (dg_table_has_id(t))
            status = dg_store_int(store, sql, 0, &bases[t], err);
    }
    return status;
}

/* Tags that torch.export kept in meta["custom"]: a plan without delegates. Tags are in
 * the order in which nodes first have them. */
static const char custom_plans[] =
    "CREATE TEMP TABLE tagged AS SELECT id AS node, graph_id AS g,"
    "       json_extract(custom, '$.delegation_tag') AS tag FROM node"
    " WHERE graph_id IN (SELECT \"graph\".id FROM \"graph\" JOIN method"
    "   ON method.id = method_id WHERE artifact_id = (SELECT max(id) FROM artifact))"
    "   AND instr(custom, 'delegation_tag') AND json_valid(custom)"
    "   AND json_type(custom, '$.delegation_tag') = 'text' ORDER BY id;"
    "INSERT INTO part_run SELECT NULL, (SELECT max(id) FROM artifact), 'custom', NULL,"
    "       NULL WHERE EXISTS (SELECT 1 FROM tagged);"
    "INSERT INTO partition SELECT NULL, (SELECT max(id) FROM part_run), g,"
    "       row_number() OVER (PARTITION BY g ORDER BY min(node)) - 1, NULL, tag, NULL,"
    "       NULL FROM tagged GROUP BY g, tag ORDER BY min(node);"
    "INSERT INTO partition_node SELECT p.id,"
    "       row_number() OVER (PARTITION BY p.id ORDER BY node) - 1, node FROM tagged"
    "  JOIN partition AS p ON p.part_run_id = (SELECT max(id) FROM part_run)"
    "   AND p.graph_id = g AND p.tag = tagged.tag;"
    "DROP TABLE tagged;";

static bool has_custom(const struct dg_program *program)
{
    for (size_t i = 0; i < program->n_nodes; i++) {
        if (program->nodes[i].custom.size)
            return true;
    }
    return false;
}

/* Few rows are in an index with a condition: they go there one by one in less time than
 * it takes to look for them among all. */
static bool is_partial(struct dg_text sql)
{
    struct dg_text token = dg_sql_token(&sql);

    while (token.size && !dg_text_is(token, "WHERE"))
        token = dg_sql_token(&sql);
    return token.size;
}

enum dg_status dg_store_change_indexes(struct dg_store *store, bool drop,
                                       struct dg_error *err)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_entry entry;
    enum dg_status status = DG_OK;

    while (!status && dg_schema_next(&rest, &entry)) {
        struct dg_writer sql = {0};

        if (!dg_text_is(entry.type, "index") || is_partial(entry.sql))
            continue;
        if (drop)
            dg_print(&sql, "DROP INDEX ");
        dg_write_text(&sql, drop ? entry.name : entry.sql);
        status = dg_store_exec(store, sql.data, err);
        dg_writer_clear(&sql);
    }
    if (!status)
        store->unindexed = drop;
    return status;
}

bool dg_store_loads(struct dg_store *store)
{
    return !sqlite3_get_autocommit(store->db);
}

/* Many rows are faster to index when all are there. */
static bool is_large(const struct dg_program *program)
{
    enum { MANY = 4000 };

    return program->n_nodes + program->n_values + program->n_edges +
               program->n_operands >
           MANY;
}

enum dg_status dg_store_write_table(struct dg_store *store, struct dg_table_rows *rows,
                                    struct dg_error *err)
{
    char sql[512];
    enum dg_status status;

    dg_table_insert_sql(rows, sql, sizeof(sql));
    store->bulk = &rows->bulk;
    status = dg_store_exec(store, sql, err);
    store->bulk = NULL;
    return status;
}

static enum dg_status exec_on(struct dg_store *store, const char *before,
                              enum dg_table table, const char *behind,
                              struct dg_error *err)
{
    char sql[96];

    snprintf(sql, sizeof(sql), "%s\"%s\"%s", before, dg_table_name(table), behind);
    return dg_store_exec(store, sql, err);
}

/* "CREATE INDEX name ON table (...": which table, of a table itself. */
static struct dg_text table_of(const struct dg_entry *entry)
{
    enum { BEFORE = 4 };
    struct dg_text rest = entry->sql;

    if (!dg_text_is(entry->type, "index"))
        return entry->name;
    for (int i = 0; i < BEFORE; i++)
        dg_sql_token(&rest);
    return dg_sql_token(&rest);
}

/* Its table, or its indexes, as in schema.sql. */
static enum dg_status make_entries(struct dg_store *store, enum dg_table table,
                                   const char *type, struct dg_error *err)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_writer sql = {0};
    struct dg_entry entry;
    enum dg_status status = DG_OK;

    while (!status && dg_schema_next(&rest, &entry)) {
        if (!dg_text_is(entry.type, type) ||
            !dg_text_is(table_of(&entry), dg_table_name(table)))
            continue;
        sql.size = 0;
        dg_write_text(&sql, entry.sql);
        status = dg_store_exec(store, sql.data, err);
    }
    dg_writer_clear(&sql);
    return status;
}

static enum dg_status write_virtual_table(struct dg_store *store, enum dg_table table,
                                          struct dg_error *err)
{
    enum dg_status status = exec_on(store, "DROP TABLE ", table, "", err);

    if (!status)
        status = make_entries(store, table, "table", err);
    if (!status)
        status = dg_store_write_table(store, &store->resident->tables[table].rows, err);
    return status ? status : make_entries(store, table, "index", err);
}

/* What stayed in memory goes to the database, for other programs come to it. */
enum dg_status dg_store_write_virtual(struct dg_store *store, struct dg_error *err)
{
    struct dg_resident *resident = store->resident;
    enum dg_status status = dg_unwritten_write_all(store, err);

    if (status || !dg_store_has_virtual(store))
        return status;
    for (enum dg_table t = 0; t < DG_N_TABLES && !status; t++) {
        if (!resident->tables[t].virtual)
            continue;
        status = write_virtual_table(store, t, err);
        resident->tables[t].virtual = false;
        resident->n_virtual--;
    }
    return status ? status : dg_store_analyze(store, err);
}

static bool is_virtual(const struct dg_store *store, enum dg_table number)
{
    const struct dg_resident_table *table =
        store->resident ? &store->resident->tables[number] : NULL;

    return table && table->sorted && table->rows.bulk.n_rows >= store->least_virtual &&
           table->rows.bulk.n_rows < UINT32_MAX;
}

static enum dg_status make_virtual(struct dg_store *store, enum dg_table number,
                                   struct dg_error *err)
{
    enum dg_status status = exec_on(store, "DROP TABLE ", number, "", err);

    store->resident->tables[number].virtual = true;
    store->resident->n_virtual++;
    return status ? status
                  : exec_on(store, "CREATE VIRTUAL TABLE ", number,
                            " USING dg_resident", err);
}

/* False: a statement may have named it, or the program is not kept. */
static bool can_wait(struct dg_store *store, enum dg_table number)
{
    uint64_t bit = UINT64_C(1) << number;

    if (!store->resident || store->unwritten.named & bit)
        return false;
    store->unwritten.tables |= bit;
    return true;
}

/* `rows` says where rows go on; of a program that is taken, tables end as they are
 * written. */
static enum dg_status write_tables(struct dg_store *store, struct dg_table_rows *rows,
                                   struct dg_program *program, bool take,
                                   struct dg_error *err)
{
    enum dg_status status = DG_OK;

    store->unwritten.begun = true;
    for (enum dg_table t = 0; t < DG_N_TABLES && !status; t++) {
        dg_table_rows_begin(rows, program, t);
        if (is_virtual(store, t))
            status = make_virtual(store, t, err);
        else if (rows->bulk.n_rows && !can_wait(store, t))
            status = dg_store_write_table(store, rows, err);
        if (take && !store->resident)
            dg_table_free(program, t);
    }
    return status;
}

/* Where the first program is taken, and is not to be a file, it stays in memory. */
static enum dg_status begin_program(struct dg_store *store, struct dg_table_rows *rows,
                                    struct dg_program *program, bool take,
                                    const struct dg_file *file, struct dg_error *err)
{
    enum dg_status status = add_artifact(store, program, file, err);

    rows->artifact = sqlite3_last_insert_rowid(store->db);
    if (status)
        return status;
    if (rows->artifact > 1)
        status = find_bases(store, rows->bases, err);
    if (take && rows->artifact == 1 && dg_store_is_in_memory(store))
        store->resident = dg_resident_take(program);
    else if (!status && !store->unindexed && dg_store_loads(store) && is_large(program))
        status = dg_store_change_indexes(store, true, err);
    return status;
}

static enum dg_status add_program(struct dg_store *store, struct dg_program *program,
                                  bool take, const struct dg_file *file,
                                  struct dg_error *err)
{
    struct dg_table_rows rows = {0};
    bool customs = has_custom(program);
    enum dg_status status = dg_store_write_virtual(store, err);

    dg_store_forget(store);
    if (!status)
        status = begin_program(store, &rows, program, take, file, err);
    if (!status && store->resident)
        program = &store->resident->program;
    if (!status)
        status = write_tables(store, &rows, program, take, err);
    if (!status && customs)
        status = dg_store_exec(store, custom_plans, err);
    return status;
}

enum dg_status dg_store_add_program(struct dg_store *store, struct dg_program *program,
                                    const struct dg_file *file, struct dg_error *err)
{
    return add_program(store, program, false, file, err);
}

enum dg_status dg_store_take_program(struct dg_store *store, struct dg_program *program,
                                     const struct dg_file *file, struct dg_error *err)
{
    return add_program(store, program, true, file, err);
}
