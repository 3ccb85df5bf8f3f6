/* Partitions of a plan as frames. */
#include "reports/views/graph_load.h"

#include <stdlib.h>

#include "partition/tagged.h"

static struct dg_text frame_label(struct dg_picture *picture, const struct dg_tag *tag)
{
    if (!tag->known)
        return dg_format(&picture->memory, "%s: the plan has no such delegate",
                         tag->name.data);
    if (!tag->backend.data)
        return dg_format(&picture->memory, "%s", tag->name.data);
    return dg_format(&picture->memory, "%s: %s", tag->name.data, tag->backend.data);
}

/* Nodes grouped by tag: those of tag t are nodes[start[t]] to nodes[start[t + 1] - 1].
 */
struct grouped {
    uint32_t *start, *nodes;
};

static struct grouped group(const struct dg_tagged *tagged)
{
    size_t n_nodes = tagged->nodes.graph.n_nodes;
    struct grouped of = {dg_zeroed((size_t)tagged->n_tags + 2, sizeof(*of.start)),
                         dg_zeroed(n_nodes + 1, sizeof(*of.nodes))};

    for (uint32_t i = 0; i < n_nodes; i++)
        if (tagged->tag_of[i] != DG_UNTAGGED)
            of.start[tagged->tag_of[i] + 2]++;
    for (uint32_t t = 2; t < tagged->n_tags + 2; t++)
        of.start[t] += of.start[t - 1];
    for (uint32_t i = 0; i < n_nodes; i++)
        if (tagged->tag_of[i] != DG_UNTAGGED)
            of.nodes[of.start[tagged->tag_of[i] + 1]++] = i;
    return of;
}

static size_t box_of(const struct dg_box_loading *loading,
                     const struct dg_tagged *tagged, uint32_t node)
{
    return dg_boxes_find(loading->box_of_node, loading->n_nodes,
                         tagged->nodes.graph.first_id + node);
}

/* Where the module of a frame went in the partition at hand. */
struct moved {
    size_t part, frame;
};

/* Move a box into the frame of its partition, and there into that of its module. */
static void move_box(struct dg_picture *picture, struct dg_box *box, size_t part,
                     struct moved *moved)
{
    size_t before = box->frame;

    box->part = part;
    box->frame = part;
    if (picture->frames[before].kind != DG_FRAME_MODULE)
        return;
    if (moved[before].part != part)
        moved[before] = (struct moved){
            part, dg_boxes_module_frame(picture, part, picture->frames[before].key)};
    box->frame = moved[before].frame;
}

/* On the host a frame would tie together what the partitions part. */
static void unframe_hosts(struct dg_box_loading *loading,
                          const struct dg_tagged *tagged, size_t graph)
{
    struct dg_picture *picture = loading->picture;

    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes; i++) {
        size_t at = box_of(loading, tagged, i);

        if (at == SIZE_MAX)
            continue;
        picture->boxes[at].nbytes = tagged->nodes.nbytes[i];
        if (tagged->tag_of[i] == DG_UNTAGGED)
            picture->boxes[at].frame = picture->graphs[graph].frame;
    }
}

static size_t add_part(struct dg_picture *picture, const struct dg_tag *tag,
                       size_t graph)
{
    size_t outer = picture->graphs[graph].frame;
    size_t frame =
        dg_picture_add_frame(picture, DG_FRAME_PART, outer, frame_label(picture, tag));

    picture->frames[frame].backend = dg_picture_backend(picture, tag->backend);
    picture->n_parts++;
    return frame;
}

static void frame_graph(struct dg_box_loading *loading, const struct dg_tagged *tagged,
                        size_t graph)
{
    struct dg_picture *picture = loading->picture;
    struct grouped of = group(tagged);
    struct moved *moved = dg_zeroed(picture->n_frames, sizeof(*moved));

    unframe_hosts(loading, tagged, graph);
    for (uint32_t t = 0; t < tagged->n_tags; t++) {
        size_t frame = 0;

        for (uint32_t i = of.start[t]; i < of.start[t + 1]; i++) {
            size_t box = box_of(loading, tagged, of.nodes[i]);

            if (box == SIZE_MAX)
                continue;
            if (!frame)
                frame = add_part(picture, &tagged->tags[t], graph);
            move_box(picture, &picture->boxes[box], frame, moved);
        }
    }
    free(of.start);
    free(of.nodes);
    free(moved);
}

/* A getitem that belongs elsewhere than what it reads would hide that if it were an
 * arrow. */
static void keep_strayed_items(struct dg_picture *picture)
{
    for (size_t i = 0; i < picture->n_links; i++) {
        struct dg_box *to = &picture->boxes[picture->links[i].to];

        if (to->fold == DG_FOLD_ITEM &&
            to->part != picture->boxes[picture->links[i].from].part)
            to->fold = DG_FOLD_NOT;
    }
}

static void note_sources(struct dg_picture *picture)
{
    for (size_t i = 0; i < picture->n_links; i++) {
        struct dg_link *link = &picture->links[i];

        link->source = link->from;
        link->nbytes = picture->boxes[link->from].nbytes;
    }
}

enum dg_status dg_boxes_load_plan(struct dg_box_loading *loading)
{
    struct dg_picture *picture = loading->picture;
    const struct dg_tagged_list *list;
    enum dg_status status = dg_tagged_read(&list, loading->in->store, loading->in->err);
    size_t graph = 0;

    for (size_t i = 0; !status && i < list->n_items; i++) {
        int64_t row = list->items[i].nodes.graph.id;

        while (graph < picture->n_graphs && picture->graphs[graph].row < row)
            graph++;
        if (graph < picture->n_graphs && picture->graphs[graph].row == row)
            frame_graph(loading, &list->items[i], graph);
    }
    if (status || !picture->n_parts)
        return status;
    keep_strayed_items(picture);
    note_sources(picture);
    return dg_boxes_load_findings(loading);
}
