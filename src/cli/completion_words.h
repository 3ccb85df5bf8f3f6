/* What completion offers as values: rules, queries, kinds, backends, limits. */
#ifndef DG_CLI_COMPLETION_WORDS_H
#define DG_CLI_COMPLETION_WORDS_H

#include <stdbool.h>

#include "base/text.h"

struct dg_completion_words {
    const char *command;                  /* NULL: each that has the option */
    const char *option;                   /* NULL: an argument that is no option */
    bool several;                         /* with commas between them */
    void (*write)(struct dg_writer *out); /* "a b c " */
};

/* The words for an option of a command, or for its arguments; NULL: none are known. */
const struct dg_completion_words *dg_completion_words(const char *command,
                                                      const char *option);

#endif
