/* Norms that lowering makes part of what is before them. */
#include "unit/match_chain.h"

/* An item of the list that step `list` of the program gives. */
static void add_item(uint32_t list, int64_t number)
{
    size_t i = program.schedule.n_steps;
    struct dg_step *step = add(&program);

    program.weighed[i][0] =
        (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = list + 1};
    program.weighed[i][1] = (struct dg_operand){
        .kind = DG_OPERAND_LITERAL, .literal = {DG_ARG_INT, {.integer = number}}};
    step->kind = DG_STEP_ITEM;
    step->op = "_operator.getitem";
    step->args = program.weighed[i];
    step->n_args = 2;
}

START_TEST(a_norm_is_part_of_the_convolution_before_it)
{
    begin_both();
    add_op("aten::conv2d");
    add_op("aten::batch_norm");
    add_node("StaticTranspose", 0);
    add_node("Conv2d", 1);
    add_node("StaticTranspose", 0);
    expect("-1");
}

START_TEST(a_norm_is_part_of_the_product_before_it_whatever_its_kind)
{
    static const char *const kinds[][2] = {
        {"aten::conv_transpose2d.input", "ConvTranspose2d"},
        {"aten::convolution", "DepthwiseConv2d"},
        {"aten::linear", "FullyConnected"},
        {"aten::addmm", "FullyConnected"}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        begin_both();
        add_op(kinds[i][0]);
        add_op("aten::batch_norm");
        add_op("aten::relu");
        add_node(kinds[i][1], 1)->least = 0;
        expect("--0");
    }
}

/* A norm that is a convolution of single pixels, as a pass makes it. */
static void add_norm_node(void)
{
    struct dg_xnn_step *node = add_node("DepthwiseConv2d", 0);

    node->node.height = node->node.width = 1;
}

START_TEST(a_norm_with_a_node_of_its_own_is_no_part_of_what_is_before_it)
{
    begin_both();
    add_op("aten::conv2d");
    add_op("aten::batch_norm");
    add_op("aten::sigmoid");
    add_node("Conv2d", 1);
    add_node("StaticTranspose", 0);
    add_norm_node();
    add_node("Sigmoid", 3);
    expect("023");
}

START_TEST(a_norm_before_a_convolution_without_a_number_is_part_of_the_one_before_it)
{
    begin_both();
    add_op("aten::conv2d");
    add_op("aten::batch_norm");
    add_op("aten::conv2d");
    add_op("aten::sigmoid");
    add_node("Conv2d", 1);
    add_norm_node();
    add_node("Sigmoid", 4);
    lowered.nodes[1].node.width = 3;
    expect("-012");
}

START_TEST(of_two_norms_the_one_without_a_node_is_part_of_what_is_before_it)
{
    begin_both();
    add_op("aten::convolution");
    add_op("aten::_native_batch_norm_legit_no_training");
    add_item(1, 0);
    add_op("aten::_native_batch_norm_legit_no_training");
    add_item(3, 0);
    add_node("Conv2d", 1);
    add_norm_node();
    expect("--0-1");
    add_norm_node();
    expect("0-1-2");
}

START_TEST(a_norm_is_no_part_of_what_sums_no_products)
{
    begin_both();
    add_op("aten::sigmoid");
    add_op("aten::batch_norm");
    add_node("Sigmoid", 1);
    expect("0-");
}

/* It gives a list, of which only the first item is read. */
START_TEST(a_norm_that_was_decomposed_is_part_of_the_convolution_before_it)
{
    begin_both();
    add_op("aten::convolution");
    add_op("aten::_native_batch_norm_legit_no_training");
    add_item(1, 0);
    add_item(1, 1);
    add_op("aten::relu");
    program.args[4].slot = 3;
    add_node("Conv2d", 1)->least = 0;
    expect("----0");
    lowered.nodes[0].least = -INFINITY;
    expect("--0--");
}

START_TEST(a_norm_whose_statistics_are_read_is_not_taken)
{
    begin_both();
    add_op("aten::convolution");
    add_op("aten::_native_batch_norm_legit_no_training");
    add_item(1, 1);
    add_node("Conv2d", 1);
    expect("-0-");
}

START_TEST(a_norm_behind_an_activation_is_not_taken)
{
    begin_both();
    add_op("aten::conv2d");
    add_op("aten::relu");
    add_op("aten::batch_norm");
    add_node("Conv2d", 1)->least = 0;
    expect("-0-");
}

Suite *match_norms_suite(void)
{
    Suite *suite = suite_create("match norms");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_norm_is_part_of_the_convolution_before_it);
    tcase_add_test(all, a_norm_is_part_of_the_product_before_it_whatever_its_kind);
    tcase_add_test(all, a_norm_with_a_node_of_its_own_is_no_part_of_what_is_before_it);
    tcase_add_test(
        all, a_norm_before_a_convolution_without_a_number_is_part_of_the_one_before_it);
    tcase_add_test(all,
                   of_two_norms_the_one_without_a_node_is_part_of_what_is_before_it);
    tcase_add_test(all, a_norm_is_no_part_of_what_sums_no_products);
    tcase_add_test(all,
                   a_norm_that_was_decomposed_is_part_of_the_convolution_before_it);
    tcase_add_test(all, a_norm_whose_statistics_are_read_is_not_taken);
    tcase_add_test(all, a_norm_behind_an_activation_is_not_taken);
    suite_add_tcase(suite, all);
    return suite;
}
