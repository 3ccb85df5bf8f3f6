/* Convolutions of images whose channels lie side by side, held to sums term by term. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/conv.h"
#include "unit/suite.h"

enum { SAMPLES = 2, DOWN = 1, ACROSS = 2 };

struct geometry {
    struct dg_conv_axis down, across; /* `coarse` is found */
    int64_t groups, inputs, outputs;  /* channels of a group */
    int64_t below, right;             /* paddings behind */
};

static const struct geometry geometries[] = {
    {{7, 0, 3, 2, 1, 1}, {6, 0, 3, 2, 1, 1}, 1, 3, 9, 1, 1},
    {{7, 0, 3, 1, 0, 2}, {9, 0, 2, 3, 2, 3}, 1, 5, 4, 1, 0},
    {{5, 0, 1, 1, 0, 1}, {4, 0, 1, 1, 0, 1}, 1, 70, 3, 0, 0},
    {{5, 0, 1, 2, 0, 1}, {4, 0, 1, 2, 0, 1}, 1, 300, 17, 0, 0},
    {{6, 0, 3, 1, 2, 1}, {8, 0, 5, 2, 0, 1}, 3, 4, 2, 0, 3},
    {{2, 0, 3, 1, 4, 4}, {3, 0, 2, 1, 9, 2}, 1, 2, 2, 5, 9},
    {{9, 0, 3, 1, 1, 1}, {11, 0, 3, 2, 1, 1}, 70, 1, 1, 1, 1},
    {{8, 0, 5, 2, 2, 1}, {7, 0, 5, 1, 3, 1}, 6, 1, 1, 0, 1},
    {{6, 0, 2, 1, 1, 3}, {7, 0, 3, 1, 5, 2}, 5, 1, 13, 2, 4},
    {{2, 0, 3, 1, 4, 4}, {3, 0, 2, 1, 9, 2}, 3, 1, 2, 5, 9},
};

static double number(int64_t i)
{
    return (double)(float)ldexp((double)(i * 2654435761 % 1000003) / 999983 - 0.5,
                                (int)(i % 5) - 2);
}

static struct dg_tensor *numbers(enum dg_type type, int rank, const int64_t *sizes,
                                 int64_t seed)
{
    struct dg_error err = {0};
    struct dg_tensor *made = dg_tensor_new(&dg_host_memory, type, rank, sizes, &err);

    for (int64_t i = 0; i < dg_tensor_count(made); i++) {
        if (type == DG_TYPE_F32)
            ((float *)dg_tensor_data(made))[i] = (float)number(i + seed);
        else
            ((double *)dg_tensor_data(made))[i] = number(i + seed);
    }
    return made;
}

static double element(const struct dg_tensor *tensor, int64_t i)
{
    return tensor->type == DG_TYPE_F32 ? (double)((float *)dg_tensor_data(tensor))[i]
                                       : ((double *)dg_tensor_data(tensor))[i];
}

/* Image, weight in ATen's order of sizes, bias and result. */
struct sides {
    struct dg_conv conv;
    struct dg_tensor *fine, *weight, *bias, *coarse;
    bool apart, narrow;
};

/* Sums of one element of the result, as f64 and as f32 make them. */
struct sum {
    double wide;
    float narrow;
};

/* Only of products of matrices, f32 rounds none before it is added. */
static void add_term(struct sum *sum, bool apart, double weight, double x)
{
    volatile float product = (float)weight * (float)x;

    sum->wide = fma(weight, x, sum->wide);
    sum->narrow =
        apart ? sum->narrow + product : fmaf((float)weight, (float)x, sum->narrow);
}

static void add_tap(const struct sides *sides, const int64_t at[4], int64_t i,
                    int64_t j, struct sum *sum)
{
    const struct dg_conv *conv = &sides->conv;
    const struct dg_conv_axis *down = &conv->axes[DOWN], *across = &conv->axes[ACROSS];
    int64_t y = at[1] * down->stride - down->padding + i * down->dilation;
    int64_t x = at[2] * across->stride - across->padding + j * across->dilation;
    int64_t n = conv->fine_channels / conv->groups;
    int64_t group = at[3] / (conv->coarse_channels / conv->groups);
    int64_t pixel = (at[0] * down->fine + y) * across->fine + x;
    int64_t tap = i * across->kernel + j;

    if (y < 0 || y >= down->fine || x < 0 || x >= across->fine)
        return;
    for (int64_t c = 0; c < n; c++) {
        int64_t weight = sides->apart ? tap * conv->coarse_channels + at[3]
                                      : (at[3] * conv->n_kernel + tap) * n + c;

        add_term(sum, sides->apart, element(sides->weight, weight),
                 element(sides->fine, pixel * conv->fine_channels + group * n + c));
    }
}

static void expect_sums(const struct sides *sides, size_t number)
{
    const int64_t *sizes = sides->coarse->sizes;

    for (int64_t e = 0, n = dg_tensor_count(sides->coarse); e < n; e++) {
        int64_t at[] = {e / sizes[3] / sizes[2] / sizes[1],
                        e / sizes[3] / sizes[2] % sizes[1], e / sizes[3] % sizes[2],
                        e % sizes[3]};
        double bias = sides->bias ? element(sides->bias, at[3]) : 0, right;
        struct sum sum = {0, 0};

        for (int64_t i = 0; i < sides->conv.axes[DOWN].kernel; i++) {
            for (int64_t j = 0; j < sides->conv.axes[ACROSS].kernel; j++)
                add_tap(sides, at, i, j, &sum);
        }
        right = sides->narrow ? (double)(sum.narrow + (float)bias) : sum.wide + bias;
        if (sides->coarse->type == DG_TYPE_F32)
            right = (double)(float)right;
        ck_assert_msg(element(sides->coarse, e) == right,
                      "geometry %zu, narrow %d: element %lld is %.17g, not %.17g",
                      number, sides->narrow, (long long)e, element(sides->coarse, e),
                      right);
    }
}

static void begin(struct sides *sides, const struct geometry *geometry,
                  enum dg_type type, struct dg_call *call)
{
    const struct dg_conv_axis *down = &geometry->down, *across = &geometry->across;
    int64_t fine = geometry->groups * geometry->inputs;
    int64_t coarse = geometry->groups * geometry->outputs;
    const struct dg_tensor image = {.rank = 4,
                                    .sizes = {SAMPLES, fine, down->fine, across->fine}};
    const struct dg_tensor weight = {
        .rank = 4, .sizes = {coarse, geometry->inputs, down->kernel, across->kernel}};
    struct dg_conv_options options = {
        .n_axes = 2,
        .stride = {down->stride, across->stride},
        .padding = {down->padding, across->padding},
        .padding_more = {geometry->below - down->padding,
                         geometry->right - across->padding},
        .dilation = {down->dilation, across->dilation},
        .groups = geometry->groups,
    };

    sides->apart = geometry->inputs == 1;
    ck_assert_int_eq(dg_conv_begin(call, &sides->conv, &options, &image, &weight),
                     DG_OK);
    sides->fine =
        numbers(type, 4, (int64_t[]){SAMPLES, down->fine, across->fine, fine}, 0);
    sides->weight = numbers(
        DG_TYPE_F32, 4,
        (int64_t[]){coarse, down->kernel, across->kernel, geometry->inputs}, 1000);
    sides->bias = sides->apart ? NULL : numbers(type, 1, &coarse, 2000);
    sides->coarse = numbers(type, 4,
                            (int64_t[]){SAMPLES, sides->conv.axes[DOWN].coarse,
                                        sides->conv.axes[ACROSS].coarse, coarse},
                            3000);
}

static void check(size_t number, enum dg_type type, enum dg_precision precision,
                  int n_threads)
{
    struct dg_arena scratch = {0};
    struct dg_context context = {&dg_host_memory, &scratch, n_threads, precision};
    struct dg_error err = {0};
    struct dg_call call = {.context = &context, .err = &err};
    struct sides s = {.narrow = precision == DG_PRECISION_OWN_SUMS};

    begin(&s, &geometries[number], type, &call);
    if (s.apart)
        ck_assert_int_eq(
            dg_conv_pixels_apart(&call, &s.conv, s.fine, s.weight, s.bias, s.coarse),
            DG_OK);
    else
        dg_conv_pixels(&call, &s.conv, s.fine, s.weight, s.bias, s.coarse);
    expect_sums(&s, number);
    dg_tensor_drop(s.fine);
    dg_tensor_drop(s.weight);
    dg_tensor_drop(s.bias);
    dg_tensor_drop(s.coarse);
    dg_arena_clear(&scratch);
}

START_TEST(every_element_is_the_sum_of_what_its_window_sees)
{
    size_t number = (size_t)_i;

    check(number, DG_TYPE_F32, DG_PRECISION_EXACT_SUMS, 1);
    check(number, DG_TYPE_F32, DG_PRECISION_EXACT_SUMS, 3);
    check(number, DG_TYPE_F32, DG_PRECISION_OWN_SUMS, 1);
    check(number, DG_TYPE_F64, DG_PRECISION_WIDE, 1);
}

Suite *conv_pixels_suite(void)
{
    Suite *suite = suite_create("conv pixels");
    TCase *tcase = tcase_create("sums");

    tcase_add_loop_test(tcase, every_element_is_the_sum_of_what_its_window_sees, 0,
                        sizeof(geometries) / sizeof(*geometries));
    suite_add_tcase(suite, tcase);
    return suite;
}
