/* Delegates of a saved edge program: a JSON document in a string, with the blob and
 * the program that it was made from. */
#include "formats/pt2.h"

enum { MAX_LOWERED_DEPTH = 4 };

static int sextet(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool decode_base64(struct dg_pt2 *pt2, struct dg_text text,
                          struct dg_bytes *bytes)
{
    size_t padding = 0;
    uint8_t *out;

    if (text.size % 4)
        return false;
    while (padding < 2 && padding < text.size &&
           text.data[text.size - 1 - padding] == '=')
        padding++;
    out = dg_alloc(&pt2->program->memory, text.size / 4 * 3 + 1, 1);
    *bytes = (struct dg_bytes){out, text.size / 4 * 3 - padding};
    for (size_t i = 0; i < text.size; i += 4) {
        uint32_t group = 0;

        for (size_t j = i; j < i + 4; j++) {
            int bits = j < text.size - padding ? sextet(text.data[j]) : 0;

            if (bits < 0)
                return false;
            group = group << 6 | (uint32_t)bits;
        }
        *out++ = (uint8_t)(group >> 16);
        *out++ = (uint8_t)(group >> 8);
        *out++ = (uint8_t)group;
    }
    return true;
}

static bool read_base64(struct dg_pt2 *pt2, struct dg_json *json,
                        struct dg_bytes *bytes)
{
    if (decode_base64(pt2, dg_json_string(json), bytes))
        return true;
    return dg_json_fail(json, "expected base64");
}

static void read_compile_specs(struct dg_pt2 *pt2, struct dg_json *json,
                               int64_t delegate)
{
    struct dg_text key;

    dg_json_array(json);
    for (int64_t pos = 0; dg_json_item(json); pos++) {
        struct dg_compile_spec_row *spec = dg_add_compile_spec(pt2->program);

        spec->delegate = delegate;
        spec->pos = pos;
        dg_json_object(json);
        while (dg_json_key(json, &key)) {
            if (dg_text_is(key, "key"))
                spec->key = dg_json_string(json);
            else if (dg_text_is(key, "value"))
                read_base64(pt2, json, &spec->value);
            else
                dg_pt2_unknown(pt2, json, key);
        }
    }
}

static void read_taken(struct dg_pt2 *pt2, struct dg_json *json, int64_t delegate,
                       bool weights)
{
    struct dg_bytes archive = {0};

    if (!pt2->whole)
        dg_json_skip(json);
    else if (decode_base64(pt2, dg_json_string(json), &archive) && archive.size)
        *DG_APPEND(pt2->taken, pt2->n_taken) =
            (struct dg_pt2_taken){delegate, archive, weights};
}

static void read_original(struct dg_pt2 *pt2, struct dg_json *json,
                          struct dg_pt2_scope *scope, struct dg_text name,
                          int64_t delegate)
{
    struct dg_pt2_scope child = dg_pt2_child(pt2, scope, name, "lowered");
    struct dg_pt2_versions versions;

    child.main = NULL;
    pt2->program->delegates[delegate].graph = child.graph;
    dg_pt2_exported_program(pt2, json, &child, &versions);
    dg_pt2_scope_clear(&child);
}

static void read_module(struct dg_pt2 *pt2, struct dg_json *json,
                        struct dg_pt2_scope *scope, struct dg_text name,
                        int64_t delegate)
{
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        struct dg_delegate_row *row = &pt2->program->delegates[delegate];

        if (dg_text_is(key, "backend_id")) {
            row->backend = dg_json_string(json);
        } else if (dg_text_is(key, "processed_bytes")) {
            if (read_base64(pt2, json, &row->blob))
                row->blob_bytes = (int64_t)row->blob.size;
        } else if (dg_text_is(key, "compile_specs")) {
            read_compile_specs(pt2, json, delegate);
        } else if (dg_text_is(key, "original_module")) {
            read_original(pt2, json, scope, name, delegate);
        } else if (dg_text_is(key, "original_state_dict")) {
            read_taken(pt2, json, delegate, true);
        } else if (dg_text_is(key, "original_constants")) {
            read_taken(pt2, json, delegate, false);
        } else {
            dg_json_skip(json);
        }
    }
}

static int64_t add_delegate(struct dg_pt2 *pt2, const struct dg_pt2_scope *scope,
                            struct dg_text name)
{
    int64_t row = (int64_t)pt2->program->n_delegates, index = 0;
    struct dg_delegate_row *delegate;

    if (row && pt2->program->delegates[row - 1].method == scope->method)
        index = pt2->program->delegates[row - 1].idx + 1;
    delegate = dg_add_delegate(pt2->program);
    delegate->method = scope->method;
    delegate->idx = index;
    delegate->name = name;
    delegate->location = "inline";
    return row;
}

/* Whether the text is a JSON object: what is not is no lowered module. */
static bool is_object(struct dg_text text, struct dg_arena *memory)
{
    struct dg_error ignored = {0};
    struct dg_json json;
    bool object;

    dg_json_begin(&json, text, "", memory, &ignored);
    object = dg_json_peek(&json) == DG_JSON_OBJECT;
    dg_json_skip(&json);
    return dg_json_end(&json) == DG_OK && object;
}

static void read_text(struct dg_pt2 *pt2, struct dg_json *outer, struct dg_text text,
                      struct dg_pt2_scope *scope, struct dg_text name)
{
    struct dg_json json;
    int64_t delegate;

    if (!is_object(text, outer->memory))
        return;
    delegate = add_delegate(pt2, scope, name);
    dg_names_at(&scope->attributes, name)->value = delegate;
    if (pt2->lowered_depth == MAX_LOWERED_DEPTH) {
        dg_json_fail(outer, "expected lowered modules nested at most %d deep",
                     MAX_LOWERED_DEPTH);
        return;
    }
    pt2->lowered_depth++;
    dg_json_begin(&json, text, dg_pt2_label(pt2, name), outer->memory, outer->err);
    read_module(pt2, &json, scope, name, delegate);
    outer->failed |= dg_json_end(&json) != DG_OK;
    pt2->lowered_depth--;
}

int64_t dg_pt2_lowered(struct dg_pt2 *pt2, struct dg_json *json, struct dg_text name,
                       struct dg_pt2_scope *scope, int64_t *delegate)
{
    struct dg_text function = dg_fx_snake_case(name, &pt2->program->memory);
    int64_t node;

    if (dg_names_at(&scope->attributes, name)->value != DG_NONE ||
        dg_json_peek(json) != DG_JSON_STRING)
        dg_json_skip(json);
    else
        read_text(pt2, json, dg_json_string(json), scope, name);
    *delegate = dg_names_at(&scope->attributes, name)->value;
    node = dg_pt2_add_node(pt2, scope, "get_attr", function);
    pt2->program->nodes[node].target = name;
    return node;
}
