/* What the files of the installed interface share. */
#ifndef DG_API_H
#define DG_API_H

#pragma GCC visibility push(default)
#include "delegraph.h"
#pragma GCC visibility pop

#include "base/arena.h"
#include "base/error.h"

/* work(context, err) as a host process may call it: its exit code, and its text. */
int dg_api_call(enum dg_status work(void *context, struct dg_error *err), void *context,
                char *error, unsigned long error_size);

#endif
