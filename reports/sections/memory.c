/* Planned memory: how full each arena is when, and what fills it at the peak. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/sorted.h"
#include "graph/allocator_sql.h"
#include "graph/lifetime.h"
#include "reports/sections/memory_parts.h"

enum {
    MOST_CHARTS = 6,
    MOST_ROWS = 20,
    MOST_LONG = 10,
    MOST_CANDIDATES = 64,
    MOST_ARENAS = 50
};

struct arena {
    struct dg_text method, device;
    int64_t graph, idx, size;
    int64_t peak, at; /* bytes, instruction */
    double *totals;
    size_t n_steps;
};

struct memory {
    struct dg_page *page;
    const struct dg_report_input *input;
    struct arena *arenas;
    size_t n_arenas;
};

static enum dg_status load_totals(struct memory *memory, struct arena *arena,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(memory->input->store,
                                     "SELECT bytes FROM occupancy WHERE"
                                     " graph_id = ?1 AND arena = ?2 ORDER BY idx",
                                     arena->graph, err);

    dg_rows_bind_int(&rows, 2, arena->idx);
    while (dg_rows_next(&rows)) {
        int64_t bytes = dg_rows_int(&rows, 0);

        if (bytes > arena->peak) {
            arena->peak = bytes;
            arena->at = (int64_t)arena->n_steps;
        }
        *DG_APPEND(arena->totals, arena->n_steps) = (double)bytes;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status load(struct memory *memory, struct dg_error *err)
{
    struct dg_arena *kept = &memory->page->memory;
    struct dg_rows rows = dg_rows_of(
        memory->input->store,
        "SELECT method.name, arena.device, graph.id, arena.idx, arena.size_bytes"
        " FROM arena JOIN method ON method.id = arena.method_id"
        " JOIN graph ON graph.method_id = method.id AND path = ''"
        " WHERE artifact_id = ?1 AND (arena.idx > 0 OR arena.size_bytes > 0)"
        " ORDER BY method.id, arena.idx",
        memory->input->artifact, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        struct arena *arena = DG_APPEND(memory->arenas, memory->n_arenas);

        arena->method = dg_text(dg_copy(kept, dg_rows_slice(&rows, 0)));
        arena->device = dg_text(dg_copy(kept, dg_rows_slice(&rows, 1)));
        arena->graph = dg_rows_int(&rows, 2);
        arena->idx = dg_rows_int(&rows, 3);
        arena->size = dg_rows_int(&rows, 4);
        status = load_totals(memory, arena, err);
    }
    return dg_rows_close(&rows, status, err);
}

static void say_totals(struct memory *memory)
{
    struct dg_page *page = memory->page;
    int64_t size = 0, peak = 0;
    bool several = false;

    for (size_t i = 0; i < memory->n_arenas; i++) {
        several |= memory->arenas[i].graph != memory->arenas[0].graph;
        dg_add_to(&size, memory->arenas[i].size);
        dg_add_to(&peak, memory->arenas[i].peak);
    }
    dg_page_fact(page, -1, several ? "Planned memory of all methods" : "Planned memory",
                 "%s in %s", dg_amount_bytes(page, size),
                 dg_amount_of(page, (int64_t)memory->n_arenas, "arena", "arenas"));
    dg_page_fact(page, dg_share(peak, size), "Live at the peaks", "%s",
                 dg_amount_bytes(page, peak));
    if (size > peak)
        dg_page_fact(page, dg_share(size - peak, size), "A better plan could save",
                     "%s at most", dg_amount_bytes(page, size - peak));
}

/* Planned memory is not all that a program needs. */
static enum dg_status say_beside(struct memory *memory, struct dg_error *err)
{
    struct dg_page *page = memory->page;
    struct dg_rows rows = dg_rows_of(
        memory->input->store,
        "SELECT sum(" DG_SQL_METHOD_ALLOCATOR(
            "method.id",
            "graph.id") "),"
                        " (SELECT count(*) FROM delegate WHERE method_id IN (SELECT id "
                        "FROM method"
                        "   WHERE artifact_id = ?1)) FROM method JOIN graph"
                        "  ON graph.method_id = method.id WHERE artifact_id = ?1",
        memory->input->artifact, err);

    if (dg_rows_next(&rows))
        dg_page_say(page, DG_TONE_NOTE,
                    "Not in planned memory: about %s that loading allocates%s, and the"
                    " file.",
                    dg_amount_bytes(page, dg_rows_int(&rows, 0)),
                    dg_rows_int(&rows, 1) ? ", what delegates allocate" : "");
    return dg_rows_close(&rows, DG_OK, err);
}

static void list_arenas(struct memory *memory)
{
    struct dg_page *page = memory->page;
    size_t n = memory->n_arenas < MOST_ARENAS ? memory->n_arenas : MOST_ARENAS;

    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    dg_page_table(page, "memory-arenas", "The plan against its lower bound");
    dg_table_columns(page, "Method:code", "Arena:count", "Device:code", "Size:bytes",
                     "Live at the peak:bytes", "Peak at instruction:count",
                     "Share:percent", NULL);
    for (size_t i = 0; i < n; i++) {
        const struct arena *arena = &memory->arenas[i];

        dg_table_text(page, arena->method);
        dg_table_number(page, (double)arena->idx);
        dg_table_text(page, arena->device);
        dg_table_number(page, (double)arena->size);
        dg_table_number(page, (double)arena->peak);
        dg_table_number(page, (double)arena->at);
        dg_table_share(page, arena->peak, arena->size);
    }
    if (n < memory->n_arenas)
        dg_table_more(page, memory->n_arenas - n, "delegraph query %s @arenas",
                      memory->input->path);
}

/* Lives with the instruction that begins each; nodes of a graph have ids in a row. */
#define BEGUN                                                                          \
    " LEFT JOIN node ON node.id = first + (SELECT min(id) FROM node"                   \
    "  WHERE graph_id = ?1) AND first >= 0"                                            \
    " LEFT JOIN op ON op.id = op_id LEFT JOIN delegate"                                \
    "  ON delegate.id = node.delegate_id"

#define PRODUCER                                                                       \
    "CASE WHEN first >= 0 THEN coalesce(op.name, backend, node.kind) WHEN"             \
    " " DG_SQL_IS_STATE " THEN 'state' ELSE 'input' END"
#define TENSOR "coalesce(value.name, 'value ' || value.idx)"
#define TYPE "coalesce(dtype, '') || coalesce(shape, '')"

static enum dg_status load_lives(struct memory *memory, const struct arena *arena,
                                 struct dg_alive_chart *chart, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        memory->input->store,
        "SELECT " PRODUCER " || ' ' || " TENSOR " || ' ' || " TYPE
        ", first, last, mem_offset, nbytes, value.id, " DG_SQL_ALIVE_KIND
        " FROM lifetime"
        " CROSS JOIN value ON value.id = lifetime.value_id" BEGUN
        " WHERE lifetime.value_id IN (SELECT value_id FROM lifetime CROSS JOIN value ON"
        "  value.id = value_id AND graph_id = ?1 AND mem_id = ?2"
        "  WHERE ?3 BETWEEN first AND last ORDER BY nbytes DESC, value_id LIMIT ?4)"
        " ORDER BY nbytes DESC, value.id, first",
        arena->graph, err);

    dg_rows_bind_int(&rows, 2, arena->idx);
    dg_rows_bind_int(&rows, 3, arena->at);
    dg_rows_bind_int(&rows, 4, MOST_CANDIDATES);
    while (dg_rows_next(&rows)) {
        struct dg_alive *item = DG_APPEND(chart->items, chart->n_items);

        item->name = dg_text(dg_copy(&memory->page->memory, dg_rows_slice(&rows, 0)));
        item->first = dg_rows_int(&rows, 1);
        item->last = dg_rows_int(&rows, 2);
        item->begin = dg_rows_int_or(&rows, 3, 0);
        item->nbytes = dg_rows_int_or(&rows, 4, 0);
        item->row = dg_rows_int(&rows, 5);
        item->kind = (enum dg_alive_kind)dg_rows_int(&rows, 6);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* How many bytes of an arena are state, inputs and results, at each instruction. */
static enum dg_status load_kinds(struct memory *memory, const struct arena *arena,
                                 struct dg_alive_chart *chart, struct dg_error *err)
{
    int64_t n = (int64_t)chart->n_steps;
    struct dg_rows rows =
        dg_rows_of(memory->input->store,
                   "SELECT " DG_SQL_ALIVE_KIND ", first, last, nbytes FROM lifetime"
                   " CROSS JOIN value ON value.id = lifetime.value_id"
                   " AND value.graph_id = ?1 AND mem_id = ?2 WHERE nbytes > 0",
                   arena->graph, err);

    for (int kind = 0; kind < DG_N_ALIVE; kind++)
        chart->kinds[kind] =
            dg_alloc(&memory->page->memory, chart->n_steps + 1, sizeof(double));
    dg_rows_bind_int(&rows, 2, arena->idx);
    while (dg_rows_next(&rows)) {
        double *bytes = chart->kinds[dg_rows_int(&rows, 0)];
        int64_t first = dg_rows_int(&rows, 1), last = dg_rows_int(&rows, 2);

        if (first >= n)
            continue;
        bytes[first < 0 ? 0 : first] += (double)dg_rows_int(&rows, 3);
        bytes[last < n ? last + 1 : n] -= (double)dg_rows_int(&rows, 3);
    }
    for (int kind = 0; kind < DG_N_ALIVE; kind++)
        for (int64_t i = 1; i < n; i++)
            chart->kinds[kind][i] += chart->kinds[kind][i - 1];
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status draw(struct memory *memory, const struct arena *arena,
                           struct dg_error *err)
{
    struct dg_arena *kept = &memory->page->memory;
    struct dg_alive_chart chart = {
        .id = dg_format(kept, "memory-%" PRId64 "-%" PRId64, arena->graph, arena->idx)
                  .data,
        .caption = dg_format(kept, "Live bytes of arena %" PRId64 " (%s) of %s",
                             arena->idx, arena->device.data, arena->method.data)
                       .data,
        .x_name = "instruction",
        .totals = arena->totals,
        .n_steps = arena->n_steps,
        .peak = (size_t)arena->at,
        .limit = arena->size,
        .limit_name = "size of the arena",
    };
    enum dg_status status = load_lives(memory, arena, &chart, err);

    if (!status)
        status = load_kinds(memory, arena, &chart, err);
    if (!status)
        dg_alive_chart(memory->page, &chart);
    free(chart.items);
    return status;
}

/* Rows of the values of an arena for which `which` holds, in this order. */
#define LIVES(which, order)                                                            \
    "SELECT " TENSOR " AS \"Value:code\", " TYPE " AS \"Type:code\", nbytes AS"        \
    " \"Bytes:bytes\", mem_offset AS \"At byte:count\", nullif(first, -1) AS"          \
    " \"From:count\", nullif(last, (SELECT count(*) FROM node WHERE graph_id = ?1))"   \
    " AS \"To:count\", node.name AS \"Made by:node\", " PRODUCER                       \
    " AS \"Operator:code\" FROM lifetime CROSS JOIN value ON"                          \
    "  value.id = lifetime.value_id"                                                   \
    "  AND value.graph_id = ?1 AND mem_id = %" PRId64 BEGUN " WHERE " which            \
    " ORDER BY " order ", value.id, first"

static enum dg_status list_lives(struct memory *memory, const struct arena *arena,
                                 struct dg_error *err)
{
    struct dg_arena *kept = &memory->page->memory;
    const char *path = memory->input->path;
    const char *caption =
        dg_format(kept,
                  "Live at the peak of arena %" PRId64 ", instruction %" PRId64
                  " (From empty: filled before the first; To empty: needed behind the "
                  "last)",
                  arena->idx, arena->at)
            .data;
    const char *sql =
        dg_format(kept, LIVES("%" PRId64 " BETWEEN first AND last", "nbytes DESC"),
                  arena->idx, arena->at)
            .data;

    return dg_page_query(
        memory->page, NULL, caption, memory->input->store, sql, arena->graph, MOST_ROWS,
        dg_format(kept, "delegraph query %s @peak", path).data, NULL, err);
}

static enum dg_status list_long(struct memory *memory, const struct arena *arena,
                                struct dg_error *err)
{
    struct dg_arena *kept = &memory->page->memory;
    const char *path = memory->input->path;
    const char *caption =
        dg_format(kept,
                  "Live through at least half of the instructions in arena %" PRId64
                  ", the most bytes times instructions first",
                  arena->idx)
            .data;
    const char *sql = dg_format(kept,
                                LIVES("2 * (last - first) >= %zu AND nbytes > 0",
                                      "1.0 * nbytes * (last - first) DESC"),
                                arena->idx, arena->n_steps)
                          .data;

    return dg_page_query(
        memory->page, NULL, caption, memory->input->store, sql, arena->graph, MOST_LONG,
        dg_format(kept, "delegraph query %s @live", path).data, NULL, err);
}

static enum dg_status show_arena(struct memory *memory, const struct arena *arena,
                                 bool open, struct dg_error *err)
{
    struct dg_page *page = memory->page;
    enum dg_status status;

    page->forms = DG_FORM_HTML;
    dg_page_open(page, NULL, open, "%s, arena %" PRId64 " (%s): %s live at the peak",
                 arena->method.data, arena->idx, arena->device.data,
                 dg_amount_bytes(page, arena->peak));
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    status = draw(memory, arena, err);
    page->forms = DG_FORM_HTML;
    if (!status)
        status = list_lives(memory, arena, err);
    if (!status)
        status = list_long(memory, arena, err);
    page->forms = DG_FORM_HTML;
    dg_page_close(page);
    return status;
}

static int compare_peaks(const void *a, const void *b)
{
    const struct arena *x = *(const struct arena *const *)a;
    const struct arena *y = *(const struct arena *const *)b;

    if (x->peak != y->peak)
        return x->peak > y->peak ? -1 : 1;
    return (x > y) - (x < y);
}

/* The fullest ones; the others are in the table. */
static enum dg_status show_arenas(struct memory *memory, struct dg_error *err)
{
    const struct arena **order = NULL;
    enum dg_status status = DG_OK;
    size_t n = 0;

    for (size_t i = 0; i < memory->n_arenas; i++)
        if (memory->arenas[i].peak > 0)
            *DG_APPEND(order, n) = &memory->arenas[i];
    dg_sort(order, n, sizeof(*order), compare_peaks);
    for (size_t i = 0; i < n && i < MOST_CHARTS && !status; i++)
        status = show_arena(memory, order[i], !i, err);
    free(order);
    return status;
}

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    struct memory memory = {.page = page, .input = input};
    enum dg_status status = load(&memory, err);

    if (!status && memory.n_arenas) {
        say_totals(&memory);
        status = say_beside(&memory, err);
        list_arenas(&memory);
        if (!status)
            status = show_arenas(&memory, err);
    }
    for (size_t i = 0; i < memory.n_arenas; i++)
        free(memory.arenas[i].totals);
    free(memory.arenas);
    return status ? status : dg_memory_unplanned(page, input, err);
}

const struct dg_section dg_section_memory = {
    .id = "memory",
    .title = "Memory",
    .write = write,
};
