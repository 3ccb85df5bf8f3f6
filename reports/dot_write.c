/* A picture as Graphviz text. */
#include <cgraph.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/dot_ids.h"
#include "reports/dot_label.h"
#include "reports/dot_look.h"

enum { MOST_BACKENDS = 64 }; /* whose colours are told apart */

struct drawing {
    const struct dg_picture *picture;
    Agraph_t *graph;
    Agraph_t **clusters; /* by frame; NULL: not drawn */
    Agnode_t **nodes;    /* by box; NULL: not drawn */
    size_t *first_box;   /* by frame: the first box drawn inside; SIZE_MAX: none */
    size_t *outer;       /* by frame: the one drawn around it */
    struct dg_text backends[MOST_BACKENDS];
    size_t n_backends;
};

static void *table(size_t count, size_t size)
{
    void *items = calloc(count + 1, size);

    if (!items)
        dg_out_of_memory();
    return items;
}

static size_t drawn_frame(const struct dg_picture *picture, size_t frame)
{
    while (picture->frames[frame].kind == DG_FRAME_RUN)
        frame = picture->frames[frame].parent;
    return frame;
}

static void note_first(struct drawing *drawing, size_t frame, size_t box)
{
    const struct dg_box *boxes = drawing->picture->boxes;
    size_t *first = &drawing->first_box[frame];

    if (box != SIZE_MAX &&
        (*first == SIZE_MAX || boxes[box].order < boxes[*first].order))
        *first = box;
}

/* Find which frames hold anything, and what stands first in each. Marks frames that
 * are drawn by an `outer` of their own number until set_outer(). */
static void survey(struct drawing *drawing)
{
    const struct dg_picture *picture = drawing->picture;
    size_t *n_inside = table(picture->n_frames, sizeof(*n_inside));

    for (size_t i = 0; i < picture->n_frames; i++)
        drawing->first_box[i] = SIZE_MAX;
    for (size_t i = 0; i < picture->n_boxes; i++)
        if (picture->boxes[i].drawn) {
            size_t frame = drawn_frame(picture, picture->boxes[i].frame);

            n_inside[frame]++;
            note_first(drawing, frame, i);
        }
    for (size_t i = picture->n_frames; i-- > 1;) {
        const struct dg_frame *frame = &picture->frames[i];
        size_t parent = drawn_frame(picture, frame->parent);
        bool needless = frame->kind == DG_FRAME_MODULE && n_inside[i] < 2;

        drawing->outer[i] = n_inside[i] && !needless ? i : parent;
        n_inside[parent] += n_inside[i] > 0;
        note_first(drawing, parent, drawing->first_box[i]);
    }
    free(n_inside);
}

/* The innermost frame around `frame`, itself included, that is drawn. */
static size_t around(const struct drawing *drawing, size_t frame)
{
    frame = drawn_frame(drawing->picture, frame);
    while (frame && drawing->outer[frame] != frame)
        frame = drawing->outer[frame];
    return frame;
}

static void draw_frame(struct drawing *drawing, size_t frame)
{
    const struct dg_picture *picture = drawing->picture;
    size_t outer = around(drawing, picture->frames[frame].parent);
    struct dg_writer label = {0};
    char name[40];
    Agraph_t *cluster;

    snprintf(name, sizeof(name), "cluster_%zu", frame);
    cluster = agsubg(drawing->clusters[outer], name, 1);
    drawing->clusters[frame] = cluster;
    dg_frame_label(&label, &picture->frames[frame], &picture->frames[outer]);
    dg_set_look(cluster, "label", label.data);
    dg_frame_look(cluster, &picture->frames[frame]);
    dg_writer_clear(&label);
}

/* The number of the backend of a delegate, counted as they are met. */
static size_t backend_of(struct drawing *drawing, const struct dg_box *box)
{
    size_t i = 0;

    if (box->kind != DG_BOX_DELEGATE)
        return 0;
    while (i < drawing->n_backends &&
           !dg_text_equal(drawing->backends[i], box->backend))
        i++;
    if (i == drawing->n_backends && i < MOST_BACKENDS)
        drawing->backends[drawing->n_backends++] = box->backend;
    return i;
}

static void draw_box(struct drawing *drawing, size_t index)
{
    const struct dg_box *box = &drawing->picture->boxes[index];
    struct dg_writer label = {0}, tip = {0};
    char name[40];
    Agnode_t *node;

    if (box->node)
        snprintf(name, sizeof(name), "n%lld", (long long)box->node);
    else
        snprintf(name, sizeof(name), "b%zu", index);
    node = agnode(drawing->clusters[around(drawing, box->frame)], name, 1);
    drawing->nodes[index] = node;
    dg_box_look(node, box, backend_of(drawing, box));
    dg_box_label(&label, box);
    dg_set_look(node, "label", label.data);
    dg_box_tooltip(&tip, drawing->picture, box);
    dg_set_look(node, "tooltip", tip.data);
    dg_writer_clear(&label);
    dg_writer_clear(&tip);
}

static void draw_link(struct drawing *drawing, const struct dg_link *link)
{
    const struct dg_picture *picture = drawing->picture;
    const struct dg_box *from = &picture->boxes[link->from];
    size_t to = link->kind == DG_LINK_GRAPH ? drawing->first_box[link->to] : link->to;
    struct dg_writer label = {0};
    char head[40];
    Agedge_t *edge;

    if (to == SIZE_MAX || !drawing->nodes[link->from] || !drawing->nodes[to])
        return;
    edge =
        agedge(drawing->graph, drawing->nodes[link->from], drawing->nodes[to], NULL, 1);
    dg_link_label(&label, link);
    if (label.size)
        dg_set_look(edge, "label", label.data);
    dg_link_look(edge, link);
    if (link->kind == DG_LINK_JUMP && picture->boxes[to].order <= from->order)
        dg_set_look(edge, "constraint", "false");
    snprintf(head, sizeof(head), "cluster_%zu", link->to);
    if (link->kind == DG_LINK_GRAPH)
        dg_set_look(edge, "lhead", head);
    if (link->value.data) {
        struct dg_writer tip = {0};

        dg_write_label(&tip, link->value);
        dg_set_look(edge, "tooltip", tip.data);
        dg_writer_clear(&tip);
    }
    dg_writer_clear(&label);
}

struct place {
    size_t box;
    uint64_t order;
};

static int by_order(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->box > b->box) - (a->box < b->box);
}

static void draw_boxes(struct drawing *drawing)
{
    const struct dg_picture *picture = drawing->picture;
    struct place *places = NULL;
    size_t n_places = 0;

    for (size_t i = 0; i < picture->n_boxes; i++)
        if (picture->boxes[i].drawn)
            *DG_APPEND(places, n_places) = (struct place){i, picture->boxes[i].order};
    if (n_places)
        qsort(places, n_places, sizeof(*places), by_order);
    for (size_t i = 0; i < n_places; i++)
        draw_box(drawing, places[i].box);
    free(places);
}

static void draw(struct drawing *drawing)
{
    const struct dg_picture *picture = drawing->picture;
    struct dg_writer caption = {0};

    dg_default_look(drawing->graph);
    dg_picture_caption(&caption, picture);
    dg_set_look(drawing->graph, "label", caption.data);
    dg_writer_clear(&caption);
    survey(drawing);
    drawing->clusters[0] = drawing->graph;
    for (size_t i = 1; i < picture->n_frames; i++)
        if (around(drawing, i) == i && picture->frames[i].kind != DG_FRAME_RUN)
            draw_frame(drawing, i);
    draw_boxes(drawing);
    for (size_t i = 0; i < picture->n_links; i++)
        draw_link(drawing, &picture->links[i]);
    dg_draw_legend(drawing->graph, picture);
}

static enum dg_status print_graph(struct dg_writer *out, Agraph_t *graph,
                                  struct dg_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool failed = !file || agwrite(graph, file) || ferror(file);

    if (file && fclose(file))
        failed = true;
    if (!failed)
        dg_write(out, text, size);
    free(text);
    return failed ? dg_fail(err, DG_ERR_IO, "cannot write the graph as text") : DG_OK;
}

enum dg_status dg_picture_write(struct dg_writer *out, const struct dg_picture *picture,
                                struct dg_error *err)
{
    Agdisc_t disc = {.id = &dg_dot_ids};
    struct drawing drawing = {
        .picture = picture,
        .graph = agopen((char *)"delegraph", Agdirected, &disc),
        .clusters = table(picture->n_frames, sizeof(Agraph_t *)),
        .nodes = table(picture->n_boxes, sizeof(Agnode_t *)),
        .first_box = table(picture->n_frames, sizeof(size_t)),
        .outer = table(picture->n_frames, sizeof(size_t)),
    };
    enum dg_status status;

    draw(&drawing);
    status = print_graph(out, drawing.graph, err);
    agclose(drawing.graph);
    free(drawing.clusters);
    free(drawing.nodes);
    free(drawing.first_box);
    free(drawing.outer);
    return status;
}
