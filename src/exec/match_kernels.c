/* Which steps of the exported program kernel calls are: by the bytes that they read,
 * which are those of one step, and from there on by who reads whom. */
#include <stdlib.h>
#include <string.h>

#include "base/csr.h"
#include "base/sorted.h"
#include "exec/ancestry.h"
#include "exec/match_parts.h"

struct reading { /* of bytes that the file has */
    uint64_t hash;
    uint32_t step;
};

struct readings {
    struct reading *items;
    size_t n;
};

struct search {
    const struct dg_schedule *program, *lowered;
    struct dg_ancestry *ancestry;
    uint32_t *makers, *lowered_makers; /* by slot */
    bool *was_found;                   /* by step of the program: without these */
    uint32_t *results; /* by step, and behind those by input, of `lowered`: which of the
                          program gives the same; DG_NO_STEP */
    struct dg_csr readers, lowered_readers; /* steps by what they read first */
    const uint32_t *hosts; /* by step of `lowered`: which one it may be; DG_NO_STEP */
};

static bool is_kernel_call(const struct dg_step *step)
{
    return step->kernel && !step->xnnpack;
}

static struct readings readings_of(const struct dg_schedule *schedule,
                                   struct dg_byte_hashes *hashes,
                                   struct dg_arena *memory)
{
    struct readings readings = {0};

    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_step *step = &schedule->steps[i];

        for (size_t k = 0; k < step->n_args && is_kernel_call(step); k++) {
            uint64_t hash = dg_operand_hash(hashes, schedule, &step->args[k], memory);

            if (hash)
                *DG_APPEND(readings.items, readings.n) = (struct reading){hash, i};
        }
    }
    return readings;
}

static int by_hash(const void *a, const void *b)
{
    const struct reading *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

static size_t n_alike(const struct readings *readings, size_t first)
{
    size_t n = first;

    while (n < readings->n && readings->items[n].hash == readings->items[first].hash)
        n++;
    return n - first;
}

static void pair(struct dg_ancestry *ancestry, uint32_t step, uint32_t lowered)
{
    ancestry->came_from[lowered] = step;
    if (ancestry->became[step] == DG_NO_STEP || ancestry->became[step] < lowered)
        ancestry->became[step] = lowered;
}

/* Whether something may come from the step, and nothing was found yet: what reads
 * nothing else may be folded into what is read now. */
static bool is_open(const struct search *search, uint32_t step)
{
    return !search->was_found[step] &&
           dg_first_source(&search->program->steps[step], search->makers) != DG_NO_STEP;
}

/* Whether as many calls of one operator read some bytes as did before, like the ones of
 * norms. */
static bool are_alike(const struct search *search, const struct reading *ours,
                      const struct reading *theirs, size_t n)
{
    const struct dg_step *steps = search->program->steps;
    const struct dg_step *lowered = search->lowered->steps;

    for (size_t i = 0; i < n; i++) {
        if (!is_open(search, ours[i].step) ||
            search->ancestry->came_from[theirs[i].step] != DG_NO_STEP ||
            steps[ours[i].step].kernel != steps[ours[0].step].kernel ||
            lowered[theirs[i].step].kernel != lowered[theirs[0].step].kernel ||
            (i && (ours[i].step == ours[i - 1].step ||
                   theirs[i].step == theirs[i - 1].step)))
            return false;
    }
    return true;
}

/* What one step alone reads goes on in all that read it now; of several, in their
 * order. */
static void pair_readings(struct search *search, const struct reading *ours, size_t n,
                          const struct reading *theirs, size_t n_theirs)
{
    struct dg_ancestry *ancestry = search->ancestry;

    if (n == 1 ? !is_open(search, ours->step)
               : n != n_theirs || !are_alike(search, ours, theirs, n))
        return;
    for (size_t i = 0; i < n_theirs; i++) {
        if (ancestry->came_from[theirs[i].step] == DG_NO_STEP)
            pair(ancestry, ours[n == 1 ? 0 : i].step, theirs[i].step);
    }
}

static void pair_by_bytes(struct search *search, struct dg_arena *memory)
{
    struct dg_byte_hashes hashes = {0}, others = {0};
    struct readings ours = readings_of(search->program, &hashes, memory);
    struct readings theirs = readings_of(search->lowered, &others, memory);

    dg_sort(ours.items, ours.n, sizeof(*ours.items), by_hash);
    dg_sort(theirs.items, theirs.n, sizeof(*theirs.items), by_hash);
    for (size_t i = 0, k = 0, n; i < ours.n; i += n) {
        n = n_alike(&ours, i);
        while (k < theirs.n && theirs.items[k].hash < ours.items[i].hash)
            k++;
        if (k < theirs.n && theirs.items[k].hash == ours.items[i].hash)
            pair_readings(search, ours.items + i, n, theirs.items + k,
                          n_alike(&theirs, k));
    }
    free(ours.items);
    free(theirs.items);
    dg_byte_hashes_clear(&hashes);
    dg_byte_hashes_clear(&others);
}

static uint32_t result_of(const struct search *search, uint32_t maker)
{
    return maker == DG_NO_STEP ? DG_NO_STEP : search->results[maker];
}

/* How many arguments are known to be the same; -1: one is known to be another. */
static int n_alike_sources(const struct search *search, const struct dg_step *step,
                           const struct dg_step *lowered)
{
    int n = 0;

    for (size_t i = 0; i < lowered->n_args; i++) {
        uint32_t known =
            result_of(search, dg_maker_of(search->lowered_makers, lowered, i));

        if (known == DG_NO_STEP)
            continue;
        if (dg_maker_of(search->makers, step, i) != known)
            return -1;
        n++;
    }
    return n;
}

/* Whether no other call of that kernel begins with the same. */
static bool is_only_one(const struct search *search, uint32_t lowered, uint32_t source)
{
    const struct dg_step *steps = search->lowered->steps;
    const uint32_t *begins = search->lowered_readers.begins;
    uint32_t n = 0;

    if (begins[source + 1] - begins[source] > DG_READERS_MOST)
        return false;
    for (uint32_t k = begins[source]; k < begins[source + 1]; k++)
        n += steps[search->lowered_readers.items[k]].kernel == steps[lowered].kernel;
    return n == 1;
}

/* The only step of the program with its operator that begins with `source`; several:
 * none. */
static uint32_t reader_like(const struct search *search, const struct dg_step *lowered,
                            uint32_t source)
{
    const uint32_t *begins = search->readers.begins;
    uint32_t found = DG_NO_STEP;

    if (begins[source + 1] - begins[source] > DG_READERS_MOST)
        return DG_NO_STEP;
    for (uint32_t k = begins[source]; k < begins[source + 1]; k++) {
        uint32_t i = search->readers.items[k];

        if (search->program->steps[i].kernel != lowered->kernel)
            continue;
        if (found != DG_NO_STEP)
            return DG_NO_STEP;
        found = i;
    }
    return found != DG_NO_STEP && search->ancestry->became[found] == DG_NO_STEP &&
                   n_alike_sources(search, &search->program->steps[found], lowered) >= 0
               ? found
               : DG_NO_STEP;
}

static bool reads_only_weights(const struct dg_schedule *schedule,
                               const struct dg_step *step)
{
    size_t n = 0;

    for (size_t i = 0; i < step->n_args; i++) {
        if (step->args[i].kind == DG_OPERAND_LIST)
            return false;
        if (step->args[i].kind != DG_OPERAND_SLOT)
            continue;
        if (!dg_stored_operand(schedule, &step->args[i]))
            return false;
        n++;
    }
    return n > 0;
}

/* A weight that is turned first is turned for the step that reads it. */
static uint32_t turned_for(const struct search *search, const struct dg_step *lowered)
{
    uint32_t found = DG_NO_STEP;

    for (size_t i = 0; i < lowered->n_args; i++) {
        uint32_t maker = dg_maker_of(search->lowered_makers, lowered, i);

        if (maker < search->lowered->n_steps &&
            is_kernel_call(&search->lowered->steps[maker]) &&
            reads_only_weights(search->lowered, &search->lowered->steps[maker]))
            found = search->ancestry->came_from[maker];
    }
    return found;
}

/* The one that stands at its place among those with its operator, if what it reads is
 * known to be the same. */
static uint32_t host_of(const struct search *search, uint32_t lowered)
{
    uint32_t host = search->hosts[lowered];

    return host != DG_NO_STEP && search->ancestry->became[host] == DG_NO_STEP &&
                   n_alike_sources(search, &search->program->steps[host],
                                   &search->lowered->steps[lowered]) > 0
               ? host
               : DG_NO_STEP;
}

static uint32_t find_step(const struct search *search, uint32_t lowered)
{
    const struct dg_step *step = &search->lowered->steps[lowered];
    uint32_t source = dg_first_source(step, search->lowered_makers);
    uint32_t known = result_of(search, source), found = turned_for(search, step);

    if (found != DG_NO_STEP)
        return found;
    if (known == DG_NO_STEP)
        return host_of(search, lowered);
    return is_only_one(search, lowered, source) ? reader_like(search, step, known)
                                                : DG_NO_STEP;
}

static void find_inputs(struct search *search, struct dg_arena *memory)
{
    const uint32_t *inputs =
        dg_user_inputs_of(search->program, search->lowered, memory);

    for (uint32_t i = 0; i < search->program->n_inputs; i++) {
        if (inputs[i] != DG_NO_STEP)
            search->results[inputs[i]] = (uint32_t)search->program->n_steps + i;
    }
}

/* In the order of the calls, so that what they read is known by then. */
static void pair_by_sources(struct search *search)
{
    struct dg_ancestry *ancestry = search->ancestry;

    for (uint32_t i = 0; i < search->lowered->n_steps; i++) {
        const struct dg_step *step = &search->lowered->steps[i];
        uint32_t found = DG_NO_STEP;

        if (is_kernel_call(step) && ancestry->came_from[i] == DG_NO_STEP)
            found = find_step(search, i);
        if (found != DG_NO_STEP)
            pair(ancestry, found, i);
        if (ancestry->came_from[i] != DG_NO_STEP && is_kernel_call(step) &&
            ancestry->became[ancestry->came_from[i]] == i)
            search->results[i] = ancestry->came_from[i];
    }
}

void dg_match_kernels(struct dg_ancestry *ancestry, const struct dg_schedule *program,
                      const struct dg_schedule *lowered, const uint32_t *hosts,
                      struct dg_arena *memory)
{
    size_t n = lowered->n_steps + lowered->n_inputs;
    struct search search = {program,
                            lowered,
                            ancestry,
                            dg_makers_of(program, memory),
                            dg_makers_of(lowered, memory),
                            dg_alloc(memory, program->n_steps + 1, sizeof(bool)),
                            dg_alloc(memory, n + 1, sizeof(uint32_t)),
                            .hosts = hosts};

    for (size_t i = 0; i < program->n_steps; i++)
        search.was_found[i] = ancestry->became[i] != DG_NO_STEP;
    memset(search.results, 0xff, n * sizeof(*search.results));
    find_inputs(&search, memory);
    pair_by_bytes(&search, memory);
    search.readers = dg_readers_by_source(program, search.makers, memory);
    search.lowered_readers =
        dg_readers_by_source(lowered, search.lowered_makers, memory);
    for (uint32_t i = 0; i < program->n_steps; i++) {
        if (ancestry->became[i] !=
            DG_NO_STEP) /* of several, the last gives the result */
            search.results[ancestry->became[i]] = i;
    }
    pair_by_sources(&search);
}
