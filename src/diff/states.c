/* What a .pte keeps from call to call: its mutable buffers. */
#include "base/text.h"
#include "diff/finders.h"
#include "diff/waiting.h"

static struct dg_text key_of(struct dg_writer *out, const struct dg_diff_state *state)
{
    out->size = 0;
    dg_print(out, "%u ", state->place);
    dg_write_text(out, state->name);
    return dg_written(out);
}

static void tell(struct dg_diffing *diffing, const struct dg_diff_state *old,
                 const struct dg_diff_state *new)
{
    const struct dg_diff_state *state = new ? new : old;
    struct dg_difference difference = {.kind = DG_DIFF_STATE,
                                       .change = !old   ? DG_DIFF_ADDED
                                                 : !new ? DG_DIFF_REMOVED
                                                        : DG_DIFF_CHANGED,
                                       .method = state->method,
                                       .name = state->name};

    if (!dg_diff_has_method(diffing, state->method))
        return;
    if (!state->name.data)
        difference.name = dg_text("buffer");
    if (old)
        difference.old = dg_diff_text(&diffing->sides[0], old->type);
    if (new)
        difference.new = dg_diff_text(&diffing->sides[1], new->type);
    dg_diff_add(diffing->diff, &difference);
}

void dg_diff_states(struct dg_diffing *diffing)
{
    const struct dg_diff_side *old = &diffing->sides[0], *new = &diffing->sides[1];
    struct dg_diff_waiting waiting = {0};
    struct dg_writer key = {0};
    bool *matched = dg_alloc(&diffing->memory, new->n_states, sizeof(*matched));

    for (size_t i = new->n_states; i--;)
        dg_diff_wait(&waiting, i, key_of(&key, &new->states[i]));
    for (size_t i = 0; i < old->n_states; i++) {
        const struct dg_diff_state *state = &old->states[i];
        size_t taken = dg_diff_take(&waiting, key_of(&key, state));

        if (taken)
            matched[taken - 1] = true;
        if (!taken || new->states[taken - 1].type != state->type)
            tell(diffing, state, taken ? &new->states[taken - 1] : NULL);
    }
    for (size_t i = 0; i < new->n_states; i++) {
        if (!matched[i])
            tell(diffing, NULL, &new->states[i]);
    }
    dg_writer_clear(&key);
    dg_diff_waiting_clear(&waiting);
}
