/* Python lines of a .pte from the program that it was made from. */
#include "formats/line_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sorted.h"
#include "base/text.h"
#include "base/text_set.h"
#include "graph/handles_sql.h"

struct call {
    int64_t node, graph, trace; /* rows; trace 0: none */
    uint32_t form;              /* calls that may be each other have one number */
    uint32_t method;
};

struct calls {
    struct call *items;
    size_t n_items;
    uint32_t *delegated; /* by method: how many are calls of delegates */
    size_t n_delegated;
};

struct search {
    struct dg_store *store;
    struct dg_text_set forms, methods;
    struct dg_arena memory; /* of their texts */
    struct calls pte, program;
};

/* In the order of execution, of a .pte or of edge programs: what torch.export saved is
 * decomposed before it is lowered, so that a call of the same operator can be another.
 * A result of several tensors has no type here. */
static const char calls_sql[] =
    "SELECT node.id, node.graph_id, node.trace_id, method.name, op.name,"
    " delegate.backend, value.dtype,"
    " iif(value.dynamism <> 'static' OR instr(value.shape, '\"'), '?', value.shape)"
    " FROM node CROSS JOIN graph ON graph.id = node.graph_id"
    " CROSS JOIN method ON method.id = graph.method_id"
    " LEFT JOIN op ON op.id = node.op_id"
    " LEFT JOIN delegate ON delegate.id = node.delegate_id"
    " LEFT JOIN value ON value.id = coalesce(node.value_id,"
    "  (SELECT iif(min(value_id) = max(value_id), max(value_id), NULL) FROM operand"
    "    WHERE node_id = node.id AND access <> 'read'))"
    " WHERE method.artifact_id = ?1 AND method.ir IN ('pte', 'edge')"
    " AND graph.kind <> 'lowered'"
    " AND node.kind IN ('call_function', 'kernel_call', 'delegate_call')"
    " ORDER BY node.id";

enum column { NODE, GRAPH, TRACE, METHOD, OP, BACKEND, DTYPE, SHAPE };

/* "aten::view_copy.out" was "aten::view.default" once, and
 * "executorch_prim::mul.Scalar" Python's mul: what is the same in both. */
static struct dg_text plain_name(const char *op)
{
    static const char python[] = "_operator.";
    const char *colons = strstr(op, "::");
    struct dg_text name = dg_text(op);

    if (colons)
        name = dg_text(colons + 2);
    else if (dg_text_begins(name, python))
        name = dg_text(op + strlen(python));
    name.size = strcspn(name.data, ".");
    if (name.size > 5 && !memcmp(name.data + name.size - 5, "_copy", 5))
        name.size -= 5;
    else if (name.size > 1 && name.data[name.size - 1] == '_' &&
             name.data[name.size - 2] != '_')
        name.size--;
    return name;
}

static uint32_t number_of(struct dg_text_set *set, struct dg_text text,
                          struct dg_arena *memory)
{
    uint32_t number = dg_text_set_find(set, text);

    return number != DG_NO_TEXT ? number
                                : dg_text_set_add(set, dg_copy_text(memory, text));
}

/* Items of a call of a delegate have the types that the call itself lacks. */
static uint32_t form_of(struct search *search, const struct dg_rows *rows)
{
    struct dg_writer text = {0};
    uint32_t form;

    dg_write_json(&text, dg_rows_slice(rows, METHOD));
    if (!dg_rows_null(rows, BACKEND)) {
        dg_print(&text, " delegate ");
        dg_write_text(&text, dg_rows_slice(rows, BACKEND));
    } else if (!dg_rows_null(rows, OP)) {
        dg_print(&text, " ");
        dg_write_text(&text, plain_name(dg_rows_text(rows, OP)));
        dg_print(&text, " ");
        dg_write_text(&text, dg_rows_slice(rows, DTYPE));
        dg_write_text(&text, dg_rows_slice(rows, SHAPE));
    }
    form = number_of(&search->forms, dg_written(&text), &search->memory);
    dg_writer_clear(&text);
    return form;
}

static enum dg_status read_calls(struct calls *calls, struct search *search,
                                 int64_t artifact, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(search->store, calls_sql, artifact, err);

    while (dg_rows_next(&rows)) {
        uint32_t method =
            number_of(&search->methods, dg_rows_slice(&rows, METHOD), &search->memory);

        while (calls->n_delegated <= method)
            *DG_APPEND(calls->delegated, calls->n_delegated) = 0;
        calls->delegated[method] += !dg_rows_null(&rows, BACKEND);
        *DG_APPEND(calls->items, calls->n_items) =
            (struct call){.node = dg_rows_int(&rows, NODE),
                          .graph = dg_rows_int(&rows, GRAPH),
                          .trace = dg_rows_int(&rows, TRACE),
                          .form = form_of(search, &rows),
                          .method = method};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static int compare_calls(const void *item, const void *key)
{
    const struct call *a = item, *b = key;

    if (a->form != b->form)
        return a->form < b->form ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* How many calls from `first` on have its form. */
static size_t n_alike(const struct calls *calls, size_t first)
{
    size_t n = first;

    while (n < calls->n_items && calls->items[n].form == calls->items[first].form)
        n++;
    return n - first;
}

/* Whether those of a program are in the order in which they are emitted: branches are
 * graphs of their own, and nobody says when one comes. Where all have one trace, none
 * is needed. */
static bool have_order(const struct call *calls, size_t n, bool moved)
{
    bool one_graph = true, one_trace = true;

    for (size_t i = 1; i < n; i++) {
        one_graph = one_graph && calls[i].graph == calls[0].graph;
        one_trace = one_trace && calls[i].trace == calls[0].trace;
    }
    return one_trace || (one_graph && !moved);
}

static enum dg_status give(struct dg_rows *update, struct call *to,
                           const struct call *from, size_t n, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < n && !status; i++) {
        if (to[i].trace || !from[i].trace)
            continue;
        dg_rows_bind_int(update, 1, from[i].trace);
        dg_rows_bind_int(update, 2, to[i].node);
        dg_rows_next(update);
        status = dg_rows_again(update, err);
    }
    return status;
}

/* Whether delegates that one of both lacks may have moved the calls of a method. */
static bool is_moved(const struct search *search, uint32_t method)
{
    const struct calls *pte = &search->pte, *program = &search->program;

    return method >= pte->n_delegated || method >= program->n_delegated ||
           pte->delegated[method] != program->delegated[method];
}

static enum dg_status pair_calls(struct search *search, struct dg_error *err)
{
    struct calls *pte = &search->pte, *program = &search->program;
    struct dg_rows update;
    enum dg_status status = dg_rows_open(
        &update, search->store, "UPDATE node SET trace_id = ?1 WHERE id = ?2", err);

    if (status)
        return status;
    for (size_t i = 0, k = 0, n; i < pte->n_items && !status; i += n) {
        size_t n_program;

        n = n_alike(pte, i);
        while (k < program->n_items && program->items[k].form < pte->items[i].form)
            k++;
        n_program = k < program->n_items && program->items[k].form == pte->items[i].form
                        ? n_alike(program, k)
                        : 0;
        if (n == n_program &&
            have_order(program->items + k, n, is_moved(search, pte->items[i].method)))
            status = give(&update, pte->items + i, program->items + k, n, err);
    }
    return dg_rows_close(&update, status, err);
}

/* What ETRecords say themselves, of the last of the nodes that became one instruction.
 * A delegate is many nodes, of as many lines. */
static const char handles_sql[] =
    "WITH " DG_SQL_HANDLES ","
    "became AS MATERIALIZED (SELECT node, max(other) AS other FROM came"
    "  WHERE kind = 'kernel_call' GROUP BY node)"
    "UPDATE node SET trace_id = coalesce(node.trace_id, other.trace_id),"
    "  module_id = coalesce(node.module_id, other.module_id)"
    " FROM became JOIN node AS other ON other.id = became.other"
    " WHERE node.id = became.node";

static enum dg_status follow_handles(struct dg_store *store, struct dg_error *err)
{
    int64_t any;
    enum dg_status status = dg_store_int(
        store, "SELECT EXISTS (SELECT 1 FROM instruction_handle)", 0, &any, err);

    if (status || !any)
        return status;
    return dg_store_exec(store, handles_sql, err);
}

enum dg_status dg_find_lines(struct dg_store *store, int64_t artifact, int64_t program,
                             struct dg_error *err)
{
    struct search search = {.store = store};
    enum dg_status status = follow_handles(store, err);

    if (!status)
        status = read_calls(&search.pte, &search, artifact, err);
    if (!status)
        status = read_calls(&search.program, &search, program, err);
    dg_sort(search.pte.items, search.pte.n_items, sizeof(struct call), compare_calls);
    dg_sort(search.program.items, search.program.n_items, sizeof(struct call),
            compare_calls);
    if (!status)
        status = pair_calls(&search, err);
    free(search.pte.items);
    free(search.program.items);
    free(search.pte.delegated);
    free(search.program.delegated);
    dg_text_set_clear(&search.forms);
    dg_text_set_clear(&search.methods);
    dg_arena_clear(&search.memory);
    return status;
}
