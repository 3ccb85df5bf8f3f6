/* Trees of methods, one after another. */
#include "reports/tree.h"

#include <stdlib.h>

struct dg_tree_figures *dg_tree_add(struct dg_tree *tree, size_t parent,
                                    struct dg_text name)
{
    size_t n = tree->n_areas;

    *DG_APPEND(tree->areas, tree->n_areas) =
        (struct dg_area){.name = name, .parent = parent};
    *DG_APPEND(tree->figures, n) = (struct dg_tree_figures){0};
    return &tree->figures[n - 1];
}

static void clear(struct dg_tree *tree)
{
    free(tree->areas);
    free(tree->figures);
    dg_arena_clear(&tree->memory);
    *tree = (struct dg_tree){0};
}

enum dg_status dg_tree_each(struct dg_store *store,
                            const struct dg_report_options *options, bool fold,
                            void (*visit)(void *context, const struct dg_tree *tree),
                            void *context, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(store,
                   "SELECT artifact_id, name, ir = 'pte', path,"
                   " (SELECT count(*) FROM artifact WHERE companion_of IS NULL) > 1"
                   " FROM method JOIN artifact ON artifact.id = artifact_id"
                   " WHERE ?1 IS NULL OR name = ?1 ORDER BY method.id",
                   0, err);
    enum dg_status status = DG_OK;

    dg_rows_bind_text(&rows, 1, dg_text(options->method));
    while (!status && dg_rows_next(&rows)) {
        struct dg_tree tree = {dg_rows_int(&rows, 0), dg_rows_text(&rows, 1),
                               dg_rows_slice(&rows, 3), dg_rows_int(&rows, 4)};

        dg_tree_add(&tree, SIZE_MAX, dg_rows_slice(&rows, 1));
        status = dg_rows_int(&rows, 2) ? dg_tree_read_calls(&tree, store, err)
                                       : dg_tree_read_modules(&tree, store, fold, err);
        if (!status)
            visit(context, &tree);
        clear(&tree);
    }
    return dg_rows_close(&rows, status, err);
}
