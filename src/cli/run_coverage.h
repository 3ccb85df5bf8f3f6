/* run --coverage: what can be run, without a run. */
#ifndef DG_CLI_RUN_COVERAGE_H
#define DG_CLI_RUN_COVERAGE_H

#include "cli/run_session.h"

/* Write which nodes of the session's method can be run, by operator. *exit_code: that
 * of the policy where more outputs than --max-skip allows cannot be compared. */
enum dg_status dg_run_coverage(struct dg_writer *out, struct dg_run_session *session,
                               int *exit_code, struct dg_error *err);

#endif
