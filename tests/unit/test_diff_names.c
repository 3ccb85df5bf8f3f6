/* What a comparison passes over, and by which option it does not. */
#include <stdio.h>

#include "base/text.h"
#include "unit/small_diff.h"

START_TEST(diff_tells_planned_memory_by_device_but_for_sizes)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("INSERT INTO arena VALUES (1, 0, 0, 'cpu'), (1, 1, %d, 'cpu'),"
                     " (1, 2, 16, 'cuda:0')",
                     100 + 10 * s);
    }
    expect_diff("planned memory +8.6 %\n"
                "memory changed planned cpu: 100 B -> 110 B\n");
    diff_ignored = DG_DIFF_SIZES;
    expect_diff("no difference\n");
}
END_TEST

/* One more input that nobody reads, on both sides. */
static void give_second(const char *spec, const char *target)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO value (id, graph_id, idx, name, kind, dtype, shape) SELECT"
              "  max(id) + 1, 1, 90, 'y', 'tensor', 'f32', '[2]' FROM value;"
              "INSERT INTO node (id, graph_id, idx, name, kind, value_id) SELECT"
              "  max(id) + 1, 1, 90, 'y', 'placeholder',"
              "  (SELECT max(id) FROM value) FROM node");
        given_format(
            "INSERT INTO signature (graph_id, direction, pos, name, kind, spec,"
            "  target, value_id) SELECT 1, 'input', 9, 'y', 'tensor', '%s', %s,"
            "  max(id) FROM value",
            spec, target);
    }
}

START_TEST(diff_tells_exchanged_parameters)
{
    give_second("parameter", "'v'");
    expect_diff("no difference\n");
    given("UPDATE signature SET target = iif(target = 'v', 'w', 'v')"
          " WHERE spec = 'parameter'");
    expect_diff("other signature\n"
                "signature changed is w: w parameter -> v parameter\n"
                "signature changed is y: v parameter -> w parameter\n");
}
END_TEST

START_TEST(diff_tells_exchanged_inputs_of_the_user_though_names_are_ignored)
{
    diff_ignored = DG_DIFF_NAMES;
    give_second("user_input", "NULL");
    expect_diff("no difference\n");
    given("UPDATE signature SET pos = 10 WHERE name = 'x'");
    expect_diff("other signature\n"
                "signature changed is x: input 0 -> input 1\n"
                "signature changed is y: input 1 -> input 0\n");
}
END_TEST

START_TEST(diff_accepts_other_names_of_inputs_but_for_names)
{
    given("UPDATE node SET name = 'z', args = NULL WHERE name = 'x';"
          "UPDATE signature SET name = 'z' WHERE name = 'x';"
          "UPDATE node SET args = replace(args, '\"x\"', '\"z\"')");
    expect_diff("1 other name\nname changed input input 0: x -> z\n");
    diff_ignored = DG_DIFF_NAMES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_how_a_buffer_is_kept)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("UPDATE signature SET spec = 'buffer', persistent = %d"
                     " WHERE spec = 'parameter'",
                     !s);
    }
    expect_diff("other signature\n"
                "signature changed kept as w: buffer -> buffer, not persistent\n");
}
END_TEST

START_TEST(diff_tells_another_target_of_an_attribute)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("INSERT INTO node (id, graph_id, idx, name, kind, target) VALUES"
                     " (30, 1, 30, 'attr', 'get_attr', '%s')",
                     s ? "b" : "a");
    }
    expect_diff("1 op changed\nop changed target attr: a -> b\n");
}
END_TEST

START_TEST(diff_accepts_other_classes_but_for_names)
{
    given("UPDATE module SET type = 'C' WHERE fqn = 'b'");
    expect_diff("1 other name\nname changed class b: B -> C\n");
    diff_ignored = DG_DIFF_NAMES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_accepts_other_names_of_modules_and_nodes_but_for_names)
{
    given("UPDATE module SET fqn = 'block' WHERE fqn = 'b';"
          "UPDATE node SET name = 'scaled', args = replace(args, '\"mul\"',"
          " '\"scaled\"') WHERE name = 'mul';"
          "UPDATE node SET args = replace(args, '\"mul\"', '\"scaled\"')");
    expect_diff("3 other names\n"
                "name changed node scaled: mul -> scaled\n"
                "name changed module scaled: b -> block\n"
                "name changed module softmax: b -> block\n");
    diff_ignored = DG_DIFF_NAMES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_accepts_other_lines_but_for_source)
{
    given("UPDATE trace SET text = 'line 2'");
    expect_diff("3 nodes from other source lines\n"
                "source changed stack traces relu\n");
    diff_ignored = DG_DIFF_SOURCES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_accepts_other_versions_but_for_metadata)
{
    given("UPDATE artifact SET version = replace(version, '2.13.0', '2.14.0')");
    expect_diff("other metadata\n"
                "metadata changed version torch: 2.13.0 -> 2.14.0\n");
    diff_ignored = DG_DIFF_METADATAS;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_a_method_and_not_what_is_in_it)
{
    given("INSERT INTO method VALUES (2, 1, 1, 'more', 'aten', NULL, NULL);"
          "INSERT INTO \"graph\" VALUES (2, 2, '', 'method');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (20, 2, 0, 'relu', 'call_function', 1)");
    expect_diff("1 method added\nmethod added more -> aten\n");
}
END_TEST

START_TEST(diff_tells_a_branch_and_not_what_is_in_it)
{
    given("INSERT INTO \"graph\" VALUES (2, 1, 'true_graph_0', 'branch');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (20, 2, 0, 'relu', 'call_function', 1)");
    expect_diff("1 graph added\n"
                "graph added true_graph_0 -> branch\n");
}
END_TEST

START_TEST(diff_tells_extra_files_but_for_metadata)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("INSERT INTO segment (artifact_id, idx, name, kind, offset,"
                     " size_bytes, stored_bytes, xxh3)"
                     " VALUES (1, 9, 'labels', 'extra', 0, 3, 3, '%d')",
                     s);
    }
    expect_diff("other metadata\nmetadata changed extra file labels\n");
    diff_ignored = DG_DIFF_METADATAS;
    expect_diff("no difference\n");
}
END_TEST

Suite *diff_names_suite(void)
{
    Suite *suite = suite_create("diff_names");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, diff_open, diff_close);
    tcase_add_test(all, diff_tells_planned_memory_by_device_but_for_sizes);
    tcase_add_test(all, diff_tells_exchanged_parameters);
    tcase_add_test(all,
                   diff_tells_exchanged_inputs_of_the_user_though_names_are_ignored);
    tcase_add_test(all, diff_accepts_other_names_of_inputs_but_for_names);
    tcase_add_test(all, diff_tells_how_a_buffer_is_kept);
    tcase_add_test(all, diff_tells_another_target_of_an_attribute);
    tcase_add_test(all, diff_accepts_other_classes_but_for_names);
    tcase_add_test(all, diff_accepts_other_names_of_modules_and_nodes_but_for_names);
    tcase_add_test(all, diff_accepts_other_lines_but_for_source);
    tcase_add_test(all, diff_accepts_other_versions_but_for_metadata);
    tcase_add_test(all, diff_tells_a_method_and_not_what_is_in_it);
    tcase_add_test(all, diff_tells_a_branch_and_not_what_is_in_it);
    tcase_add_test(all, diff_tells_extra_files_but_for_metadata);
    suite_add_tcase(suite, all);
    return suite;
}
