/* What is said of two nodes, or outputs of methods, that are one. */
#ifndef DG_DIFF_TOLD_H
#define DG_DIFF_TOLD_H

#include "diff/diff_parts.h"

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

/* The arguments that differ between two nodes, as "name=value, ..."; of many the first. */
void dg_diff_args(struct dg_text out[2], struct dg_text old, struct dg_text new,
                  struct dg_arena *memory);

#endif
