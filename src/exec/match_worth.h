/* How well nodes inside of delegates stand for steps of the exported program. */
#ifndef DG_EXEC_MATCH_WORTH_H
#define DG_EXEC_MATCH_WORTH_H

#include "exec/match_parts.h"

struct dg_sides {
    const struct dg_schedule *program, *lowered;
    const uint64_t *weights, *lowered_weights; /* by step, as dg_weight_hashes() */
};

enum { DG_TAKEN_APART = 1 };

/* 0: not at all; DG_TAKEN_APART: no node is like one of the steps. *step: the step of
 * the place whose result the group gives; untouched then. */
int dg_worth(const struct dg_sides *sides, const struct dg_handle_group *group,
             const struct dg_numbered *place, uint32_t *step);
/* Whether one node of the export became several steps, beside those that bring its
 * result to a grid. */
bool dg_place_is_taken_apart(const struct dg_sides *sides,
                             const struct dg_numbered *place);

#endif
