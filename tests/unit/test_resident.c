/* Tables that stay in memory answer every query as those in the database. */
#include "unit/programs.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/input.h"
#include "sanitized.h"
#include "store/database.h"
#include "store/schema.h"

static struct dg_error err;

enum { WRITTEN, RESIDENT };

/* The same program twice: its tables in the database, and in memory. */
static struct dg_input inputs[2];

static void load(struct dg_input *input)
{
    ck_assert_msg(!dg_input_load(input, input->store, DG_HASH_NONE, &err), "%s",
                  err.text);
}

static void open_with(struct dg_input *input, const char *path, size_t least_virtual)
{
    ck_assert_msg(!dg_input_map(input, path, &err), "%s", err.text);
    ck_assert(!dg_store_create(&input->store, &err));
    input->store->least_virtual = least_virtual;
    load(input);
    ck_assert_msg(!dg_store_commit(input->store, &err), "%s: %s", path, err.text);
}

static void open_both(const char *path)
{
    for (int i = WRITTEN; i <= RESIDENT; i++) {
        open_with(&inputs[i], path, i == RESIDENT ? 0 : SIZE_MAX);
        ck_assert_int_eq(dg_store_has_virtual(inputs[i].store), i == RESIDENT);
        ck_assert(!dg_store_add_views(inputs[i].store, &err));
    }
}

static void close_both(void)
{
    dg_input_close(&inputs[WRITTEN]);
    dg_input_close(&inputs[RESIDENT]);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Without an order, rows come in any. */
static void sort_lines(struct dg_writer *answer)
{
    struct dg_arena memory = {0};
    char *rest = dg_copy(&memory, dg_written(answer)), **lines = NULL, *line;
    size_t n = 0;

    while ((line = strsep(&rest, "\n")))
        *DG_APPEND(lines, n) = line;
    qsort(lines, n, sizeof(*lines), compare_lines);
    answer->size = 0;
    for (size_t i = 0; i < n; i++)
        dg_print(answer, "%s\n", lines[i]);
    free(lines);
    dg_arena_clear(&memory);
}

static void write_answer(struct dg_writer *out, struct dg_store *store, const char *sql)
{
    struct dg_rows rows = dg_rows_all(store, sql, &err);

    while (dg_rows_next(&rows)) {
        for (int i = 0; i < dg_rows_columns(&rows); i++) {
            dg_print(out, "%c ", dg_rows_type(&rows, i));
            dg_write_text(out, dg_rows_slice(&rows, i));
            dg_print(out, "|");
        }
        dg_print(out, "\n");
    }
    ck_assert_msg(!dg_rows_close(&rows, DG_OK, &err), "%s: %s", sql, err.text);
}

static void expect_one_answer(const char *sql)
{
    struct dg_writer answers[2] = {{0}};

    for (int i = WRITTEN; i <= RESIDENT; i++)
        write_answer(&answers[i], inputs[i].store, sql);
    for (int i = WRITTEN; i <= RESIDENT && !strstr(sql, "ORDER BY"); i++)
        sort_lines(&answers[i]);
    ck_assert_msg(dg_text_equal(dg_written(&answers[0]), dg_written(&answers[1])),
                  "%s: %s\nin the database:\n%.2000s\nin memory:\n%.2000s",
                  inputs[0].path, sql, answers[0].data, answers[1].data);
    dg_writer_clear(&answers[0]);
    dg_writer_clear(&answers[1]);
}

static void expect_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void expect_format(const char *fmt, ...)
{
    struct dg_arena memory = {0};
    va_list args;

    va_start(args, fmt);
    expect_one_answer(dg_format_list(&memory, fmt, args).data);
    va_end(args);
    dg_arena_clear(&memory);
}

/* Of tables and views: visit(name). */
static void each_entry(const char *type, void visit(const char *name))
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_entry entry;

    while (dg_schema_next(&rest, &entry)) {
        char name[40];

        snprintf(name, sizeof(name), "%.*s", (int)entry.name.size, entry.name.data);
        if (dg_text_is(entry.type, type))
            visit(name);
    }
}

static void expect_rows(const char *name)
{
    expect_format("SELECT * FROM \"%s\"", name);
}

static void expect_all_rows(const char *path)
{
    open_both(path);
    each_entry("table", expect_rows);
    each_entry("view", expect_rows);
    close_both();
}

START_TEST(all_tables_and_views_have_the_same_rows)
{
    each_program("*.pt[2ed]", ONE_IN, expect_all_rows);
}
END_TEST

/* A column, and values of it as SQL writes them. */
struct cells {
    const char *table, *column;
    char values[3][200];
};

static void read_cells(struct cells *cells)
{
    char sql[300];
    struct dg_rows rows;
    int n = 0;

    snprintf(sql, sizeof(sql),
             "SELECT DISTINCT quote(substr(\"%s\", 1, 60)) FROM \"%s\" LIMIT 3",
             cells->column, cells->table);
    rows = dg_rows_all(inputs[WRITTEN].store, sql, &err);
    for (int i = 0; i < 3; i++)
        snprintf(cells->values[i], sizeof(cells->values[i]), "'no'");
    while (dg_rows_next(&rows))
        snprintf(cells->values[n++], sizeof(cells->values[0]), "%s",
                 dg_rows_text(&rows, 0));
    ck_assert(!dg_rows_close(&rows, DG_OK, &err));
}

static const char *order(int i)
{
    static const char *const orders[] = {"1, 2", "1 DESC, 2 DESC", "1 DESC, 2"};

    return orders[i % 3];
}

/* What is compared with may be of another type, as in a query that somebody types. Each
 * condition meets each value, and each order. */
static void expect_conditions(const struct cells *cells)
{
    static const char *const conditions[] = {
        "= %s",
        "= CAST(%s AS TEXT)",
        "= CAST(%s AS INTEGER)",
        "= %s + 0.0",
        "IS %s",
        "= (SELECT %s)",
        "<> %s",
        "< %s",
        "> %s",
        "<= CAST(%s AS TEXT)",
        ">= CAST(%s AS REAL)",
        "LIKE %s",
        "IN (SELECT %s UNION SELECT 2)",
        "= %s COLLATE NOCASE",
        "IS NOT %s",
        "BETWEEN %s AND 3",
    };

    for (int c = 0; c < (int)(sizeof(conditions) / sizeof(*conditions)); c++) {
        for (int v = 0; v < 3; v++) {
            char condition[300];

            snprintf(condition, sizeof(condition), conditions[c], cells->values[v]);
            expect_format("SELECT * FROM \"%s\" WHERE \"%s\" %s ORDER BY %s",
                          cells->table, cells->column, condition, order(c + v));
        }
    }
}

static void expect_lists_and_nulls(const struct cells *cells, int i)
{
    expect_format("SELECT * FROM \"%s\" WHERE \"%s\" IN (%s, %s, %s) ORDER BY %s",
                  cells->table, cells->column, cells->values[0], cells->values[1],
                  cells->values[2], order(i));
    expect_format("SELECT * FROM \"%s\" WHERE \"%s\" IS NULL ORDER BY %s", cells->table,
                  cells->column, order(i));
    expect_format("SELECT * FROM \"%s\" WHERE \"%s\" IS NOT NULL ORDER BY %s",
                  cells->table, cells->column, order(i));
}

static void expect_pair(const struct cells *a, const struct cells *b)
{
    for (int v = 0; v < 3; v++)
        expect_format("SELECT *, (SELECT count(*) FROM \"%s\" AS o WHERE o.\"%s\" ="
                      " t.\"%s\" AND o.\"%s\" = t.\"%s\") FROM \"%s\" AS t WHERE"
                      " \"%s\" = %s AND \"%s\" = %s",
                      a->table, a->column, a->column, b->column, b->column, a->table,
                      a->column, a->values[v], b->column, b->values[v]);
}

static void expect_column(const struct cells *cells)
{
    expect_conditions(cells);
    for (int i = 0; i < 3; i++)
        expect_lists_and_nulls(cells, i);
    expect_format("SELECT min(\"%s\"), max(\"%s\"), count(\"%s\"), typeof(\"%s\")"
                  " FROM \"%s\"",
                  cells->column, cells->column, cells->column, cells->column,
                  cells->table);
    expect_format("SELECT DISTINCT \"%s\" FROM \"%s\" ORDER BY 1", cells->column,
                  cells->table);
    expect_format("SELECT \"%s\", count(*) FROM \"%s\" GROUP BY 1 ORDER BY 1 DESC",
                  cells->column, cells->table);
}

static void expect_columns(const char *table)
{
    struct cells before = {0};
    char sql[100], column[40], kept[40];
    struct dg_rows rows;

    snprintf(sql, sizeof(sql), "PRAGMA table_info(\"%s\")", table);
    rows = dg_rows_all(inputs[WRITTEN].store, sql, &err);
    while (dg_table_find(table) < DG_N_TABLES && dg_rows_next(&rows)) {
        struct cells now = {.table = table, .column = column};

        snprintf(column, sizeof(column), "%s", dg_rows_text(&rows, 1));
        read_cells(&now);
        expect_column(&now);
        if (before.table)
            expect_pair(&before, &now);
        snprintf(kept, sizeof(kept), "%s", column);
        before = now;
        before.column = kept;
    }
    ck_assert(!dg_rows_close(&rows, DG_OK, &err));
}

static const char *const programs[] = {
    "dtypes.pt2",       "cond_tagged.pt2",    "key_value_cache_core.pt2",
    "bert_xnnpack.pte", "several_models.pt2", "control_flow_delegated.pte"};

static void open_shipped(size_t i)
{
    static char path[512]; /* inputs keep it */

    snprintf(path, sizeof(path), "%s/tests/data/%s", getenv("top_srcdir"), programs[i]);
    open_both(path);
}

START_TEST(conditions_and_orders_select_the_same_rows)
{
    open_shipped((size_t)_i);
    each_entry("table", expect_columns);
    close_both();
}
END_TEST

static const char *const joins[] = {
    "SELECT n.name, o.name FROM node AS n LEFT JOIN op AS o ON o.id = n.op_id"
    " ORDER BY n.id",
    "SELECT d.name, s.name, v.shape FROM edge JOIN node AS d ON d.id = dst"
    " JOIN node AS s ON s.id = src LEFT JOIN value AS v ON v.id = edge.value_id"
    " ORDER BY dst, pos",
    "SELECT name, (SELECT group_concat(d.name) FROM edge JOIN node AS d ON d.id = dst"
    "  WHERE src = n.id) FROM node AS n ORDER BY id DESC",
    "SELECT max(id), min(id), count(*) FROM node WHERE id > 2 AND id <= 5",
    "SELECT id FROM node WHERE id > -9223372036854775808 AND id < 9223372036854775807",
    "SELECT id FROM node WHERE id BETWEEN 3 AND 2 OR id = 9223372036854775807",
    "SELECT id FROM node WHERE rowid >= 2 AND id < 4.5 ORDER BY rowid DESC",
    "SELECT id FROM node WHERE id IN (3, 1, 99, NULL, '2') ORDER BY id",
    "SELECT g.path, n.name FROM graph AS g JOIN node AS n ON n.graph_id = g.id"
    " AND n.kind = 'output' ORDER BY g.id",
    "SELECT a.id, b.id FROM value AS a JOIN value AS b ON a.name = b.name AND"
    " a.id < b.id ORDER BY 1, 2",
    /* Conditions in an ON that are about the left table. */
    "SELECT n.id, o.name FROM node AS n LEFT JOIN op AS o ON o.id = n.op_id"
    " AND n.delegate_id = 1 ORDER BY n.id",
    "SELECT n.id, o.name FROM node AS n LEFT JOIN op AS o ON o.id = n.op_id"
    " AND n.delegate_id IS NOT NULL ORDER BY n.id",
    "SELECT n.id, o.name FROM node AS n LEFT JOIN op AS o ON o.id = n.op_id"
    " AND n.delegate_id IS NULL ORDER BY n.id",
    "SELECT n.id, o.name FROM node AS n LEFT JOIN op AS o ON o.id = n.op_id"
    " AND n.name IS NULL ORDER BY n.id",
    "SELECT n.id, o.name FROM node AS n LEFT JOIN op AS o ON o.id = n.op_id"
    " AND n.jump <> 3 ORDER BY n.id",
    "SELECT n.id, o.name FROM node AS n LEFT JOIN op AS o ON o.id = n.op_id"
    " AND n.op_index > 3 ORDER BY n.id",
    "SELECT n.id, o.name FROM node AS n LEFT JOIN op AS o ON o.id = n.op_id"
    " AND n.kind = 'output' ORDER BY n.id",
    "SELECT n.id, v.id FROM node AS n FULL JOIN value AS v ON v.id = n.value_id"
    " AND v.storage = 'x' ORDER BY 1, 2",
    /* Numbers that are written otherwise. */
    "SELECT n.id FROM (SELECT CAST(id AS TEXT) AS t FROM node) AS x"
    " JOIN node AS n ON n.id = x.t ORDER BY 1",
    "SELECT n.id FROM (SELECT id * 1.0 AS r FROM node) AS x"
    " JOIN node AS n ON n.id = x.r ORDER BY 1",
    "SELECT n.id FROM (SELECT id + 0.5 AS r FROM node) AS x"
    " JOIN node AS n ON n.id = x.r ORDER BY 1",
    "SELECT e.dst FROM (SELECT CAST(id AS BLOB) AS b FROM node) AS x"
    " JOIN edge AS e ON e.src = x.b ORDER BY 1",
    "SELECT id FROM node WHERE id IN ('3', ' 2', '1.0', '3x', '', x'33', 1e300)"
    " ORDER BY id",
    "SELECT id FROM node WHERE id = 9007199254740993.0 OR id = 1e0 ORDER BY id",
    /* Ranges of the first column of a key. */
    "SELECT dst, pos FROM edge WHERE dst BETWEEN 3 AND 5 ORDER BY dst, pos",
    "SELECT dst, pos FROM edge WHERE dst > '3' AND dst <= 5.0 ORDER BY dst DESC, pos "
    "DESC",
    "SELECT dst, pos FROM edge WHERE dst > 3.5 ORDER BY dst, pos",
    "SELECT dst, pos FROM edge WHERE dst >= 9223372036854775807 OR dst < 2",
    "SELECT a.id, b.pos FROM node AS a JOIN edge AS b ON b.dst BETWEEN a.id AND"
    " a.id + 1 ORDER BY 1, b.dst, 2",
    "SELECT node_id, pos FROM operand WHERE node_id < 4 ORDER BY 1, 2",
    /* By whatever name. */
    "SELECT count(*) FROM main.node",
    "SELECT count(*) FROM main.v_node",
    "SELECT name FROM pragma_table_info('edge')",
    "WITH RECURSIVE up(id) AS (SELECT max(id) FROM node UNION SELECT src FROM edge"
    " JOIN up ON dst = up.id) SELECT id FROM up ORDER BY id",
};

START_TEST(joins_give_the_same_rows)
{
    open_shipped((size_t)_i);
    for (size_t i = 0; i < sizeof(joins) / sizeof(*joins); i++)
        expect_one_answer(joins[i]);
    close_both();
}
END_TEST

static size_t n_indexes(void)
{
    size_t n = 0;

    for (enum dg_table t = 0; t < DG_N_TABLES; t++)
        n += inputs[RESIDENT].store->resident->tables[t].indexes.n_items;
    return n;
}

START_TEST(without_room_for_an_index_rows_are_found_all_the_same)
{
    size_t before;

    open_shipped((size_t)_i);
    before = n_indexes();
    inputs[RESIDENT].store->resident->room = 0;
    for (size_t i = 0; i < sizeof(joins) / sizeof(*joins); i++)
        expect_one_answer(joins[i]);
    ck_assert_uint_eq(n_indexes(), before);
    close_both();
}
END_TEST

START_TEST(what_makes_tables_virtual_is_no_table)
{
    struct dg_rows rows;

    open_shipped(0);
    for (int i = WRITTEN; i <= RESIDENT; i++) {
        err = (struct dg_error){0};
        ck_assert(
            dg_rows_open(&rows, inputs[i].store, "SELECT * FROM dg_resident", &err));
        ck_assert_ptr_nonnull(strstr(err.text, "no such table"));
    }
    close_both();
}
END_TEST

START_TEST(a_second_program_finds_the_first_in_the_database)
{
    open_shipped((size_t)_i);
    for (int i = WRITTEN; i <= RESIDENT; i++)
        load(&inputs[i]);
    ck_assert(!dg_store_has_virtual(inputs[RESIDENT].store));
    expect_one_answer("SELECT type, name, tbl_name, sql FROM sqlite_schema"
                      " WHERE type <> 'view' AND name NOT LIKE 'sqlite_stat%'");
    each_entry("table", expect_rows);
    each_entry("view", expect_rows);
    close_both();
}
END_TEST

START_TEST(only_large_tables_stay)
{
    struct dg_input *input = &inputs[RESIDENT];
    const struct dg_resident *resident;
    char path[512];

    snprintf(path, sizeof(path), "%s/tests/data/mobilenet_v3.pt2",
             getenv("top_srcdir"));
    open_with(input, path, 100);
    resident = input->store->resident;
    ck_assert(!resident->tables[DG_TABLE_graphs].virtual);
    ck_assert(resident->tables[DG_TABLE_nodes].virtual);
    ck_assert(resident->tables[DG_TABLE_edges].virtual);
    ck_assert(!dg_store_can_be_emptied(input->store));
    dg_input_close(input);
}
END_TEST

Suite *resident_suite(void)
{
    const int n = sizeof(programs) / sizeof(*programs);
    Suite *suite = suite_create("resident");
    TCase *all = tcase_create("all");

    tcase_set_timeout(all, 240);
    tcase_add_test(all, all_tables_and_views_have_the_same_rows);
    tcase_add_loop_test(all, conditions_and_orders_select_the_same_rows, 0, n);
    tcase_add_loop_test(all, joins_give_the_same_rows, 0, n);
    tcase_add_loop_test(all, without_room_for_an_index_rows_are_found_all_the_same, 0,
                        n);
    tcase_add_test(all, what_makes_tables_virtual_is_no_table);
    tcase_add_loop_test(all, a_second_program_finds_the_first_in_the_database, 0, n);
    tcase_add_test(all, only_large_tables_stay);
    suite_add_tcase(suite, all);
    return suite;
}
