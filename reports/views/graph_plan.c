/* Partitions of a plan as frames. */
#include "reports/views/graph_load.h"

#include <stdlib.h>

#include "base/csr.h"
#include "base/sum.h"
#include "reports/views/placement.h"

/* Where the module of a frame went in the partition at hand. */
struct moved {
    size_t part, frame;
};

/* Move a box into the frame of its partition, and there into that of its module. */
static void move_box(struct dg_box_loading *loading, struct dg_box *box, size_t part,
                     struct moved *moved)
{
    const struct dg_picture *picture = loading->picture;
    size_t before = box->frame;

    box->part = part;
    box->frame = part;
    if (picture->frames[before].kind != DG_FRAME_MODULE)
        return;
    if (moved[before].part != part)
        moved[before] = (struct moved){
            part, dg_boxes_module_frame(loading, part, picture->frames[before].key)};
    box->frame = moved[before].frame;
}

static size_t add_part(struct dg_picture *picture, const struct dg_cluster *part)
{
    struct dg_text label = part->note.data ? part->note : part->backend;
    size_t frame =
        dg_picture_add_frame(picture, DG_FRAME_PART, picture->graphs[part->graph].frame,
                             dg_format(&picture->memory, label.data ? "%s: %s" : "%s",
                                       part->name.data, label.data));

    picture->frames[frame].backend = dg_picture_backend(picture, part->backend);
    picture->n_parts++;
    return frame;
}

static void frame_parts(struct dg_box_loading *loading,
                        const struct dg_clusters *clusters)
{
    struct dg_picture *picture = loading->picture;
    struct moved *moved = dg_zeroed(picture->n_frames, sizeof(*moved));
    struct dg_arena memory = {0};
    struct dg_csr nodes;

    dg_csr_by_key(&nodes, clusters->part_of, (uint32_t)loading->skeleton.n_rows,
                  (uint32_t)clusters->n_items, &memory);
    for (size_t p = 0; p < clusters->n_items; p++) {
        size_t part = add_part(picture, &clusters->items[p]);

        for (uint32_t k = nodes.begins[p]; k < nodes.begins[p + 1]; k++) {
            size_t box = loading->box_of[nodes.items[k]];

            if (box != SIZE_MAX)
                move_box(loading, &picture->boxes[box], part, moved);
        }
    }
    dg_arena_clear(&memory);
    free(moved);
}

/* In a graph with partitions a frame on the host would tie together what they part. */
static void unframe_hosts(struct dg_box_loading *loading,
                          const struct dg_clusters *clusters)
{
    struct dg_picture *picture = loading->picture;
    bool *planned = dg_zeroed(picture->n_graphs, sizeof(*planned));

    for (size_t p = 0; p < clusters->n_items; p++)
        planned[clusters->items[p].graph] = true;
    for (size_t i = 0; i < loading->skeleton.n_rows; i++) {
        size_t box = loading->box_of[i];

        if (box != SIZE_MAX && clusters->part_of[i] == DG_NOWHERE &&
            planned[picture->boxes[box].graph])
            picture->boxes[box].frame =
                picture->graphs[picture->boxes[box].graph].frame;
    }
    free(planned);
}

/* A tuple is as large as the items that are taken out of it. */
static void measure_tuples(struct dg_box_loading *loading)
{
    const struct dg_skeleton *skeleton = &loading->skeleton;
    struct dg_box *boxes = loading->picture->boxes;

    for (size_t i = skeleton->n_uses; i-- > 0;) {
        const struct dg_skeleton_use *use = &skeleton->uses[i];
        size_t from = loading->box_of[use->from], to = loading->box_of[use->to];

        if (from == SIZE_MAX || to == SIZE_MAX || boxes[to].nbytes < 0 ||
            skeleton->nodes[use->to].role != DG_ROLE_ITEM ||
            boxes[from].kind == DG_BOX_INPUT)
            continue;
        boxes[from].nbytes = boxes[from].nbytes < 0 ? 0 : boxes[from].nbytes;
        dg_add_to(&boxes[from].nbytes, boxes[to].nbytes);
    }
}

/* A getitem that belongs elsewhere than what it reads would hide that if it were an
 * arrow. */
static void keep_strayed_items(struct dg_picture *picture)
{
    for (size_t i = 0; i < picture->n_links; i++) {
        const struct dg_link *link = &picture->links[i];
        struct dg_box *to;

        if (link->kind == DG_LINK_GRAPH)
            continue;
        to = &picture->boxes[link->to];
        if (to->fold == DG_FOLD_ITEM && to->part != picture->boxes[link->from].part)
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
    struct dg_placement placement = {0};
    struct dg_clusters *clusters = &placement.clusters;
    enum dg_status status;

    dg_clusters_begin(clusters, &loading->skeleton);
    status = dg_placement_read_plan(&placement, loading->in);
    if (!status && clusters->n_items) {
        unframe_hosts(loading, clusters);
        frame_parts(loading, clusters);
        measure_tuples(loading);
        keep_strayed_items(picture);
        note_sources(picture);
        status = dg_boxes_load_findings(loading);
    }
    dg_arena_adopt(&picture->memory, &clusters->memory);
    dg_clusters_clear(clusters);
    return status;
}
