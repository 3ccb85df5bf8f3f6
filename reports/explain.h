/* Explanations of plans, for people and as JSON (doc/schema/explain.schema.json). */
#ifndef DG_REPORTS_EXPLAIN_H
#define DG_REPORTS_EXPLAIN_H

#include "base/text.h"
#include "partition/explain.h"

struct dg_explain_report {
    const struct dg_explanation *explanation;
    const char *path; /* of the program */
    const char *node; /* only this one: a name, or path/name; NULL: all */
    const char *what_if;
    struct dg_text ir; /* of the program, and whether lists speak of it: run.h */
    bool exact;
    bool takes_all; /* no backend was asked: run.h */
    struct dg_plan_totals now, after; /* `after` for what_if */
    const struct dg_reason_group *groups;
    size_t n_groups;
};

void dg_write_explain_text(struct dg_writer *out,
                           const struct dg_explain_report *report);
void dg_write_explain_json(struct dg_writer *out,
                           const struct dg_explain_report *report);

/* Whether that node is the one that was asked for, or any was. */
bool dg_explain_wants(const struct dg_explain_report *report,
                      const struct dg_explained *graph, uint32_t node);

#endif
