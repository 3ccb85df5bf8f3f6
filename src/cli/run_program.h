/* The programs of a run: opened files, with the schedule of one method. */
#ifndef DG_CLI_RUN_PROGRAM_H
#define DG_CLI_RUN_PROGRAM_H

#include "exec/schedule.h"
#include "formats/input.h"
#include "formats/tensor_file.h"

struct dg_run_program {
    struct dg_input file;  /* what was named: a program, a bundle, a store */
    struct dg_input input; /* the program in it */
    struct dg_bundle bundle;
    bool bundled;
    struct dg_schedule schedule;
    struct dg_arena memory;
};

/* `artifact`: which program of a store; NULL: it has one. `method` NULL: forward, or
 * the only one; `of_export`: the only one of a .pt2 may have another name, as
 * torch.export.save() calls it forward whatever it was. Close *program even on failure.
 */
enum dg_status dg_run_program_open(struct dg_run_program *program, const char *path,
                                   const char *artifact, struct dg_error *err);
enum dg_status dg_run_program_schedule(struct dg_run_program *program,
                                       const char *method, bool of_export,
                                       struct dg_error *err);
/* Fails where the runtime would refuse the planned method of a .pte, or crash: then
 * *refused, too. */
enum dg_status dg_run_refused(struct dg_run_program *program, bool *refused,
                              struct dg_error *err);
void dg_run_program_close(struct dg_run_program *program);

/* Steps that a user names. */
struct dg_run_choice {
    const char *partition, *nodes, *around;
    int64_t hops; /* -1: not given */
};
/* Fill chosen[] of the steps; *part: "nodes a..b". */
enum dg_status dg_run_choose(const struct dg_run_program *program,
                             const struct dg_run_choice *choice, bool *chosen,
                             const char **part, struct dg_arena *memory,
                             struct dg_error *err);
/* The partition of each step by the newest plan: -1 none; *found: there are any. */
enum dg_status dg_run_partitions(const struct dg_run_program *program,
                                 int64_t *partition_of, bool *found,
                                 struct dg_error *err);

#endif
