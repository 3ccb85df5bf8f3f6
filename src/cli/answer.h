/* How a command ends: what it says where, and with which exit code. */
#ifndef DG_CLI_ANSWER_H
#define DG_CLI_ANSWER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* How much people want to read: -q and -v, which every command takes. */
struct dg_verbosity {
    bool quiet, verbose;
};

extern struct dg_verbosity dg_verbosity;

/* "delegraph: MESSAGE" on standard error; returns the exit code of err->status. */
int dg_complain(const struct dg_error *err);

/* The same, "delegraph: PATH: MESSAGE", unless the message begins with the path. */
int dg_complain_about(const char *path, const struct dg_error *err);

/* The worse of two exit codes: 5 > 3 > 4 > 1 > 0, and 2 before all. */
int dg_worse_exit(int a, int b);

/* Write what is in *out to the file `path` (NULL or "-": standard output) and clear it.
 * Returns `exit_code`, or a worse one if writing fails. */
int dg_deliver(const char *path, struct dg_writer *out, int exit_code);

/* Whether text for `path` may hold ANSI colours: a terminal, and NO_COLOR is not set.
 */
bool dg_wants_color(const char *path);

/* Columns of the terminal that text for `path` goes to; 0: to none. */
int dg_terminal_width(const char *path);

/* Whether that terminal shows ASCII only. What goes elsewhere is UTF-8. */
bool dg_wants_ascii(const char *path);

/* Whether what is written for `path` appears on a terminal. */
bool dg_goes_to_terminal(const char *path);

struct dg_ending { /* of a file's name; a list ends with {0} */
    const char *ending, *format;
};

/* The format that people mean who name a file so; that of the first ending where the
 * name has none, or `path` is NULL. Another ending means a format that is not written:
 * wrong usage, but of a device or pipe. */
enum dg_status dg_format_by_ending(const char **format, const char *path,
                                   const struct dg_ending *endings,
                                   struct dg_error *err);

#endif
