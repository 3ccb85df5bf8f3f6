/* What the files that find differences share. */
#ifndef DG_DIFF_DIFF_PARTS_H
#define DG_DIFF_DIFF_PARTS_H

#include "diff/align.h"
#include "diff/entries.h"
#include "diff/symbols.h"

/* Two delegates that are one, with blobs that differ and were read. */
struct dg_diff_delegates {
    struct dg_diff_inside *insides[2];
    struct dg_text method, backend;
};

struct dg_diffing {
    struct dg_diff *diff;
    const struct dg_diff_program *programs; /* old, new */
    struct dg_diff_words words;
    struct dg_diff_side sides[2];
    struct dg_diff_alignment alignment;
    struct dg_diff_symbols symbols;
    uint32_t *outputs; /* of each of the new program the old one, or DG_DIFF_ALONE */
    uint32_t *resources[2];     /* of each the one that it is there, or UINT32_MAX */
    struct dg_text_set methods; /* of both programs */
    struct dg_diff_entries entries[2];
    bool *inputs[2]; /* by word, whether an input is called so */
    struct dg_diff_delegates *changed_delegates;
    size_t n_changed_delegates;
    struct dg_diff_inside *insides; /* all that were read */
    uint64_t hashed[2];             /* bytes of constants inside of delegates */
    uint64_t measured;              /* bytes of weights whose distance was asked for */
    bool lacks_weights;             /* that a .ptd holds */
    struct dg_arena memory;
};

/* Keep a difference, unless it is ignored; texts are copied. */
void dg_diff_add(struct dg_diff *diff, const struct dg_difference *difference);

/* Say that something could not be compared, unless it is ignored. */
void dg_diff_add_unknown(struct dg_diff *diff, unsigned class, const char *text);

static inline bool dg_diff_wants(const struct dg_diff *diff, unsigned class)
{
    return !(diff->ignored & class);
}

/* Whether both have it. */
bool dg_diff_has_method(const struct dg_diffing *diffing, struct dg_text method);

/* A word of the new program, or that of a type, in symbols of the old one. */
uint32_t dg_diff_word_in_old(struct dg_diffing *diffing, uint32_t method,
                             uint32_t word);
uint32_t dg_diff_type_in_old(struct dg_diffing *diffing, uint32_t method,
                             uint32_t word);

/* Rows of both stores: columns method, name, value, and maybe note. Rows of one method
 * and name are one thing; several are told apart by how often they came. */
struct dg_diff_query {
    enum dg_diff_kind kind;
    unsigned class;
    const char *what;
    const char *sql;
    bool only_changes; /* what one has alone is told by others */
    bool bytes;        /* values are numbers of bytes */
    bool symbols;      /* in names and values */
};

enum dg_status dg_diff_rows(struct dg_diffing *diffing,
                            const struct dg_diff_query *query, struct dg_error *err);

void dg_diff_size_texts(struct dg_text *a, struct dg_text *b, int64_t old, int64_t new,
                        struct dg_arena *memory);

#endif
