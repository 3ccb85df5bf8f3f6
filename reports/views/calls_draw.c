/* A column of calls: one box for each interval, inputs and outputs at its ends, links
 * from each to the next, and the jumps. */
#include "reports/views/calls_parts.h"

#include <stdlib.h>

#include "base/sorted.h"

enum { MOST_KINDS = 6 }; /* of calls that a folded interval tells of */

struct tally {
    struct dg_text name;
    size_t count;
};

static struct dg_text name_of(const struct dg_calls *calls, const struct dg_call *call)
{
    if (call->kind == DG_CALL_DELEGATE)
        return dg_text("delegate call");
    if (call->kind == DG_CALL_JUMP)
        return dg_text("jump");
    if (call->what > 0)
        return dg_short_op(calls->skeleton.ops[call->what]);
    return dg_text("move or free");
}

static int by_count(const void *left, const void *right)
{
    const struct tally *a = left, *b = right;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return dg_text_compare(a->name, b->name);
}

/* "12 x add", the most frequent first. */
static void tell_kinds(struct dg_calls *calls, const struct dg_call_interval *interval,
                       size_t box)
{
    struct dg_picture *picture = calls->nodes.picture;
    struct dg_text_set names = {0};
    struct tally *tallies = NULL;
    size_t n_kinds = 0;

    for (size_t i = 0; i < interval->n_calls; i++) {
        struct dg_text name = name_of(calls, &calls->calls[interval->first + i]);
        uint32_t kind = dg_text_set_add(&names, name);

        if (kind == n_kinds)
            DG_APPEND(tallies, n_kinds)->name = name;
        tallies[kind].count++;
    }
    dg_sort(tallies, n_kinds, sizeof(*tallies), by_count);
    for (size_t i = 0; i < n_kinds && i < MOST_KINDS; i++)
        dg_box_say(picture, &picture->boxes[box], "%zu \xc3\x97 %.*s", tallies[i].count,
                   (int)tallies[i].name.size, tallies[i].name.data);
    free(tallies);
    dg_text_set_clear(&names);
}

/* "12 kernel calls", and in which module if all are in one. */
static struct dg_text title_of(struct dg_calls *calls,
                               const struct dg_call_interval *interval,
                               struct dg_text module)
{
    struct dg_arena *memory = &calls->nodes.picture->memory;
    const struct dg_call *first = &calls->calls[interval->first];
    bool kernels = true, together = module.size > 0;

    if (interval->n_repeats)
        return dg_format(memory, "%zu times the same calls", interval->n_repeats);
    for (size_t i = 0; i < interval->n_calls; i++) {
        kernels &= first[i].kind == DG_CALL_KERNEL;
        together &= first[i].module == first->module;
    }
    if (together)
        return module;
    return dg_format(memory, kernels ? "%zu kernel calls" : "%zu calls",
                     interval->n_calls);
}

static enum dg_status add_folded(struct dg_calls *calls,
                                 struct dg_call_interval *interval)
{
    struct dg_picture *picture = calls->nodes.picture;
    const struct dg_call *first = &calls->calls[interval->first];
    struct dg_node_place from, to;
    struct dg_box *box;
    enum dg_status status =
        dg_node_rows_locate(&calls->nodes, first[interval->n_calls - 1].node, &to);

    if (!status)
        status = dg_node_rows_locate(&calls->nodes, first->node, &from);
    if (status)
        return status;
    box =
        dg_picture_add_box(picture, interval->n_repeats ? DG_BOX_BLOCK : DG_BOX_GROUP);
    box->frame = from.frame;
    box->n_repeats = interval->n_repeats;
    box->n_nodes = interval->n_calls;
    box->title = title_of(calls, interval, from.module);
    box->command = dg_format(&picture->memory, "--around %s --hops 3",
                             dg_shell_word(&picture->memory, from.name).data);
    dg_box_say(picture, box, "%s \xe2\x80\xa6 %s", from.name.data ? from.name.data : "",
               to.name.data ? to.name.data : "");
    interval->box = picture->n_boxes - 1;
    for (size_t i = 0; i < interval->n_calls; i++)
        box->took += dg_node_took(picture, first[i].node);
    tell_kinds(calls, interval, interval->box);
    return DG_OK;
}

static enum dg_status draw_interval(struct dg_calls *calls,
                                    struct dg_call_interval *interval)
{
    struct dg_picture *picture = calls->nodes.picture;
    enum dg_status status;

    interval->box = SIZE_MAX;
    if (interval->n_calls > 1)
        status = add_folded(calls, interval);
    else
        status = dg_node_rows_add(&calls->nodes, calls->calls[interval->first].node,
                                  &interval->box);
    if (!status && interval->box != SIZE_MAX)
        picture->boxes[interval->box].order =
            (uint64_t)interval->first * DG_ORDER + DG_ORDER_NODE;
    return status;
}

static bool same_graph(const struct dg_calls *calls, const struct dg_call_interval *a,
                       const struct dg_call_interval *b)
{
    return calls->calls[a->first].graph == calls->calls[b->first].graph;
}

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
static struct dg_text describe_end(struct dg_picture *picture,
                                   const struct dg_rows *rows)
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

/* The inputs of the graph that begins with `interval` as one box above it, or the
 * outputs of the one that ends with it as one below. */
static enum dg_status add_end(struct dg_calls *calls,
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
        dg_box_add_line(picture, &picture->boxes[box], describe_end(picture, &rows));
    }
    if (count)
        place_end(calls, interval, box, output, count);
    return dg_rows_close(&rows, DG_OK, calls->nodes.in.err);
}

static enum dg_status draw_boxes(struct dg_calls *calls)
{
    struct dg_call_interval *intervals = calls->intervals;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < calls->n_intervals && !status; i++)
        status = draw_interval(calls, &intervals[i]);
    for (size_t i = 0, first = 0; i < calls->n_intervals && !status; i++) {
        if (i + 1 < calls->n_intervals &&
            same_graph(calls, &intervals[i], &intervals[i + 1]))
            continue;
        status = add_end(calls, &intervals[first], false);
        if (!status)
            status = add_end(calls, &intervals[i], true);
        first = i + 1;
    }
    return status;
}

static int by_first(const void *interval, const void *call)
{
    size_t first = ((const struct dg_call_interval *)interval)->first;

    return (first > *(const size_t *)call) - (first < *(const size_t *)call);
}

/* The interval that holds a call. */
static const struct dg_call_interval *find_interval(const struct dg_calls *calls,
                                                    size_t call)
{
    return &calls->intervals[DG_SORTED_UP_TO(calls->intervals, calls->n_intervals,
                                             &call, by_first) -
                             1];
}

static void link_jump(struct dg_calls *calls, const struct dg_call_interval *interval,
                      const char *label)
{
    const struct dg_call *call = &calls->calls[interval->first];
    const struct dg_skeleton_graph *graph = &calls->skeleton.graphs[call->graph];
    struct dg_link *link;
    size_t to;

    if (!call->flow || call->flow->jump < 0 || call->flow->jump >= graph->flow.n_nodes)
        return;
    to = interval->first + (size_t)call->flow->jump -
         (size_t)(call->flow - graph->flow.nodes);
    if (to >= calls->n_calls ||
        calls->calls[to].flow != &graph->flow.nodes[call->flow->jump])
        return;
    link = dg_picture_add_link(calls->nodes.picture, interval->box,
                               find_interval(calls, to)->box);
    link->kind = DG_LINK_JUMP;
    link->label = dg_text(label);
}

static void link_next(struct dg_calls *calls, const struct dg_call_interval *interval,
                      const char *label)
{
    const struct dg_call_interval *next = interval + 1;
    struct dg_link *link;

    if (next == calls->intervals + calls->n_intervals ||
        !same_graph(calls, interval, next))
        return;
    link = dg_picture_add_link(calls->nodes.picture, interval->box, next->box);
    link->kind = label ? DG_LINK_JUMP : DG_LINK_NEXT;
    link->label = dg_text(label);
}

/* A jump whose condition is the literal `false` is how a branch ends. */
static void link_interval(struct dg_calls *calls,
                          const struct dg_call_interval *interval)
{
    const struct dg_call *call = &calls->calls[interval->first];
    bool falls = !call->flow || call->flow->falls;

    if (interval->n_calls > 1 || call->kind != DG_CALL_JUMP) {
        link_next(calls, interval, NULL);
        return;
    }
    calls->nodes.picture->boxes[interval->box].title =
        dg_text(falls ? "jump if false" : "jump");
    if (falls)
        link_next(calls, interval, "true");
    link_jump(calls, interval, falls ? "false" : NULL);
}

/* What the folds hid, and the command that shows it. */
static void tell_folds(struct dg_calls *calls)
{
    struct dg_picture *picture = calls->nodes.picture;
    size_t n_hidden = 0, n_folded = 0;

    for (size_t i = 0; i < calls->n_intervals; i++)
        if (calls->intervals[i].n_calls > 1) {
            n_hidden += calls->intervals[i].n_calls;
            n_folded++;
        }
    if (n_folded)
        dg_picture_hint(picture,
                        "%zu calls are folded into %zu box%s: delegraph dot %s "
                        "--view calls --no-fold --max-boxes %zu",
                        n_hidden, n_folded, n_folded == 1 ? "" : "es",
                        picture->path.data, calls->n_calls + 20);
}

enum dg_status dg_calls_draw(struct dg_calls *calls)
{
    enum dg_status status = draw_boxes(calls);

    for (size_t i = 0; i < calls->n_intervals && !status; i++)
        if (calls->intervals[i].box != SIZE_MAX)
            link_interval(calls, &calls->intervals[i]);
    tell_folds(calls);
    return status;
}
