/* Which nodes of a .pte came from which of the program that it was made from. */
#ifndef DG_EXEC_LINEAGE_H
#define DG_EXEC_LINEAGE_H

#include "formats/input.h"

/* Fills table `lineage` of a .pte to which programs are joined, once: by the debug
 * handles of an ETRecord, else as dg_ancestry_find() does. Of a store, whose files are
 * not at hand, only the former. Fails where a .pt2 has other inputs than the .pte. */
enum dg_status dg_lineage_store(const struct dg_input *input, struct dg_error *err);

#endif
