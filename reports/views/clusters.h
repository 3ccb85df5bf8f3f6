/* Many nodes drawn as few boxes: which node is in which cluster, what each cluster adds
 * up to, and what goes from cluster to cluster. */
#ifndef DG_REPORTS_VIEWS_CLUSTERS_H
#define DG_REPORTS_VIEWS_CLUSTERS_H

#include "reports/views/skeleton.h"

enum { DG_CLUSTER_OPS = 3 }; /* that a label names */

struct dg_cluster_op {
    uint32_t op; /* row */
    size_t count;
};

struct dg_cluster {
    enum dg_box_kind kind;
    struct dg_text title, name, backend, note, where, command;
    struct dg_text value; /* of a single input or output */
    size_t frame;
    uint32_t graph;   /* index into the skeleton's */
    uint32_t first;   /* node; DG_NOWHERE: none yet */
    uint32_t level;   /* see levels.h */
    bool is_step;     /* all of a level that was in no cluster before */
    uint64_t order;   /* boxes are drawn by it */
    size_t n_repeats; /* that are folded into it; 0: itself alone */
    uint32_t cycle;   /* clusters on a cycle have the same number; 0: on none */
    int64_t blob;     /* bytes of a delegate's blob; -1: none */
    size_t n_calls;   /* below: dg_clusters_measure() */
    size_t n_kinds;   /* of operators */
    struct dg_cluster_op ops[DG_CLUSTER_OPS]; /* the most frequent, falling */
    double flops, bytes;
    int64_t weights; /* bytes of those that it reads */
    bool gone;       /* another cluster took all of its nodes */
    size_t box;
};

struct dg_clusters {
    struct dg_skeleton *skeleton;
    uint32_t *part_of; /* of each node; DG_NOWHERE: none */
    struct dg_cluster *items;
    size_t n_items;
    uint32_t
        *drawn_as;   /* of each cluster: what stands for it; see dg_clusters_repeat() */
    size_t n_folded; /* clusters that others stand for */
    size_t n_neighbours;    /* clusters that dg_clusters_fold_neighbours() folded */
    double flops, bytes;    /* of all; 0: nobody has asked for costs */
    struct dg_text command; /* that draws folded clusters one by one */
    bool opaque; /* those of the host alone: what delegates compute is unknown */
    struct dg_arena memory;
};

/* All nodes in no cluster. Clear *clusters in the end. */
void dg_clusters_begin(struct dg_clusters *clusters, struct dg_skeleton *skeleton);
void dg_clusters_clear(struct dg_clusters *clusters);

uint32_t dg_clusters_add(struct dg_clusters *clusters, enum dg_box_kind kind,
                         uint32_t graph);
void dg_clusters_join(struct dg_clusters *clusters, uint32_t node, uint32_t cluster);

/* Inputs and outputs as clusters: one each, or one for all where there are many; those
 * of `branches`, too, where branches are told apart. */
void dg_clusters_add_io(struct dg_clusters *clusters, bool branches);

/* What a cluster is called by. */
static inline struct dg_text dg_cluster_name(const struct dg_cluster *cluster)
{
    return cluster->name.data ? cluster->name : cluster->title;
}

/* One box will stand for both: `more` is gone. */
void dg_cluster_take(struct dg_cluster *cluster, struct dg_cluster *more);

/* Operators, costs and weights of each cluster. */
enum dg_status dg_clusters_measure(struct dg_clusters *clusters,
                                   const struct dg_view_input *in);

/* Operators alone. */
void dg_clusters_count_ops(struct dg_clusters *clusters);

/* Those that are not gone, in their order; the caller frees the array. */
struct dg_cluster **dg_clusters_sorted(const struct dg_clusters *clusters,
                                       size_t *count);

/* Rows of clusters that come three times or more: the first is drawn, and one box for
 * the others. Fills drawn_as and n_folded; after dg_clusters_measure(). */
void dg_clusters_repeat(struct dg_clusters *clusters);

struct dg_cluster_pair { /* values go from one to the other */
    uint32_t from, to;
};

/* Clusters with the same neighbours, where at least four have, become one box. Each
 * pair stands once; after dg_clusters_repeat(). */
void dg_clusters_fold_neighbours(struct dg_clusters *clusters,
                                 const struct dg_cluster_pair *pairs, size_t n_pairs);

/* Nodes go to the clusters that stand for theirs. */
void dg_clusters_follow(struct dg_clusters *clusters);

/* A frame for each method and branch that is drawn, and `frame` of the clusters in it.
 */
void dg_clusters_frame(struct dg_clusters *clusters, struct dg_picture *picture);

/* A box for each cluster, and one link for all values from a cluster to another. With
 * `repeat`, dg_clusters_repeat() is called in between. */
void dg_clusters_draw(struct dg_clusters *clusters, struct dg_picture *picture,
                      bool repeat);

/* How many are folded, and the command that draws them one by one. */
void dg_clusters_hint(const struct dg_clusters *clusters, struct dg_picture *picture);

/* Lines of the box of a cluster. */
void dg_cluster_describe(struct dg_picture *picture, struct dg_box *box,
                         const struct dg_clusters *clusters,
                         const struct dg_cluster *cluster);

#endif
