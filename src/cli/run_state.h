/* State that a .pte begins with otherwise than the program that it is held to. */
#ifndef DG_CLI_RUN_STATE_H
#define DG_CLI_RUN_STATE_H

#include "cli/run_session.h"

/* A note on standard error where the rule memory/mutable-initial-state finds such
 * buffers: what rests on them cannot be equal, whatever the nodes compute. Nothing
 * where the pair is no .pte and .pt2. */
enum dg_status dg_run_note_state(const struct dg_run_session *session,
                                 struct dg_error *err);

#endif
