/* A node of XNNPACK's, run by itself. */
#ifndef DG_TESTS_XNNPACK_NODE_H
#define DG_TESTS_XNNPACK_NODE_H

#include "unit/suite.h"
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/line.h"
#include "kernels/xnnpack.h"

/* One node, its operands and what it gives. */
static struct {
    struct dg_xnn_step step;
    struct dg_xnn_operand in[DG_XNN_INPUTS], out[2];
    struct dg_arg args[DG_XNN_INPUTS], results[2];
    enum dg_precision precision;
    bool other_grid;
    double wider;
    struct dg_error err;
} node;

#define SHAPE(...)                                                                     \
    (struct dg_xnn_shape)                                                              \
    {                                                                                  \
        sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                            \
        {                                                                              \
            __VA_ARGS__                                                                \
        }                                                                              \
    }
#define VALUES(...) ((double[]){__VA_ARGS__})

static inline void begin(const char *kind)
{
    const struct dg_xnn_kernel *kernel = dg_xnn_kernel(dg_text(kind));

    memset(&node, 0, sizeof(node));
    ck_assert_msg(kernel != NULL, "%s has no kernel", kind);
    node.step.node.op = dg_text(kind);
    node.step.kernel = kernel;
    node.step.least = -INFINITY;
    node.step.most = INFINITY;
    node.step.n_outputs = 1;
    node.step.outputs[0] = &node.out[0];
    node.step.outputs[1] = &node.out[1];
    node.out[0].type = DG_TYPE_F32;
}

static inline struct dg_tensor *tensor(enum dg_type type, struct dg_xnn_shape shape,
                                       const double *values)
{
    struct dg_tensor *made =
        dg_tensor_new(&dg_host_memory, type, shape.rank, shape.sizes, &node.err);

    dg_store_f64(type, dg_tensor_data(made), 1, values, dg_tensor_count(made));
    return made;
}

static inline struct dg_xnn_operand *input(enum dg_type type, struct dg_xnn_shape shape,
                                           const double *values)
{
    int i = node.step.node.n_inputs++;

    node.in[i] = (struct dg_xnn_operand){.type = type, .shape = shape};
    node.step.inputs[i] = &node.in[i];
    node.args[i] =
        (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor(type, shape, values)}};
    return &node.in[i];
}

static inline void by_tensor(struct dg_xnn_operand *operand, float scale,
                             int32_t zero_point)
{
    operand->quantized = DG_XNN_BY_TENSOR;
    operand->scale = scale;
    operand->zero_point = zero_point;
}

static inline void codes_out(float scale, int32_t zero_point)
{
    node.out[0].type = DG_TYPE_I8;
    by_tensor(&node.out[0], scale, zero_point);
}

static inline enum dg_status run(void)
{
    const struct dg_xnn_kernel *kernel = dg_xnn_kernel(node.step.node.op);
    struct dg_arena scratch = {0};
    struct dg_context context = {.memory = &dg_host_memory,
                                 .scratch = &scratch,
                                 .n_threads = 1,
                                 .precision = node.precision,
                                 .other_grid = node.other_grid,
                                 .wider = node.wider};
    struct dg_call call = {.op = kernel->kernel.op,
                           .args = node.args,
                           .n_args = (size_t)node.step.node.n_inputs,
                           .results = node.results,
                           .n_results = (size_t)node.step.n_outputs,
                           .context = &context,
                           .err = &node.err,
                           .xnnpack = &node.step};
    enum dg_status status = kernel->kernel.cpu(&call);

    for (int i = 0; i < DG_XNN_INPUTS; i++)
        dg_arg_drop(&node.args[i]);
    dg_arena_clear(&scratch);
    ck_assert_uint_eq(dg_host_memory.damaged, 0);
    return status;
}

static inline void drop(void)
{
    dg_arg_drop(&node.results[0]);
    dg_arg_drop(&node.results[1]);
}

static inline void expect_result(int line, int i, struct dg_xnn_shape shape,
                                 const double *values)
{
    struct dg_tensor *got = node.results[i].as.tensor;

    ck_assert_msg(node.results[i].kind == DG_ARG_TENSOR, "line %d: no tensor", line);
    ck_assert_int_eq(got->rank, shape.rank);
    for (int k = 0; k < shape.rank; k++)
        ck_assert_int_eq(got->sizes[k], shape.sizes[k]);
    ck_assert(dg_tensor_contiguous(got));
    for (int64_t k = 0; k < dg_tensor_count(got); k++) {
        double value = dg_get_f64(got, k);

        ck_assert_msg(value == values[k] || (isnan(value) && isnan(values[k])),
                      "line %d: element %d is %.9g, not %.9g", line, (int)k, value,
                      values[k]);
    }
}

#define EXPECT(shape, ...)                                                             \
    ck_assert_msg(!run(), "%s", node.err.text);                                        \
    expect_result(__LINE__, 0, shape, VALUES(__VA_ARGS__));                            \
    drop()

/* Codes of 0 and 3 are -128 and 127, by a scale of 1/85. */
static inline void quantize_rows(struct dg_xnn_shape shape)
{
    begin("Convert");
    node.out[0] = (struct dg_xnn_operand){
        .type = DG_TYPE_I8, .quantized = DG_XNN_BY_SLICE, .n_inner = 1};
    input(DG_TYPE_F32, shape, VALUES(0, 3, -1, 0));
    ck_assert_int_eq(run(), DG_OK);
    ck_assert_int_eq(node.results[0].kind, DG_ARG_LIST);
}

/* Four bits: codes 9 and 6 are 1 and -2, the first one low; two blocks of one column.
 */
static inline void linear_of_rows(bool grouped, int64_t n)
{
    static const float group_scales[] = {1, 0.5f};
    struct dg_arg row;
    struct dg_xnn_operand *filter;

    quantize_rows(SHAPE(2, n));
    row = node.results[0];
    begin("FullyConnected");
    input(DG_TYPE_I8, SHAPE(1), VALUES(0));
    dg_arg_drop(&node.args[0]);
    node.args[0] = row;
    node.in[0].quantized = DG_XNN_BY_SLICE;
    node.in[0].n_inner = 1;
    filter = input(DG_TYPE_U8, SHAPE(1, 1), VALUES(0x69));
    filter->four_bits = filter->constant = true;
    filter->shape = SHAPE(1, n);
    filter->quantized = grouped ? DG_XNN_BY_GROUP : DG_XNN_BY_CHANNEL;
    filter->scales = group_scales;
    filter->n_scales = grouped ? 2 : 1;
    filter->group_size = 1;
    input(DG_TYPE_F32, SHAPE(1), VALUES(0.25));
}

#endif
