/* Layout by Graphviz's dot in a child process, which sends the numbers back. */
#include <math.h>
#include <stdio.h>

#include "reports/picture/graphviz_graph.h"
#include "reports/picture/layout.h"

enum {
    MOST_POINTS = 100000, /* of one curve */
    MOST_LENGTH = 10000000,
};

static void set_number(void *object, const char *name, double value)
{
    char text[40];

    snprintf(text, sizeof(text), "%.6f", value);
    dg_set_attribute(object, name, text);
}

/* An empty table of that size: room for text without any font. */
static void reserve(Agraph_t *graph, void *object, struct dg_size size)
{
    char html[160], *label;

    snprintf(html, sizeof(html),
             "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLPADDING=\"0\" CELLSPACING=\"0\" "
             "FIXEDSIZE=\"TRUE\" WIDTH=\"%d\" HEIGHT=\"%d\"><TR><TD></TD></TR></TABLE>",
             (int)fmin(size.w, 5000), (int)size.h);
    label = dg_graphviz.agstrdup_html(graph, html);
    dg_graphviz.agsafeset(object, (char *)"label", label, (char *)"");
    dg_graphviz.agstrfree(graph, label);
}

static void set_sizes(const struct dg_graphviz_graph *drawing)
{
    const struct dg_visible *visible = &drawing->visible;
    const struct dg_picture *picture = visible->picture;

    dg_graphviz.agattr(drawing->graph, AGNODE, (char *)"shape", (char *)"box");
    dg_graphviz.agattr(drawing->graph, AGNODE, (char *)"fixedsize", (char *)"true");
    dg_graphviz.agattr(drawing->graph, AGNODE, (char *)"label", (char *)"");
    for (size_t i = 0; i < visible->n_boxes; i++) {
        struct dg_size size = dg_box_size(visible, visible->boxes[i]);

        set_number(drawing->nodes[visible->boxes[i]], "width", size.w / 72);
        set_number(drawing->nodes[visible->boxes[i]], "height", size.h / 72);
    }
    for (size_t i = 1; i < picture->n_frames; i++)
        if (drawing->clusters[i])
            reserve(drawing->graph, drawing->clusters[i], dg_frame_size(visible, i));
    for (size_t i = 0; i < picture->n_links; i++) {
        struct dg_size size = dg_link_size(&picture->links[i]);

        if (drawing->edges[i] && size.w > 0)
            reserve(drawing->graph, drawing->edges[i], size);
    }
}

static void put(struct dg_writer *out, double value)
{
    dg_write(out, (const char *)&value, sizeof(value));
}

/* Graphviz's y grows upward. */
static void put_point(struct dg_writer *out, pointf at, double height)
{
    put(out, at.x);
    put(out, height - at.y);
}

static void put_box(struct dg_writer *out, Agnode_t *node, double height)
{
    double w = ND_width(node) * 72, h = ND_height(node) * 72;

    put(out, ND_coord(node).x - w / 2);
    put(out, height - ND_coord(node).y - h / 2);
    put(out, w);
    put(out, h);
}

static void put_frame(struct dg_writer *out, Agraph_t *cluster, double height)
{
    boxf box = GD_bb(cluster);

    put(out, box.LL.x);
    put(out, height - box.UR.y);
    put(out, box.UR.x - box.LL.x);
    put(out, box.UR.y - box.LL.y);
}

/* The curve ends at the tip of its arrow: Graphviz's end a little before it. */
static void put_edge(struct dg_writer *out, Agedge_t *edge, double height)
{
    const splines *all = ED_spl(edge);
    const bezier *curve = all && all->size ? &all->list[0] : NULL;
    pointf label = ED_label(edge) ? ED_label(edge)->pos : (pointf){0, 0};

    put(out, curve ? curve->size : 0);
    put_point(out, label, height);
    for (int i = 0; curve && i < curve->size; i++)
        put_point(out,
                  i + 1 == curve->size && curve->eflag ? curve->ep : curve->list[i],
                  height);
}

static void put_layout(struct dg_writer *out, const struct dg_graphviz_graph *drawing)
{
    const struct dg_visible *visible = &drawing->visible;
    boxf box = GD_bb(drawing->graph);
    double height = box.UR.y;

    put(out, box.UR.x);
    put(out, height);
    for (size_t i = 0; i < visible->n_boxes; i++)
        put_box(out, drawing->nodes[visible->boxes[i]], height);
    for (size_t i = 1; i < visible->picture->n_frames; i++)
        if (drawing->clusters[i])
            put_frame(out, drawing->clusters[i], height);
    for (size_t i = 0; i < visible->picture->n_links; i++)
        if (drawing->edges[i])
            put_edge(out, drawing->edges[i], height);
}

static int lay_out(const void *state, int to)
{
    const struct dg_visible *visible = state;
    GVC_t *context = dg_graphviz.gvContext();
    struct dg_graphviz_graph drawing;
    struct dg_writer out = {0};

    if (!context)
        return DG_CHILD_BROKEN;
    dg_graphviz_graph_open(&drawing, visible->picture);
    set_sizes(&drawing);
    if (dg_graphviz.gvLayout(context, drawing.graph, "dot"))
        return DG_CHILD_CANNOT;
    put_layout(&out, &drawing);
    return dg_child_answer(to, out.data, out.size);
}

/* The child's answer is not trusted: it may have lost its mind before it died. */
struct answer {
    const char *at, *end;
    bool broken;
};

static double take(struct answer *answer)
{
    double value;

    if ((size_t)(answer->end - answer->at) < sizeof(value)) {
        answer->broken = true;
        return 0;
    }
    memcpy(&value, answer->at, sizeof(value));
    answer->at += sizeof(value);
    if (!isfinite(value) || fabs(value) > MOST_LENGTH) {
        answer->broken = true;
        return 0;
    }
    return value;
}

static struct dg_point take_point(struct answer *answer)
{
    double x = take(answer), y = take(answer);

    return (struct dg_point){x, y};
}

static struct dg_rect take_rect(struct answer *answer)
{
    struct dg_point at = take_point(answer), size = take_point(answer);

    return (struct dg_rect){at.x, at.y, size.x, size.y};
}

static void take_curve(struct dg_curve *curve, struct dg_arena *memory,
                       struct answer *answer)
{
    double n_points = take(answer);

    curve->label = take_point(answer);
    if (n_points < 0 || n_points > MOST_POINTS ||
        (n_points > 0 && fmod(n_points, 3) != 1)) {
        answer->broken = true;
        return;
    }
    curve->n_points = (size_t)n_points;
    curve->points = dg_alloc(memory, curve->n_points + 1, sizeof(*curve->points));
    for (size_t i = 0; i < curve->n_points; i++)
        curve->points[i] = take_point(answer);
}

static void take_layout(struct dg_layout *layout, const struct dg_visible *visible,
                        struct answer *answer)
{
    const struct dg_picture *picture = visible->picture;

    layout->width = take(answer);
    layout->height = take(answer);
    for (size_t i = 0; i < visible->n_boxes; i++)
        layout->boxes[visible->boxes[i]] = take_rect(answer);
    for (size_t i = 1; i < picture->n_frames; i++)
        if (dg_visible_draws_frame(visible, i))
            layout->frames[i] = take_rect(answer);
    for (size_t i = 0; i < picture->n_links && !answer->broken; i++)
        if (dg_visible_head(visible, &picture->links[i]) != SIZE_MAX)
            take_curve(&layout->links[i], &layout->memory, answer);
    for (size_t i = 0; i < picture->n_links; i++)
        if (picture->links[i].kind == DG_LINK_ORDER)
            layout->links[i].n_points = 0;
}

enum dg_status dg_layout_graphviz(struct dg_layout *layout,
                                  const struct dg_visible *visible,
                                  const struct dg_child_limits *limits,
                                  struct dg_error *err)
{
    const struct dg_child_task task = {
        .work = lay_out,
        .state = visible,
        .who = "Graphviz",
        .cannot = "lay the graph out: is its plugin installed? The text (-T dot) needs "
                  "none",
        .instead = "ask for fewer boxes, or take the text (-T dot)",
    };
    struct dg_writer out = {0};
    struct answer answer;
    enum dg_status status =
        dg_graphviz_load(err); /* here: no child inherits its lock */

    if (!status)
        status = dg_child_run(&out, &task, limits, err);
    dg_layout_open(layout, visible);
    dg_write(&out, "", 0); /* so that there are bytes, if none */
    answer = (struct answer){out.data, out.data + out.size, false};
    if (!status)
        take_layout(layout, visible, &answer);
    if (!status && (answer.broken || answer.at != answer.end))
        status = dg_fail(err, DG_ERR_DEVICE, "Graphviz gave a layout that is not one");
    dg_writer_clear(&out);
    return status;
}
