/* A picture as Graphviz text. */
#include <cgraph.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/dot_ids.h"
#include "reports/dot_label.h"

struct look {
    const char *shape, *style, *fill, *legend;
};

/* Fills are Okabe and Ito's, which colour-blind people can tell apart. */
static const struct look looks[] = {
    [DG_BOX_CALL] = {"box", "rounded,filled", "#ffffff", "operator"},
    [DG_BOX_INPUT] = {"ellipse", "filled", "#56b4e9", "input"},
    [DG_BOX_OUTPUT] = {"doubleoctagon", "filled", "#009e73", "output"},
    [DG_BOX_DELEGATE] = {"component", "filled", "#e69f00", "runs on a backend"},
    [DG_BOX_BRANCH] = {"hexagon", "filled", "#cc79a7", "runs other graphs"},
    [DG_BOX_JUMP] = {"diamond", "filled", "#f0e442", "jump"},
    [DG_BOX_MOVE] = {"tab", "filled", "#dddddd", "move or free"},
    [DG_BOX_GROUP] = {"folder", "filled", "#eeeeee", "folder: many boxes"},
    [DG_BOX_GHOST] = {"note", "dashed", "#ffffff", "value made far away"},
};

/* Backends beyond the first; then again from the start. */
static const char *const backend_fills[] = {"#e69f00", "#d55e00", "#f0e442", "#56b4e9"};

struct drawing {
    const struct dg_picture *picture;
    Agraph_t *graph;
    Agraph_t **clusters; /* by frame; NULL: not drawn */
    Agnode_t **nodes;    /* by box; NULL: not drawn */
    size_t *first_box;   /* by frame: the first box drawn inside; SIZE_MAX: none */
    size_t *outer;       /* by frame: the one drawn around it */
    struct dg_text backends[sizeof(backend_fills) / sizeof(*backend_fills)];
    size_t n_backends;
};

static void set(void *object, const char *name, const char *value)
{
    agsafeset(object, (char *)name, (char *)(value ? value : ""), "");
}

static void *table(size_t count, size_t size)
{
    void *items = calloc(count + 1, size);

    if (!items)
        dg_out_of_memory();
    return items;
}

static void set_defaults(Agraph_t *graph)
{
    static const struct {
        int of;
        const char *name, *value;
    } defaults[] = {
        {AGRAPH, "charset", "UTF-8"},
        {AGRAPH, "compound", "true"},
        {AGRAPH, "fontname", "Helvetica,Arial,sans-serif"},
        {AGRAPH, "fontsize", "11"},
        {AGRAPH, "labeljust", "l"},
        {AGRAPH, "labelloc", "t"},
        {AGRAPH, "linelength", "0"},
        {AGRAPH, "mclimit", "0.2"},
        {AGRAPH, "nslimit", "1"},
        {AGRAPH, "nslimit1", "1"},
        {AGRAPH, "nodesep", "0.2"},
        {AGRAPH, "ranksep", "0.3"},
        {AGNODE, "fontname", "Helvetica,Arial,sans-serif"},
        {AGNODE, "fontsize", "10"},
        {AGNODE, "margin", "0.08,0.04"},
        {AGEDGE, "arrowsize", "0.6"},
        {AGEDGE, "fontname", "Helvetica,Arial,sans-serif"},
        {AGEDGE, "fontsize", "9"},
    };

    for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++)
        agattr(graph, defaults[i].of, (char *)defaults[i].name,
               (char *)defaults[i].value);
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
    static const struct {
        const char *style, *color, *fill;
    } styles[] = {
        [DG_FRAME_METHOD] = {"bold", "#000000", ""},
        [DG_FRAME_GRAPH] = {"dashed", "#cc79a7", ""},
        [DG_FRAME_LOWERED] = {"filled", "#e69f00", "#fff6e0"},
        [DG_FRAME_MODULE] = {"rounded", "#888888", ""},
        [DG_FRAME_BLOCK] = {"filled", "#888888", "#f7f7f7"},
        [DG_FRAME_RUN] = {"", "", ""},
    };
    const struct dg_picture *picture = drawing->picture;
    size_t outer = around(drawing, picture->frames[frame].parent);
    struct dg_writer label = {0};
    char name[40];
    Agraph_t *cluster;

    snprintf(name, sizeof(name), "cluster_%zu", frame);
    cluster = agsubg(drawing->clusters[outer], name, 1);
    drawing->clusters[frame] = cluster;
    dg_frame_label(&label, &picture->frames[frame], &picture->frames[outer]);
    set(cluster, "label", label.data);
    set(cluster, "style", styles[picture->frames[frame].kind].style);
    set(cluster, "color", styles[picture->frames[frame].kind].color);
    set(cluster, "fillcolor", styles[picture->frames[frame].kind].fill);
    dg_writer_clear(&label);
}

static const char *fill_of(struct drawing *drawing, const struct dg_box *box)
{
    const size_t most = sizeof(backend_fills) / sizeof(*backend_fills);
    size_t i = 0;

    if (box->kind != DG_BOX_DELEGATE)
        return looks[box->kind].fill;
    while (i < drawing->n_backends &&
           !dg_text_equal(drawing->backends[i], box->backend))
        i++;
    if (i == drawing->n_backends && i < most)
        drawing->backends[drawing->n_backends++] = box->backend;
    return backend_fills[i % most];
}

static void draw_look(Agnode_t *node, const struct look *look, const char *fill)
{
    set(node, "shape", look->shape);
    set(node, "style", look->style);
    set(node, "fillcolor", fill);
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
    draw_look(node, &looks[box->kind], fill_of(drawing, box));
    if (box->n_outside)
        set(node, "style", "filled,dashed");
    dg_box_label(&label, box);
    set(node, "label", label.data);
    dg_box_tooltip(&tip, drawing->picture, box);
    set(node, "tooltip", tip.data);
    dg_writer_clear(&label);
    dg_writer_clear(&tip);
}

static void draw_link(struct drawing *drawing, const struct dg_link *link)
{
    static const char *const styles[] = {[DG_LINK_DATA] = "solid",
                                         [DG_LINK_JUMP] = "dashed",
                                         [DG_LINK_GRAPH] = "dotted",
                                         [DG_LINK_ORDER] = "invis"};
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
        set(edge, "label", label.data);
    set(edge, "style", styles[link->kind]);
    if (link->kind == DG_LINK_JUMP && picture->boxes[to].order <= from->order)
        set(edge, "constraint", "false");
    snprintf(head, sizeof(head), "cluster_%zu", link->to);
    if (link->kind == DG_LINK_GRAPH)
        set(edge, "lhead", head);
    if (link->value.data) {
        struct dg_writer tip = {0};

        dg_write_label(&tip, link->value);
        set(edge, "tooltip", tip.data);
        dg_writer_clear(&tip);
    }
    dg_writer_clear(&label);
}

static void draw_legend(struct drawing *drawing)
{
    bool present[sizeof(looks) / sizeof(*looks)] = {false};
    Agraph_t *legend = agsubg(drawing->graph, (char *)"cluster_legend", 1);

    set(legend, "label",
        "Legend. Arrows: solid a value, dashed a jump, dotted the graph that is run");
    set(legend, "style", "dashed");
    set(legend, "color", "#888888");
    for (size_t i = 0; i < drawing->picture->n_boxes; i++)
        if (drawing->picture->boxes[i].drawn)
            present[drawing->picture->boxes[i].kind] = true;
    for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
        if (present[i]) {
            char name[40];
            Agnode_t *node;

            snprintf(name, sizeof(name), "legend_%zu", i);
            node = agnode(legend, name, 1);
            draw_look(node, &looks[i], looks[i].fill);
            set(node, "label", looks[i].legend);
        }
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

    set_defaults(drawing->graph);
    dg_picture_caption(&caption, picture);
    set(drawing->graph, "label", caption.data);
    dg_writer_clear(&caption);
    survey(drawing);
    drawing->clusters[0] = drawing->graph;
    for (size_t i = 1; i < picture->n_frames; i++)
        if (around(drawing, i) == i && picture->frames[i].kind != DG_FRAME_RUN)
            draw_frame(drawing, i);
    draw_boxes(drawing);
    for (size_t i = 0; i < picture->n_links; i++)
        draw_link(drawing, &picture->links[i]);
    draw_legend(drawing);
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
