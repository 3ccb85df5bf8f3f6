/* A picture as a graph of libcgraph. */
#include "reports/picture/skeleton.h"

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

static void add_cluster(struct dg_skeleton *skeleton, size_t frame)
{
    char name[40];

    snprintf(name, sizeof(name), "cluster_%zu", frame);
    skeleton->clusters[frame] =
        agsubg(skeleton->clusters[skeleton->scene.outer[frame]], name, 1);
}

static void add_node(struct dg_skeleton *skeleton, size_t box)
{
    const struct dg_scene *scene = &skeleton->scene;
    struct dg_writer id = {0};

    dg_write_box_id(&id, scene->picture, box);
    skeleton->nodes[box] =
        agnode(skeleton->clusters[dg_scene_frame_of(scene, box)], id.data, 1);
    dg_writer_clear(&id);
}

static void add_edge(struct dg_skeleton *skeleton, size_t index)
{
    const struct dg_scene *scene = &skeleton->scene;
    const struct dg_link *link = &scene->picture->links[index];
    size_t to = dg_scene_head(scene, link);
    char head[40];
    Agedge_t *edge;

    if (to == SIZE_MAX)
        return;
    edge = agedge(skeleton->graph, skeleton->nodes[link->from], skeleton->nodes[to],
                  NULL, 1);
    skeleton->edges[index] = edge;
    if (link->kind == DG_LINK_ORDER)
        dg_set_attribute(edge, "style", "invis");
    if (link->kind != DG_LINK_DATA && dg_scene_is_backward(scene, link))
        dg_set_attribute(edge, "constraint", "false");
    if (link->kind == DG_LINK_GRAPH && dg_scene_draws_frame(scene, link->to)) {
        snprintf(head, sizeof(head), "cluster_%zu", link->to);
        dg_set_attribute(edge, "lhead", head);
    }
}

void dg_skeleton_open(struct dg_skeleton *skeleton, const struct dg_picture *picture)
{
    Agdisc_t disc = {.id = &dg_dot_ids};

    *skeleton = (struct dg_skeleton){
        .graph = agopen((char *)"delegraph", Agdirected, &disc),
        .clusters = dg_table(picture->n_frames, sizeof(Agraph_t *)),
        .nodes = dg_table(picture->n_boxes, sizeof(Agnode_t *)),
        .edges = dg_table(picture->n_links, sizeof(Agedge_t *)),
    };
    dg_scene_open(&skeleton->scene, picture);
    set_defaults(skeleton->graph);
    rank_lanes(skeleton->graph, picture);
    skeleton->clusters[0] = skeleton->graph;
    for (size_t i = 1; i < picture->n_frames; i++)
        if (dg_scene_draws_frame(&skeleton->scene, i))
            add_cluster(skeleton, i);
    for (size_t i = 0; i < skeleton->scene.n_boxes; i++)
        add_node(skeleton, skeleton->scene.boxes[i]);
    for (size_t i = 0; i < picture->n_links; i++)
        add_edge(skeleton, i);
}

void dg_skeleton_close(struct dg_skeleton *skeleton)
{
    agclose(skeleton->graph);
    free(skeleton->clusters);
    free(skeleton->nodes);
    free(skeleton->edges);
    dg_scene_close(&skeleton->scene);
}
