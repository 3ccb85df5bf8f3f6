/* Graph breaks: what the host runs between two calls of delegates. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "reports/sections/partitions_parts.h"

enum { MOST_BREAKS = 30, MOST_OPS = 4 };

/* Host calls in a row, between two calls of delegates; or all such with the same
 * operators, told by the first of them. */
struct stretch {
    struct dg_text method, after, before, first;
    struct dg_text ops[MOST_OPS], text; /* the first ones, and these as one text */
    size_t n_ops, index;
    bool more_ops;
    int64_t calls, flops, places;
};

struct breaks {
    struct dg_arena *memory;
    struct stretch *items; /* the last one is open: nothing follows it yet */
    size_t n_items;
    int64_t graph, calls;
};

static void add_op(struct breaks *breaks, struct stretch *stretch, struct dg_text op)
{
    for (size_t i = 0; i < stretch->n_ops; i++)
        if (dg_text_equal(stretch->ops[i], op))
            return;
    if (stretch->n_ops == MOST_OPS)
        stretch->more_ops = true;
    else
        stretch->ops[stretch->n_ops++] =
            (struct dg_text){dg_copy(breaks->memory, op), op.size};
}

/* Drop the open one: what nothing delegated follows is no break. */
static void drop_open(struct breaks *breaks)
{
    if (breaks->n_items && !breaks->items[breaks->n_items - 1].before.data)
        breaks->n_items--;
}

static void take_delegate(struct breaks *breaks, const struct dg_rows *rows)
{
    struct stretch *open = breaks->n_items ? &breaks->items[breaks->n_items - 1] : NULL;
    struct dg_text name = dg_text(dg_copy(breaks->memory, dg_rows_slice(rows, 2)));

    if (open && !open->before.data && open->calls) {
        open->before = name;
        breaks->calls += open->calls;
    }
    drop_open(breaks);
    open = DG_APPEND(breaks->items, breaks->n_items);
    open->method = dg_text(dg_copy(breaks->memory, dg_rows_slice(rows, 1)));
    open->after = name;
}

static void take(struct breaks *breaks, const struct dg_rows *rows)
{
    struct stretch *open;

    if (dg_rows_int(rows, 0) != breaks->graph)
        drop_open(breaks);
    breaks->graph = dg_rows_int(rows, 0);
    if (dg_rows_int(rows, 4)) {
        take_delegate(breaks, rows);
        return;
    }
    open = breaks->n_items ? &breaks->items[breaks->n_items - 1] : NULL;
    if (!open || open->before.data)
        return;
    if (!open->calls++)
        open->first = dg_text(dg_copy(breaks->memory, dg_rows_slice(rows, 2)));
    dg_add_to(&open->flops, dg_rows_int_or(rows, 5, 0));
    add_op(breaks, open, dg_rows_slice(rows, 3));
}

static enum dg_status find(struct breaks *breaks, const struct dg_report_input *input,
                           struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        input->store,
        "SELECT graph_id, method.name, node.name, op.name, node.kind = 'delegate_call'"
        "  OR op.name IS 'higher_order::executorch_call_delegate', flops"
        " FROM method JOIN graph ON method_id = method.id AND path = ''"
        " JOIN node ON graph_id = graph.id LEFT JOIN op ON op.id = op_id"
        " LEFT JOIN cost ON node_id = node.id WHERE artifact_id = ?1 AND node.kind IN"
        "  ('call_function', 'kernel_call', 'delegate_call')"
        "  AND op.name IS NOT '_operator.getitem' ORDER BY node.id",
        input->artifact, err);

    while (dg_rows_next(&rows))
        take(breaks, &rows);
    drop_open(breaks);
    return dg_rows_close(&rows, DG_OK, err);
}

static struct dg_text ops_of(struct dg_arena *memory, const struct stretch *stretch)
{
    struct dg_writer text = {0};

    for (size_t i = 0; i < stretch->n_ops; i++) {
        dg_print(&text, i ? ", " : "");
        dg_write_text(&text, stretch->ops[i]);
    }
    dg_print(&text, stretch->more_ops ? ", ..." : "");
    return dg_keep(memory, &text);
}

static int compare_ops(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    int order = strcmp(x->method.data, y->method.data);

    if (!order)
        order = strcmp(x->text.data, y->text.data);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int compare_costs(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;

    if (x->flops != y->flops)
        return x->flops > y->flops ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Stretches with the same operators become one. */
static void merge(struct breaks *breaks)
{
    struct stretch *items = breaks->items;
    size_t n = 0;

    for (size_t i = 0; i < breaks->n_items; i++) {
        items[i].index = i;
        items[i].places = 1;
        items[i].text = ops_of(breaks->memory, &items[i]);
    }
    dg_sort(items, breaks->n_items, sizeof(*items), compare_ops);
    for (size_t i = 0; i < breaks->n_items; i++) {
        struct stretch *last = n ? &items[n - 1] : NULL;

        if (!last || !dg_text_equal(last->text, items[i].text) ||
            !dg_text_equal(last->method, items[i].method)) {
            items[n++] = items[i];
            continue;
        }
        last->places++;
        last->calls += items[i].calls;
        dg_add_to(&last->flops, items[i].flops);
    }
    breaks->n_items = n;
    dg_sort(items, n, sizeof(*items), compare_costs);
}

static void list(struct dg_page *page, const struct breaks *breaks, const char *path)
{
    dg_page_table(page, "graph-breaks",
                  "Graph breaks: what the host runs between delegates");
    dg_table_column(page, "Operators", DG_CELL_CODE);
    dg_table_column(page, "Method", DG_CELL_CODE);
    dg_table_column(page, "Places", DG_CELL_COUNT);
    dg_table_column(page, "Calls", DG_CELL_COUNT);
    dg_table_column(page, "FLOPs", DG_CELL_COUNT);
    dg_table_column(page, "First", DG_CELL_NODE);
    dg_table_column(page, "After", DG_CELL_NODE);
    dg_table_column(page, "Before", DG_CELL_NODE);
    for (size_t i = 0; i < breaks->n_items && i < MOST_BREAKS; i++) {
        const struct stretch *stretch = &breaks->items[i];

        dg_table_text(page, stretch->text);
        dg_table_text(page, stretch->method);
        dg_table_number(page, (double)stretch->places);
        dg_table_number(page, (double)stretch->calls);
        dg_table_number(page, (double)stretch->flops);
        dg_table_text(page, stretch->first);
        dg_table_text(page, stretch->after);
        dg_table_text(page, stretch->before);
    }
    if (breaks->n_items > MOST_BREAKS)
        dg_table_more(page, breaks->n_items - MOST_BREAKS,
                      "delegraph query %s @graph-breaks", path);
}

enum dg_status dg_partitions_breaks(struct dg_page *page,
                                    const struct dg_report_input *input,
                                    struct dg_error *err)
{
    struct breaks breaks = {.memory = &page->memory};
    enum dg_status status = find(&breaks, input, err);

    if (!status && breaks.n_items) {
        page->forms = DG_FORM_ALL;
        dg_page_fact(
            page, -1, "Graph breaks", "%s between delegates, %s on the host",
            dg_amount_of(page, (int64_t)breaks.n_items, "stretch", "stretches"),
            dg_amount_of(page, breaks.calls, "call", "calls"));
        page->forms = DG_FORM_HTML | DG_FORM_TEXT;
        merge(&breaks);
        list(page, &breaks, input->path);
    }
    free(breaks.items);
    return status;
}
