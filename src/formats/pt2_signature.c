/* The signature: what goes into a graph and comes out, and what it stands for. */
#include "formats/pt2.h"

/* The file's words for specs, and torch's InputKind and OutputKind. */
static const struct {
    const char *stored, *spec;
} specs[] = {
    {"user_input", "user_input"},
    {"parameter", "parameter"},
    {"buffer", "buffer"},
    {"tensor_constant", "constant_tensor"},
    {"custom_obj", "custom_obj"},
    {"token", "token"},
    {"constant_input", "user_input"},
    {"user_output", "user_output"},
    {"loss_output", "loss_output"},
    {"buffer_mutation", "buffer_mutation"},
    {"gradient_to_parameter", "gradient_to_parameter"},
    {"gradient_to_user_input", "gradient_to_user_input"},
    {"user_input_mutation", "user_input_mutation"},
    {"parameter_mutation", "parameter_mutation"},
};

static const char *spec_of(struct dg_pt2 *pt2, struct dg_text stored)
{
    for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
        if (dg_text_is(stored, specs[i].stored))
            return specs[i].spec;
    }
    dg_pt2_unknown(pt2, NULL, stored);
    return dg_copy(&pt2->program->memory, stored);
}

static void take_word(struct dg_pt2 *pt2, struct dg_json *json, int64_t row)
{
    struct dg_pt2_word word = dg_pt2_word(pt2, json);
    struct dg_signature_row *signature = &pt2->program->signatures[row];

    signature->kind = word.kind;
    signature->literal = word.literal;
    if (word.name.data)
        signature->name = word.name;
}

static void read_spec(struct dg_pt2 *pt2, struct dg_json *json, int64_t row)
{
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        struct dg_signature_row *signature = &pt2->program->signatures[row];

        if (dg_text_is(key, "arg") || dg_text_is(key, "value"))
            take_word(pt2, json, row);
        else if (dg_text_is(key, "name"))
            signature->name = dg_json_string(json);
        else if (dg_text_is(key, "persistent"))
            signature->persistent = dg_json_null(json) || dg_json_bool(json);
        else if (dg_json_peek(json) == DG_JSON_STRING)
            signature->target = dg_json_string(json);
        else
            dg_pt2_unknown(pt2, json, key);
    }
}

static void read_specs(struct dg_pt2 *pt2, struct dg_json *json,
                       struct dg_pt2_scope *scope, const char *direction)
{
    struct dg_text variant;

    dg_json_array(json);
    for (int64_t pos = 0; dg_json_item(json); pos++) {
        int64_t row = (int64_t)pt2->program->n_signatures;
        struct dg_signature_row *signature = dg_add_signature(pt2->program);

        signature->graph = scope->graph;
        signature->direction = direction;
        signature->pos = pos;
        signature->kind = "none";
        dg_json_object(json);
        while (dg_json_key(json, &variant)) {
            const char *spec = spec_of(pt2, variant);

            pt2->program->signatures[row].spec = spec;
            read_spec(pt2, json, row);
            if (!strcmp(spec, "token"))
                pt2->program->signatures[row].kind = "token";
        }
    }
}

void dg_pt2_signature(struct dg_pt2 *pt2, struct dg_json *json,
                      struct dg_pt2_scope *scope)
{
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "input_specs"))
            read_specs(pt2, json, scope, "input");
        else if (dg_text_is(key, "output_specs"))
            read_specs(pt2, json, scope, "output");
        else
            dg_pt2_unknown(pt2, json, key);
    }
}

/* The signature's name for the input at `position`; torch asks the same signature for
 * the inputs of branches. */
static struct dg_text input_name(struct dg_pt2 *pt2, size_t from, int64_t position)
{
    for (size_t i = from; i < pt2->program->n_signatures; i++) {
        const struct dg_signature_row *row = &pt2->program->signatures[i];

        if (row->pos == position && *row->direction == 'i' && row->name.size)
            return row->name;
    }
    return dg_format(&pt2->program->memory, "arg%lld", (long long)position);
}

static void name_constant_inputs(struct dg_pt2 *pt2, struct dg_pt2_scope *scope,
                                 size_t from)
{
    struct dg_program *program = pt2->program;

    for (size_t i = 0; i < scope->n_constant_inputs; i++) {
        const struct dg_pt2_constant_input *input = &scope->constant_inputs[i];
        struct dg_node_row *node = &program->nodes[input->node];

        node->target = input_name(pt2, from, input->position);
        node->name = dg_fx_name(&scope->names, node->target, &program->memory);
        program->values[node->value].name = node->name;
        if (node->graph == scope->graph)
            dg_names_at(&scope->names, node->target)->value = node->value;
    }
}

void dg_pt2_settle(struct dg_pt2 *pt2, struct dg_pt2_scope *scope, size_t from)
{
    name_constant_inputs(pt2, scope, from);
    for (size_t i = from; i < pt2->program->n_signatures; i++) {
        struct dg_signature_row *row = &pt2->program->signatures[i];
        const struct dg_name *known = NULL;

        if (row->graph == scope->graph && row->name.data)
            known = dg_names_find(&scope->names, row->name);
        if (known)
            row->value = known->value;
    }
}
