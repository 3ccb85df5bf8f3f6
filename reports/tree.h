/* A method as a tree: of its modules, or where a file names none, of its delegates and
 * kernels. */
#ifndef DG_REPORTS_TREE_H
#define DG_REPORTS_TREE_H

#include "reports/page/page.h"
#include "reports/report.h"

/* What goes with the area of the same index, beyond its calls (`count`) and the bytes
 * of weights or blobs (`bytes`). All is of the area and what is inside. */
struct dg_tree_figures {
    struct dg_text path; /* "layers.0.attn", or NULL */
    double flops;        /* -1: not known */
    double took; /* nanoseconds or ticks, of what ETDumps measured the median; 0: nothing */
    int64_t delegated;   /* calls that run in delegates, or in partitions of a plan */
    size_t n_same;       /* siblings that this one stands for; 0: itself alone */
};

/* Area 0 is the method. Parents stand before what is inside, siblings in the order in
 * which they run. */
struct dg_tree {
    int64_t artifact;
    const char *method;
    struct dg_text program; /* its path */
    bool among_several;     /* programs of the store */
    struct dg_area *areas;
    struct dg_tree_figures *figures;
    size_t n_areas;
    struct dg_arena memory;
};

/* An area and its figures, to be filled. */
struct dg_tree_figures *dg_tree_add(struct dg_tree *tree, size_t parent,
                                    struct dg_text name);

/* Adds what is below area 0: modules, or calls of a .pte. With `fold`, siblings that
 * repeat one before them are one area. */
enum dg_status dg_tree_read_modules(struct dg_tree *tree, struct dg_store *store,
                                    bool fold, struct dg_error *err);
enum dg_status dg_tree_read_calls(struct dg_tree *tree, struct dg_store *store,
                                  struct dg_error *err);

/* Each method that `options` asks for, in order. */
enum dg_status dg_tree_each(struct dg_store *store,
                            const struct dg_report_options *options, bool fold,
                            void (*visit)(void *context, const struct dg_tree *tree),
                            void *context, struct dg_error *err);

#endif
