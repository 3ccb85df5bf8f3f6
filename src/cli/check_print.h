/* The outcome of check, for people and for programs. */
#ifndef DG_CLI_CHECK_PRINT_H
#define DG_CLI_CHECK_PRINT_H

#include "cli/gate.h"

struct dg_checked_rule {
    const char *id;
    double seconds;
    const char *not_checked; /* why it did not run; NULL: it ran */
    bool explained;          /* why it matters was printed */
};

struct dg_checked { /* one run of the rules over one store */
    struct dg_store *store;
    int64_t artifact; /* whose findings to print */
    int64_t counts[DG_N_SEVERITIES];
    struct dg_checked_rule *rules;
    size_t n_rules;
    bool timing, color;
};

/* One artifact's findings as a JSON object. */
enum dg_status dg_check_json(struct dg_writer *out, const struct dg_checked *checked,
                             struct dg_error *err);

/* The same as lines, with a summary behind them. */
enum dg_status dg_check_text(struct dg_writer *out, const struct dg_checked *checked,
                             struct dg_error *err);

/* "; found 3 of 4 weights of the program", where one was given. */
void dg_check_weights_text(struct dg_writer *out, const struct dg_checked *checked);
enum dg_status dg_check_companions_json(struct dg_writer *out,
                                        const struct dg_checked *checked,
                                        struct dg_error *err);

#endif
