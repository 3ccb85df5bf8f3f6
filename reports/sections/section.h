/* A section of a report looks at one side of a program and appends blocks. It never
 * changes the store; one that has nothing to say appends nothing. */
#ifndef DG_REPORTS_SECTION_H
#define DG_REPORTS_SECTION_H

#include "reports/page/page.h"
#include "reports/views/view.h"

struct dg_rule_words { /* of a rule, as `rules` tells them */
    const char *invariant, *reason, *fix;
};

struct dg_report_rule {
    const char *id;
    const char *not_checked; /* why; NULL: it ran */
};

struct dg_report_input {
    struct dg_store *store;
    int64_t artifact;
    const char *path; /* of the program, as commands name it: quoted for a shell, with
                         --artifact where a store has several */
    /* What it was held to, as commands take it: " --plan P --force", these and what
     * else decides which findings there are, and these and what decides the verdict.
     * Each may be "". */
    const char *plan_options, *finding_options, *gate_options;
    const char
        *data_options;   /* " --data P" alone, for commands that need the weights */
    bool hashed;         /* bytes of weights were read, which check does not */
    const char *against; /* the older program that it is held to, quoted likewise;
                            NULL: none, or the store tells it */
    /* Words of a rule; false: there is no such rule. */
    bool (*rule)(const void *context, const char *id, struct dg_rule_words *words);
    const void *rule_context;
    const struct dg_report_rule *rules; /* in the order in which they were met */
    size_t n_rules, n_rules_run;
    int64_t counts[3]; /* of errors, warnings, notes */
    bool failed;       /* the gate says no */
    const char *fail_on;
    const char *version;    /* of delegraph */
    const char *invocation; /* the command that made this report */
    bool pictures;          /* the form shows them: drawing takes time */
};

struct dg_section {
    const char *id; /* anchor: never changes */
    const char *title;
    /* What comes before its rows of the table in rows.c; NULL: nothing. */
    enum dg_status (*write)(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err);
};

#define SECTION(name) extern const struct dg_section dg_section_##name;
#define TABLES(name, words) SECTION(name)
#include "reports/sections/list.h"
#undef SECTION
#undef TABLES

extern const struct dg_section *const dg_sections[]; /* ends with NULL */

enum dg_status dg_section_write(struct dg_page *page, const struct dg_section *section,
                                const struct dg_report_input *input,
                                struct dg_error *err);

/* The tables and facts of a group, ?1 = id; `name` is that of a method or run where the
 * group is told for each, else NULL. */
enum dg_status dg_section_rows(struct dg_page *page,
                               const struct dg_report_input *input, const char *group,
                               int64_t id, const char *name, struct dg_error *err);

/* All sections, in order. */
enum dg_status dg_sections_write(struct dg_page *page,
                                 const struct dg_report_input *input,
                                 struct dg_error *err);

/* In SQL: findings of artifact ?1 and of its data, and those that name neither. */
#define DG_OWN_FINDINGS                                                                \
    "(finding.artifact_id IS NULL OR finding.artifact_id IN (SELECT id FROM artifact"  \
    " WHERE id = ?1 OR (companion_of = ?1 AND role IN ('data', 'profile'))))"

/* Append the picture of a view, with the command that draws it; nothing where the form
 * shows none, or where there is but one box. `id` is the anchor and the prefix of its
 * ids. */
enum dg_status dg_section_picture(struct dg_page *page,
                                  const struct dg_report_input *input, const char *id,
                                  const char *title, const struct dg_view *view,
                                  const struct dg_view_options *options,
                                  struct dg_error *err);

#endif
