/* Inputs and outputs at the ends of a column of calls. */
#include "reports/views/calls_parts.h"

/* Of a .pt2 weights are inputs, too, which the caller does not give. */
static const char ends_sql[] =
    "SELECT value.idx, signature.name," DG_VIEW_TYPE ", signature.kind, method.ir"
    " FROM signature JOIN graph ON graph.id = signature.graph_id"
    " JOIN method ON method.id = graph.method_id"
    " LEFT JOIN value ON value.id = signature.value_id"
    " WHERE graph.kind = 'method' AND signature.graph_id = ?1 AND direction = ?2"
    "   AND (direction = 'output' OR coalesce(spec, 'user_input') = 'user_input')"
    " ORDER BY signature.pos";

/* "3 f32[1,16]" of an instruction's value, "x f32[1,16]" of a node's. */
static struct dg_text describe(struct dg_picture *picture, const struct dg_rows *rows)
{
    struct dg_text type = dg_view_type(&picture->memory, rows, 2);
    const char *what = type.data ? type.data : dg_rows_text(rows, 4);
    const char *name = dg_rows_text(rows, 1);

    if (dg_text_is(dg_rows_slice(rows, 5), "pte"))
        return dg_format(&picture->memory, "%lld %s",
                         (long long)dg_rows_int_or(rows, 0, -1), what);
    return dg_format(&picture->memory, "%s %s", name ? name : "", what);
}

static void place_end(struct dg_calls *calls, const struct dg_call_interval *interval,
                      size_t box, bool output, size_t count)
{
    struct dg_picture *picture = calls->nodes.picture;
    struct dg_box *end = &picture->boxes[box];
    size_t call = output ? interval->first + interval->n_calls - 1 : interval->first;

    end->index = DG_NONE;
    end->order =
        (uint64_t)call * DG_ORDER + (output ? DG_ORDER_OUTPUT : DG_ORDER_INPUT);
    end->title = dg_format(&picture->memory, "%zu %s%s", count,
                           output ? "output" : "input", count == 1 ? "" : "s");
    if (interval->box == SIZE_MAX)
        return;
    end->frame = picture->boxes[interval->box].frame;
    dg_picture_add_link(picture, output ? interval->box : box,
                        output ? box : interval->box)
        ->kind = DG_LINK_NEXT;
}

enum dg_status dg_calls_add_end(struct dg_calls *calls,
                                const struct dg_call_interval *interval, bool output)
{
    struct dg_picture *picture = calls->nodes.picture;
    uint32_t graph = calls->calls[interval->first].graph;
    size_t count = 0, box = picture->n_boxes;
    struct dg_rows rows =
        dg_rows_of(calls->nodes.in.store, ends_sql, calls->skeleton.graphs[graph].id,
                   calls->nodes.in.err);

    dg_rows_bind_text(&rows, 2, dg_text(output ? "output" : "input"));
    for (; dg_rows_next(&rows); count++) {
        if (!count)
            dg_picture_add_box(picture, output ? DG_BOX_OUTPUT : DG_BOX_INPUT);
        dg_box_add_line(picture, &picture->boxes[box], describe(picture, &rows));
    }
    if (count)
        place_end(calls, interval, box, output, count);
    return dg_rows_close(&rows, DG_OK, calls->nodes.in.err);
}
