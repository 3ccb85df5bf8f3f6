/* What is different between two programs: one list, made once, for all who print it. */
#ifndef DG_DIFF_DIFF_H
#define DG_DIFF_DIFF_H

#include "base/arena.h"
#include "base/error.h"
#include "base/sum.h"
#include "base/text.h"
#include "diff/difference.h"
#include "store/store.h"

/* Bytes of a file by cause. Only the rest is never a difference. */
struct dg_diff_sizes {
    int64_t file, weights, blobs;
    int64_t planned; /* memory of all methods, which is no part of the file */
};

/* Bytes of the file that are neither weights nor blobs; a file may claim more of these
 * than it has. */
static inline int64_t dg_diff_rest(const struct dg_diff_sizes *sizes)
{
    int64_t claimed = sizes->weights;

    dg_add_to(&claimed, sizes->blobs);
    return sizes->file > claimed ? sizes->file - claimed : 0;
}

/* Start from {.ignored = classes}; end with dg_diff_clear(). */
struct dg_diff {
    unsigned ignored;
    struct dg_difference *items; /* by kind */
    size_t n_items;
    struct dg_diff_sizes sizes[2];
    int64_t n_weights[2];
    struct dg_diff_edge *edges; /* of removed calls */
    size_t n_edges;
    struct dg_text *unknown; /* what could not be compared, in words */
    size_t n_unknown;
    struct dg_arena memory;
};

struct dg_diff_program {
    struct dg_store *store; /* of one program; with its findings where they count */
    struct dg_bytes file;   /* of weights; data NULL: only digests are there */
    const char *path;
};

/* Both of one kind of file. O(n log n). */
enum dg_status dg_diff_make(struct dg_diff *diff,
                            const struct dg_diff_program programs[2],
                            struct dg_error *err);
void dg_diff_clear(struct dg_diff *diff);

/* Whether there is a difference that is not ignored; where none is found, but not all
 * could be compared, nobody knows. */
enum dg_diff_result { DG_DIFF_SAME, DG_DIFF_DIFFERENT, DG_DIFF_UNKNOWN };
enum dg_diff_result dg_diff_result(const struct dg_diff *diff);

/* Rows of the differences in a store that holds the new program, alone. */
enum dg_status dg_diff_keep(const struct dg_diff *diff, struct dg_store *store,
                            const char *old_path, struct dg_error *err);

/* What a person would say of it, in one line. */
void dg_diff_write_sentence(struct dg_writer *out, const struct dg_diff *diff);

#endif
