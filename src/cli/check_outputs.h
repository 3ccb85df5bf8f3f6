/* Where check writes what it found: any number of files, in a format each. */
#ifndef DG_CLI_CHECK_OUTPUTS_H
#define DG_CLI_CHECK_OUTPUTS_H

#include "cli/options.h"
#include "gate/format.h"

struct dg_check_output {
    const struct dg_gate_format *format;
    const char *path; /* NULL or "-": standard output */
    bool asked;       /* by --report: it is written whatever could be read */
};

struct dg_check_outputs {
    struct dg_check_output items[DG_LIST_MOST + 1];
    size_t n_items;
};

/* Of --report FORMAT=FILE, and of --format and -o (NULL: not given), which stand for
 * one more; text on standard output, unless a report goes there. */
enum dg_status dg_check_outputs_read(struct dg_check_outputs *outputs,
                                     const struct dg_list *reports, const char *format,
                                     const char *output, struct dg_error *err);

/* Whether one of them shows lines of Python. */
bool dg_check_outputs_lines(const struct dg_check_outputs *outputs);

/* Whether one of them is of that format. */
bool dg_check_outputs_has(const struct dg_check_outputs *outputs, const char *format);

/* Write all of them; `exit_code`, or a worse one if writing fails. */
int dg_check_outputs_write(const struct dg_check_outputs *outputs,
                           struct dg_gate_report *report, int exit_code);

#endif
