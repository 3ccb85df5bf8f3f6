/* Debug handles of nodes inside of delegates, and the steps of the exported program
 * that have these numbers. ExecuTorch numbers the nodes of a program from 1 on in their
 * order, those that are left in its edge dialect, all that came from one node of the
 * first export alike, and hands the numbers on to all that lowering makes of a node
 * (exir/passes/debug_handle_generator_pass.py). */
#include "base/sorted.h"
#include "exec/match_worth.h"

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

/* Where groups stand. The number of a place less a handle is the shift: places that are
 * gone make it grow, nodes that lowering added, and that no step stands for, make it
 * shrink. */
struct aligning {
    struct dg_sides sides;
    struct dg_numbered *places; /* in the order of their first steps */
    size_t n_places;
    uint32_t n_added; /* how many nodes may be added */
    size_t n_shifts;  /* the first is by -n_added */
    int64_t *best;    /* by shift: of the groups so far */
    uint32_t *before; /* by group and shift: the shift of the group before */
};

enum { NOWHERE = UINT32_MAX };
enum { SHIFTS = 1 }; /* what a change of the shift costs */

/* The place of a handle; what is none is none of the n_places. */
static size_t place_at(const struct aligning *aligning, uint32_t handle, uint32_t shift)
{
    return (size_t)handle - 1 + shift - aligning->n_added;
}

/* Of larger shifts the best from which so many nodes, that have handles between those
 * of the two groups, lead here. */
static uint32_t best_of_larger(const struct aligning *aligning, uint32_t shift,
                               uint32_t between)
{
    uint32_t best = shift;

    for (uint32_t more = 1; more <= between && more <= aligning->n_added &&
                            shift + more < aligning->n_shifts;
         more++) {
        if (aligning->best[shift + more] > aligning->best[best])
            best = shift + more;
    }
    return best;
}

/* Of all ways to shift the groups the best, by dynamic programming over the groups and
 * their shifts. `between`: how many handles no group has, before this one. */
static void align_group(struct aligning *aligning, const struct dg_handle_group *group,
                        uint32_t between, uint32_t *before)
{
    int64_t most = INT64_MIN / 2; /* of smaller shifts; it is that of `from` */
    uint32_t from = 0, step;

    for (uint32_t shift = 0; shift < aligning->n_shifts; shift++) {
        size_t place = place_at(aligning, group->handle, shift);
        uint32_t larger = best_of_larger(aligning, shift, between);
        int64_t same = aligning->best[shift], other = aligning->best[larger];
        bool shrinks = other > most;
        int64_t shifted = (shrinks ? other : most) - SHIFTS;

        before[shift] = shifted <= same ? shift : shrinks ? larger : from;
        if (shifted > same)
            aligning->best[shift] = shifted;
        if (same > most) {
            most = same;
            from = shift;
        }
        if (place < aligning->n_places)
            aligning->best[shift] +=
                dg_worth(&aligning->sides, group, &aligning->places[place], &step);
    }
}

enum { CELLS_MOST = 1 << 22 }; /* nodes of groups, times shifts */

static void align(struct aligning *aligning, const struct dg_handle_group *groups,
                  size_t n, struct dg_arena *memory)
{
    size_t n_nodes = 1;

    for (size_t i = 0; i < n; i++)
        n_nodes += groups[i].n;
    aligning->n_shifts = aligning->n_places + aligning->n_added + 1;
    if (aligning->n_shifts > CELLS_MOST / n_nodes)
        aligning->n_shifts = CELLS_MOST / n_nodes + aligning->n_added + 1;
    aligning->best = dg_alloc(memory, aligning->n_shifts, sizeof(*aligning->best));
    aligning->before = dg_alloc(memory, n * aligning->n_shifts + 1, sizeof(uint32_t));
    for (uint32_t shift = 0; shift < aligning->n_added; shift++)
        aligning->best[shift] = -SHIFTS;
    for (size_t i = 0; i < n; i++)
        align_group(aligning, &groups[i],
                    i ? groups[i].handle - groups[i - 1].handle - 1 : 0,
                    aligning->before + i * aligning->n_shifts);
}

/* The shift of the last group; of equal ones that by which the least was added. */
static uint32_t best_end(const struct aligning *aligning)
{
    uint32_t best = aligning->n_added;

    for (uint32_t i = best + 1; i < aligning->n_shifts; i++) {
        if (aligning->best[i] > aligning->best[best])
            best = i;
    }
    for (uint32_t i = aligning->n_added; i--;) {
        if (aligning->best[i] > aligning->best[best])
            best = i;
    }
    return best;
}

/* Where a group was put, and how well it stands there. */
struct standing {
    uint32_t shift; /* NOWHERE: at none of the places */
    int worth;
};

/* From the last group on: the shift of each, and the step that it stands for. */
static void walk_back(const struct aligning *aligning,
                      const struct dg_handle_group *groups, size_t n,
                      struct standing *standings, struct dg_handle_place *places)
{
    uint32_t now = best_end(aligning);

    for (size_t i = n; i--;) {
        size_t at = place_at(aligning, groups[i].handle, now);
        const struct dg_numbered *place =
            at < aligning->n_places ? &aligning->places[at] : NULL;

        places[i].step = DG_NO_STEP;
        standings[i].worth =
            place ? dg_worth(&aligning->sides, &groups[i], place, &places[i].step) : 0;
        standings[i].shift = standings[i].worth ? now : NOWHERE;
        places[i].is_part = standings[i].worth && place->n > 1;
        places[i].is_taken_apart =
            standings[i].worth && dg_place_is_taken_apart(&aligning->sides, place);
        now = aligning->before[i * aligning->n_shifts + now];
    }
}

enum { ADDED_MOST = 32 };

static uint32_t n_of_numbers(const struct dg_schedule *schedule, const bool *needed)
{
    uint32_t n = 0;

    for (size_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_kernel *kernel = schedule->steps[i].kernel;

        n += kernel && kernel->types == DG_TYPES_NONE && (!needed || needed[i]);
    }
    return n;
}

/* The sizes of what is dynamic, and what is computed of them, are nodes of the edge
 * dialect also where the program does without: as many as it has too few of. */
static uint32_t n_added(const struct aligning *aligning, struct dg_arena *memory)
{
    uint32_t now = n_of_numbers(aligning->sides.lowered, NULL);
    uint32_t before = n_of_numbers(aligning->sides.program,
                                   dg_needed_steps(aligning->sides.program, memory));
    uint32_t n = now > before ? now - before : 0;

    return n < ADDED_MOST ? n : ADDED_MOST;
}

static struct aligning aligned(const struct aligning *given, bool by_origin,
                               const struct dg_handle_group *groups, size_t n,
                               struct dg_arena *memory)
{
    struct aligning aligning = *given;

    aligning.places =
        dg_number_steps(given->sides.program, by_origin, &aligning.n_places, memory);
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

/* Whether nothing is gone between a group and the one beside it. At an end of the
 * program, where there is none, the other one has to be like a step of its place. */
static bool is_beside(const struct aligning *aligning,
                      const struct dg_handle_group *groups, size_t n,
                      const struct standing *standings, size_t i, size_t beside)
{
    size_t place = place_at(aligning, groups[i].handle, standings[i].shift);

    if (beside < n)
        return standings[beside].shift == standings[i].shift;
    beside = i ? i - 1 : i + 1;
    return place == (i ? aligning->n_places - 1 : 0) && beside < n &&
           standings[beside].worth > DG_TAKEN_APART;
}

struct dg_handle_place *dg_handle_places(const struct dg_schedule *program,
                                         const struct dg_schedule *lowered,
                                         const struct dg_handle_group *groups, size_t n,
                                         struct dg_arena *memory)
{
    struct dg_handle_place *places = dg_alloc(memory, n + 1, sizeof(*places));
    struct standing *standings = dg_alloc(memory, n + 1, sizeof(*standings));
    struct aligning aligning = {.sides = {program, lowered}};

    if (!n)
        return places;
    aligning.sides.weights = dg_weight_hashes(program, memory);
    aligning.sides.lowered_weights = dg_weight_hashes(lowered, memory);
    aligning.n_added = n_added(&aligning, memory);
    aligning = best_aligned(&aligning, groups, n, memory);
    walk_back(&aligning, groups, n, standings, places);
    for (size_t i = 0; i < n; i++)
        places[i].is_sure = standings[i].worth &&
                            is_beside(&aligning, groups, n, standings, i, i - 1) &&
                            is_beside(&aligning, groups, n, standings, i, i + 1);
    return places;
}
