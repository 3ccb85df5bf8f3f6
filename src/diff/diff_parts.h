/* What the files that find differences share. */
#ifndef DG_DIFF_DIFF_PARTS_H
#define DG_DIFF_DIFF_PARTS_H

#include "diff/align.h"
#include "diff/entries.h"

struct dg_diffing {
    struct dg_diff *diff;
    const struct dg_diff_program *programs; /* old, new */
    struct dg_diff_words words;
    struct dg_diff_side sides[2];
    struct dg_diff_alignment alignment;
    uint32_t *outputs; /* of each of the new program the old one, or DG_DIFF_ALONE */
    uint32_t *resources[2];     /* of each the one that it is there, or UINT32_MAX */
    struct dg_text_set methods; /* of both programs */
    struct dg_diff_entries entries[2];
    bool *inputs[2];   /* by word, whether an input is called so */
    uint64_t measured; /* bytes of weights whose distance was asked for */
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

/* Rows of both stores: columns method, name, value, and maybe note. Rows of one method
 * and name are one thing; several are told apart by how often they came. */
struct dg_diff_query {
    enum dg_diff_kind kind;
    unsigned class;
    const char *what;
    const char *sql;
    bool only_changes; /* what one has alone is told by others */
    bool bytes;        /* values are numbers of bytes */
};

enum dg_status dg_diff_rows(struct dg_diffing *diffing,
                            const struct dg_diff_query *query, struct dg_error *err);

/* Each finds differences of its kinds. */
enum dg_status dg_diff_methods(struct dg_diffing *diffing, struct dg_error *err);
void dg_diff_nodes(struct dg_diffing *diffing);
enum dg_status dg_diff_order(struct dg_diffing *diffing, struct dg_error *err);
void dg_diff_pair_outputs(struct dg_diffing *diffing);
void dg_diff_outputs(struct dg_diffing *diffing);
void dg_diff_states(struct dg_diffing *diffing);
enum dg_status dg_diff_contents(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_weights(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_extras(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_layouts(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_delegates(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_flops(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_findings(struct dg_diffing *diffing, struct dg_error *err);
enum dg_status dg_diff_file_sizes(struct dg_diffing *diffing, struct dg_error *err);

void dg_diff_size_texts(struct dg_text *a, struct dg_text *b, int64_t old, int64_t new,
                        struct dg_arena *memory);

/* Which constant, delegate or state of a .pte is which of the other program. */
void dg_diff_pair_resources(struct dg_diffing *diffing);

/* Whether instructions, or outputs (rows behind those of nodes), name another constant,
 * delegate or state: what, old and new then tell. */
bool dg_diff_names_other(struct dg_diffing *diffing, uint32_t old, uint32_t new,
                         struct dg_difference *difference);

/* Whether they read another node, likewise. */
bool dg_diff_reads_other(struct dg_diffing *diffing, uint32_t old, uint32_t new,
                         struct dg_difference *difference);

/* Inputs of a .pte are no nodes: behind an instruction that came or went, one may be
 * read in its place. */
bool dg_diff_told_by_makers(const struct dg_diffing *diffing, uint32_t old,
                            uint32_t new, struct dg_text old_args,
                            struct dg_text new_args);

/* Whether operands of two instructions are the same but for where tensors come from. */
bool dg_diff_args_match(struct dg_text old, struct dg_text new);

/* The first argument that differs between two nodes, as "name=value". */
void dg_diff_args(struct dg_text out[2], struct dg_text old, struct dg_text new,
                  struct dg_arena *memory);

#endif
