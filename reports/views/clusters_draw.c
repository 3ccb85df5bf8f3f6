/* Clusters as boxes, and what goes from one to another as links. */
#include <stdlib.h>

#include "base/quantity.h"
#include "base/sorted.h"
#include "reports/views/clusters.h"

static void draw_part(const struct dg_clusters *clusters, struct dg_picture *picture,
                      struct dg_cluster *cluster)
{
    struct dg_box *box = dg_picture_add_box(picture, cluster->kind);

    cluster->box = picture->n_boxes - 1;
    box->title = cluster->title.data ? cluster->title : dg_text("host");
    box->name = cluster->name;
    box->backend = cluster->backend;
    box->value = cluster->value;
    box->command = cluster->command;
    box->frame = cluster->frame;
    box->order = cluster->order;
    box->index = DG_NONE;
    box->stand_in = cluster->box;
    box->n_repeats = cluster->n_repeats;
    box->n_nodes = cluster->n_calls;
    dg_cluster_describe(picture, box, clusters, cluster);
}

static int by_order(const void *left, const void *right)
{
    const struct dg_cluster *a = *(struct dg_cluster *const *)left;
    const struct dg_cluster *b = *(struct dg_cluster *const *)right;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a > b) - (a < b);
}

struct dg_cluster **dg_clusters_sorted(const struct dg_clusters *clusters,
                                       size_t *count)
{
    struct dg_cluster **sorted = NULL;

    *count = 0;
    for (size_t i = 0; i < clusters->n_items; i++)
        if (!clusters->items[i].gone)
            *DG_APPEND(sorted, *count) = &clusters->items[i];
    dg_sort(sorted, *count, sizeof(*sorted), by_order);
    return sorted;
}

static void draw_boxes(struct dg_clusters *clusters, struct dg_picture *picture)
{
    size_t n_sorted;
    struct dg_cluster **sorted = dg_clusters_sorted(clusters, &n_sorted);

    for (size_t i = 0; i < n_sorted; i++)
        draw_part(clusters, picture, sorted[i]);
    free(sorted);
}

struct passage { /* of a value from one cluster to another */
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
static uint32_t value_key(const struct dg_skeleton *skeleton,
                          const struct dg_skeleton_use *use)
{
    return use->value ? use->value : (uint32_t)(skeleton->n_values + 1) + use->from;
}

/* By value, each value from cluster to cluster once. */
static struct passages find_passages(const struct dg_clusters *clusters)
{
    const struct dg_skeleton *skeleton = clusters->skeleton;
    struct passages all = {0};
    size_t n_kept = 0;

    for (size_t i = 0; i < skeleton->n_uses; i++) {
        const struct dg_skeleton_use *use = &skeleton->uses[i];
        int64_t nbytes = use->value ? skeleton->values->nbytes[use->value - 1] : -1;
        uint32_t from = clusters->part_of[use->from], to = clusters->part_of[use->to];

        if (from != to && from != DG_NOWHERE && to != DG_NOWHERE)
            *DG_APPEND(all.items, all.n_items) =
                (struct passage){from, to, value_key(skeleton, use), nbytes};
    }
    dg_sort(all.items, all.n_items, sizeof(*all.items), by_value);
    for (size_t i = 0; i < all.n_items; i++)
        if (!i || by_value(&all.items[i - 1], &all.items[i]))
            all.items[n_kept++] = all.items[i];
    all.n_items = n_kept;
    return all;
}

/* What enters a partition or delegate counts, and what leaves it, each value once. */
static void count_crossings(const struct dg_clusters *clusters,
                            struct dg_picture *picture, const struct passages *all)
{
    bool *left = dg_zeroed(
        clusters->skeleton->n_values + clusters->skeleton->n_nodes + 2, sizeof(*left));

    for (size_t i = 0; i < all->n_items; i++) {
        const struct passage *passage = &all->items[i];
        bool enters = clusters->items[passage->to].kind == DG_BOX_PART;
        bool leaves =
            clusters->items[passage->from].kind == DG_BOX_PART && !left[passage->value];

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

static void draw_link(const struct dg_clusters *clusters, struct dg_picture *picture,
                      const struct passage *first, size_t n_passages)
{
    const struct dg_cluster *from = &clusters->items[first->from];
    const struct dg_cluster *to = &clusters->items[first->to];
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
    link->highlighted = from->cycle && from->cycle == to->cycle;
    link->nbytes = known ? nbytes : -1;
    link->label = tell_amount(picture, count, nbytes, known);
}

static void draw_links(const struct dg_clusters *clusters, struct dg_picture *picture,
                       struct passages *all)
{
    size_t begin = 0;

    dg_sort(all->items, all->n_items, sizeof(*all->items), by_ends);
    for (size_t i = 1; i <= all->n_items; i++)
        if (i == all->n_items || all->items[i].from != all->items[begin].from ||
            all->items[i].to != all->items[begin].to) {
            draw_link(clusters, picture, &all->items[begin], i - begin);
            begin = i;
        }
}

/* What repeats is one cluster now. */
static void follow_repeats(const struct dg_clusters *clusters, struct passages *all)
{
    size_t n_kept = 0;

    for (size_t i = 0; i < all->n_items; i++) {
        struct passage passage = all->items[i];

        passage.from = clusters->drawn_as[passage.from];
        passage.to = clusters->drawn_as[passage.to];
        if (passage.from != passage.to)
            all->items[n_kept++] = passage;
    }
    all->n_items = n_kept;
}

static void fold_twins(struct dg_clusters *clusters, struct passages *all)
{
    struct dg_cluster_pair *pairs = NULL;
    size_t n_pairs = 0;

    dg_sort(all->items, all->n_items, sizeof(*all->items), by_ends);
    for (size_t i = 0; i < all->n_items; i++)
        if (!i || all->items[i].from != all->items[i - 1].from ||
            all->items[i].to != all->items[i - 1].to)
            *DG_APPEND(pairs, n_pairs) =
                (struct dg_cluster_pair){all->items[i].from, all->items[i].to};
    dg_clusters_fold_neighbours(clusters, pairs, n_pairs);
    free(pairs);
}

/* Draw what repeats, and what has the same neighbours, as one. */
static void fold_parts(struct dg_clusters *clusters, struct passages *all,
                       struct dg_text view)
{
    clusters->command = dg_format(&clusters->memory, "--view %s --no-fold", view.data);
    dg_clusters_repeat(clusters);
    follow_repeats(clusters, all);
    fold_twins(clusters, all);
    follow_repeats(clusters, all);
}

/* Control flow points at the frames of the graphs that it runs. */
static void link_branches(const struct dg_clusters *clusters,
                          struct dg_picture *picture)
{
    const struct dg_skeleton *skeleton = clusters->skeleton;

    for (size_t g = 0; g < skeleton->n_graphs; g++) {
        const struct dg_skeleton_graph *graph = &skeleton->graphs[g];
        uint32_t cluster =
            graph->caller == DG_NOWHERE ? DG_NOWHERE : clusters->part_of[graph->caller];

        if (cluster != DG_NOWHERE && graph->frame)
            dg_picture_add_link(picture, clusters->items[cluster].box, graph->frame)
                ->kind = DG_LINK_GRAPH;
    }
}

static void sum_times(const struct dg_clusters *clusters, struct dg_picture *picture)
{
    for (size_t i = 0; i < picture->n_took && i < clusters->skeleton->n_rows; i++) {
        uint32_t cluster = clusters->part_of[i];

        if (cluster != DG_NOWHERE)
            picture->boxes[clusters->items[cluster].box].took += picture->took[i];
    }
}

void dg_clusters_draw(struct dg_clusters *clusters, struct dg_picture *picture,
                      bool repeat)
{
    struct passages all = find_passages(clusters);

    count_crossings(clusters, picture, &all);
    if (repeat)
        fold_parts(clusters, &all, picture->view);
    draw_boxes(clusters, picture);
    sum_times(clusters, picture);
    draw_links(clusters, picture, &all);
    link_branches(clusters, picture);
    for (size_t i = 0; i < clusters->skeleton->n_rows; i++)
        picture->n_nodes += clusters->skeleton->nodes[i].graph != DG_NOWHERE;
    free(all.items);
}

/* Graphs that some cluster lies in. */
static bool *find_drawn(const struct dg_clusters *clusters)
{
    bool *drawn = dg_zeroed(clusters->skeleton->n_graphs + 1, sizeof(*drawn));

    for (size_t i = 0; i < clusters->n_items; i++)
        drawn[clusters->items[i].graph] |= !clusters->items[i].gone;
    return drawn;
}

void dg_clusters_frame(struct dg_clusters *clusters, struct dg_picture *picture)
{
    struct dg_skeleton *skeleton = clusters->skeleton;
    bool *drawn = find_drawn(clusters);

    dg_skeleton_frame(skeleton, picture, drawn);
    for (size_t i = 0; i < clusters->n_items; i++)
        clusters->items[i].frame = skeleton->graphs[clusters->items[i].graph].frame;
    free(drawn);
}

void dg_clusters_hint(const struct dg_clusters *clusters, struct dg_picture *picture)
{
    if (clusters->n_folded)
        dg_picture_hint(picture,
                        "%zu boxes repeat those before them and are folded; one by "
                        "one: delegraph dot %s %s",
                        clusters->n_folded, picture->path.data, clusters->command.data);
    if (clusters->n_neighbours)
        dg_picture_hint(picture,
                        "%zu boxes are drawn together with others that have the same "
                        "neighbours; one by one: delegraph dot %s %s",
                        clusters->n_neighbours, picture->path.data,
                        clusters->command.data);
}
