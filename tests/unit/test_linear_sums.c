/* Steps that are linear in an argument: what the reference and the wide evaluation
 * share. */
#include "unit/small_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/call_linear.h"
#include "unit/suite.h"

/* Argument of a node; a list of numbers. */
#define INPUT(name, of) "{\"name\":\"" name "\",\"tensor\":\"" of "\"}"
#define INTS(name, numbers) "{\"name\":\"" name "\",\"ints\":[" numbers "]}"
#define REAL(name, number) "{\"name\":\"" name "\",\"float\":" number "}"

/* y = op(a, ...), where a is a function of x that f32 has to round. */
struct product {
    const char *op, *args, *reads;
    const char *x, *weight, *bias; /* shapes */
    enum { SHARES, IS_COMPUTED_AGAIN, IS_OF_ITS_OWN } how;
    const char *function, *of; /* NULL: the sine of x; else of e or m, exp(x) or -3 x */
    bool selects;              /* the weight has ones and zeros, one of them in a row */
};

#define LINEAR INPUT("input", "a") "," INPUT("weight", "w")
#define WITH_BIAS "[" LINEAR "," INPUT("bias", "b")
#define MATRICES(a, b) INPUT("self", a) "," INPUT("mat2", b)
#define OTHERS(a, b) INPUT("self", a) "," INPUT("other", b)
#define TRANSPOSED "{\"name\":\"transposed\",\"bool\":true}"
#define SUMMANDS INPUT("self", "b") "," INPUT("mat1", "a") "," INPUT("mat2", "w")

static const struct product products[] = {
    {"aten::linear.default", WITH_BIAS "]", "a w b", "[3,16]", "[20,16]", "[20]"},
    {"aten::linear.default", "[" LINEAR "]", "a w", "[3,16]", "[20,16]", "[20]"},
    {"aten::mm.default", "[" MATRICES("a", "w") "]", "a w", "[3,16]", "[16,20]",
     "[20]"},
    {"aten::matmul.default", "[" OTHERS("a", "w") "]", "a w", "[3,1,16]", "[16,20]",
     "[20]"},
    {"aten::bmm.default", "[" MATRICES("a", "w") "]", "a w", "[1,3,16]", "[1,16,20]",
     "[20]"},
    {"aten::addmm.default",
     "[" SUMMANDS "," REAL("beta", "0.5") "," REAL("alpha", "3.0") "]", "b a w",
     "[3,16]", "[16,20]", "[20]"},
    {"aten::conv2d.default",
     WITH_BIAS "," INTS("stride", "2,1") "," INTS("padding", "1,1") "]", "a w b",
     "[2,3,5,5]", "[16,3,3,3]", "[16]"},
    {"aten::conv1d.default", "[" LINEAR "]", "a w", "[1,16,7]", "[16,16,1]", "[16]"},
    /* too few products */
    {"aten::conv1d.default",
     WITH_BIAS "," INTS("stride", "1") "," INTS("padding", "0") "," INTS(
         "dilation", "1") ",{\"name\":\"groups\",\"int\":16}]",
     "a w b", "[1,16,7]", "[16,1,3]", "[16]", IS_OF_ITS_OWN},
    /* both sides are computed */
    {"aten::mm.default", "[" MATRICES("a", "a") "]", "a a", "[16,16]", "[20]", "[20]",
     IS_OF_ITS_OWN},
    /* what is added is computed */
    {"aten::linear.default", "[" LINEAR "," INPUT("bias", "c") "]", "a w c", "[3,16]",
     "[20,16]", "[20]", IS_OF_ITS_OWN},
    /* infinite in f32, finite in f64 */
    {"aten::linear.default", "[" LINEAR "]", "a w", "[3,16]", "[20,16]", "[20]",
     IS_COMPUTED_AGAIN, "aten::exp", "x"},
    /* the fraction of what f32 has no fractions of */
    {"aten::linear.default", "[" LINEAR "]", "a w", "[3,16]", "[20,16]", "[20]",
     IS_COMPUTED_AGAIN, "aten::frac", "e"},
    /* some of what is 0 in f32 is not in f64 */
    {"aten::linear.default", "[" LINEAR "]", "a w", "[3,16]", "[20,16]", "[20]",
     IS_COMPUTED_AGAIN, "aten::exp", "m"},
    /* of what is read, not of what is made, filters have many terms */
    {"aten::convolution.default",
     WITH_BIAS "," INTS("stride", "1,1") "," INTS("padding", "0,0") "," INTS(
         "dilation", "1,1") "," TRANSPOSED
                            "," INTS("output_padding",
                                     "0,0") ","
                                            "{\"name\":\"groups\",\"int\":1}]",
     "a w b", "[1,16,2,2]", "[16,3,3,3]", "[3]", IS_OF_ITS_OWN},
    /* a matrix, and a convolution, that give what they are given */
    {"aten::linear.default", "[" LINEAR "]", "a w", "[3,16]", "[16,16]", "[20]",
     IS_OF_ITS_OWN, NULL, NULL, true},
    {"aten::conv1d.default", "[" LINEAR "]", "a w", "[1,16,7]", "[16,16,1]", "[16]",
     IS_OF_ITS_OWN, NULL, NULL, true},
};
enum { N_PRODUCTS = sizeof(products) / sizeof(products[0]) };

static struct dg_machine reference, wide;
static struct dg_linear_sums shared;

/* The sizes of "[20,16]"; how many there are. */
static int read_shape(const char *shape, int64_t sizes[4])
{
    int rank = 0;

    while (*shape != ']')
        sizes[rank++] = strtol(shape + 1, (char **)&shape, 10);
    return rank;
}

static void given_constant(const char *name, const char *shape, int offset)
{
    int64_t sizes[4], n = sizeof(float);

    for (int dim = read_shape(shape, sizes); dim--;)
        n *= sizes[dim];
    given_weight(name, "parameter", "f32", shape, offset, (int)n);
}

/* Weights without zeros, or one in each row. */
static void fill_file(bool selects)
{
    for (int i = 0; i < PROGRAM_FLOATS; i++)
        program_file[i] =
            selects ? i % 17 == 0 : (float)(2 * ((i * 29) % 63) - 63) / 128;
}

static void fill(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = (float)((i * 37) % 101) - 3;
}

static void given_product(const struct product *product)
{
    float x[256];
    int64_t sizes[4];
    int rank = read_shape(product->x, sizes);
    const char *of = product->of ? product->of : "x";
    char args[60];

    fill(x, 256);
    program_begin();
    fill_file(product->selects);
    given_constant("w", product->weight, 0);
    given_constant("b", product->bias, 64);
    given_input(1, "x", "f32", product->x);
    given_call(1, "e", "aten::exp", SELF("x"), "x");
    given_call(1, "m", "aten::mul.Scalar", BY("x", "-3"), "x");
    snprintf(args, sizeof(args), SELF("%s"), of);
    given_call(1, "a", product->function ? product->function : "aten::sin", args, of);
    given_call(1, "c", "aten::sin.default", SELF("b"), "b");
    given_call(1, "y", product->op, product->args, product->reads);
    given_output(1, ONE("y"), "y");
    given_signature("output", "y", "user_output", NULL);
    give_floats(2, rank, sizes, x);
    plan_program();
}

static void open_machine(struct dg_machine *machine, enum dg_precision precision,
                         struct dg_linear_sums *sums)
{
    ck_assert(!dg_machine_open(machine, &program_plan, NULL, precision, 2, &rules_err));
    machine->linear_sums = sums;
    ck_assert_msg(!dg_machine_begin(machine, program_inputs, &rules_err), "%s",
                  rules_err.text);
}

static void step(struct dg_machine *machine, uint32_t i)
{
    uint32_t next;

    ck_assert_msg(!dg_machine_step(machine, i, &next, &rules_err), "%s",
                  rules_err.text);
}

static struct dg_tensor *result_of(struct dg_machine *machine)
{
    struct dg_arg value;

    ck_assert(!dg_machine_output(machine, 0, &value, &rules_err));
    ck_assert_int_eq(value.kind, DG_ARG_TENSOR);
    dg_machine_close(machine);
    return value.as.tensor;
}

/* What a machine gives alone. */
static struct dg_tensor *alone(enum dg_precision precision)
{
    struct dg_machine machine;

    open_machine(&machine, precision, NULL);
    ck_assert(!dg_machine_run(&machine, &rules_err));
    return result_of(&machine);
}

/* The reference and the wide evaluation, step by step; whether the sums of y were
 * taken. */
static bool run_both(void)
{
    bool left = false;

    open_machine(&reference, DG_PRECISION_EXACT_SUMS, &shared);
    open_machine(&wide, DG_PRECISION_WIDE, &shared);
    for (uint32_t i = 0; i < program_plan.n_steps; i++) {
        step(&reference, i);
        left = shared.step == &program_plan.steps[i] && shared.sums;
        step(&wide, i);
    }
    return left && !shared.step;
}

static void expect_near(struct dg_tensor *tensor, struct dg_tensor *wanted, double part)
{
    const double *got = dg_tensor_data(tensor), *want = dg_tensor_data(wanted);
    double largest = 0;

    ck_assert_int_eq(tensor->type, DG_TYPE_F64);
    ck_assert(dg_tensor_same_shape(tensor, wanted));
    for (int64_t i = 0; i < dg_tensor_count(wanted); i++)
        largest = fmax(largest, fabs(want[i]));
    for (int64_t i = 0; i < dg_tensor_count(wanted); i++)
        ck_assert_msg(fabs(got[i] - want[i]) <= part * largest || got[i] == want[i],
                      "element %d: %.17g, not %.17g", (int)i, got[i], want[i]);
}

static void expect_bits(struct dg_tensor *tensor, struct dg_tensor *wanted)
{
    ck_assert_int_eq(tensor->type, wanted->type);
    ck_assert(dg_tensor_same_shape(tensor, wanted));
    ck_assert_mem_eq(dg_tensor_data(tensor), dg_tensor_data(wanted),
                     (size_t)dg_tensor_count(wanted) * dg_type_bytes(wanted->type));
}

static void drop_both(struct dg_tensor *a, struct dg_tensor *b)
{
    dg_tensor_drop(a);
    dg_tensor_drop(b);
}

static void end_runs(void)
{
    dg_machine_close(&reference);
    dg_linear_sums_clear(&shared);
    program_end();
}

/* Errors of f64 are 1e-16 of what is summed, those of f32 1e-7. */
START_TEST(a_wide_product_of_the_exact_sums_and_the_rest_is_that_of_f64)
{
    struct dg_tensor *got, *want;

    given_product(&products[_i]);
    ck_assert_int_eq(run_both(), products[_i].how != IS_OF_ITS_OWN);
    got = result_of(&wide);
    want = alone(DG_PRECISION_WIDE);
    expect_near(got, want, products[_i].how == SHARES ? 1e-13 : 0);
    drop_both(got, want);
    got = result_of(&reference);
    want = alone(DG_PRECISION_EXACT_SUMS);
    expect_bits(got, want);
    drop_both(got, want);
    end_runs();
}

/* An input of NaN, a weight of infinity, one that leads there: sums are taken, and no
 * result comes of them that is not finite. */
START_TEST(what_is_not_finite_is_that_of_f64_too)
{
    struct dg_tensor *got, *want;
    float *x;

    given_product(&products[0]);
    x = dg_tensor_data(program_inputs[2].as.tensor);
    x[5] = _i == 0 ? NAN : x[5];
    program_file[7] = _i == 1 ? INFINITY : _i == 2 ? 3e38F : program_file[7];
    ck_assert(run_both());
    got = result_of(&wide);
    want = alone(DG_PRECISION_WIDE);
    if (_i == 2)
        expect_near(got, want, 1e-13);
    else
        expect_bits(got, want);
    drop_both(got, want);
    end_runs();
}

START_TEST(sums_of_another_step_are_not_taken)
{
    struct dg_tensor *got, *want;

    given_product(&products[0]);
    want = alone(DG_PRECISION_WIDE);
    open_machine(&reference, DG_PRECISION_EXACT_SUMS, &shared);
    ck_assert(!dg_machine_run(&reference, &rules_err));
    ck_assert_ptr_nonnull(shared.sums);
    shared.step--;
    open_machine(&wide, DG_PRECISION_WIDE, &shared);
    ck_assert(!dg_machine_run(&wide, &rules_err));
    got = result_of(&wide);
    ck_assert_ptr_nonnull(shared.sums);
    expect_bits(got, want);
    drop_both(got, want);
    end_runs();
}

#define CALLED(x, more) "[{\"name\":\"\",\"tensor\":\"" x "\"}" more "]"
#define NUMBER(n) ",{\"name\":\"\",\"int\":" n "}"
#define VMAP "torch._functorch.predispatch."

/* The reference has left the sums of the last place of a batch. */
START_TEST(each_place_under_vmap_has_sums_of_its_own)
{
    static const int64_t sizes[] = {4, 3, 16};
    struct dg_tensor *got, *want;
    float x[192];

    fill(x, 192);
    program_begin();
    fill_file(false);
    given_constant("w", "[20,16]", 0);
    given_input(1, "x", "f32", "[4,3,16]");
    given_tuple(1, "begin", VMAP "_vmap_increment_nesting",
                "[{\"name\":\"\",\"int\":4},{\"name\":\"\",\"string\":\"error\"}]", "");
    given_call(1, "row", VMAP "_add_batch_dim", CALLED("x", NUMBER("0") NUMBER("1")),
               "x");
    given_call(1, "a", "aten::sin.default", SELF("row"), "row");
    given_call(1, "l", "aten::linear.default", "[" LINEAR "]", "a w");
    given_call(1, "y", VMAP "_remove_batch_dim",
               CALLED("l", NUMBER("1") NUMBER("4") NUMBER("0")), "l");
    given_output(1, ONE("y"), "y");
    given_signature("output", "y", "user_output", NULL);
    give_floats(1, 3, sizes, x);
    plan_program();
    ck_assert(!run_both());
    got = result_of(&wide);
    want = alone(DG_PRECISION_WIDE);
    expect_bits(got, want);
    drop_both(got, want);
    end_runs();
}

/* It needs more than the kernel alone: where there is too little, that runs. */
START_TEST(a_step_that_has_no_room_for_sums_runs_without_them)
{
    const struct product *convolution = &products[6];
    bool ran = false, left = false;

    for (uint64_t room = 200; !left && room < 1 << 16; room += 40) {
        struct dg_error err = {0};
        uint64_t before;
        uint32_t next, last;

        given_product(convolution);
        before = dg_host_memory.used;
        last = (uint32_t)(step_called("y") - program_plan.steps);
        open_machine(&reference, DG_PRECISION_EXACT_SUMS, &shared);
        for (uint32_t i = 0; i < last; i++)
            step(&reference, i);
        dg_host_memory.limit = dg_host_memory.used + room;
        ran |= !dg_machine_step(&reference, last, &next, &err) && !shared.sums;
        left = shared.sums;
        dg_host_memory.limit = 0;
        dg_machine_close(&reference);
        dg_linear_sums_clear(&shared);
        ck_assert_uint_eq(dg_host_memory.used, before);
        program_end();
    }
    ck_assert(ran && left);
}

Suite *linear_sums_suite(void)
{
    Suite *suite = suite_create("linear_sums");
    TCase *tc = tcase_create("linear_sums");

    tcase_add_loop_test(tc,
                        a_wide_product_of_the_exact_sums_and_the_rest_is_that_of_f64, 0,
                        N_PRODUCTS);
    tcase_add_loop_test(tc, what_is_not_finite_is_that_of_f64_too, 0, 3);
    tcase_add_test(tc, sums_of_another_step_are_not_taken);
    tcase_add_test(tc, each_place_under_vmap_has_sums_of_its_own);
    tcase_add_test(tc, a_step_that_has_no_room_for_sums_runs_without_them);
    suite_add_tcase(suite, tc);
    return suite;
}
