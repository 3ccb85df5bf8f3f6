/* Both programs are read at once, each with words of its own; then words of the new one
 * become those of the old one. */
#include <stdlib.h>

#include "base/both.h"
#include "diff/side.h"

struct reading {
    struct dg_diff_side *side;
    struct dg_store *store; /* which nobody else looks at meanwhile */
    struct dg_diff_words *words;
    struct dg_error err;
    enum dg_status status;
};

static void *read_side(void *context)
{
    struct reading *reading = context;

    reading->status =
        dg_diff_side_read(reading->side, reading->store, reading->words, &reading->err);
    return NULL;
}

static void share_all(uint32_t *words, size_t n, const uint32_t *shared)
{
    for (size_t i = 0; i < n; i++)
        words[i] = shared[words[i]];
}

static void share_nodes(struct dg_diff_side *side, const uint32_t *shared)
{
    for (uint32_t i = 0; i < side->n_nodes; i++) {
        struct dg_diff_node *node = &side->nodes[i];
        uint32_t *words[] = {&node->place, &node->op,   &node->name,
                             &node->fqn,   &node->args, &node->type,
                             &node->trace, &node->meta, &node->weights};

        for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
            *words[k] = shared[*words[k]];
    }
}

/* What only a .pte has. */
static void share_named(struct dg_diff_side *side, const uint32_t *shared)
{
    for (size_t i = 0; i < side->n_states; i++) {
        side->states[i].place = shared[side->states[i].place];
        side->states[i].type = shared[side->states[i].type];
    }
    for (size_t i = 0; i < side->n_resources; i++) {
        side->resources[i].digest = shared[side->resources[i].digest];
        side->resources[i].name = shared[side->resources[i].name];
    }
    for (size_t i = 0; i < side->n_outputs; i++) {
        side->outputs[i].place = shared[side->outputs[i].place];
        side->outputs[i].args = shared[side->outputs[i].args];
    }
}

static void share_words(struct dg_diff_side *side, struct dg_diff_words *words)
{
    const struct dg_text_set *own = &side->words->set;
    uint32_t *shared = dg_zeroed(own->n_texts, sizeof(*shared));

    for (uint32_t i = 0; i < own->n_texts; i++)
        shared[i] = dg_diff_word(words, own->texts[i]);
    for (size_t i = 0; i < side->n_graphs; i++) {
        side->graphs[i].place = shared[side->graphs[i].place];
        side->graphs[i].method_word = shared[side->graphs[i].method_word];
    }
    share_nodes(side, shared);
    share_named(side, shared);
    if (side->types)
        share_all(side->types, side->values->n_types, shared);
    share_all(side->layouts, side->values->n_rows, shared);
    side->words = words;
    free(shared);
}

enum dg_status dg_diff_sides_read(struct dg_diff_side sides[2],
                                  struct dg_store *const stores[2],
                                  struct dg_diff_words *words, struct dg_error *err)
{
    struct dg_diff_words own = {0};
    struct reading old = {&sides[0], stores[0], words, {0}, DG_OK};
    struct reading new = {&sides[1], stores[1], &own, {0}, DG_OK};
    const struct reading *failed;

    dg_do_both(read_side, &old, &new);
    failed = old.status ? &old : new.status ? &new : NULL;
    if (failed)
        *err = failed->err;
    else
        share_words(&sides[1], words);
    dg_diff_words_clear(&own);
    return failed ? failed->status : DG_OK;
}
