/* What is wrong with the outputs of a run, as remarks for the rules numerics/... */
#ifndef DG_EXEC_RUN_REMARKS_H
#define DG_EXEC_RUN_REMARKS_H

#include "exec/run.h"

enum { DG_NO_OUTPUT = -1 };

/* A method of the program in a store, by name. */
struct dg_numeric_place {
    struct dg_store *store;
    const char *method;  /* NULL: the program as a whole */
    const char *held_to; /* what its outputs should be like */
};

/* A remark about output `output` of the method, or DG_NO_OUTPUT. */
enum dg_status dg_numeric_remark(const struct dg_numeric_place *place, const char *rule,
                                 int64_t output, struct dg_text text,
                                 struct dg_error *err);

/* Remarks about what fails, and what is not compared; that nothing is compared, too,
 * where the run ended. */
enum dg_status dg_numeric_remark_results(const struct dg_numeric_place *place,
                                         const struct dg_numeric_answer *answer,
                                         bool ended, struct dg_error *err);

/* Remarks about outputs are about the nodes that made them, too. */
enum dg_status dg_numeric_place_remarks(struct dg_store *store, struct dg_error *err);

#endif
