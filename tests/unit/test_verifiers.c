#include "unit/rules.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_told, n_excused;

static void count(void *context, const char *id, double seconds, const char *why)
{
    (void)seconds;
    n_told++;
    n_excused += why != NULL;
    if (context)
        ck_assert_msg(!fnmatch(context, id, 0), "%s ran", id);
}

static void run(const char *select, const char *ignore, const char *expected)
{
    const struct dg_selection selection = {
        .select = select ? &select : NULL,
        .n_select = select != NULL,
        .ignore = ignore ? &ignore : NULL,
        .n_ignore = ignore != NULL,
    };

    n_told = n_excused = 0;
    ck_assert_msg(
        !dg_verify(rules_store, &selection, count, (void *)expected, &rules_err), "%s",
        rules_err.text);
}

START_TEST(rules_are_chosen_by_id_family_or_pattern)
{
    int all;

    given_pte();
    run("memory/extent", NULL, "memory/extent");
    ck_assert_int_eq(n_told, 1);
    run("plan", NULL, "plan/*");
    all = n_told;
    ck_assert_int_ge(all, 4);
    run("plan/*", "plan/name", "plan/*");
    ck_assert_int_eq(n_told, all - 1);
    run("*/no-*", NULL, "*/no-*");
    ck_assert_int_ge(n_told, 3);
}

START_TEST(rules_about_other_formats_say_why_they_did_not_run)
{
    given_pte();
    run("graph/acyclic", NULL, NULL);
    ck_assert_int_eq(n_excused, 1);
    run("memory/extent", NULL, NULL);
    ck_assert_int_eq(n_excused, 0);
}

START_TEST(a_rule_is_found_by_its_id)
{
    ck_assert_ptr_nonnull(dg_rule_find("memory/extent", NULL));
    ck_assert_ptr_null(dg_rule_find("memory/extend", NULL));
    ck_assert_ptr_null(dg_rule_find("memory", NULL));
}

START_TEST(every_rule_says_what_why_and_how)
{
    for (size_t i = 0; dg_verifiers[i]; i++) {
        for (const struct dg_rule *rule = dg_verifiers[i]->rules; rule->name; rule++) {
            ck_assert_msg(rule->invariant && rule->reason && rule->fix && rule->level,
                          "%s/%s is incomplete", dg_verifiers[i]->name, rule->name);
            ck_assert_int_lt(strlen(rule->name), 40);
        }
    }
}

START_TEST(every_rule_runs_on_an_empty_program)
{
    int64_t count;

    given_pte();
    run(NULL, NULL, NULL);
    given("DELETE FROM finding; DELETE FROM arena; DELETE FROM \"graph\";"
          "DELETE FROM method; DELETE FROM artifact");
    given_pt2();
    run(NULL, NULL, NULL);
    ck_assert(!dg_store_int(rules_store, "SELECT count(*) FROM finding", 0, &count,
                            &rules_err));
    ck_assert_int_eq(count, 0);
}

START_TEST(a_rule_with_very_many_offenders_lists_some_and_counts_the_rest)
{
    int64_t count;

    given_chain();
    given("WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n"
          " WHERE i < 1499) INSERT INTO dangling SELECT 2, i, 'ghost' FROM n");
    run("graph/arg-resolves", NULL, NULL);
    ck_assert(!dg_store_int(rules_store, "SELECT count(*) FROM finding", 0, &count,
                            &rules_err));
    ck_assert_int_eq(count, 1001);
    ck_assert(!dg_store_int(rules_store,
                            "SELECT count(*) FROM finding"
                            " WHERE message = '500 more findings of this rule'",
                            0, &count, &rules_err));
    ck_assert_int_eq(count, 1);
}

static int64_t findings_like(const char *severity, const char *message)
{
    char sql[200];
    int64_t count;

    snprintf(sql, sizeof(sql),
             "SELECT count(*) FROM finding WHERE severity = '%s' AND message LIKE '%s'",
             severity, message);
    ck_assert(!dg_store_int(rules_store, sql, 0, &count, &rules_err));
    return count;
}

/* Of a rule whose findings are as severe as the program makes them. */
START_TEST(what_is_beyond_the_first_findings_counts_as_severe_as_it_is)
{
    given_chain();
    given("INSERT INTO op VALUES (2, 'aten::add_.Tensor', 'aten', 'Tensor(a!) self',"
          " 'Tensor(a!)', 32);"
          "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n"
          " WHERE i < 1500) INSERT INTO node (id, graph_id, idx, name, kind, op_id)"
          " SELECT i + 3, 1, i + 2, 'add_' || i, 'call_function', 2 FROM n");
    run("graph/op-functional", NULL, NULL);
    ck_assert_int_eq(findings_like("error", "%"), 0);
    ck_assert_int_eq(findings_like("note", "%; and 999 more"), 1);
    ck_assert_int_eq(findings_like("note", "500 more findings of this rule"), 1);
}

START_TEST(a_warning_behind_many_notes_is_counted_as_one)
{
    given_chain();
    given("INSERT INTO method SELECT 2, artifact_id, 1, 'second', 'edge', NULL, NULL"
          " FROM method WHERE id = 1;"
          "INSERT INTO \"graph\" VALUES (2, 2, '', 'method');"
          "INSERT INTO op VALUES (2, 'aten::add_.Tensor', 'aten', 'Tensor(a!) self',"
          " 'Tensor(a!)', 32);"
          "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n"
          " WHERE i < 1502) INSERT INTO node (id, graph_id, idx, name, kind, op_id)"
          " SELECT i + 3, 1 + (i > 1500), i + 2, 'add_' || i, 'call_function', 2"
          "  FROM n");
    run("graph/op-functional", NULL, NULL);
    ck_assert_int_eq(findings_like("note", "500 more findings of this rule"), 1);
    ck_assert_int_eq(findings_like("warning", "2 more findings of this rule"), 1);
}

START_TEST(notes_of_one_graph_are_one_finding_that_counts_and_names_them)
{
    given_chain();
    given("INSERT INTO \"graph\" VALUES (2, 1, 'g', 'branch');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (4, 1, 3, 'a', 'call_function', 1), (5, 1, 4, 'b', 'call_function', 1),"
          " (6, 1, 5, 'c', 'call_function', 1), (7, 2, 0, 'd', 'call_function', 1)");
    expect("graph/dead-node",
           "note its result reaches no output and it has no effect; and 2 more\n"
           "note its result reaches no output and it has no effect\n");
    expect_witness("[\"a\",\"b\",\"c\"]");
}

START_TEST(values_without_a_name_are_named_by_their_number)
{
    given_pte();
    given("INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
          " (3, 1, 2, 'int', 3), (4, 1, 3, 'bool', 1)");
    goes_in(2);
    goes_in(3);
    expect("value/primitive-input", "note input 0 is value 2, an int: 3; and 1 more\n");
    expect_witness("[\"value 2\",\"value 3\"]");
}

START_TEST(warnings_of_one_graph_stay_apart)
{
    given_chain();
    given("UPDATE method SET ir = 'edge';"
          "INSERT INTO op VALUES (2, 'aten::add_.Tensor', 'aten', '', '', 32);"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (4, 1, 3, 'a', 'call_function', 2), (5, 1, 4, 'b', 'call_function', 2)");
    expect("graph/op-functional",
           "warning aten::add_.Tensor writes one of its arguments\n"
           "warning aten::add_.Tensor writes one of its arguments\n");
    given("UPDATE method SET ir = 'aten'");
    expect("graph/op-functional",
           "note aten::add_.Tensor writes one of its arguments; and 1 more\n");
}

static const char *watched;
static bool watched_ran;

static void watch(void *context, const char *id, double seconds, const char *why)
{
    (void)context;
    (void)seconds;
    if (!strcmp(id, watched))
        watched_ran = !why;
}

/* Whether the rule looks; `select` NULL: at all. */
static bool looks(const char *rule, const char *select)
{
    const struct dg_selection selection = {.select = select ? &select : NULL,
                                           .n_select = select != NULL};

    watched = rule;
    watched_ran = false;
    ck_assert(!dg_verify(rules_store, &selection, watch, NULL, &rules_err));
    return watched_ran;
}

START_TEST(a_rule_on_request_runs_where_a_selection_names_it)
{
    given_chain();
    ck_assert(!looks("graph/op-opaque", NULL));
    ck_assert(looks("graph/op-opaque", "graph/op-opaque"));
    ck_assert(looks("graph/op-opaque", "graph"));
    ck_assert(looks("graph/op-opaque", "*/op-*"));
    ck_assert(looks("graph/dead-node", NULL));
}

START_TEST(what_a_cuda_backend_could_do_is_said_where_one_is_named_or_present)
{
    given_chain();
    ck_assert(!looks("cuda/attention-math", NULL));
    ck_assert(looks("cuda/attention-math", "cuda"));
    given("INSERT INTO setting VALUES ('backend', 'XnnpackBackend')");
    ck_assert(!looks("cuda/attention-math", NULL));
    given("INSERT INTO setting VALUES ('backend', 'CudaBackend')");
    ck_assert(looks("cuda/attention-math", NULL));
    given("DELETE FROM setting; INSERT INTO delegate (id, method_id, idx, backend)"
          " VALUES (1, 1, 0, 'MetalBackend')");
    ck_assert(looks("cuda/attention-math", NULL));
}

/* A graph of `n` nodes whose names and edges are drawn at random. */
static void given_random_graph(int n)
{
    char sql[128];

    given_pt2();
    for (int i = 1; i <= n; i++) {
        snprintf(sql, sizeof(sql),
                 "INSERT INTO node (id, graph_id, idx, name, kind) VALUES"
                 " (%d, 1, %d, 'n%d', 'placeholder')",
                 i, i - 1, rand() % (2 * n));
        given(sql);
        for (int k = 0; k < 2; k++) {
            snprintf(sql, sizeof(sql), "INSERT INTO edge VALUES (%d, %d, %d, NULL)", i,
                     k, 1 + rand() % n);
            given(sql);
        }
    }
}

static void collect(char *text, size_t size, const char *sql)
{
    struct dg_rows rows;
    size_t length = 0;

    ck_assert_msg(!dg_rows_open(&rows, rules_store, sql, &rules_err), "%s",
                  rules_err.text);
    text[0] = '\0';
    while (dg_rows_next(&rows) && length < size)
        length += (size_t)snprintf(text + length, size - length, "%d ",
                                   (int)dg_rows_int(&rows, 0));
    ck_assert(!dg_rows_close(&rows, DG_OK, &rules_err));
}

START_TEST(where_a_rule_has_both_c_and_sql_agree_on_random_graphs)
{
    const struct dg_rule *rule = dg_rule_find("graph/name-unique", NULL);
    char by_c[1024], by_sql[1024];

    srand(3);
    for (int i = 0; i < 50; i++) {
        rules_close();
        rules_open();
        given_random_graph(1 + rand() % 30);
        run("graph/name-unique", NULL, NULL);
        collect(by_c, sizeof(by_c), "SELECT node_id FROM finding ORDER BY node_id");
        collect(by_sql, sizeof(by_sql), rule->query);
        ck_assert_str_eq(by_c, by_sql);
    }
}

START_TEST(acyclic_agrees_with_transitive_closure_on_random_graphs)
{
    int64_t by_c, by_sql;

    srand(5);
    for (int i = 0; i < 50; i++) {
        rules_close();
        rules_open();
        given_random_graph(1 + rand() % 8);
        if (i % 2)
            given("DELETE FROM edge WHERE (dst * 7 + src * 5) % 3 <> 0");
        run("graph/acyclic", NULL, NULL);
        ck_assert(!dg_store_int(rules_store, "SELECT count(*) > 0 FROM finding", 0,
                                &by_c, &rules_err));
        ck_assert(
            !dg_store_int(rules_store,
                          "WITH RECURSIVE path(a, b) AS (SELECT src, dst FROM edge"
                          " UNION SELECT a, dst FROM path JOIN edge ON src = b)"
                          "SELECT count(*) > 0 FROM path WHERE a = b",
                          0, &by_sql, &rules_err));
        ck_assert_int_eq(by_c, by_sql);
    }
}

Suite *verifiers_suite(void)
{
    Suite *suite = suite_create("verifiers");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, rules_are_chosen_by_id_family_or_pattern);
    tcase_add_test(all, rules_about_other_formats_say_why_they_did_not_run);
    tcase_add_test(all, a_rule_is_found_by_its_id);
    tcase_add_test(all, every_rule_says_what_why_and_how);
    tcase_add_test(all, every_rule_runs_on_an_empty_program);
    tcase_add_test(all, a_rule_with_very_many_offenders_lists_some_and_counts_the_rest);
    tcase_add_test(all, what_is_beyond_the_first_findings_counts_as_severe_as_it_is);
    tcase_add_test(all, a_warning_behind_many_notes_is_counted_as_one);
    tcase_add_test(all, notes_of_one_graph_are_one_finding_that_counts_and_names_them);
    tcase_add_test(all, values_without_a_name_are_named_by_their_number);
    tcase_add_test(all, warnings_of_one_graph_stay_apart);
    tcase_add_test(all, a_rule_on_request_runs_where_a_selection_names_it);
    tcase_add_test(all,
                   what_a_cuda_backend_could_do_is_said_where_one_is_named_or_present);
    tcase_add_test(all, where_a_rule_has_both_c_and_sql_agree_on_random_graphs);
    tcase_add_test(all, acyclic_agrees_with_transitive_closure_on_random_graphs);
    suite_add_tcase(suite, all);
    return suite;
}
