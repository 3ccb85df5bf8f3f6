/* What a picture of nodes folds: repeated modules and chains of views. */
#include <string.h>

#include "reports/views/view.h"
#include "unit/pictures.h"
#include "unit/suite.h"

static struct dg_program program;
static struct dg_store *store;
static struct dg_picture picture;
static struct dg_error err;

static void begin(void)
{
    program = (struct dg_program){.kind = "pt2", .version = dg_text("{}")};
    dg_add_method(&program)->name = dg_text("forward");
    program.methods->ir = "aten";
    dg_add_graph(&program)->path = dg_text("");
    program.graphs->kind = "method";
    picture = (struct dg_picture){0};
    err = (struct dg_error){0};
}

static void finish(void)
{
    dg_picture_clear(&picture);
    dg_store_close(store);
    dg_program_clear(&program);
}

static int64_t add_value(const char *dtype, const char *shape)
{
    struct dg_value_row *value = dg_add_value(&program);
    struct dg_value_type *type = dg_alloc(&program.memory, 1, sizeof(*type));

    *type = (struct dg_value_type){.dtype = dtype,
                                   .shape = dg_text(shape),
                                   .device = dg_text("cpu"),
                                   .nbytes = 4096,
                                   .requires_grad = DG_NONE};
    value->graph = 0;
    value->idx = (int64_t)program.n_values - 1;
    value->kind = "tensor";
    value->type = type;
    return value->idx;
}

static int64_t add_node(const char *op, const char *dtype, const char *shape)
{
    struct dg_node_row *node = dg_add_node(&program);
    int64_t index = (int64_t)program.n_nodes - 1;

    node->graph = 0;
    node->idx = index;
    node->name = dg_format(&program.memory, "n%d", (int)index + 1);
    node->kind = "call_function";
    node->op = dg_intern_op(&program, dg_text(op));
    node->value = add_value(dtype, shape);
    return index;
}

static void add_edge(int64_t src, int64_t dst, int64_t pos)
{
    struct dg_edge_row *edge = dg_add_edge(&program);

    edge->dst = dst;
    edge->pos = pos;
    edge->src = src;
    edge->value = program.nodes[src].value;
}

/* `op` reads the node before it. */
static int64_t then(const char *op, const char *dtype, const char *shape)
{
    int64_t node = add_node(op, dtype, shape);

    add_edge(node - 1, node, 0);
    return node;
}

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

static void save(void)
{
    static const char bytes[] = "file";
    struct dg_file file = {.path = "folder/model.pt2",
                           .bytes = {(const uint8_t *)bytes, sizeof(bytes)}};

    ck_assert_int_eq(dg_store_create(&store, &err), DG_OK);
    ck_assert_msg(!dg_store_add_program(store, &program, &file, &err), "%s", err.text);
}

static void look(const struct dg_view_options *options)
{
    dg_picture_clear(&picture);
    ck_assert_msg(!dg_view_graph.build(&picture, store, options, &err), "%s", err.text);
}

static void draw(const struct dg_view_options *options)
{
    save();
    look(options);
}

static size_t n_drawn(void)
{
    size_t count = 0;

    for (size_t i = 0; i < picture.n_boxes; i++)
        count += picture.boxes[i].drawn;
    return count;
}

static const struct dg_box *find(const char *name)
{
    for (size_t i = 0; i < picture.n_boxes; i++)
        if (dg_text_is(picture.boxes[i].name, name) ||
            (!picture.boxes[i].node && dg_text_is(picture.boxes[i].title, name)))
            return &picture.boxes[i];
    ck_abort_msg("no box %s", name);
    return NULL;
}

static bool says(const struct dg_box *box, const char *words)
{
    for (const struct dg_line *line = box->lines; line; line = line->next)
        if (strstr(line->text.data, words))
            return true;
    return false;
}

static bool linked(const char *from, const char *to)
{
    const struct dg_box *a = find(from), *b = find(to);

    for (size_t i = 0; i < picture.n_links; i++)
        if (&picture.boxes[picture.links[i].from] == a &&
            &picture.boxes[picture.links[i].to] == b)
            return true;
    return false;
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

START_TEST(a_chain_of_views_is_a_line_of_its_reader)
{
    begin();
    add_node("aten::relu.default", "f32", "[1,8]");
    then("aten::view.default", "f32", "[8]");
    then("aten::permute.default", "f32", "[8]");
    then("aten::unsqueeze.default", "f32", "[1,8]");
    then("aten::sin.default", "f32", "[1,8]");
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 2);
    ck_assert(says(find("n5"), "view, permute, unsqueeze \xe2\x86\x92 [1,8]"));
    ck_assert(linked("n1", "n5"));
    ck_assert_uint_eq(picture.n_views, 3);
    look(&(struct dg_view_options){.around = "n3", .hops = 1});
    ck_assert_uint_eq(n_drawn(), 3);
    look(&(struct dg_view_options){.no_fold = true});
    ck_assert_uint_eq(n_drawn(), 5);
    finish();
}

START_TEST(a_view_that_is_read_twice_keeps_its_box)
{
    begin();
    add_node("aten::relu.default", "f32", "[1,8]");
    then("aten::view.default", "f32", "[8]");
    then("aten::sin.default", "f32", "[8]");
    add_edge(1, then("aten::add.Tensor", "f32", "[8]"), 1);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 4);
    finish();
}

START_TEST(a_cast_keeps_its_box)
{
    begin();
    add_node("aten::relu.default", "f32", "[1,8]");
    then("aten::to.dtype", "f16", "[1,8]");
    then("aten::sin.default", "f16", "[1,8]");
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 3);
    finish();
}

START_TEST(views_that_feed_each_other_keep_their_boxes)
{
    begin();
    add_node("aten::view.default", "f32", "[8]");
    add_edge(1, 0, 0);
    then("aten::view.default", "f32", "[8]");
    draw(&(struct dg_view_options){.around = "n1"});
    ck_assert_uint_ge(n_drawn(), 1);
    finish();
}

START_TEST(a_label_knows_size_and_shape)
{
    begin();
    add_node("aten::relu.default", "f32", "[1,8]");
    draw(&(struct dg_view_options){0});
    ck_assert_int_eq(find("n1")->nbytes, 4096);
    finish();
}

/* Six operators in a row, without a module. */
static void add_stretches(int count)
{
    static const char *const ops[] = {"aten::linear.default", "aten::relu.default",
                                      "aten::sin.default",    "aten::cos.default",
                                      "aten::tanh.default",   "aten::neg.default"};

    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof(ops) / sizeof(*ops); k++)
            then(ops[k], "f32", "[1,8]");
}

START_TEST(a_sequence_that_repeats_is_one_box)
{
    const struct dg_box *block;

    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_stretches(20);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 8);
    block = find("n8 \xe2\x80\xa6 n116");
    ck_assert_uint_eq(block->n_repeats, 19);
    ck_assert(says(block, "19 times the same as") && says(block, "19 \xc3\x97 linear"));
    ck_assert_str_eq(block->command.data, "--around n8");
    finish();
}

START_TEST(a_short_sequence_is_drawn_in_full)
{
    begin();
    add_node("aten::embedding.default", "f32", "[1,8]");
    add_stretches(5);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 31);
    finish();
}

/* A delegate that was made from `n_inside` operators, and a sequence behind it. */
static void given_lowered(int n_inside)
{
    int64_t attr, call;

    begin();
    attr = add_node("aten::relu.default", "f32", "[1,8]");
    program.nodes[attr].kind = "get_attr";
    program.nodes[attr].op = DG_NONE;
    program.nodes[attr].target = dg_text("lowered_module_0");
    call = add_node("higher_order::executorch_call_delegate", "f32", "[1,8]");
    add_edge(attr, call, 0);
    dg_add_graph(&program)->path = dg_text("lowered_module_0");
    program.graphs[1].kind = "lowered";
    for (int i = 0; i < n_inside; i++) {
        int64_t node = add_node("aten::sin.default", "f32", "[1,8]");

        program.nodes[node].graph = 1;
        program.values[program.nodes[node].value].graph = 1;
    }
}

START_TEST(a_large_lowered_graph_is_drawn_as_its_delegate)
{
    given_lowered(70);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 1);
    ck_assert(says(find("n2"), "70 \xc3\x97 sin"));
    ck_assert_str_eq(find("n2")->command.data, "--graph lowered_module_0");
    look(&(struct dg_view_options){.no_fold = true});
    ck_assert_uint_eq(n_drawn(), 71);
    finish();
}

START_TEST(a_small_lowered_graph_is_drawn_in_full)
{
    given_lowered(5);
    draw(&(struct dg_view_options){0});
    ck_assert_uint_eq(n_drawn(), 6);
    finish();
}

/* Frame 1 and box 1 are not the same. */
START_TEST(a_link_to_a_frame_is_none_to_the_box_of_its_number)
{
    size_t call, item, user, n_graph_links = 0;

    begin_picture(&picture);
    call = put_box(&picture, 0, dg_text("call"));
    item = put_box(&picture, 0, dg_text("getitem"));
    picture.boxes[item].fold = DG_FOLD_ITEM;
    user = put_box(&picture, 0, dg_text("sin"));
    ck_assert_uint_eq(dg_picture_add_frame(&picture, DG_FRAME_LOWERED, 0, dg_text("x")),
                      item);
    dg_picture_add_link(&picture, user, item)->kind = DG_LINK_GRAPH;
    dg_picture_add_link(&picture, call, item);
    dg_picture_add_link(&picture, item, user);
    dg_picture_fold(&picture);
    for (size_t i = 0; i < picture.n_links; i++)
        n_graph_links += picture.links[i].kind == DG_LINK_GRAPH;
    ck_assert_uint_eq(n_graph_links, 1);
    ck_assert(!picture.boxes[item].drawn);
    ck_assert_uint_eq(picture.n_links, 2);
    dg_picture_clear(&picture);
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

static TCase *views(void)
{
    TCase *tests = tcase_create("views");

    tcase_add_test(tests, a_chain_of_views_is_a_line_of_its_reader);
    tcase_add_test(tests, a_view_that_is_read_twice_keeps_its_box);
    tcase_add_test(tests, a_cast_keeps_its_box);
    tcase_add_test(tests, views_that_feed_each_other_keep_their_boxes);
    tcase_add_test(tests, a_label_knows_size_and_shape);
    return tests;
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
    tcase_add_test(tests, a_sequence_that_repeats_is_one_box);
    tcase_add_test(tests, a_short_sequence_is_drawn_in_full);
    tcase_add_test(tests, a_large_lowered_graph_is_drawn_as_its_delegate);
    tcase_add_test(tests, a_small_lowered_graph_is_drawn_in_full);
    tcase_add_test(tests, a_link_to_a_frame_is_none_to_the_box_of_its_number);
    tcase_add_test(tests, a_program_of_100000_nodes_folds_in_linear_time);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, views());
    return suite;
}
