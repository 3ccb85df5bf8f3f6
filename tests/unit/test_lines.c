/* Which line of a stack trace is told of a node. */
#include <string.h>

#include "store/line_sql.h"
#include "store/store.h"
#include "unit/rules.h"
#include "unit/suite.h"

/* The stack trace of node relu: files, outermost first, at lines 1, 2 and so on. */
static void given_trace(const char *const *files)
{
    given(
        "INSERT INTO trace VALUES (1, ''); UPDATE node SET trace_id = 1 WHERE id = 2");
    for (int i = 0; files[i]; i++)
        given_format("INSERT INTO frame (trace_id, pos, file, line) VALUES"
                     " (1, %d, '%s', %d)",
                     i, files[i], i + 1);
}

static void expect_text(const char *sql, const char *want)
{
    struct dg_rows rows = dg_rows_all(rules_store, sql, &rules_err);

    ck_assert(dg_rows_next(&rows));
    ck_assert_str_eq(dg_rows_null(&rows, 0) ? "none" : dg_rows_text(&rows, 0), want);
    ck_assert_int_eq(dg_rows_close(&rows, DG_OK, &rules_err), DG_OK);
}

/* The view and the SQL of reports say the same. */
static void expect_line(const char *want)
{
    expect_text("SELECT " DG_SQL_LINE("node.trace_id") " FROM node WHERE id = 2", want);
    ck_assert_int_eq(dg_store_add_views(rules_store, &rules_err), DG_OK);
    expect_text("SELECT file || ':' || line FROM v_node WHERE node_id = 2", want);
}

#define PACKAGES "/venv/lib/python3.11/site-packages/"
#define TRACE(...) ((const char *const[]){__VA_ARGS__, NULL})

START_TEST(the_innermost_frame_of_the_model_is_told)
{
    given_trace(TRACE(PACKAGES "torch/_dynamo/functional_export.py", "train.py",
                      "model.py", "<eval_with_key>.250",
                      PACKAGES "torch/nn/functional.py",
                      PACKAGES "torchao/quantization/utils.py",
                      PACKAGES "executorch/exir/tracer.py"));
    expect_line("model.py:3");
}
END_TEST

START_TEST(a_trace_of_torch_alone_tells_no_line)
{
    given_trace(TRACE(PACKAGES "torch/_dynamo/functional_export.py",
                      "<eval_with_key>.250", "C:\\x\\site-packages\\torch\\a.py"));
    expect_line("none");
}
END_TEST

START_TEST(other_packages_and_examples_of_executorch_are_models)
{
    given_trace(TRACE("export.py", PACKAGES "torch_geometric/nn.py"));
    expect_line(PACKAGES "torch_geometric/nn.py:2");
    given("DELETE FROM frame; DELETE FROM trace");
    given_trace(
        TRACE("export.py", PACKAGES "executorch/examples/models/llama/attention.py"));
    expect_line(PACKAGES "executorch/examples/models/llama/attention.py:2");
}
END_TEST

START_TEST(a_file_goes_before_what_was_typed_in)
{
    given_trace(TRACE("model.py", "<stdin>"));
    expect_line("model.py:1");
    given("DELETE FROM frame WHERE pos = 0");
    expect_line("<stdin>:2");
}
END_TEST

static void open_chain(void)
{
    rules_open();
    given_chain();
}

Suite *lines_suite(void)
{
    Suite *suite = suite_create("lines");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, open_chain, rules_close);
    tcase_add_test(all, the_innermost_frame_of_the_model_is_told);
    tcase_add_test(all, a_trace_of_torch_alone_tells_no_line);
    tcase_add_test(all, other_packages_and_examples_of_executorch_are_models);
    tcase_add_test(all, a_file_goes_before_what_was_typed_in);
    suite_add_tcase(suite, all);
    return suite;
}
