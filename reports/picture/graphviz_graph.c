/* A picture as a graph of libcgraph. */
#include "reports/picture/graphviz_graph.h"

#include <stdio.h>
#include <stdlib.h>

#include "reports/picture/dot_ids.h"

void dg_set_attribute(void *object, const char *name, const char *value)
{
    agsafeset(object, (char *)name, (char *)(value ? value : ""), "");
}

/* nslimit and mclimit bound the network simplex and the crossing sweeps, which else
 * take minutes on graphs of a thousand nodes. */
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
        {AGRAPH, "mclimit", "1"},
        {AGRAPH, "nslimit", "20"},
        {AGRAPH, "nslimit1", "20"},
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

/* Steps of several lanes stand one below the other only where ranks are found for all
 * clusters together. */
static void rank_lanes(Agraph_t *graph, const struct dg_picture *picture)
{
    bool lanes = false;

    for (size_t i = 0; i < picture->n_frames; i++)
        lanes |= picture->frames[i].kind == DG_FRAME_LANE;
    if (lanes)
        agattr(graph, AGRAPH, (char *)"newrank", (char *)"true");
}

static void add_cluster(struct dg_graphviz_graph *drawing, size_t frame)
{
    char name[40];

    snprintf(name, sizeof(name), "cluster_%zu", frame);
    drawing->clusters[frame] =
        agsubg(drawing->clusters[drawing->visible.outer[frame]], name, 1);
}

static void add_node(struct dg_graphviz_graph *drawing, size_t box)
{
    const struct dg_visible *visible = &drawing->visible;
    struct dg_writer id = {0};

    dg_write_box_id(&id, visible->picture, box);
    drawing->nodes[box] =
        agnode(drawing->clusters[dg_visible_frame_of(visible, box)], id.data, 1);
    dg_writer_clear(&id);
}

static void add_edge(struct dg_graphviz_graph *drawing, size_t index)
{
    const struct dg_visible *visible = &drawing->visible;
    const struct dg_link *link = &visible->picture->links[index];
    size_t to = dg_visible_head(visible, link);
    char head[40];
    Agedge_t *edge;

    if (to == SIZE_MAX)
        return;
    edge =
        agedge(drawing->graph, drawing->nodes[link->from], drawing->nodes[to], NULL, 1);
    drawing->edges[index] = edge;
    if (link->kind == DG_LINK_ORDER)
        dg_set_attribute(edge, "style", "invis");
    if (link->kind != DG_LINK_DATA && dg_visible_is_backward(visible, link))
        dg_set_attribute(edge, "constraint", "false");
    if (link->kind == DG_LINK_GRAPH && dg_visible_draws_frame(visible, link->to)) {
        snprintf(head, sizeof(head), "cluster_%zu", link->to);
        dg_set_attribute(edge, "lhead", head);
    }
}

void dg_graphviz_graph_open(struct dg_graphviz_graph *drawing,
                            const struct dg_picture *picture)
{
    Agdisc_t disc = {.id = &dg_dot_ids};

    *drawing = (struct dg_graphviz_graph){
        .graph = agopen((char *)"delegraph", Agdirected, &disc),
        .clusters = dg_zeroed(picture->n_frames, sizeof(Agraph_t *)),
        .nodes = dg_zeroed(picture->n_boxes, sizeof(Agnode_t *)),
        .edges = dg_zeroed(picture->n_links, sizeof(Agedge_t *)),
    };
    dg_visible_open(&drawing->visible, picture);
    set_defaults(drawing->graph);
    rank_lanes(drawing->graph, picture);
    drawing->clusters[0] = drawing->graph;
    for (size_t i = 1; i < picture->n_frames; i++)
        if (dg_visible_draws_frame(&drawing->visible, i))
            add_cluster(drawing, i);
    for (size_t i = 0; i < drawing->visible.n_boxes; i++)
        add_node(drawing, drawing->visible.boxes[i]);
    for (size_t i = 0; i < picture->n_links; i++)
        add_edge(drawing, i);
}

void dg_graphviz_graph_close(struct dg_graphviz_graph *drawing)
{
    agclose(drawing->graph);
    free(drawing->clusters);
    free(drawing->nodes);
    free(drawing->edges);
    dg_visible_close(&drawing->visible);
}
