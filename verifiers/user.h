/* Rules that users write: SQL over the documented views, under a header of comments. */
#ifndef DG_VERIFIERS_USER_H
#define DG_VERIFIERS_USER_H

#include "base/arena.h"
#include "verifiers/verifier.h"

/* Where such a rule stands, and how it runs. */
struct dg_user_source {
    const char *folder, *path;
    const char *sql;
    int line, id_line; /* where `sql` begins, and where the id stands */
    double seconds;    /* that it may take; 0: any time */
};

/* The rule of one file whose text that is; `source` has folder, path and seconds. What
 * is wrong with the header is DG_ERR_USAGE, and names the line. */
enum dg_status dg_user_rule_read(struct dg_rule *rule, struct dg_text text,
                                 const struct dg_user_source *source,
                                 struct dg_arena *memory, struct dg_error *err);

/* Whether the SQL is one statement that reads, with the columns that a rule has;
 * `store` may be empty. *err does not say where; *line does. */
enum dg_status dg_user_rule_compile(int *line, const struct dg_rule *rule,
                                    struct dg_store *store, struct dg_error *err);

/* Put file, line and name of the rule before what is said. Returns err->status. */
enum dg_status dg_user_rule_blame(const struct dg_rule *rule, int line,
                                  struct dg_error *err);

/* The family "user" of `n` rules and of one without a name behind them. Two of one name
 * are DG_ERR_USAGE. All of it lives as long as `memory`. */
enum dg_status dg_user_verifier(const struct dg_verifier **out,
                                const struct dg_rule *rules, size_t n,
                                struct dg_arena *memory, struct dg_error *err);

/* What such a rule has for a check: runs its SQL in a sandbox, where it can read and
 * nothing else, and for its time. Rows that are no findings, as SQL that fails, are
 * failures of the run. */
enum dg_status dg_user_rule_run(const struct dg_findings *found, struct dg_error *err);

#endif
