/* Which operators a node inside of a delegate may stand for. */
#include <string.h>

#include "base/xnnpack_ops.h"
#include "exec/match_parts.h"
#include "kernels/xnnpack.h"

const char *dg_step_word(const struct dg_step *step, char word[64])
{
    const char *op = step->kernel ? step->kernel->op : step->op;
    const char *name = op ? strstr(op, "::") : NULL;
    size_t length;

    if (!name)
        return NULL;
    name += 2;
    length = strcspn(name, ".");
    if (length + 3 > 64)
        return NULL;
    word[0] = ' ';
    memcpy(word + 1, name, length);
    word[length + 1] = ' ';
    word[length + 2] = '\0';
    return word;
}

bool dg_step_converts(const struct dg_step *node)
{
    return dg_text_is(node->xnnpack->node.op, "Convert");
}

/* A node that gives codes brings none into floats, one that gives floats makes none. */
static bool converts_otherwise(const struct dg_step *node, const char *word)
{
    const struct dg_xnn_step *converts = node->xnnpack;

    if (!dg_step_converts(node) || !converts->n_outputs)
        return false;
    return !strncmp(word,
                    converts->outputs[0]->quantized ? " dequantize_" : " quantize_",
                    converts->outputs[0]->quantized ? 12 : 10);
}

bool dg_step_may_be(const struct dg_step *node, const char *word)
{
    const struct dg_xnn_meaning *meaning = dg_xnn_meaning(node->xnnpack->node.op);

    return meaning && strstr(meaning->ops, word) && !converts_otherwise(node, word);
}

bool dg_step_moves(const struct dg_step *step)
{
    return step->kernel && step->kernel->tolerance == DG_TOLERANCE_EXACT;
}
