/* The other end of a lowering: what a node of a .pte came from, what one of a .pt2
 * became. */
#ifndef DG_CLI_SHOW_PROGRAM_H
#define DG_CLI_SHOW_PROGRAM_H

#include "base/error.h"
#include "base/text.h"

/* Writes it of the nodes that are called `name` ("conv2d_2", "op_0/Conv2d_4", "op_3")
 * in `path`, one of which and of `other` is a .pte; as text, or as a member of JSON
 * behind a comma. */
enum dg_status dg_show_other(struct dg_writer *out, bool json, const char *path,
                             const char *other, const char *name, struct dg_error *err);

#endif
