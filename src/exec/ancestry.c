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
    const uint32_t *hosts;
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
        uint32_t became = matching.steps[i];

        if (became == DG_NO_STEP || !lowered->steps[became].xnnpack)
            continue;
        ancestry->came_from[became] = i;
        ancestry->became[i] = became;
    }
    hosts = dg_hosts_of(&matching, program, lowered, memory);
    matches = dg_alloc(memory, lowered->n_steps + 1, sizeof(*matches));
    dg_match_handles(matches, &n, program, lowered, hosts, ancestry, memory);
    dg_match_kernels(ancestry, program, lowered, hosts, memory);
    dg_ancestry_check(ancestry, program, lowered, memory);
    return DG_OK;
}
