/* What check is told and no file says: companions of a program, and the target. */
#ifndef DG_CLI_TARGET_OPTIONS_H
#define DG_CLI_TARGET_OPTIONS_H

#include "cli/limits.h"
#include "formats/input.h"

struct dg_target_options {
    struct dg_list data, programs, etdumps, ops, methods, backends, shims, gpus, limits;
    const char *against;   /* an older program, or a folder of them */
    const char *runtime;   /* a release: "1.3" */
    const char *glibc;     /* a version: "2.31" */
    const char *lower_for; /* "executorch" */
    bool skip_h2d_inputs;
};

/* Lines for a table of options: lists of .ptd files, and of programs and what these are
 * for. */
#define DG_DATA_OPTION(type, field)                                                    \
    {                                                                                  \
        DG_OPTION_FILES, "data", 0, "FILE", offsetof(type, field),                     \
            "a .ptd of the program; it may also stand behind the .pte"                 \
    }
#define DG_PROGRAM_OPTION(type, field, why)                                            \
    {                                                                                  \
        DG_OPTION_FILES, "program", 0, "FILE", offsetof(type, field),                  \
            "the .pt2 that the .pte was made from: " why                               \
    }

#define DG_ETDUMP_OPTION(type, field)                                                  \
    {                                                                                  \
        DG_OPTION_FILES, "etdump", 0, "FILE", offsetof(type, field),                   \
            "an ETDump of the .pte: what a device measured"                            \
    }

/* Lines for a table of options; `field` is the dg_target_options in struct `type`. */
#define DG_TARGET_OPTIONS(type, field)                                                 \
    DG_DATA_OPTION(type, field.data),                                                  \
        DG_PROGRAM_OPTION(type, field.programs,                                        \
                          "hold one to the other; an edge program gives lines"),       \
        DG_ETDUMP_OPTION(type, field.etdumps),                                         \
        {DG_OPTION_FILES,                                                              \
         "ops",                                                                        \
         0,                                                                            \
         "LIST|portable",                                                              \
         offsetof(type, field.ops),                                                    \
         "operators that the runtime has: a file of names, or portable"},              \
        {DG_OPTION_TEXT,                                                               \
         "runtime",                                                                    \
         0,                                                                            \
         "RELEASE",                                                                    \
         offsetof(type, field.runtime),                                                \
         "of ExecuTorch, such as 1.3: what came later is an error"},                   \
        {DG_OPTION_LIST,                                                               \
         "methods",                                                                    \
         0,                                                                            \
         "NAMES",                                                                      \
         offsetof(type, field.methods),                                                \
         "methods that the program must have"},                                        \
        {DG_OPTION_LIST,                                                               \
         "backends",                                                                   \
         0,                                                                            \
         "NAMES",                                                                      \
         offsetof(type, field.backends),                                               \
         "backends that the runtime has; others are errors"},                          \
        {DG_OPTION_FILES,                                                              \
         "shims",                                                                      \
         0,                                                                            \
         "FILE",                                                                       \
         offsetof(type, field.shims),                                                  \
         "symbols that the runtime exports to AOTInductor's code, one a line"},        \
        {DG_OPTION_LIST,                                                               \
         "gpu",                                                                        \
         0,                                                                            \
         "NAMES",                                                                      \
         offsetof(type, field.gpus),                                                   \
         "GPUs of the target, such as sm_86: each must have code"},                    \
        {DG_OPTION_TEXT,                                                               \
         "glibc",                                                                      \
         0,                                                                            \
         "VERSION",                                                                    \
         offsetof(type, field.glibc),                                                  \
         "of the target, such as 2.31: code that needs a newer one is an error"},      \
        DG_LIMIT_OPTIONS(type, field.limits, field.against),                           \
        {DG_OPTION_CHOICE,                                                             \
         "for",                                                                        \
         0,                                                                            \
         "executorch",                                                                 \
         offsetof(type, field.lower_for),                                              \
         "the program is about to be lowered: what stops that is an error"},           \
    {                                                                                  \
        DG_OPTION_FLAG, "skip-h2d-inputs", 0, NULL,                                    \
            offsetof(type, field.skip_h2d_inputs),                                     \
            "inputs of delegates will come on their device, without copies"            \
    }

/* Say what of ETDumps and ETRecords that were joined does not fit the .pte, where no check
 * says so. */
enum dg_status dg_note_misfits(struct dg_store *store, struct dg_error *err);

/* Join files to the program in `input`; see dg_input_join(). */
enum dg_status dg_join_companions(struct dg_input *input, const char *const *paths,
                                  size_t n_paths, const char *role, enum dg_hash hash,
                                  struct dg_error *err);

/* Join the companions to `input`, and write rows of `setting`. */
enum dg_status dg_target_options_apply(const struct dg_target_options *options,
                                       struct dg_input *input, struct dg_error *err);

#endif
