/* Matching two programs, and what stands behind a value. */
#include <string.h>

#include "exec/run_parts.h"
#include "unit/suite.h"

static struct dg_step named(const char *name, const char *op)
{
    return (struct dg_step){
        .kind = DG_STEP_CALL, .name = name, .op = op, .kernel = dg_kernel_find(op)};
}

START_TEST(steps_of_two_graphs_are_matched_by_their_names)
{
    struct dg_step a[] = {named("x", "aten::relu"), named("y", "aten::abs")};
    struct dg_step b[] = {named("y", "aten::abs"), named("x", "aten::relu")};
    struct dg_schedule ours = {.steps = a, .n_steps = 2};
    struct dg_schedule theirs = {.steps = b, .n_steps = 2};
    struct dg_matching matching = {0};
    struct dg_arena memory = {0};
    struct dg_error err = {0};

    ck_assert_int_eq(dg_match(&matching, &ours, &theirs, &memory, &err), DG_OK);
    ck_assert_uint_eq(matching.steps[0], 1);
    ck_assert_uint_eq(matching.steps[1], 0);
    dg_arena_clear(&memory);
}

START_TEST(steps_of_a_pte_are_matched_by_operator_where_both_have_as_many)
{
    struct dg_step a[] = {named("x", "aten::relu"), named("y", "aten::abs"),
                          named("z", "aten::relu")};
    struct dg_step b[] = {named("op_0", "aten::relu"), named("op_1", "aten::relu")};
    struct dg_schedule ours = {.steps = a, .n_steps = 3};
    struct dg_schedule theirs = {.steps = b, .n_steps = 2, .is_pte = true};
    struct dg_matching matching = {0};
    struct dg_arena memory = {0};
    struct dg_error err = {0};

    ck_assert_int_eq(dg_match(&matching, &ours, &theirs, &memory, &err), DG_OK);
    ck_assert_uint_eq(matching.steps[0], 0);
    ck_assert_uint_eq(matching.steps[1], DG_NO_STEP);
    ck_assert_uint_eq(matching.steps[2], 1);
    dg_arena_clear(&memory);
}

START_TEST(programs_with_other_inputs_do_not_match)
{
    struct dg_io port = {.spec = "user_input"};
    struct dg_schedule ours = {.inputs = &port, .n_inputs = 1}, theirs = {0};
    struct dg_matching matching = {0};
    struct dg_arena memory = {0};
    struct dg_error err = {0};

    ck_assert_int_ne(dg_match(&matching, &ours, &theirs, &memory, &err), DG_OK);
    ck_assert_str_eq(err.text, "the program to compare with has 0 inputs, this one 1");
    dg_arena_clear(&memory);
}

START_TEST(outputs_of_the_user_are_matched_where_both_have_as_many)
{
    struct dg_io a[] = {{.spec = "user_output"}};
    struct dg_io b[] = {{.spec = "user_input_mutation"}, {.spec = "user_output"}};
    struct dg_schedule ours = {.outputs = a, .n_outputs = 1};
    struct dg_schedule theirs = {.outputs = b, .n_outputs = 2, .is_pte = true};
    struct dg_matching matching = {0};
    struct dg_arena memory = {0};
    struct dg_error err = {0};

    ck_assert_int_eq(dg_match(&matching, &ours, &theirs, &memory, &err), DG_OK);
    ck_assert_uint_eq(matching.outputs[0], 1);
    b[0].spec = "user_output";
    ck_assert_int_eq(dg_match(&matching, &ours, &theirs, &memory, &err), DG_OK);
    ck_assert_uint_eq(matching.outputs[0], SIZE_MAX);
    ck_assert_uint_eq(matching.n_users, 1);
    ck_assert_uint_eq(matching.n_other_users, 2);
    dg_arena_clear(&memory);
}

static void count(void *data, uint32_t slot)
{
    *(uint32_t *)data += slot;
}

START_TEST(a_step_reads_slots_in_lists_of_lists)
{
    struct dg_operand inner[] = {{.kind = DG_OPERAND_SLOT, .slot = 4},
                                 {.kind = DG_OPERAND_LITERAL}};
    struct dg_operand outer[] = {
        {.kind = DG_OPERAND_LIST, .items = inner, .n_items = 2},
        {.kind = DG_OPERAND_SLOT, .slot = 8}};
    struct dg_operand args[] = {{.kind = DG_OPERAND_LIST, .items = outer, .n_items = 2},
                                {.kind = DG_OPERAND_SLOT, .slot = 16}};
    struct dg_step step = {.args = args, .n_args = 2};
    uint32_t sum = 0;

    dg_step_reads(&step, count, &sum);
    ck_assert_uint_eq(sum, 28);
}

Suite *numeric_suite(void)
{
    Suite *suite = suite_create("numeric");
    TCase *parts = tcase_create("parts");

    tcase_add_test(parts, steps_of_two_graphs_are_matched_by_their_names);
    tcase_add_test(parts,
                   steps_of_a_pte_are_matched_by_operator_where_both_have_as_many);
    tcase_add_test(parts, programs_with_other_inputs_do_not_match);
    tcase_add_test(parts, outputs_of_the_user_are_matched_where_both_have_as_many);
    tcase_add_test(parts, a_step_reads_slots_in_lists_of_lists);
    suite_add_tcase(suite, parts);
    return suite;
}
