/* Liveness in all methods, and what they leave in memory for one another. */
#include "graph/liveness.h"

#include <stdlib.h>

#include "base/sorted.h"

/* Bytes of an arena that a method writes. */
struct trace {
    int64_t artifact, arena, begin, end;
    size_t method; /* in dg_liveness */
};

struct traces {
    struct trace *items;
    size_t n_items;
};

static void release_liveness(void *object)
{
    struct dg_liveness *liveness = object;

    for (size_t i = 0; i < liveness->n_items; i++) {
        dg_live_ranges_clear(&liveness->items[i].live);
        dg_flow_clear(&liveness->items[i].flow);
        free(liveness->items[i].arenas);
        free(liveness->items[i].ends);
    }
    free(liveness->items);
    free(liveness);
}

static int compare(const void *a, const void *b)
{
    const struct trace *left = a, *right = b;
    const int64_t keys[][2] = {{left->artifact, right->artifact},
                               {left->arena, right->arena},
                               {left->begin, right->begin},
                               {left->end, right->end}};

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    }
    return 0;
}

static struct trace trace_of(const struct dg_liveness *liveness, size_t i,
                             uint32_t value)
{
    const struct dg_flow_value *one = &liveness->items[i].flow.values[value];

    return (struct trace){liveness->items[i].artifact, one->arena, one->begin, one->end,
                          i};
}

static void leave_traces(struct traces *traces, const struct dg_liveness *liveness,
                         size_t i)
{
    const struct dg_flow *flow = &liveness->items[i].flow;

    for (uint32_t k = 0; k < flow->n_accesses; k++) {
        const struct dg_flow_access *access = &flow->accesses[k];

        if (access->how & DG_FLOW_WRITE && flow->values[access->value].arena > 1)
            *DG_APPEND(traces->items, traces->n_items) =
                trace_of(liveness, i, access->value);
    }
}

/* Whether another method than `wanted->method` writes just these bytes. */
static bool is_left(const struct traces *traces, const struct trace *wanted)
{
    size_t at = DG_SORTED_BEFORE(traces->items, traces->n_items, wanted, compare);

    for (; at < traces->n_items && !compare(&traces->items[at], wanted); at++) {
        if (traces->items[at].method != wanted->method)
            return true;
    }
    return false;
}

static uint32_t drop_left(struct dg_liveness *liveness, const struct traces *traces,
                          size_t method, struct dg_live_place *places, uint32_t n)
{
    struct dg_live_ranges *live = &liveness->items[method].live;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct trace wanted = trace_of(liveness, method, places[i].of);

        if (wanted.arena > 1 && is_left(traces, &wanted))
            live->buffer[places[i].of] = true;
        else
            places[kept++] = places[i];
    }
    return kept;
}

/* The same bytes may be left by each of many methods: one is enough, and a second one
 * for the sake of the first. */
static void thin_out(struct traces *traces)
{
    size_t n = 0;

    for (size_t i = 0; i < traces->n_items; i++) {
        struct trace *one = &traces->items[i];

        if (n && !compare(&traces->items[n - 1], one) &&
            (traces->items[n - 1].method == one->method ||
             (n > 1 && !compare(&traces->items[n - 2], one))))
            continue;
        traces->items[n++] = *one;
    }
    traces->n_items = n;
}

static void share_arenas(struct dg_liveness *liveness)
{
    struct traces traces = {0};

    for (size_t i = 0; i < liveness->n_items && liveness->n_items > 1; i++)
        leave_traces(&traces, liveness, i);
    if (!traces.n_items)
        return;
    dg_sort(traces.items, traces.n_items, sizeof(*traces.items), compare);
    thin_out(&traces);
    for (size_t i = 0; i < liveness->n_items; i++) {
        struct dg_live_ranges *live = &liveness->items[i].live;

        live->n_undefined =
            drop_left(liveness, &traces, i, live->undefined, live->n_undefined);
        live->n_missing =
            drop_left(liveness, &traces, i, live->missing, live->n_missing);
    }
    free(traces.items);
}

static enum dg_status read_arenas(struct dg_method_liveness *method,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        store, "SELECT size_bytes FROM arena WHERE method_id = ?1 ORDER BY idx",
        method->method, err);

    while (dg_rows_next(&rows))
        *DG_APPEND(method->arenas, method->n_arenas) = dg_rows_int(&rows, 0);
    return dg_rows_close(&rows, DG_OK, err);
}

static void find_ends(struct dg_method_liveness *method)
{
    method->ends = calloc(method->n_arenas + 1, sizeof(*method->ends));
    if (!method->ends)
        dg_out_of_memory();
    for (uint32_t i = 0; i < method->flow.n_values; i++) {
        const struct dg_flow_value *one = &method->flow.values[i];

        if (one->arena >= 0 && (uint64_t)one->arena < method->n_arenas &&
            one->end > method->ends[one->arena])
            method->ends[one->arena] = one->end;
    }
}

static enum dg_status read_methods(struct dg_liveness *liveness, struct dg_store *store,
                                   struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "SELECT \"graph\".id, method_id, artifact_id, count(*) OVER () FROM method"
        "  JOIN \"graph\" ON method.id = method_id WHERE ir = 'pte' ORDER BY 1",
        err);

    if (status)
        return status;
    while (!status && dg_rows_next(&rows)) {
        struct dg_method_liveness *one;

        if (!liveness->items)
            liveness->items = calloc((size_t)dg_rows_int(&rows, 3), sizeof(*one));
        if (!liveness->items)
            dg_out_of_memory();
        one = &liveness->items[liveness->n_items++];
        one->method = dg_rows_int(&rows, 1);
        one->artifact = dg_rows_int(&rows, 2);
        status = dg_flow_load(&one->flow, store, dg_rows_int(&rows, 0), err);
        if (!status) {
            dg_live_ranges_find(&one->live, &one->flow);
            status = read_arenas(one, store, err);
            find_ends(one);
        }
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_liveness_read(struct dg_liveness **out, struct dg_store *store,
                                struct dg_error *err)
{
    struct dg_liveness *liveness = dg_store_kept(store, release_liveness);
    enum dg_status status = DG_OK;

    if (!liveness) {
        liveness = calloc(1, sizeof(*liveness));
        if (!liveness)
            dg_out_of_memory();
        status = read_methods(liveness, store, err);
        if (status) {
            release_liveness(liveness);
            return status;
        }
        share_arenas(liveness);
        dg_store_keep(store, liveness, release_liveness);
    }
    *out = liveness;
    return DG_OK;
}
