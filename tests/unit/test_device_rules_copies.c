/* Rules about copies between host and devices in a .pte. */
#include "unit/device_plan.h"

#include <stdio.h>

START_TEST(device_h2d_direction_accepts_a_copy_to_the_device)
{
    given_copied();
    expect("device/h2d-direction", "");
}

START_TEST(device_h2d_direction_reports_a_source_on_a_device)
{
    given_copied();
    given("UPDATE value SET device = 'cuda:1' WHERE idx = 0");
    expect("device/h2d-direction",
           "error copies value 0 to a device, and it is on cuda:1 already\n");
}

START_TEST(device_h2d_direction_reports_a_destination_on_the_host)
{
    given_copied();
    given("UPDATE value SET device = 'cpu' WHERE idx = 1");
    expect("device/h2d-direction",
           "error copies value 0 to a device, but value 1, where"
           " it goes, is in host memory\n");
}

START_TEST(device_h2d_direction_says_that_a_copy_is_turned_round)
{
    given_copied();
    given("UPDATE value SET device = 'cuda:0' WHERE idx = 0;"
          "UPDATE value SET device = 'cpu' WHERE idx = 1");
    expect("device/h2d-direction", "error the copy to a device is turned round: it goes"
                                   " from value 0 on cuda:0 to value 1 in host"
                                   " memory\n");
}

START_TEST(device_h2d_direction_reports_other_bytes)
{
    given_copied();
    given("UPDATE value SET nbytes = 16 WHERE idx = 1");
    expect("device/h2d-direction",
           "error copies value 0, 32 bytes, over value 1, 16 bytes\n");
    given("UPDATE value SET nbytes = 32, dtype = 'i32' WHERE idx = 1;"
          "DELETE FROM finding");
    expect("device/h2d-direction", "error copies value 0, f32, over value 1, i32\n");
    given("UPDATE value SET dtype = 'f32', dim_order = '[1,0]' WHERE idx = 1;"
          "DELETE FROM finding");
    expect("device/h2d-direction", "error copies value 0 with dim_order [0] over value"
                                   " 1 with [1,0]\n");
}

START_TEST(device_d2h_direction_accepts_a_copy_to_the_host)
{
    given_copied();
    expect("device/d2h-direction", "");
}

START_TEST(device_d2h_direction_reports_the_wrong_way)
{
    given_copied();
    given("UPDATE value SET device = 'cpu' WHERE idx = 2");
    expect("device/d2h-direction", "error copies value 2 to the host, and it is in host"
                                   " memory already\n");
    given("UPDATE value SET device = 'cuda:0' WHERE idx > 1; DELETE FROM finding");
    expect("device/d2h-direction",
           "error copies value 2 to the host, but value 3, where"
           " it goes, is on cuda:0\n");
}

/* What op_2 copied to the host, value 3, goes on to a device, as value 4. */
static void copy_back(const char *device)
{
    tensor_on(device, 4);
    call_op("et_copy::_h2d_copy.out", "3", "", "4 4");
    given("UPDATE op SET id = id + 100 WHERE id = (SELECT max(id) FROM op);"
          "UPDATE node SET op_id = 1 WHERE id = 4;"
          "INSERT INTO edge VALUES (4, 0, 3, 4)");
}

START_TEST(device_roundtrip_accepts_a_move_to_another_device)
{
    given_copied();
    copy_back("cuda:1");
    expect("device/roundtrip", "");
}

START_TEST(device_roundtrip_warns_of_the_same_device)
{
    given_copied();
    copy_back("cuda:0");
    expect("device/roundtrip", "warning copies back to cuda:0 what op_2 copied from"
                               " there to the host, 32 bytes each way\n");
    expect_witness("[\"op_2\",\"op_3\"]");
}

/* Value 0 goes to `device` again. */
static void copy_again(const char *device)
{
    tensor_on(device, 4);
    call_op("et_copy::_h2d_copy.out", "0", "", "4 4");
    given("UPDATE node SET op_id = 1 WHERE id = (SELECT max(id) FROM node)");
}

START_TEST(device_duplicate_h2d_notes_a_second_copy)
{
    given_copied();
    copy_again("cuda:0");
    expect("device/duplicate-h2d",
           "note copies value 0, 32 bytes, to cuda:0, as op_0 does\n");
}

START_TEST(device_duplicate_h2d_accepts_another_device)
{
    given_copied();
    copy_again("cuda:1");
    expect("device/duplicate-h2d", "");
}

START_TEST(device_duplicate_h2d_accepts_new_contents)
{
    given_copied();
    call("3", "0");
    copy_again("cuda:0");
    expect("device/duplicate-h2d", "");
}

START_TEST(device_constant_h2d_warns_of_a_constant_that_is_copied)
{
    given_copied();
    expect("device/constant-h2d", "");
    given("UPDATE value SET storage = 'constant' WHERE idx = 0");
    expect("device/constant-h2d", "warning copies constant value 0, 32 bytes, to cuda:0"
                                  " at each call\n");
}

START_TEST(device_stale_output_spec_accepts_planned_and_given_memory)
{
    given_copied();
    expect("device/stale-output-spec", "");
    given("UPDATE value SET storage = 'runtime' WHERE idx = 3");
    expect("device/stale-output-spec", "");
}

START_TEST(device_stale_output_spec_reports_a_source_without_memory)
{
    given_copied();
    given("UPDATE value SET storage = 'runtime', mem_id = NULL WHERE idx = 2");
    expect("device/stale-output-spec", "error copies value 2 from cuda:0 to value 3,"
                                       " and value 2 has no memory\n");
}

Suite *device_rules_copies_suite(void)
{
    Suite *suite = suite_create("device rules copies");
    TCase *copies = tcase_create("copies");

    tcase_add_checked_fixture(copies, rules_open, rules_close);
    tcase_add_test(copies, device_h2d_direction_accepts_a_copy_to_the_device);
    tcase_add_test(copies, device_h2d_direction_reports_a_source_on_a_device);
    tcase_add_test(copies, device_h2d_direction_reports_a_destination_on_the_host);
    tcase_add_test(copies, device_h2d_direction_says_that_a_copy_is_turned_round);
    tcase_add_test(copies, device_h2d_direction_reports_other_bytes);
    tcase_add_test(copies, device_d2h_direction_accepts_a_copy_to_the_host);
    tcase_add_test(copies, device_d2h_direction_reports_the_wrong_way);
    tcase_add_test(copies, device_roundtrip_accepts_a_move_to_another_device);
    tcase_add_test(copies, device_roundtrip_warns_of_the_same_device);
    tcase_add_test(copies, device_duplicate_h2d_notes_a_second_copy);
    tcase_add_test(copies, device_duplicate_h2d_accepts_another_device);
    tcase_add_test(copies, device_duplicate_h2d_accepts_new_contents);
    tcase_add_test(copies, device_constant_h2d_warns_of_a_constant_that_is_copied);
    tcase_add_test(copies, device_stale_output_spec_accepts_planned_and_given_memory);
    tcase_add_test(copies, device_stale_output_spec_reports_a_source_without_memory);
    suite_add_tcase(suite, copies);
    return suite;
}
