/* Pictures: whatever a file holds, they stay small, readable text. */
#include <cgraph.h>
#include <stdlib.h>
#include <string.h>

#include "unit/pictures.h"
#include "unit/suite.h"

static struct dg_program program;
static struct dg_store *store;
static struct dg_writer text;
static struct dg_error err;

static void begin(void)
{
    program = (struct dg_program){.kind = "pt2", .version = dg_text("{}")};
    dg_add_method(&program)->name = dg_text("forward");
    program.methods->ir = "aten";
    dg_add_graph(&program)->path = dg_text("");
    program.graphs->kind = "method";
    text = (struct dg_writer){0};
    err = (struct dg_error){0};
}

static void finish(void)
{
    dg_store_close(store);
    dg_program_clear(&program);
    dg_writer_clear(&text);
}

static int64_t add_node(struct dg_text name, const char *kind, struct dg_text op)
{
    struct dg_node_row *node = dg_add_node(&program);
    int64_t index = (int64_t)program.n_nodes - 1;

    node->graph = 0;
    node->idx = index;
    node->name = name;
    node->kind = kind;
    node->target = name;
    node->op = op.data ? dg_intern_op(&program, op) : DG_NONE;
    return index;
}

static void add_edge(int64_t dst, int64_t pos, int64_t src)
{
    struct dg_edge_row *edge = dg_add_edge(&program);

    edge->dst = dst;
    edge->pos = pos;
    edge->src = src;
}

static enum dg_status draw(const struct dg_view_options *options)
{
    static const char bytes[] = "file";
    struct dg_file file = {.path = "folder/model.pt2",
                           .bytes = {(const uint8_t *)bytes, sizeof(bytes)}};

    ck_assert_int_eq(dg_store_create(&store, &err), DG_OK);
    ck_assert_msg(!dg_store_add_program(store, &program, &file, &err), "%s", err.text);
    return write_graph(&text, store, options, &err);
}

static Agraph_t *parse(void)
{
    Agraph_t *graph = agmemread(text.data);

    ck_assert_msg(graph != NULL, "not Graphviz text: %s", text.data);
    return graph;
}

static const char *label_of(Agraph_t *graph, const char *id)
{
    Agnode_t *node = agnode(graph, (char *)id, 0);

    ck_assert_ptr_nonnull(node);
    return agget(node, (char *)"label");
}

static void check_label(const char *name, size_t size, const char *expected)
{
    Agraph_t *graph;
    struct dg_text node = {name, size};

    begin();
    add_node(node, "call_function", node);
    ck_assert_int_eq(draw(&(struct dg_view_options){0}), DG_OK);
    graph = parse();
    ck_assert_str_eq(label_of(graph, "n1"), expected);
    ck_assert(!aghtmlstr((char *)label_of(graph, "n1")));
    agclose(graph);
    finish();
}

START_TEST(dot_labels_hold_hostile_names_as_text)
{
    check_label("a\"b", 3, "a\"b");
    check_label("end\\", 4, "end\\\\");
    check_label("\\\"", 2, "\\\\\"");
    check_label("\\N\\G\\n", 6, "\\\\N\\\\G\\\\n");
    check_label("two\nlines", 9, "two\\\\x0alines");
    check_label("<b>bold</b>", 11, "<b>bold</b>");
    check_label("&lt;", 4, "&amp;lt;");
    check_label("\x1b[31m", 5, "\\\\x1b[31m");
    check_label("graph { } ; -> [", 16, "graph { } ; -> [");
}

START_TEST(dot_labels_replace_what_is_not_utf8)
{
    struct dg_writer out = {0};

    dg_write_label(&out, (struct dg_text){"\xff\xc3", 2});
    ck_assert_str_eq(out.data, "\xef\xbf\xbd\xef\xbf\xbd");
    out.size = 0;
    dg_write_label(&out, (struct dg_text){"\xc2\x85\xef\xbf\xbf\xc3\xa9", 7});
    ck_assert_str_eq(out.data, "\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9");
    dg_writer_clear(&out);
}

START_TEST(dot_elides_the_middle_of_long_text)
{
    struct dg_arena memory = {0};
    struct dg_text text28 = dg_text("a.long.name.of.28.characters");
    struct dg_text text29 = dg_text("an.even.longer.name.\xc3\xa9.ends.here");

    ck_assert(dg_elide(&memory, text28, 28).data == text28.data);
    ck_assert_str_eq(dg_elide(&memory, text29, 11).data, "an.ev\xe2\x80\xa6.here");
    dg_arena_clear(&memory);
}

static struct dg_text numbered(const char *prefix, int number)
{
    return dg_format(&program.memory, "%s%d", prefix, number);
}

/* A chain of `n` operators, `per_module` in each module (0: none has a module). */
static void add_chain(int n, int per_module)
{
    struct dg_text op = dg_text("aten::relu.default");

    for (int i = 0; i < n; i++) {
        int64_t node = add_node(numbered("relu_", i), "call_function", op);

        if (per_module)
            program.nodes[node].module = dg_intern_module(
                &program, numbered("layers.", i / per_module), dg_text("Layer"));
        if (i)
            add_edge(node, 0, node - 1);
        if (i > 1)
            add_edge(node, 1, 0);
    }
}

static void check_collapse(int per_module, int max_boxes)
{
    Agraph_t *graph;

    begin();
    add_chain(20000, per_module);
    ck_assert_int_eq(
        draw(&(struct dg_view_options){.max_boxes = max_boxes, .no_fold = true}),
        DG_OK);
    graph = parse();
    ck_assert_int_le(agnnodes(graph), max_boxes ? max_boxes : 300);
    ck_assert_int_ge(agnnodes(graph), 8);
    ck_assert_ptr_nonnull(strstr(agget(graph, (char *)"label"), "are hidden in"));
    agclose(graph);
    finish();
}

START_TEST(dot_draws_20000_nodes_in_at_most_300_boxes)
{
    check_collapse(0, 0);
    check_collapse(10, 0);
    check_collapse(2000, 0);
    check_collapse(1, 0);
    check_collapse(7, 20);
}

START_TEST(dot_draws_a_small_program_whole)
{
    Agraph_t *graph;

    begin();
    add_chain(5, 2);
    ck_assert_int_eq(draw(&(struct dg_view_options){0}), DG_OK);
    graph = parse();
    ck_assert_int_eq(agnnodes(graph), 6); /* the legend has one */
    ck_assert_int_eq(agnedges(graph), 7);
    agclose(graph);
    finish();
}

START_TEST(dot_folds_getitem_into_arrows)
{
    Agraph_t *graph;
    int64_t split, item, relu;

    begin();
    split = add_node(dg_text("split"), "call_function", dg_text("aten::split.Tensor"));
    item = add_node(dg_text("getitem"), "call_function", dg_text("_operator.getitem"));
    program.nodes[item].args = dg_text("[{\"name\":\"\",\"tensor\":\"split\"},"
                                       "{\"name\":\"\",\"int\":1}]");
    relu = add_node(dg_text("relu"), "call_function", dg_text("aten::relu.default"));
    add_edge(item, 0, split);
    add_edge(relu, 0, item);
    ck_assert_int_eq(draw(&(struct dg_view_options){0}), DG_OK);
    graph = parse();
    ck_assert_ptr_null(agnode(graph, (char *)"n2", 0));
    ck_assert_ptr_nonnull(agedge(graph, agnode(graph, (char *)"n1", 0),
                                 agnode(graph, (char *)"n3", 0), NULL, 0));
    ck_assert_ptr_nonnull(strstr(text.data, "[1]\""));
    agclose(graph);
    finish();
}

START_TEST(dot_keeps_getitem_that_feed_each_other)
{
    int64_t a, b;

    begin();
    a = add_node(dg_text("a"), "call_function", dg_text("_operator.getitem"));
    b = add_node(dg_text("b"), "call_function", dg_text("_operator.getitem"));
    add_edge(a, 0, b);
    add_edge(b, 0, a);
    ck_assert_int_eq(draw(&(struct dg_view_options){0}), DG_OK);
    agclose(parse());
    finish();
}

START_TEST(dot_cuts_a_neighbourhood)
{
    struct dg_view_options options = {.around = "relu_500", .hops = 1};
    Agraph_t *graph;

    begin();
    add_chain(1000, 0);
    ck_assert_int_eq(draw(&options), DG_OK);
    graph = parse();
    ck_assert_ptr_nonnull(agnode(graph, (char *)"n500", 0));
    ck_assert_ptr_nonnull(agnode(graph, (char *)"n501", 0));
    ck_assert_ptr_nonnull(agnode(graph, (char *)"n502", 0));
    ck_assert_ptr_nonnull(agnode(graph, (char *)"n1", 0));
    ck_assert_int_eq(agnnodes(graph), 5);
    agclose(graph);
    finish();
}

START_TEST(dot_names_the_nearest_node_when_there_is_none)
{
    begin();
    add_chain(10, 0);
    ck_assert_int_eq(draw(&(struct dg_view_options){.around = "relu_44"}),
                     DG_ERR_USAGE);
    ck_assert_str_eq(err.text, "no node 'relu_44'; did you mean 'relu_4'?");
    finish();
}

START_TEST(dot_is_the_same_text_each_time)
{
    char *first;

    begin();
    add_chain(400, 3);
    ck_assert_int_eq(draw(&(struct dg_view_options){0}), DG_OK);
    first = strdup(text.data);
    text.size = 0;
    ck_assert_int_eq(write_graph(&text, store, &(struct dg_view_options){0}, &err),
                     DG_OK);
    ck_assert(strcmp(first, text.data) == 0);
    free(first);
    finish();
}

Suite *dot_suite(void)
{
    Suite *suite = suite_create("dot");
    TCase *tests = tcase_create("dot");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, dot_labels_hold_hostile_names_as_text);
    tcase_add_test(tests, dot_labels_replace_what_is_not_utf8);
    tcase_add_test(tests, dot_elides_the_middle_of_long_text);
    tcase_add_test(tests, dot_draws_20000_nodes_in_at_most_300_boxes);
    tcase_add_test(tests, dot_draws_a_small_program_whole);
    tcase_add_test(tests, dot_folds_getitem_into_arrows);
    tcase_add_test(tests, dot_keeps_getitem_that_feed_each_other);
    tcase_add_test(tests, dot_cuts_a_neighbourhood);
    tcase_add_test(tests, dot_names_the_nearest_node_when_there_is_none);
    tcase_add_test(tests, dot_is_the_same_text_each_time);
    suite_add_tcase(suite, tests);
    return suite;
}
