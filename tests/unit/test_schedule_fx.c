/* Plans of FX graphs, and which kernel runs an overload. */
#include "unit/small_program.h"

#include <math.h>
#include <string.h>

static void expect_resolved(const char *op, const char *kernel, enum dg_variant variant)
{
    struct dg_resolved resolved = dg_resolve(op);

    ck_assert_msg(resolved.kernel != NULL, "%s has no kernel", op);
    ck_assert_str_eq(resolved.kernel->op, kernel);
    ck_assert_msg(resolved.variant == variant, "%s", op);
}

START_TEST(an_overload_runs_by_its_functional_twin)
{
    expect_resolved("aten::add.Tensor", "aten::add.Tensor", DG_VARIANT_FUNCTIONAL);
    expect_resolved("aten::relu.default", "aten::relu", DG_VARIANT_FUNCTIONAL);
    expect_resolved("aten::add.out", "aten::add.Tensor", DG_VARIANT_OUT);
    expect_resolved("aten::sum.IntList_out", "aten::sum.dim_IntList", DG_VARIANT_OUT);
    expect_resolved("aten::mean.out", "aten::mean.dim", DG_VARIANT_OUT);
    expect_resolved("aten::max.dim_max", "aten::max.dim", DG_VARIANT_OUT);
    expect_resolved("aten::where.self_out", "aten::where.self", DG_VARIANT_OUT);
    expect_resolved("aten::add_.Tensor", "aten::add.Tensor", DG_VARIANT_IN_PLACE);
    expect_resolved("aten::dropout_", "aten::dropout", DG_VARIANT_IN_PLACE);
    expect_resolved("aten::relu_.default", "aten::relu", DG_VARIANT_IN_PLACE);
    expect_resolved("aten::permute_copy.default", "aten::permute", DG_VARIANT_COPY);
    expect_resolved("aten::slice_copy.Tensor", "aten::slice.Tensor", DG_VARIANT_COPY);
    expect_resolved("aten::slice_copy.Tensor_out", "aten::slice.Tensor",
                    DG_VARIANT_OUT);
    expect_resolved("dim_order_ops::_to_dim_order_copy.out",
                    "dim_order_ops::_to_dim_order_copy", DG_VARIANT_OUT);
    expect_resolved("et_copy::_h2d_copy.out", "et_copy::_h2d_copy", DG_VARIANT_OUT);
    expect_resolved("aten::__ior__.Tensor", "aten::__or__.Tensor", DG_VARIANT_IN_PLACE);
}

START_TEST(an_overload_that_nothing_can_stand_in_for_has_no_kernel)
{
    ck_assert_ptr_null(dg_resolve("demo::twice.out").kernel);
    ck_assert_ptr_null(dg_resolve("aten::no_such_thing").kernel);
    ck_assert_ptr_null(dg_resolve("aten::_foreach_add_.List").kernel);
    ck_assert_ptr_null(dg_resolve("").kernel);
}

START_TEST(arguments_of_an_out_overload_find_their_places)
{
    struct dg_resolved resolved = dg_resolve("aten::add.out");

    ck_assert_uint_eq(resolved.n_inputs, 3);
    ck_assert_uint_eq(resolved.n_outs, 1);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_uint_eq(resolved.places[i], i);
}

/* One call of `op` on x, whose result y is returned. */
static const struct dg_step *planned(const char *op, const char *args)
{
    program_begin();
    given_input(1, "x", "f32", "[2,3]");
    given_call(1, "y", op, args, "x");
    given_output(1, "[{\"name\":\"\",\"tensor\":\"y\"}]", "y");
    given_signature("output", "y", "user_output", NULL);
    plan_program();
    return step_called("y");
}

START_TEST(arguments_stand_where_the_schema_has_them)
{
    const struct dg_step *step =
        planned("aten::sum.dim_IntList", "[{\"name\":\"self\",\"tensor\":\"x\"},"
                                         "{\"name\":\"keepdim\",\"bool\":true}]");

    ck_assert_uint_eq(step->n_args, 4);
    ck_assert_int_eq(step->args[0].kind, DG_OPERAND_SLOT);
    ck_assert_uint_eq(step->args[0].slot, slot_called("x"));
    ck_assert_int_eq(step->args[1].literal.kind, DG_ARG_NONE);
    ck_assert_int_eq(step->args[2].literal.kind, DG_ARG_BOOL);
    ck_assert_int_eq(step->args[2].literal.as.integer, 1);
    program_end();
}

START_TEST(arguments_that_are_left_out_have_their_defaults)
{
    const struct dg_step *step =
        planned("aten::add.Tensor", "[{\"name\":\"self\",\"tensor\":\"x\"},"
                                    "{\"name\":\"other\",\"float\":2.0}]");

    ck_assert_int_eq(step->args[1].literal.kind, DG_ARG_FLOAT);
    ck_assert_int_eq(step->args[2].literal.kind, DG_ARG_INT);
    ck_assert_int_eq(step->args[2].literal.as.integer, 1);
    program_end();
}

START_TEST(an_int_for_a_float_is_a_float)
{
    const struct dg_step *step = planned("aten::layer_norm.default",
                                         "[{\"name\":\"input\",\"tensor\":\"x\"},"
                                         "{\"name\":\"normalized_shape\",\"ints\":[3]},"
                                         "{\"name\":\"eps\",\"int\":1}]");

    ck_assert_int_eq(step->args[4].literal.kind, DG_ARG_FLOAT);
    ck_assert_double_eq(step->args[4].literal.as.real, 1.0);
    program_end();
}

START_TEST(a_float_that_is_no_number_is_read)
{
    const struct dg_step *step =
        planned("aten::clamp.default", "[{\"name\":\"self\",\"tensor\":\"x\"},"
                                       "{\"name\":\"min\",\"float\":\"-Infinity\"},"
                                       "{\"name\":\"max\",\"float\":\"NaN\"}]");

    ck_assert(isinf(step->args[1].literal.as.real));
    ck_assert(isnan(step->args[2].literal.as.real));
    program_end();
}

START_TEST(a_dtype_that_does_not_run_makes_the_call_opaque)
{
    const struct dg_step *step =
        planned("aten::to.dtype", "[{\"name\":\"self\",\"tensor\":\"x\"},"
                                  "{\"name\":\"dtype\",\"scalar_type\":9}]");

    ck_assert_int_eq(step->kind, DG_STEP_OPAQUE);
    ck_assert_str_eq(step->why, "tensors of type c32");
    program_end();
}

START_TEST(an_operator_without_a_kernel_is_opaque)
{
    ck_assert_str_eq(
        planned("demo::twice.default", "[{\"name\":\"x\",\"tensor\":\"x\"}]")->why,
        "a custom operator");
    program_end();
}

/* Of the greatest ancestor, last in each list; other nodes of its name are of other
 * graphs. What is no such list says nothing. */
START_TEST(steps_know_which_node_of_the_first_export_they_came_from)
{
    program_begin();
    given_input(1, "x", "f32", "[2,3]");
    given_call(1, "a", "aten::relu.default", SELF("x"), "x");
    given_call(1, "b", "aten::relu.default", SELF("a"), "a");
    given_call(1, "c", "aten::relu.default", SELF("b"), "b");
    given_call(1, "d", "aten::relu.default", SELF("c"), "c");
    given_call(1, "e", "aten::relu.default", SELF("d"), "d");
    given_output(1, ONE("e"), "e");
    given_signature("output", "e", "user_output", NULL);
    given("UPDATE node SET meta = json_object('from_node',"
          " '[{\"name\":\"other\",\"graph_id\":1,\"from_node\":[]},"
          "   {\"name\":\"a\",\"graph_id\":2,\"from_node\":[{\"name\":\"\\\"r\",'"
          " || '\"graph_id\":3,\"from_node\":[]}]}]') WHERE name = 'a';"
          "UPDATE node SET meta = json_object('from_node',"
          " '[{\"from_node\":[],\"graph_id\":3,\"name\":\"\\u0022r\"}]')"
          " WHERE name = 'b';"
          "UPDATE node SET meta = json_object('from_node',"
          " '[{\"name\":\"\\\"r\",\"graph_id\":4,\"from_node\":[]}]')"
          " WHERE name = 'c';"
          "UPDATE node SET meta = json_object('from_node', '[{\"name\":')"
          " WHERE name = 'd'");
    plan_program();
    ck_assert_uint_ne(step_called("a")->origin, 0);
    ck_assert_uint_eq(step_called("b")->origin, step_called("a")->origin);
    ck_assert_uint_ne(step_called("c")->origin, step_called("a")->origin);
    ck_assert_uint_ne(step_called("c")->origin, 0);
    ck_assert_uint_eq(step_called("d")->origin, 0);
    ck_assert_uint_eq(step_called("e")->origin, 0);
    program_end();
}

START_TEST(a_name_that_no_node_makes_is_said)
{
    program_begin();
    given_call(1, "y", "aten::relu.default", "[{\"name\":\"self\",\"tensor\":\"z\"}]",
               "");
    given_output(1, "[{\"name\":\"\",\"tensor\":\"y\"}]", "y");
    plan_program();
    ck_assert_str_eq(step_called("y")->why, "z is not made by any node");
    program_end();
}

START_TEST(weights_are_read_where_they_lie)
{
    const struct dg_slot *slot;

    program_begin();
    given_weight("w", "parameter", "f32", "[2,3]", 16, 24);
    given_output(1, "[]", "");
    plan_program();
    slot = &program_plan.slots[slot_called("w")];
    ck_assert_int_eq(slot->kind, DG_SLOT_CONSTANT);
    ck_assert_ptr_null(slot->missing);
    ck_assert_ptr_eq(dg_tensor_data(slot->initial.as.tensor), program_file + 4);
    program_end();
}

static void expect_missing(const char *dtype, const char *shape, int offset, int nbytes,
                           const char *want)
{
    program_begin();
    given_weight("w", "parameter", dtype, shape, offset, nbytes);
    given_output(1, "[]", "");
    plan_program();
    ck_assert_str_eq(program_plan.slots[slot_called("w")].missing, want);
    program_end();
}

START_TEST(weights_that_are_not_all_there_say_why)
{
    expect_missing("f32", "[2,3]", 16, 20,
                   "w of shape [2,3] does not fit its 20 bytes");
    expect_missing("f32", "[2,3]", sizeof(program_file) - 8, 24,
                   "w has bytes outside of the file");
    expect_missing("f32", "[2,3]", -1, 24, "w has no bytes in the file");
    expect_missing("f32", "[2,\"s0\"]", 0, 24, "w has no shape of plain numbers");
    expect_missing("f32", "[4611686018427387904,4]", 0, 24,
                   "w of shape [4611686018427387904,4] does not fit its 24 bytes");
    expect_missing("c32", "[2]", 0, 24, "w is of a type that does not run here");
}

START_TEST(symbolic_sizes_have_ranges_and_examples)
{
    program_begin();
    given_input(1, "x", "f32", "[\"s0\",3,\"2*s0\"]");
    given_output(1, "[]", "");
    given("INSERT INTO range_constraint VALUES (1, 's0', 2, 8), (1, '2*s0', 4, NULL);"
          "INSERT INTO sample_input (method_id, pos, path, kind, shape) VALUES"
          " (1, 0, 'args[0]', 'tensor', '[5,3,10]')");
    plan_program();
    ck_assert_uint_eq(program_plan.n_ranges, 2);
    ck_assert_str_eq(program_plan.ranges[0].symbol, "s0");
    ck_assert_int_eq(program_plan.ranges[0].least, 2);
    ck_assert_int_eq(program_plan.ranges[0].most, 8);
    ck_assert_int_eq(program_plan.ranges[0].hint, 5);
    ck_assert_ptr_null(program_plan.ranges[1].symbol);
    ck_assert_int_eq(program_plan.ranges[1].dim, 2);
    ck_assert_int_eq(program_plan.ranges[1].most, INT64_MAX);
    ck_assert_int_eq(program_plan.ranges[1].hint, 10);
    program_end();
}

/* x -> a -> b -> c; d reads a, too. */
static void given_steps(void)
{
    program_begin();
    given_input(1, "x", "f32", "[2]");
    given_call(1, "a", "aten::relu.default", "[{\"name\":\"self\",\"tensor\":\"x\"}]",
               "x");
    given_call(1, "b", "aten::neg.default", "[{\"name\":\"self\",\"tensor\":\"a\"}]",
               "a");
    given_call(1, "unused", "aten::neg.default",
               "[{\"name\":\"self\",\"tensor\":\"a\"}]", "a");
    given_call(1, "d", "aten::add.Tensor",
               "[{\"name\":\"self\",\"tensor\":\"a\"},{\"name\":\"other\",\"tensor\":"
               "\"b\"}]",
               "a b");
    given_output(1, "[{\"name\":\"\",\"tensor\":\"d\"}]", "d");
    given_signature("output", "d", "user_output", NULL);
    plan_program();
}

static bool releases(const char *step, const char *slot)
{
    const struct dg_step *releasing = step_called(step);

    for (size_t i = 0; i < releasing->n_releases; i++) {
        if (releasing->releases[i] == slot_called(slot))
            return true;
    }
    return false;
}

START_TEST(values_are_released_by_the_last_step_that_reads_them)
{
    given_steps();
    ck_assert(releases("a", "x"));
    ck_assert(!releases("b", "a"));
    ck_assert(releases("d", "a"));
    ck_assert(releases("d", "b"));
    ck_assert(!releases("d", "d"));
    ck_assert(!releases("unused", "unused"));
    ck_assert(releases("d", "unused"));
    program_end();
}

START_TEST(a_part_takes_what_it_reads_and_gives_what_others_want)
{
    const bool chosen[] = {false, true, true, false};
    const bool none[] = {false, false, false, false};
    struct dg_schedule part;

    given_steps();
    ck_assert(!dg_schedule_part(&part, &program_plan, chosen, &rules_err));
    ck_assert_uint_eq(part.n_steps, 2);
    ck_assert_uint_eq(part.n_inputs, 1);
    ck_assert_str_eq(part.inputs[0].name, "a");
    ck_assert_uint_eq(part.n_outputs, 1);
    ck_assert_str_eq(part.outputs[0].name, "b");
    dg_schedule_clear(&part);
    ck_assert_int_eq(dg_schedule_part(&part, &program_plan, none, &rules_err),
                     DG_ERR_USAGE);
    dg_schedule_clear(&part);
    program_end();
}

START_TEST(mutations_know_which_input_takes_the_value)
{
    program_begin();
    given_weight("total", "buffer", "f32", "[2]", 0, 8);
    given_input(1, "total_2", "f32", "[2]");
    given_input(1, "x", "f32", "[2]");
    given("UPDATE signature SET name = 'total' WHERE name = 'total_2'");
    given_call(1, "sum", "aten::add.Tensor",
               "[{\"name\":\"self\",\"tensor\":\"total\"},{\"name\":\"other\","
               "\"tensor\":\"x\"}]",
               "total x");
    given_output(1, "[]", "");
    given_signature("output", "sum", "buffer_mutation", "total");
    given_signature("output", "sum", "user_input_mutation", "x");
    given_signature("output", "sum", "user_output", NULL);
    plan_program();
    ck_assert_uint_eq(program_plan.outputs[0].written_to, slot_called("total"));
    ck_assert_uint_eq(program_plan.outputs[1].written_to, slot_called("x"));
    ck_assert_uint_eq(program_plan.outputs[2].written_to, DG_IO_LITERAL);
    program_end();
}

Suite *schedule_fx_suite(void)
{
    Suite *suite = suite_create("schedule_fx");
    TCase *tc = tcase_create("plan_fx");

    tcase_add_test(tc, an_overload_runs_by_its_functional_twin);
    tcase_add_test(tc, an_overload_that_nothing_can_stand_in_for_has_no_kernel);
    tcase_add_test(tc, arguments_of_an_out_overload_find_their_places);
    tcase_add_test(tc, arguments_stand_where_the_schema_has_them);
    tcase_add_test(tc, arguments_that_are_left_out_have_their_defaults);
    tcase_add_test(tc, an_int_for_a_float_is_a_float);
    tcase_add_test(tc, a_float_that_is_no_number_is_read);
    tcase_add_test(tc, a_dtype_that_does_not_run_makes_the_call_opaque);
    tcase_add_test(tc, an_operator_without_a_kernel_is_opaque);
    tcase_add_test(tc, steps_know_which_node_of_the_first_export_they_came_from);
    tcase_add_test(tc, a_name_that_no_node_makes_is_said);
    tcase_add_test(tc, weights_are_read_where_they_lie);
    tcase_add_test(tc, weights_that_are_not_all_there_say_why);
    tcase_add_test(tc, symbolic_sizes_have_ranges_and_examples);
    tcase_add_test(tc, values_are_released_by_the_last_step_that_reads_them);
    tcase_add_test(tc, a_part_takes_what_it_reads_and_gives_what_others_want);
    tcase_add_test(tc, mutations_know_which_input_takes_the_value);
    suite_add_tcase(suite, tc);
    return suite;
}
