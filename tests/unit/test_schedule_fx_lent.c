/* Turned weights of an exported graph: what the file holds, where all readers take
 * that. */
#include "unit/small_program.h"

#include <stdio.h>
#include <string.h>

#include "exec/machine_parts.h"
#include "unit/suite.h"

#define TURN(x)                                                                        \
    "[{\"name\":\"self\",\"tensor\":\"" x "\"},{\"name\":\"dims\",\"ints\":[1,0]}]"
#define STACK(x)                                                                       \
    "[{\"name\":\"self\",\"tensor\":\"" x "\"},{\"name\":\"dim\",\"int\":0}]"
#define PRODUCT(x, y)                                                                  \
    "[{\"name\":\"self\",\"tensor\":\"" x "\"},{\"name\":\"mat2\",\"tensor\":\"" y     \
    "\"}]"

static const int64_t sizes[] = {1, 4, 16};

/* x [4,16] and xs [1,4,16], w [16,16] and t, which is that turned. */
static void begin(const char *turn)
{
    float x[64];

    for (int i = 0; i < 64; i++)
        x[i] = (float)((i * 37) % 101) / 7;
    program_begin();
    for (int i = 0; i < PROGRAM_FLOATS; i++)
        program_file[i] = (float)((i * 29) % 63 - 31) / 3;
    given_weight("w", "parameter", "f32", "[16,16]", 0, 1024);
    given_input(1, "x", "f32", "[4,16]");
    given_input(1, "xs", "f32", "[1,4,16]");
    give_floats(1, 2, sizes + 1, x);
    give_floats(2, 3, sizes, x);
    given_call(1, "t", turn, TURN("w"), "w");
}

static void end(const char *output)
{
    char args[80];

    snprintf(args, sizeof(args), ONE("%s"), output);
    given_output(1, args, output);
    given_signature("output", output, "user_output", NULL);
    plan_program();
}

static bool is_lent(const char *name)
{
    return program_plan.slots[slot_called(name)].lent;
}

static struct dg_tensor *result(enum dg_precision precision)
{
    struct dg_machine machine;
    struct dg_arg value;

    dg_machine_open(&machine, &program_plan, NULL, precision, 1, &rules_err);
    ck_assert(!dg_machine_begin(&machine, program_inputs, &rules_err));
    ck_assert_msg(!dg_machine_run(&machine, &rules_err), "%s", rules_err.text);
    ck_assert(!dg_machine_output(&machine, 0, &value, &rules_err));
    dg_machine_close(&machine);
    ck_assert_int_eq(value.kind, DG_ARG_TENSOR);
    return value.as.tensor;
}

/* What a slot holds in a wide run, which would have f64 otherwise, is in the file. */
static void expect_bytes_of_file(const char *name)
{
    const struct dg_arg *held;
    struct dg_machine machine;
    uint32_t next = 0;

    dg_machine_open(&machine, &program_plan, NULL, DG_PRECISION_WIDE, 1, &rules_err);
    ck_assert(!dg_machine_begin(&machine, program_inputs, &rules_err));
    while (strcmp(program_plan.steps[next].name, name))
        ck_assert(!dg_machine_step(&machine, next, &next, &rules_err));
    ck_assert(!dg_machine_step(&machine, next, &next, &rules_err));
    held = &machine.frames->slots[slot_called(name)];
    ck_assert_int_eq(held->kind, DG_ARG_TENSOR);
    ck_assert_int_eq(held->as.tensor->type, DG_TYPE_F32);
    ck_assert_ptr_eq(dg_tensor_data(held->as.tensor), program_file);
    dg_machine_close(&machine);
}

/* Whether the views are lent, or not. */
static void expect_same_bits(const char *const *names, int n)
{
    static const enum dg_precision precisions[] = {
        DG_PRECISION_EXACT_SUMS, DG_PRECISION_OWN_SUMS, DG_PRECISION_WIDE};
    struct dg_tensor *lent[3], *made;

    for (int i = 0; i < 3; i++)
        lent[i] = result(precisions[i]);
    for (int i = 0; i < n; i++)
        program_plan.slots[slot_called(names[i])].lent = false;
    for (int i = 0; i < 3; i++) {
        made = result(precisions[i]);
        ck_assert_int_eq(made->type, lent[i]->type);
        ck_assert_mem_eq(dg_tensor_data(made), dg_tensor_data(lent[i]),
                         (size_t)dg_tensor_count(made) * dg_type_bytes(made->type));
        dg_tensor_drop(made);
        dg_tensor_drop(lent[i]);
    }
    program_end();
}

static const char *const turns[] = {"aten::permute.default",
                                    "aten::permute_copy.default"};

START_TEST(a_turned_weight_of_a_product_is_what_the_file_holds)
{
    begin(turns[_i]);
    given_call(1, "y", "aten::mm.default", PRODUCT("x", "t"), "x t");
    end("y");
    ck_assert(is_lent("t"));
    expect_bytes_of_file("t");
    expect_same_bits((const char *[]){"t"}, 1);
}

START_TEST(so_is_a_view_of_that)
{
    begin(turns[_i]);
    given_call(1, "s", "aten::unsqueeze.default", STACK("t"), "t");
    given_call(1, "y", "aten::bmm.default", PRODUCT("xs", "s"), "xs s");
    end("y");
    ck_assert(is_lent("t") && is_lent("s"));
    expect_bytes_of_file("s");
    expect_same_bits((const char *[]){"t", "s"}, 2);
}

START_TEST(one_that_others_read_is_as_all_values_are)
{
    static const struct {
        const char *op, *args, *reads;
    } readers[] = {
        {"aten::add.Tensor", TWO("t", "t"), "t t"},
        {"aten::mm.default", PRODUCT("t", "t"), "t t"}, /* on both sides */
        {"aten::my_own.default", SELF("t"), "t"},
        {"aten::cat.default", "[{\"name\":\"tensors\",\"tensors\":[\"t\",\"t\"]}]",
         "t t"},
    };

    begin(turns[0]);
    given_call(1, "y", "aten::mm.default", PRODUCT("x", "t"), "x t");
    given_call(1, "z", readers[_i].op, readers[_i].args, readers[_i].reads);
    end("y");
    ck_assert(!is_lent("t"));
    program_end();
}

/* A copy is read by its place in memory, or as it would lie there. */
START_TEST(one_that_is_read_as_it_lies_is_as_all_values_are)
{
    static const struct {
        const char *op, *args;
    } readers[] = {
        {"aten::as_strided.default",
         "[{\"name\":\"self\",\"tensor\":\"t\"},{\"name\":\"size\",\"ints\":[16,8]},"
         "{\"name\":\"stride\",\"ints\":[8,1]}]"},
        {"aten::view_copy.default",
         "[{\"name\":\"self\",\"tensor\":\"t\"},{\"name\":\"size\",\"ints\":[16,16]}]"},
        {"aten::view.dtype", "[{\"name\":\"self\",\"tensor\":\"t\"},{\"name\":"
                             "\"dtype\",\"dtype\":\"f16\"}]"},
    };

    begin("aten::permute_copy.default");
    given_call(1, "s", readers[_i].op, readers[_i].args, "t");
    given_call(1, "y", "aten::mm.default", PRODUCT("x", "s"), "x s");
    end("y");
    ck_assert(!is_lent("t") && !is_lent("s"));
    program_end();
}

START_TEST(one_that_is_returned_is_as_all_values_are)
{
    begin(turns[_i]);
    given_call(1, "s", "aten::unsqueeze.default", STACK("t"), "t");
    given_call(1, "y", "aten::bmm.default", PRODUCT("xs", "s"), "xs s");
    end("s");
    ck_assert(!is_lent("t") && !is_lent("s"));
    program_end();
}

START_TEST(a_turned_input_is_as_all_values_are)
{
    begin(turns[0]);
    given_call(1, "u", "aten::permute.default", TURN("x"), "x");
    given_call(1, "y", "aten::mm.default", PRODUCT("x", "u"), "x u");
    end("y");
    ck_assert(!is_lent("u") && is_lent("t"));
    program_end();
}

/* It may be a view of the weight that is changed. */
START_TEST(where_a_step_changes_what_it_reads_nothing_is_lent)
{
    begin(turns[_i]);
    given_call(1, "y", "aten::mm.default", PRODUCT("x", "t"), "x t");
    given_call(1, "z", "aten::relu_.default", SELF("y"), "y");
    end("y");
    ck_assert(!is_lent("t"));
    program_end();
}

Suite *schedule_fx_lent_suite(void)
{
    Suite *suite = suite_create("schedule_fx_lent");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, a_turned_weight_of_a_product_is_what_the_file_holds, 0, 2);
    tcase_add_loop_test(all, so_is_a_view_of_that, 0, 2);
    tcase_add_loop_test(all, one_that_others_read_is_as_all_values_are, 0, 4);
    tcase_add_loop_test(all, one_that_is_read_as_it_lies_is_as_all_values_are, 0, 3);
    tcase_add_loop_test(all, one_that_is_returned_is_as_all_values_are, 0, 2);
    tcase_add_test(all, a_turned_input_is_as_all_values_are);
    tcase_add_loop_test(all, where_a_step_changes_what_it_reads_nothing_is_lent, 0, 2);
    suite_add_tcase(suite, all);
    return suite;
}
