/* Plan files: what they become in the store, what is refused, what is written. */
#include "unit/small_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "partition/plan_file.h"

static struct dg_text no_sha256;
static char path[32];

/* x -> relu -> cond(branch) -> output; the branch: y -> add -> output. */
static void given_program(void)
{
    plan_open();
    plan_input("x", "user_input");
    plan_call("aten::relu", "relu", "x", NULL);
    plan_attr("branch");
    plan_call("higher_order::cond", "cond", "relu branch", NULL);
    plan_output("cond");
    plan_graph(2, "branch");
    plan_input("y", NULL);
    plan_call("aten::add.Tensor", "add", "y", NULL);
    plan_output("add");
}

static void write_file(struct dg_text text)
{
    int file;

    snprintf(path, sizeof(path), "/tmp/plan-XXXXXX");
    file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text.data, text.size), (ssize_t)text.size);
    close(file);
}

static enum dg_status read_text(struct dg_text text, struct dg_bytes program,
                                bool force)
{
    struct dg_plan_source source = {path, program, false, force};
    enum dg_status status;

    write_file(text);
    status = dg_plan_file_read(&source, rules_store, 1, &rules_err);
    unlink(path);
    return status;
}

static void given_plan(const char *text)
{
    ck_assert_msg(!read_text(dg_text(text), (struct dg_bytes){0}, false), "%s",
                  rules_err.text);
}

#define PLAN(methods)                                                                  \
    "{\"format\":\"delegraph-plan\",\"version\":1,\"methods\":" methods "}"
#define FORWARD(delegates, tags)                                                       \
    PLAN("{\"forward\":{\"delegates\":{" delegates "},\"tags\":{" tags "}}}")

/* Rows of a query, columns between blanks. */
static void expect_rows(const char *sql, const char *want)
{
    struct dg_writer got = {0};
    struct dg_rows rows;

    ck_assert_msg(!dg_rows_open(&rows, rules_store, sql, &rules_err), "%s",
                  rules_err.text);
    while (dg_rows_next(&rows)) {
        for (int i = 0; i < dg_rows_columns(&rows); i++)
            dg_print(&got, "%s%s", i ? " " : "",
                     dg_rows_null(&rows, i) ? "-" : dg_rows_text(&rows, i));
        dg_print(&got, "\n");
    }
    ck_assert(!dg_rows_close(&rows, DG_OK, &rules_err));
    ck_assert_str_eq(got.data ? got.data : "", want);
    dg_writer_clear(&got);
}

static const char tags_sql[] =
    "SELECT path, tag, backend, declared, group_concat(name) FROM partition"
    "  JOIN \"graph\" ON \"graph\".id = partition.graph_id"
    "  LEFT JOIN partition_node ON partition_id = partition.id"
    "  LEFT JOIN node ON node.id = node_id"
    " WHERE part_run_id = (SELECT max(id) FROM part_run)"
    " GROUP BY partition.id ORDER BY partition.graph_id, partition.pos";

START_TEST(tags_become_rows_in_the_order_of_lowering)
{
    given_program();
    given_plan(FORWARD("\"b\":{\"backend\":\"CudaBackend\",\"compile_specs\":"
                       "[{\"key\":\"k\",\"value\":\"v\"}]},\"a\":{}",
                       "\"relu\":\"a\",\"cond\":\"b\",\"branch\":\"b\""));
    expect_rows(tags_sql, " b CudaBackend 1 cond,branch\n a - 1 relu\n");
    expect_rows("SELECT tag, key, value FROM partition_spec"
                " JOIN partition ON partition.id = partition_id",
                "b k v\n");
    expect_rows("SELECT source FROM part_run ORDER BY id DESC LIMIT 1", "plan\n");
    rules_close();
}
END_TEST

START_TEST(nodes_of_a_branch_are_named_with_its_path)
{
    given_program();
    given_plan(FORWARD("\"t\":{\"backend\":null},\"unused\":{}",
                       "\"branch/add\":\"t\",\"relu\":\"t\""));
    expect_rows(tags_sql, " t - 1 relu\n unused - 1 -\nbranch t - 1 add\n");
    expect_rows("SELECT count(*) FROM remark", "0\n");
    rules_close();
}
END_TEST

START_TEST(unknown_names_become_remarks_with_the_nearest_name)
{
    given_program();
    given_plan(
        PLAN("{\"forward\":{\"delegates\":{\"tag0\":{}},\"tags\":"
             "{\"rely\":\"tag0\",\"relu\":\"tagO\",\"x\":\"tagO\"}},\"other\":{}}"));
    expect_rows(
        "SELECT rule, node_id, text FROM remark ORDER BY id",
        "partition/tag-known 2 tag \"tagO\" has no delegate in the plan; did you "
        "mean \"tag0\"?\n"
        "partition/node-known - the plan tags \"rely\" with \"tag0\", but there is "
        "no such node; did you mean \"relu\"?\n"
        "partition/node-known - the plan tags nodes of method \"other\", which "
        "the program lacks\n");
    expect_rows(tags_sql, " tag0 - 1 -\n tagO - 0 relu,x\n");
    rules_close();
}
END_TEST

static const char *const refused[][2] = {
    {"", "not a plan; expected JSON"},
    {"[]", "not a plan; expected JSON"},
    {"{}", "expected a plan with the field \"format\""},
    {"{\"format\":\"other\"}", "$.format: expected \"delegraph-plan\""},
    {"{\"format\":\"delegraph-plan\",\"version\":3}", "$.version: expected 1"},
    {PLAN("[]"), "$.methods: expected an object, found an array"},
    {PLAN("{\"f\":{\"delegate\":{}}}"), "did you mean \"delegates\"?"},
    {PLAN("{\"f\":{\"tags\":{\"a\":\"t\",\"a\":\"u\"}}}"), "expected each key once"},
    {PLAN("{\"f\":{\"tags\":{\"a\":1}}}"), "$.methods.f.tags.a: expected a string"},
    {FORWARD("\"t\":{\"compile_specs\":[{\"key\":\"k\"}]}", ""),
     "expected a compile spec with \"key\" and \"value\""},
    {PLAN("{},\"program_sha256\":\"12\""), "expected null or 64 hexadecimal digits"},
};

START_TEST(what_is_no_plan_is_refused_with_its_place)
{
    given_program();
    ck_assert_int_eq(read_text(dg_text(refused[_i][0]), (struct dg_bytes){0}, false),
                     DG_ERR_FORMAT);
    ck_assert_msg(strstr(rules_err.text, refused[_i][1]), "%s", rules_err.text);
    ck_assert_msg(!strncmp(rules_err.text, path, strlen(path)), "%s", rules_err.text);
    expect_rows("SELECT count(*) FROM part_run", "1\n");
    rules_close();
}
END_TEST

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

START_TEST(a_plan_for_another_program_needs_force)
{
    struct dg_bytes abc = {(const uint8_t *)"abc", 3};
    struct dg_text other = dg_text(PLAN("{},\"program_sha256\":\"" ZEROS "\""));
    struct dg_text same = dg_text(PLAN("{},\"program_sha256\":\"" ABC "\""));

    given_program();
    ck_assert_int_eq(read_text(other, abc, false), DG_ERR_FORMAT);
    ck_assert_msg(strstr(rules_err.text, "another program"), "%s", rules_err.text);
    ck_assert_int_eq(read_text(other, abc, true), DG_OK);
    ck_assert_int_eq(read_text(same, abc, false), DG_OK);
    given("UPDATE artifact SET sha256 = '" ZEROS "'");
    ck_assert_int_eq(read_text(same, (struct dg_bytes){0}, false), DG_ERR_FORMAT);
    rules_close();
}
END_TEST

static struct dg_writer written(int version)
{
    struct dg_writer text = {0};
    int64_t run;

    ck_assert(!dg_store_int(rules_store, "SELECT max(id) FROM part_run", 0, &run,
                            &rules_err));
    ck_assert(
        !dg_plan_file_write(&text, rules_store, run, version, no_sha256, &rules_err));
    return text;
}

START_TEST(what_is_written_reads_back_the_same)
{
    struct dg_writer first, second;

    given_program();
    given_plan(FORWARD("\"b\\\"\":{\"backend\":\"X\",\"compile_specs\":[{\"key\":\"k\","
                       "\"value\":\"\\u00e9\"}]},\"a\":{\"backend\":null},\"none\":{}",
                       "\"branch/add\":\"a\",\"cond\":\"b\\\"\",\"relu\":\"a\""));
    first = written(_i + 1);
    ck_assert_msg(strstr(first.data, "\"branch/add\":\"a\""), "%s", first.data);
    given_plan(first.data);
    second = written(_i + 1);
    ck_assert_str_eq(first.data, second.data);
    dg_writer_clear(&first);
    dg_writer_clear(&second);
    rules_close();
}
END_TEST

/* A file of it would have one key twice, and mean the first of them. */
START_TEST(a_node_that_has_the_name_of_an_earlier_one_is_not_written)
{
    struct dg_writer text = {0};
    int64_t run;

    given_program();
    given_plan(FORWARD("\"a\":{}", "\"relu\":\"a\""));
    ck_assert(!dg_store_int(rules_store, "SELECT max(id) FROM part_run", 0, &run,
                            &rules_err));
    given("INSERT INTO node (id, graph_id, idx, name, kind) SELECT max(id) + 1, 1, 99,"
          "  'relu', 'call_function' FROM node;"
          "INSERT INTO partition_node SELECT min(id), 1, (SELECT max(id) FROM node)"
          "  FROM partition");
    ck_assert_int_eq(
        dg_plan_file_write(&text, rules_store, run, _i + 1, no_sha256, &rules_err),
        DG_ERR_FORMAT);
    ck_assert_msg(strstr(rules_err.text, "has the name relu of an earlier node"), "%s",
                  rules_err.text);
    dg_writer_clear(&text);
    rules_close();
}
END_TEST

START_TEST(version_2_says_which_node_a_name_means)
{
    struct dg_writer text;

    given_program();
    given_plan(FORWARD("\"a\":{}", "\"branch/add\":\"a\",\"relu\":\"a\",\"x\":\"a\""));
    text = written(2);
    ck_assert_msg(strstr(text.data, "\"nodes\":{\n\"x\":{\"op\":null,\"position\":0},\n"
                                    "\"relu\":{\"op\":\"aten::relu\",\"position\":1},\n"
                                    "\"branch/add\":{\"op\":\"aten::add.Tensor\","
                                    "\"position\":1}}}"),
                  "%s", text.data);
    given_plan(text.data);
    expect_rows("SELECT count(*) FROM remark", "0\n");
    dg_writer_clear(&text);
    rules_close();
}
END_TEST

START_TEST(positions_skip_results_that_only_the_file_names)
{
    struct dg_writer text;

    plan_open();
    plan_input("x", "user_input");
    plan_call("aten::topk.default", "topk", "x", NULL);
    plan_call("_operator.getitem", "topk_unused_0", "topk", NULL);
    plan_call("_operator.getitem", "getitem", "topk", NULL);
    plan_output("getitem");
    given_plan(FORWARD("\"a\":{}", "\"getitem\":\"a\",\"topk_unused_0\":\"a\""));
    text = written(2);
    ck_assert_msg(strstr(text.data,
                         "\"topk_unused_0\":{\"op\":\"_operator.getitem\","
                         "\"position\":null},\n"
                         "\"getitem\":{\"op\":\"_operator.getitem\",\"position\":2}"),
                  "%s", text.data);
    dg_writer_clear(&text);
    rules_close();
}
END_TEST

#define NODES(nodes)                                                                   \
    "{\"format\":\"delegraph-plan\",\"version\":2,\"methods\":{\"forward\":{\"tags\":" \
    "{"                                                                                \
    "\"relu\":\"a\"},\"delegates\":{\"a\":{}},\"nodes\":{" nodes "}}}}"

START_TEST(another_node_under_a_name_is_remarked)
{
    given_program();
    given_plan(NODES("\"relu\":{\"op\":\"aten::relu\"},\"cond\":{\"position\":3}"));
    expect_rows("SELECT count(*) FROM remark", "0\n");
    given_plan(NODES("\"relu\":{\"op\":\"aten::sin\"}"));
    given_plan(NODES("\"relu\":{\"op\":\"aten::relu\",\"position\":2}"));
    expect_rows("SELECT rule, text FROM remark",
                "partition/node-known the plan means another node by \"relu\":"
                " aten::sin at 1; here it is aten::relu at 1\n"
                "partition/node-known the plan means another node by \"relu\":"
                " aten::relu at 2; here it is aten::relu at 1\n");
    rules_close();
}
END_TEST

START_TEST(a_plan_of_another_program_is_one_remark)
{
    given_program();
    given_plan(FORWARD("\"a\":{}", "\"rely\":\"a\",\"mul\":\"a\",\"relu\":\"a\""));
    given_plan(NODES("\"relu\":{\"op\":\"aten::sin\"},\"cond\":{\"position\":9}"));
    expect_rows(
        "SELECT node_id, text FROM remark",
        "- 2 of the 3 nodes that the plan tags are not in the program; the first: the"
        " plan tags \"rely\" with \"a\", but there is no such node; did you mean"
        " \"relu\"?\n"
        "2 2 of the 2 nodes that the plan describes are others here; the first: the"
        " plan means another node by \"relu\": aten::sin at 1; here it is aten::relu"
        " at 1\n");
    rules_close();
}
END_TEST

START_TEST(nodes_are_refused_in_version_1)
{
    static const char text[] =
        "{\"methods\":{\"forward\":{\"nodes\":{\"relu\":{}}}},\"version\":1,"
        "\"format\":\"delegraph-plan\"}";

    given_program();
    ck_assert_int_eq(read_text(dg_text(text), (struct dg_bytes){0}, false),
                     DG_ERR_FORMAT);
    ck_assert_msg(strstr(rules_err.text, "expected version 2"), "%s", rules_err.text);
    rules_close();
}
END_TEST

START_TEST(very_many_tags_take_linear_time)
{
    enum { N = 200000 };
    struct dg_writer text = {0};

    plan_open();
    given("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
          "  WHERE i < 200000)"
          "INSERT INTO node (id, graph_id, idx, name, kind)"
          " SELECT i, 1, i - 1, 'n' || i, 'call_function' FROM n");
    dg_print(&text, "{\"format\":\"delegraph-plan\",\"version\":1,\"methods\":"
                    "{\"forward\":{\"tags\":{");
    for (int i = N; i > 0; i--)
        dg_print(&text, "\"%c%d\":\"tag%d\"%s", i % 100 ? 'n' : 'm', i, i,
                 i > 1 ? "," : "");
    dg_print(&text, "}}}}");
    ck_assert(!read_text((struct dg_text){text.data, text.size}, (struct dg_bytes){0},
                         false));
    expect_rows("SELECT count(*) FROM partition_node", "198000\n");
    dg_writer_clear(&text);
    rules_close();
}
END_TEST

Suite *plan_file_suite(void)
{
    Suite *suite = suite_create("plan_file");
    TCase *tcase = tcase_create("plan_file");

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, tags_become_rows_in_the_order_of_lowering);
    tcase_add_test(tcase, nodes_of_a_branch_are_named_with_its_path);
    tcase_add_test(tcase, unknown_names_become_remarks_with_the_nearest_name);
    tcase_add_loop_test(tcase, what_is_no_plan_is_refused_with_its_place, 0,
                        sizeof(refused) / sizeof(*refused));
    tcase_add_test(tcase, a_plan_for_another_program_needs_force);
    tcase_add_loop_test(tcase, what_is_written_reads_back_the_same, 0, DG_PLAN_VERSION);
    tcase_add_test(tcase, version_2_says_which_node_a_name_means);
    tcase_add_test(tcase, positions_skip_results_that_only_the_file_names);
    tcase_add_test(tcase, another_node_under_a_name_is_remarked);
    tcase_add_test(tcase, a_plan_of_another_program_is_one_remark);
    tcase_add_test(tcase, nodes_are_refused_in_version_1);
    tcase_add_loop_test(
        tcase, a_node_that_has_the_name_of_an_earlier_one_is_not_written, 0, 2);
    tcase_add_test(tcase, very_many_tags_take_linear_time);
    suite_add_tcase(suite, tcase);
    return suite;
}
