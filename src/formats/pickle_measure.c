/* Bounds on what a pickle describes: no cycles, no great depth, no explosion of shared
 * parts. Without recursion, since the input controls the shape. */
#include "formats/pickle_parts.h"

enum { DEPTH = 128, UNFOLDED_MORE = 1 << 20, OPEN = -1 };

struct step {
    struct dg_pickle_value *value;
    size_t next;
};

static bool is_container(const struct dg_pickle_value *value)
{
    return value->type == DG_PICKLE_TUPLE || value->type == DG_PICKLE_LIST ||
           value->type == DG_PICKLE_DICT;
}

/* All items have been measured: the container can be. */
static void finish(struct dg_pickle_machine *machine, struct dg_pickle_value *value)
{
    int64_t limit = (int64_t)machine->data.size + UNFOLDED_MORE;

    value->height = 1;
    value->integer = 1;
    for (size_t i = 0; i < value->n_items; i++) {
        const struct dg_pickle_value *item = value->items[i];

        if (item->height >= value->height)
            value->height = item->height + 1;
        value->integer += is_container(item) ? item->integer : 1;
        if (value->integer > limit || value->height > DEPTH)
            break;
    }
    if (value->height > DEPTH)
        dg_pickle_fail(machine, "expected values nested at most %d deep", DEPTH);
    else if (value->integer > limit)
        dg_pickle_fail(machine, "expected shared values that unfold to at most %lld",
                       (long long)limit);
}

bool dg_pickle_measure(struct dg_pickle_machine *machine, struct dg_pickle_value *root)
{
    struct step steps[DEPTH] = {{root, 0}};
    int depth = is_container(root);

    if (depth)
        root->height = OPEN;
    while (depth && !machine->failed) {
        struct step *step = &steps[depth - 1];
        struct dg_pickle_value *item;

        if (step->next == step->value->n_items) {
            finish(machine, step->value);
            depth--;
            continue;
        }
        item = step->value->items[step->next++];
        if (!is_container(item) || item->height > 0)
            continue;
        if (item->height == OPEN)
            return dg_pickle_fail(machine, "expected values without cycles");
        if (depth == DEPTH)
            return dg_pickle_fail(machine, "expected values nested at most %d deep",
                                  DEPTH);
        item->height = OPEN;
        steps[depth++] = (struct step){item, 0};
    }
    return !machine->failed;
}
