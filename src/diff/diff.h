/* What is different between two programs: one list, made once, for all who print it. */
#ifndef DG_DIFF_DIFF_H
#define DG_DIFF_DIFF_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "store/store.h"

/* In the order in which they are told. */
enum dg_diff_kind {
    DG_DIFF_METHOD,
    DG_DIFF_GRAPH, /* a branch, or what a delegate was made from */
    DG_DIFF_OP,
    DG_DIFF_VALUE, /* dtype or shape of a result */
    DG_DIFF_SIGNATURE,
    DG_DIFF_STATE,
    DG_DIFF_WEIGHT,
    DG_DIFF_DELEGATE,
    DG_DIFF_MEMORY,
    DG_DIFF_SIZE,
    DG_DIFF_FLOPS,
    DG_DIFF_FINDING,
    DG_DIFF_NAME,
    DG_DIFF_SOURCE,
    DG_DIFF_METADATA,
    DG_DIFF_KINDS,
};

enum dg_diff_change {
    DG_DIFF_ADDED,
    DG_DIFF_REMOVED,
    DG_DIFF_CHANGED,
    DG_DIFF_MOVED, /* between host and delegate */
};

/* What may be left out, as bits. */
enum dg_diff_class {
    DG_DIFF_NAMES = 1 << 0,
    DG_DIFF_SOURCES = 1 << 1,
    DG_DIFF_WEIGHTS = 1 << 2, /* values, not shapes */
    DG_DIFF_METADATAS = 1 << 3,
    DG_DIFF_SIZES = 1 << 4,
    DG_DIFF_FINDINGS = 1 << 5,
};

/* Texts are absent (data NULL) where there is nothing to say. */
struct dg_difference {
    enum dg_diff_kind kind;
    enum dg_diff_change change;
    unsigned class;                       /* enum dg_diff_class; 0: always told */
    struct dg_text method, graph, module; /* where */
    struct dg_text what;                  /* changes: operator, shape, bytes... */
    struct dg_text name;                  /* of what is different */
    struct dg_text old, new;              /* how it was, and is */
    struct dg_text note;                  /* how far apart; severity of a finding */
    int64_t count;                        /* of things that it stands for */
};

/* Bytes of a file by cause. Only the rest is never a difference. */
struct dg_diff_sizes {
    int64_t file, weights, blobs;
    int64_t planned; /* memory of all methods, which is no part of the file */
};

/* Start from {.ignored = classes}; end with dg_diff_clear(). */
struct dg_diff {
    unsigned ignored;
    struct dg_difference *items; /* by kind */
    size_t n_items;
    struct dg_diff_sizes sizes[2];
    int64_t n_weights[2];
    struct dg_text *unknown; /* what could not be compared, in words */
    size_t n_unknown;
    struct dg_arena memory;
};

struct dg_diff_program {
    struct dg_store *store; /* of one program; with its findings where they count */
    struct dg_bytes file;   /* of weights; data NULL: only digests are there */
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

/* What a person would say of it, in one line. */
void dg_diff_write_sentence(struct dg_writer *out, const struct dg_diff *diff);

/* "method", "op"...; "added"...; "names"... or NULL. */
const char *dg_diff_kind_name(enum dg_diff_kind kind);
const char *dg_diff_change_name(enum dg_diff_change change);
const char *dg_diff_class_name(unsigned class);

#endif
