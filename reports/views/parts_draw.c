/* Parts as boxes, and what goes from one to another as links. */
#include <stdlib.h>

#include "base/quantity.h"
#include "base/sorted.h"
#include "reports/views/parts.h"

static void draw_part(const struct dg_parts *parts, struct dg_picture *picture,
                      struct dg_part *part)
{
    struct dg_box *box = dg_picture_add_box(picture, part->kind);

    part->box = picture->n_boxes - 1;
    box->title = part->title.data ? part->title : dg_text("host");
    box->name = part->name;
    box->backend = part->backend;
    box->value = part->value;
    box->command = part->command;
    box->frame = part->frame;
    box->order = part->order;
    box->index = DG_NONE;
    box->stand_in = part->box;
    box->n_repeats = part->n_repeats;
    box->n_nodes = part->n_calls;
    dg_part_describe(picture, box, parts, part);
}

static int by_order(const void *left, const void *right)
{
    const struct dg_part *a = *(struct dg_part *const *)left;
    const struct dg_part *b = *(struct dg_part *const *)right;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a > b) - (a < b);
}

struct dg_part **dg_parts_sorted(const struct dg_parts *parts, size_t *count)
{
    struct dg_part **sorted = NULL;

    *count = 0;
    for (size_t i = 0; i < parts->n_items; i++)
        if (!parts->items[i].gone)
            *DG_APPEND(sorted, *count) = &parts->items[i];
    dg_sort(sorted, *count, sizeof(*sorted), by_order);
    return sorted;
}

static void draw_boxes(struct dg_parts *parts, struct dg_picture *picture)
{
    size_t n_sorted;
    struct dg_part **sorted = dg_parts_sorted(parts, &n_sorted);

    for (size_t i = 0; i < n_sorted; i++)
        draw_part(parts, picture, sorted[i]);
    free(sorted);
}

struct passage { /* of a value from one part to another */
    uint32_t from, to, value;
    int64_t nbytes;
};

struct passages {
    struct passage *items;
    size_t n_items;
};

static int by_value(const void *left, const void *right)
{
    const struct passage *a = left, *b = right;

    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static int by_ends(const void *left, const void *right)
{
    const struct passage *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* The row of a value; behind all rows, for what has none, the node that makes it. */
static uint32_t value_key(const struct dg_outline *outline,
                          const struct dg_outline_use *use)
{
    return use->value ? use->value : (uint32_t)(outline->n_values + 1) + use->from;
}

/* By value, each value from part to part once. */
static struct passages find_passages(const struct dg_parts *parts)
{
    const struct dg_outline *outline = parts->outline;
    struct passages all = {0};
    size_t n_kept = 0;

    for (size_t i = 0; i < outline->n_uses; i++) {
        const struct dg_outline_use *use = &outline->uses[i];
        uint32_t from = parts->part_of[use->from], to = parts->part_of[use->to];

        if (from != to && from != DG_NOWHERE && to != DG_NOWHERE)
            *DG_APPEND(all.items, all.n_items) =
                (struct passage){from, to, value_key(outline, use), -1};
    }
    dg_sort(all.items, all.n_items, sizeof(*all.items), by_value);
    for (size_t i = 0; i < all.n_items; i++)
        if (!i || by_value(&all.items[i - 1], &all.items[i]))
            all.items[n_kept++] = all.items[i];
    all.n_items = n_kept;
    return all;
}

static enum dg_status read_sizes(struct passages *all, const struct dg_view_input *in)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, in->store, "SELECT nbytes FROM value WHERE id = ?1", in->err);

    if (status)
        return status;
    for (size_t i = 0; !status && i < all->n_items; i++) {
        struct passage *passage = &all->items[i];

        if (i && passage->value == passage[-1].value) {
            passage->nbytes = passage[-1].nbytes;
            continue;
        }
        dg_rows_bind_int(&rows, 1, passage->value);
        if (dg_rows_next(&rows))
            passage->nbytes = dg_rows_int_or(&rows, 0, -1);
        status = dg_rows_again(&rows, in->err);
    }
    return dg_rows_close(&rows, status, in->err);
}

/* What enters a partition or delegate counts, and what leaves it, each value once. */
static void count_crossings(const struct dg_parts *parts, struct dg_picture *picture,
                            const struct passages *all)
{
    bool *left =
        calloc(parts->outline->n_values + parts->outline->n_nodes + 2, sizeof(*left));

    if (!left)
        dg_out_of_memory();
    for (size_t i = 0; i < all->n_items; i++) {
        const struct passage *passage = &all->items[i];
        bool enters = parts->items[passage->to].kind == DG_BOX_PART;
        bool leaves =
            parts->items[passage->from].kind == DG_BOX_PART && !left[passage->value];

        left[passage->value] |= leaves;
        picture->n_crossing += (size_t)enters + leaves;
        if (passage->nbytes > 0)
            picture->crossing_bytes += ((int)enters + leaves) * passage->nbytes;
    }
    free(left);
}

/* "3 values, 96 B"; of one value its bytes say enough. */
static struct dg_text tell_amount(struct dg_picture *picture, size_t count,
                                  int64_t nbytes, bool known)
{
    struct dg_writer text = {0};

    if (count == 1 && known)
        return dg_size_text(&picture->memory, nbytes);
    dg_print(&text, "%zu value%s", count, count == 1 ? "" : "s");
    if (known || nbytes) {
        dg_print(&text, known ? ", " : ", over ");
        dg_write_size(&text, nbytes);
    }
    return dg_keep(&picture->memory, &text);
}

static void draw_link(const struct dg_parts *parts, struct dg_picture *picture,
                      const struct passage *first, size_t n_passages)
{
    const struct dg_part *from = &parts->items[first->from];
    const struct dg_part *to = &parts->items[first->to];
    struct dg_link *link = dg_picture_add_link(picture, from->box, to->box);
    size_t count = 0;
    int64_t nbytes = 0;
    bool known = true;

    for (size_t i = 0; i < n_passages; i++) {
        if (i && first[i].value == first[i - 1].value)
            continue;
        count++;
        known &= first[i].nbytes >= 0;
        nbytes += first[i].nbytes > 0 ? first[i].nbytes : 0;
    }
    link->offends = from->tangle && from->tangle == to->tangle;
    link->nbytes = known ? nbytes : -1;
    link->label = tell_amount(picture, count, nbytes, known);
}

static void draw_links(const struct dg_parts *parts, struct dg_picture *picture,
                       struct passages *all)
{
    size_t begin = 0;

    dg_sort(all->items, all->n_items, sizeof(*all->items), by_ends);
    for (size_t i = 1; i <= all->n_items; i++)
        if (i == all->n_items || all->items[i].from != all->items[begin].from ||
            all->items[i].to != all->items[begin].to) {
            draw_link(parts, picture, &all->items[begin], i - begin);
            begin = i;
        }
}

/* What repeats is one part now. */
static void follow_repeats(const struct dg_parts *parts, struct passages *all)
{
    size_t n_kept = 0;

    for (size_t i = 0; i < all->n_items; i++) {
        struct passage passage = all->items[i];

        passage.from = parts->drawn_as[passage.from];
        passage.to = parts->drawn_as[passage.to];
        if (passage.from != passage.to)
            all->items[n_kept++] = passage;
    }
    all->n_items = n_kept;
}

static void fold_twins(struct dg_parts *parts, struct passages *all)
{
    struct dg_part_pair *pairs = NULL;
    size_t n_pairs = 0;

    dg_sort(all->items, all->n_items, sizeof(*all->items), by_ends);
    for (size_t i = 0; i < all->n_items; i++)
        if (!i || all->items[i].from != all->items[i - 1].from ||
            all->items[i].to != all->items[i - 1].to)
            *DG_APPEND(pairs, n_pairs) =
                (struct dg_part_pair){all->items[i].from, all->items[i].to};
    dg_parts_fold_twins(parts, pairs, n_pairs);
    free(pairs);
}

/* Draw what repeats, and what has the same neighbours, as one. */
static void fold_parts(struct dg_parts *parts, struct passages *all)
{
    dg_parts_repeat(parts);
    follow_repeats(parts, all);
    fold_twins(parts, all);
    follow_repeats(parts, all);
}

/* Control flow points at the frames of the graphs that it runs. */
static void link_branches(const struct dg_parts *parts, struct dg_picture *picture)
{
    const struct dg_outline *outline = parts->outline;

    for (size_t g = 0; g < outline->n_graphs; g++) {
        const struct dg_outline_graph *graph = &outline->graphs[g];
        uint32_t part =
            graph->caller == DG_NOWHERE ? DG_NOWHERE : parts->part_of[graph->caller];

        if (part != DG_NOWHERE && graph->frame)
            dg_picture_add_link(picture, parts->items[part].box, graph->frame)->kind =
                DG_LINK_GRAPH;
    }
}

enum dg_status dg_parts_draw(struct dg_parts *parts, struct dg_picture *picture,
                             const struct dg_view_input *in, bool repeat)
{
    struct passages all = find_passages(parts);
    enum dg_status status = read_sizes(&all, in);

    if (!status) {
        count_crossings(parts, picture, &all);
        if (repeat)
            fold_parts(parts, &all);
        draw_boxes(parts, picture);
        draw_links(parts, picture, &all);
        link_branches(parts, picture);
        for (size_t i = 0; i < parts->outline->n_rows; i++)
            picture->n_nodes += parts->outline->nodes[i].graph != DG_NOWHERE;
    }
    free(all.items);
    return status;
}

/* Graphs that some part lies in. */
static bool *find_drawn(const struct dg_parts *parts)
{
    bool *drawn = calloc(parts->outline->n_graphs + 1, sizeof(*drawn));

    if (!drawn)
        dg_out_of_memory();
    for (size_t i = 0; i < parts->n_items; i++)
        drawn[parts->items[i].graph] |= !parts->items[i].gone;
    return drawn;
}

static size_t add_frame(struct dg_outline *outline, struct dg_picture *picture,
                        const struct dg_outline_graph *graph)
{
    const struct dg_outline_node *caller =
        graph->caller == DG_NOWHERE ? NULL : &outline->nodes[graph->caller];
    struct dg_text label;

    if (!graph->path.size && outline->n_methods < 2)
        return 0;
    if (!graph->path.size) {
        label = dg_format(&picture->memory, "method %s", graph->method.data);
        return dg_picture_add_frame(picture, DG_FRAME_METHOD, 0, label);
    }
    label = dg_format(&picture->memory, "%s: branch", graph->path.data);
    return dg_picture_add_frame(picture, DG_FRAME_GRAPH,
                                caller ? outline->graphs[caller->graph].frame : 0,
                                label);
}

void dg_parts_frame(struct dg_parts *parts, struct dg_picture *picture)
{
    struct dg_outline *outline = parts->outline;
    bool *drawn = find_drawn(parts);

    for (size_t g = 0; g < outline->n_graphs; g++)
        if (drawn[g])
            outline->graphs[g].frame = add_frame(outline, picture, &outline->graphs[g]);
    for (size_t i = 0; i < parts->n_items; i++)
        parts->items[i].frame = outline->graphs[parts->items[i].graph].frame;
    free(drawn);
}
