/* A command is a verb of the command line: one file, one line in list.h. Commands print
 * usage and messages; nothing below this folder does. */
#ifndef DG_CLI_COMMAND_H
#define DG_CLI_COMMAND_H

#include <stdbool.h>

#include "base/error.h"
#include "store/store.h"

/* Exit codes; with several inputs the worst wins: 5 > 3 > 4 > 1 > 0. */
enum dg_exit {
    DG_EXIT_FINE = 0,
    DG_EXIT_POLICY = 1,
    DG_EXIT_USAGE = 2,
    DG_EXIT_INPUT = 3,
    DG_EXIT_CAPABILITY = 4,
    DG_EXIT_INTERNAL = 5,
};

struct dg_command {
    const char *name;
    const char *synopsis;              /* "FILE..." */
    const char *summary;               /* one line */
    const char *help;                  /* what --help says below the options, or NULL */
    int (*run)(int argc, char **argv); /* argv[0] is the verb; returns the exit code */
    const struct dg_option *options;   /* ends with {0}; NULL: none (cli/options.h) */
    int least, most;                   /* words beside options; most -1: any number */
    int files;       /* so many of the words are files that are read; -1: all */
};

#define COMMAND(name) extern const struct dg_command dg_command_##name;
#include "cli/list.h"
#undef COMMAND

extern const struct dg_command *const dg_commands[]; /* ends with NULL */

#endif
