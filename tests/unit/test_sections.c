/* What reports say of findings, signatures, operators and nodes. */
#include "unit/section_case.h"

#include <string.h>

static bool words(const void *unused, const char *rule, struct dg_rule_words *told)
{
    *told = (struct dg_rule_words){"must hold", "why", "fix"};
    return strcmp(rule, "unknown/rule") != 0;
}

static const struct dg_report_rule rules[] = {
    {"a/ran", NULL}, {"b/no", "no .pte"}, {"c/no", "no .pte"}, {"d/no", "no plan"}};

static void told(size_t n_errors, size_t n_warnings, size_t n_notes)
{
    section_input.pictures = false;
    section_input.rule = words;
    section_input.rules = rules;
    section_input.n_rules = 4;
    section_input.n_rules_run = 1;
    section_input.counts[0] = (int64_t)n_errors;
    section_input.counts[1] = (int64_t)n_warnings;
    section_input.counts[2] = (int64_t)n_notes;
    section_input.failed = n_errors > 0;
    section_input.fail_on = "error";
    section_input.version = "1.2";
    section_input.invocation = "delegraph report a.file";
}

static void finding(const char *rule, const char *severity, const char *message)
{
    given_format(
        "INSERT INTO finding (artifact_id, rule, severity, method_id, graph_id,"
        " node_id, message, witness, fingerprint) VALUES"
        " (1, '%s', '%s', 1, 1, 2, '%s', '[\"x\",\"relu\"]', '')",
        rule, severity, message);
}

START_TEST(the_verdict_begins_with_the_counts)
{
    given_chain();
    told(1, 2, 0);
    expect_in_section(&dg_section_verdict, DG_FORM_TEXT,
                      "say FAIL: 1 error, 2 warnings, 0 notes\n");
}
END_TEST

START_TEST(the_worst_finding_is_that_of_the_highest_severity)
{
    given_chain();
    finding("a/note", "note", "n");
    finding("a/error", "error", "e");
    told(1, 0, 1);
    expect_in_section(
        &dg_section_verdict, DG_FORM_HTML,
        "table worst: First | Severity | Rule | Findings | Where | Node |"
        " What is wrong\n  2 | error | a/error | 1 | forward | relu | e\n");
}
END_TEST

START_TEST(what_to_do_about_the_worst_stands_on_the_first_screen)
{
    given_chain();
    finding("a/error", "error", "e");
    told(1, 0, 1);
    expect_in_section(&dg_section_verdict, DG_FORM_HTML,
                      "say Fix: fix (#finding-1).\n");
    expect_in_section(&dg_section_verdict, DG_FORM_TEXT, "say Fix: fix.\n");
    told(0, 0, 0);
    expect_not_in_section(&dg_section_verdict, DG_FORM_HTML, "Fix");
}
END_TEST

START_TEST(a_verdict_without_errors_names_the_exit_code_0)
{
    given_chain();
    told(0, 0, 0);
    expect_in_section(&dg_section_verdict, DG_FORM_TEXT,
                      "$ delegraph check a.file\nsay This command reports the same and "
                      "exits with 0 (0: no error; 1");
}
END_TEST

START_TEST(calls_that_a_plan_tags_count_as_delegated)
{
    given_chain();
    given("INSERT INTO cost VALUES (2, 1500, 64);"
          "INSERT INTO part_run (id, artifact_id, source) VALUES (1, 1, 'plan');"
          "INSERT INTO partition (id, part_run_id, graph_id, pos, tag, backend) VALUES"
          " (1, 1, 1, 0, 'tag0', 'XnnpackBackend');"
          "INSERT INTO partition_node VALUES (1, 0, 2)");
    told(0, 0, 0);
    expect_in_section(&dg_section_verdict, DG_FORM_TEXT,
                      "fact Planned for XnnpackBackend = 1 partition\n"
                      "fact Ops delegated (1 of 1) = 100.0 % [100 %]\n"
                      "fact FLOPs delegated (of 1.5 k) = 100.0 % [100 %]\n");
    expect_in_section(&dg_section_operators, DG_FORM_HTML,
                      "  aten::relu.default | 1 | 1 | 1500 | 64 | yes | relu\n");
}
END_TEST

START_TEST(a_finding_is_told_with_place_path_reason_and_fix)
{
    given_chain();
    finding("a/error", "error", "e");
    told(1, 0, 0);
    expect_in_section(
        &dg_section_findings, DG_FORM_TEXT,
        "heading finding-1: Finding 1: error, a/error\nsay e\n"
        "say Where: forward, relu (aten::relu.default)\nsay Path: x → relu\n"
        "say What must hold: must hold\nsay Why it matters: why\nsay Fix: fix\n"
        "say To accept it, leave the rule out:\n"
        "$ delegraph check a.file --ignore a/error\n");
}
END_TEST

START_TEST(a_rule_that_is_not_known_here_is_told_without_words)
{
    given_chain();
    finding("unknown/rule", "error", "e");
    told(1, 0, 0);
    expect_not_in_section(&dg_section_findings, DG_FORM_TEXT, "Why");
}
END_TEST

START_TEST(of_a_rule_that_is_broken_often_three_findings_are_told)
{
    given_chain();
    for (int i = 0; i < 5; i++)
        finding("a/often", "warning", "w");
    finding("a/error", "error", "e");
    told(1, 5, 0);
    expect_in_section(&dg_section_findings, DG_FORM_HTML,
                      "heading finding-3: Finding 3: warning, a/often\nsay w\n"
                      "say Where: forward, relu (aten::relu.default)\n"
                      "say Path: x → relu\nsay 2 more of this rule: #all-findings\n"
                      "table all-findings:");
    expect_not_in_section(&dg_section_findings, DG_FORM_HTML, "finding-4");
    expect_in_section(&dg_section_findings, DG_FORM_HTML,
                      "  6 | error | a/error | forward | relu | - | e\n"
                      "  1 | warning | a/often");
}
END_TEST

START_TEST(findings_that_are_all_told_need_no_table)
{
    given_chain();
    finding("a/error", "error", "e");
    told(1, 0, 0);
    expect_not_in_section(&dg_section_findings, DG_FORM_HTML, "all-findings");
}
END_TEST

START_TEST(findings_of_another_program_are_not_told)
{
    given_chain();
    given("INSERT INTO artifact (id, path, kind, size_bytes, version) VALUES"
          " (2, 'b.pt2', 'pt2', 1, '{}');"
          "INSERT INTO finding (artifact_id, rule, severity, message, witness,"
          " fingerprint) VALUES (2, 'a/error', 'error', 'of b', '[]', '')");
    told(0, 0, 0);
    expect_not_in_section(&dg_section_findings, DG_FORM_HTML, "of b");
    expect_not_in_section(&dg_section_verdict, DG_FORM_HTML, "of b");
}
END_TEST

START_TEST(without_findings_that_is_said)
{
    given_chain();
    told(0, 0, 0);
    expect_section(&dg_section_findings, DG_FORM_TEXT, "say None.\n");
}
END_TEST

START_TEST(rules_that_do_not_apply_stand_together_by_reason)
{
    given_chain();
    told(0, 0, 0);
    expect_in_section(&dg_section_findings, DG_FORM_HTML,
                      "open What was not checked, and why\n"
                      "table rules-not-checked: Why | Rules\n"
                      "  no .pte | b/no, c/no\n  no plan | d/no\nclose\n");
}
END_TEST

START_TEST(weights_are_counted_and_those_that_are_written_are_told)
{
    given_pt2();
    given(
        "INSERT INTO value (id, graph_id, idx, kind, dtype, shape, nbytes) VALUES"
        " (1, 1, 0, 'tensor', 'f32', '[4]', 16), (2, 1, 1, 'tensor', 'f32', '[2]', 8),"
        " (3, 1, 2, 'tensor', 'f32', '[2]', 8), (4, 1, 3, 'tensor', 'f32', '[]', 4);"
        "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target,"
        " value_id) VALUES (1, 'input', 0, 'w', 'tensor', 'parameter', 'w', 1),"
        " (1, 'input', 1, 'b_n', 'tensor', 'buffer', 'n', 2),"
        " (1, 'input', 2, 'c_0', 'tensor', 'constant_tensor', '0', 4),"
        " (1, 'output', 0, 'add', 'tensor', 'buffer_mutation', 'n', 3)");
    expect_section(
        &dg_section_signature, DG_FORM_HTML,
        "table inputs-outputs: Method | Direction | # | Name | Kind | Type | Size |"
        " Device | Mutation\n"
        "  forward | input | 1 | b_n | buffer | f32[2] | 8 | - | written in place\n"
        "  forward | output | 0 | add | buffer mutation | f32[2] | 8 | - | becomes n\n"
        "table weights-passed: Method | Kind | Inputs | Size\n"
        "  forward | parameter | 1 | 16\n  forward | constant_tensor | 1 | 4\n"
        "  forward | buffer | 1 | 8\n");
}
END_TEST

START_TEST(sizes_that_may_vary_have_their_bounds)
{
    given_pt2();
    given("INSERT INTO range_constraint VALUES (1, 's0', 2, NULL)");
    expect_section(&dg_section_signature, DG_FORM_TEXT,
                   "table symbols: Method | Graph | Symbol | At least | At most\n"
                   "  forward | - | s0 | 2 | -\n");
}
END_TEST

START_TEST(nodes_name_their_inputs_by_position)
{
    given_chain();
    section_input.pictures = true;
    expect_in_section(
        &dg_section_nodes, DG_FORM_HTML,
        "data data-nodes: {\"path\":\"a.file\",\n"
        "\"columns\":[\"row\",\"name\",\"op\",\"module\",\"type\",\"source\","
        "\"partition\",\"inputs\"],\n"
        "\"ops\":[\"placeholder\",\"aten::relu.default\",\"output\"],\n"
        "\"modules\":[],\n\"types\":[],\n\"sources\":[],\n\"partitions\":[],\n"
        "\"nodes\":[\n[1,\"x\",0,null,null,null,null,[]],\n"
        "[2,\"relu\",1,null,null,null,null,[0]],\n"
        "[3,\"output\",2,null,null,null,null,[1]]],\n\"left_out\":0}\n");
}
END_TEST

START_TEST(a_name_that_is_too_long_is_shortened)
{
    given_chain();
    given("UPDATE node SET name = printf('%.*c', 10000, 'n') WHERE id = 2");
    section_input.pictures = true;
    expect_not_in_section(
        &dg_section_nodes, DG_FORM_HTML,
        "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
        "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn");
}
END_TEST

START_TEST(nodes_beyond_the_most_are_counted)
{
    given_pt2();
    given("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
          "  WHERE i < 30000)"
          " INSERT INTO node (id, graph_id, idx, name, kind)"
          " SELECT i, 1, i - 1, 'n' || i, 'placeholder' FROM n");
    section_input.pictures = true;
    expect_in_section(&dg_section_nodes, DG_FORM_HTML, "more cannot:\n$ delegraph ls");
    expect_not_in_section(&dg_section_nodes, DG_FORM_HTML, "\"n20001\"");
}
END_TEST

START_TEST(modules_stand_inside_those_around_them)
{
    given_chain();
    given("INSERT INTO module (id, fqn) VALUES (1, 'up'), (2, 'up.act');"
          "UPDATE node SET module_id = 2 WHERE id = 2");
    expect_in_section(&dg_section_modules, DG_FORM_TEXT,
                      "tree modules-1:\n  forward 0\n    up 0\n      act 0\n");
    expect_section(&dg_section_modules, DG_FORM_MARKDOWN, "");
}
END_TEST

START_TEST(a_program_without_modules_has_no_tree_of_them)
{
    given_chain();
    expect_section(&dg_section_modules, DG_FORM_TEXT, "");
}
END_TEST

START_TEST(provenance_names_the_files_and_the_command)
{
    given_pt2();
    told(0, 0, 0);
    expect_in_section(&dg_section_provenance, DG_FORM_HTML,
                      "fact delegraph = 1.2\n"
                      "$ delegraph report a.file\n"
                      "table files: File | Role | Format | Layout | Size | SHA-256\n"
                      "  a.pt2 | program | pt2 | - | 4096 | -\n");
    expect_in_section(&dg_section_provenance, DG_FORM_HTML,
                      "  a.pt2 | torch | 2.13.0\n");
}
END_TEST

Suite *sections_suite(void)
{
    Suite *suite = suite_create("sections");
    TCase *tcase = tcase_create("sections");

    tcase_add_checked_fixture(tcase, rules_open, rules_close);
    tcase_add_test(tcase, the_verdict_begins_with_the_counts);
    tcase_add_test(tcase, the_worst_finding_is_that_of_the_highest_severity);
    tcase_add_test(tcase, what_to_do_about_the_worst_stands_on_the_first_screen);
    tcase_add_test(tcase, a_verdict_without_errors_names_the_exit_code_0);
    tcase_add_test(tcase, calls_that_a_plan_tags_count_as_delegated);
    tcase_add_test(tcase, a_finding_is_told_with_place_path_reason_and_fix);
    tcase_add_test(tcase, a_rule_that_is_not_known_here_is_told_without_words);
    tcase_add_test(tcase, of_a_rule_that_is_broken_often_three_findings_are_told);
    tcase_add_test(tcase, findings_that_are_all_told_need_no_table);
    tcase_add_test(tcase, findings_of_another_program_are_not_told);
    tcase_add_test(tcase, without_findings_that_is_said);
    tcase_add_test(tcase, rules_that_do_not_apply_stand_together_by_reason);
    tcase_add_test(tcase, weights_are_counted_and_those_that_are_written_are_told);
    tcase_add_test(tcase, sizes_that_may_vary_have_their_bounds);
    tcase_add_test(tcase, nodes_name_their_inputs_by_position);
    tcase_add_test(tcase, a_name_that_is_too_long_is_shortened);
    tcase_add_test(tcase, nodes_beyond_the_most_are_counted);
    tcase_add_test(tcase, modules_stand_inside_those_around_them);
    tcase_add_test(tcase, a_program_without_modules_has_no_tree_of_them);
    tcase_add_test(tcase, provenance_names_the_files_and_the_command);
    suite_add_tcase(suite, tcase);
    return suite;
}
