/* Debug handles of nodes inside of delegates, and the steps of the exported program
 * that have these numbers. ExecuTorch numbers the nodes of a program from 1 on in their
 * order, those that are left in its edge dialect, all that came from one node of the
 * first export alike, and hands the numbers on to all that lowering makes of a node
 * (exir/passes/debug_handle_generator_pass.py). */
#include <string.h>

#include "base/sorted.h"
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

bool dg_step_may_be(const struct dg_step *node, const char *word)
{
    const struct dg_xnn_meaning *meaning = dg_xnn_meaning(node->xnnpack->node.op);

    return meaning && strstr(meaning->ops, word);
}

bool dg_step_converts(const struct dg_step *node)
{
    return dg_text_is(node->xnnpack->node.op, "Convert");
}

bool dg_step_moves(const struct dg_step *step)
{
    return step->kernel && step->kernel->tolerance == DG_TOLERANCE_EXACT;
}

const struct dg_tensor *dg_stored_operand(const struct dg_schedule *schedule,
                                          const struct dg_operand *operand)
{
    const struct dg_slot *slot =
        operand->kind == DG_OPERAND_SLOT ? &schedule->slots[operand->slot] : NULL;
    const struct dg_tensor *tensor =
        slot && slot->initial.kind == DG_ARG_TENSOR ? slot->initial.as.tensor : NULL;

    return tensor && slot->kind != DG_SLOT_COMPUTED && slot->kind != DG_SLOT_INPUT &&
                   tensor->storage->bytes
               ? tensor
               : NULL;
}

struct numbered {
    uint32_t handle, step;
};

static int by_handle(const void *a, const void *b)
{
    const struct numbered *left = a, *right = b;

    if (left->handle != right->handle)
        return left->handle < right->handle ? -1 : 1;
    return (left->step > right->step) - (left->step < right->step);
}

struct dg_handle_group *dg_handle_groups(const struct dg_schedule *lowered, size_t *n,
                                         struct dg_arena *memory)
{
    size_t n_steps = 0, room = lowered->n_steps + 1;
    struct numbered *all = dg_alloc(memory, room, sizeof(*all));
    struct dg_handle_group *groups = dg_alloc(memory, room, sizeof(*groups));
    uint32_t *steps = dg_alloc(memory, room, sizeof(*steps));

    for (uint32_t i = 0; i < lowered->n_steps; i++) {
        if (lowered->steps[i].handle && lowered->steps[i].xnnpack)
            all[n_steps++] = (struct numbered){lowered->steps[i].handle, i};
    }
    dg_sort(all, n_steps, sizeof(*all), by_handle);
    *n = 0;
    for (size_t i = 0; i < n_steps; i++) {
        steps[i] = all[i].step;
        if (!*n || groups[*n - 1].handle != all[i].handle)
            groups[(*n)++] = (struct dg_handle_group){all[i].handle, &steps[i], 0};
        groups[*n - 1].n++;
    }
    return groups;
}

/* A place of a group: the steps that came from one node, of which there may be a
 * number. */
struct place {
    const uint32_t *steps;
    uint32_t n;
};

/* Places in the order of their first steps. */
struct aligning {
    const struct dg_schedule *program, *lowered;
    bool by_origin;
    struct place *places;
    size_t n_places;
    const uint64_t *weights, *lowered_weights; /* by step */
    size_t n_gone;    /* how many places may be gone, and none */
    int64_t *best;    /* by places gone: of the groups so far */
    uint32_t *before; /* by group and places gone: how many were gone before */
};

static void note_needed(void *data, uint32_t slot)
{
    ((bool *)data)[slot] = true;
}

/* A check of a value is a node of the edge dialect; of what is known of a tensor it is
 * none. */
static bool is_check(const struct dg_step *step)
{
    return step->op && strstr(step->op, "_assert_") &&
           !strstr(step->op, "_assert_tensor_metadata");
}

static bool is_needed(const struct dg_step *step, const bool *needed)
{
    bool found = dg_step_changes(step) || is_check(step);

    for (size_t k = 0; k < step->n_results; k++)
        found |= needed[step->results[k]];
    return found;
}

/* What is for nothing is gone in the edge dialect. */
static bool *find_needed(const struct dg_schedule *program, struct dg_arena *memory)
{
    bool *slots = dg_alloc(memory, program->n_slots + 1, sizeof(*slots));
    bool *steps = dg_alloc(memory, program->n_steps + 1, sizeof(*steps));

    for (size_t i = 0; i < program->n_outputs; i++) {
        if (program->outputs[i].slot != DG_IO_LITERAL)
            slots[program->outputs[i].slot] = true;
    }
    for (size_t i = program->n_steps; i--;) {
        steps[i] = is_needed(&program->steps[i], slots);
        if (steps[i])
            dg_step_reads(&program->steps[i], note_needed, slots);
    }
    return steps;
}

enum { NOWHERE = UINT32_MAX };

/* By step: its place. Steps of which nothing is said have one each; all have, where the
 * program was lowered from another export than that, which knows other nodes. */
static uint32_t *place_steps(struct aligning *aligning, struct dg_arena *memory)
{
    const struct dg_schedule *program = aligning->program;
    const bool *needed = find_needed(program, memory);
    uint32_t *of = dg_alloc(memory, program->n_steps + 1, sizeof(*of));
    uint32_t *of_origin = dg_alloc(memory, program->n_steps + 2, sizeof(*of_origin));

    for (size_t i = 0; i < program->n_steps; i++) {
        uint32_t origin = program->steps[i].origin;
        bool is_known = aligning->by_origin && origin && origin <= program->n_steps;

        of[i] = NOWHERE;
        if (!needed[i])
            continue;
        of[i] = is_known && of_origin[origin] ? of_origin[origin] - 1
                                              : (uint32_t)aligning->n_places++;
        if (is_known)
            of_origin[origin] = of[i] + 1;
    }
    return of;
}

static void number_places(struct aligning *aligning, struct dg_arena *memory)
{
    size_t n_steps = aligning->program->n_steps;
    const uint32_t *of = place_steps(aligning, memory);
    uint32_t *steps = dg_alloc(memory, n_steps + 1, sizeof(*steps)), next = 0;

    aligning->places =
        dg_alloc(memory, aligning->n_places + 1, sizeof(*aligning->places));
    for (size_t i = 0; i < n_steps; i++) {
        if (of[i] != NOWHERE)
            aligning->places[of[i]].n++;
    }
    for (size_t i = 0; i < aligning->n_places; i++) {
        aligning->places[i].steps = steps + next;
        next += aligning->places[i].n;
        aligning->places[i].n = 0;
    }
    for (uint32_t i = 0; i < n_steps; i++) {
        if (of[i] != NOWHERE) {
            struct place *place = &aligning->places[of[i]];

            steps[place->steps - steps + place->n++] = i;
        }
    }
}

/* How well a group stands at a place. Equal weights say most, what computes says more
 * than what moves; an operator that no kind stands for was taken apart. */
enum { WEIGHS = 32, COMPUTES = 8, MOVES = 2, TAKEN_APART = 1, GONE = 1 };

static int worth_of_node(const struct aligning *aligning, uint32_t node, uint32_t step,
                         const char *word)
{
    const struct dg_step *lowered = &aligning->lowered->steps[node];

    if (!dg_step_may_be(lowered, word))
        return 0;
    if (dg_step_moves(lowered))
        return MOVES;
    return aligning->weights[step] &&
                   aligning->weights[step] == aligning->lowered_weights[node]
               ? WEIGHS
               : COMPUTES;
}

/* What brings the codes of a node into floats, or the other way round, stands wherever
 * there is such a step: of a group that has another node it says nothing. */
static bool says_nothing(const struct aligning *aligning,
                         const struct dg_handle_group *group, uint32_t i)
{
    const struct dg_step *steps = aligning->lowered->steps;
    bool others = false;

    for (uint32_t k = 0; k < group->n && !others; k++)
        others = !dg_step_converts(&steps[group->steps[k]]);
    return others && dg_step_converts(&steps[group->steps[i]]);
}

static int worth_of_step(const struct aligning *aligning,
                         const struct dg_handle_group *group, uint32_t step)
{
    int most = 0;
    char word[64];

    if (!dg_step_word(&aligning->program->steps[step], word))
        return 0;
    for (uint32_t i = 0; i < group->n; i++) {
        int one = says_nothing(aligning, group, i)
                      ? 0
                      : worth_of_node(aligning, group->steps[i], step, word);

        most = one > most ? one : most;
    }
    return most || dg_xnn_has_kind_of(word) ? most : TAKEN_APART;
}

enum { STEPS_MOST = 16 }; /* of one place that are looked at: there are three */

/* The best of the steps of a place, and which that is. */
static int worth(const struct aligning *aligning, const struct dg_handle_group *group,
                 size_t at, uint32_t *step)
{
    const struct place *place = &aligning->places[at];
    int most = 0;

    for (uint32_t i = 0; i < place->n && i < STEPS_MOST; i++) {
        int one = worth_of_step(aligning, group, place->steps[i]);

        if (one > most) {
            most = one;
            *step = place->steps[i];
        }
    }
    return most;
}

/* Nodes of the program that were left out make the distance of place and number grow,
 * never shrink. Of all such the best, by dynamic programming over the groups and how
 * many are gone so far. */
static void align_group(struct aligning *aligning, const struct dg_handle_group *group,
                        uint32_t *before)
{
    int64_t most = INT64_MIN / 2; /* with fewer that are gone, `from` of them */
    uint32_t from = 0, step;

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
        if (place < aligning->n_places)
            aligning->best[gone] += worth(aligning, group, place, &step);
    }
}

enum { CELLS_MOST = 1 << 22 }; /* nodes of groups, times places that may be gone */

static void align(struct aligning *aligning, const struct dg_handle_group *groups,
                  size_t n, struct dg_arena *memory)
{
    size_t n_nodes = 1;

    for (size_t i = 0; i < n; i++)
        n_nodes += groups[i].n;
    aligning->n_gone = aligning->n_places + 1;
    if (aligning->n_gone > CELLS_MOST / n_nodes)
        aligning->n_gone = CELLS_MOST / n_nodes + 1;
    aligning->best = dg_alloc(memory, aligning->n_gone, sizeof(*aligning->best));
    aligning->before = dg_alloc(memory, n * aligning->n_gone + 1, sizeof(uint32_t));
    for (size_t i = 0; i < n; i++)
        align_group(aligning, &groups[i], aligning->before + i * aligning->n_gone);
}

/* How many places were gone, in all, when the last group was placed. */
static uint32_t best_end(const struct aligning *aligning)
{
    uint32_t gone = 0;

    for (uint32_t i = 1; i < aligning->n_gone; i++) {
        if (aligning->best[i] > aligning->best[gone])
            gone = i;
    }
    return gone;
}

/* From the last group on: *gone of each, and the step that it stands for. */
static void walk_back(const struct aligning *aligning,
                      const struct dg_handle_group *groups, size_t n, uint32_t *gone,
                      struct dg_handle_place *places)
{
    uint32_t now = best_end(aligning);

    for (size_t i = n; i--;) {
        size_t place = (size_t)groups[i].handle - 1 + now;

        places[i].step = DG_NO_STEP;
        gone[i] = place < aligning->n_places &&
                          worth(aligning, &groups[i], place, &places[i].step)
                      ? now
                      : NOWHERE;
        now = aligning->before[i * aligning->n_gone + now];
    }
}

static struct aligning aligned(const struct aligning *given, bool by_origin,
                               const struct dg_handle_group *groups, size_t n,
                               struct dg_arena *memory)
{
    struct aligning aligning = *given;

    aligning.by_origin = by_origin;
    number_places(&aligning, memory);
    align(&aligning, groups, n, memory);
    return aligning;
}

/* The better of both ways to number the program. */
static struct aligning best_aligned(const struct aligning *given,
                                    const struct dg_handle_group *groups, size_t n,
                                    struct dg_arena *memory)
{
    struct aligning by_origin = aligned(given, true, groups, n, memory);
    struct aligning by_step = aligned(given, false, groups, n, memory);

    return by_step.best[best_end(&by_step)] > by_origin.best[best_end(&by_origin)]
               ? by_step
               : by_origin;
}

struct dg_handle_place *dg_handle_places(const struct dg_schedule *program,
                                         const struct dg_schedule *lowered,
                                         const struct dg_handle_group *groups, size_t n,
                                         struct dg_arena *memory)
{
    struct dg_handle_place *places = dg_alloc(memory, n + 1, sizeof(*places));
    uint32_t *gone = dg_alloc(memory, n + 1, sizeof(*gone));
    struct aligning aligning = {.program = program, .lowered = lowered};

    if (!n)
        return places;
    aligning.weights = dg_weight_hashes(program, memory);
    aligning.lowered_weights = dg_weight_hashes(lowered, memory);
    aligning = best_aligned(&aligning, groups, n, memory);
    walk_back(&aligning, groups, n, gone, places);
    for (size_t i = 0; i < n; i++) {
        places[i].is_sure = i && i + 1 < n && gone[i] != NOWHERE &&
                            gone[i - 1] == gone[i] && gone[i + 1] == gone[i];
    }
    return places;
}
