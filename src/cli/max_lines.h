/* --max-lines N: Markdown that has room in a comment. */
#ifndef DG_CLI_MAX_LINES_H
#define DG_CLI_MAX_LINES_H

#include "cli/options.h"

/* A line for a table of options; `field` is an int64_t in struct `type`. */
#define DG_MAX_LINES_OPTION(type, field)                                               \
    {                                                                                  \
        DG_OPTION_COUNT, "max-lines", 0, "N", offsetof(type, field),                   \
            "of Markdown, 5 or more: the last counts the others; default 0: no limit"  \
    }

/* Whether so few make sense, and Markdown is written at all. */
enum dg_status dg_max_lines_check(int64_t max_lines, bool markdown,
                                  struct dg_error *err);

#endif
