/* The bytes that a finding about a .pte names: where they lie, when they matter, and
 * what else lies there at the same time. */
#include "reports/views/finding_parts.h"

#include "base/sum.h"
#include "graph/lifetime.h"

enum {
    MOST_VALUES = 6,
    MOST_ACCESSES = 8, /* instructions that read or write a value */
    CELLS = 24,        /* of the bar that shows a live range */
};

struct bytes {                           /* one value */
    int64_t row, idx, arena, begin, end; /* arena DG_NONE: not planned */
    int64_t first, last;                 /* instructions between which it lives */
    bool lives;                          /* whether they are known */
    struct dg_text name, type, storage;
    size_t box;
};

struct memory {
    struct dg_finding_view *view;
    struct bytes values[MOST_VALUES];
    size_t n_values;
    int64_t first, last; /* instructions that the bars span */
    int64_t n_instructions;
};

/* ?1 and what shares bytes with it while both live, ?1 first. */
static const char values_sql[] =
    "WITH live_range AS (SELECT value_id, min(first) AS first, max(last) AS last FROM "
    "lifetime"
    "   GROUP BY value_id),"
    " it AS (SELECT value.*, live_range.first, live_range.last FROM value"
    "   LEFT JOIN live_range ON value_id = id WHERE id = ?1)"
    "SELECT value.id, value.idx, value.mem_id, value.mem_offset, value.nbytes,"
    "  live_range.first, live_range.last, value.name," DG_VIEW_TYPE ", value.storage"
    " FROM it JOIN value ON value.id = it.id OR (?2"
    "   AND value.graph_id = it.graph_id AND value.mem_id = it.mem_id"
    "   AND value.mem_offset < it.mem_offset + it.nbytes"
    "   AND it.mem_offset < value.mem_offset + value.nbytes)"
    " LEFT JOIN live_range ON live_range.value_id = value.id"
    " WHERE value.id = it.id OR (live_range.first <= coalesce(?3, it.last, "
    "live_range.first)"
    "   AND coalesce(?3, it.first, live_range.last) <= live_range.last)"
    " ORDER BY value.id <> it.id, value.id LIMIT 6";

static void read_value(struct memory *memory, const struct dg_rows *rows)
{
    struct dg_picture *picture = memory->view->nodes.picture;
    struct bytes *of = &memory->values[memory->n_values++];
    *of = (struct bytes){
        .row = dg_rows_int(rows, 0),
        .idx = dg_rows_int(rows, 1),
        .arena = dg_rows_int_or(rows, 2, DG_NONE),
        .begin = dg_rows_int_or(rows, 3, 0),
        .first = dg_rows_int(rows, 5),
        .last = dg_rows_int(rows, 6),
        .lives = !dg_rows_null(rows, 5),
        .name = dg_rows_keep(&picture->memory, rows, 7),
        .type = dg_view_type(&picture->memory, rows, 8),
        .storage = dg_rows_keep(&picture->memory, rows, 10),
    };
    of->end = of->begin;
    dg_add_to(&of->end, dg_rows_int_or(rows, 4, 0));
}

static enum dg_status read_values(struct memory *memory, int64_t moment)
{
    struct dg_finding_view *view = memory->view;
    struct dg_rows rows =
        dg_rows_of(view->nodes.in.store, values_sql, view->value, view->nodes.in.err);

    dg_rows_bind_int(&rows, 2, dg_text_begins(view->rule, "memory/"));
    if (moment != DG_NONE)
        dg_rows_bind_int(&rows, 3, moment);
    while (memory->n_values < MOST_VALUES && dg_rows_next(&rows))
        read_value(memory, &rows);
    return dg_rows_close(&rows, DG_OK, view->nodes.in.err);
}

/* From the first to the last instruction of all live ranges. */
static void find_span(struct memory *memory)
{
    bool any = false;

    for (size_t i = 0; i < memory->n_values; i++) {
        const struct bytes *of = &memory->values[i];

        if (!of->lives)
            continue;
        if (!any || of->first < memory->first)
            memory->first = of->first;
        if (!any || of->last > memory->last)
            memory->last = of->last;
        any = true;
    }
}

/* "op_3", or what stands for the time before the first and after the last. */
static struct dg_text moment_name(const struct memory *memory, int64_t at)
{
    struct dg_arena *arena = &memory->view->nodes.picture->memory;

    if (at < 0)
        return dg_text("the start");
    if (at >= memory->n_instructions)
        return dg_text("the end");
    return dg_format(arena, "op_%lld", (long long)at);
}

/* Which instructions of the span a value lives at, as a bar. */
static struct dg_text draw_live_range(const struct memory *memory,
                                      const struct bytes *of)
{
    double span = (double)(memory->last - memory->first) + 1;
    struct dg_writer bar = {0};

    for (int cell = 0; cell < CELLS; cell++) {
        double from = (double)memory->first + span * cell / CELLS;
        double to = (double)memory->first + span * (cell + 1) / CELLS;
        bool lives = (double)of->first < to && (double)of->last + 1 > from;

        dg_print(&bar, "%s", lives ? "\xe2\x96\x88" : "\xc2\xb7");
    }
    return dg_keep(&memory->view->nodes.picture->memory, &bar);
}

static void describe(struct memory *memory, const struct bytes *of, struct dg_box *box)
{
    struct dg_picture *picture = memory->view->nodes.picture;

    if (of->name.data)
        dg_box_add_line(picture, box, of->name);
    if (of->arena != DG_NONE)
        dg_box_say(picture, box, "bytes %lld..%lld of arena %lld", (long long)of->begin,
                   (long long)of->end, (long long)of->arena);
    if (of->storage.data && !dg_text_is(of->storage, "planned"))
        dg_box_add_line(picture, box, of->storage);
    if (!of->lives)
        return;
    dg_box_say(picture, box, "live from %s to %s", moment_name(memory, of->first).data,
               moment_name(memory, of->last).data);
    dg_box_add_line(picture, box, draw_live_range(memory, of));
}

/* Beside the first instruction that is drawn and that it outlives. */
static uint64_t place(const struct memory *memory, const struct bytes *of)
{
    const struct dg_picture *picture = memory->view->nodes.picture;
    uint64_t order = (uint64_t)picture->n_nodes * DG_ORDER + DG_ORDER_BESIDE;

    for (size_t i = picture->n_boxes; i-- > 0;)
        if (picture->boxes[i].node && of->lives && picture->boxes[i].index >= of->first)
            order = picture->boxes[i].order / DG_ORDER * DG_ORDER + DG_ORDER_BESIDE;
    return order;
}

static void add_value(struct memory *memory, struct bytes *of)
{
    struct dg_picture *picture = memory->view->nodes.picture;
    uint64_t order = place(memory, of);
    struct dg_box *box = dg_picture_add_box(picture, DG_BOX_VALUE);

    box->order = order;
    box->marked = of->row == memory->view->value;
    box->title = dg_format(&picture->memory, "value %lld", (long long)of->idx);
    box->value = of->type;
    describe(memory, of, box);
    of->box = picture->n_boxes - 1;
}

static void link_access(struct memory *memory, const struct bytes *of, size_t node,
                        struct dg_text access)
{
    struct dg_picture *picture = memory->view->nodes.picture;
    bool reads = dg_text_is(access, "read");

    dg_picture_add_link(picture, reads ? of->box : node, reads ? node : of->box)
        ->label = dg_text(reads                         ? "reads"
                          : dg_text_is(access, "write") ? "writes"
                                                        : "reads and writes");
}

/* What a value is read and written by: of the boxes that are drawn, or, where there is
 * none, of all instructions the first ones. */
static enum dg_status add_accesses(struct memory *memory, const struct bytes *of,
                                   bool only_drawn)
{
    struct dg_finding_view *view = memory->view;
    struct dg_picture *picture = view->nodes.picture;
    size_t n_accesses = 0;
    struct dg_rows rows =
        dg_rows_of(view->nodes.in.store,
                   "SELECT node_id, max(access) FROM operand WHERE value_id = ?1"
                   " GROUP BY node_id ORDER BY node_id",
                   of->row, view->nodes.in.err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        size_t box = dg_node_rows_find(&view->nodes, dg_rows_int(&rows, 0));
        struct dg_text access = dg_rows_keep(&picture->memory, &rows, 1);

        if (box == SIZE_MAX && (only_drawn || n_accesses++ >= MOST_ACCESSES)) {
            picture->boxes[of->box].n_outside++;
            continue;
        }
        if (box == SIZE_MAX)
            status = dg_node_rows_add(&view->nodes, dg_rows_int(&rows, 0), &box);
        if (!status && box != SIZE_MAX)
            link_access(memory, of, box, access);
    }
    return dg_rows_close(&rows, status, view->nodes.in.err);
}

/* A value may reach the instruction that is named in a list. */
static void link_named(struct memory *memory)
{
    struct dg_finding_view *view = memory->view;
    struct dg_picture *picture = view->nodes.picture;
    size_t node = dg_node_rows_find(&view->nodes, view->node),
           value = memory->values[0].box;

    if (node == SIZE_MAX)
        return;
    for (size_t i = 0; i < picture->n_links; i++)
        if (picture->links[i].from == value || picture->links[i].to == value)
            return;
    dg_picture_add_link(picture, node, value);
}

/* The instruction that is named writes over what else lies in its bytes. */
static void link_damage(struct memory *memory)
{
    struct dg_finding_view *view = memory->view;
    struct dg_picture *picture = view->nodes.picture;
    size_t writer = dg_node_rows_find(&view->nodes, view->node);

    for (size_t i = 1; i < memory->n_values && writer != SIZE_MAX; i++) {
        struct dg_link *link =
            dg_picture_add_link(picture, writer, memory->values[i].box);

        link->label = dg_text("writes over");
        link->highlighted = true;
    }
}

static enum dg_status measure(struct memory *memory, int64_t *moment)
{
    struct dg_finding_view *view = memory->view;
    struct dg_rows rows;
    enum dg_status status =
        dg_lifetimes_store(view->nodes.in.store, view->nodes.in.err);

    if (status)
        return status;
    rows = dg_rows_of(view->nodes.in.store,
                      "SELECT (SELECT idx FROM node WHERE id = ?2),"
                      " (SELECT count(*) FROM node WHERE graph_id = ?1)",
                      view->graph, view->nodes.in.err);
    dg_rows_bind_int(&rows, 2, view->node);
    if (dg_rows_next(&rows)) {
        *moment = dg_rows_int_or(&rows, 0, DG_NONE);
        memory->n_instructions = dg_rows_int(&rows, 1);
    }
    return dg_rows_close(&rows, DG_OK, view->nodes.in.err);
}

enum dg_status dg_finding_add_memory(struct dg_finding_view *view)
{
    struct memory memory = {.view = view};
    bool any = view->nodes.picture->n_boxes > 0;
    int64_t moment = DG_NONE;
    enum dg_status status = measure(&memory, &moment);

    if (!status)
        status = read_values(&memory, moment);
    if (status)
        return status;
    find_span(&memory);
    for (size_t i = 0; i < memory.n_values; i++)
        add_value(&memory, &memory.values[i]);
    for (size_t i = 0; i < memory.n_values && !status; i++)
        status = add_accesses(&memory, &memory.values[i], any);
    if (status || !memory.n_values)
        return status;
    link_named(&memory);
    if (view->n_steps)
        link_damage(&memory);
    return DG_OK;
}
