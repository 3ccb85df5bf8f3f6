/* How large files are, and by what; what calls cost. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/both.h"
#include "base/quantity.h"
#include "base/sum.h"
#include "diff/finders.h"
#include "graph/cost.h"

/* Bytes that several tensors share count once; a file says what it likes. */
#define WEIGHTS                                                                        \
    "(SELECT sum(n) FROM"                                                              \
    " (SELECT DISTINCT segment_id, file_offset, nbytes AS n FROM constant"             \
    "   WHERE nbytes > 0)),"                                                           \
    "(SELECT sum(n) FROM"                                                              \
    " (SELECT DISTINCT artifact_id, segment_idx, size_bytes AS n FROM named_data"      \
    "   WHERE size_bytes > 0))"
#define BLOBS                                                                          \
    "(SELECT sum(n) FROM"                                                              \
    " (SELECT DISTINCT location, blob_index, blob_bytes AS n FROM delegate"            \
    "   WHERE blob_bytes > 0))"

static enum dg_status read_sizes(struct dg_diff_sizes *sizes, struct dg_store *store,
                                 struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(store,
                    "SELECT (SELECT sum(size_bytes) FROM artifact)," WEIGHTS "," BLOBS
                    ", (SELECT sum(size_bytes) FROM arena WHERE idx > 0)",
                    err);

    if (dg_rows_next(&rows)) {
        sizes->file = dg_rows_int_or(&rows, 0, 0);
        sizes->weights = dg_rows_int_or(&rows, 1, 0);
        dg_add_to(&sizes->weights, dg_rows_int_or(&rows, 2, 0));
        sizes->blobs = dg_rows_int_or(&rows, 3, 0);
        sizes->planned = dg_rows_int_or(&rows, 4, 0);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* All digits where fewer look the same. */
void dg_diff_size_texts(struct dg_text *a, struct dg_text *b, int64_t old, int64_t new,
                        struct dg_arena *memory)
{
    *a = dg_size_text(memory, old);
    *b = dg_size_text(memory, new);
    if (!dg_text_equal(*a, *b))
        return;
    *a = dg_format(memory, "%" PRId64 " B", old);
    *b = dg_format(memory, "%" PRId64 " B", new);
}

static void add_size(struct dg_diffing *diffing, const char *name, int64_t old,
                     int64_t new)
{
    struct dg_difference difference = {.kind = DG_DIFF_SIZE,
                                       .change = DG_DIFF_CHANGED,
                                       .class = DG_DIFF_SIZES,
                                       .name = dg_text(name)};

    if (old == new)
        return;
    dg_diff_size_texts(&difference.old, &difference.new, old, new, &diffing->memory);
    dg_diff_add(diffing->diff, &difference);
}

enum dg_status dg_diff_file_sizes(struct dg_diffing *diffing, struct dg_error *err)
{
    struct dg_diff_sizes *sizes = diffing->diff->sizes;
    enum dg_status status = DG_OK;

    for (int s = 0; s < 2 && !status; s++)
        status = read_sizes(&sizes[s], diffing->programs[s].store, err);
    if (status)
        return status;
    add_size(diffing, "weights", sizes[0].weights, sizes[1].weights);
    add_size(diffing, "blobs", sizes[0].blobs, sizes[1].blobs);
    return DG_OK;
}

/* FLOPs that are known, of all graphs of a method: of calls, and of those of delegates.
 */
struct flops {
    int64_t calls, delegates;
};

static enum dg_status add_up(struct flops *sums, const struct dg_diffing *diffing,
                             int s, struct dg_error *err)
{
    const struct dg_diff_side *side = &diffing->sides[s];
    const struct dg_costs *costs;
    enum dg_status status = dg_costs_read(&costs, side->store, err);

    for (uint32_t i = 0; !status && i < side->n_nodes && i < costs->n_nodes; i++) {
        uint32_t graph = side->model->nodes[i].graph, method;

        if (!side->nodes[i].place || !dg_cost_counts(&costs->nodes[i]))
            continue;
        method = dg_text_set_find(&diffing->methods, side->graphs[graph - 1].method);
        if (method != DG_NO_TEXT)
            dg_add_to(side->model->nodes[i].kind == DG_NODE_DELEGATE_CALL
                          ? &sums[method].delegates
                          : &sums[method].calls,
                      costs->nodes[i].flops);
    }
    return status;
}

static struct dg_text count_text(struct dg_arena *memory, int64_t count)
{
    struct dg_writer out = {0};

    dg_write_count(&out, count);
    return dg_keep(memory, &out);
}

/* All digits where fewer look the same. */
static void count_texts(struct dg_text *a, struct dg_text *b, int64_t old, int64_t new,
                        struct dg_arena *memory)
{
    *a = count_text(memory, old);
    *b = count_text(memory, new);
    if (!dg_text_equal(*a, *b))
        return;
    *a = dg_format(memory, "%" PRId64, old);
    *b = dg_format(memory, "%" PRId64, new);
}

static void add_flops(struct dg_diffing *diffing, uint32_t method, const char *name,
                      int64_t old, int64_t new)
{
    struct dg_difference difference = {.kind = DG_DIFF_FLOPS,
                                       .change = DG_DIFF_CHANGED,
                                       .method = diffing->methods.texts[method],
                                       .name = dg_text(name)};

    if (old == new)
        return;
    count_texts(&difference.old, &difference.new, old, new, &diffing->memory);
    dg_diff_add(diffing->diff, &difference);
}

/* Where calls and types are the same, so are costs. */
static bool may_differ(const struct dg_diff *diff)
{
    for (size_t i = 0; i < diff->n_items; i++) {
        if (diff->items[i].kind <= DG_DIFF_SIGNATURE)
            return true;
    }
    return false;
}

struct adding {
    const struct dg_diffing *diffing;
    int side;
    struct flops *sums; /* of each method */
    struct dg_error err;
    enum dg_status status;
};

static void *add_side(void *context)
{
    struct adding *adding = context;

    adding->status = add_up(adding->sums, adding->diffing, adding->side, &adding->err);
    return NULL;
}

enum dg_status dg_diff_flops(struct dg_diffing *diffing, struct dg_error *err)
{
    struct adding sides[2] = {{diffing, 0}, {diffing, 1}};
    enum dg_status status;

    if (!may_differ(diffing->diff))
        return DG_OK;
    for (int s = 0; s < 2; s++)
        sides[s].sums =
            dg_alloc(&diffing->memory, diffing->methods.n_texts, sizeof(struct flops));
    dg_do_both(add_side, &sides[0], &sides[1]);
    status = sides[0].status ? sides[0].status : sides[1].status;
    if (status)
        *err = sides[sides[0].status == DG_OK].err;
    for (uint32_t i = 0; !status && i < diffing->methods.n_texts; i++) {
        add_flops(diffing, i,
                  diffing->sides[0].is_pte ? "FLOPs of kernel calls" : "FLOPs",
                  sides[0].sums[i].calls, sides[1].sums[i].calls);
        add_flops(diffing, i, "FLOPs of delegates", sides[0].sums[i].delegates,
                  sides[1].sums[i].delegates);
    }
    return status;
}
