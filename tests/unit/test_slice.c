/* What stands behind the results of a graph that is called: each by what leads to it.
 */
#include "exec/slice.h"
#include "unit/small_program.h"

#define GRAPH(name) "{\"name\":\"\",\"graph\":\"" name "\"}"
#define ITEM(list, i)                                                                  \
    "[{\"name\":\"\",\"tensor\":\"" list "\"},{\"name\":\"\",\"int\":" i "}]"

/* A body that gives the eigenvalues of a matrix, its vectors, and these doubled. */
static void given_body(void)
{
    given_input(2, "a", "f32", "[2,2]");
    given_tuple(2, "eigh", "aten::linalg_eigh.default", SELF("a"), "a");
    given_call(2, "values", "_operator.getitem", ITEM("eigh", "0"), "eigh");
    given_call(2, "vectors", "_operator.getitem", ITEM("eigh", "1"), "eigh");
    given_call(2, "twice", "aten::mul.Tensor", BY("vectors", "2"), "vectors");
    given_output(2,
                 "[{\"name\":\"\",\"tensor\":\"values\"},{\"name\":\"\",\"tensor\":"
                 "\"vectors\"},{\"name\":\"\",\"tensor\":\"twice\"}]",
                 "values vectors twice");
}

static void begin(void)
{
    program_begin();
    program_branch(2, "body");
    given_input(1, "x", "f32", "[2,2]");
    given_get_attr(1, "body");
}

/* What stands behind item `i` of the list that node `list` gives. */
static enum dg_tolerance behind(const char *list, int64_t i)
{
    struct dg_arena memory = {0};
    struct dg_slice *slices =
                        dg_alloc(&memory, program_plan.n_slots + 1, sizeof(*slices)),
                    item;

    dg_slices_of_schedule(slices, &program_plan);
    dg_slice_item(&item, &slices[slot_called(list)], i);
    dg_arena_clear(&memory);
    return item.tolerance;
}

START_TEST(what_a_body_gives_without_its_vectors_is_compared)
{
    begin();
    given_tuple(1, "call", "higher_order::invoke_subgraph",
                "[" GRAPH("body") ",{\"name\":\"\",\"string\":\"body\"},"
                                  "{\"name\":\"\",\"tensor\":\"x\"}]",
                "body x");
    given_output(1, "[]", "");
    given_body();
    plan_program();
    ck_assert_uint_eq(step_called("call")->n_schedules, 1);
    ck_assert_int_eq(behind("call", 0), DG_TOLERANCE_CONTRACTION);
    ck_assert_int_eq(behind("call", 1), DG_TOLERANCE_VECTORS);
    ck_assert_int_eq(behind("call", 2), DG_TOLERANCE_VECTORS);
    ck_assert_int_eq(behind("call", 3), DG_TOLERANCE_VECTORS);
    program_end();
}

START_TEST(what_a_loop_carries_may_rest_on_vectors_of_an_earlier_turn)
{
    begin();
    program_branch(3, "test");
    given_get_attr(1, "test");
    given_tuple(
        1, "loop", "higher_order::while_loop",
        "[" GRAPH("test") "," GRAPH(
            "body") ",{\"name\":\"\",\"tensors\":[\"x\"]},{\"name\":\"\",\"tensors\":"
                    "[]}]",
        "test body x");
    given_output(1, "[]", "");
    given_body();
    given_input(3, "b", "f32", "[2,2]");
    given_call(3, "more", "aten::any.default", SELF("b"), "b");
    given_output(3, ONE("more"), "more");
    plan_program();
    ck_assert_uint_eq(step_called("loop")->n_schedules, 2);
    ck_assert_int_eq(behind("loop", 0), DG_TOLERANCE_VECTORS);
    program_end();
}

Suite *slice_suite(void)
{
    Suite *suite = suite_create("slice");
    TCase *calls = tcase_create("calls");

    tcase_add_test(calls, what_a_body_gives_without_its_vectors_is_compared);
    tcase_add_test(calls, what_a_loop_carries_may_rest_on_vectors_of_an_earlier_turn);
    suite_add_tcase(suite, calls);
    return suite;
}
