/* Arguments of calls: JSON text for people, and the nodes that they name. */
#include "formats/pt2.h"

bool dg_pt2_variant(struct dg_json *json, struct dg_text *variant)
{
    if (!dg_json_key(json, variant))
        return false;
    if (dg_text_begins(*variant, "as_"))
        *variant = (struct dg_text){variant->data + 3, variant->size - 3};
    return true;
}

struct dg_text dg_pt2_keep(struct dg_pt2 *pt2, struct dg_writer *out)
{
    struct dg_text text = {out->data, out->size};

    text.data = dg_copy(&pt2->program->memory, text);
    out->size = 0;
    return text;
}

static void copy_number(struct dg_json *json, struct dg_writer *out)
{
    struct dg_text text = dg_json_number(json);
    bool finite = !text.size ||
                  (text.data[text.size - 1] >= '0' && text.data[text.size - 1] <= '9');

    if (finite)
        dg_write_text(out, text);
    else
        dg_write_json(out, text);
}

static void copy_items(struct dg_json *json, struct dg_writer *out)
{
    const char *comma = "";

    dg_json_array(json);
    while (dg_json_item(json)) {
        dg_write_text(out, dg_text(comma));
        dg_pt2_copy_json(json, out);
        comma = ",";
    }
}

static void copy_members(struct dg_json *json, struct dg_writer *out)
{
    const char *comma = "";
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        dg_write_text(out, dg_text(comma));
        dg_write_json(out, key);
        dg_write(out, ":", 1);
        dg_pt2_copy_json(json, out);
        comma = ",";
    }
}

void dg_pt2_copy_json(struct dg_json *json, struct dg_writer *out)
{
    switch (dg_json_peek(json)) {
    case DG_JSON_NUMBER:
        copy_number(json, out);
        break;
    case DG_JSON_ARRAY:
        dg_write(out, "[", 1);
        copy_items(json, out);
        dg_write(out, "]", 1);
        break;
    case DG_JSON_OBJECT:
        dg_write(out, "{", 1);
        copy_members(json, out);
        dg_write(out, "}", 1);
        break;
    default:
        dg_write_text(out, dg_json_skip(json));
    }
}

struct dg_text dg_pt2_json(struct dg_pt2 *pt2, struct dg_json *json)
{
    struct dg_writer out = {0};

    dg_pt2_copy_json(json, &out);
    return dg_keep(&pt2->program->memory, &out);
}

/* Where an argument goes, and where its names are noted. */
struct sink {
    struct dg_pt2 *pt2;
    struct dg_json *json;
    struct dg_pt2_scope *scope;
    struct dg_writer *out;
};

static void use(struct sink *sink, struct dg_text name, bool optional)
{
    dg_write_json(sink->out, name);
    *DG_APPEND(sink->scope->uses, sink->scope->n_uses) =
        (struct dg_pt2_use){.name = name, .node = DG_NONE, .optional = optional};
}

/* {"name": "x"}, with more members where it is a custom object */
struct dg_text dg_pt2_named(struct dg_json *json)
{
    struct dg_text key, name = {0};

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "name"))
            name = dg_json_string(json);
        else
            dg_json_skip(json);
    }
    if (!name.data)
        dg_json_fail(json, "expected a \"name\"");
    return name;
}

static void tensor(struct sink *sink)
{
    use(sink, dg_pt2_named(sink->json), false);
}

static void custom_object(struct sink *sink)
{
    use(sink, dg_pt2_named(sink->json), true);
}

/* {"as_name": "s"} or {"as_int": 3}; {"as_tensor": {...}} or {"as_none": true} */
static void name_or_value(struct sink *sink)
{
    struct dg_text variant;
    const char *comma = "";

    dg_json_object(sink->json);
    while (dg_pt2_variant(sink->json, &variant)) {
        dg_write_text(sink->out, dg_text(comma));
        comma = ",";
        if (dg_text_is(variant, "name"))
            use(sink, dg_json_string(sink->json), false);
        else if (dg_text_is(variant, "tensor"))
            tensor(sink);
        else if (dg_text_is(variant, "none"))
            dg_write(sink->out, "null", dg_json_skip(sink->json).data ? 4 : 0);
        else
            dg_pt2_copy_json(sink->json, sink->out);
    }
    if (!*comma)
        dg_json_fail(sink->json, "expected a union with one variant");
}

static void device(struct sink *sink)
{
    struct dg_text key, type = {0}, index = {0};

    dg_json_object(sink->json);
    while (dg_json_key(sink->json, &key)) {
        if (dg_text_is(key, "type"))
            type = dg_json_string(sink->json);
        else if (dg_json_peek(sink->json) == DG_JSON_NUMBER)
            index = dg_json_number(sink->json);
        else
            dg_json_skip(sink->json);
    }
    dg_write_json(sink->out, index.data
                                 ? dg_format(&sink->pt2->program->memory, "%.*s:%.*s",
                                             (int)type.size, type.data ? type.data : "",
                                             (int)index.size, index.data)
                                 : type);
}

static void list(struct sink *sink, void (*item)(struct sink *sink))
{
    const char *comma = "";

    dg_write(sink->out, "[", 1);
    dg_json_array(sink->json);
    while (dg_json_item(sink->json)) {
        dg_write_text(sink->out, dg_text(comma));
        item(sink);
        comma = ",";
    }
    dg_write(sink->out, "]", 1);
}

static void tensors(struct sink *sink)
{
    list(sink, tensor);
}

static void nested_tensors(struct sink *sink)
{
    list(sink, tensors);
}

static void names_or_values(struct sink *sink)
{
    list(sink, name_or_value);
}

static void whole_argument(struct sink *sink)
{
    dg_write(sink->out, "{", 1);
    dg_pt2_argument(sink->pt2, sink->json, sink->scope, sink->out);
    dg_write(sink->out, "}", 1);
}

static void arguments_by_name(struct sink *sink)
{
    const char *comma = "";
    struct dg_text key;

    dg_write(sink->out, "{", 1);
    dg_json_object(sink->json);
    while (dg_json_key(sink->json, &key)) {
        dg_write_text(sink->out, dg_text(comma));
        dg_write_json(sink->out, key);
        dg_write(sink->out, ":", 1);
        whole_argument(sink);
        comma = ",";
    }
    dg_write(sink->out, "}", 1);
}

static void raw(struct sink *sink)
{
    dg_pt2_copy_json(sink->json, sink->out);
}

/* Read the graph, unless the attribute was met before, and make its get_attr. */
static int64_t branch(struct sink *sink, struct dg_text name, struct dg_text text)
{
    struct dg_pt2_scope *scope = sink->scope, child;
    struct dg_json json;
    int64_t node;

    if (dg_names_at(&scope->attributes, name)->node == DG_NONE) {
        dg_names_at(&scope->attributes, name)->node = 0;
        child = dg_pt2_child(sink->pt2, scope, name, "branch");
        if (text.data) {
            dg_json_begin(&json, text, sink->json->source, sink->json->memory,
                          sink->json->err);
            dg_pt2_graph(sink->pt2, &json, &child);
            sink->json->failed |= dg_json_end(&json) != DG_OK;
        } else {
            dg_pt2_graph(sink->pt2, sink->json, &child);
        }
        dg_pt2_scope_clear(&child);
    } else if (!text.data) {
        dg_json_skip(sink->json);
    }
    node = dg_pt2_add_node(sink->pt2, scope, "get_attr", name);
    sink->pt2->program->nodes[node].target = name;
    return node;
}

/* {"name": "true_graph_0", "graph": {...}} */
static void graph(struct sink *sink)
{
    struct dg_text key, name = {0}, late = {0};
    int64_t node = DG_NONE;

    dg_json_object(sink->json);
    while (dg_json_key(sink->json, &key)) {
        if (dg_text_is(key, "name"))
            name = dg_json_string(sink->json);
        else if (dg_text_is(key, "graph") && name.data)
            node = branch(sink, name, (struct dg_text){0});
        else if (dg_text_is(key, "graph"))
            late = dg_json_skip(sink->json);
        else
            dg_pt2_unknown(sink->pt2, sink->json, key);
    }
    if (!name.data || (node == DG_NONE && !late.data)) {
        dg_json_fail(sink->json, "expected \"name\" and \"graph\"");
        return;
    }
    if (node == DG_NONE)
        node = branch(sink, name, late);
    dg_write_json(sink->out, name);
    *DG_APPEND(sink->scope->uses, sink->scope->n_uses) =
        (struct dg_pt2_use){.name = name, .node = node};
}

static const struct {
    const char *variant;
    void (*write)(struct sink *sink);
} variants[] = {
    {"tensor", tensor},
    {"tensors", tensors},
    {"int", raw},
    {"ints", raw},
    {"float", raw},
    {"bool", raw},
    {"none", raw},
    {"sym_int", name_or_value},
    {"sym_ints", names_or_values},
    {"string", raw},
    {"scalar_type", raw},
    {"memory_format", raw},
    {"layout", raw},
    {"device", device},
    {"bools", raw},
    {"floats", raw},
    {"strings", raw},
    {"graph", graph},
    {"optional_tensors", names_or_values},
    {"optional_tensor", name_or_value},
    {"sym_bool", name_or_value},
    {"sym_bools", names_or_values},
    {"sym_float", name_or_value},
    {"sym_floats", names_or_values},
    {"custom_obj", custom_object},
    {"operator", raw},
    {"complex", raw},
    {"nested_tensors", nested_tensors},
    {"int_lists", raw},
    {"float_lists", raw},
    {"string_to_argument", arguments_by_name},
};

static void write_variant(struct sink *sink, struct dg_text variant)
{
    dg_write_json(sink->out, variant);
    dg_write(sink->out, ":", 1);
    for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
        if (dg_text_is(variant, variants[i].variant)) {
            variants[i].write(sink);
            return;
        }
    }
    dg_pt2_unknown(sink->pt2, NULL, variant);
    raw(sink);
}

void dg_pt2_argument(struct dg_pt2 *pt2, struct dg_json *json,
                     struct dg_pt2_scope *scope, struct dg_writer *out)
{
    struct sink sink = {pt2, json, scope, out};
    struct dg_text variant;
    const char *comma = "";

    dg_json_object(json);
    while (dg_pt2_variant(json, &variant)) {
        dg_write_text(out, dg_text(comma));
        write_variant(&sink, variant);
        comma = ",";
    }
    if (!*comma)
        dg_json_fail(json, "expected a union with one variant");
}
