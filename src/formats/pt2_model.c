/* The JSON of one exported program. */
#include "formats/pt2.h"

#include "base/json_writer.h"

void dg_pt2_unknown(struct dg_pt2 *pt2, struct dg_json *json, struct dg_text word)
{
    dg_names_at(&pt2->unknown, word)->count++;
    pt2->n_unknown++;
    if (json)
        dg_json_skip(json);
}

static void read_called(struct dg_pt2 *pt2, struct dg_json *json,
                        struct dg_pt2_scope *scope, struct dg_text module,
                        const char *direction)
{
    dg_json_array(json);
    while (dg_json_item(json)) {
        struct dg_pt2_word word = dg_pt2_word(pt2, json);

        if (word.name.data)
            *DG_APPEND(scope->called, scope->n_called) =
                (struct dg_pt2_called){module, word.name, direction};
    }
}

/* The signature of a module; in_spec and out_spec of the root are the program's. */
static void read_call_signature(struct dg_pt2 *pt2, struct dg_json *json,
                                struct dg_pt2_scope *scope, struct dg_text module)
{
    struct dg_method_row *method = &pt2->program->methods[scope->method];
    struct dg_text key;

    if (!scope->is_method || dg_json_peek(json) != DG_JSON_OBJECT) {
        dg_json_skip(json);
        return;
    }
    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "inputs"))
            read_called(pt2, json, scope, module, "input");
        else if (dg_text_is(key, "outputs"))
            read_called(pt2, json, scope, module, "output");
        else if (dg_text_is(key, "in_spec") && !module.size)
            method->in_spec = dg_json_string(json);
        else if (dg_text_is(key, "out_spec") && !module.size)
            method->out_spec = dg_json_string(json);
        else
            dg_json_skip(json);
    }
}

/* Names that lowering renamed or removed make remarks. */
static void check_called(struct dg_pt2 *pt2, const struct dg_pt2_scope *scope)
{
    for (size_t i = 0; i < scope->n_called; i++) {
        const struct dg_pt2_called *called = &scope->called[i];

        if (dg_names_find(&scope->names, called->name))
            continue;
        dg_remark(pt2->program, "graph/module-call-graph",
                  "%s %s of module \"%s\" is no node of the graph", called->direction,
                  dg_pt2_label(pt2, called->name), dg_pt2_label(pt2, called->module))
            ->graph = scope->graph;
    }
}

static void read_call_graph(struct dg_pt2 *pt2, struct dg_json *json,
                            struct dg_pt2_scope *scope)
{
    struct dg_text key;

    dg_json_array(json);
    while (dg_json_item(json)) {
        struct dg_text module = {0};

        dg_json_object(json);
        while (dg_json_key(json, &key)) {
            if (dg_text_is(key, "fqn"))
                module = dg_json_string(json);
            else if (dg_text_is(key, "signature"))
                read_call_signature(pt2, json, scope, module);
            else
                dg_pt2_unknown(pt2, json, key);
        }
    }
}

static void read_graph_module(struct dg_pt2 *pt2, struct dg_json *json,
                              struct dg_pt2_scope *scope)
{
    size_t from = pt2->program->n_signatures;
    bool graph = false;
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "graph")) {
            dg_pt2_graph(pt2, json, scope);
            graph = true;
        } else if (dg_text_is(key, "signature")) {
            dg_pt2_signature(pt2, json, scope);
        } else if (dg_text_is(key, "module_call_graph")) {
            read_call_graph(pt2, json, scope);
        } else if (dg_text_is(key, "metadata") ||
                   dg_text_is(key, "treespec_namedtuple_fields")) {
            dg_json_skip(json);
        } else {
            dg_pt2_unknown(pt2, json, key);
        }
    }
    if (!graph)
        dg_json_fail(json, "expected a graph module with a \"graph\"");
    if (json->failed)
        return;
    check_called(pt2, scope);
    dg_pt2_settle(pt2, scope, from);
}

/* A bound; infinite ones are null or, by older writers, a number or a word. */
static struct dg_any bound(struct dg_json *json)
{
    struct dg_any any = {0};
    struct dg_text text;

    if (dg_json_null(json))
        return any;
    if (dg_json_peek(json) == DG_JSON_STRING) {
        text = dg_json_string(json);
        if (!dg_text_is(text, "Infinity") && !dg_text_is(text, "-Infinity") &&
            !dg_text_is(text, "int_oo") && !dg_text_is(text, "-int_oo"))
            any = (struct dg_any){.type = DG_TEXT, .text = text};
        return any;
    }
    text = dg_json_number(json);
    any.type = DG_INTEGER;
    for (size_t i = 0; i < text.size; i++) {
        bool minus = !i && text.data[0] == '-';
        int digit = text.data[i] - '0';

        if (minus)
            continue;
        if (text.data[i] == 'I' || text.data[i] == 'N')
            return (struct dg_any){0};
        if (digit < 0 || digit > 9 ||
            __builtin_mul_overflow(any.integer, 10, &any.integer) ||
            __builtin_add_overflow(any.integer, text.data[0] == '-' ? -digit : digit,
                                   &any.integer))
            return (struct dg_any){.type = DG_TEXT, .text = text};
    }
    return any;
}

static void read_ranges(struct dg_pt2 *pt2, struct dg_json *json, int64_t graph)
{
    struct dg_text symbol, key;

    dg_json_object(json);
    while (dg_json_key(json, &symbol)) {
        struct dg_range_row *range = dg_add_range(pt2->program);

        range->graph = graph;
        range->symbol = symbol;
        dg_json_object(json);
        while (dg_json_key(json, &key)) {
            if (dg_text_is(key, "min_val"))
                range->min = bound(json);
            else if (dg_text_is(key, "max_val"))
                range->max = bound(json);
            else
                dg_pt2_unknown(pt2, json, key);
        }
    }
}

static void read_version(struct dg_json *json, struct dg_pt2_versions *versions)
{
    struct dg_text key;

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "major"))
            versions->major = dg_json_int(json);
        else if (dg_text_is(key, "minor"))
            versions->minor = dg_json_int(json);
        else
            dg_json_skip(json);
    }
}

/* "EDGE" among the verifiers, or as the dialect of older files */
static bool read_dialect(struct dg_json *json)
{
    bool edge = false;

    if (dg_json_peek(json) == DG_JSON_STRING)
        return dg_text_is(dg_json_string(json), "EDGE");
    if (dg_json_peek(json) != DG_JSON_ARRAY) {
        dg_json_skip(json);
        return false;
    }
    dg_json_array(json);
    while (dg_json_item(json)) {
        if (dg_json_peek(json) == DG_JSON_STRING)
            edge |= dg_text_is(dg_json_string(json), "EDGE");
        else
            dg_json_skip(json);
    }
    return edge;
}

static void member(struct dg_pt2 *pt2, struct dg_json *json, struct dg_text key,
                   struct dg_pt2_scope *scope, struct dg_pt2_versions *versions)
{
    if (dg_text_is(key, "graph_module")) {
        read_graph_module(pt2, json, scope);
        versions->graph = true;
    } else if (dg_text_is(key, "range_constraints")) {
        read_ranges(pt2, json, scope->graph);
    } else if (dg_text_is(key, "schema_version")) {
        read_version(json, versions);
    } else if (dg_text_is(key, "opset_version")) {
        versions->opset = dg_pt2_json(pt2, json);
    } else if (dg_text_is(key, "torch_version")) {
        versions->torch =
            dg_json_null(json) ? (struct dg_text){0} : dg_json_string(json);
    } else if (dg_text_is(key, "verifiers") || dg_text_is(key, "dialect")) {
        versions->edge |= read_dialect(json);
    } else if (dg_text_is(key, "guards_code")) {
        dg_json_skip(json);
    } else {
        dg_pt2_unknown(pt2, json, key);
    }
}

static bool understood(const struct dg_pt2 *pt2, const struct dg_pt2_versions *versions)
{
    return versions->major == (pt2->exir ? 5 : 8) ||
           (versions->major == 0 && versions->minor == 0);
}

void dg_pt2_exported_program(struct dg_pt2 *pt2, struct dg_json *json,
                             struct dg_pt2_scope *scope,
                             struct dg_pt2_versions *versions)
{
    struct dg_text key;

    *versions = (struct dg_pt2_versions){.major = -1};
    dg_json_object(json);
    while (dg_json_key(json, &key))
        member(pt2, json, key, scope, versions);
    if (!versions->graph)
        dg_json_fail(json, "expected a program with a \"graph_module\"");
    else if (versions->major < 0)
        dg_json_fail(json, "expected a program with a \"schema_version\"");
    else if (!understood(pt2, versions))
        dg_json_fail(json, "schema version %lld.%lld is not understood, expected %d",
                     (long long)versions->major, (long long)versions->minor,
                     pt2->exir ? 5 : 8);
}

static void note_versions(struct dg_pt2 *pt2, const struct dg_pt2_versions *versions)
{
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    if (pt2->program->version.data)
        return;
    dg_put_object(&json, NULL);
    dg_print(dg_put_raw(&json, "schema"), "\"%lld.%lld\"", (long long)versions->major,
             (long long)versions->minor);
    dg_put_text(&json, "torch",
                versions->torch.size ? versions->torch : (struct dg_text){0});
    dg_write_text(dg_put_raw(&json, "opset"),
                  versions->opset.data ? versions->opset : dg_text("null"));
    dg_put_text(&json, "archive", pt2->archive_version);
    dg_put_end(&json);
    dg_json_written(&json);
    pt2->program->version = dg_pt2_keep(pt2, &out);
    dg_writer_clear(&out);
}

static bool has_edge_target(const struct dg_pt2 *pt2)
{
    for (size_t i = 0; i < pt2->n_targets; i++) {
        if (pt2->target_list[i].edge)
            return true;
    }
    return false;
}

static struct dg_pt2_scope method_scope(struct dg_pt2 *pt2, struct dg_text name)
{
    struct dg_method_row *method = dg_add_method(pt2->program);
    struct dg_graph_row *graph = dg_add_graph(pt2->program);
    struct dg_pt2_scope scope = {
        .method = (int64_t)pt2->program->n_methods - 1,
        .graph = (int64_t)pt2->program->n_graphs - 1,
        .path = dg_text(""),
        .names = {.memory = &pt2->names},
        .is_method = true,
    };

    method->name = name;
    method->ir = "aten";
    graph->method = scope.method;
    graph->path = scope.path;
    graph->kind = "method";
    return scope;
}

enum dg_status dg_pt2_read_model(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                                 struct dg_text name)
{
    struct dg_pt2_versions versions;
    struct dg_pt2_scope scope;
    struct dg_json json;
    enum dg_status status = dg_pt2_begin_json(pt2, entry, &json);

    if (status)
        return status;
    scope = method_scope(pt2, name);
    dg_pt2_exported_program(pt2, &json, &scope, &versions);
    status = dg_pt2_end_json(pt2, entry, &json);
    if (!status) {
        note_versions(pt2, &versions);
        if (versions.edge || has_edge_target(pt2))
            pt2->program->methods[scope.method].ir = "edge";
    }
    dg_pt2_scope_clear(&scope);
    return status;
}
