/* Synthetic programs of any size. */
#include "bench/grown.h"

#include <string.h>

#include "base/text.h"

enum { WINDOW = 64, PART = 100, RING = 80, ARENA = 1 << 20 };

static void add_method(struct dg_program *program, const char *kind, const char *ir)
{
    struct dg_method_row *method = dg_add_method(program);
    struct dg_graph_row *graph = dg_add_graph(program);

    program->kind = kind;
    program->version =
        dg_text("{\"schema\":\"8.20\",\"torch\":\"2.13.0\",\"program\":0,"
                "\"program_size\":1024,\"segment_base_offset\":1024,"
                "\"segment_data_size\":3072}");
    method->name = dg_text("forward");
    method->ir = ir;
    graph->method = 0;
    graph->path = dg_text("");
    graph->kind = "method";
}

#define TYPE                                                                           \
    .dtype = "f32", .shape = {"[1,16,16]", 9}, .device = {"cpu", 3}, .nbytes = 1024,   \
    .layout = "strided", .storage_offset = {.type = DG_INTEGER}
#define IN_ORDER .dim_order = {"[0,1,2]", 7}

static const struct dg_value_type in_graph = {TYPE, .strides = {"[256,16,1]", 10},
                                              .requires_grad = DG_NONE};
static const struct dg_value_type planned = {TYPE, IN_ORDER, .storage = "planned",
                                             .dynamism = "bounded"};
static const struct dg_value_type stored = {TYPE, IN_ORDER, .storage = "constant",
                                            .dynamism = "static",
                                            .requires_grad = DG_NONE};

static struct dg_value_row *add_tensor(struct dg_program *program,
                                       const struct dg_value_type *type)
{
    struct dg_value_row *value = dg_add_value(program);

    value->graph = 0;
    value->idx = (int64_t)program->n_values - 1;
    value->kind = "tensor";
    value->type = type;
    return value;
}

static void add_edge(struct dg_program *program, int64_t dst, int64_t pos, int64_t src,
                     int64_t value)
{
    struct dg_edge_row *edge = dg_add_edge(program);

    *edge = (struct dg_edge_row){dst, pos, src, value};
}

static void add_signature(struct dg_program *program, const char *direction,
                          int64_t value, const char *spec)
{
    struct dg_signature_row *row = dg_add_signature(program);

    row->graph = 0;
    row->direction = direction;
    row->pos = 0;
    row->name = program->values[value].name;
    row->kind = "tensor";
    row->spec = spec;
    row->value = value;
    row->value_idx = value;
    row->planned = spec ? DG_NONE : 1;
}

static struct dg_node_row *add_node(struct dg_program *program, const char *kind,
                                    const char *name)
{
    struct dg_node_row *node = dg_add_node(program);
    long long idx = (long long)program->n_nodes - 1;

    node->graph = 0;
    node->idx = idx;
    node->kind = kind;
    node->name = dg_format(&program->memory, "%s_%lld", name, idx);
    return node;
}

static void add_call(struct dg_program *program, int64_t idx)
{
    int64_t other = idx - 1 - idx * 7 % (idx < WINDOW ? idx : WINDOW);
    struct dg_node_row *node = add_node(program, "call_function", "add");
    const char *op = idx % 14 == 7 ? "aten::mul.Tensor" : "aten::add.Tensor";

    node->op = dg_intern_op(program, dg_text(op));
    node->args = dg_format(&program->memory,
                           "[{\"name\":\"self\",\"tensor\":\"%.*s\"},"
                           "{\"name\":\"other\",\"tensor\":\"%.*s\"}]",
                           (int)node[-1].name.size, node[-1].name.data,
                           (int)program->nodes[other].name.size,
                           program->nodes[other].name.data);
    node->module = dg_intern_module(
        program, dg_format(&program->memory, "layers.%lld", (long long)idx / PART),
        dg_text("torch.nn.Linear"));
    node->meta = dg_text("{\"torch_fn\":\"add_1;method_descriptor.add\"}");
    add_edge(program, idx, 0, idx - 1, idx - 1);
    add_edge(program, idx, 1, other, other);
}

static void make_graph(struct dg_program *program, int64_t count)
{
    add_method(program, "pt2", "aten");
    for (int64_t i = 0; i < count; i++) {
        if (i)
            add_call(program, i);
        else
            add_node(program, "placeholder", "x")->target = dg_text("x_0");
        add_tensor(program, &in_graph)->name = program->nodes[i].name;
        program->nodes[i].value = i;
    }
    add_node(program, "output", "output")->args = dg_format(
        &program->memory, "[{\"name\":\"\",\"tensor\":\"%.*s\"}]",
        (int)program->nodes[count - 1].name.size, program->nodes[count - 1].name.data);
    add_edge(program, count, 0, count - 1, count - 1);
    add_signature(program, "input", 0, "user_input");
    add_signature(program, "output", count - 1, "user_output");
}

static void plan_tensor(struct dg_program *program)
{
    struct dg_value_row *value = add_tensor(program, &planned);

    value->mem_id = 1;
    value->mem_offset = value->idx % RING * 1024;
}

static int64_t add_int(struct dg_program *program, int64_t scalar)
{
    struct dg_value_row *value = dg_add_value(program);

    value->graph = 0;
    value->idx = (int64_t)program->n_values - 1;
    value->kind = "int";
    value->scalar = (struct dg_any){.type = DG_INTEGER, .integer = scalar};
    return value->idx;
}

static void add_operands(struct dg_program *program, const int64_t *values, int64_t n)
{
    for (int64_t pos = 0; pos < n; pos++)
        *dg_add_operand(program) =
            (struct dg_operand_row){(int64_t)program->n_nodes - 1, pos, values[pos],
                                    values[pos], pos < n - 2 ? "read" : "write"};
}

static void begin_pte(struct dg_program *program)
{
    add_method(program, "pte", "pte");
    *dg_add_arena(program) = (struct dg_arena_row){0, 0, 0, dg_text("cpu")};
    *dg_add_arena(program) = (struct dg_arena_row){0, 1, ARENA, dg_text("cpu")};
    *dg_add_plan_operator(program) = (struct dg_plan_operator_row){
        0, 0, dg_intern_op(program, dg_text("aten::add.out"))};
    plan_tensor(program);
    add_signature(program, "input", 0, NULL);
    add_int(program, 1);
}

static void add_instruction(struct dg_program *program, int64_t input, int64_t other,
                            int64_t third, int64_t out)
{
    struct dg_node_row *node = add_node(program, "kernel_call", "op");

    node->op = 0;
    node->op_index = 0;
    node->value = out;
    add_operands(program, (int64_t[]){input, other, third, out, out}, 5);
}

static void make_instructions(struct dg_program *program, int64_t count)
{
    int64_t last = 0;

    begin_pte(program);
    for (int64_t i = 0; i < count; i++) {
        int64_t back = i % 16 * 1, other = last - back < 2 ? last : last - back;

        plan_tensor(program);
        add_instruction(program, last, other, 1, (int64_t)program->n_values - 1);
        if (i) {
            add_edge(program, i, 0, i - 1, last);
            if (other != last)
                add_edge(program, i, 1, i - 1 - back, other);
        }
        last = (int64_t)program->n_values - 1;
    }
    add_signature(program, "output", last, NULL);
}

enum dg_status grown_chain(struct dg_program *program, const char *what, int64_t count,
                           struct dg_error *err)
{
    (void)err;
    if (!strcmp(what, "pte"))
        make_instructions(program, count);
    else
        make_graph(program, count);
    return DG_OK;
}

static void add_list(struct dg_program *program, const char *kind, struct dg_text items)
{
    struct dg_value_row *value = dg_add_value(program);

    value->graph = 0;
    value->idx = (int64_t)program->n_values - 1;
    value->kind = kind;
    value->items = items;
}

static struct dg_text range(struct dg_program *program, int64_t count)
{
    struct dg_writer out = {0};
    struct dg_text text;

    for (int64_t i = 0; i < count; i++)
        dg_print(&out, "%s%lld", i ? "," : "[", (long long)i + 2);
    dg_print(&out, "]");
    text = (struct dg_text){out.data, out.size};
    text.data = dg_copy(&program->memory, text);
    dg_writer_clear(&out);
    return text;
}

static void add_delegate(struct dg_program *program, int64_t idx)
{
    struct dg_delegate_row *delegate = dg_add_delegate(program);
    struct dg_segment_row *segment = dg_add_segment(program);

    segment->idx = idx;
    segment->kind = "delegate";
    segment->offset = (uint64_t)idx * 16;
    segment->file_offset = idx * 16;
    segment->size_bytes = segment->stored_bytes = 16;
    delegate->method = 0;
    delegate->idx = idx;
    delegate->backend = dg_text("XnnpackBackend");
    delegate->location = "segment";
    delegate->blob_index = idx;
    delegate->blob_offset = idx * 16;
    delegate->blob_bytes = 16;
    delegate->digest.xxh3 = dg_format(&program->memory, "%032llx", (long long)idx);
    *dg_add_compile_spec(program) =
        (struct dg_compile_spec_row){idx, 0, dg_text("key"), {(const uint8_t *)"v", 1}};
    *dg_add_delegate_key(program) = (struct dg_delegate_key_row){
        idx, 0, dg_format(&program->memory, "key_%lld", (long long)idx), "weights", 16};
}

static void add_delegate_call(struct dg_program *program, int64_t idx)
{
    struct dg_node_row *node;
    int64_t last = (int64_t)program->n_values - 1;

    add_delegate(program, idx);
    plan_tensor(program);
    node = add_node(program, "delegate_call", "op");
    node->delegate = node->op_index = idx;
    node->value = last + 1;
    add_operands(program, (int64_t[]){last == 1 ? 0 : last, last + 1}, 2);
    program->operands[program->n_operands - 2].access = "read";
    program->operands[program->n_operands - 1].access = "write";
}

static void add_constant(struct dg_program *program, int64_t idx)
{
    struct dg_constant_row *constant = dg_add_constant(program);
    struct dg_value_row *value = add_tensor(program, &stored);

    constant->idx = idx + 1;
    constant->kind = "constant";
    constant->dtype = "f32";
    constant->shape = dg_text("[1,16,16]");
    constant->segment = 0;
    constant->file_offset = idx * 1024;
    constant->offset = (struct dg_any){.type = DG_INTEGER, .integer = idx * 1024};
    constant->nbytes = 1024;
    constant->digest.xxh3 = dg_format(&program->memory, "%032llx", (long long)idx);
    value->data_index = idx + 1;
}

static void add_named(struct dg_program *program, int64_t idx)
{
    struct dg_named_data_row *named = dg_add_named_data(program);
    struct dg_segment_row *segment = dg_add_segment(program);

    segment->idx = idx;
    segment->kind = "named_data";
    segment->offset = (uint64_t)idx * 16;
    segment->file_offset = idx * 16;
    segment->size_bytes = segment->stored_bytes = 16;
    segment->digest.xxh3 = dg_format(&program->memory, "%032llx", (long long)idx);
    named->idx = idx;
    named->key = dg_format(&program->memory, "key_%lld", (long long)idx);
    named->segment_idx = idx;
    named->size_bytes = 16;
}

static void add_segment(struct dg_program *program, int64_t size)
{
    struct dg_segment_row *segment = dg_add_segment(program);

    segment->kind = "constant";
    segment->file_offset = 0;
    segment->size_bytes = segment->stored_bytes = (uint64_t)size;
}

static void widen(struct dg_program *program, const char *what, int64_t i)
{
    int64_t last = (int64_t)program->n_values - 1;

    if (!strcmp(what, "lists")) {
        add_list(program, "int_list", dg_text("[1,1]"));
        plan_tensor(program);
        add_instruction(program, last == 1 ? 0 : last, 0, last + 1, last + 2);
    } else if (!strcmp(what, "delegates")) {
        add_delegate_call(program, i);
    } else if (!strcmp(what, "constants")) {
        add_constant(program, i);
        plan_tensor(program);
        add_instruction(program, i ? last : 0, last + 1, 1, last + 2);
    } else if (!strcmp(what, "named")) {
        add_named(program, i);
    } else {
        plan_tensor(program);
    }
}

enum dg_status grown_wide(struct dg_program *program, const char *what, int64_t count,
                          struct dg_error *err)
{
    (void)err;
    begin_pte(program);
    if (!strcmp(what, "constants"))
        add_segment(program, count * 1024);
    for (int64_t i = 0; i < count; i++)
        widen(program, what, i);
    if (!strcmp(what, "shared")) {
        int64_t list = (int64_t)program->n_values;

        add_list(program, "tensor_list", range(program, count));
        plan_tensor(program);
        for (int i = 0; i < 100; i++)
            add_instruction(program, list, 0, 1, list + 1);
    }
    return DG_OK;
}

enum dg_status grown_plan(struct dg_store *store, struct dg_error *err)
{
    return dg_store_exec(
        store,
        "INSERT INTO part_run VALUES (1, 1, 'plan', 'plan.json', NULL);"
        "INSERT INTO partition SELECT DISTINCT idx / 100 + 1, 1, graph_id, idx / 100,"
        " idx / 100, 'tag' || (idx / 100), 1, 'XnnpackBackend' FROM node"
        " WHERE kind = 'call_function' AND op_id = 1;"
        "INSERT INTO partition_node SELECT idx / 100 + 1, idx % 100, id FROM node"
        " WHERE kind = 'call_function' AND op_id = 1",
        err);
}
