/* A format that check reports in: one file, one line in list.h. */
#ifndef DG_GATE_FORMAT_H
#define DG_GATE_FORMAT_H

#include "gate/outcome.h"
#include "verifiers/verifier.h"

/* What a run of check has to say. */
struct dg_gate_report {
    const struct dg_outcome *outcomes; /* in the order of the command line */
    size_t n_outcomes;
    int64_t totals[DG_N_SEVERITIES]; /* of what is not known */
    int64_t n_known;
    size_t n_troubles; /* programs that could not be read */
    int fails_from;    /* severities below this number let the gate fail */
    bool failed;
    const struct dg_verifier *user; /* rules of the user, or NULL */
    bool timing, quiet, verbose;
    size_t max_lines;    /* of Markdown; 0: all */
    bool color;          /* of the file at hand */
    const char *policy;  /* the file that says what is asked; NULL: none */
    const char *version; /* of delegraph */
};

struct dg_gate_format {
    const char *name;
    void (*write)(struct dg_writer *out, const struct dg_gate_report *report);
    bool lines;  /* it shows lines of Python */
    bool always; /* it is written though no program could be read */
};

#define FORMAT(name) extern const struct dg_gate_format dg_gate_format_##name;
#include "gate/list.h"
#undef FORMAT

extern const struct dg_gate_format *const dg_gate_formats[]; /* ends with NULL */

/* The format of that name, or NULL. */
const struct dg_gate_format *dg_gate_format_find(struct dg_text name);

/* "1 error, 0 warnings, 2 notes", and ", 3 known" where there are. */
void dg_write_counts(struct dg_writer *out, const int64_t counts[DG_N_SEVERITIES],
                     int64_t n_known);

/* "forward: add_3 (aten::add.Tensor): " and the message, as one line. */
void dg_write_sentence(struct dg_writer *out, const struct dg_outcome_finding *finding);

/* 16 digits that tell the finding from those of other programs, too. */
void dg_write_identity(struct dg_writer *out, const struct dg_outcome *outcome,
                       const struct dg_outcome_finding *finding);

/* Findings that are not known, of one severity after another. Start from {0}; false:
 * there are no more. */
struct dg_finding_walk {
    int severity;
    size_t outcome, finding;
    bool begun;
};

bool dg_finding_next(struct dg_finding_walk *walk, const struct dg_gate_report *report);

#endif
