/* What a comparison tells of weights. */
#include <stdio.h>

#include "base/text.h"
#include "unit/small_diff.h"

START_TEST(diff_tells_how_far_weights_are_apart)
{
    given("UPDATE constant SET xxh3 = 'two'");
    diff_bytes[1][1] = 2;
    expect_diff("1 of 1 weights differs\n"
                "weight changed values w, f32 [2], max abs 1, SNR 3.0 dB\n");
    diff_ignored = DG_DIFF_WEIGHTS;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_tells_shapes_of_weights_though_values_are_ignored)
{
    diff_ignored = DG_DIFF_WEIGHTS | DG_DIFF_SIZES;
    given("UPDATE constant SET xxh3 = 'two', shape = '[1]', nbytes = 4");
    expect_diff("1 of 1 weights differs\n"
                "weight changed type w: f32 [2] -> f32 [1]\n");
}
END_TEST

START_TEST(diff_says_that_weights_have_no_digest)
{
    given("UPDATE constant SET xxh3 = NULL");
    diff_bytes[1][1] = 2; /* not one file */
    expect_diff("no difference in what could be compared\n");
    ck_assert_int_eq(diff_result, DG_DIFF_UNKNOWN);
    diff_ignored = DG_DIFF_WEIGHTS;
    expect_diff("no difference\n");
    ck_assert_int_eq(diff_result, DG_DIFF_SAME);
}
END_TEST

/* The same bytes, read as another matrix. */
START_TEST(diff_tells_other_strides_and_offsets_of_weights)
{
    given("UPDATE constant SET strides = '[2]'");
    rules_store = diff_programs[0];
    given("UPDATE constant SET strides = '[1]'");
    expect_diff("1 of 1 weights differs\n"
                "weight changed layout w: strides [1] -> strides [2]\n");
    rules_store = diff_programs[1];
    given("UPDATE constant SET strides = NULL");
    expect_diff("no difference\n");
    given("UPDATE constant SET storage_offset = 1");
    expect_diff("1 of 1 weights differs\n"
                "weight changed layout w: strides [1] ->"
                " strides contiguous from element 1\n");
}
END_TEST

/* A trillion elements, all of them in 8 bytes. */
START_TEST(diff_measures_no_weight_with_more_elements_than_bytes)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("UPDATE constant SET shape = '[1000000,1000000]',"
                     " strides = '[0,0]', xxh3 = '%d'",
                     s);
    }
    expect_diff("1 of 1 weights differs\n"
                "weight changed values w, f32 [1000000,1000000]\n");
}
END_TEST

START_TEST(diff_measures_few_of_many_weights_in_the_same_bytes)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format("UPDATE constant SET shape = '[64]', nbytes = 256, xxh3 = '%d'",
                     s);
        for (int i = 2; i <= 6; i++)
            given_format("INSERT INTO constant (id, artifact_id, idx, kind, fqn, dtype,"
                         "  shape, nbytes, file_offset, xxh3)"
                         " SELECT %d, artifact_id, %d, kind, fqn || %d, dtype, shape,"
                         "  nbytes, file_offset, xxh3 FROM constant WHERE id = 1",
                         i, i, i);
    }
    diff_bytes[1][1] = 2;
    expect_diff("6 of 6 weights differ\n"
                "weight changed values w, f32 [64], max abs 1, SNR 18.1 dB\n"
                "weight changed values w2, f32 [64], max abs 1, SNR 18.1 dB\n"
                "weight changed values w3, f32 [64], max abs 1, SNR 18.1 dB\n"
                "weight changed values w4, f32 [64], max abs 1, SNR 18.1 dB\n"
                "weight changed values w5, f32 [64], not measured: too many weights"
                " share bytes\n"
                "weight changed values w6, f32 [64], not measured: too many weights"
                " share bytes\n");
}
END_TEST

START_TEST(diff_says_that_weights_are_gone)
{
    diff_ignored = DG_DIFF_SIZES;
    given("DELETE FROM constant");
    expect_diff("1 weight removed\nweight removed w: f32 [2]\n");
}
END_TEST

START_TEST(diff_accepts_a_weight_of_another_name_but_for_names)
{
    given("UPDATE constant SET fqn = 'v'");
    expect_diff("1 other name\nname changed weight v: w -> v\n");
    diff_ignored = DG_DIFF_NAMES;
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_says_that_weights_are_in_another_file)
{
    build_both_instructions();
    diff_bytes[1][1] = 2; /* not one file */
    given("UPDATE value SET storage = 'external', name = 'w' WHERE id = 2");
    rules_store = diff_programs[0];
    given("UPDATE value SET storage = 'external', name = 'w' WHERE id = 2");
    expect_diff("no difference in what could be compared\n");
    diff_ignored = DG_DIFF_WEIGHTS;
    expect_diff("no difference\n");
}
END_TEST

Suite *diff_weights_suite(void)
{
    Suite *suite = suite_create("diff_weights");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, diff_open, diff_close);
    tcase_add_test(all, diff_tells_how_far_weights_are_apart);
    tcase_add_test(all, diff_tells_shapes_of_weights_though_values_are_ignored);
    tcase_add_test(all, diff_says_that_weights_have_no_digest);
    tcase_add_test(all, diff_tells_other_strides_and_offsets_of_weights);
    tcase_add_test(all, diff_measures_no_weight_with_more_elements_than_bytes);
    tcase_add_test(all, diff_measures_few_of_many_weights_in_the_same_bytes);
    tcase_add_test(all, diff_says_that_weights_are_gone);
    tcase_add_test(all, diff_accepts_a_weight_of_another_name_but_for_names);
    tcase_add_test(all, diff_says_that_weights_are_in_another_file);
    suite_add_tcase(suite, all);
    return suite;
}
