/* The JSON of a plan file, before it meets a program. */
#include "partition/plan_parse.h"

#include <stdlib.h>

#include "base/text.h"
#include "formats/json.h"

static void refuse_key(struct dg_json *json, struct dg_text key,
                       const char *const *names, size_t n_names)
{
    char wrong[64];
    const char *near;
    size_t size = key.size < sizeof(wrong) - 1 ? key.size : sizeof(wrong) - 1;

    memcpy(wrong, key.data, size);
    wrong[size] = '\0';
    near = dg_nearest(wrong, names, n_names);
    dg_json_fail(json, "unknown field \"%s\"%s%s%s", wrong,
                 near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

#define REFUSE_KEY(json, key, names)                                                   \
    refuse_key(json, key, names, sizeof(names) / sizeof(*(names)))

static void read_spec(struct dg_json *json, struct dg_plan_spec *spec)
{
    static const char *const fields[] = {"key", "value"};
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "key"))
            spec->key = dg_json_string(json);
        else if (dg_text_is(key, "value"))
            spec->value = dg_json_string(json);
        else
            REFUSE_KEY(json, key, fields);
    }
    if (!spec->key.data || !spec->value.data)
        dg_json_fail(json, "expected a compile spec with \"key\" and \"value\"");
}

static void read_delegate(struct dg_json *json, struct dg_plan_delegate *delegate)
{
    static const char *const fields[] = {"backend", "compile_specs"};
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "backend")) {
            if (!dg_json_null(json))
                delegate->backend = dg_json_string(json);
        } else if (dg_text_is(key, "compile_specs")) {
            dg_json_array(json);
            while (dg_json_item(json))
                read_spec(json, DG_APPEND(delegate->specs, delegate->n_specs));
        } else {
            REFUSE_KEY(json, key, fields);
        }
    }
}

static void read_delegates(struct dg_json *json, struct dg_plan_method *method)
{
    struct dg_text tag;

    dg_json_object(json);
    while (dg_json_key(json, &tag)) {
        struct dg_plan_delegate *delegate =
            DG_APPEND(method->delegates, method->n_delegates);

        delegate->tag = dg_text_set_add(&method->tags, tag);
        read_delegate(json, delegate);
    }
}

/* Neighbours mostly have one tag. */
static uint32_t tag_number(struct dg_plan_method *method, struct dg_text tag)
{
    if (method->n_nodes > 1) {
        uint32_t last = method->nodes[method->n_nodes - 2].tag;

        if (dg_text_equal(method->tags.texts[last], tag))
            return last;
    }
    return dg_text_set_add(&method->tags, tag);
}

static void read_tags(struct dg_json *json, struct dg_plan_method *method)
{
    struct dg_text name;

    dg_json_object(json);
    while (dg_json_key(json, &name)) {
        struct dg_plan_node *node = DG_APPEND(method->nodes, method->n_nodes);
        struct dg_text tag = dg_json_string(json);

        node->name = name;
        if (!json->failed)
            node->tag = tag_number(method, tag);
    }
}

static void read_known(struct dg_json *json, struct dg_plan_known *known)
{
    static const char *const fields[] = {"op", "position"};
    struct dg_text key;

    known->position = -1;
    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "op")) {
            known->has_op = true;
            if (!dg_json_null(json))
                known->op = dg_json_string(json);
        } else if (dg_text_is(key, "position")) {
            known->has_position = true;
            if (dg_json_null(json))
                continue;
            known->position = dg_json_int(json);
            if (!json->failed && known->position < 0)
                dg_json_fail(json, "expected 0 or more");
        } else {
            REFUSE_KEY(json, key, fields);
        }
    }
}

static void read_nodes(struct dg_json *json, struct dg_plan_method *method)
{
    struct dg_text name;

    dg_json_object(json);
    while (dg_json_key(json, &name)) {
        struct dg_plan_known *known = DG_APPEND(method->known, method->n_known);

        known->name = name;
        read_known(json, known);
    }
}

static void read_method(struct dg_json *json, struct dg_plan_method *method)
{
    static const char *const fields[] = {"delegates", "tags", "nodes"};
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "delegates"))
            read_delegates(json, method);
        else if (dg_text_is(key, "tags"))
            read_tags(json, method);
        else if (dg_text_is(key, "nodes"))
            read_nodes(json, method);
        else
            REFUSE_KEY(json, key, fields);
    }
}

static void read_methods(struct dg_json *json, struct dg_plan_text *plan)
{
    struct dg_text name;

    dg_json_object(json);
    while (dg_json_key(json, &name)) {
        struct dg_plan_method *method = DG_APPEND(plan->methods, plan->n_methods);

        method->name = name;
        read_method(json, method);
    }
}

static void read_format(struct dg_json *json)
{
    struct dg_text format = dg_json_string(json);

    if (!json->failed && !dg_text_is(format, "delegraph-plan"))
        dg_json_fail(json, "expected \"delegraph-plan\"");
}

static void read_version(struct dg_json *json, struct dg_plan_text *plan)
{
    plan->version = dg_json_int(json);
    if (!json->failed && plan->version != 1 && plan->version != 2)
        dg_json_fail(json, "expected 1 or 2, the versions there are");
}

/* The version may come last. */
static void check_nodes(struct dg_json *json, const struct dg_plan_text *plan)
{
    for (size_t i = 0; i < plan->n_methods && plan->version == 1; i++) {
        if (plan->methods[i].n_known)
            dg_json_fail(json, "expected version 2: methods have the field \"nodes\"");
    }
}

static bool is_digest(struct dg_text text)
{
    return text.size == 64 && strspn(text.data, "0123456789abcdef") >= 64;
}

static void read_sha256(struct dg_json *json, struct dg_plan_text *plan)
{
    struct dg_text text;

    if (dg_json_null(json))
        return;
    text = dg_json_string(json);
    if (!json->failed && !is_digest(text))
        dg_json_fail(json, "expected null or 64 hexadecimal digits in lower case");
    plan->program_sha256 = text;
}

static void read_plan(struct dg_json *json, struct dg_plan_text *plan)
{
    static const char *const fields[] = {"format", "version", "program_sha256",
                                         "methods"};
    bool seen[4] = {false};
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        size_t i = 0;

        while (i < 4 && !dg_text_is(key, fields[i]))
            i++;
        if (i < 4)
            seen[i] = true;
        switch (i) {
        case 0:
            read_format(json);
            break;
        case 1:
            read_version(json, plan);
            break;
        case 2:
            read_sha256(json, plan);
            break;
        case 3:
            read_methods(json, plan);
            break;
        default:
            REFUSE_KEY(json, key, fields);
        }
    }
    for (size_t i = 0; i < 4; i++) {
        if (!seen[i] && i != 2)
            dg_json_fail(json, "expected a plan with the field \"%s\"", fields[i]);
    }
    check_nodes(json, plan);
}

static bool is_object(struct dg_text text)
{
    size_t at = 0;

    while (at < text.size && strchr(" \t\r\n", text.data[at]) && text.data[at])
        at++;
    return at < text.size && text.data[at] == '{';
}

/* What a whole plan looks like: doc/plan.md. */
#define FORM                                                                           \
    "{\"format\":\"delegraph-plan\",\"version\":1,\"methods\":{\"forward\":{"          \
    "\"delegates\":{\"tag0\":{\"backend\":\"XnnpackBackend\"}},"                       \
    "\"tags\":{\"linear\":\"tag0\"}}}}"

static enum dg_status show_form(struct dg_error *err)
{
    struct dg_error said = *err;

    if (said.status != DG_ERR_FORMAT)
        return said.status;
    return dg_fail(err, said.status, "%.280s; a plan is " FORM, said.text);
}

enum dg_status dg_plan_parse(struct dg_plan_text *out, struct dg_text text,
                             const char *path, struct dg_error *err)
{
    struct dg_json *json;

    *out = (struct dg_plan_text){0};
    if (!is_object(text))
        return dg_fail(err, DG_ERR_FORMAT, "%s: not a plan; expected JSON, " FORM,
                       path);
    json = dg_alloc(&out->memory, 1, sizeof(*json));
    dg_json_begin(json, text, path, &out->memory, err);
    read_plan(json, out);
    if (dg_json_end(json))
        return show_form(err);
    return DG_OK;
}

static void clear_method(struct dg_plan_method *method)
{
    for (size_t i = 0; i < method->n_delegates; i++)
        free(method->delegates[i].specs);
    free(method->delegates);
    free(method->nodes);
    free(method->known);
    dg_text_set_clear(&method->tags);
}

void dg_plan_text_clear(struct dg_plan_text *plan)
{
    for (size_t i = 0; i < plan->n_methods; i++)
        clear_method(&plan->methods[i]);
    free(plan->methods);
    dg_arena_clear(&plan->memory);
    *plan = (struct dg_plan_text){0};
}
