/* --against OLD: the older program that limits of growth compare a program with. */
#ifndef DG_CLI_AGAINST_H
#define DG_CLI_AGAINST_H

#include "cli/gate.h"

/* Whether there is one: "none" says that there is not. */
bool dg_against_is_set(const struct dg_target_options *target);

/* Whether it is a folder. */
bool dg_against_is_folder(const struct dg_target_options *target);

/* Whether some limit of the policy or the command line is one of growth. */
bool dg_against_grows(const struct dg_gate *gate);

/* Whether something is compared with it, for one program or another. */
enum dg_status dg_against_check(const struct dg_gate *gate, struct dg_error *err);

/* Whether OLD suits so many files: several need a folder. */
enum dg_status dg_against_suits(const struct dg_target_options *target, size_t n_files,
                                struct dg_error *err);

/* OLD, or in a folder the namesake of that file; NULL: there is none. */
const char *dg_against_old(const struct dg_target_options *target, const char *path,
                           struct dg_arena *memory);

/* The same of what is named on the command line: a program, or a store of it. */
const char *dg_against_old_of(const struct dg_target_options *target, const char *path,
                              const char *artifact, struct dg_arena *memory);

/* Whether OLD is a folder without a namesake of that file. */
bool dg_against_is_new(const struct dg_target_options *target, const char *path);

/* Read OLD, or the namesake of `input` in it, and leave what it measures in the store
 * of `input`, which has the limits already. */
enum dg_status dg_against_apply(const struct dg_gate *gate, struct dg_input *input,
                                struct dg_error *err);

#endif
