/* A baseline: findings that are known, each for one program, with who looks after it
 * and until when. The file is JSON, sorted, a line for each; see doc/schema. */
#ifndef DG_GATE_BASELINE_H
#define DG_GATE_BASELINE_H

#include "gate/outcome.h"
#include "verifiers/verifier.h"

struct dg_baseline_entry {
    struct dg_text program; /* as seen from the folder of the baseline */
    struct dg_text fingerprint, rule;
    struct dg_text where; /* words for people: it decides nothing */
    int severity;         /* what has become worse is not known */
    struct dg_suppression known;
    bool used; /* a finding had it */
    bool gone; /* its rule ran over its program, and found it no more */
};

/* Start from {0}; end with dg_baseline_clear(). */
struct dg_baseline {
    struct dg_arena memory;
    const char *path;
    const char *folder; /* its real path; NULL: it is none */
    struct dg_baseline_entry *entries;
    size_t n_entries;
    struct dg_text_set numbers; /* of entries by program and fingerprint */
};

/* An empty one that will lie at `path`; the same with what lies there. What is wrong
 * with it is wrong usage: it is the user's own file. */
enum dg_status dg_baseline_begin(struct dg_baseline *baseline, const char *path,
                                 struct dg_error *err);
enum dg_status dg_baseline_read(struct dg_baseline *baseline, const char *path,
                                struct dg_error *err);
void dg_baseline_clear(struct dg_baseline *baseline);

/* Findings that it has become known, and what is wrong with its entries is found:
 * baseline/expired, baseline/unused. Counts are made anew. */
void dg_baseline_apply(struct dg_baseline *baseline, struct dg_outcome *outcomes,
                       size_t n_outcomes, const struct dg_selection *selection);

/* Whether a baseline may have it: limits and results of runs are said in numbers, and
 * those move. */
bool dg_baseline_takes(const struct dg_outcome_finding *finding);

/* The entry of a finding, or NULL. */
struct dg_baseline_entry *dg_baseline_find(const struct dg_baseline *baseline,
                                           const char *program,
                                           struct dg_text fingerprint);

/* A new entry, which lives as long as the baseline. */
struct dg_baseline_entry *dg_baseline_add(struct dg_baseline *baseline,
                                          const char *program,
                                          const struct dg_outcome_finding *finding);

/* What an entry is found by. */
void dg_baseline_key(struct dg_writer *out, struct dg_text program,
                     struct dg_text fingerprint);

/* The file, without entries that are gone. */
void dg_baseline_write(struct dg_writer *out, struct dg_baseline *baseline);

#endif
