/* A policy as its file has it, and where that lies. */
#ifndef DG_GATE_POLICY_FILE_H
#define DG_GATE_POLICY_FILE_H

#include "gate/policy.h"

/* What is wrong with the file is DG_ERR_USAGE: it is the user's own. Whether rules and
 * budgets that it names exist, is for those to check who know them. */
enum dg_status dg_policy_read(struct dg_policy *policy, const char *path,
                              struct dg_error *err);

/* The same of a text, once path and folder are set; paths in it begin with `beside`. */
enum dg_status dg_policy_parse(struct dg_policy *policy, struct dg_text text,
                               const char *beside, struct dg_error *err);
void dg_policy_clear(struct dg_policy *policy);

/* The delegraph.yaml of the working directory, or of the nearest folder above it up to
 * the root of the repository (where .git lies); NULL: there is none. One
 * that is named .yml, and lies nearer, is a failure: its author means it to hold. */
enum dg_status dg_policy_find(const char **path, struct dg_arena *memory,
                              struct dg_error *err);

#endif
