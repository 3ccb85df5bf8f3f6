/* Nodes inside of delegates, and the nodes of the exported program that they came from: by
 * debug handles. ExecuTorch numbers the nodes of a program from 1 on in their order, those
 * that are left in its edge dialect, and hands the numbers on to all that lowering makes of
 * a node (exir/passes/debug_handle_generator_pass.py). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/xnnpack_ops.h"
#include "exec/run_parts.h"
#include "kernels/xnnpack.h"

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
    const struct dg_xnn_meaning *meaning = dg_xnn_meaning(node->xnnpack->node.op);

    return meaning && strstr(meaning->ops, word);
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
    struct readers readers; /* of the program */
    bool *goes_on;          /* by slot of `lowered`: what reads it may be of the same node of the
                               program */
    const uint32_t *hosts; /* by step of `lowered`: the step that it is, NOWHERE */
    const uint32_t *places;       /* steps of the program that handles may number */
    size_t n_places;
};

static void note_needed(void *data, uint32_t slot)
{
    ((bool *)data)[slot] = true;
}

static bool is_needed(const struct dg_step *step, const bool *needed)
{
    bool found = dg_step_changes(step);

    for (size_t k = 0; k < step->n_results; k++)
        found |= needed[step->results[k]];
    return found;
}

/* By step: whether something comes of it. What is for nothing, and checks, are gone in the edge
 * dialect. */
static bool *find_numbered(const struct dg_schedule *program, struct dg_arena *memory)
{
    bool *needed = dg_alloc(memory, program->n_slots + 1, sizeof(*needed));
    bool *numbered = dg_alloc(memory, program->n_steps + 1, sizeof(*numbered));

    for (size_t i = 0; i < program->n_outputs; i++) {
        if (program->outputs[i].slot != DG_IO_LITERAL)
            needed[program->outputs[i].slot] = true;
    }
    for (size_t i = program->n_steps; i--;) {
        const struct dg_step *step = &program->steps[i];

        if ((step->op && strstr(step->op, "_assert_")) || !is_needed(step, needed))
            continue;
        numbered[i] = true;
        dg_step_reads(step, note_needed, needed);
    }
    return numbered;
}

static void number_places(struct joining *joining, struct dg_arena *memory)
{
    const struct dg_schedule *program = joining->program;
    uint32_t *places = dg_alloc(memory, program->n_steps + 1, sizeof(*places));
    const bool *numbered = find_numbered(program, memory);

    for (uint32_t i = 0; i < program->n_steps; i++) {
        if (numbered[i])
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

/* Only steps inside of delegates say which node of the program they are of. */
struct going {
    const struct dg_step *reader;
    const uint32_t *made_for; /* by slot: the handle of what makes it */
    bool *goes_on;
};

static void note_going(void *data, uint32_t slot)
{
    struct going *going = data;
    uint32_t handle = going->reader->xnnpack ? going->reader->handle : 0;

    if (!handle || handle == going->made_for[slot])
        going->goes_on[slot] = true;
}

static bool *find_going(const struct dg_schedule *lowered, struct dg_arena *memory)
{
    uint32_t *made_for = dg_alloc(memory, lowered->n_slots + 1, sizeof(*made_for));
    struct going going = {NULL, made_for,
                          dg_alloc(memory, lowered->n_slots + 1, sizeof(bool))};

    for (uint32_t i = 0; i < lowered->n_steps; i++) {
        for (size_t k = 0; k < lowered->steps[i].n_results; k++)
            made_for[lowered->steps[i].results[k]] = lowered->steps[i].handle;
    }
    for (uint32_t i = 0; i < lowered->n_steps; i++) {
        going.reader = &lowered->steps[i];
        dg_step_reads(going.reader, note_going, &going);
    }
    return going.goes_on;
}

/* What an operator is taken apart into may end outside of delegates: only where all that is
 * behind is inside, too, the end is known. */
static bool is_end(const struct joining *joining, const struct group *group)
{
    const struct dg_step *last = &joining->lowered->steps[group->last];

    for (size_t k = 0; k < last->n_results; k++) {
        if (joining->goes_on[last->results[k]])
            return false;
    }
    return true;
}

enum { NOWHERE = UINT32_MAX };

/* How well a group stands at a place. What computes says more than what moves; an operator that
 * no kind stands for was taken apart. */
enum { COMPUTES = 8, MOVES = 2, TAKEN_APART = 1, GONE = 1 };

static bool moves(const struct dg_step *step)
{
    return step->kernel && step->kernel->tolerance == DG_TOLERANCE_EXACT;
}

static int worth(const struct joining *joining, const struct group *group, size_t place)
{
    const struct dg_step *step = &joining->program->steps[joining->places[place]];
    int most = 0;
    char word[64];

    if (!word_of(step, word))
        return 0;
    for (uint32_t i = group->first; i <= group->last; i++) {
        const struct dg_step *node = &joining->lowered->steps[i];

        if (node->xnnpack && node->handle == group->handle && may_be(node, word))
            most = moves(node) && most < MOVES ? MOVES : moves(node) ? most : COMPUTES;
    }
    return most || dg_xnn_has_kind_of(word) ? most : TAKEN_APART;
}

/* Places of groups: nodes of the program that were left out make the distance of place and
 * number grow, never shrink. Of all such the best, by dynamic programming over the
 * groups and how many nodes are gone so far. */
struct aligning {
    size_t n_gone;    /* how many may be, and none */
    int64_t *best;    /* by nodes gone: of the groups so far */
    uint32_t *before; /* by group and nodes gone: how many were gone before */
};

enum { CELLS_MOST = 1 << 22 };

static void align_group(const struct joining *joining, struct aligning *aligning,
                        const struct group *group, uint32_t *before)
{
    int64_t most = INT64_MIN / 2; /* with fewer that are gone, `from` of them */
    uint32_t from = 0;

    for (uint32_t gone = 0; gone < aligning->n_gone; gone++) {
        size_t place = (size_t)group->handle - 1 + gone;
        int64_t same = aligning->best[gone];
        bool grows = most - GONE > same;

        before[gone] = grows ? from : gone;
        if (grows)
            aligning->best[gone] = most - GONE;
        if (same > most) {
            most = same;
            from = gone;
        }
        if (place < joining->n_places)
            aligning->best[gone] += worth(joining, group, place);
    }
}

/* By group: its place, NOWHERE where nothing of its kind is. */
static uint32_t *align(const struct joining *joining, const struct group *groups, size_t n,
                       struct dg_arena *memory)
{
    uint32_t *places = dg_alloc(memory, n + 1, sizeof(*places));
    struct aligning aligning = {.n_gone = joining->n_places + 1};
    uint32_t gone = 0;

    if (n && aligning.n_gone > CELLS_MOST / n)
        aligning.n_gone = CELLS_MOST / n + 1;
    aligning.best = dg_alloc(memory, aligning.n_gone, sizeof(*aligning.best));
    aligning.before = dg_alloc(memory, n * aligning.n_gone + 1, sizeof(uint32_t));
    for (size_t i = 0; i < n; i++)
        align_group(joining, &aligning, &groups[i],
                    aligning.before + i * aligning.n_gone);
    for (uint32_t i = 1; i < aligning.n_gone; i++) {
        if (aligning.best[i] > aligning.best[gone])
            gone = i;
    }
    for (size_t i = n; i--;) {
        size_t place = (size_t)groups[i].handle - 1 + gone;

        places[i] = place < joining->n_places && worth(joining, &groups[i], place)
                        ? (uint32_t)place
                        : NOWHERE;
        gone = aligning.before[i * aligning.n_gone + gone];
    }
    return places;
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

/* Nodes that a pass made anew have no number: they are found by what they read. */
bool dg_step_passes_on(const struct dg_step *step)
{
    return step->xnnpack && !step->handle && moves(step) && step->n_args &&
           step->args[0].kind == DG_OPERAND_SLOT;
}

static bool is_unnumbered(const struct dg_step *step)
{
    return step->xnnpack && !step->handle && !moves(step) &&
           !dg_text_is(step->xnnpack->node.op, "Convert");
}

/* By slot: the step that makes what lies there, before it was only moved; behind the
 * steps the inputs. */
static uint32_t *makers_of(const struct dg_schedule *schedule, struct dg_arena *memory)
{
    uint32_t *makers = dg_alloc(memory, schedule->n_slots + 1, sizeof(*makers));
    uint32_t n_inputs = 0;

    memset(makers, 0xff, schedule->n_slots * sizeof(*makers));
    for (size_t i = 0; i < schedule->n_inputs; i++) {
        const struct dg_io *io = &schedule->inputs[i];

        if (io->slot != DG_IO_LITERAL && (!io->spec || !strcmp(io->spec, "user_input")))
            makers[io->slot] = (uint32_t)schedule->n_steps + n_inputs++;
    }
    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_step *step = &schedule->steps[i];
        for (size_t k = 0; k < step->n_results; k++)
            makers[step->results[k]] = dg_step_passes_on(step) ? makers[step->args[0].slot] : i;
    }
    return makers;
}

/* The step of the program that reads, alone, what the node reads; NOWHERE. */
struct sources {
    const uint32_t *lowered_makers; /* by slot */
    uint32_t *results; /* by maker of `lowered`: the slot of the program that is equal */
};

static void add_result(const struct joining *joining, struct sources *sources,
                       uint32_t lowered, uint32_t step)
{
    if (step != NOWHERE && joining->program->steps[step].n_results == 1)
        sources->results[lowered] = joining->program->steps[step].results[0];
}

static struct sources sources_of(const struct joining *joining,
                                 const struct dg_handle_match *matches, size_t n,
                                 struct dg_arena *memory)
{
    const struct dg_schedule *program = joining->program, *lowered = joining->lowered;
    size_t n_makers = lowered->n_steps + lowered->n_inputs;
    struct sources sources = {makers_of(lowered, memory),
                              dg_alloc(memory, n_makers + 1, sizeof(uint32_t))};
    size_t n_inputs = lowered->n_steps;

    memset(sources.results, 0xff, (n_makers + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < lowered->n_steps; i++)
        add_result(joining, &sources, i, joining->hosts[i]);
    for (size_t i = 0; i < n; i++)
        add_result(joining, &sources, matches[i].lowered, matches[i].program);
    for (size_t i = 0; i < program->n_inputs && n_inputs < n_makers; i++) {
        const struct dg_io *io = &program->inputs[i];

        if (io->slot != DG_IO_LITERAL && (!io->spec || !strcmp(io->spec, "user_input")))
            sources.results[n_inputs++] = io->slot;
    }
    return sources;
}

static uint32_t reader_of(const struct joining *joining, const struct sources *sources,
                          const struct dg_step *node)
{
    uint32_t maker = node->n_args && node->args[0].kind == DG_OPERAND_SLOT
                         ? sources->lowered_makers[node->args[0].slot]
                         : NOWHERE;
    uint32_t slot = maker == NOWHERE ? NOWHERE : sources->results[maker];
    char word[64];

    if (slot == NOWHERE || joining->readers.n[slot] != 1 ||
        !word_of(&joining->program->steps[joining->readers.one[slot]], word) ||
        !may_be(node, word))
        return NOWHERE;
    return joining->readers.one[slot];
}

/* What is behind a node, where that says nothing of what is before it: the step that gives what
 * the reader of the node reads. */
struct backward {
    struct readers readers; /* of `lowered` */
    uint32_t *firsts;       /* by step of `lowered`: where its match begins; NOWHERE */
    uint32_t *makers;       /* by slot of the program */
};

static struct backward backward_of(const struct joining *joining,
                                   const struct dg_handle_match *matches, size_t n,
                                   struct dg_arena *memory)
{
    const struct dg_schedule *lowered = joining->lowered;
    struct backward backward = {
        readers_of(lowered, memory),
        dg_alloc(memory, lowered->n_steps + 1, sizeof(uint32_t)),
        makers_of(joining->program, memory)};

    memset(backward.firsts, 0xff, (lowered->n_steps + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++)
        backward.firsts[matches[i].named] = matches[i].first;
    return backward;
}

/* Who reads, alone, what a node gives, and as which of its arguments. */
struct reader {
    uint32_t step; /* NOWHERE: nobody, or several */
    size_t argument;
};

static struct reader lowered_reader(const struct joining *joining,
                                    const struct backward *backward, uint32_t node)
{
    const struct dg_step *steps = joining->lowered->steps;
    struct reader reader = {node, 0};
    uint32_t slot;

    do {
        const struct dg_step *at = &steps[reader.step];

        slot = at->n_results == 1 ? at->results[0] : NOWHERE;
        if (slot == NOWHERE || backward->readers.n[slot] != 1 ||
            backward->readers.one[slot] <= reader.step)
            return (struct reader){NOWHERE, 0};
        reader.step = backward->readers.one[slot];
    } while (dg_step_passes_on(&steps[reader.step]));
    while (reader.argument < steps[reader.step].n_args &&
           (steps[reader.step].args[reader.argument].kind != DG_OPERAND_SLOT ||
            steps[reader.step].args[reader.argument].slot != slot))
        reader.argument++;
    return reader;
}

/* The step of the program that makes what `step` reads as an argument. */
static uint32_t maker_of(const struct joining *joining, const struct backward *backward,
                         uint32_t step, size_t argument)
{
    const struct dg_step *at = &joining->program->steps[step];
    uint32_t maker =
        argument < at->n_args && at->args[argument].kind == DG_OPERAND_SLOT
            ? backward->makers[at->args[argument].slot]
            : NOWHERE;

    return maker < step ? maker : NOWHERE;
}

/* Of a node the step that gives the same, and before it that which it is; false: neither is
 * known. */
static bool find_before(const struct joining *joining, const struct backward *backward,
                        const struct group *group, struct dg_handle_match *match)
{
    struct reader reader = lowered_reader(joining, backward, group->last);
    uint32_t first = reader.step == NOWHERE ? NOWHERE : backward->firsts[reader.step];
    uint32_t step =
        first == NOWHERE ? NOWHERE : maker_of(joining, backward, first, reader.argument);
    char word[64];

    *match = (struct dg_handle_match){step, step, group->last, group->last, true};
    while (step != NOWHERE && word_of(&joining->program->steps[step], word)) {
        match->first = step;
        if (may_be(&joining->lowered->steps[group->last], word))
            return true;
        if (!has_taken(joining, group, word))
            return false;
        step = maker_of(joining, backward, step, 0);
    }
    return false;
}

static bool find_behind(const struct joining *joining, const struct sources *sources,
                        const struct group *group, struct dg_handle_match *match)
{
    uint32_t step =
        reader_of(joining, sources, &joining->lowered->steps[group->last]);

    if (step == NOWHERE)
        return false;
    *match = (struct dg_handle_match){step, result_of(joining, group, step), group->last,
                                      group->last, true};
    return true;
}

static void match_unnumbered(const struct joining *joining,
                             struct dg_handle_match *matches, size_t *n,
                             struct dg_arena *memory)
{
    struct sources sources = sources_of(joining, matches, *n, memory);
    struct backward backward = backward_of(joining, matches, *n, memory);

    for (uint32_t i = 0; i < joining->lowered->n_steps; i++) {
        struct group group = {0, i, i};
        struct dg_handle_match match;

        if (!is_unnumbered(&joining->lowered->steps[i]) ||
            (!find_behind(joining, &sources, &group, &match) &&
             !find_before(joining, &backward, &group, &match)) ||
            !are_of_one_kind(joining, &group, match.program))
            continue;
        matches[(*n)++] = match;
        add_result(joining, &sources, i, match.program);
    }
}

/* Whether one of the nodes is what the step does. */
static bool is_whole(const struct joining *joining, const struct group *group,
                     uint32_t step)
{
    char word[64];

    return word_of(&joining->program->steps[step], word) &&
           group_may_be(joining, group, word);
}

/* What was taken apart is told by its neighbours: none of the nodes beside it is gone. */
static bool is_sure(const struct group *groups, const uint32_t *places, size_t n, size_t i)
{
    return i && i + 1 < n && places[i - 1] != NOWHERE && places[i + 1] != NOWHERE &&
           places[i] - places[i - 1] == groups[i].handle - groups[i - 1].handle &&
           places[i + 1] - places[i] == groups[i + 1].handle - groups[i].handle;
}

static void match_groups(const struct joining *joining, struct dg_handle_match *matches,
                         size_t *n, struct dg_arena *memory)
{
    size_t n_groups;
    struct group *groups = groups_of(joining->lowered, &n_groups, memory);
    const uint32_t *places = align(joining, groups, n_groups, memory);

    for (size_t i = 0; i < n_groups; i++) {
        const struct group *group = &groups[i];
        uint32_t first, result;

        if (places[i] == NOWHERE)
            continue;
        first = joining->places[places[i]];
        result = result_of(joining, group, first);
        if (are_of_one_kind(joining, group, result) &&
            (is_whole(joining, group, first) ||
             (is_end(joining, group) && is_sure(groups, places, n_groups, i))))
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
                      const struct dg_schedule *lowered, const uint32_t *hosts,
                      struct dg_arena *memory)
{
    struct joining joining = {.program = program,
                              .lowered = lowered,
                              .hosts = hosts,
                              .readers = readers_of(program, memory),
                              .goes_on = find_going(lowered, memory)};

    *n = 0;
    number_places(&joining, memory);
    match_groups(&joining, matches, n, memory);
    match_unnumbered(&joining, matches, n, memory);
}
