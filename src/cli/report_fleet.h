/* report: what programs and fleets have in common, and the page about a fleet. */
#ifndef DG_CLI_REPORT_FLEET_H
#define DG_CLI_REPORT_FLEET_H

#include "cli/options.h"
#include "reports/page/page.h"

struct dg_report_form {
    const char *format, *output;
    int64_t width; /* of text; 0: the terminal's */
};

/* Wrong usage, where nobody could read it there. */
enum dg_status dg_report_form_check(const struct dg_report_form *form,
                                    struct dg_error *err);

void dg_report_write(struct dg_writer *out, const struct dg_page *page,
                     const struct dg_report_form *form);

struct dg_fleet_words { /* which builds */
    const char *name;   /* NULL: of all names */
    struct dg_list labels;
    int64_t last; /* 0: not said */
};

/* The page about the builds of the store `path`; returns the exit code. */
int dg_report_fleet(const char *path, const struct dg_report_form *form,
                    const struct dg_fleet_words *words);

#endif
