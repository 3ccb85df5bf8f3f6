/* Nodes of the file: each becomes a call, the get_attr nodes before it and the getitem
 * nodes behind it, as torch.export.load makes them. */
#include "formats/pt2.h"

struct call {
    struct dg_pt2 *pt2;
    struct dg_pt2_scope *scope;
    struct dg_pt2_target target;
    struct dg_text name; /* as stored; absent in older files */
    struct dg_text args;
    struct dg_pt2_meta meta;
    bool single; /* is_hop_single_tensor_return is true */
    int64_t delegate;
    int64_t node;
};

static bool is_symbol(struct dg_text variant)
{
    return dg_text_is(variant, "sym_int") || dg_text_is(variant, "sym_float") ||
           dg_text_is(variant, "sym_bool");
}

static struct dg_text name_in(struct dg_json *json)
{
    struct dg_text key, name = {0};

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "name") || dg_text_is(key, "as_name"))
            name = dg_json_string(json);
        else
            dg_json_skip(json);
    }
    return name;
}

static struct dg_pt2_output *add_output(struct dg_pt2_scope *scope,
                                        enum dg_pt2_result type)
{
    struct dg_pt2_output *output = DG_APPEND(scope->outputs, scope->n_outputs);

    output->type = type;
    return output;
}

static void add_named(struct dg_json *json, struct dg_pt2_scope *scope, bool tensor)
{
    struct dg_text name = name_in(json);
    struct dg_pt2_output *output =
        add_output(scope, name.data ? DG_RESULT_NAMED : DG_RESULT_OTHER);

    output->name = name;
    output->tensor = tensor;
}

static void add_list(struct dg_json *json, struct dg_pt2_scope *scope, bool tensor)
{
    size_t list = scope->n_outputs;

    add_output(scope, DG_RESULT_LIST);
    dg_json_array(json);
    while (dg_json_item(json)) {
        if (dg_json_peek(json) == DG_JSON_OBJECT) {
            add_named(json, scope, tensor);
        } else {
            dg_json_skip(json);
            add_output(scope, DG_RESULT_OTHER);
        }
        scope->outputs[list].n_items++;
    }
}

static void read_output(struct dg_json *json, struct dg_pt2_scope *scope)
{
    struct dg_text variant;

    dg_json_object(json);
    while (dg_pt2_variant(json, &variant)) {
        if (dg_text_is(variant, "tensor") || dg_text_is(variant, "custom_obj"))
            add_named(json, scope, true);
        else if (is_symbol(variant))
            add_named(json, scope, false);
        else if (dg_json_peek(json) == DG_JSON_ARRAY)
            add_list(json, scope, dg_text_is(variant, "tensors"));
        else if (dg_json_skip(json).data)
            add_output(scope,
                       dg_text_is(variant, "none") ? DG_RESULT_NONE : DG_RESULT_OTHER);
    }
}

static void read_outputs(struct call *call, struct dg_json *json)
{
    call->scope->n_outputs = 0;
    dg_json_array(json);
    while (dg_json_item(json))
        read_output(json, call->scope);
}

/* The module is JSON in a string: {"as_string": "{...}"} */
static void lowered_module(struct call *call, struct dg_json *json, struct dg_text name)
{
    struct dg_writer *out = &call->scope->args;
    struct dg_text variant;

    dg_json_object(json);
    while (dg_pt2_variant(json, &variant)) {
        int64_t node =
            dg_pt2_lowered(call->pt2, json, name, call->scope, &call->delegate);

        dg_write(out, "\"graph\":", 8);
        dg_write_json(out, name);
        *DG_APPEND(call->scope->uses, call->scope->n_uses) =
            (struct dg_pt2_use){.name = name, .node = node};
    }
}

/* {"name": "self", "arg": {...}, "kind": 1} */
static void read_input(struct call *call, struct dg_json *json, bool first)
{
    struct dg_writer *out = &call->scope->args;
    struct dg_text key, name = dg_text("");
    bool seen = false;

    dg_write(out, "{", 1);
    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "name")) {
            name = dg_json_string(json);
            dg_write(out, seen ? ",\"name\":" : "\"name\":", seen ? 8 : 7);
            dg_write_json(out, name);
            seen = true;
        } else if (dg_text_is(key, "arg")) {
            if (seen)
                dg_write(out, ",", 1);
            if (first && call->target.delegate)
                lowered_module(call, json, name);
            else
                dg_pt2_argument(call->pt2, json, call->scope, out);
            seen = true;
        } else if (dg_text_is(key, "kind")) {
            dg_json_skip(json);
        } else {
            dg_pt2_unknown(call->pt2, json, key);
        }
    }
    dg_write(out, "}", 1);
}

static void read_inputs(struct call *call, struct dg_json *json)
{
    struct dg_writer *out = &call->scope->args;
    bool first = true;

    call->scope->n_uses = 0;
    out->size = 0;
    dg_write(out, "[", 1);
    dg_json_array(json);
    while (dg_json_item(json)) {
        if (!first)
            dg_write(out, ",", 1);
        read_input(call, json, first);
        first = false;
    }
    dg_write(out, "]", 1);
    call->args = dg_pt2_keep(call->pt2, out);
}

/* The name that FX is asked for; absent: it makes one from the target. */
static struct dg_text wanted(const struct call *call)
{
    const struct dg_pt2_output *first = call->scope->outputs;
    bool one = call->scope->n_outputs == 1 && first->type == DG_RESULT_NAMED;
    const struct dg_pt2_target *target = &call->target;

    if (call->pt2->exir && (target->edge || target->delegate))
        return one && first->tensor ? first->name : (struct dg_text){0};
    if (call->pt2->exir && target->unresolved)
        return (struct dg_text){0};
    if (call->name.size)
        return call->name;
    if (one && target->symbolic)
        return first->name;
    if (one && first->tensor && (!target->higher_order || call->single))
        return first->name;
    return (struct dg_text){0};
}

static void decorate(const struct call *call, int64_t node)
{
    struct dg_node_row *row = &call->pt2->program->nodes[node];

    row->trace = call->meta.trace;
    row->module = call->meta.module;
    row->custom = call->meta.custom;
    row->debug_handle = call->meta.debug_handle;
    row->meta = call->meta.other;
}

/* torch gives results the names of the file, whatever its own namespace says; exir
 * leaves that to the namespace. */
static void result(const struct call *call, int64_t node, struct dg_text name)
{
    struct dg_text kept = dg_pt2_define(call->pt2, call->scope, name, node);

    if (!call->pt2->exir)
        call->pt2->program->nodes[node].name = kept;
}

static int64_t getitem(const struct call *call, int64_t from, size_t index,
                       struct dg_text name)
{
    struct dg_program *program = call->pt2->program;
    struct dg_pt2_scope *scope = call->scope;
    int64_t node = dg_pt2_add_node(call->pt2, scope, "call_function",
                                   name.data ? name : dg_text("getitem"));
    struct dg_writer *out = &scope->args;

    decorate(call, node);
    program->nodes[node].op = dg_pt2_target(call->pt2, dg_text("_operator.getitem")).op;
    dg_write(out, "[{\"name\":\"\",\"tensor\":", 21);
    dg_write_json(out, program->nodes[from].name);
    dg_print(out, "},{\"name\":\"\",\"int\":%zu}]", index);
    program->nodes[node].args = dg_pt2_keep(call->pt2, out);
    scope->n_uses = 0;
    *DG_APPEND(scope->uses, scope->n_uses) = (struct dg_pt2_use){.node = from};
    dg_pt2_connect(call->pt2, scope, node);
    return node;
}

/* One getitem per result in [at, end), and per item of each that is a list. */
static void getitems(const struct call *call, int64_t from, size_t at, size_t end)
{
    for (size_t index = 0; at < end; index++) {
        struct dg_pt2_output output = call->scope->outputs[at];
        struct dg_text name = {0};
        int64_t node;

        if (output.type == DG_RESULT_NAMED)
            name = output.name;
        else if (output.type == DG_RESULT_NONE)
            name = dg_text("as_none");
        if (output.type != DG_RESULT_OTHER) {
            node = getitem(call, from, index, name);
            if (output.type == DG_RESULT_NAMED)
                result(call, node, name);
            getitems(call, node, at + 1, at + 1 + output.n_items);
        }
        at += 1 + output.n_items;
    }
}

/* A call without a result is renamed, to keep it out of the way. */
static void rename_unused(const struct call *call)
{
    struct dg_node_row *row = &call->pt2->program->nodes[call->node];
    struct dg_text function = call->target.function;
    struct dg_arena *memory = &call->pt2->program->memory;
    struct dg_text name =
        dg_format(memory, "%.*s_unused", (int)function.size, function.data);

    if (!dg_text_equal(name, row->name))
        row->name = dg_fx_name(&call->scope->names, name, memory);
}

static void define_tuple(const struct call *call)
{
    struct dg_text name = call->pt2->program->nodes[call->node].name;
    struct dg_name *known = dg_names_at(&call->scope->names, name);

    if (known->node == DG_NONE) {
        known->node = call->node;
        known->tuple = true;
    }
}

static void results(const struct call *call)
{
    struct dg_pt2_scope *scope = call->scope;
    const struct dg_pt2_output *first = scope->outputs;
    size_t count = scope->n_outputs;
    bool tuple = call->target.higher_order && !call->single && !call->pt2->exir;

    if (!count)
        return;
    if (count == 1 && first->type == DG_RESULT_NAMED && !tuple) {
        result(call, call->node, first->name);
        return;
    }
    if (count == 1 && first->type == DG_RESULT_NONE) {
        if (!call->pt2->exir)
            rename_unused(call);
        return;
    }
    if (first->type == DG_RESULT_LIST && count == 1 + first->n_items)
        getitems(call, call->node, 1, count);
    else
        getitems(call, call->node, 0, count);
    define_tuple(call);
}

/* torch gives the get_attr nodes of branches what the file says of the call. */
static void decorate_branches(const struct call *call)
{
    for (size_t i = 0; i < call->scope->n_uses; i++) {
        if (call->scope->uses[i].node != DG_NONE && !call->target.delegate)
            decorate(call, call->scope->uses[i].node);
    }
}

static void finish(struct call *call)
{
    struct dg_text name = wanted(call);
    struct dg_node_row *row;

    call->node = dg_pt2_add_node(call->pt2, call->scope, "call_function",
                                 name.data ? name : call->target.function);
    row = &call->pt2->program->nodes[call->node];
    row->op = call->target.op;
    row->args = call->args;
    row->delegate = call->delegate;
    decorate(call, call->node);
    decorate_branches(call);
    dg_pt2_connect(call->pt2, call->scope, call->node);
    results(call);
}

/* What came before the members that it needs to be understood. */
struct early {
    struct dg_text inputs;
    bool target, have_inputs;
};

/* What comes behind the outputs takes the time that it takes to find their name. */
static void expect_name(const struct call *call)
{
    const struct dg_pt2_scope *scope = call->scope;

    if (scope->n_outputs && scope->outputs[0].name.data)
        dg_hash_table_prefetch(&scope->names.table, scope->outputs[0].name);
}

static void member(struct call *call, struct dg_json *json, struct dg_text key,
                   struct early *early)
{
    if (dg_text_is(key, "target")) {
        call->target = dg_pt2_target(call->pt2, dg_json_string(json));
        early->target = true;
    } else if (dg_text_is(key, "inputs") && early->target) {
        read_inputs(call, json);
        early->have_inputs = true;
    } else if (dg_text_is(key, "inputs")) {
        early->inputs = dg_json_skip(json);
    } else if (dg_text_is(key, "outputs")) {
        read_outputs(call, json);
        expect_name(call);
    } else if (dg_text_is(key, "metadata")) {
        dg_pt2_metadata(call->pt2, json, &call->meta);
    } else if (dg_text_is(key, "name")) {
        call->name = dg_json_null(json) ? call->name : dg_json_string(json);
    } else if (dg_text_is(key, "is_hop_single_tensor_return")) {
        call->single = !dg_json_null(json) && dg_json_bool(json);
    } else {
        dg_pt2_unknown(call->pt2, json, key);
    }
}

static void read_early(struct call *call, struct dg_json *outer, struct early *early)
{
    struct dg_json json;

    if (early->have_inputs || !early->inputs.data || !early->target)
        return;
    dg_json_begin(&json, early->inputs, outer->source, outer->memory, outer->err);
    read_inputs(call, &json);
    early->have_inputs = true;
    outer->failed |= dg_json_end(&json) != DG_OK;
}

void dg_pt2_node(struct dg_pt2 *pt2, struct dg_json *json, struct dg_pt2_scope *scope)
{
    struct call call = {
        .pt2 = pt2,
        .scope = scope,
        .meta = {.trace = DG_NONE, .module = DG_NONE},
        .delegate = DG_NONE,
    };
    struct early early = {0};
    struct dg_text key;

    scope->n_uses = scope->n_outputs = 0;
    dg_json_object(json);
    while (dg_json_key(json, &key))
        member(&call, json, key, &early);
    read_early(&call, json, &early);
    if (!early.target || !early.have_inputs)
        dg_json_fail(json, "expected a node with \"target\" and \"inputs\"");
    if (!json->failed)
        finish(&call);
}
