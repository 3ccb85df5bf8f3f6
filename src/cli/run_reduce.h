/* run --reduce DIR: the smallest part that still shows what is wrong, as files. */
#ifndef DG_CLI_RUN_REDUCE_H
#define DG_CLI_RUN_REDUCE_H

#include "cli/run_session.h"

/* DG_ERR_USAGE where the folder holds builds in the place of what would be written. */
enum dg_status dg_run_reduce_check(struct dg_run_session *session,
                                   struct dg_error *err);

/* After a run with bisect that found something wrong: write the folder that was asked
 * for, run what it holds, and fill session->reduced. DG_ERR_DEVICE: the part cannot be
 * taken out, and why. */
enum dg_status dg_run_reduce(struct dg_run_session *session, struct dg_error *err);

#endif
