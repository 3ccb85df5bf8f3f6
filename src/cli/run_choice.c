/* Which steps of a program a user means: a partition, a range, a neighbourhood. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/text.h"
#include "cli/run_program.h"
#include "exec/slice.h"

#define NEWEST " part_run_id = (SELECT max(id) FROM part_run)"

static int by_node(const void *a, const void *b)
{
    const struct dg_step *x = *(const struct dg_step *const *)a;
    const struct dg_step *y = *(const struct dg_step *const *)b;

    return (x->node_id > y->node_id) - (x->node_id < y->node_id);
}

/* The steps in the order of their nodes' rows. */
static const struct dg_step **steps_by_node(const struct dg_schedule *schedule,
                                            struct dg_arena *memory)
{
    const struct dg_step **steps =
        dg_alloc(memory, schedule->n_steps + 1, sizeof(*steps));

    for (size_t i = 0; i < schedule->n_steps; i++)
        steps[i] = &schedule->steps[i];
    dg_sort(steps, schedule->n_steps, sizeof(*steps), by_node);
    return steps;
}

enum dg_status dg_run_partitions(const struct dg_run_program *program,
                                 int64_t *partition_of, bool *found,
                                 struct dg_error *err)
{
    const struct dg_schedule *schedule = &program->schedule;
    struct dg_arena memory = {0};
    const struct dg_step **steps = steps_by_node(schedule, &memory);
    struct dg_rows rows;
    enum dg_status status;

    *found = false;
    for (size_t i = 0; i < schedule->n_steps; i++)
        partition_of[i] = -1;
    status = dg_rows_open(&rows, program->input.store,
                          "SELECT partition_id, node_id FROM partition_node"
                          " JOIN partition ON partition.id = partition_id WHERE" NEWEST,
                          err);
    while (!status && dg_rows_next(&rows)) {
        struct dg_step wanted = {.node_id = dg_rows_int(&rows, 1)}, *key = &wanted;
        const struct dg_step **step =
            dg_search(&key, steps, schedule->n_steps, sizeof(*steps), by_node);

        if (step) {
            partition_of[*step - schedule->steps] = dg_rows_int(&rows, 0);
            *found = true;
        }
    }
    if (!status)
        status = dg_rows_close(&rows, DG_OK, err);
    dg_arena_clear(&memory);
    return status;
}

/* No such partition: which ones are there? */
static enum dg_status miss_partition(struct dg_store *store, const char *tag,
                                     struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store,
                     "SELECT group_concat(tag, ', ') FROM"
                     " (SELECT tag FROM partition WHERE" NEWEST " ORDER BY id LIMIT 8)",
                     err);

    if (status)
        return status;
    if (!dg_rows_next(&rows) || dg_rows_null(&rows, 0))
        status = dg_fail(err, DG_ERR_USAGE,
                         "no partition \"%.80s\": the program has no tags; give a plan "
                         "by --plan FILE",
                         tag);
    else
        status = dg_fail(
            err, DG_ERR_USAGE, "no partition \"%.80s\" in the plan, which has %.*s",
            tag, (int)dg_rows_slice(&rows, 0).size, dg_rows_slice(&rows, 0).data);
    dg_rows_close(&rows, DG_OK, &(struct dg_error){0});
    return status;
}

static enum dg_status choose_partition(const struct dg_run_program *program,
                                       const char *tag, bool *chosen,
                                       struct dg_arena *memory, struct dg_error *err)
{
    const struct dg_schedule *schedule = &program->schedule;
    int64_t *partition_of =
        dg_alloc(memory, schedule->n_steps + 1, sizeof(*partition_of));
    int64_t wanted = -1;
    struct dg_rows rows;
    bool found;
    enum dg_status status = dg_run_partitions(program, partition_of, &found, err);

    if (!status)
        status =
            dg_rows_open(&rows, program->input.store,
                         "SELECT id FROM partition WHERE tag = ?1 AND" NEWEST, err);
    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(tag));
    if (dg_rows_next(&rows))
        wanted = dg_rows_int(&rows, 0);
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status && wanted < 0)
        status = miss_partition(program->input.store, tag, err);
    for (size_t i = 0; i < schedule->n_steps; i++)
        chosen[i] = partition_of[i] == wanted;
    return status;
}

/* The step of that name; where none has it, the error names one that is near. */
static enum dg_status find_step(const struct dg_schedule *schedule, const char *name,
                                size_t *step, struct dg_error *err)
{
    const char **names = NULL, *near;
    size_t n = 0;

    for (*step = 0; *step < schedule->n_steps; ++*step) {
        const char *candidate = schedule->steps[*step].name;

        if (candidate && !strcmp(candidate, name))
            break;
        if (candidate)
            *DG_APPEND(names, n) = candidate;
    }
    near = dg_nearest(name, names, n);
    free(names);
    if (*step < schedule->n_steps)
        return DG_OK;
    if (!near && strchr(name, '/'))
        return dg_fail(err, DG_ERR_USAGE,
                       "no node \"%.80s\": what is inside of a delegate is of the .pte;"
                       " delegraph show FILE.pte %.80s --program FILE.pt2 says which"
                       " node of this program it came from",
                       name, name);
    return dg_fail(err, DG_ERR_USAGE, "no node \"%.80s\"%s%s%s", name,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static enum dg_status choose_range(const struct dg_schedule *schedule,
                                   const char *nodes, bool *chosen,
                                   struct dg_arena *memory, struct dg_error *err)
{
    const char *dots = strstr(nodes, "..");
    size_t first, last;
    enum dg_status status;

    if (!dots || dots == nodes || !dots[2])
        return dg_fail(err, DG_ERR_USAGE,
                       "--nodes %.80s: expected two nodes, FIRST..LAST", nodes);
    status = find_step(schedule,
                       dg_copy(memory, (struct dg_text){nodes, (size_t)(dots - nodes)}),
                       &first, err);
    if (!status)
        status = find_step(schedule, dots + 2, &last, err);
    if (!status && first > last)
        status = dg_fail(err, DG_ERR_USAGE,
                         "--nodes %.80s: the first one runs behind the last", nodes);
    for (size_t i = 0; !status && i < schedule->n_steps; i++)
        chosen[i] = i >= first && i <= last;
    return status;
}

/* Neighbours by the slots that they share. */
struct spread {
    const struct dg_schedule *schedule;
    bool *chosen, *touched; /* by step; by slot */
    bool hit;
};

static void touch(void *data, uint32_t slot)
{
    struct spread *spread = data;

    if (spread->schedule->slots[slot].kind == DG_SLOT_COMPUTED)
        spread->touched[slot] = true;
}

static void look(void *data, uint32_t slot)
{
    struct spread *spread = data;

    spread->hit = spread->hit || spread->touched[slot];
}

static enum dg_status choose_around(const struct dg_schedule *schedule,
                                    const char *name, int64_t hops, bool *chosen,
                                    struct dg_arena *memory, struct dg_error *err)
{
    struct spread spread = {schedule, chosen, NULL, false};
    size_t center;
    enum dg_status status = find_step(schedule, name, &center, err);

    if (status)
        return status;
    chosen[center] = true;
    spread.touched = dg_alloc(memory, schedule->n_slots + 1, sizeof(*spread.touched));
    for (int64_t hop = 0; hop < hops && hop < (int64_t)schedule->n_steps; hop++) {
        for (size_t i = 0; i < schedule->n_steps; i++) {
            if (!chosen[i])
                continue;
            dg_step_reads(&schedule->steps[i], touch, &spread);
            for (size_t k = 0; k < schedule->steps[i].n_results; k++)
                touch(&spread, schedule->steps[i].results[k]);
        }
        for (size_t i = 0; i < schedule->n_steps; i++) {
            spread.hit = false;
            dg_step_reads(&schedule->steps[i], look, &spread);
            for (size_t k = 0; k < schedule->steps[i].n_results; k++)
                look(&spread, schedule->steps[i].results[k]);
            chosen[i] = chosen[i] || spread.hit;
        }
    }
    return DG_OK;
}

enum dg_status dg_run_choose(const struct dg_run_program *program,
                             const struct dg_run_choice *choice, bool *chosen,
                             const char **part, struct dg_arena *memory,
                             struct dg_error *err)
{
    const struct dg_schedule *schedule = &program->schedule;
    int64_t hops;

    if (!!choice->partition + !!choice->nodes + !!choice->around > 1)
        return dg_fail(err, DG_ERR_USAGE,
                       "--partition, --nodes and --around exclude one another");
    if (choice->partition) {
        *part = dg_format(memory, "partition %s", choice->partition).data;
        return choose_partition(program, choice->partition, chosen, memory, err);
    }
    if (choice->nodes) {
        *part = dg_format(memory, "nodes %s", choice->nodes).data;
        return choose_range(schedule, choice->nodes, chosen, memory, err);
    }
    hops = choice->hops < 0 ? 1 : choice->hops;
    *part =
        dg_format(memory, "%lld hops around %s", (long long)hops, choice->around).data;
    return choose_around(schedule, choice->around, hops, chosen, memory, err);
}
