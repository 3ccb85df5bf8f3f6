/* What the box of a cluster says: how many operators and which, costs, weights. */
#include "base/quantity.h"
#include "reports/views/clusters.h"

enum { WIDTH = 28 }; /* of a line: what labels show of it */

static size_t width_of(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Lines that are filled word by word. */
struct filling {
    struct dg_picture *picture;
    struct dg_box *box;
    struct dg_writer line;
};

static void end_line(struct filling *filling)
{
    if (filling->line.size)
        dg_box_add_line(filling->picture, filling->box,
                        dg_format(&filling->picture->memory, "%s", filling->line.data));
    filling->line.size = 0;
}

static void add_words(struct filling *filling, struct dg_text words)
{
    if (filling->line.size &&
        width_of(filling->line.data) + width_of(words.data) + 2 > WIDTH)
        end_line(filling);
    dg_print(&filling->line, "%s%s", filling->line.size ? ", " : "", words.data);
}

static void add_size(struct filling *filling, int64_t bytes, const char *what)
{
    struct dg_arena *memory = &filling->picture->memory;

    add_words(filling,
              dg_format(memory, "%s %s", what, dg_size_text(memory, bytes).data));
}

static void add_sums(struct filling *filling, const struct dg_clusters *clusters,
                     const struct dg_cluster *cluster)
{
    struct dg_arena *memory = &filling->picture->memory;
    double share = clusters->flops > 0 ? 100 * cluster->flops / clusters->flops : 0;

    if (cluster->where.data)
        add_words(filling, cluster->where);
    else if (cluster->n_calls)
        add_words(filling, dg_format(memory, "%zu op%s", cluster->n_calls,
                                     cluster->n_calls == 1 ? "" : "s"));
    if (share > 0)
        add_words(filling, dg_format(memory, "%.*f%% of %sFLOPs", share < 10, share,
                                     clusters->opaque ? "host " : ""));
    if (cluster->weights)
        add_size(filling, cluster->weights, "weights");
    if (cluster->blob >= 0)
        add_size(filling, cluster->blob, "blob");
    end_line(filling);
}

static void add_ops(struct filling *filling, const struct dg_clusters *clusters,
                    const struct dg_cluster *cluster)
{
    struct dg_arena *memory = &filling->picture->memory;
    size_t n_named = 0;

    for (size_t i = 0; i < DG_CLUSTER_OPS && cluster->ops[i].count; i++) {
        struct dg_text op = dg_short_op(clusters->skeleton->ops[cluster->ops[i].op]);

        n_named += cluster->ops[i].count;
        add_words(filling, dg_format(memory, "%zu \xc3\x97 %.*s", cluster->ops[i].count,
                                     (int)op.size, op.data ? op.data : ""));
    }
    if (cluster->n_kinds > DG_CLUSTER_OPS)
        add_words(filling, dg_format(memory, "%zu more", cluster->n_calls - n_named));
    end_line(filling);
}

void dg_cluster_describe(struct dg_picture *picture, struct dg_box *box,
                         const struct dg_clusters *clusters,
                         const struct dg_cluster *cluster)
{
    struct filling filling = {.picture = picture, .box = box};

    if (cluster->note.data)
        dg_box_add_line(picture, box, cluster->note);
    add_sums(&filling, clusters, cluster);
    add_ops(&filling, clusters, cluster);
    dg_writer_clear(&filling.line);
}
