/* Reading a program that is to be compared: words of its nodes. */
#include "diff/side.h"

#include <stdlib.h>

#include "base/text.h"
#include "diff/symbols.h"
#include "store/scan.h"

struct dg_text dg_diff_base_name(struct dg_text name)
{
    size_t size = name.size;

    while (size && name.data[size - 1] >= '0' && name.data[size - 1] <= '9')
        size--;
    if (size > 1 && size < name.size && name.data[size - 1] == '_')
        name.size = size - 1;
    return name;
}

static enum dg_status read_graphs(struct dg_diff_side *side, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(side->store,
                    "SELECT g.id, method.name, g.path, g.kind"
                    "  FROM graph AS g JOIN method ON method.id = method_id"
                    " ORDER BY g.id",
                    err);

    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);
        struct dg_text method = dg_rows_keep(&side->memory, &rows, 1);
        struct dg_text path = dg_rows_keep(&side->memory, &rows, 2);
        struct dg_text kind = dg_rows_keep(&side->memory, &rows, 3);

        while (side->n_graphs < (size_t)id)
            DG_APPEND(side->graphs, side->n_graphs);
        side->graphs[id - 1] = (struct dg_diff_graph){
            .method = method,
            .path = path,
            .kind = kind,
            .place = dg_diff_word(side->words, dg_format(&side->memory, "%s\x1f%s",
                                                         method.data, path.data)),
            .method_word = dg_diff_word(side->words, method),
            .lowered = dg_text_is(kind, "lowered"),
        };
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* Words of a column of texts, by row. */
struct column {
    uint32_t *words;
    size_t n;
};

static uint32_t word_at(const struct column *column, int64_t row)
{
    return row > 0 && (size_t)row <= column->n ? column->words[row - 1] : 0;
}

static enum dg_status read_column(struct column *column, struct dg_diff_side *side,
                                  const char *table, const char *columns,
                                  struct dg_error *err)
{
    struct dg_scan scan = dg_scan_all(side->store, table, columns, "id", err);

    while (dg_scan_next(&scan)) {
        while (column->n < (size_t)dg_scan_int(&scan, 0))
            DG_APPEND(column->words, column->n);
        column->words[column->n - 1] =
            dg_diff_word(side->words, dg_scan_text(&scan, 1));
    }
    return dg_scan_close(&scan, DG_OK, err);
}

/* A string of JSON that begins at `at`: its length with both quotes. */
static size_t string_size(struct dg_text json, size_t at)
{
    size_t end = at + 1;

    while (end < json.size && json.data[end] != '"')
        end += json.data[end] == '\\' ? 2 : 1;
    end = end < json.size ? end + 1 : json.size;
    return end - at;
}

/* The next of the nodes that are read, by name. */
struct reading {
    const struct dg_diff_side *side;
    uint32_t next, end; /* uses of the model */
};

static bool is_next(const struct reading *reading, struct dg_text name)
{
    uint32_t node;

    if (reading->next == reading->end)
        return false;
    node = reading->side->model->uses[reading->next].node;
    return node < reading->side->names->n_items &&
           dg_text_equal(reading->side->names->items[node], name);
}

static bool ends_with(const struct dg_writer *out, const char *end)
{
    size_t size = strlen(end);

    return out->size >= size && !memcmp(out->data + out->size - size, end, size);
}

/* What an export asserts is what the node reads; its words name nodes and symbols. */
static bool is_assertion(struct dg_text text)
{
    return dg_text_begins(text, "Runtime assertion failed for expression ");
}

/* Keys stay. An argument may be called like what it is: "input", or "lowered_module_0",
 * which an export numbers. */
static void write_string(struct dg_writer *out, struct reading *reading,
                         struct dg_text json, size_t at, size_t size)
{
    struct dg_text name = {json.data + at + 1, size > 1 ? size - 2 : 0};
    bool key = at + size < json.size && json.data[at + size] == ':';

    if (is_assertion(name) && !key) {
        dg_print(out, "\"Runtime assertion failed\"");
    } else if (key || !is_next(reading, name)) {
        dg_write(out, json.data + at, size);
    } else if (ends_with(out, "\"name\":")) {
        dg_write(out, "\"", 1);
        dg_write_text(out, dg_diff_base_name(name));
        dg_write(out, "\"", 1);
    } else {
        dg_write(out, "@", 1);
        reading->next++;
    }
}

/* Arguments of a node, where nodes that it reads have no names. */
static uint32_t args_word(struct dg_diff_side *side, struct dg_writer *out,
                          uint32_t node, struct dg_text json)
{
    struct reading reading = {side, side->model->use_of[node],
                              side->model->use_of[node + 1]};

    out->size = 0;
    for (size_t at = 0, size; at < json.size; at += size) {
        const char *quote = memchr(json.data + at, '"', json.size - at);

        if (quote == json.data + at) {
            size = string_size(json, at);
            write_string(out, &reading, json, at, size);
        } else {
            size = quote ? (size_t)(quote - json.data) - at : json.size - at;
            dg_write(out, json.data + at, size);
        }
    }
    return dg_diff_word(side->words, dg_written(out));
}

/* Without the addresses that the exporter's process had its graphs at. */
static void write_meta(struct dg_writer *out, struct dg_text meta)
{
    static const char key[] = "graph_id\\\": ";
    size_t from = 0;

    if (!meta.size)
        return;
    for (size_t at = 0; at < meta.size; at++) {
        if (meta.data[at] != 'g' ||
            !dg_text_begins((struct dg_text){meta.data + at, meta.size - at}, key))
            continue;
        at += sizeof(key) - 1;
        dg_write(out, meta.data + from, at - from);
        while (at < meta.size && meta.data[at] >= '0' && meta.data[at] <= '9')
            at++;
        from = at;
    }
    dg_write(out, meta.data + from, meta.size - from);
}

/* "torch_fn" numbers calls: "linear_2;..." */
static uint32_t meta_word(struct dg_diff_side *side, struct dg_writer *out,
                          struct dg_text meta, struct dg_text custom)
{
    static const char key[] = "\"torch_fn\":\"";
    size_t begin = sizeof(key), end;

    out->size = 0;
    if (dg_text_begins(meta, "{\"torch_fn\":\"")) {
        for (end = begin; end < meta.size && meta.data[end] != ';';)
            end++;
        dg_write_text(out, dg_diff_base_name((struct dg_text){meta.data, end}));
        meta = (struct dg_text){meta.data + end, meta.size - end};
    }
    write_meta(out, meta);
    dg_write_text(out, custom);
    return dg_diff_word(side->words, dg_written(out));
}

struct columns {
    struct column fqns, traces;
    struct dg_writer text;
};

static void read_node(struct dg_diff_side *side, struct columns *columns,
                      const struct dg_scan *scan)
{
    int64_t id = dg_scan_int(scan, 0);
    const struct dg_model_node *model;
    struct dg_diff_node *node;
    struct dg_text name = dg_scan_text(scan, 1);

    if (id < 1 || id > side->n_nodes)
        return;
    node = &side->nodes[id - 1];
    model = &side->model->nodes[id - 1];
    if (!side->is_pte) {
        bool input = model->kind == DG_NODE_PLACEHOLDER;

        node->name = dg_diff_word(side->words, input ? name : dg_diff_base_name(name));
        node->args = model->kind == DG_NODE_GET_ATTR
                         ? dg_diff_word(side->words, dg_scan_text(scan, 6))
                         : args_word(side, &columns->text, (uint32_t)id - 1,
                                     dg_scan_text(scan, 2));
    }
    node->fqn = word_at(&columns->fqns, model->module);
    node->trace = word_at(&columns->traces, dg_scan_int(scan, 3));
    node->meta =
        meta_word(side, &columns->text, dg_scan_text(scan, 4), dg_scan_text(scan, 5));
}

static enum dg_status read_nodes(struct dg_diff_side *side, struct columns *columns,
                                 struct dg_error *err)
{
    struct dg_scan scan;
    enum dg_status status = read_column(&columns->fqns, side, "module", "id, fqn", err);

    if (!status)
        status = read_column(&columns->traces, side, "trace", "id, text", err);
    if (status)
        return status;
    scan = dg_scan_all(side->store, "node",
                       "id, name, args, trace_id, meta, custom, target", "id", err);
    while (dg_scan_next(&scan))
        read_node(side, columns, &scan);
    return dg_scan_close(&scan, DG_OK, err);
}

/* What the model has already. */
static void take_model(struct dg_diff_side *side)
{
    const struct dg_model *model = side->model;
    struct column ops = {0};

    for (uint32_t i = 0; i < model->n_ops; i++)
        *DG_APPEND(ops.words, ops.n) = dg_diff_word(side->words, model->ops[i].name);
    side->n_nodes = model->n_nodes;
    side->nodes = dg_zeroed(model->n_nodes, sizeof(*side->nodes));
    for (uint32_t i = 0; i < model->n_nodes; i++) {
        uint32_t graph = model->nodes[i].graph;

        side->nodes[i].kind = model->nodes[i].kind;
        side->nodes[i].op = word_at(&ops, model->nodes[i].op);
        if (graph && graph <= side->n_graphs)
            side->nodes[i].place = side->graphs[graph - 1].place;
    }
    free(ops.words);
}

/* Words of types; `masked`: for what is paired, symbols of sizes without numbers. */
static void take_types(struct dg_diff_side *side, uint32_t *masked)
{
    const struct dg_model_values *values = side->values;
    struct dg_writer out = {0};

    side->types = dg_alloc(&side->memory, values->n_types, sizeof(*side->types));
    for (size_t i = 0; i < values->n_types; i++) {
        const struct dg_model_type *type = &values->types[i];

        out.size = 0;
        dg_write_text(&out, type->name);
        dg_write(&out, " ", type->name.size > 0);
        dg_write_text(&out, type->sizes);
        side->types[i] = masked[i] = dg_diff_word(side->words, dg_written(&out));
        side->symbolic |= type->symbolic || (type->kind >= DG_VALUE_SYM_INT &&
                                             type->kind <= DG_VALUE_SYM_BOOL);
        if (!type->symbolic)
            continue;
        out.size = type->name.size + 1;
        dg_diff_write_masked(&out, type->sizes);
        masked[i] = dg_diff_word(side->words, dg_written(&out));
    }
    dg_writer_clear(&out);
}

/* Types of results, and who reads whom. */
static void take_uses(struct dg_diff_side *side)
{
    const struct dg_model *model = side->model;
    const struct dg_model_values *values = side->values;
    uint32_t *types = dg_zeroed(values->n_types, sizeof(*types));

    take_types(side, types);
    for (uint32_t i = 0; i < model->n_nodes; i++) {
        uint32_t value = model->nodes[i].value;

        if (value && value <= values->n_rows)
            side->nodes[i].type = types[values->type_of[value - 1]];
    }
    side->makers.begins = model->use_of;
    side->makers.items = dg_alloc(&side->memory, model->n_uses, sizeof(uint32_t));
    for (uint32_t i = 0; i < model->n_uses; i++)
        side->makers.items[i] = model->uses[i].node;
    free(types);
}

static enum dg_status read_columns(struct dg_diff_side *side, struct dg_error *err)
{
    struct columns columns = {0};
    enum dg_status status = read_nodes(side, &columns, err);

    free(columns.fqns.words);
    free(columns.traces.words);
    dg_writer_clear(&columns.text);
    return status;
}

enum dg_status dg_diff_side_read(struct dg_diff_side *side, struct dg_store *store,
                                 struct dg_diff_words *words, struct dg_error *err)
{
    struct dg_model_whole whole;
    int64_t is_pte = 0;
    enum dg_status status;

    *side = (struct dg_diff_side){.store = store, .words = words};
    dg_diff_word(words, dg_text(""));
    status =
        dg_store_int(store, "SELECT EXISTS (SELECT 1 FROM method WHERE ir = 'pte')", 0,
                     &is_pte, err);
    side->is_pte = is_pte != 0;
    if (!status)
        status = read_graphs(side, err);
    if (!status)
        status = dg_model_whole_read(&whole, store, err);
    if (status)
        return status;
    side->model = whole.model;
    side->names = whole.names;
    side->values = whole.values;
    take_model(side);
    status = read_columns(side, err);
    if (!status && side->is_pte)
        status = dg_diff_read_operands(side, err);
    else if (!status)
        take_uses(side);
    if (!status && !side->is_pte)
        status = dg_diff_read_inputs(side, err);
    if (!status)
        status = dg_diff_read_layouts(side, err);
    if (!status)
        dg_csr_transpose(&side->users, &side->makers, side->n_nodes, side->n_nodes,
                         &side->memory);
    return status;
}

void dg_diff_side_clear(struct dg_diff_side *side)
{
    free(side->graphs);
    free(side->nodes);
    free(side->states);
    free(side->resources);
    free(side->outputs);
    dg_arena_clear(&side->memory);
    *side = (struct dg_diff_side){0};
}

bool dg_diff_is_call(const struct dg_diff_side *side, uint32_t node)
{
    const struct dg_diff_node *it = &side->nodes[node];

    return it->kind == DG_NODE_UNKNOWN || it->kind >= DG_NODE_KERNEL_CALL ||
           (it->kind == DG_NODE_CALL_FUNCTION &&
            !dg_text_is(dg_diff_text(side, it->op), "_operator.getitem"));
}
