/* A verifier holds the rules about one side of a program: memory, partition, ... */
#ifndef DG_VERIFIERS_VERIFIER_H
#define DG_VERIFIERS_VERIFIER_H

#include "base/error.h"
#include "graph/about.h"
#include "store/store.h"

enum dg_severity { DG_SEVERITY_NOTE, DG_SEVERITY_WARNING, DG_SEVERITY_ERROR };
enum { DG_N_SEVERITIES = DG_SEVERITY_ERROR + 1 };

/* Where a rule runs that no selection names. What most owners of a program do nothing
 * about is said to those who ask. */
enum dg_rule_runs {
    DG_RUNS_ALWAYS,
    DG_RUNS_FOR_CUDA, /* where CudaBackend or MetalBackend is named or present */
    DG_RUNS_ON_REQUEST,
};

/* "always", "for CUDA", "on request" */
const char *dg_rule_runs_name(enum dg_rule_runs runs);

/* "note", "warning", "error" */
const char *dg_severity_name(enum dg_severity severity);
/* False: no severity has that name. */
bool dg_severity_find(enum dg_severity *out, struct dg_text name);

/* How many findings a rule has; beyond the first DG_MOST_FINDINGS no more is known of
 * them than their severity. */
struct dg_found {
    int64_t n, more[DG_N_SEVERITIES];
};

struct dg_rule;

/* Where a running rule looks, and where dg_find() puts what it finds. */
struct dg_findings {
    struct dg_store *store;
    const struct dg_rule *rule;
    const char *id; /* "memory/no-live-overlap" */
    struct dg_found *so_far;
};

/* One invariant. SQL selects an offender per row; C is for what SQL cannot say or says
 * too slowly. With both, C runs and the tests hold it to the SQL.
 *
 * A query names its columns; those it lacks are NULL: message (text, required),
 * artifact, method, graph, node, value (ids), severity (text; else the rule's), witness
 * (JSON array of node names). Add ORDER BY: findings keep the order of the rows. */
struct dg_rule {
    const char *name; /* NULL ends a table of rules */
    enum dg_severity severity;
    const char *invariant; /* what must hold, in one line */
    const char *reason;    /* what goes wrong otherwise */
    const char *fix;       /* what to do */
    const char *example;   /* a program that breaks it, in a line or two */
    const char *issue;     /* upstream, "#20077"; NULL if there is none */
    const char *level;     /* where it can be seen: "pt2", "pte", "pt2 pte" */
    bool refused;          /* of a .pte: the runtime refuses it or crashes, not just
                              computes something else; `run` asks, without digests */
    const char *query;
    enum dg_status (*check)(const struct dg_findings *found, struct dg_error *err);
    /* Whether the query, which goes over a whole table, can find anything: as far as
     * the model of the program tells. NULL: it can. */
    enum dg_status (*may_find)(bool *may, struct dg_store *store, struct dg_error *err);
    /* SQL that gives a text: why this program cannot show the rule broken or held;
     * no row: it can. NULL: always can at its level. */
    const char *not_checked;
    /* Like `check`: programs that were asked to keep the rule, and cannot show it, with
     * --limit. They are findings, whether or not the rule is checked. */
    enum dg_status (*unjudged)(const struct dg_findings *found, struct dg_error *err);
    enum dg_rule_runs runs;
    enum dg_about about;                 /* without it the rule is left */
    const struct dg_user_source *source; /* of a rule that a user wrote: user.h */
};

struct dg_verifier {
    const char *name; /* rules are known as "<verifier>/<rule>" */
    const struct dg_rule *rules;
    enum dg_about about; /* 0: any program */
};

#define VERIFIER(name) extern const struct dg_verifier dg_verifier_##name;
#include "verifiers/list.h"
#undef VERIFIER

extern const struct dg_verifier *const dg_verifiers[]; /* ends with NULL */

/* Those in turn, then the rules of a user, if any; NULL behind the last. */
const struct dg_verifier *dg_verifier_at(size_t i, const struct dg_verifier *user);

/* An invariant that no rule here checks, and why. */
struct dg_undecided {
    const char *id, *why;
};

extern const struct dg_undecided dg_undecided[];
extern const size_t dg_n_undecided;

/* Of one rule; further ones are counted. */
enum { DG_MOST_FINDINGS = 1000 };

/* Record an offender. Rule and severity are filled in where `finding` lacks them. */
enum dg_status dg_find(const struct dg_findings *found, struct dg_finding *finding,
                       struct dg_error *err);

/* Whether dg_find() only counts from now on, so that nobody need say more of it than
 * how severe it is. */
bool dg_find_full(const struct dg_findings *found);

/* Which rules run. A pattern is a rule id, a family ("memory"), or a glob ("memory/
 * *"). */
struct dg_selection {
    const char *const *select; /* NULL: all */
    size_t n_select;
    const char *const *ignore;
    size_t n_ignore;
    bool unfolded;                  /* each note is a finding of its own */
    const struct dg_verifier *user; /* rules of a user that run behind ours; or NULL */
};

/* Whether a pattern means the rule with that id. */
bool dg_rule_matches(const char *pattern, const char *id);

/* Whether the rule with that id, "memory/peak", is among them. */
bool dg_selects(const struct dg_selection *selection, const char *id);

/* What dg_verify() tells of each rule it meets: seconds it took, or why it did not run.
 */
typedef void dg_verified_fn(void *context, const char *id, double seconds,
                            const char *not_checked);

/* Run the selected rules of every verifier over all programs of the store. Findings are
 * not failures. `told` may be NULL. */
enum dg_status dg_verify(struct dg_store *store, const struct dg_selection *selection,
                         dg_verified_fn *told, void *context, struct dg_error *err);

/* Whether the rule says nothing of files of these kinds, with spaces between them; and
 * why, with its level. */
bool dg_rule_is_foreign(const struct dg_rule *rule, const char *kinds);
#define DG_RULE_FOREIGN "is about %s files"

/* The rule with that id, ours or among those of a user, if any; or NULL. */
const struct dg_rule *dg_rule_find(const char *id, const struct dg_verifier *user);

#endif
