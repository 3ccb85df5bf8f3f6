/* Graphs of the file: placeholders, nodes, output, and what their names resolve to. */
#include <stdlib.h>

#include "formats/pt2.h"

enum { MAX_GRAPH_DEPTH = 32 };

int64_t dg_pt2_add_node(struct dg_pt2 *pt2, struct dg_pt2_scope *scope,
                        const char *kind, struct dg_text candidate)
{
    int64_t row = (int64_t)pt2->program->n_nodes;
    struct dg_node_row *node = dg_add_node(pt2->program);

    node->graph = scope->graph;
    node->idx = scope->n_nodes++;
    node->kind = kind;
    node->name = dg_fx_name(&scope->names, candidate, &pt2->program->memory);
    return row;
}

struct dg_text dg_pt2_define(struct dg_pt2 *pt2, struct dg_pt2_scope *scope,
                             struct dg_text name, int64_t node)
{
    struct dg_name *known = dg_names_at(&scope->names, name);
    struct dg_remark_row *remark;

    if (known->node == DG_NONE) {
        known->node = node;
        pt2->program->nodes[node].value = known->value;
        return known->text;
    }
    remark = dg_remark(pt2->program, "graph/name-unique",
                       "the name %s is defined twice", dg_pt2_label(pt2, name));
    remark->method = scope->method;
    remark->graph = scope->graph;
    remark->node = node;
    return known->text;
}

static void add_edge(struct dg_pt2 *pt2, int64_t node, int64_t pos, int64_t source)
{
    struct dg_edge_row *edge = dg_add_edge(pt2->program);

    edge->dst = node;
    edge->pos = pos;
    edge->src = source;
}

void dg_pt2_connect(struct dg_pt2 *pt2, struct dg_pt2_scope *scope, int64_t node)
{
    for (size_t i = 0; i < scope->n_uses; i++) {
        struct dg_pt2_use *use = &scope->uses[i];
        const struct dg_name *known = NULL;

        if (use->node == DG_NONE)
            known = dg_names_find(&scope->names, use->name);
        if (use->node != DG_NONE)
            add_edge(pt2, node, (int64_t)i, use->node);
        else if (known && known->node != DG_NONE)
            add_edge(pt2, node, (int64_t)i, known->node);
        else
            *DG_APPEND(scope->late, scope->n_late) =
                (struct dg_pt2_late){*use, node, (int64_t)i};
    }
    scope->n_uses = 0;
}

/* Names used before their definition, and those that have none. */
static void connect_late(struct dg_pt2 *pt2, struct dg_pt2_scope *scope)
{
    for (size_t i = 0; i < scope->n_late; i++) {
        const struct dg_pt2_late *late = &scope->late[i];
        const struct dg_name *known = dg_names_find(&scope->names, late->use.name);

        if (known && known->node != DG_NONE) {
            add_edge(pt2, late->node, late->pos, known->node);
        } else if (!late->use.optional) {
            struct dg_dangling_row *dangling = dg_add_dangling(pt2->program);

            dangling->node = late->node;
            dangling->pos = late->pos;
            dangling->name = late->use.name;
        }
    }
    scope->n_late = 0;
}

static struct dg_text joined(struct dg_pt2 *pt2, struct dg_text path,
                             struct dg_text name)
{
    if (!path.size)
        return name;
    return dg_format(&pt2->program->memory, "%.*s.%.*s", (int)path.size, path.data,
                     (int)name.size, name.data);
}

struct dg_pt2_scope dg_pt2_child(struct dg_pt2 *pt2, struct dg_pt2_scope *scope,
                                 struct dg_text name, const char *kind)
{
    struct dg_graph_row *row = dg_add_graph(pt2->program);
    struct dg_pt2_scope child = {
        .method = scope->method,
        .graph = (int64_t)pt2->program->n_graphs - 1,
        .path = joined(pt2, scope->path, name),
        .depth = scope->depth + 1,
        .names = {.memory = &pt2->names},
        .main = scope->main ? scope->main : scope,
    };

    row->method = scope->method;
    row->path = child.path;
    row->kind = kind;
    return child;
}

void dg_pt2_scope_clear(struct dg_pt2_scope *scope)
{
    dg_names_clear(&scope->names);
    dg_names_clear(&scope->attributes);
    dg_writer_clear(&scope->args);
    free(scope->uses);
    free(scope->outputs);
    free(scope->late);
    free(scope->constant_inputs);
    free(scope->called);
    *scope = (struct dg_pt2_scope){0};
}

/* A literal among the inputs: a placeholder whose name only the signature knows. */
static void constant_input(struct dg_pt2 *pt2, struct dg_pt2_scope *scope,
                           const struct dg_pt2_word *word, int64_t position)
{
    int64_t row = (int64_t)pt2->program->n_nodes;
    struct dg_node_row *node = dg_add_node(pt2->program);
    struct dg_value_row *value = dg_add_value(pt2->program);
    struct dg_pt2_scope *main = scope->main ? scope->main : scope;

    node->graph = value->graph = scope->graph;
    node->idx = scope->n_nodes++;
    node->kind = "placeholder";
    node->name = node->target = dg_text("");
    node->value = (int64_t)pt2->program->n_values - 1;
    value->idx = scope->n_values++;
    value->kind = !strcmp(word->kind, "float")  ? "double"
                  : !strcmp(word->kind, "none") ? "null"
                                                : word->kind;
    value->scalar = word->literal;
    *DG_APPEND(main->constant_inputs, main->n_constant_inputs) =
        (struct dg_pt2_constant_input){row, position};
}

static void read_inputs(struct dg_pt2 *pt2, struct dg_json *json,
                        struct dg_pt2_scope *scope)
{
    int64_t position = 0;

    dg_json_array(json);
    while (dg_json_item(json)) {
        struct dg_pt2_word word = dg_pt2_word(pt2, json);
        int64_t node;

        if (json->failed)
            return;
        if (!word.name.data) {
            constant_input(pt2, scope, &word, position++);
            continue;
        }
        node = dg_pt2_add_node(pt2, scope, "placeholder", word.name);
        pt2->program->nodes[node].name = pt2->program->nodes[node].target =
            dg_pt2_define(pt2, scope, word.name, node);
        position++;
    }
}

static void read_nodes(struct dg_pt2 *pt2, struct dg_json *json,
                       struct dg_pt2_scope *scope)
{
    dg_json_array(json);
    while (dg_json_item(json))
        dg_pt2_node(pt2, json, scope);
}

static void read_outputs(struct dg_pt2 *pt2, struct dg_json *json,
                         struct dg_pt2_scope *scope)
{
    struct dg_writer *out = &scope->args;
    const char *separator = "[{\"name\":\"\",";
    struct dg_node_row *row;
    int64_t node;

    scope->n_uses = 0;
    out->size = 0;
    dg_json_array(json);
    while (dg_json_item(json)) {
        dg_write_text(out, dg_text(separator));
        dg_pt2_argument(pt2, json, scope, out);
        separator = "},{\"name\":\"\",";
    }
    dg_write_text(out, dg_text(*separator == '[' ? "[]" : "}]"));
    if (json->failed)
        return;
    node = scope->output = dg_pt2_add_node(pt2, scope, "output", dg_text("output"));
    row = &pt2->program->nodes[node];
    row->target = dg_text("output");
    row->args = dg_pt2_keep(pt2, out);
    dg_pt2_connect(pt2, scope, node);
}

/* Members are met in any order, and read in this one. */
enum part { INPUTS, NODES, OUTPUTS, N_PARTS };

struct parts {
    struct dg_text saved[N_PARTS];
    enum part next;
};

static void read_part(struct dg_pt2 *pt2, struct dg_json *json,
                      struct dg_pt2_scope *scope, enum part part)
{
    static void (*const read[N_PARTS])(struct dg_pt2 *, struct dg_json *,
                                       struct dg_pt2_scope *) = {
        read_inputs, read_nodes, read_outputs};

    read[part](pt2, json, scope);
}

static void read_saved(struct dg_pt2 *pt2, struct dg_json *outer,
                       struct dg_pt2_scope *scope, struct parts *parts)
{
    while (!outer->failed && parts->next < N_PARTS && parts->saved[parts->next].data) {
        struct dg_json json;

        dg_json_begin(&json, parts->saved[parts->next], outer->source, outer->memory,
                      outer->err);
        read_part(pt2, &json, scope, parts->next++);
        outer->failed |= dg_json_end(&json) != DG_OK;
    }
}

static void met(struct dg_pt2 *pt2, struct dg_json *json, struct dg_pt2_scope *scope,
                struct parts *parts, enum part part)
{
    if (parts->next == part && part != OUTPUTS) {
        read_part(pt2, json, scope, part);
        parts->next++;
    } else {
        parts->saved[part] = dg_json_skip(json);
    }
    if (part != OUTPUTS)
        read_saved(pt2, json, scope, parts);
}

static bool read_values(struct dg_pt2 *pt2, struct dg_json *json,
                        struct dg_pt2_scope *scope, struct dg_text key)
{
    static const struct {
        const char *member, *kind;
    } tables[] = {
        {"tensor_values", "tensor"},         {"sym_int_values", "sym_int"},
        {"sym_float_values", "sym_float"},   {"sym_bool_values", "sym_bool"},
        {"custom_obj_values", "custom_obj"},
    };

    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        if (dg_text_is(key, tables[i].member)) {
            if (!dg_json_null(json))
                dg_pt2_values(pt2, json, scope, tables[i].kind);
            return true;
        }
    }
    return false;
}

/* A name that stands for a value without saying which: what the graph defines, but
 * for tuples, must have its meta. */
static void remark_missing_meta(struct dg_pt2 *pt2, struct dg_pt2_scope *scope)
{
    for (size_t i = 0; i < scope->names.n_names; i++) {
        const struct dg_name *name = &scope->names.names[i];
        struct dg_remark_row *remark;

        if (name->node == DG_NONE || name->value != DG_NONE || name->tuple)
            continue;
        remark = dg_remark(pt2->program, "graph/meta-val",
                           "the file has no type and shape for %s",
                           dg_pt2_label(pt2, name->text));
        remark->method = scope->method;
        remark->graph = scope->graph;
        remark->node = name->node;
    }
}

/* A graph that returns a tensor, not a tuple of them: the output is that tensor. */
static void value_output(struct dg_pt2 *pt2, struct dg_pt2_scope *scope)
{
    struct dg_program *program = pt2->program;
    const struct dg_edge_row *edge =
        program->n_edges ? &program->edges[program->n_edges - 1] : NULL;

    if (edge && edge->dst == scope->output)
        program->nodes[edge->dst].value = program->nodes[edge->src].value;
}

void dg_pt2_graph(struct dg_pt2 *pt2, struct dg_json *json, struct dg_pt2_scope *scope)
{
    struct parts parts = {.next = INPUTS};
    struct dg_text key;
    bool single = false;

    if (scope->depth > MAX_GRAPH_DEPTH) {
        dg_json_fail(json, "expected graphs nested at most %d deep", MAX_GRAPH_DEPTH);
        return;
    }
    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "inputs"))
            met(pt2, json, scope, &parts, INPUTS);
        else if (dg_text_is(key, "nodes"))
            met(pt2, json, scope, &parts, NODES);
        else if (dg_text_is(key, "outputs"))
            met(pt2, json, scope, &parts, OUTPUTS);
        else if (dg_text_is(key, "is_single_tensor_return"))
            single = !dg_json_null(json) && dg_json_bool(json);
        else if (!read_values(pt2, json, scope, key))
            dg_pt2_unknown(pt2, json, key);
    }
    read_saved(pt2, json, scope, &parts);
    if (parts.next != N_PARTS)
        dg_json_fail(json, "expected a graph with inputs, outputs and nodes");
    if (json->failed)
        return;
    connect_late(pt2, scope);
    remark_missing_meta(pt2, scope);
    if (single)
        value_output(pt2, scope);
}
