/* What finds out which steps of two programs belong together shares. */
#ifndef DG_EXEC_MATCH_PARTS_H
#define DG_EXEC_MATCH_PARTS_H

#include "exec/run_parts.h"

bool dg_is_user_input(const struct dg_io *io);

/* By slot: the step that makes what lies there, before it was only moved; behind the
 * steps the inputs of the user; DG_NO_STEP: neither. */
uint32_t *dg_makers_of(const struct dg_schedule *schedule, struct dg_arena *memory);

/* What the file has for an argument; NULL: it is computed, or a number. */
const struct dg_tensor *dg_stored_operand(const struct dg_schedule *schedule,
                                          const struct dg_operand *operand);

/* "aten::conv2d.padding": " conv2d ", in `word`; NULL: it has no such name. */
const char *dg_step_word(const struct dg_step *step, char word[64]);
/* Whether the node may stand for such an operator. */
bool dg_step_may_be(const struct dg_step *node, const char *word);
/* A node that only moves elements. */
bool dg_step_moves(const struct dg_step *step);

/* Steps inside of delegates that have one debug handle, in their order. */
struct dg_handle_group {
    uint32_t handle;
    const uint32_t *steps;
    uint32_t n; /* not 0 */
};

struct dg_handle_group *dg_handle_groups(const struct dg_schedule *lowered, size_t *n,
                                         struct dg_arena *memory);

static inline uint32_t dg_group_last(const struct dg_handle_group *group)
{
    return group->steps[group->n - 1];
}

/* The step of the program that a group came from. */
struct dg_handle_place {
    uint32_t step; /* DG_NO_STEP: none that it may be */
    bool is_sure;  /* none is gone between it and those of the groups beside it */
};

struct dg_handle_place *dg_handle_places(const struct dg_schedule *program,
                                         const struct dg_schedule *lowered,
                                         const struct dg_handle_group *groups, size_t n,
                                         struct dg_arena *memory);

#endif
