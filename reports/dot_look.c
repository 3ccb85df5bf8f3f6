/* Shapes and colours of a picture. */
#include "reports/dot_look.h"

#include <stdio.h>

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

#define OFFENCE "#d55e00"
#define BORDER "#0072b2"

/* Backends beyond the first; then again from the start. */
static const char *const backend_fills[] = {"#e69f00", "#d55e00", "#f0e442", "#56b4e9"};

/* Frames of partitions, by backend. */
static const struct {
    const char *color, *fill;
} part_fills[] = {
    {"#e69f00", "#fff6e0"},
    {"#009e73", "#e6f5f0"},
    {"#cc79a7", "#faeff5"},
    {"#56b4e9", "#edf7fd"},
};

void dg_set_look(void *object, const char *name, const char *value)
{
    agsafeset(object, (char *)name, (char *)(value ? value : ""), "");
}

void dg_default_look(Agraph_t *graph)
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

void dg_frame_look(Agraph_t *cluster, const struct dg_frame *frame)
{
    static const struct {
        const char *style, *color, *fill;
    } styles[] = {
        [DG_FRAME_METHOD] = {"bold", "#000000", ""},
        [DG_FRAME_GRAPH] = {"dashed", "#cc79a7", ""},
        [DG_FRAME_LOWERED] = {"filled", "#e69f00", "#fff6e0"},
        [DG_FRAME_PART] = {"filled", "", ""},
        [DG_FRAME_MODULE] = {"rounded", "#888888", ""},
        [DG_FRAME_BLOCK] = {"filled", "#888888", "#f7f7f7"},
        [DG_FRAME_RUN] = {"", "", ""},
    };
    size_t part = frame->backend % (sizeof(part_fills) / sizeof(*part_fills));
    bool is_part = frame->kind == DG_FRAME_PART;

    dg_set_look(cluster, "style", styles[frame->kind].style);
    dg_set_look(cluster, "color",
                is_part ? part_fills[part].color : styles[frame->kind].color);
    dg_set_look(cluster, "fillcolor",
                is_part ? part_fills[part].fill : styles[frame->kind].fill);
}

static void draw_look(Agnode_t *node, const struct look *look, const char *fill)
{
    dg_set_look(node, "shape", look->shape);
    dg_set_look(node, "style", look->style);
    dg_set_look(node, "fillcolor", fill);
}

static void draw_offence(Agnode_t *node)
{
    dg_set_look(node, "shape", "octagon");
    dg_set_look(node, "style", "filled");
    dg_set_look(node, "color", OFFENCE);
    dg_set_look(node, "penwidth", "3");
}

void dg_box_look(Agnode_t *node, const struct dg_box *box, size_t backend)
{
    const size_t most = sizeof(backend_fills) / sizeof(*backend_fills);
    bool delegate = box->kind == DG_BOX_DELEGATE;

    draw_look(node, &looks[box->kind],
              delegate ? backend_fills[backend % most] : looks[box->kind].fill);
    if (box->n_outside)
        dg_set_look(node, "style", "filled,dashed");
    if (box->offends)
        draw_offence(node);
}

/* Heavy across a border, double along a cycle. */
void dg_link_look(Agedge_t *edge, const struct dg_link *link)
{
    static const char *const styles[] = {[DG_LINK_DATA] = "solid",
                                         [DG_LINK_JUMP] = "dashed",
                                         [DG_LINK_GRAPH] = "dotted",
                                         [DG_LINK_ORDER] = "invis"};

    dg_set_look(edge, "style", styles[link->kind]);
    if (!link->crosses && !link->offends)
        return;
    dg_set_look(edge, "penwidth", "2.5");
    dg_set_look(edge, "color", link->offends ? OFFENCE ":#ffffff:" OFFENCE : BORDER);
    dg_set_look(edge, "fontcolor", link->offends ? OFFENCE : BORDER);
}

static void draw_sample(Agraph_t *legend, size_t number, const struct look *look,
                        bool offends)
{
    char name[40];
    Agnode_t *node;

    snprintf(name, sizeof(name), "legend_%zu", number);
    node = agnode(legend, name, 1);
    draw_look(node, look, look->fill);
    if (offends)
        draw_offence(node);
    dg_set_look(node, "label", look->legend);
}

static void label_legend(Agraph_t *legend, const struct dg_picture *picture)
{
    struct dg_writer label = {0};

    dg_print(&label, "Legend. Arrows: solid a value, dashed a jump, "
                     "dotted the graph that is run");
    if (picture->n_parts)
        dg_print(&label, "\\nblue: a value that crosses the border of a partition");
    if (picture->n_findings)
        dg_print(&label, "\\ndouble: a step of the path that a finding names");
    dg_set_look(legend, "label", label.data);
    dg_writer_clear(&label);
}

void dg_draw_legend(Agraph_t *graph, const struct dg_picture *picture)
{
    static const struct look offender = {"", "", "#ffffff", "breaks a rule of plans"};
    const size_t n_looks = sizeof(looks) / sizeof(*looks);
    bool present[sizeof(looks) / sizeof(*looks)] = {false};
    bool offends = false;
    Agraph_t *legend = agsubg(graph, (char *)"cluster_legend", 1);

    label_legend(legend, picture);
    dg_set_look(legend, "style", "dashed");
    dg_set_look(legend, "color", "#888888");
    for (size_t i = 0; i < picture->n_boxes; i++)
        if (picture->boxes[i].drawn) {
            present[picture->boxes[i].kind] = true;
            offends |= picture->boxes[i].offends;
        }
    for (size_t i = 0; i < n_looks; i++)
        if (present[i])
            draw_sample(legend, i, &looks[i], false);
    if (offends)
        draw_sample(legend, n_looks, &offender, true);
}
