/* The other end of a lowering: what a node of a .pte came from, what one of a .pt2
 * became. */
#ifndef DG_CLI_SHOW_PROGRAM_H
#define DG_CLI_SHOW_PROGRAM_H

#include "base/error.h"
#include "base/text.h"

struct dg_shown_pair { /* one of the two files is a .pte */
    const char *path, *other;
    const char *artifact; /* of `path`, a store; NULL: it has one */
};

/* Writes it of the nodes of pair->path that are called `name` ("conv2d_2",
 * "op_0/Conv2d_4", "op_3"); as text, or as a member of JSON behind a comma. */
enum dg_status dg_show_other(struct dg_writer *out, bool json,
                             const struct dg_shown_pair *pair, const char *name,
                             struct dg_error *err);

#endif
