/* Writing live ranges as rows. */
#include "graph/lifetime.h"

#include "graph/liveness.h"
#include "graph/occupancy.h"

struct writing {
    const struct dg_method_liveness *method;
    struct dg_rows rows;
    int64_t arena, node, bytes; /* from there on, so many are live */
    enum dg_status status;
    struct dg_error *err;
};

static bool needed_behind(const struct dg_live_ranges *live,
                          const struct dg_live_range *range)
{
    const struct dg_flow *flow = live->flow;
    const struct dg_live_variable *variable = &live->variables[range->variable];
    uint32_t block = flow->block_of[range->end];
    uint32_t holder = variable->via == DG_FLOW_NONE ? variable->value : variable->via;
    bool ends_block =
        range->end + 1 == flow->n_nodes || flow->block_of[range->end + 1] != block;

    return ends_block && flow->blocks[block].leaves &&
           (flow->values[holder].last || live->buffer[holder]);
}

static void write_range(struct writing *writing, const struct dg_live_range *range)
{
    const struct dg_live_ranges *live = &writing->method->live;
    const struct dg_live_variable *variable = &live->variables[range->variable];
    const struct dg_model_value *values = live->flow->stored;

    dg_rows_bind_int(&writing->rows, 1, values[variable->value].id);
    if (variable->via != DG_FLOW_NONE)
        dg_rows_bind_int(&writing->rows, 2, values[variable->via].id);
    dg_rows_bind_int(&writing->rows, 3,
                     range->entered && !range->begin ? -1 : (int64_t)range->begin);
    dg_rows_bind_int(&writing->rows, 4,
                     needed_behind(live, range) ? live->flow->n_nodes : range->end);
    dg_rows_next(&writing->rows);
    writing->status = dg_rows_again(&writing->rows, writing->err);
}

/* Ranges end with their block; those that go on in the next one are joined. */
static void write_ranges(struct writing *writing)
{
    const struct dg_live_ranges *live = &writing->method->live;

    for (uint32_t i = 0; i < live->n_ranges && !writing->status; i++) {
        struct dg_live_range range;

        if (!dg_live_counted(live, i, &range))
            continue;
        while (i + 1 < live->n_ranges && live->ranges[i + 1].entered &&
               live->ranges[i + 1].variable == range.variable &&
               live->ranges[i + 1].begin == range.end + 1)
            range.end = live->ranges[++i].end;
        write_range(writing, &range);
    }
}

static void write_until(struct writing *writing, int64_t end)
{
    for (; writing->arena >= 0 && writing->node < end && !writing->status;
         writing->node++) {
        dg_rows_bind_int(&writing->rows, 1, writing->method->flow.graph_id);
        dg_rows_bind_int(&writing->rows, 2, writing->arena);
        dg_rows_bind_int(&writing->rows, 3, writing->node);
        dg_rows_bind_int(&writing->rows, 4, writing->bytes);
        dg_rows_next(&writing->rows);
        writing->status = dg_rows_again(&writing->rows, writing->err);
    }
}

static void occupied(void *context, int64_t arena, uint32_t node, int64_t bytes)
{
    struct writing *writing = context;

    write_until(writing,
                arena == writing->arena ? node : writing->method->flow.n_nodes);
    writing->arena = arena;
    writing->node = node;
    writing->bytes = bytes;
}

static void write_occupancy(struct writing *writing)
{
    writing->arena = -1;
    dg_live_occupancy(&writing->method->live, occupied, writing);
    write_until(writing, writing->method->flow.n_nodes);
}

static enum dg_status write_all(const struct dg_liveness *liveness,
                                struct dg_store *store, const char *sql,
                                void (*write)(struct writing *), struct dg_error *err)
{
    struct writing writing = {.err = err};

    writing.status = dg_rows_open(&writing.rows, store, sql, err);
    if (writing.status)
        return writing.status;
    for (size_t i = 0; i < liveness->n_items && !writing.status; i++) {
        writing.method = &liveness->items[i];
        write(&writing);
    }
    return dg_rows_close(&writing.rows, writing.status, err);
}

enum dg_status dg_lifetimes_store(struct dg_store *store, struct dg_error *err)
{
    struct dg_liveness *liveness;
    int64_t there;
    enum dg_status status =
        dg_store_int(store, "SELECT 1 FROM lifetime LIMIT 1", 0, &there, err);

    if (status || there)
        return status;
    status = dg_liveness_read(&liveness, store, err);
    if (!status)
        status =
            write_all(liveness, store, "INSERT INTO lifetime VALUES (?1, ?2, ?3, ?4)",
                      write_ranges, err);
    if (!status)
        status =
            write_all(liveness, store, "INSERT INTO occupancy VALUES (?1, ?2, ?3, ?4)",
                      write_occupancy, err);
    return status;
}
