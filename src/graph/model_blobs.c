/* What blobs of delegates say of the operands of their calls. */
#include "graph/model_blobs.h"

#include <stdlib.h>

#include "base/sorted.h"

/* Two numbers of a row, in order of both: a delegate and its row of delegate_graph,
 * which several may share; or that row and an operand that the blob reads. */
struct pair {
    int64_t first, second;
};

struct pairs {
    struct pair *items;
    size_t n;
};

struct blobs {
    struct pairs insides, reads;
};

static int compare_first(const void *a, const void *b)
{
    int64_t x = ((const struct pair *)a)->first, y = ((const struct pair *)b)->first;

    return (x > y) - (x < y);
}

static int compare(const void *a, const void *b)
{
    int64_t x = ((const struct pair *)a)->second, y = ((const struct pair *)b)->second;
    int order = compare_first(a, b);

    return order ? order : (x > y) - (x < y);
}

static enum dg_status read_pairs(struct pairs *pairs, struct dg_store *store,
                                 const char *sql, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, sql, err);

    while (dg_rows_next(&rows))
        *DG_APPEND(pairs->items, pairs->n) =
            (struct pair){dg_rows_int(&rows, 0), dg_rows_int(&rows, 1)};
    return dg_rows_close(&rows, DG_OK, err);
}

static const char insides_sql[] =
    "SELECT id, inside_id FROM delegate WHERE inside_id IS NOT NULL ORDER BY id";

/* An input of an XNNPACK blob that one of its nodes reads; of other backends no operand
 * is known to be looked at. */
static const char reads_sql[] =
    "SELECT v.graph_id, v.external_id FROM delegate_graph AS g"
    " JOIN delegate_value AS v ON v.graph_id = g.id AND v.external_id IS NOT NULL"
    " WHERE g.format = 'xnnpack' AND v.flags & 1 AND EXISTS (SELECT 1"
    "   FROM delegate_operand WHERE value_id = v.id AND access = 'read')"
    " ORDER BY 1, 2";

static bool calls_delegates(const struct dg_model *model)
{
    for (uint32_t i = 0; i < model->n_nodes; i++) {
        if (model->nodes[i].kind == DG_NODE_DELEGATE_CALL)
            return true;
    }
    return false;
}

static void mark(struct dg_model *model, uint32_t node, const struct blobs *blobs)
{
    struct pair delegate = {model->nodes[node].delegate, 0};
    const struct pair *inside =
        dg_search(&delegate, blobs->insides.items, blobs->insides.n, sizeof(delegate),
                  compare_first);

    for (uint32_t k = model->operand_of[node];
         inside && k < model->operand_of[node + 1]; k++) {
        struct pair key = {inside->second, model->operands[k].pos};

        model->operands[k].blob_reads =
            dg_search(&key, blobs->reads.items, blobs->reads.n, sizeof(key), compare) !=
            NULL;
    }
}

enum dg_status dg_model_read_blobs(struct dg_model *model, struct dg_store *store,
                                   struct dg_error *err)
{
    struct blobs blobs = {0};
    enum dg_status status;

    if (!calls_delegates(model))
        return DG_OK;
    status = read_pairs(&blobs.insides, store, insides_sql, err);
    if (!status)
        status = read_pairs(&blobs.reads, store, reads_sql, err);
    for (uint32_t i = 0; i < model->n_nodes && !status; i++) {
        if (model->nodes[i].kind == DG_NODE_DELEGATE_CALL)
            mark(model, i, &blobs);
    }
    free(blobs.insides.items);
    free(blobs.reads.items);
    return status;
}
