/* Modules that repeat are one box. */
#include "unit/fold_case.h"

static void put_in(int64_t node, const char *module)
{
    struct dg_text name = {dg_copy(&program.memory, dg_text(module)), strlen(module)};

    program.nodes[node].module = dg_intern_module(&program, name, dg_text("Layer"));
}

/* A block of a linear, an activation and a sum over the block. */
static void add_block(const char *module, const char *activation, const char *dtype)
{
    int64_t before = (int64_t)program.n_nodes - 1;
    int64_t first = then("aten::linear.default", dtype, "[1,8]");
    int64_t sum;

    then(activation, dtype, "[1,8]");
    sum = then("aten::add.Tensor", dtype, "[1,8]");
    add_edge(before, sum, 1);
    for (int64_t i = first; i <= sum; i++)
        put_in(i, module);
}

static void add_blocks(const char *prefix, int begin_at, int end)
{
    for (int i = begin_at; i < end; i++)
        add_block(dg_format(&program.memory, "%s.%d", prefix, i).data,
                  "aten::relu.default", "f32");
}

START_TEST(modules_that_repeat_another_are_one_box)
{
    const struct dg_box *block;

    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_blocks("layers", 0, 32);
    then("aten::linear.default", "f32", "[1,64]");
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 6);
    block = find("layers.1 \xe2\x80\xa6 layers.31");
    ck_assert_int_eq(block->kind, DG_BOX_BLOCK);
    ck_assert_uint_eq(block->n_repeats, 31);
    ck_assert_uint_eq(block->n_nodes, 93);
    ck_assert(says(block, "31 times the same as") && says(block, "layers.0"));
    ck_assert_str_eq(block->command.data, "--module layers.1");
    ck_assert(linked("n4", "layers.1 \xe2\x80\xa6 layers.31"));
    ck_assert(linked("layers.1 \xe2\x80\xa6 layers.31", "n98"));
    finish();
}

START_TEST(a_few_equal_modules_are_drawn_in_full)
{
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_blocks("layers", 0, 3);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 10);
    finish();
}

START_TEST(without_folds_every_module_is_drawn)
{
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_blocks("layers", 0, 32);
    draw(&(struct dg_view_options){.no_fold = true});
    ck_assert_uint_eq(n_drawn(), 97);
    finish();
}

START_TEST(a_module_that_differs_is_drawn_and_says_in_what)
{
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_blocks("h", 0, 5);
    add_block("h.5", "aten::gelu.default", "f32");
    add_blocks("h", 6, 10);
    draw(&(struct dg_view_options){0});
    find("h.1 \xe2\x80\xa6 h.4");
    find("h.6 \xe2\x80\xa6 h.9");
    ck_assert(find("n18")->drawn);
    ck_assert(says(find("n18"), "\xe2\x89\xa0 h.0: aten::relu.default"));
    ck_assert_uint_eq(n_drawn(), 9);
    finish();
}

START_TEST(a_module_of_another_dtype_does_not_repeat)
{
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_blocks("h", 0, 5);
    add_block("h.5", "aten::relu.default", "f16");
    draw(&(struct dg_view_options){0});
    ck_assert(says(find("n17"), "\xe2\x89\xa0 h.0: f32[1,8]"));
    finish();
}

START_TEST(modules_inside_repeated_modules_fold_too)
{
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    for (int i = 0; i < 6; i++)
        add_blocks(dg_format(&program.memory, "stages.%d.experts", i).data, 0, 8);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 1 + 3 + 1 + 1);
    find("experts.1 \xe2\x80\xa6 experts.7");
    find("stages.1 \xe2\x80\xa6 stages.5");
    finish();
}

START_TEST(a_fold_quotes_hostile_names_in_its_command)
{
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_blocks("it's $(x)", 0, 5);
    draw(&(struct dg_view_options){.path = "'my model.pt2'"});
    ck_assert_str_eq(find("it's $(x).1 \xe2\x80\xa6 it's $(x).4")->command.data,
                     "--module 'it'\\''s $(x).1'");
    ck_assert_uint_ge(picture.n_hints, 1);
    ck_assert_ptr_nonnull(
        strstr(picture.hints[0].data, "delegraph dot 'my model.pt2' --module 'it'"));
    finish();
}

START_TEST(a_module_is_drawn_with_what_it_is_linked_to)
{
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_blocks("layers", 0, 32);
    draw(&(struct dg_view_options){.module = "layers.3"});
    ck_assert_uint_eq(n_drawn(), 6);
    ck_assert(find("n11")->drawn && find("n13")->drawn);
    ck_assert_uint_eq(find("n10")->n_outside, 2);
    finish();
}

START_TEST(an_unknown_module_names_the_nearest)
{
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_blocks("layers", 0, 2);
    save();
    ck_assert_int_eq(dg_view_graph.build(&picture, store,
                                         &(struct dg_view_options){.module = "layer.1"},
                                         &err),
                     DG_ERR_USAGE);
    ck_assert_str_eq(err.text, "no module 'layer.1'; did you mean 'layers.1'?");
    finish();
}

START_TEST(a_program_of_100000_nodes_folds_in_linear_time)
{
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    for (int i = 0; i < 100; i++)
        add_blocks(dg_format(&program.memory, "stages.%d.layers", i).data, 0, 333);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_le(n_drawn(), 10);
    finish();
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    for (int i = 0; i < 33333; i++)
        add_block(dg_format(&program.memory, "layers.%d", i).data,
                  i % 7 ? "aten::relu.default" : "aten::gelu.default", "f32");
    draw(&(struct dg_view_options){0});
    ck_assert_uint_le(n_drawn(), 300);
    finish();
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_stretches(16666);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_le(n_drawn(), 10);
    finish();
}

Suite *fold_suite(void)
{
    Suite *suite = suite_create("fold");
    TCase *tests = tcase_create("modules");

    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, modules_that_repeat_another_are_one_box);
    tcase_add_test(tests, a_few_equal_modules_are_drawn_in_full);
    tcase_add_test(tests, without_folds_every_module_is_drawn);
    tcase_add_test(tests, a_module_that_differs_is_drawn_and_says_in_what);
    tcase_add_test(tests, a_module_of_another_dtype_does_not_repeat);
    tcase_add_test(tests, modules_inside_repeated_modules_fold_too);
    tcase_add_test(tests, a_fold_quotes_hostile_names_in_its_command);
    tcase_add_test(tests, a_module_is_drawn_with_what_it_is_linked_to);
    tcase_add_test(tests, an_unknown_module_names_the_nearest);
    tcase_add_test(tests, a_program_of_100000_nodes_folds_in_linear_time);
    suite_add_tcase(suite, tests);
    return suite;
}
