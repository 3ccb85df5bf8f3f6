/* Batch norms behind products: those that were folded into them, and those that are
 * nodes of their own. */
#include <string.h>

#include "exec/match_parts.h"
#include "kernels/xnnpack.h"

bool dg_word_is_norm(const char *word)
{
    static const char norms[] =
        " batch_norm native_batch_norm _native_batch_norm_legit_no_training ";

    return strstr(norms, word);
}

/* Norms one behind the other, from a step of the program on. */
static size_t n_norms_from(const struct dg_joining *joining, uint32_t step)
{
    size_t n = 0;
    char word[64];

    for (; step != DG_NO_STEP; step = dg_only_reader(joining, step)) {
        const struct dg_step *at = &joining->program->steps[step];

        if (dg_step_is_first_item(at))
            continue;
        if (!dg_step_word(at, word) || !dg_word_is_norm(word))
            break;
        n++;
    }
    return n;
}

/* A norm that is not folded into what is before it: a convolution of single pixels,
 * channel by channel, without a handle, as a pass makes it anew. */
static bool is_norm_alone(const struct dg_step *step)
{
    const struct dg_xnn_node *node = step->xnnpack ? &step->xnnpack->node : NULL;

    return node && !step->handle && dg_text_is(node->op, "DepthwiseConv2d") &&
           node->height == 1 && node->width == 1;
}

static size_t n_norms_behind(const struct dg_joining *joining,
                             const struct dg_handle_group *group)
{
    uint32_t node = dg_node_reader(joining, dg_group_last(group)).step;
    size_t n = 0;

    while (node != DG_NO_STEP && is_norm_alone(&joining->lowered->steps[node])) {
        node = dg_node_reader(joining, node).step;
        n++;
    }
    return n;
}

bool dg_norm_is_alone(const struct dg_joining *joining,
                      const struct dg_handle_group *group, uint32_t step)
{
    return n_norms_from(joining, step) <= n_norms_behind(joining, group);
}
