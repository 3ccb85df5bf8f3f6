/* A picture as a graph of libcgraph. */
#include "reports/picture/graphviz_graph.h"

#include <stdio.h>
#include <stdlib.h>

/* Ids in the order in which objects are made: Graphviz's own are addresses, and it
 * writes subgraphs in the order of ids, so that each run would give another text. Each
 * name is used once: nothing is ever looked up. It asks of its strings whether they are
 * HTML, and so reads in front of them: names must be strings of the graph, which frees
 * them. */
struct ids {
    Agraph_t *graph;
    char **items; /* by id - 1; NULL: without a name */
    size_t n_items;
};

static void *open_ids(Agraph_t *graph, Agdisc_t *disc)
{
    struct ids *ids = dg_zeroed(1, sizeof(*ids));

    ids->graph = graph;
    return ids;
}

static long map_id(void *state, int type, char *name, IDTYPE *id, int create)
{
    struct ids *ids = state;

    if (!create)
        return 0;
    *DG_APPEND(ids->items, ids->n_items) =
        name ? dg_graphviz.agstrdup(ids->graph, name) : NULL;
    *id = ids->n_items;
    return 1;
}

static long alloc_id(void *state, int type, IDTYPE id)
{
    return 0;
}

static void free_id(void *state, int type, IDTYPE id)
{
}

static char *print_id(void *state, int type, IDTYPE id)
{
    const struct ids *ids = state;

    return id && id <= ids->n_items ? ids->items[id - 1] : NULL;
}

static void close_ids(void *state)
{
    struct ids *ids = state;

    free(ids->items);
    free(ids);
}

static void register_id(void *state, int type, void *object)
{
}

static Agiddisc_t ids_in_order = {open_ids, map_id,    alloc_id,   free_id,
                                  print_id, close_ids, register_id};

void dg_set_attribute(void *object, const char *name, const char *value)
{
    dg_graphviz.agsafeset(object, (char *)name, (char *)(value ? value : ""), "");
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
        dg_graphviz.agattr(graph, defaults[i].of, (char *)defaults[i].name,
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
        dg_graphviz.agattr(graph, AGRAPH, (char *)"newrank", (char *)"true");
}

static void add_cluster(struct dg_graphviz_graph *drawing, size_t frame)
{
    char name[40];

    snprintf(name, sizeof(name), "cluster_%zu", frame);
    drawing->clusters[frame] =
        dg_graphviz.agsubg(drawing->clusters[drawing->visible.outer[frame]], name, 1);
}

static void add_node(struct dg_graphviz_graph *drawing, size_t box)
{
    const struct dg_visible *visible = &drawing->visible;
    struct dg_writer id = {0};

    dg_write_box_id(&id, visible->picture, box);
    drawing->nodes[box] = dg_graphviz.agnode(
        drawing->clusters[dg_visible_frame_of(visible, box)], id.data, 1);
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
    edge = dg_graphviz.agedge(drawing->graph, drawing->nodes[link->from],
                              drawing->nodes[to], NULL, 1);
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
    Agdisc_t disc = {.id = &ids_in_order};

    *drawing = (struct dg_graphviz_graph){
        .graph =
            dg_graphviz.agopen((char *)"delegraph", *dg_graphviz.Agdirected, &disc),
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
    dg_graphviz.agclose(drawing->graph);
    free(drawing->clusters);
    free(drawing->nodes);
    free(drawing->edges);
    dg_visible_close(&drawing->visible);
}
