/* What the rules share that hold a .pte to its program: check --program. */
#ifndef DG_VERIFIERS_PAIR_H
#define DG_VERIFIERS_PAIR_H

#include "verifiers/verifier.h"

/* For dg_rule.not_checked. */
#define DG_NO_PROGRAM                                                                  \
    "SELECT 'the program it was made from is not given (--program FILE)'"              \
    " WHERE NOT EXISTS (SELECT 1 FROM artifact WHERE role = 'program')"

extern const char dg_query_user_io_stable[], dg_query_mutation_written_back[],
    dg_query_program_data[];

#endif
