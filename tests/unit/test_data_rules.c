/* Each rule about constants in segments against what keeps it and what breaks it. */
#include "unit/rules.h"

/* Constants 1 (16 bytes at 0) and 2 (8 bytes at 16) in a segment of 24 bytes, an
 * initial state of 8 bytes in one of its own, and a value for each. */
static void given_constants(void)
{
    given_pte();
    given("INSERT INTO segment (id, artifact_id, idx, kind, offset, file_offset,"
          "  size_bytes, stored_bytes) VALUES"
          " (1, 1, 0, 'constant', 0, 1024, 24, 24),"
          " (2, 1, 1, 'mutable', 128, 1152, 8, 8);"
          "INSERT INTO constant (id, artifact_id, idx, kind, dtype, shape, segment_id,"
          "  nbytes, offset) VALUES"
          " (1, 1, 0, 'reserved', NULL, NULL, 1, NULL, 0),"
          " (2, 1, 1, 'constant', 'f32', '[4]', 1, 16, 0),"
          " (3, 1, 2, 'constant', 'f32', '[2]', 1, 8, 16),"
          " (4, 1, 0, 'mutable', NULL, NULL, 2, NULL, 0),"
          " (5, 1, 1, 'mutable', 'f32', '[2]', 2, 8, 0);"
          "INSERT INTO value (id, graph_id, idx, kind, storage, data_index, dtype,"
          "  shape, nbytes) VALUES"
          " (1, 1, 0, 'tensor', 'constant', 1, 'f32', '[4]', 16),"
          " (2, 1, 1, 'tensor', 'constant', 2, 'f32', '[2]', 8),"
          " (3, 1, 2, 'tensor', 'mutable', 1, 'f32', '[2]', 8)");
}

START_TEST(data_constant_index_accepts_the_last_constant)
{
    given_constants();
    expect("data/constant-index", "");
}

START_TEST(data_constant_index_reports_the_one_behind_it)
{
    given_constants();
    given("UPDATE value SET data_index = 3 WHERE id = 2");
    expect("data/constant-index",
           "error value 1 is constant 3, the program has constants 1..2\n");
    given("DELETE FROM constant; UPDATE value SET data_index = 1 WHERE id = 1");
    expect("data/constant-index",
           "error value 0 is constant 1, the program has none\n"
           "error value 1 is constant 3, the program has none\n");
}

START_TEST(data_constant_extent_accepts_constants_that_touch)
{
    given_constants();
    expect("data/constant-extent", "");
}

START_TEST(data_constant_extent_accepts_two_of_no_bytes)
{
    given_constants();
    given("UPDATE constant SET offset = 16, nbytes = 0 WHERE id = 2");
    expect("data/constant-extent", "");
}

START_TEST(data_constant_extent_accepts_any_place_of_entry_0)
{
    given_constants();
    given("UPDATE constant SET offset = 4 WHERE kind = 'reserved'");
    expect("data/constant-extent", "");
}

START_TEST(data_constant_extent_reports_one_that_reaches_into_the_next)
{
    given_constants();
    given("UPDATE constant SET offset = 12 WHERE id = 3");
    expect("data/constant-extent", "error constant 1 (f32 [4]) spans 0..16 of segment"
                                   " 0, where another one begins at 12\n");
}

START_TEST(data_constant_extent_reports_one_that_leaves_the_segment)
{
    given_constants();
    given("UPDATE constant SET nbytes = 12 WHERE id = 3");
    expect("data/constant-extent", "error constant 2 (f32 [2]) spans 16..28 of segment"
                                   " 0, which has 24 bytes\n");
    given("UPDATE constant SET nbytes = 8, offset = -16 WHERE id = 3");
    expect("data/constant-extent",
           "error constant 2 (f32 [2]) spans 18446744073709551600..18446744073709551608"
           " of segment 0, which has 24 bytes\n");
}

START_TEST(data_constant_offset_order_accepts_multiples_of_16)
{
    given_constants();
    expect("data/constant-offset-order", "");
}

START_TEST(data_constant_offset_order_reports_what_is_out_of_order)
{
    given_constants();
    given("UPDATE constant SET offset = 32 WHERE id = 2");
    expect("data/constant-offset-order",
           "warning constant 2 lies at 16, the one before it at 32\n");
}

START_TEST(data_constant_offset_order_reports_a_constant_that_is_not_aligned)
{
    given_constants();
    given("UPDATE constant SET offset = 20 WHERE id = 3");
    expect("data/constant-offset-order",
           "warning 1 of 2 constants lie at no multiple of 16, first constant 2 at"
           " 20\n");
}

START_TEST(data_constant_offset_order_reports_a_reserved_entry_with_a_place)
{
    given_constants();
    given("UPDATE constant SET offset = 16 WHERE id IN (1, 2)");
    expect("data/constant-offset-order",
           "warning entry 0, which is no constant, lies at 16\n");
}

START_TEST(data_constant_unused_accepts_constants_with_a_value)
{
    given_constants();
    expect("data/constant-unused", "");
}

START_TEST(data_constant_unused_notes_those_without)
{
    given_constants();
    given("UPDATE constant SET dtype = NULL, shape = NULL, nbytes = NULL");
    expect("data/constant-unused",
           "note no value is constant 1, 2\nnote no value is initial state 1\n");
}

START_TEST(data_constant_typed_twice_accepts_another_shape)
{
    given_constants();
    given("UPDATE value SET data_index = 1, shape = '[2,2]', nbytes = 16 WHERE id = 2");
    expect("data/constant-typed-twice", "");
}

START_TEST(data_constant_typed_twice_reports_another_number_of_bytes)
{
    given_constants();
    given("UPDATE value SET data_index = 1 WHERE id = 2");
    expect("data/constant-typed-twice",
           "warning constant 1 has 8 bytes as value 1 (f32 [2]) and 16 as value 0 (f32"
           " [4])\n");
}

START_TEST(data_mutable_extent_accepts_a_state_that_fills_its_segment)
{
    given_constants();
    expect("data/mutable-extent", "");
}

START_TEST(data_mutable_extent_accepts_a_state_under_a_key)
{
    given_constants();
    given("DELETE FROM constant WHERE kind = 'mutable';"
          "UPDATE value SET data_index = NULL WHERE id = 3");
    expect("data/mutable-extent", "");
}

START_TEST(data_mutable_extent_reports_a_state_that_leaves_its_segment)
{
    given_constants();
    given("UPDATE constant SET offset = 4 WHERE id = 5");
    expect("data/mutable-extent",
           "error value 2 begins as bytes 4..12 of segment 1, which has 8\n");
}

START_TEST(data_mutable_extent_reports_a_state_that_is_not_there)
{
    given_constants();
    given("DELETE FROM constant WHERE id = 5");
    expect("data/mutable-extent",
           "error value 2 begins as initial state 1, which the program lacks\n");
}

Suite *data_rules_suite(void)
{
    Suite *suite = suite_create("data rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, data_constant_index_accepts_the_last_constant);
    tcase_add_test(all, data_constant_index_reports_the_one_behind_it);
    tcase_add_test(all, data_constant_extent_accepts_constants_that_touch);
    tcase_add_test(all, data_constant_extent_accepts_two_of_no_bytes);
    tcase_add_test(all, data_constant_extent_accepts_any_place_of_entry_0);
    tcase_add_test(all, data_constant_extent_reports_one_that_reaches_into_the_next);
    tcase_add_test(all, data_constant_extent_reports_one_that_leaves_the_segment);
    tcase_add_test(all, data_constant_offset_order_accepts_multiples_of_16);
    tcase_add_test(all, data_constant_offset_order_reports_what_is_out_of_order);
    tcase_add_test(all,
                   data_constant_offset_order_reports_a_constant_that_is_not_aligned);
    tcase_add_test(all,
                   data_constant_offset_order_reports_a_reserved_entry_with_a_place);
    tcase_add_test(all, data_constant_unused_accepts_constants_with_a_value);
    tcase_add_test(all, data_constant_unused_notes_those_without);
    tcase_add_test(all, data_constant_typed_twice_accepts_another_shape);
    tcase_add_test(all, data_constant_typed_twice_reports_another_number_of_bytes);
    tcase_add_test(all, data_mutable_extent_accepts_a_state_that_fills_its_segment);
    tcase_add_test(all, data_mutable_extent_accepts_a_state_under_a_key);
    tcase_add_test(all, data_mutable_extent_reports_a_state_that_leaves_its_segment);
    tcase_add_test(all, data_mutable_extent_reports_a_state_that_is_not_there);
    suite_add_tcase(suite, all);
    return suite;
}
