/* Rules that users write: what their headers may hold, and what their SQL may do. */
#include "unit/rules.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "verifiers/user.h"

#define HEADER "-- id: user/a\n-- severity: warning\n-- text: must hold\n"

static struct dg_arena memory;
static struct dg_rule rule;
static double seconds;

static void begin(void)
{
    rules_open();
    seconds = 20;
}

static void end(void)
{
    rules_close();
    dg_arena_clear(&memory);
}

static enum dg_status read_rule(const char *text)
{
    const struct dg_user_source source = {
        .folder = "r", .path = "r/a.sql", .seconds = seconds};

    return dg_user_rule_read(&rule, dg_text(text), &source, &memory, &rules_err);
}

static void reads(const char *text)
{
    ck_assert_msg(!read_rule(text), "%s", rules_err.text);
}

static void refuses(const char *text, const char *want)
{
    ck_assert_int_eq(read_rule(text), DG_ERR_USAGE);
    ck_assert_str_eq(rules_err.text, want);
}

static enum dg_status run(void)
{
    struct dg_selection selection = {0};

    ck_assert(!dg_user_verifier(&selection.user, &rule, 1, &memory, &rules_err));
    selection.select = &selection.user->name;
    selection.n_select = 1;
    return dg_verify(rules_store, &selection, NULL, NULL, &rules_err);
}

static void finds(const char *sql, const char *want)
{
    struct dg_writer text = {0}, got = {0};
    struct dg_rows rows;

    given("DELETE FROM finding");
    dg_print(&text, HEADER "%s", sql);
    reads(text.data);
    ck_assert_msg(!run(), "%s", rules_err.text);
    rows =
        dg_rows_all(rules_store,
                    "SELECT severity || coalesce(' ' || node_id, '') || ' ' || message"
                    " || iif(witness = '[]', '', ' ' || witness)"
                    "  FROM finding ORDER BY id",
                    &rules_err);
    while (dg_rows_next(&rows))
        dg_print(&got, "%s\n", dg_rows_text(&rows, 0));
    ck_assert(!dg_rows_close(&rows, DG_OK, &rules_err));
    ck_assert_str_eq(got.data ? got.data : "", want);
    dg_writer_clear(&got);
    dg_writer_clear(&text);
}

static void fails(const char *sql, enum dg_status status, const char *want)
{
    struct dg_writer text = {0};

    dg_print(&text, HEADER "%s", sql);
    reads(text.data);
    ck_assert_int_eq(run(), status);
    ck_assert_msg(strstr(rules_err.text, want), "%s", rules_err.text);
    ck_assert_msg(!strncmp(rules_err.text, "r/a.sql:4: user/a: ", 19), "%s",
                  rules_err.text);
    dg_writer_clear(&text);
}

static void does_not_compile(const char *sql, const char *want)
{
    struct dg_writer text = {0};
    char got[600];
    int line;

    dg_print(&text, HEADER "%s", sql);
    reads(text.data);
    ck_assert(!dg_store_add_views(rules_store, &rules_err));
    ck_assert_int_eq(dg_user_rule_compile(&line, &rule, rules_store, &rules_err),
                     DG_ERR_USAGE);
    snprintf(got, sizeof(got), "%d: %s", line, rules_err.text);
    ck_assert_str_eq(got, want);
    dg_writer_clear(&text);
}

START_TEST(a_header_becomes_a_rule)
{
    reads("\xef\xbb\xbf\n--id:user/no-x2\r\n--  severity : note\n--\n"
          "-- text: no x\n--   at all: never\n-- why: w\n-- fix: f\n-- level: pte ptd\n"
          "\n/* free */ SELECT 1 AS message -- more: words\n");
    ck_assert_str_eq(rule.name, "no-x2");
    ck_assert_int_eq(rule.severity, DG_SEVERITY_NOTE);
    ck_assert_str_eq(rule.invariant, "no x at all: never");
    ck_assert_str_eq(rule.reason, "w");
    ck_assert_str_eq(rule.fix, "f");
    ck_assert_str_eq(rule.level, "pte ptd");
    ck_assert_int_eq(rule.source->line, 11);
    ck_assert_str_eq(rule.source->sql,
                     "/* free */ SELECT 1 AS message -- more: words\n");
}
END_TEST

START_TEST(why_fix_and_level_may_be_left_out)
{
    reads(HEADER "SELECT 1 AS message");
    ck_assert_ptr_null(rule.reason);
    ck_assert_ptr_null(rule.fix);
    ck_assert_ptr_null(rule.level);
}
END_TEST

START_TEST(a_wrong_key_is_refused_with_its_line_and_the_near_one)
{
    refuses("-- id: user/a\n-- severty: error\n",
            "r/a.sql:2: no key \"severty\"; did you mean severity?");
    refuses("-- Copyright: us\n",
            "r/a.sql:1: no key \"Copyright\"; expected id, severity, text, why, fix or "
            "level");
    refuses(HEADER "-- text: again\n",
            "r/a.sql:4: text is given twice; first in line 3");
    refuses("-- a remark\n", "r/a.sql:1: expected \"-- key: value\" above the SELECT; "
                             "other comments go behind it, or into /* */");
    refuses("-- id:\n", "r/a.sql:1: id is empty");
}
END_TEST

START_TEST(a_header_needs_id_severity_and_text)
{
    refuses("", "r/a.sql:1: the header lacks id; expected a line \"-- id: ...\"");
    refuses("SELECT 1 AS message",
            "r/a.sql:1: the header lacks id; expected a line \"-- id: ...\"");
    refuses("-- id: user/a\n-- text: t\nSELECT 1 AS message",
            "r/a.sql:1: the header lacks severity; expected a line \"-- severity: "
            "...\"");
    refuses("-- id: user/a\n-- severity: note\nSELECT 1 AS message",
            "r/a.sql:1: the header lacks text; expected a line \"-- text: ...\"");
    refuses(HEADER "\n", "r/a.sql:5: no SELECT behind the header");
}
END_TEST

START_TEST(an_id_is_user_and_a_short_name)
{
    static const char rest[] = "\n-- severity: note\n-- text: t\nSELECT 1 AS message";
    static const char *const wrong[] = {"memory/a", "user",     "user/",    "user/-a",
                                        "user/A",   "user/a/b", "user/a b", "a"};
    char text[300];

    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        snprintf(text, sizeof(text), "-- id: %s%s", wrong[i], rest);
        ck_assert_msg(read_rule(text) == DG_ERR_USAGE, "%s", wrong[i]);
        ck_assert(!strncmp(rules_err.text, "r/a.sql:1: id is \"", 18));
    }
    snprintf(text, sizeof(text), "-- id: user/%064d%s", 1, rest);
    reads(text);
    snprintf(text, sizeof(text), "-- id: user/%065d%s", 1, rest);
    refuses(text, "r/a.sql:1: the name of the id is longer than 64");
}
END_TEST

START_TEST(severity_and_level_are_words_that_are_known)
{
    refuses("-- id: user/a\n-- severity: eror\n-- text: t\nSELECT 1 AS message",
            "r/a.sql:2: severity is \"eror\", expected error, warning or note; did you "
            "mean error?");
    refuses(HEADER "-- level: pte, pt2\nSELECT 1 AS message",
            "r/a.sql:4: level has \"pte,\", expected pte, pt2 or ptd, with spaces "
            "between them");
}
END_TEST

START_TEST(bytes_that_hide_something_are_refused)
{
    static const char nul[] = HEADER "SELECT 1 AS message\n\0; DROP";
    const struct dg_user_source source = {.path = "r/a.sql"};

    ck_assert(dg_user_rule_read(&rule, (struct dg_text){nul, sizeof(nul)}, &source,
                                &memory, &rules_err));
    ck_assert_str_eq(rules_err.text, "r/a.sql:5: a NUL byte");
    refuses(HEADER "SELECT '\xff' AS message", "r/a.sql:1: the file is no UTF-8");
    refuses("-- text: a\x1b[31mb\n", "r/a.sql:1: a control character");
    refuses("-- text: a\xe2\x80\xae"
            "b\n",
            "r/a.sql:1: a control character");
}
END_TEST

START_TEST(a_value_is_bounded)
{
    struct dg_writer text = {0};

    dg_print(&text, "-- text: %0999d\n--   b", 1);
    ck_assert_int_eq(read_rule(text.data), DG_ERR_USAGE);
    ck_assert_str_eq(rules_err.text, "r/a.sql:2: text is longer than 1000 bytes");
    dg_writer_clear(&text);
}
END_TEST

START_TEST(two_rules_of_one_name_are_refused)
{
    const struct dg_verifier *user;
    struct dg_rule rules[2];

    reads(HEADER "SELECT 1 AS message");
    rules[0] = rule;
    reads("-- severity: note\n-- id: user/a\n-- text: t\nSELECT 1 AS message");
    rules[1] = rule;
    ck_assert(dg_user_verifier(&user, rules, 2, &memory, &rules_err) == DG_ERR_USAGE);
    ck_assert_str_eq(rules_err.text, "r/a.sql:2: id user/a is that of r/a.sql");
}
END_TEST

START_TEST(what_is_no_rule_does_not_compile)
{
    does_not_compile("SELECT a,\n  b FROM v_node", "4: query: no such column: a");
    does_not_compile("SELECT node_id,\n\n  b FROM v_node",
                     "6: query: no such column: b");
    does_not_compile("SELECT 1 AS message; SELECT 2",
                     "4: more than one statement; a rule is one SELECT");
    does_not_compile("SELECT ?1 AS message", "4: a rule has no parameters (:name, ?)");
    does_not_compile("SELECT node_id FROM v_node",
                     "4: no column is named message; expected SELECT ... AS message");
    does_not_compile("VACUUM",
                     "4: no column is named message; expected SELECT ... AS message");
    does_not_compile("EXPLAIN SELECT 1 AS message",
                     "4: column \"addr\" is none of a rule; known are artifact_id, "
                     "method_id, graph_id, node_id, value_id, message, path, severity");
    does_not_compile("SELECT 1 AS message, 2 AS message",
                     "4: two columns are named message");
    does_not_compile(
        "SELECT 1 AS node, 2 AS message",
        "4: column \"node\" is none of a rule; did you mean node_id?; known "
        "are artifact_id, method_id, graph_id, node_id, value_id, message, "
        "path, severity");
}
END_TEST

START_TEST(a_rule_can_only_read)
{
    static const char *const writes[] = {
        "DELETE FROM node",       "CREATE TABLE t(x)",       "CREATE TEMP TABLE t(x)",
        "ATTACH ':memory:' AS x", "PRAGMA user_version = 7", "COMMIT"};

    for (size_t i = 0; i < sizeof(writes) / sizeof(*writes); i++)
        does_not_compile(writes[i], "4: query: queries can only read");
}
END_TEST

START_TEST(rows_become_findings_at_their_places)
{
    given_chain();
    finds("SELECT node_id, name || '!' AS message, 'error' AS severity,"
          " json_array('x', name) AS path FROM v_node WHERE kind = 'call_function'"
          " UNION ALL SELECT NULL, 7, NULL, NULL",
          "error 2 relu! [\"x\",\"relu\"]\nwarning 7\n");
}
END_TEST

START_TEST(without_a_message_the_invariant_is_said)
{
    given_chain();
    finds("SELECT node_id, 'a' || NULL AS message FROM v_node WHERE name = 'x'",
          "warning 1 must hold\n");
}
END_TEST

START_TEST(long_messages_are_cut_between_characters)
{
    struct dg_writer want = {0};

    given_chain();
    dg_print(&want, "warning a");
    for (int i = 0; i < 499; i++)
        dg_print(&want, "\xc3\xa9");
    dg_print(&want, "...\n");
    finds("SELECT 'a' || replace(hex(zeroblob(300)), '0', '\xc3\xa9') AS message",
          want.data);
    dg_writer_clear(&want);
}
END_TEST

#define NUMBERS(n)                                                                     \
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT " #n ") "

START_TEST(beyond_a_thousand_findings_are_counted_by_severity)
{
    int64_t n;

    given_chain();
    reads(HEADER NUMBERS(100000) "SELECT i AS message, iif(i > 99998, 'error', 'note')"
                                 " AS severity FROM n");
    ck_assert_msg(!run(), "%s", rules_err.text);
    ck_assert(
        !dg_store_int(rules_store, "SELECT count(*) FROM finding", 0, &n, &rules_err));
    ck_assert_int_eq(n, 1002);
    ck_assert(!dg_store_int(rules_store,
                            "SELECT count(*) FROM finding WHERE (severity, message) IN"
                            " (VALUES ('error', '2 more findings of this rule'),"
                            " ('note', '98998 more findings of this rule'))",
                            0, &n, &rules_err));
    ck_assert_int_eq(n, 2);
}
END_TEST

START_TEST(notes_of_a_graph_become_one)
{
    given_chain();
    finds("SELECT node_id, 'm' AS message, 'note' AS severity FROM v_node"
          " ORDER BY node_id",
          "note 1 m; and 2 more [\"x\",\"relu\",\"output\"]\n");
}
END_TEST

START_TEST(rows_that_are_no_findings_fail_the_run)
{
    given_chain();
    fails("SELECT 1 AS message, 'x' AS node_id", DG_ERR_USAGE,
          "node_id is no number, expected an id as column node_id of a view");
    fails("SELECT 1 AS message, 99 AS node_id", DG_ERR_USAGE,
          "node_id is 99, which no view has");
    fails("SELECT 1 AS message, 99 AS graph_id", DG_ERR_USAGE,
          "graph_id is 99, which no view has");
    fails("SELECT 1 AS message, 'bad' AS severity", DG_ERR_USAGE,
          "severity is \"bad\", expected error, warning or note");
    fails("SELECT 1 AS message, '[1]' AS path", DG_ERR_USAGE,
          "path is \"[1]\", expected a JSON array of names");
    fails("SELECT 1 AS message, '{' AS path", DG_ERR_USAGE, "path is \"{\"");
    fails("SELECT 1 AS message, 7 AS path", DG_ERR_USAGE, "path is no text");
    fails("SELECT 1 AS message, json_array(hex(zeroblob(40000))) AS path", DG_ERR_USAGE,
          "path is longer than 65536 bytes");
    fails("SELECT x'00' AS message", DG_ERR_USAGE, "message is a blob");
    fails("SELECT json_extract('{', '$') AS message", DG_ERR_USAGE, "malformed JSON");
}
END_TEST

START_TEST(what_takes_too_much_fails_the_run)
{
    given_chain();
    seconds = 0.2;
    fails("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
          " SELECT i AS message FROM n",
          DG_ERR_STOPPED, "it ran out of time");
    fails("SELECT zeroblob(70000000) AS message", DG_ERR_STOPPED,
          "a value is beyond 64 MiB");
}
END_TEST

START_TEST(after_a_rule_the_store_is_as_it_was)
{
    given_chain();
    seconds = 0.2;
    fails("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
          " SELECT i AS message FROM n",
          DG_ERR_STOPPED, "it ran out of time");
    given("CREATE TEMP TABLE t(x); DELETE FROM op;"
          "INSERT INTO t SELECT length(zeroblob(70000000));"
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500000)"
          " INSERT INTO t SELECT count(*) FROM n");
}
END_TEST

START_TEST(a_rule_reads_costs_and_findings)
{
    given_chain();
    finds("SELECT count(*) AS message FROM v_cost", "warning 1\n");
    finds("SELECT rule AS message FROM v_finding", "");
}
END_TEST

START_TEST(a_level_leaves_other_files_out)
{
    given_chain();
    reads(HEADER "-- level: pte\nSELECT 1 AS message");
    ck_assert(!run());
    finds("SELECT count(*) AS message FROM v_finding", "warning 0\n");
}
END_TEST

START_TEST(its_words_are_found_by_its_id)
{
    const struct dg_verifier *user;

    reads(HEADER "SELECT 1 AS message");
    ck_assert(!dg_user_verifier(&user, &rule, 1, &memory, &rules_err));
    ck_assert_str_eq(dg_rule_find("user/a", user)->invariant, "must hold");
    ck_assert_ptr_null(dg_rule_find("user/b", user));
    ck_assert_ptr_null(dg_rule_find("user/a", NULL));
}
END_TEST

Suite *user_rules_suite(void)
{
    Suite *suite = suite_create("user_rules");
    TCase *headers = tcase_create("headers"), *runs = tcase_create("runs");

    tcase_add_checked_fixture(headers, begin, end);
    tcase_add_test(headers, a_header_becomes_a_rule);
    tcase_add_test(headers, why_fix_and_level_may_be_left_out);
    tcase_add_test(headers, a_wrong_key_is_refused_with_its_line_and_the_near_one);
    tcase_add_test(headers, a_header_needs_id_severity_and_text);
    tcase_add_test(headers, an_id_is_user_and_a_short_name);
    tcase_add_test(headers, severity_and_level_are_words_that_are_known);
    tcase_add_test(headers, bytes_that_hide_something_are_refused);
    tcase_add_test(headers, a_value_is_bounded);
    tcase_add_test(headers, two_rules_of_one_name_are_refused);
    suite_add_tcase(suite, headers);
    tcase_add_checked_fixture(runs, begin, end);
    tcase_add_test(runs, what_is_no_rule_does_not_compile);
    tcase_add_test(runs, a_rule_can_only_read);
    tcase_add_test(runs, rows_become_findings_at_their_places);
    tcase_add_test(runs, without_a_message_the_invariant_is_said);
    tcase_add_test(runs, long_messages_are_cut_between_characters);
    tcase_add_test(runs, beyond_a_thousand_findings_are_counted_by_severity);
    tcase_add_test(runs, notes_of_a_graph_become_one);
    tcase_add_test(runs, rows_that_are_no_findings_fail_the_run);
    tcase_add_test(runs, what_takes_too_much_fails_the_run);
    tcase_add_test(runs, after_a_rule_the_store_is_as_it_was);
    tcase_add_test(runs, a_rule_reads_costs_and_findings);
    tcase_add_test(runs, a_level_leaves_other_files_out);
    tcase_add_test(runs, its_words_are_found_by_its_id);
    suite_add_tcase(suite, runs);
    return suite;
}
