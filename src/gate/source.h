/* Lines of the user's Python, as a repository has them. A program spells paths of the
 * machine where it was exported; what CI shows are paths under the root of a checkout.
 */
#ifndef DG_GATE_SOURCE_H
#define DG_GATE_SOURCE_H

#include "base/text_set.h"
#include "store/store.h"

struct dg_source {
    const char *file; /* relative to the root, without ".."; NULL: none is known */
    int64_t line;
};

/* Start from {0}; end with dg_checkout_close(). */
struct dg_checkout {
    struct dg_arena *memory; /* where paths are kept */
    struct dg_store *store;
    struct dg_rows frames; /* the query, once it was asked for */
    bool open;
    int root;         /* the folder */
    const char *path; /* its real path */
    struct dg_text_set spelled;
    const char **found; /* for each of them, or NULL: it is no file under the root */
    size_t n_found;
};

/* Fails where `root` is no folder. */
enum dg_status dg_checkout_open(struct dg_checkout *checkout, const char *root,
                                struct dg_arena *memory, struct dg_error *err);
void dg_checkout_close(struct dg_checkout *checkout);

/* Ask another store from now on; NULL: none. What was found is kept. */
void dg_checkout_use(struct dg_checkout *checkout, struct dg_store *store);

/* `path` with its folder as it is behind links, but with its own name: another link of
 * that name is the same program. The caller frees it; NULL: there is no such folder. */
char *dg_real_place(const char *path);

/* `path` as it is seen from a folder, whose real path is given; "../" where it lies
 * beside. One line of text, which JSON can hold whatever bytes a name has. */
const char *dg_place_from(const char *folder, const char *path,
                          struct dg_arena *memory);

/* `path` as it is seen from the root, where it lies under it; else as it is. */
const char *dg_source_relative(const struct dg_checkout *checkout, const char *path);

/* The innermost frame of `trace` that is a file under the root and of no library. */
enum dg_status dg_source_find(struct dg_source *out, struct dg_checkout *checkout,
                              int64_t trace, struct dg_error *err);

#endif
