/* Nodes of XNNPACK survive any arguments. */
#include <stdlib.h>

#include "unit/xnnpack_node.h"

static int64_t any_size(void)
{
    return rand() % 5 ? rand() % 4 : rand() % 2 ? 0 : (int64_t)rand() << (rand() % 20);
}

static struct dg_xnn_shape any_shape(int64_t most)
{
    struct dg_xnn_shape shape = {.rank = rand() % 3 ? 4 : rand() % (DG_XNN_RANK + 1)};

    for (int i = 0; i < shape.rank; i++)
        shape.sizes[i] = most ? rand() % most : any_size();
    return shape;
}

static void any_quantization(struct dg_xnn_operand *operand)
{
    static const float scales[] = {1, 0.5f, 0.25f, 1e-9f, 1e9f, 0};

    operand->quantized = rand() % 2 ? 0 : rand() % 5;
    operand->scale = scales[rand() % 6];
    operand->zero_point = rand() % 3 ? 0 : rand() % 256 - 128;
    operand->scales = scales;
    operand->n_scales = rand() % 7;
    operand->group_size = rand() % 4;
    operand->n_inner = rand() % 4;
    operand->four_bits = operand->type == DG_TYPE_U8 && rand() % 2;
    operand->constant = rand() % 2;
}

static void any_numbers(void)
{
#define NUMBER(field, name, other) node.step.node.field = any_size();
    DG_XNN_NUMBERS(NUMBER)
#undef NUMBER
#define LIST(field, name) node.step.node.field = any_shape(0);
    DG_XNN_LISTS(LIST)
#undef LIST
    node.step.node.flags = (uint32_t)rand() % 16;
    node.step.real = rand() % 3;
    if (rand() % 2)
        node.step.least = rand() % 2;
}

static void any_call(const char *kind)
{
    static const enum dg_type types[] = {DG_TYPE_F32, DG_TYPE_F32, DG_TYPE_I8,
                                         DG_TYPE_U8,  DG_TYPE_F16, DG_TYPE_I32};
    double values[6 * 6 * 6 * 6 * 6 * 6 / 8] = {0};
    enum dg_type type = types[rand() % 6];

    begin(kind);
    any_numbers();
    for (size_t i = 0; i < 64; i++)
        values[i] = rand() % 7 - 3;
    for (int n = rand() % (DG_XNN_INPUTS + 1); n > 0; n--)
        any_quantization(
            input(rand() % 4 ? type : types[rand() % 6], any_shape(4), values));
    node.out[0].type = rand() % 4 ? type : types[rand() % 6];
    node.out[1].type = DG_TYPE_I32;
    node.step.n_outputs = 1 + rand() % 2;
    any_quantization(&node.out[0]);
    node.precision = (enum dg_precision)(rand() % 2);
    run();
    drop();
}

START_TEST(nodes_survive_any_arguments)
{
    dg_host_memory.limit = 1 << 24;
    srand(1);
    for (int round = 0; round < 300; round++) {
        for (const struct dg_xnn_kernel *row = dg_xnn_kernels; row->kernel.op; row++)
            any_call(row->kernel.op + strlen("xnnpack::"));
    }
    dg_host_memory.limit = 0;
    ck_assert_uint_eq(dg_host_memory.used, 0);
}

/* One thing of a right node becomes anything. */
static void spoil_node(void)
{
    struct dg_xnn_operand *operand = &node.in[rand() % DG_XNN_INPUTS];
    int64_t *const numbers[] = {
#define NUMBER(field, name, other) &node.step.node.field,
        DG_XNN_NUMBERS(NUMBER)
#undef NUMBER
    };

    switch (rand() % 4) {
    case 0:
        *numbers[(size_t)rand() % (sizeof(numbers) / sizeof(*numbers))] = any_size();
        break;
    case 1:
        any_quantization(operand);
        break;
    case 2:
        operand->shape = any_shape(4);
        break;
    default:
        operand = &node.in[rand() % node.step.node.n_inputs];
        dg_arg_drop(&node.args[operand - node.in]);
        node.args[operand - node.in] = (struct dg_arg){
            DG_ARG_TENSOR,
            {.tensor = tensor(operand->type, any_shape(4), (double[256]){0})}};
    }
}

static void right_convolution(const char *kind, enum dg_type type)
{
    begin(kind);
    node.step.node.height = node.step.node.width = 2;
    node.step.node.down = node.step.node.across = 1;
    node.step.node.apart = node.step.node.aside = 1;
    node.step.node.groups = node.step.node.group_outputs = 1;
    node.step.node.group_inputs = 1;
    node.out[0].type = type;
    input(type, SHAPE(1, 2, 2, 1), VALUES(1, 2, 3, 4));
    input(type, SHAPE(1, 2, 2, 1), VALUES(1, 0, 1, 0));
    input(type, SHAPE(1), VALUES(1));
    node.precision = (enum dg_precision)(rand() % 2 ? DG_PRECISION_OWN_SUMS : 0);
}

START_TEST(nodes_with_one_fault_survive)
{
    static const char *const kinds[] = {"Conv2d", "DepthwiseConv2d", "ConvTranspose2d",
                                        "AvgPooling2d", "MaxPooling2d"};

    srand(2);
    for (int round = 0; round < 4000; round++) {
        if (rand() % 2) {
            linear_of_rows(rand() % 2, 2);
        } else {
            right_convolution(kinds[rand() % 5],
                              rand() % 2 ? DG_TYPE_F32 : DG_TYPE_F16);
            if (strstr(node.step.node.op.data, "Pool"))
                node.step.node.n_inputs = 1;
        }
        dg_host_memory.limit = 1 << 24;
        spoil_node();
        run();
        dg_host_memory.limit = 0;
        drop();
    }
    ck_assert_uint_eq(dg_host_memory.used, 0);
}

Suite *xnnpack_any_suite(void)
{
    Suite *suite = suite_create("xnnpack any");
    TCase *all = tcase_create("all");

    tcase_add_test(all, nodes_with_one_fault_survive);
    tcase_add_test(all, nodes_survive_any_arguments);
    suite_add_tcase(suite, all);
    return suite;
}
