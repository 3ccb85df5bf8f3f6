/* What is said beside the answer of a named query. */
#ifndef DG_CLI_QUERY_NOTES_H
#define DG_CLI_QUERY_NOTES_H

#include "cli/named.h"
#include "formats/input.h"

/* Notes of what the question is about and nothing tells; n_...: how many such files
 * were given. Where the lineage is asked for it was looked for. */
enum dg_status dg_query_notes(const struct dg_input *input,
                              const struct dg_named *question, size_t n_programs,
                              size_t n_etdumps, struct dg_error *err);

#endif
