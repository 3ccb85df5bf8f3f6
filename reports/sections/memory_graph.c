/* What a run of a graph without a memory plan keeps alive, if each result is freed
 * after its last use. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/ops.h"
#include "base/sorted.h"
#include "graph/graph.h"
#include "graph/model.h"
#include "graph/model_values.h"
#include "reports/sections/memory_parts.h"

enum { MOST_ROWS = 20 };

/* Memory of one node's result, as long as it or a view of it is read. */
struct result {
    int64_t nbytes; /* 0: it has no memory of its own */
    uint32_t owner; /* the node whose memory it is; itself, or an earlier one */
    uint32_t first, last;
    bool views, outside; /* outside: placeholder, get_attr: whoever calls holds it */
    bool item, typed;    /* item: of a tuple, which has no type itself */
};

struct lives {
    struct dg_page *page;
    struct dg_store *store;
    struct dg_graph graph;
    struct result *results;
    double *totals;
    uint32_t peak;
    int64_t inputs, constants; /* bytes from outside */
    size_t n_unknown;
};

static bool is_outside(enum dg_node_kind kind)
{
    return kind == DG_NODE_PLACEHOLDER || kind == DG_NODE_GET_ATTR ||
           kind == DG_NODE_OUTPUT;
}

static struct result result_of(const struct dg_model *model,
                               const struct dg_model_node *node)
{
    struct result result = {.outside = is_outside(node->kind)};

    if (node->op) {
        const struct dg_model_op *op = &model->ops[node->op - 1];

        result.item = dg_text_is(op->name, "_operator.getitem");
        result.views = op->flags & (DG_OP_VIEW | DG_OP_MUTATES) || result.item;
    }
    return result;
}

static void describe_value(struct lives *lives, struct result *result,
                           const struct dg_model_values *values, uint32_t value)
{
    const struct dg_model_type *type;

    if (!value)
        return;
    type = &values->types[values->type_of[value - 1]];
    result->typed =
        type->name.size || (type->kind == DG_VALUE_TENSOR && type->sizes.size);
    if (values->nbytes[value - 1] != DG_NONE)
        result->nbytes = values->nbytes[value - 1];
    else
        lives->n_unknown += type->kind == DG_VALUE_TENSOR && !result->views;
}

/* What whoever calls passes in. */
static enum dg_status add_passed(struct lives *lives, const struct dg_model_node *nodes,
                                 struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(lives->store,
                   "SELECT pos, spec = 'user_input' FROM signature WHERE graph_id = ?1"
                   " AND direction = 'input' AND spec IS NOT NULL",
                   lives->graph.id, err);

    while (dg_rows_next(&rows)) {
        int64_t pos = dg_rows_int(&rows, 0);

        if (pos >= 0 && pos < lives->graph.n_nodes &&
            nodes[pos].kind == DG_NODE_PLACEHOLDER)
            dg_add_to(dg_rows_int(&rows, 1) ? &lives->inputs : &lives->constants,
                      lives->results[pos].nbytes);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void note_copy(void *context, int64_t node)
{
    struct lives *lives = context;

    lives->results[node - lives->graph.first_id].views = false;
}

static enum dg_status load_results(struct lives *lives, struct dg_error *err)
{
    const struct dg_model *model;
    const struct dg_model_values *values;
    const struct dg_model_node *nodes;
    enum dg_status status = dg_model_read(&model, lives->store, err);

    if (!status)
        status = dg_model_values_read(&values, lives->store, err);
    if (status)
        return status;
    nodes = model->nodes + lives->graph.first_id - 1;
    for (uint32_t i = 0; i < lives->graph.n_nodes; i++) {
        lives->results[i] = result_of(model, &nodes[i]);
        describe_value(lives, &lives->results[i], values, nodes[i].value);
    }
    status = dg_memory_copies(lives->store, lives->graph.id, note_copy, lives, err);
    return status ? status : add_passed(lives, nodes, err);
}

/* Of one node: its name, operator and type. */
struct words {
    struct dg_text name, op, type;
};

static enum dg_status describe(struct words *words, const struct lives *lives,
                               uint32_t node, struct dg_error *err)
{
    struct dg_arena *kept = &lives->page->memory;
    struct dg_rows rows = dg_rows_of(
        lives->store,
        "SELECT node.name, coalesce(op.name, node.kind), coalesce(dtype, '') ||"
        " coalesce(shape, '') FROM node LEFT JOIN op ON op.id = op_id"
        " LEFT JOIN value ON value.id = node.value_id WHERE node.id = ?1",
        lives->graph.first_id + node, err);

    if (dg_rows_next(&rows))
        *words =
            (struct words){dg_rows_keep(kept, &rows, 0), dg_rows_keep(kept, &rows, 1),
                           dg_rows_keep(kept, &rows, 2)};
    return dg_rows_close(&rows, DG_OK, err);
}

/* A getitem of a tuple owns its memory, from its producer on, unless that gives views:
 * split, unbind. */
static uint32_t owner_of(const struct lives *lives, uint32_t node)
{
    const struct dg_graph *graph = &lives->graph;
    const struct result *result = &lives->results[node];
    uint32_t input;

    if (!result->views || graph->input_of[node] == graph->input_of[node + 1])
        return node;
    input = graph->inputs[graph->input_of[node]];
    if (input >= node ||
        (!lives->results[input].typed && result->item && !lives->results[input].views))
        return node;
    return lives->results[input].owner;
}

static void find_lives(struct lives *lives)
{
    const struct dg_graph *graph = &lives->graph;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        struct result *result = &lives->results[i], *owner;
        uint32_t last = i;

        result->owner = owner_of(lives, i);
        result->first = i;
        if (result->owner == i && result->item &&
            graph->input_of[i] < graph->input_of[i + 1])
            result->first = graph->inputs[graph->input_of[i]];
        for (uint32_t k = graph->user_of[i]; k < graph->user_of[i + 1]; k++)
            if (graph->users[k] > last)
                last = graph->users[k];
        owner = &lives->results[result->owner];
        if (last > owner->last)
            owner->last = last;
    }
}

static bool counts(const struct lives *lives, uint32_t node)
{
    const struct result *result = &lives->results[node];

    return result->owner == node && !result->outside && result->nbytes > 0;
}

static void add_totals(struct lives *lives)
{
    uint32_t n = lives->graph.n_nodes;
    double live = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct result *result = &lives->results[i];

        if (!counts(lives, i))
            continue;
        lives->totals[result->first < i ? result->first : i] += (double)result->nbytes;
        lives->totals[result->last + 1] -= (double)result->nbytes;
    }
    for (uint32_t i = 0; i < n; i++) {
        live += lives->totals[i];
        lives->totals[i] = live;
        if (live > lives->totals[lives->peak])
            lives->peak = i;
    }
}

static int compare_sizes(const void *a, const void *b)
{
    const struct dg_alive *x = a, *y = b;

    if (x->nbytes != y->nbytes)
        return x->nbytes > y->nbytes ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void gather(const struct lives *lives, struct dg_alive_chart *chart)
{
    for (uint32_t i = 0; i < lives->graph.n_nodes; i++) {
        const struct result *result = &lives->results[i];

        if (counts(lives, i) && result->first <= lives->peak &&
            lives->peak <= result->last)
            *DG_APPEND(chart->items, chart->n_items) =
                (struct dg_alive){.first = result->first,
                                  .last = result->last,
                                  .begin = -1,
                                  .nbytes = result->nbytes,
                                  .row = i,
                                  .kind = DG_ALIVE_RESULTS};
    }
    dg_sort(chart->items, chart->n_items, sizeof(*chart->items), compare_sizes);
}

/* Words of the largest, as many as are shown. */
static enum dg_status name_largest(const struct lives *lives,
                                   struct dg_alive_chart *chart, struct words *words,
                                   struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < chart->n_items && i < MOST_ROWS && !status; i++) {
        status = describe(&words[i], lives, (uint32_t)chart->items[i].row, err);
        if (!status)
            chart->items[i].name =
                dg_format(&lives->page->memory, "%s %s %s", words[i].op.data,
                          words[i].name.data, words[i].type.data);
    }
    return status;
}

static void list_peak(const struct lives *lives, const struct dg_alive_chart *chart,
                      const struct words *words, struct dg_text peak)
{
    struct dg_page *page = lives->page;

    page->forms = DG_FORM_HTML;
    dg_page_table(page, NULL,
                  dg_format(&page->memory, "Alive at the peak, node %" PRIu32 " (%s)",
                            lives->peak, peak.data)
                      .data);
    dg_table_column(page, "Node", DG_CELL_NODE);
    dg_table_column(page, "Operator", DG_CELL_CODE);
    dg_table_column(page, "Type", DG_CELL_CODE);
    dg_table_column(page, "Bytes", DG_CELL_BYTES);
    dg_table_column(page, "From", DG_CELL_COUNT);
    dg_table_column(page, "To", DG_CELL_COUNT);
    for (size_t i = 0; i < chart->n_items && i < MOST_ROWS; i++) {
        const struct dg_alive *item = &chart->items[i];

        dg_table_text(page, words[i].name);
        dg_table_text(page, words[i].op);
        dg_table_text(page, words[i].type);
        dg_table_number(page, (double)item->nbytes);
        dg_table_number(page, (double)item->first);
        dg_table_number(page, (double)item->last);
    }
    if (chart->n_items > MOST_ROWS)
        dg_table_more(page, chart->n_items - MOST_ROWS, "%s", "");
}

static void say(const struct lives *lives, const char *method)
{
    struct dg_page *page = lives->page;

    page->forms = DG_FORM_ALL;
    dg_page_fact(
        page, -1,
        dg_format(&page->memory, "Results alive at the peak of %s", method).data,
        "%s, if each is freed after its last use",
        dg_amount_bytes(page, (int64_t)lives->totals[lives->peak]));
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    if (lives->inputs)
        dg_page_fact(page, -1, "Inputs, besides", "%s",
                     dg_amount_bytes(page, lives->inputs));
    if (lives->constants)
        dg_page_fact(page, -1, "Weights, buffers, constants, besides", "%s",
                     dg_amount_bytes(page, lives->constants));
    if (lives->n_unknown)
        dg_page_fact(page, -1, "Not counted", "%s",
                     dg_amount_of(page, (int64_t)lives->n_unknown,
                                  "result of unknown size", "results of unknown size"));
}

static enum dg_status show(struct lives *lives, const char *method,
                           struct dg_error *err)
{
    struct dg_arena *kept = &lives->page->memory;
    struct dg_alive_chart chart = {
        .id = dg_format(kept, "memory-%" PRId64, lives->graph.id).data,
        .caption = dg_format(kept,
                             "Result bytes of %s, each freed after its last use; "
                             "views count once",
                             method)
                       .data,
        .x_name = "node",
        .totals = lives->totals,
        .n_steps = lives->graph.n_nodes,
        .peak = lives->peak,
    };

    struct words words[MOST_ROWS], peak;
    enum dg_status status = describe(&peak, lives, lives->peak, err);

    say(lives, method);
    gather(lives, &chart);
    if (!status)
        status = name_largest(lives, &chart, words, err);
    if (!status) {
        lives->page->forms = DG_FORM_HTML | DG_FORM_TEXT;
        dg_alive_chart(lives->page, &chart);
        list_peak(lives, &chart, words, peak.name);
    }
    free(chart.items);
    return status;
}

static enum dg_status add_method(struct dg_page *page, struct dg_store *store,
                                 int64_t graph, const char *method,
                                 struct dg_error *err)
{
    struct lives lives = {.page = page, .store = store};
    enum dg_status status = dg_graph_load(&lives.graph, store, graph, err);

    if (!status) {
        uint32_t n = lives.graph.n_nodes;

        lives.results = dg_alloc(&lives.graph.memory, n, sizeof(*lives.results));
        lives.totals = dg_alloc(&lives.graph.memory, n + 1, sizeof(*lives.totals));
        status = load_results(&lives, err);
    }
    if (!status) {
        find_lives(&lives);
        add_totals(&lives);
        if (lives.graph.n_nodes && lives.totals[lives.peak] > 0)
            status = show(&lives, method, err);
    }
    dg_graph_clear(&lives.graph);
    return status;
}

enum dg_status dg_memory_unplanned(struct dg_page *page,
                                   const struct dg_report_input *input,
                                   struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        input->store,
        "SELECT graph.id, method.name FROM graph JOIN method ON method.id = method_id"
        " WHERE artifact_id = ?1 AND path = '' AND ir <> 'pte' ORDER BY method.id",
        input->artifact, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = add_method(page, input->store, dg_rows_int(&rows, 0),
                            dg_copy(&page->memory, dg_rows_slice(&rows, 1)), err);
    return dg_rows_close(&rows, status, err);
}
