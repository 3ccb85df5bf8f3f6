/* What a comparison tells of the constants of a .pte, and who reads them. */
#include <stdio.h>

#include "base/text.h"
#include "unit/small_diff.h"

START_TEST(diff_finds_constants_by_the_instruction_that_reads_them)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_SIZES;
    given("UPDATE constant SET shape = '[1]', nbytes = 4, xxh3 = 'two'");
    expect_diff("1 of 1 weights differs\n"
                "weight changed type: f32 [2] -> f32 [1]\n");
}
END_TEST

#define SWAPPED                                                                        \
    "UPDATE operand SET value_idx = 6 - value_idx, value_id = 8 - value_id"            \
    " WHERE value_id IN (2, 6);"

START_TEST(diff_accepts_other_numbers_of_constants)
{
    build_two_constants();
    given("UPDATE value SET data_index = 3 - data_index WHERE storage = 'constant';"
          "UPDATE constant SET idx = 3 - idx");
    expect_diff("no difference\n");
    given(SWAPPED "UPDATE constant SET idx = 3 - idx");
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_who_reads_another_constant)
{
    build_two_constants();
    given(SWAPPED);
    expect_diff("2 ops changed\n"
                "op changed reads op_0: constant one -> constant two\n"
                "op changed reads op_1: constant two -> constant one\n");
}
END_TEST

START_TEST(diff_tells_new_values_of_constants_and_no_other_reader)
{
    build_two_constants();
    given("UPDATE constant SET xxh3 = 'one' WHERE id = 2");
    diff_ignored |= DG_DIFF_WEIGHTS;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_who_reads_another_external_constant)
{
    build_two_constants();
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("UPDATE value SET storage = 'external', name = 'w' || id, data_index ="
              " NULL WHERE storage = 'constant'; DELETE FROM constant");
    }
    given("UPDATE value SET name = 'w7' WHERE name = 'w6'");
    expect_diff("1 other name\nname changed external weight w7: w6 -> w7\n");
    given("UPDATE value SET name = 'w6' WHERE name = 'w7';" SWAPPED);
    expect_diff("2 ops changed\n"
                "op changed reads op_0: constant w2 -> constant w6\n"
                "op changed reads op_1: constant w6 -> constant w2\n");
}
END_TEST

/* The first instruction gives two values at places of their own; the second one reads
 * the first of them, or what shows its bytes in another shape. */
static void build_two_results(const char *shown)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given(
            "UPDATE value SET mem_id = 1, mem_offset = 0 WHERE id = 4;"
            "INSERT INTO value (id, graph_id, idx, kind, dtype, shape, storage, mem_id,"
            " mem_offset) VALUES (6, 1, 5, 'tensor', 'f32', '[2]', 'planned', 1, 16),"
            " (7, 1, 6, 'tensor', 'f32', '[1,2]', 'planned', 1, 0);"
            "INSERT INTO operand VALUES (1, 4, 5, 6, 'write')");
        given(shown);
    }
    expect_diff("no difference\n");
}

START_TEST(diff_tells_results_of_one_instruction_apart)
{
    build_two_results("SELECT 1");
    given(
        "UPDATE operand SET value_idx = 5, value_id = 6 WHERE node_id = 2 AND pos = 0");
    expect_diff("1 op changed\n"
                "op changed arguments op_1: #0=@ -> #0=@1\n");
}

START_TEST(diff_follows_what_shows_bytes_in_another_shape_and_takes_it_for_no_state)
{
    build_two_results("UPDATE operand SET value_idx = 6, value_id = 7"
                      " WHERE node_id = 2 AND pos = 0");
    given("UPDATE value SET mem_offset = 16 WHERE id = 7");
    expect_diff("1 op changed\n"
                "op changed arguments op_1: #0=@ as f32 [1,2] -> #0=@1 as f32 [1,2]\n");
}

START_TEST(diff_tells_long_strings_by_their_digests)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("UPDATE value SET kind = 'string', scalar = printf('%.500c', 'x')"
              " WHERE id = 3");
    }
    expect_diff("no difference\n");
    given("UPDATE value SET scalar = scalar || 'y' WHERE id = 3");
    expect_diff("1 op changed\n"
                "op changed arguments op_0:"
                " #2='xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... (500 bytes,"
                " 89a8ac9fa1e5c540)'"
                " -> #2='xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... (501"
                " bytes, af5b943900e82cf0)'\n");
}
END_TEST

/* The relu, whose maker is gone, reads a string that looks like several operands. */
START_TEST(diff_tells_strings_that_look_like_operands)
{
    build_both_instructions();
    diff_ignored = DG_DIFF_FINDINGS | DG_DIFF_SIZES;
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("INSERT INTO value (id, graph_id, idx, kind, scalar) VALUES"
              " (6, 1, 5, 'string', 'a; @');"
              "INSERT INTO operand VALUES (2, 2, 5, 6, 'read')");
    }
    given(
        "UPDATE value SET scalar = 'a; state' WHERE id = 6;"
        "DELETE FROM operand WHERE node_id = 1; DELETE FROM node WHERE id = 1;"
        "UPDATE operand SET value_idx = 0, value_id = 1 WHERE node_id = 2 AND pos = 0");
    expect_diff("1 op removed, 1 changed\n"
                "op removed aten::mul.out op_0: f32 [2]\n"
                "op changed arguments op_1: #0=@, #1='a\\x3b @' -> #0=input 0, "
                "#1='a\\x3b state'\n"
                "flops changed FLOPs of kernel calls: 4 -> 2\n");
}
END_TEST

Suite *diff_constants_suite(void)
{
    Suite *suite = suite_create("diff_constants");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, diff_open, diff_close);
    tcase_add_test(all, diff_tells_results_of_one_instruction_apart);
    tcase_add_test(
        all, diff_follows_what_shows_bytes_in_another_shape_and_takes_it_for_no_state);
    tcase_add_test(all, diff_finds_constants_by_the_instruction_that_reads_them);
    tcase_add_test(all, diff_accepts_other_numbers_of_constants);
    tcase_add_test(all, diff_tells_who_reads_another_constant);
    tcase_add_test(all, diff_tells_new_values_of_constants_and_no_other_reader);
    tcase_add_test(all, diff_tells_who_reads_another_external_constant);
    tcase_add_test(all, diff_tells_long_strings_by_their_digests);
    tcase_add_test(all, diff_tells_strings_that_look_like_operands);
    suite_add_tcase(suite, all);
    return suite;
}
