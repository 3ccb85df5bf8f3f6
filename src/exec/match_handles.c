/* Nodes inside of delegates, and the nodes of the exported program that they came from: by
 * debug handles. ExecuTorch numbers the nodes of a program from 1 on in their order, those
 * that are left in its edge dialect, and hands the numbers on to all that lowering makes of
 * a node (exir/passes/debug_handle_generator_pass.py). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "exec/run_parts.h"
#include "kernels/xnnpack.h"

/* Which operators a kind of node stands for, as their names end behind "aten::". */
static const struct {
    const char *kind, *ops;
} meanings[] = {
    {"Abs", " abs "},
    {"Add", " add "},
    {"ArgMaxPooling2d", " max "},
    {"AvgPooling2d", " avg_pool2d avg_pool1d adaptive_avg_pool2d "},
    {"BatchMatrixMultiply", " bmm matmul scaled_dot_product_attention baddbmm "},
    {"Ceiling", " ceil "},
    {"Clamp", " relu relu6 hardtanh clamp clamp_min clamp_max "},
    {"Concatenate2", " cat concat stack "},
    {"Concatenate3", " cat concat stack "},
    {"Concatenate4", " cat concat stack "},
    {"Concatenate5", " cat concat stack "},
    {"Conv2d", " conv1d conv2d convolution _convolution "},
    {"ConvTranspose2d", " conv_transpose1d conv_transpose2d convolution "},
    {"Convert", " to _to_copy quantize_per_tensor dequantize_per_tensor type_as "},
    {"Copy", " clone contiguous dropout alias detach "},
    {"Cos", " cos "},
    {"DepthwiseConv2d", " conv1d conv2d convolution _convolution batch_norm "},
    {"Div", " div true_divide "},
    {"ELU", " elu "},
    {"Exp", " exp "},
    {"Floor", " floor "},
    {"FullyConnected", " linear mm addmm matmul "},
    {"Gelu", " gelu "},
    {"GlobalAvgPooling2d", " mean adaptive_avg_pool2d "},
    {"Hardswish", " hardswish "},
    {"LeakyReLU", " leaky_relu "},
    {"Log", " log "},
    {"Maximum", " maximum max "},
    {"MaxPooling2d", " max_pool2d max_pool1d amax adaptive_max_pool2d "},
    {"Minimum", " minimum min "},
    {"Multiply", " mul "},
    {"Negate", " neg "},
    {"PReLU", " prelu _prelu_kernel "},
    {"ReciprocalSquareRoot", " rsqrt "},
    {"Sigmoid", " sigmoid "},
    {"Sin", " sin "},
    {"Softmax", " softmax _softmax scaled_dot_product_attention "},
    {"Square", " pow square "},
    {"SquareRoot", " sqrt "},
    {"StaticConstantPad", " pad constant_pad_nd "},
    {"StaticReshape", " view reshape flatten unflatten squeeze unsqueeze _unsafe_view "
                      "view_copy conv1d squeeze_copy unsqueeze_copy expand repeat "},
    {"StaticResizeBilinear2D", " upsample_bilinear2d interpolate "},
    {"StaticSlice", " slice select narrow chunk split slice_copy "},
    {"StaticTranspose", " permute transpose t movedim permute_copy transpose_copy "},
    {"Subtract", " sub rsub "},
    {"Tanh", " tanh "},
};

/* "aten::conv2d.padding": " conv2d ". */
static const char *word_of(const struct dg_step *step, char word[64])
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

static bool may_be(const struct dg_step *node, const char *word)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++) {
        if (dg_text_is(node->xnnpack->node.op, meanings[i].kind))
            return strstr(meanings[i].ops, word);
    }
    return false;
}

/* Whether some kind of node is what the operator does. */
static bool is_known(const char *word)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++) {
        if (strstr(meanings[i].ops, word))
            return true;
    }
    return false;
}

/* Steps inside of delegates that have one handle. */
struct group {
    uint32_t handle;
    uint32_t first, last; /* steps */
};

static int by_handle(const void *a, const void *b)
{
    const struct group *left = a, *right = b;

    if (left->handle != right->handle)
        return left->handle < right->handle ? -1 : 1;
    return (left->first > right->first) - (left->first < right->first);
}

static struct group *groups_of(const struct dg_schedule *lowered, size_t *n,
                               struct dg_arena *memory)
{
    struct group *groups = dg_alloc(memory, lowered->n_steps + 1, sizeof(*groups));
    size_t n_steps = 0;

    for (uint32_t i = 0; i < lowered->n_steps; i++) {
        if (lowered->steps[i].handle && lowered->steps[i].xnnpack)
            groups[n_steps++] = (struct group){lowered->steps[i].handle, i, i};
    }
    dg_sort(groups, n_steps, sizeof(*groups), by_handle);
    *n = 0;
    for (size_t i = 0; i < n_steps; i++) {
        if (*n && groups[*n - 1].handle == groups[i].handle)
            groups[*n - 1].last = groups[i].last;
        else
            groups[(*n)++] = groups[i];
    }
    return groups;
}

/* Of each slot: who reads it, if that is one step; how many do. */
struct readers {
    uint32_t step, *one, *n;
};

static void note_reader(void *data, uint32_t slot)
{
    struct readers *readers = data;

    readers->one[slot] = readers->step;
    readers->n[slot]++;
}

static struct readers readers_of(const struct dg_schedule *schedule,
                                 struct dg_arena *memory)
{
    struct readers readers = {
        0, dg_alloc(memory, schedule->n_slots + 1, sizeof(uint32_t)),
        dg_alloc(memory, schedule->n_slots + 1, sizeof(uint32_t))};

    for (; readers.step < schedule->n_steps; readers.step++)
        dg_step_reads(&schedule->steps[readers.step], note_reader, &readers);
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        if (schedule->outputs[i].slot != DG_IO_LITERAL)
            readers.n[schedule->outputs[i].slot] += 2; /* the caller, too */
    }
    return readers;
}

struct joining {
    const struct dg_schedule *program, *lowered;
    struct readers readers;       /* of the program */
    struct readers lowered_readers;
    const uint32_t *places;       /* steps of the program that handles may number */
    size_t n_places;
};

/* Checks are gone in the edge dialect. */
static bool is_numbered(const struct dg_step *step)
{
    return !step->op || !strstr(step->op, "_assert_");
}

static void number_places(struct joining *joining, struct dg_arena *memory)
{
    const struct dg_schedule *program = joining->program;
    uint32_t *places = dg_alloc(memory, program->n_steps + 1, sizeof(*places));

    for (uint32_t i = 0; i < program->n_steps; i++) {
        if (is_numbered(&program->steps[i]))
            places[joining->n_places++] = i;
    }
    joining->places = places;
}

static bool group_may_be(const struct joining *joining, const struct group *group,
                         const char *word)
{
    for (uint32_t i = group->first; i <= group->last; i++) {
        const struct dg_step *step = &joining->lowered->steps[i];

        if (step->xnnpack && step->handle == group->handle && may_be(step, word))
            return true;
    }
    return false;
}

/* What an operator is taken apart into may end outside of delegates: only where all that is
 * behind is inside, too, the end is known. */
static bool is_end(const struct joining *joining, const struct group *group)
{
    const struct dg_step *last = &joining->lowered->steps[group->last];
    const struct readers *readers = &joining->lowered_readers;

    for (size_t k = 0; k < last->n_results; k++) {
        uint32_t slot = last->results[k];
        const struct dg_step *reader = &joining->lowered->steps[readers->one[slot]];

        if (readers->n[slot] != 1 || !reader->xnnpack || reader->handle == group->handle)
            return false;
    }
    return true;
}

enum { FAR = 64, NOWHERE = UINT32_MAX };

/* The place of a group: where its number says, or behind, as nodes may have gone. */
static size_t place_of(const struct joining *joining, const struct group *group,
                       size_t from)
{
    char word[64];

    for (size_t i = from; i < joining->n_places && i < from + FAR; i++) {
        const struct dg_step *step = &joining->program->steps[joining->places[i]];

        if (word_of(step, word) && group_may_be(joining, group, word))
            return i;
        if (i == from && word_of(step, word) && !is_known(word) && is_end(joining, group))
            return i;
    }
    return NOWHERE;
}

static bool is_bounded(const struct dg_step *step)
{
    return isfinite(step->xnnpack->least) || isfinite(step->xnnpack->most);
}

static int quantized(const struct joining *joining, const struct group *group)
{
    return joining->lowered->steps[group->last].xnnpack->outputs[0]->quantized;
}

static const char quantize_word[] = " quantize_per_tensor ";

/* What a group has taken up of the nodes behind its own: activations, norms, and steps to
 * codes. */
static bool has_taken(const struct joining *joining, const struct group *group,
                      const char *word)
{
    bool convolves = false, bounded = quantized(joining, group);

    for (uint32_t i = group->first; i <= group->last; i++) {
        const struct dg_step *step = &joining->lowered->steps[i];
        bool own = step->xnnpack && step->handle == group->handle;

        bounded |= own && !dg_text_is(step->xnnpack->node.op, "Clamp") && is_bounded(step);
        convolves |= own && (dg_text_is(step->xnnpack->node.op, "Conv2d") ||
                             dg_text_is(step->xnnpack->node.op, "DepthwiseConv2d"));
    }
    return (bounded && strstr(" relu relu_ relu6 relu6_ hardtanh hardtanh_ clamp ", word)) ||
           (convolves && !strcmp(word, " batch_norm ")) ||
           (quantized(joining, group) && !strcmp(word, quantize_word));
}

/* Of a group the step that does what the operator is about: beside it are those that bring its
 * input and result into shape. */
static uint32_t main_of(const struct joining *joining, const struct group *group,
                        uint32_t place)
{
    char word[64];
    uint32_t i = group->last;

    if (!word_of(&joining->program->steps[place], word))
        return group->last;
    for (;; i--) {
        const struct dg_step *step = &joining->lowered->steps[i];

        if (step->xnnpack && step->handle == group->handle && may_be(step, word))
            return i;
        if (i == group->first)
            return group->last;
    }
}

/* Codes are held to codes; those that are known late are other ones than the program's. */
static bool are_of_one_kind(const struct joining *joining, const struct group *group,
                            uint32_t step)
{
    char word[64];
    bool codes = word_of(&joining->program->steps[step], word) &&
                 !strcmp(word, quantize_word);

    return quantized(joining, group) == (codes ? DG_XNN_BY_TENSOR : DG_XNN_UNQUANTIZED);
}

/* The step whose result the group gives. */
static uint32_t result_of(const struct joining *joining, const struct group *group,
                          uint32_t step)
{
    char word[64];

    for (;;) {
        const struct dg_step *at = &joining->program->steps[step];
        uint32_t slot = at->n_results == 1 ? at->results[0] : NOWHERE, next;

        if (slot == NOWHERE || joining->readers.n[slot] != 1)
            return step;
        next = joining->readers.one[slot];
        if (next <= step || !word_of(&joining->program->steps[next], word) ||
            !has_taken(joining, group, word))
            return step;
        step = next;
    }
}

/* Nodes that a pass made anew have no number. Where the program has as many steps of such
 * operators that nothing was found for, they are those, in their order. */
struct unnumbered {
    uint32_t *steps;
    size_t n;
};

static bool moves(const struct dg_step *step)
{
    return step->kernel && step->kernel->tolerance == DG_TOLERANCE_EXACT;
}

static struct unnumbered unnumbered_of(const struct dg_schedule *lowered,
                                       struct dg_arena *memory)
{
    struct unnumbered found = {
        dg_alloc(memory, lowered->n_steps + 1, sizeof(uint32_t)), 0};

    for (uint32_t i = 0; i < lowered->n_steps; i++) {
        const struct dg_step *step = &lowered->steps[i];

        if (step->xnnpack && !step->handle && !moves(step) &&
            !dg_text_is(step->xnnpack->node.op, "Convert"))
            found.steps[found.n++] = i;
    }
    return found;
}

/* Steps without a match that one of the nodes may be. */
static struct unnumbered unmatched(const struct joining *joining,
                                   const struct unnumbered *nodes, const bool *taken,
                                   struct dg_arena *memory)
{
    struct unnumbered found = {
        dg_alloc(memory, joining->n_places + 1, sizeof(uint32_t)), 0};
    char word[64];

    for (size_t i = 0; i < joining->n_places && found.n <= nodes->n; i++) {
        uint32_t step = joining->places[i];

        if (taken[step] || !word_of(&joining->program->steps[step], word))
            continue;
        if (found.n < nodes->n &&
            may_be(&joining->lowered->steps[nodes->steps[found.n]], word))
            found.steps[found.n++] = step;
        else if (found.n && may_be(&joining->lowered->steps[nodes->steps[0]], word))
            found.n = nodes->n + 1; /* more than there are nodes */
    }
    return found;
}

static void match_unnumbered(const struct joining *joining,
                             struct dg_handle_match *matches, size_t *n,
                             struct dg_arena *memory)
{
    struct unnumbered nodes = unnumbered_of(joining->lowered, memory), steps;
    bool *taken = dg_alloc(memory, joining->program->n_steps + 1, sizeof(*taken));

    for (size_t i = 0; i < *n; i++) {
        for (uint32_t step = matches[i].first; step <= matches[i].program; step++)
            taken[step] = true;
    }
    steps = unmatched(joining, &nodes, taken, memory);
    for (size_t i = 0; steps.n == nodes.n && i < nodes.n; i++)
        matches[(*n)++] = (struct dg_handle_match){.first = steps.steps[i],
                                                   .program = steps.steps[i],
                                                   .lowered = nodes.steps[i],
                                                   .named = nodes.steps[i],
                                                   .is_joint = true};
}

static void match_groups(const struct joining *joining, struct dg_handle_match *matches,
                         size_t *n, struct dg_arena *memory)
{
    size_t n_groups, from = 0;
    struct group *groups = groups_of(joining->lowered, &n_groups, memory);
    uint32_t handle = 1;

    for (size_t i = 0; i < n_groups; i++) {
        const struct group *group = &groups[i];
        size_t place = place_of(joining, group, from + (group->handle - handle));
        uint32_t first, result;

        if (place == NOWHERE)
            continue;
        from = place;
        handle = group->handle;
        first = joining->places[place];
        result = result_of(joining, group, first);
        if (are_of_one_kind(joining, group, result))
            matches[(*n)++] = (struct dg_handle_match){
                .first = first,
                .program = result,
                .lowered = group->last,
                .named = main_of(joining, group, first),
                .is_joint = result != first || group->first != group->last};
    }
}

void dg_match_handles(struct dg_handle_match *matches, size_t *n,
                      const struct dg_schedule *program,
                      const struct dg_schedule *lowered, struct dg_arena *memory)
{
    struct joining joining = {.program = program,
                              .lowered = lowered,
                              .readers = readers_of(program, memory),
                              .lowered_readers = readers_of(lowered, memory)};

    *n = 0;
    number_places(&joining, memory);
    match_groups(&joining, matches, n, memory);
    match_unnumbered(&joining, matches, n, memory);
}
