/* Turned weights of a portable .pte: views where nobody can tell them from copies. */
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "exec/inputs.h"
#include "exec/machine.h"
#include "formats/input.h"
#include "store/database.h"

/* Of tests/data/stack_traces.pte: two linear layers, a relu between them. Copies and
 * what is planned: 5 at 0..128, x at 128..160, the first sum at 192..256, the relu at
 * 128..192, 13 at 0..128. */
enum { FIRST = 5, SECOND = 13 };

static struct dg_input input;
static struct dg_schedule schedule;
static struct dg_error err;

static void open_spoilt(const char *sql)
{
    struct dg_schedule_files files;
    char path[512];

    snprintf(path, sizeof(path), "%s/tests/data/stack_traces.pte",
             getenv("top_srcdir"));
    ck_assert_int_eq(dg_input_open(&input, path, DG_HASH_NONE, &err), DG_OK);
    if (sql) {
        ck_assert(!dg_store_write_virtual(input.store, &err));
        ck_assert_msg(!dg_store_exec(input.store, sql, &err), "%s", err.text);
        dg_store_forget(input.store); /* the model was read from what is no more */
    }
    files = (struct dg_schedule_files){.file = input.file};
    dg_schedule_pte(&schedule, input.store, &files, 1, &err);
    ck_assert_str_eq(err.text, "");
}

static void close_all(void)
{
    dg_schedule_clear(&schedule);
    dg_input_close(&input);
}

static void expect_lent(const char *sql, bool first, bool second)
{
    open_spoilt(sql);
    ck_assert_int_eq(schedule.slots[FIRST].lent, first);
    ck_assert_int_eq(schedule.slots[SECOND].lent, second);
    ck_assert_int_eq(schedule.slots[FIRST].arena >= 0, !first);
    close_all();
}

START_TEST(a_turned_weight_is_a_view_of_what_the_file_has)
{
    expect_lent(NULL, true, true);
}

START_TEST(a_copy_is_made_where_another_value_lives_in_its_bytes)
{
    expect_lent("UPDATE value SET mem_offset = 128 WHERE idx = 13", true, false);
    expect_lent("UPDATE value SET mem_offset = 128 WHERE idx = 5", false, true);
}

START_TEST(a_copy_is_made_on_what_its_own_product_is_written_to)
{
    expect_lent("UPDATE value SET mem_offset = 64 WHERE idx = 17", true, false);
}

START_TEST(a_copy_is_made_on_what_a_call_finds_as_the_one_before_left_it)
{
    expect_lent("UPDATE value SET mem_offset = 0 WHERE idx = 9;"
                "UPDATE operand SET value_idx = 9, value_id = 10"
                " WHERE node_id = 2 AND pos = 1",
                false, false);
}

/* The second one lies on it, and would harm it. */
START_TEST(a_copy_that_is_returned_is_made)
{
    expect_lent(
        "UPDATE signature SET value_idx = 5, value_id = 6 WHERE direction = 'output'",
        false, false);
}

START_TEST(a_copy_that_others_than_products_read_is_made)
{
    expect_lent("UPDATE op SET name = 'aten::add.out' WHERE name = 'aten::addmm.out'",
                false, false);
}

/* Its memory has room for no more than the plan says, which a view does not tell. */
START_TEST(a_copy_whose_size_may_change_is_made)
{
    expect_lent("UPDATE value SET dynamism = 'bounded' WHERE idx = 13", true, false);
}

/* Planned memory stays where it is freed; a view would be dropped. */
START_TEST(a_copy_that_is_freed_before_its_last_product_is_made)
{
    expect_lent("DELETE FROM operand WHERE node_id = 4 AND pos > 0;"
                "UPDATE operand SET value_idx = 5, value_id = 6"
                " WHERE node_id = 4 OR (node_id = 5 AND value_idx = 13);"
                "UPDATE node SET kind = 'free_call', op_id = NULL WHERE id = 4",
                false, false);
}

/* What the two layers give in f64, from the arena or with views. */
static void run(enum dg_precision precision, double *to)
{
    struct dg_machine machine;
    struct dg_inputs inputs;
    struct dg_arg value = {0};

    dg_machine_open(&machine, &schedule, NULL, precision, 1, &err);
    dg_inputs_random(&inputs, &schedule, 1, &err);
    if (!dg_machine_begin(&machine, inputs.values, &err))
        dg_machine_run(&machine, &err);
    dg_machine_output(&machine, 0, &value, &err);
    ck_assert_str_eq(err.text, "");
    ck_assert_int_eq(dg_tensor_count(value.as.tensor), 8);
    for (int i = 0; i < 8; i++)
        to[i] = value.as.tensor->type == DG_TYPE_F64
                    ? ((double *)dg_tensor_data(value.as.tensor))[i]
                    : (double)((float *)dg_tensor_data(value.as.tensor))[i];
    dg_arg_drop(&value);
    dg_inputs_clear(&inputs);
    dg_machine_close(&machine);
}

START_TEST(views_give_the_bits_that_copies_give)
{
    static const enum dg_precision precisions[] = {
        DG_PRECISION_EXACT_SUMS, DG_PRECISION_OWN_SUMS, DG_PRECISION_WIDE};
    double lent[8], copied[8];

    open_spoilt(NULL);
    run(precisions[_i], lent);
    schedule.slots[FIRST].lent = schedule.slots[SECOND].lent = false;
    schedule.slots[FIRST].arena = schedule.slots[SECOND].arena = 1;
    run(precisions[_i], copied);
    close_all();
    ck_assert_mem_eq(lent, copied, sizeof(lent));
}

Suite *schedule_lent_suite(void)
{
    Suite *suite = suite_create("schedule_lent");
    TCase *tests = tcase_create("weights");

    tcase_add_test(tests, a_turned_weight_is_a_view_of_what_the_file_has);
    tcase_add_test(tests, a_copy_is_made_where_another_value_lives_in_its_bytes);
    tcase_add_test(tests, a_copy_is_made_on_what_its_own_product_is_written_to);
    tcase_add_test(tests,
                   a_copy_is_made_on_what_a_call_finds_as_the_one_before_left_it);
    tcase_add_test(tests, a_copy_that_is_returned_is_made);
    tcase_add_test(tests, a_copy_whose_size_may_change_is_made);
    tcase_add_test(tests, a_copy_that_is_freed_before_its_last_product_is_made);
    tcase_add_test(tests, a_copy_that_others_than_products_read_is_made);
    tcase_add_loop_test(tests, views_give_the_bits_that_copies_give, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
