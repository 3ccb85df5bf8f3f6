/* Tables of a program in memory, which are written when a statement names them. */
#include "unit/programs.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "config.h" /* DG_CHECKS */
#include "formats/input.h"
#include "graph/about.h"
#include "sanitized.h"
#include "store/scan.h"

static struct dg_error err;
static struct dg_input input;

static const char *program_path(void)
{
    static char path[512];

    snprintf(path, sizeof(path), "%s/tests/data/mobilenet_v3_xnnpack.pte",
             getenv("top_srcdir"));
    return path;
}

static void open_next(struct dg_store **spare)
{
    ck_assert_msg(
        !dg_input_open_next(&input, spare, program_path(), DG_HASH_NONE, &err), "%s",
        err.text);
}

/* Of the program, and of the query that counts them. */
static void expect_all_operands(void)
{
    int64_t n, counted;

    ck_assert(!dg_scan_count(&n, input.store, "delegate_operand", &err));
    ck_assert_int_gt(n, 400);
    ck_assert_msg(!dg_store_int(input.store, "SELECT count(*) FROM delegate_operand", 0,
                                &counted, &err),
                  "%s", err.text);
    ck_assert_int_eq(counted, n);
}

START_TEST(rows_are_there_for_the_statement_that_names_them_first)
{
    struct dg_store *none = NULL;

    open_next(&none);
    expect_all_operands();
    dg_input_close(&input);
}
END_TEST

START_TEST(a_statement_may_name_several_tables)
{
    struct dg_store *none = NULL;
    int64_t n;

    open_next(&none);
    ck_assert(
        !dg_store_int(input.store,
                      "SELECT (SELECT count(*) FROM delegate_node WHERE op = 'Conv2d')"
                      " * (SELECT count(*) FROM delegate_value)"
                      " * (SELECT count(*) FROM operand)",
                      0, &n, &err));
    ck_assert_int_gt(n, 0);
    dg_input_close(&input);
}
END_TEST

/* SQLite says nothing of a column that only USING or NATURAL names. */
START_TEST(a_join_by_columns_of_a_name_names_both_tables)
{
    static const char *const joins[] = {
        "SELECT count(*) FROM (SELECT 1 FROM delegate_operand AS a"
        "  JOIN delegate_operand AS b USING (node_id, pos))",
        "SELECT count(*) FROM (SELECT 1 FROM delegate_operand AS a"
        "  NATURAL JOIN (SELECT node_id, pos FROM delegate_operand) AS b)"};

    for (size_t i = 0; i < sizeof(joins) / sizeof(*joins); i++) {
        struct dg_store *none = NULL;
        int64_t n;

        open_next(&none);
        ck_assert(!dg_store_int(input.store, joins[i], 0, &n, &err));
        ck_assert_int_gt(n, 400);
        dg_input_close(&input);
    }
}
END_TEST

/* Nor of the table whose rows are copied as they are. */
START_TEST(a_copy_of_whole_rows_names_what_is_copied)
{
    struct dg_store *none = NULL;
    int64_t n;

    open_next(&none);
    ck_assert(!dg_store_exec(
        input.store,
        "CREATE TEMP TABLE copy (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
        "  namespace TEXT NOT NULL, args TEXT, returns TEXT, flags INTEGER NOT NULL)"
        " STRICT; INSERT INTO copy SELECT * FROM op",
        &err));
    ck_assert(!dg_store_int(input.store, "SELECT count(*) FROM copy", 0, &n, &err));
    ck_assert_int_gt(n, 0);
    dg_input_close(&input);
}
END_TEST

START_TEST(a_statement_that_is_older_than_the_program_sees_its_rows)
{
    struct dg_input other = {0};
    int64_t n;

    ck_assert(!dg_store_create(&input.store, &err));
    ck_assert(!dg_store_int(input.store, "SELECT count(*) FROM delegate_operand", 0, &n,
                            &err));
    ck_assert_int_eq(n, 0);
    ck_assert(!dg_input_map(&other, program_path(), &err));
    ck_assert(!dg_input_load(&other, input.store, DG_HASH_NONE, &err));
    expect_all_operands();
    dg_input_close(&other);
    dg_input_close(&input);
}
END_TEST

START_TEST(a_savepoint_does_not_roll_them_back)
{
    struct dg_store *none = NULL;

    open_next(&none);
    ck_assert(!dg_store_exec(input.store, "SAVEPOINT one", &err));
    expect_all_operands();
    ck_assert(!dg_store_exec(input.store, "ROLLBACK TO one; RELEASE one", &err));
    expect_all_operands();
    dg_input_close(&input);
}
END_TEST

START_TEST(a_sandbox_reads_them_though_it_cannot_write)
{
    struct dg_store *none = NULL;

    open_next(&none);
    dg_store_sandbox(input.store, 10);
    expect_all_operands();
    dg_input_close(&input);
}
END_TEST

/* Statements of the first are still prepared. In builds with checks all tables are
 * virtual, and no store is used again. */
START_TEST(those_of_a_later_program_are_there_for_earlier_statements)
{
    struct dg_store *spare = NULL;

    open_next(&spare);
    expect_all_operands();
    dg_input_close_before_next(&input, &spare);
    ck_assert(spare || DG_CHECKS);
    open_next(&spare);
    expect_all_operands();
    dg_input_close(&input);
}
END_TEST

static void read_about(bool *has)
{
    ck_assert_msg(!dg_about_read(has, NULL, input.store, &err), "%s", err.text);
}

/* In the sandbox no table is known to have no rows: SQL is asked. */
static void expect_one_subject(const char *path)
{
    bool known[DG_N_ABOUT], asked[DG_N_ABOUT];

    ck_assert_msg(!dg_input_open(&input, path, DG_HASH_NONE, &err), "%s", err.text);
    read_about(known);
    dg_store_sandbox(input.store, 10);
    ck_assert_int_ne(dg_store_presence(input.store, "library"), DG_ABSENT);
    read_about(asked);
    for (int i = 0; i < DG_N_ABOUT; i++)
        ck_assert_msg(known[i] == asked[i], "%s: subject %d is%s told without SQL",
                      path, i, known[i] ? "" : " not");
    dg_input_close(&input);
}

START_TEST(what_a_program_is_about_is_the_same_with_and_without_asking_sql)
{
    each_program("*.pt[2ed]", ONE_IN, expect_one_subject);
}
END_TEST

START_TEST(a_table_without_rows_is_known_to_have_none_until_a_statement_changes_it)
{
    struct dg_store *none = NULL;
    int64_t n;

    open_next(&none);
    ck_assert_int_eq(dg_store_presence(input.store, "delegate_operand"), DG_PRESENT);
    ck_assert_int_eq(dg_store_presence(input.store, "no_table"), DG_PRESENCE_UNKNOWN);
    ck_assert_int_eq(dg_store_presence(input.store, "finding"), DG_PRESENCE_UNKNOWN);
    ck_assert(!dg_store_int(input.store, "SELECT count(*) FROM remark", 0, &n, &err));
    ck_assert_int_eq(dg_store_presence(input.store, "remark"), DG_ABSENT);
    ck_assert_msg(!dg_store_exec(input.store,
                                 "INSERT INTO remark (artifact_id, rule, text)"
                                 " VALUES (1, 'format/pte', 'one')",
                                 &err),
                  "%s", err.text);
    ck_assert_int_eq(dg_store_presence(input.store, "remark"), DG_PRESENCE_UNKNOWN);
    dg_input_close(&input);
}
END_TEST

Suite *unwritten_suite(void)
{
    Suite *suite = suite_create("unwritten");
    TCase *all = tcase_create("all");

    tcase_add_test(all, rows_are_there_for_the_statement_that_names_them_first);
    tcase_add_test(all, a_statement_may_name_several_tables);
    tcase_add_test(all, a_join_by_columns_of_a_name_names_both_tables);
    tcase_add_test(all, a_copy_of_whole_rows_names_what_is_copied);
    tcase_add_test(all, a_statement_that_is_older_than_the_program_sees_its_rows);
    tcase_add_test(all, a_savepoint_does_not_roll_them_back);
    tcase_add_test(all, a_sandbox_reads_them_though_it_cannot_write);
    tcase_add_test(all, those_of_a_later_program_are_there_for_earlier_statements);
    tcase_add_test(all,
                   what_a_program_is_about_is_the_same_with_and_without_asking_sql);
    tcase_add_test(
        all, a_table_without_rows_is_known_to_have_none_until_a_statement_changes_it);
    suite_add_tcase(suite, all);
    return suite;
}
