/* Counting calls: one pass over nodes of methods, and one over those of delegates. */
#include "graph/runnable.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/sum.h"
#include "base/text.h"
#include "base/text_set.h"
#include "store/scan.h"

/* How often a method, or a graph inside of delegates, calls something: an operator, by
 * its number among names, or such a graph, by its row. */
struct count {
    struct {
        uint32_t owner, called;
    } of;
    int64_t n;
};

/* Starts from {0}. */
struct counts {
    struct count *items;
    uint32_t n_items;
    struct dg_hash_table table;
};

struct delegate {
    uint32_t method, graph; /* graph: what its blob computes; 0: it cannot be opened */
    bool lowered;           /* its nodes are those of a graph of the program */
    struct dg_text backend;
    int64_t calls, others; /* by instructions of a .pte, and by nodes of FX */
};

enum { OPS, GRAPHS, INSIDES, DELEGATES, N_TABLES };

/* Items of arrays are at their rows; row 0 is none. */
struct counting {
    struct dg_store *store;
    struct dg_error *err;
    struct dg_called_ops *called;
    struct dg_text_set names; /* in the memory of `called` */
    struct dg_writer spelled; /* a name that may be new */
    int64_t n[N_TABLES];
    uint32_t *ops;     /* numbers of names */
    uint32_t *methods; /* rows, of graphs */
    bool *open;        /* graphs inside of delegates whose nodes have kernels here */
    struct delegate *delegates;
    struct counts calls, inside;
    struct counts opened;   /* calls of graphs inside of delegates, by method */
    struct dg_arena memory; /* of the arrays */
};

static bool same_count(const void *counts, uint32_t number, struct dg_text key)
{
    return !memcmp(&((const struct count *)counts)[number].of, key.data, key.size);
}

static void count(struct counts *counts, uint32_t owner, uint32_t called, int64_t n)
{
    struct count key = {.of = {owner, called}};
    struct dg_text text = {(const char *)&key.of, sizeof(key.of)};
    uint32_t number =
        dg_hash_table_add(&counts->table, text, same_count, counts->items);

    if (number == counts->n_items)
        *DG_APPEND(counts->items, counts->n_items) = key;
    dg_add_to(&counts->items[number].n, n);
}

static void clear_counts(struct counts *counts)
{
    free(counts->items);
    dg_hash_table_clear(&counts->table);
}

static uint32_t name_of(struct counting *counting, const char *space,
                        struct dg_text name)
{
    struct dg_writer *spelled = &counting->spelled;
    struct dg_text text;
    uint32_t number;

    spelled->size = 0;
    dg_print(spelled, "%s", space);
    dg_write_text(spelled, name);
    text = spelled->size ? dg_written(spelled) : dg_text("");
    number = dg_text_set_find(&counting->names, text);
    if (number != DG_NO_TEXT)
        return number;
    return dg_text_set_add(&counting->names,
                           dg_copy_text(&counting->called->memory, text));
}

/* 0: it is none of the `n` rows of a table. */
static uint32_t row_up_to(const struct dg_scan *scan, int column, int64_t n)
{
    int64_t row = dg_scan_int(scan, column);

    return row > 0 && row <= n ? (uint32_t)row : 0;
}

static void add_op(struct counting *counting, const struct dg_scan *scan)
{
    counting->ops[row_up_to(scan, 0, counting->n[OPS])] =
        name_of(counting, "", dg_scan_text(scan, 1));
}

static void add_graph(struct counting *counting, const struct dg_scan *scan)
{
    counting->methods[row_up_to(scan, 0, counting->n[GRAPHS])] =
        row_up_to(scan, 1, UINT32_MAX);
}

static void add_inside(struct counting *counting, const struct dg_scan *scan)
{
    counting->open[row_up_to(scan, 0, counting->n[INSIDES])] =
        dg_text_is(dg_scan_text(scan, 1), "xnnpack");
}

static void add_delegate(struct counting *counting, const struct dg_scan *scan)
{
    uint32_t inside = row_up_to(scan, 4, counting->n[INSIDES]);

    counting->delegates[row_up_to(scan, 0, counting->n[DELEGATES])] = (struct delegate){
        .method = row_up_to(scan, 1, UINT32_MAX),
        .graph = counting->open[inside] ? inside : 0,
        .lowered = dg_scan_int_or(scan, 3, 0) != 0,
        .backend = dg_scan_keep(&counting->memory, scan, 2),
    };
}

static void count_node(struct counting *counting, const struct dg_scan *scan)
{
    uint32_t graph = row_up_to(scan, 0, counting->n[GRAPHS]);
    uint32_t op = row_up_to(scan, 2, counting->n[OPS]);
    struct delegate *delegate =
        &counting->delegates[row_up_to(scan, 3, counting->n[DELEGATES])];
    struct dg_text kind = dg_scan_text(scan, 1);
    bool is_call = dg_text_is(kind, "call_function");

    if (graph && op && (is_call || dg_text_is(kind, "kernel_call")))
        count(&counting->calls, counting->methods[graph], counting->ops[op], 1);
    delegate->others += is_call;
    delegate->calls += !is_call && dg_text_is(kind, "delegate_call");
}

static void count_inside(struct counting *counting, const struct dg_scan *scan)
{
    uint32_t graph = row_up_to(scan, 0, counting->n[INSIDES]);

    if (counting->open[graph])
        count(&counting->inside, graph,
              name_of(counting, "xnnpack::", dg_scan_text(scan, 1)), 1);
}

static enum dg_status make_room(struct counting *counting)
{
    static const char *const tables[] = {"op", "graph", "delegate_graph", "delegate"};
    enum dg_status status = DG_OK;

    for (int t = 0; t < N_TABLES && !status; t++)
        status =
            dg_scan_count(&counting->n[t], counting->store, tables[t], counting->err);
    if (status)
        return status;
#define ROOM(array, table)                                                             \
    counting->array = dg_alloc(&counting->memory, (size_t)counting->n[table] + 1,      \
                               sizeof(*counting->array))
    ROOM(ops, OPS);
    ROOM(methods, GRAPHS);
    ROOM(open, INSIDES);
    ROOM(delegates, DELEGATES);
#undef ROOM
    return DG_OK;
}

static enum dg_status visit_all(struct counting *counting)
{
    static const struct {
        const char *table, *columns;
        void (*visit)(struct counting *counting, const struct dg_scan *scan);
    } visits[] = {
        {"op", "id, name", add_op},
        {"graph", "id, method_id", add_graph},
        {"delegate_graph", "id, format", add_inside},
        {"delegate", "id, method_id, backend, graph_id, inside_id", add_delegate},
        {"node", "graph_id, kind, op_id, delegate_id", count_node},
        {"delegate_node", "graph_id, op", count_inside},
    };
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < sizeof(visits) / sizeof(*visits) && !status; i++) {
        struct dg_scan scan = dg_scan_all(counting->store, visits[i].table,
                                          visits[i].columns, "id", counting->err);

        while (dg_scan_next(&scan))
            visits[i].visit(counting, &scan);
        status = dg_scan_close(&scan, DG_OK, counting->err);
    }
    return status;
}

static int by_owner(const void *a, const void *b)
{
    const struct count *x = a, *y = b;

    return (x->of.owner > y->of.owner) - (x->of.owner < y->of.owner);
}

static void count_delegates(struct counting *counting)
{
    for (int64_t i = 1; i <= counting->n[DELEGATES]; i++) {
        const struct delegate *delegate = &counting->delegates[i];
        int64_t n = delegate->calls + delegate->others;
        struct dg_text backend =
            delegate->backend.data ? delegate->backend : dg_text("without a name");

        if (delegate->lowered || !n)
            continue;
        if (!delegate->graph)
            count(&counting->calls, delegate->method,
                  name_of(counting, "delegate ", backend), n);
        else if (delegate->calls)
            count(&counting->opened, delegate->method, delegate->graph,
                  delegate->calls);
    }
}

/* What a graph inside of delegates calls; *n: how many operators. */
static const struct count *calls_inside(const struct counting *counting, uint32_t graph,
                                        size_t *n)
{
    const struct counts *inside = &counting->inside;
    struct count key = {.of = {.owner = graph}};
    size_t first = DG_SORTED_BEFORE(inside->items, inside->n_items, &key, by_owner);

    *n = DG_SORTED_UP_TO(inside->items, inside->n_items, &key, by_owner) - first;
    return inside->items + first;
}

/* Each call of a delegate calls all that is inside of it. */
static void count_calls_of(struct counting *counting, const struct count *opened)
{
    size_t n_ops;
    const struct count *ops = calls_inside(counting, opened->of.called, &n_ops);

    for (size_t i = 0; i < n_ops; i++) {
        int64_t n;

        if (__builtin_mul_overflow(opened->n, ops[i].n, &n))
            n = INT64_MAX;
        count(&counting->calls, opened->of.owner, ops[i].of.called, n);
    }
}

/* Methods may share a graph, whose operators each of them calls: that can be far more
 * than the file holds. */
static enum dg_status bound_shared(const struct counting *counting)
{
    enum { MOST_SHARED = 1 << 22 };
    size_t n = 0, n_ops, most = MOST_SHARED + (size_t)counting->inside.n_items;

    for (uint32_t i = 0; i < counting->opened.n_items; i++) {
        calls_inside(counting, counting->opened.items[i].of.called, &n_ops);
        n += n_ops;
    }
    return n <= most
               ? DG_OK
               : dg_fail(counting->err, DG_ERR_FORMAT,
                         "methods call %zu operators inside of delegates that they"
                         " share: more than %zu",
                         n, most);
}

static enum dg_status count_all_inside(struct counting *counting)
{
    enum dg_status status;

    dg_sort(counting->inside.items, counting->inside.n_items,
            sizeof(*counting->inside.items), by_owner);
    status = bound_shared(counting);
    for (uint32_t i = 0; i < counting->opened.n_items && !status; i++)
        count_calls_of(counting, &counting->opened.items[i]);
    return status;
}

static int by_op(const void *a, const void *b)
{
    const struct dg_called_op *x = a, *y = b;
    int order = dg_text_compare(x->op, y->op);

    return order ? order : (x->method > y->method) - (x->method < y->method);
}

static void gather(const struct counting *counting)
{
    struct dg_called_ops *called = counting->called;

    called->n_ops = counting->calls.n_items;
    called->ops = dg_alloc(&called->memory, called->n_ops, sizeof(*called->ops));
    for (size_t i = 0; i < called->n_ops; i++) {
        const struct count *item = &counting->calls.items[i];

        called->ops[i] = (struct dg_called_op){
            .method = item->of.owner,
            .op = counting->names.texts[item->of.called],
            .n = item->n,
        };
    }
    dg_sort(called->ops, called->n_ops, sizeof(*called->ops), by_op);
}

enum dg_status dg_called_ops_read(struct dg_called_ops *called, struct dg_store *store,
                                  struct dg_error *err)
{
    struct counting counting = {.store = store, .err = err, .called = called};
    enum dg_status status = make_room(&counting);

    if (!status)
        status = visit_all(&counting);
    if (!status) {
        count_delegates(&counting);
        status = count_all_inside(&counting);
    }
    if (!status)
        gather(&counting);
    clear_counts(&counting.calls);
    clear_counts(&counting.inside);
    clear_counts(&counting.opened);
    dg_text_set_clear(&counting.names);
    dg_writer_clear(&counting.spelled);
    dg_arena_clear(&counting.memory);
    return status;
}

static void release(void *object)
{
    struct dg_called_ops *called = object;

    dg_arena_clear(&called->memory);
    free(called);
}

static int by_method(const void *a, const void *b)
{
    const struct dg_called_op *x = a, *y = b;

    return (x->method > y->method) - (x->method < y->method);
}

static int by_method_and_op(const void *a, const void *b)
{
    int order = by_method(a, b);

    return order ? order : by_op(a, b);
}

void dg_runnable_keep(struct dg_store *store, struct dg_called_ops *called)
{
    dg_sort(called->ops, called->n_ops, sizeof(*called->ops), by_method_and_op);
    dg_store_drop(store, release);
    dg_store_keep(store, called, release);
}

struct dg_runnable dg_runnable(const struct dg_store *store, int64_t method)
{
    const struct dg_called_ops *all = dg_store_kept(store, release);
    struct dg_called_op key = {.method = method};
    size_t first = DG_SORTED_BEFORE(all->ops, all->n_ops, &key, by_method);
    size_t end = DG_SORTED_UP_TO(all->ops, all->n_ops, &key, by_method);

    return (struct dg_runnable){all->ops + first, end - first};
}

struct dg_runnable_sums dg_runnable_sums(const struct dg_runnable *runnable)
{
    struct dg_runnable_sums sums = {0};

    for (size_t i = 0; i < runnable->n_ops; i++) {
        const struct dg_called_op *op = &runnable->ops[i];

        dg_add_to(&sums.nodes, op->n);
        dg_add_to(&sums.cpu, op->cpu ? op->n : 0);
        dg_add_to(&sums.cuda, op->cuda ? op->n : 0);
    }
    return sums;
}
