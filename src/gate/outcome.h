/* What check found in a program: read from the store once, then written in any format.
 */
#ifndef DG_GATE_OUTCOME_H
#define DG_GATE_OUTCOME_H

#include "base/arena.h"
#include "base/text.h"
#include "gate/source.h"
#include "store/store.h"
#include "verifiers/verifier.h"

extern const char *const dg_severities[DG_N_SEVERITIES]; /* error, warning, note */

/* Number of a severity in dg_severities, or DG_N_SEVERITIES. */
int dg_severity_number(struct dg_text name);

struct dg_rule_met {
    const char *id;
    double seconds;
    const char *not_checked; /* why it did not run; NULL: it ran */
};

/* A finding that waits in a baseline, and what the baseline says of it. */
struct dg_suppression {
    struct dg_text reason, owner,
        expires; /* of a day, YYYY-MM-DD; each may be absent */
};

/* Texts are absent where a finding has no such place. */
struct dg_outcome_finding {
    const char *rule; /* ends with NUL, as dg_rule_find() takes it */
    int severity;
    int64_t number; /* of the row in table finding; 0: there is none */
    struct dg_text method, graph, node, op, value, message;
    struct dg_text witness;     /* JSON array of names */
    struct dg_text fingerprint; /* absent: no row of the store has it */
    struct dg_text source;      /* "file:line" as the program spells it */
    struct dg_text companion;   /* path of the data file that it is about */
    struct dg_source at;        /* the line of the user's */
    bool numbered;              /* `value` is a number: a .pte has no names */
    bool traced;                /* its node says which Python line it came from */
    const struct dg_suppression *known;
};

/* An output that was judged; one that neither failed nor was skipped passed. */
struct dg_outcome_output {
    struct dg_text name, why;
    bool failed, skipped;
};

/* A run of one of its methods (--numerics). */
struct dg_outcome_run {
    struct dg_text method;
    struct dg_outcome_output *outputs;
    size_t n_outputs;
    struct dg_text sentence; /* "forward, held to right.pt2, ...: 2 outputs: ..." */
    struct dg_text json;     /* what run --format json says of it */
    bool passed;
};

struct dg_outcome {
    const char *path;    /* of the program, as it was named when it was loaded */
    const char *place;   /* the same as seen from the root of checkout, if under it */
    const char *entry;   /* what a baseline calls it; NULL: none was asked for */
    const char *trouble; /* why it could not be read: all else is empty then */
    struct dg_text
        program; /* about it, as members of JSON; of its companions, an array */
    struct dg_text companions;
    struct dg_text weights; /* "; found 3 of 4 weights of the program", or "" */
    struct dg_outcome_finding *findings;
    size_t n_findings, room;         /* for how many there is memory */
    int64_t counts[DG_N_SEVERITIES]; /* of findings that are not known */
    int64_t n_known;
    const struct dg_rule_met *rules; /* in the order in which they were met */
    size_t n_rules;
    const struct dg_outcome_run *runs;
    size_t n_runs;
    bool numerics;     /* runs were asked for, though there may be none */
    const char *kinds; /* of it and its data, with spaces between them */
    bool pte;          /* its kind */
    bool lines; /* some node of the program says which Python line it came from */
};

/* Read the findings of `artifact` and of its data. All of *out lies in `memory`. Python
 * lines are looked for under the root of `checkout`, unless it is NULL. */
enum dg_status dg_outcome_read(struct dg_outcome *out, struct dg_store *store,
                               int64_t artifact, struct dg_checkout *checkout,
                               struct dg_arena *memory, struct dg_error *err);

/* A finding more, zeroed; the array may move, within `memory`. */
struct dg_outcome_finding *dg_outcome_add(struct dg_outcome *outcome,
                                          struct dg_arena *memory);

/* A finding about what was given with the program, which is no row of the store: the
 * severity is the rule's, `identity` tells it from others of that rule. */
void dg_outcome_add_fault(struct dg_outcome *outcome, const char *rule,
                          struct dg_text identity, struct dg_text message,
                          struct dg_arena *memory);

/* Count anew what is not known. */
void dg_outcome_count(struct dg_outcome *outcome);

/* How many rules ran. */
size_t dg_outcome_rules_run(const struct dg_outcome *outcome);

/* " forward/true_graph_0: add_3 (aten::add.Tensor):" as one line of a terminal; nothing
 * where the finding is about the program as a whole. */
void dg_write_place(struct dg_writer *out, const struct dg_outcome_finding *finding);

/* The same without blank and colon around it; "" for the program as a whole. */
struct dg_text dg_finding_where(struct dg_arena *memory,
                                const struct dg_outcome_finding *finding);

/* Where CI shows it: the line of the user's Python; else the first of the program file.
 */
struct dg_source dg_finding_source(const struct dg_outcome *outcome,
                                   const struct dg_outcome_finding *finding);

/* What would have given it a line; "" where it has one, or is about no node. */
const char *dg_finding_lineless(const struct dg_outcome *outcome,
                                const struct dg_outcome_finding *finding);

/* The file that a finding is about. */
struct dg_text dg_finding_file(const struct dg_outcome *outcome,
                               const struct dg_outcome_finding *finding);

#endif
