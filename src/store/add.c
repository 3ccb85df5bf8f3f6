/* Writing the rows of a program. */
#include <sqlite3.h>
#include <stdio.h>

#include "base/text.h"
#include "store/database.h"
#include "store/scan.h"
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

enum dg_status dg_store_change_indexes(struct dg_store *store, bool drop,
                                       struct dg_error *err)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_entry entry;
    enum dg_status status = DG_OK;

    while (!status && dg_schema_next(&rest, &entry)) {
        struct dg_writer sql = {0};

        if (!dg_text_is(entry.type, "index"))
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

/* What was read of the store holds no more, unless it was read of this program. */
static void forget_others(struct dg_store *store, const struct dg_program *program)
{
    if (store->owner != program) {
        dg_store_return(store);
        dg_store_forget(store);
    }
    store->owner = NULL;
}

static enum dg_status write_table(struct dg_store *store, struct dg_table_rows *rows,
                                  struct dg_error *err)
{
    char sql[512];
    enum dg_status status;

    if (!rows->bulk.n_rows)
        return DG_OK;
    dg_table_insert_sql(rows, sql, sizeof(sql));
    store->bulk = &rows->bulk;
    status = dg_store_exec(store, sql, err);
    store->bulk = NULL;
    return status;
}

/* Indexes and ids of what is there already. */
static enum dg_status begin_program(struct dg_store *store, struct dg_table_rows *rows,
                                    struct dg_program *program,
                                    const struct dg_file *file, struct dg_error *err)
{
    enum dg_status status = add_artifact(store, program, file, err);

    rows->artifact = sqlite3_last_insert_rowid(store->db);
    if (!status && !store->unindexed && dg_store_loads(store) && is_large(program))
        status = dg_store_change_indexes(store, true, err);
    if (!status && rows->artifact > 1)
        status = find_bases(store, rows->bases, err);
    return status;
}

static enum dg_status add_program(struct dg_store *store, struct dg_program *program,
                                  bool take, const struct dg_file *file,
                                  struct dg_error *err)
{
    struct dg_table_rows rows = {0};
    bool customs = has_custom(program);
    enum dg_status status;

    forget_others(store, program);
    if (take)
        dg_store_return(store);
    status = begin_program(store, &rows, program, file, err);
    for (enum dg_table t = 0; t < DG_N_TABLES && !status; t++) {
        dg_table_rows_begin(&rows, program, t);
        status = write_table(store, &rows, err);
        if (take)
            dg_table_free(program, t);
    }
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
