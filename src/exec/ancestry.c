#include "exec/ancestry.h"

#include <string.h>

#include "exec/match_parts.h"

enum dg_status dg_ancestry_find(struct dg_ancestry *ancestry,
                                const struct dg_schedule *program,
                                const struct dg_schedule *lowered,
                                struct dg_arena *memory, struct dg_error *err)
{
    struct dg_matching matching = {0};
    enum dg_status status = dg_match(&matching, program, lowered, memory, err);
    struct dg_handle_match *matches;
    size_t n = 0;

    ancestry->became =
        dg_alloc(memory, program->n_steps + 1, sizeof(*ancestry->became));
    ancestry->came_from =
        dg_alloc(memory, lowered->n_steps + 1, sizeof(*ancestry->came_from));
    memset(ancestry->became, 0xff, program->n_steps * sizeof(*ancestry->became));
    memset(ancestry->came_from, 0xff, lowered->n_steps * sizeof(*ancestry->came_from));
    if (status)
        return status;
    for (uint32_t i = 0; i < program->n_steps; i++) {
        if (matching.steps[i] != DG_NO_STEP)
            ancestry->came_from[matching.steps[i]] = i;
        ancestry->became[i] = matching.steps[i];
    }
    matches = dg_alloc(memory, lowered->n_steps + 1, sizeof(*matches));
    dg_match_handles(matches, &n, program, lowered,
                     dg_hosts_of(&matching, program, lowered, memory), ancestry,
                     memory);
    return DG_OK;
}
