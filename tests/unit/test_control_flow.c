/* Control flow: branches, loops, scans and maps on a machine. */
#include "unit/small_program.h"

#include <stdio.h>

static const int64_t two[] = {2};

static void return_value(const char *name)
{
    given_signature("output", name, "user_output", NULL);
}

#define GRAPH(name) "{\"name\":\"\",\"graph\":\"" name "\"}"
#define LIST(names) "{\"name\":\"\",\"tensors\":[" names "]}"

static void given_item(const char *name, const char *from, const char *index)
{
    char args[200];

    snprintf(args, sizeof(args),
             "[{\"name\":\"\",\"tensor\":\"%s\"},{\"name\":\"\",\"int\":%s}]", from,
             index);
    given_call(1, name, "_operator.getitem", args, from);
    return_value(name);
}

/* x if x > 0 in all, else -x; then the branch names differ by one operator. */
static void given_cond(void)
{
    program_begin();
    program_branch(2, "yes");
    program_branch(3, "no");
    given_input(1, "p", "f32", "[]");
    given_input(1, "x", "f32", "[2]");
    given_get_attr(1, "yes");
    given_get_attr(1, "no");
    given_tuple(1, "c", "higher_order::cond",
                "["
                "{\"name\":\"\",\"tensor\":\"p\"}," GRAPH("yes") "," GRAPH(
                    "no") "," LIST("\"x\"") "]",
                "p yes no x");
    given_item("y", "c", "0");
    given_output(1, ONE("y"), "y");
    given_input(2, "a", "f32", "[2]");
    given_output(2, ONE("a"), "a");
    given_input(3, "a", "f32", "[2]");
    given_call(3, "n", "aten::neg.default", SELF("a"), "a");
    given_output(3, ONE("n"), "n");
    give_floats(1, 1, two, program_file);
}

START_TEST(a_condition_chooses_its_branch)
{
    given_cond();
    give_number(0, 1);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [2] 0.5 1.5");
    give_number(0, 0);
    run_program();
    expect_output(0, "f32 [2] -0.5 -1.5");
    program_end();
}

START_TEST(a_condition_may_be_an_element_of_a_tensor)
{
    const float x[] = {0, 1};

    program_begin();
    program_branch(2, "yes");
    program_branch(3, "no");
    given_input(1, "x", "f32", "[2]");
    given_call(1, "p", "aten::select.int",
               "[{\"name\":\"self\",\"tensor\":\"x\"},{\"name\":\"dim\",\"int\":0},"
               "{\"name\":\"index\",\"int\":1}]",
               "x");
    given_get_attr(1, "yes");
    given_get_attr(1, "no");
    given_tuple(1, "c", "higher_order::cond",
                "[{\"name\":\"\",\"tensor\":\"p\"}," GRAPH("yes") "," GRAPH(
                    "no") "," LIST("\"x\"") "]",
                "p yes no x");
    given_item("y", "c", "0");
    given_output(1, ONE("y"), "y");
    given_input(2, "a", "f32", "[2]");
    given_output(2, ONE("a"), "a");
    given_input(3, "a", "f32", "[2]");
    given_call(3, "n", "aten::neg.default", SELF("a"), "a");
    given_output(3, ONE("n"), "n");
    give_floats(0, 1, two, x);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [2] 0 1");
    program_end();
}

START_TEST(a_condition_of_several_elements_is_an_error)
{
    given_cond();
    give_number(0, 1);
    open_program(DG_PRECISION_EXACT_SUMS);
    program_plan.slots[slot_called("p")].initial.as.tensor->rank = 1;
    program_plan.slots[slot_called("p")].initial.as.tensor->sizes[0] = 2;
    give_floats(0, 1, two, program_file);
    expect_failure("node c (higher_order::cond): the condition is not a number or a"
                   " tensor of one element");
    program_end();
}

static void given_state(int graph)
{
    given_input(graph, "n", "f32", "[]");
    given_input(graph, "x", "f32", "[2]");
    given_input(graph, "w", "f32", "[]");
}

/* while (n > 0) n -= 1, x *= w */
START_TEST(a_loop_runs_while_its_condition_holds)
{
    program_begin();
    program_branch(2, "test");
    program_branch(3, "body");
    given_input(1, "n", "f32", "[]");
    given_input(1, "x", "f32", "[2]");
    given_input(1, "w", "f32", "[]");
    given_get_attr(1, "test");
    given_get_attr(1, "body");
    given_tuple(1, "loop", "higher_order::while_loop",
                "[" GRAPH("test") "," GRAPH("body") "," LIST("\"n\",\"x\"") "," LIST(
                    "\"w\"") "]",
                "test body n x w");
    given_item("n_end", "loop", "0");
    given_item("x_end", "loop", "1");
    given_output(1, "[]", "");
    given_state(2);
    given_call(2, "more", "aten::gt.Scalar", BY("n", "0"), "n");
    given_output(2, ONE("more"), "more");
    given_state(3);
    given_call(3, "less", "aten::sub.Tensor", BY("n", "1"), "n");
    given_call(3, "next", "aten::mul.Tensor", TWO("x", "w"), "x w");
    given_output(3,
                 "[{\"name\":\"\",\"tensor\":\"less\"},{\"name\":\"\",\"tensor\":"
                 "\"next\"}]",
                 "less next");
    give_number(0, 3);
    give_floats(1, 1, two, program_file);
    give_number(2, 2);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [] 0");
    expect_output(1, "f32 [2] 4 12");
    give_number(0, 0);
    run_program();
    expect_output(1, "f32 [2] 0.5 1.5");
    program_end();
}

/* A graph 2 of a and b, which gives a + b and, where asked, a * b. */
static void given_pairs(const char *a, const char *b, bool both)
{
    given_input(2, a, "f32", "[]");
    given_input(2, b, "f32", "[]");
    given_call(2, "sum", "aten::add.Tensor", TWO("a", "b"), "a b");
    given_call(2, "product", "aten::mul.Tensor", TWO("a", "b"), "a b");
    if (both)
        given_output(2,
                     "[{\"name\":\"\",\"tensor\":\"sum\"},{\"name\":\"\",\"tensor\":"
                     "\"product\"}]",
                     "sum product");
    else
        given_output(2, ONE("sum"), "sum");
}

START_TEST(a_scan_carries_and_stacks)
{
    const int64_t three[] = {3};

    program_begin();
    program_branch(2, "body");
    given_input(1, "start", "f32", "[]");
    given_input(1, "xs", "f32", "[3]");
    given_get_attr(1, "body");
    given_tuple(
        1, "scan", "higher_order::scan",
        "[" GRAPH("body") "," LIST("\"start\"") "," LIST("\"xs\"") "," LIST("") "]",
        "body start xs");
    given_item("end", "scan", "0");
    given_item("ys", "scan", "1");
    given_output(1, "[]", "");
    given_pairs("a", "b", true);
    give_number(0, 1);
    give_floats(1, 1, three, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [] 5.5");
    expect_output(1, "f32 [3] 0.5 2.25 7.5");
    program_end();
}

START_TEST(an_associative_scan_combines_with_all_before)
{
    const int64_t three[] = {3};

    program_begin();
    program_branch(2, "body");
    given_input(1, "xs", "f32", "[3]");
    given_get_attr(1, "body");
    given_tuple(1, "scan", "higher_order::associative_scan",
                "[" GRAPH("body") "," LIST("\"xs\"") "," LIST("") "]", "body xs");
    given_item("ys", "scan", "0");
    given_output(1, "[]", "");
    given_pairs("a", "b", false);
    give_floats(0, 1, three, program_file);
    open_program(DG_PRECISION_WIDE);
    run_program();
    expect_output(0, "f64 [3] 0.5 2 4.5");
    program_end();
}

static void given_map(void)
{
    program_begin();
    program_branch(2, "body");
    given_input(1, "xs", "f32", "[2,2]");
    given_input(1, "y", "f32", "[]");
    given_get_attr(1, "body");
    given_tuple(1, "map", "higher_order::map_impl",
                "[" GRAPH("body") "," LIST("\"xs\"") "," LIST("\"y\"") "]",
                "body xs y");
    given_item("ys", "map", "0");
    given_output(1, "[]", "");
    given_pairs("a", "b", false);
    give_number(1, 1);
}

START_TEST(a_map_stacks_what_each_item_gives)
{
    const int64_t sizes[] = {2, 2};

    given_map();
    give_floats(0, 2, sizes, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [2,2] 1.5 2.5 3.5 4.5");
    program_end();
}

START_TEST(a_map_over_nothing_is_not_known)
{
    const int64_t sizes[] = {0, 2};

    given_map();
    given("UPDATE value SET shape = '[0,2]' WHERE name = 'xs'");
    give_floats(0, 2, sizes, program_file);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "unknown");
    ck_assert_str_eq(program_machine.unknowns[0].why, "a loop over nothing");
    program_end();
}

START_TEST(what_is_unknown_inside_a_branch_is_unknown_outside)
{
    given_cond();
    given("UPDATE op SET name = 'demo::flip' WHERE name = 'aten::neg.default'");
    give_number(0, 0);
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "unknown");
    ck_assert_str_eq(program_machine.unknowns[0].why, "a custom operator");
    give_number(0, 1);
    run_program();
    expect_output(0, "f32 [2] 0.5 1.5");
    ck_assert_uint_eq(program_machine.n_unknowns, 0);
    program_end();
}

/* mm(x, x) under autocast of a device to bf16, enabled or not. */
static void given_autocast(const char *device, const char *enabled)
{
    const int64_t one[] = {1, 1};
    const float x[] = {1 + 0x1p-8f};
    char args[300];

    program_begin();
    program_branch(2, "body");
    given_input(1, "x", "f32", "[1,1]");
    given_get_attr(1, "body");
    snprintf(args, sizeof(args),
             "[{\"name\":\"\",\"string\":\"%s\"},{\"name\":\"\",\"scalar_type\":13},"
             "{\"name\":\"\",\"bool\":%s},{\"name\":\"\",\"bool\":true}," GRAPH(
                 "body") ",{\"name\":\"\",\"tensor\":\"x\"}]",
             device, enabled);
    given_call(1, "y", "higher_order::wrap_with_autocast", args, "body x");
    return_value("y");
    given_output(1, ONE("y"), "y");
    given_input(2, "a", "f32", "[1,1]");
    given_call(2, "p", "aten::mm.default",
               "[{\"name\":\"self\",\"tensor\":\"a\"},{\"name\":\"mat2\",\"tensor\":"
               "\"a\"}]",
               "a a");
    given_output(2, ONE("p"), "p");
    give_floats(0, 2, one, x);
}

START_TEST(under_autocast_products_are_made_of_rounded_values)
{
    given_autocast("cpu", "true");
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "bf16 [1,1] 1");
    program_end();
}

START_TEST(a_wide_run_rounds_nothing_under_autocast)
{
    given_autocast("cpu", "true");
    open_program(DG_PRECISION_WIDE);
    run_program();
    expect_output(0, "f64 [1,1] 1.00783");
    program_end();
}

START_TEST(autocast_that_is_off_or_of_another_device_casts_nothing)
{
    given_autocast("cuda", "false");
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "f32 [1,1] 1.00783");
    program_end();
    given_autocast("cuda", "true");
    open_program(DG_PRECISION_EXACT_SUMS);
    run_program();
    expect_output(0, "unknown");
    program_end();
}

Suite *control_flow_suite(void)
{
    Suite *suite = suite_create("control_flow");
    TCase *tc = tcase_create("control_flow");

    tcase_add_test(tc, a_condition_chooses_its_branch);
    tcase_add_test(tc, a_condition_may_be_an_element_of_a_tensor);
    tcase_add_test(tc, a_condition_of_several_elements_is_an_error);
    tcase_add_test(tc, a_loop_runs_while_its_condition_holds);
    tcase_add_test(tc, a_scan_carries_and_stacks);
    tcase_add_test(tc, an_associative_scan_combines_with_all_before);
    tcase_add_test(tc, a_map_stacks_what_each_item_gives);
    tcase_add_test(tc, a_map_over_nothing_is_not_known);
    tcase_add_test(tc, what_is_unknown_inside_a_branch_is_unknown_outside);
    tcase_add_test(tc, under_autocast_products_are_made_of_rounded_values);
    tcase_add_test(tc, a_wide_run_rounds_nothing_under_autocast);
    tcase_add_test(tc, autocast_that_is_off_or_of_another_device_casts_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
