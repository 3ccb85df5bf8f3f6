/* --artifact PATH|N: one program of a store that holds several. */
#ifndef DG_CLI_ARTIFACT_OPTION_H
#define DG_CLI_ARTIFACT_OPTION_H

#include "cli/options.h"
#include "formats/input.h"

/* A line for a table of options; `field` is a const char * in struct `type`. */
#define DG_ARTIFACT_OPTION(type, field)                                                \
    {                                                                                  \
        DG_OPTION_TEXT, "artifact", 0, "PATH|N", offsetof(type, field),                \
            "which program of a store with several: its path or its number"            \
    }

/* Leave the program that was chosen alone in the store of `input`, with its companions
 * and builds; NULL: all stay. DG_ERR_USAGE where none, or several, are named so. */
enum dg_status dg_artifact_choose(struct dg_input *input, const char *artifact,
                                  struct dg_error *err);

/* Whether that file is a store. */
bool dg_artifact_in_store(const char *path);

/* The program that --against OLD is held to: of a store that holds one, or from which
 * `artifact` chooses one, the name that it had; else `path`. */
const char *dg_artifact_name(const char *path, const char *artifact,
                             struct dg_arena *memory);

/* `path` as a shell takes it, and the option where it was given: what names a program
 * in the commands that are told. */
struct dg_text dg_artifact_words(struct dg_arena *memory, const char *path,
                                 const char *artifact);

/* The only program of a store; where there are several, `what` is about one: "a
 * report". DG_ERR_FORMAT where there is none. */
enum dg_status dg_artifact_only(int64_t *artifact, struct dg_store *store,
                                const char *what, struct dg_error *err);

#endif
