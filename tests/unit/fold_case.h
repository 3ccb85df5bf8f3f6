/* A graph of modules, and the boxes that its picture has. */
#ifndef DG_TESTS_FOLD_CASE_H
#define DG_TESTS_FOLD_CASE_H

#include "reports/views/view.h"
#include "unit/pictures.h"
#include "unit/suite.h"
#include <string.h>

static struct dg_program program;

static struct dg_store *store;

static struct dg_picture picture;

static struct dg_error err;

static inline void begin(void)
{
    program = (struct dg_program){.kind = "pt2", .version = dg_text("{}")};
    dg_add_method(&program)->name = dg_text("forward");
    program.methods->ir = "aten";
    dg_add_graph(&program)->path = dg_text("");
    program.graphs->kind = "method";
    picture = (struct dg_picture){0};
    err = (struct dg_error){0};
}

static inline void finish(void)
{
    dg_picture_clear(&picture);
    dg_store_close(store);
    dg_program_clear(&program);
}

static inline int64_t add_value(const char *dtype, const char *shape)
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

static inline int64_t add_node(const char *op, const char *dtype, const char *shape)
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

static inline void add_edge(int64_t src, int64_t dst, int64_t pos)
{
    struct dg_edge_row *edge = dg_add_edge(&program);

    edge->dst = dst;
    edge->pos = pos;
    edge->src = src;
    edge->value = program.nodes[src].value;
}

/* `op` reads the node before it. */
static inline int64_t then(const char *op, const char *dtype, const char *shape)
{
    int64_t node = add_node(op, dtype, shape);

    add_edge(node - 1, node, 0);
    return node;
}

static inline void save(void)
{
    static const char bytes[] = "file";
    struct dg_file file = {.path = "folder/model.pt2",
                           .bytes = {(const uint8_t *)bytes, sizeof(bytes)}};

    ck_assert_int_eq(dg_store_create(&store, &err), DG_OK);
    ck_assert_msg(!dg_store_add_program(store, &program, &file, &err), "%s", err.text);
}

static inline void look(const struct dg_view_options *options)
{
    dg_picture_clear(&picture);
    ck_assert_msg(!dg_view_graph.build(&picture, store, options, &err), "%s", err.text);
}

static inline void draw(const struct dg_view_options *options)
{
    save();
    look(options);
}

static inline size_t n_drawn(void)
{
    size_t count = 0;

    for (size_t i = 0; i < picture.n_boxes; i++)
        count += picture.boxes[i].drawn;
    return count;
}

static inline const struct dg_box *find(const char *name)
{
    for (size_t i = 0; i < picture.n_boxes; i++)
        if (dg_text_is(picture.boxes[i].name, name) ||
            (!picture.boxes[i].node && dg_text_is(picture.boxes[i].title, name)))
            return &picture.boxes[i];
    ck_abort_msg("no box %s", name);
    return NULL;
}

static inline bool says(const struct dg_box *box, const char *words)
{
    for (const struct dg_line *line = box->lines; line; line = line->next)
        if (strstr(line->text.data, words))
            return true;
    return false;
}

static inline bool linked(const char *from, const char *to)
{
    const struct dg_box *a = find(from), *b = find(to);

    for (size_t i = 0; i < picture.n_links; i++)
        if (&picture.boxes[picture.links[i].from] == a &&
            &picture.boxes[picture.links[i].to] == b)
            return true;
    return false;
}

/* Six operators in a row, without a module. */
static inline void add_stretches(int count)
{
    static const char *const ops[] = {"aten::linear.default", "aten::relu.default",
                                      "aten::sin.default",    "aten::cos.default",
                                      "aten::tanh.default",   "aten::neg.default"};

    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof(ops) / sizeof(*ops); k++)
            then(ops[k], "f32", "[1,8]");
}

#endif
