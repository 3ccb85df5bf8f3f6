/* Which inputs, outputs and steps of two programs belong together. */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "exec/inputs.h"
#include "exec/match_parts.h"

bool dg_is_user_input(const struct dg_io *io)
{
    return !io->spec || !strcmp(io->spec, "user_input");
}

static size_t next_io(const struct dg_io *ios, size_t n_ios, size_t from,
                      bool (*wanted)(const struct dg_io *))
{
    while (from < n_ios && !wanted(&ios[from]))
        from++;
    return from;
}

/* Pair inputs or outputs of the user in their order: to[i] of `ours` is a number of
 * `theirs`. */
static enum dg_status pair(size_t *to, const struct dg_io *ours, size_t n_ours,
                           const struct dg_io *theirs, size_t n_theirs,
                           bool (*wanted)(const struct dg_io *))
{
    size_t there = next_io(theirs, n_theirs, 0, wanted);
    bool all = true;

    for (size_t i = 0; i < n_ours; i++) {
        to[i] = SIZE_MAX;
        if (!wanted(&ours[i]))
            continue;
        if (there < n_theirs) {
            to[i] = there;
            there = next_io(theirs, n_theirs, there + 1, wanted);
        } else {
            all = false;
        }
    }
    return all && there == n_theirs ? DG_OK : DG_ERR_USAGE;
}

static size_t count_ios(const struct dg_io *ios, size_t n,
                        bool (*wanted)(const struct dg_io *))
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += wanted(&ios[i]);
    return count;
}

/* What a step is matched by: its name between graphs, its operator and how many of
 * that came before otherwise. */
struct key {
    const char *text;
    uint32_t step;
};

static int by_text(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order ? order : (x->step > y->step) - (x->step < y->step);
}

static struct key *keys_of(const struct dg_schedule *schedule, bool by_name, size_t *n,
                           struct dg_arena *memory)
{
    struct key *keys = dg_alloc(memory, schedule->n_steps + 1, sizeof(*keys));

    *n = 0;
    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_step *step = &schedule->steps[i];
        const char *text = by_name        ? step->name
                           : step->kernel ? step->kernel->op
                                          : NULL;

        if (text)
            keys[(*n)++] = (struct key){text, i};
    }
    dg_sort(keys, *n, sizeof(*keys), by_text);
    return keys;
}

static size_t run_of(const struct key *keys, size_t n, size_t from)
{
    size_t end = from;

    while (end < n && !strcmp(keys[end].text, keys[from].text))
        end++;
    return end - from;
}

/* A count, or a place from the start: those from the end, and what stands for the end,
 * are said in several ways. */
static bool is_plain(const struct dg_operand *operand)
{
    return operand->kind == DG_OPERAND_LITERAL && operand->literal.kind == DG_ARG_INT &&
           operand->literal.as.integer >= 0 && operand->literal.as.integer < INT32_MAX;
}

static bool have_same_numbers(const struct dg_step *a, const struct dg_step *b)
{
    for (size_t i = 0; i < a->n_args && i < b->n_args; i++) {
        if (is_plain(&a->args[i]) && is_plain(&b->args[i]) &&
            a->args[i].literal.as.integer != b->args[i].literal.as.integer)
            return false;
    }
    return true;
}

static bool same_op(const struct dg_step *a, const struct dg_step *b)
{
    return a->kind == b->kind && a->kernel == b->kernel && have_same_numbers(a, b);
}

static bool have_same_bytes(const struct dg_tensor *a, const struct dg_tensor *b)
{
    return a->type == b->type && dg_tensor_same_shape(a, b) &&
           dg_tensor_contiguous(a) && dg_tensor_contiguous(b) &&
           !memcmp(dg_tensor_data(a), dg_tensor_data(b),
                   (size_t)dg_tensor_count(a) * dg_type_bytes(a->type));
}

/* How many arguments are the same bytes in both files; -1: one has another shape. */
int dg_equal_constants(const struct dg_schedule *schedule, const struct dg_step *a,
                       const struct dg_schedule *other, const struct dg_step *b)
{
    int n = 0;

    for (size_t i = 0; i < a->n_args && i < b->n_args; i++) {
        const struct dg_tensor *ours = dg_stored_operand(schedule, &a->args[i]);
        const struct dg_tensor *theirs = dg_stored_operand(other, &b->args[i]);

        if (ours && theirs && !dg_tensor_same_shape(ours, theirs))
            return -1;
        n += ours && theirs && have_same_bytes(ours, theirs);
    }
    return n;
}

enum {
    RUN_MOST = 64
}; /* of steps of one operator that are told apart by their constants */

/* Steps with equal constants belong together; the rest in their order. */
static void match_run(struct dg_matching *matching, const struct dg_schedule *schedule,
                      const struct key *ours, const struct dg_schedule *other,
                      const struct key *theirs, size_t n)
{
    bool taken[RUN_MOST] = {false};
    size_t next = 0;

    for (size_t i = 0; i < n; i++) {
        const struct dg_step *step = &schedule->steps[ours[i].step];

        for (size_t k = 0; k < n; k++) {
            if (!taken[k] &&
                dg_equal_constants(schedule, step, other,
                                   &other->steps[theirs[k].step]) > 0 &&
                same_op(step, &other->steps[theirs[k].step])) {
                matching->steps[ours[i].step] = theirs[k].step;
                taken[k] = true;
                break;
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        const struct dg_step *step = &schedule->steps[ours[i].step];

        if (matching->steps[ours[i].step] != DG_NO_STEP)
            continue;
        while (taken[next])
            next++;
        if (same_op(step, &other->steps[theirs[next].step]) &&
            dg_equal_constants(schedule, step, other,
                               &other->steps[theirs[next].step]) >= 0)
            matching->steps[ours[i].step] = theirs[next].step;
        next++;
    }
}

/* Equal texts as often here as there are pairs in their order. */
static void match_steps(struct dg_matching *matching,
                        const struct dg_schedule *schedule,
                        const struct dg_schedule *other, struct dg_arena *memory)
{
    bool by_name = !schedule->is_pte && !other->is_pte;
    size_t n_a, n_b, a = 0, b = 0;
    struct key *ours = keys_of(schedule, by_name, &n_a, memory);
    struct key *theirs = keys_of(other, by_name, &n_b, memory);

    while (a < n_a && b < n_b) {
        int order = strcmp(ours[a].text, theirs[b].text);
        size_t run_a = run_of(ours, n_a, a), run_b = run_of(theirs, n_b, b);

        if (!order && run_a == run_b && run_a <= RUN_MOST && !by_name)
            match_run(matching, schedule, ours + a, other, theirs + b, run_a);
        for (size_t k = 0;
             !order && run_a == run_b && (by_name || run_a > RUN_MOST) && k < run_a;
             k++) {
            if (same_op(&schedule->steps[ours[a + k].step],
                        &other->steps[theirs[b + k].step]))
                matching->steps[ours[a + k].step] = theirs[b + k].step;
        }
        a += order <= 0 ? run_a : 0;
        b += order >= 0 ? run_b : 0;
    }
}

uint32_t *dg_hosts_of(const struct dg_matching *matching,
                      const struct dg_schedule *schedule,
                      const struct dg_schedule *lowered, struct dg_arena *memory)
{
    uint32_t *hosts = dg_alloc(memory, lowered->n_steps + 1, sizeof(*hosts));

    memset(hosts, 0xff, lowered->n_steps * sizeof(*hosts));
    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        if (matching->steps[i] != DG_NO_STEP)
            hosts[lowered == schedule ? i : matching->steps[i]] =
                lowered == schedule ? matching->steps[i] : i;
    }
    return hosts;
}

/* Debug handles say it of nodes inside of delegates, when one of the two was not
 * lowered. */
static void match_inside(struct dg_matching *matching,
                         const struct dg_schedule *schedule,
                         const struct dg_schedule *other, struct dg_arena *memory)
{
    const struct dg_schedule *lowered = schedule->is_pte ? schedule : other;
    struct dg_handle_match *matches =
        dg_alloc(memory, lowered->n_steps + 1, sizeof(*matches));
    size_t n = 0;

    if (schedule->is_pte != other->is_pte)
        dg_match_handles(matches, &n, lowered == other ? schedule : other, lowered,
                         dg_hosts_of(matching, schedule, lowered, memory), NULL,
                         memory);
    for (size_t i = 0; i < n; i++) {
        uint32_t ours = lowered == other ? matches[i].program : matches[i].lowered;

        matching->joint[ours] = matches[i].is_joint;
        matching->doubtful[ours] = matches[i].is_doubtful;
        matching->firsts[ours] = lowered == other ? matches[i].first : DG_NO_STEP;
        matching->named[ours] =
            lowered == other ? matches[i].named : matches[i].program;
        matching->steps[ours] =
            lowered == other ? matches[i].lowered : matches[i].program;
    }
}

enum dg_status dg_match(struct dg_matching *matching,
                        const struct dg_schedule *schedule,
                        const struct dg_schedule *other, struct dg_arena *memory,
                        struct dg_error *err)
{
    matching->steps = dg_alloc(memory, schedule->n_steps + 1, sizeof(*matching->steps));
    memset(matching->steps, 0xff, schedule->n_steps * sizeof(*matching->steps));
    matching->doubtful =
        dg_alloc(memory, schedule->n_steps + 1, sizeof(*matching->doubtful));
    matching->joint = dg_alloc(memory, schedule->n_steps + 1, sizeof(*matching->joint));
    matching->firsts = dg_alloc(memory, schedule->n_steps + 1, sizeof(uint32_t));
    memset(matching->firsts, 0xff, schedule->n_steps * sizeof(uint32_t));
    matching->inputs = dg_alloc(memory, other->n_inputs + 1, sizeof(size_t));
    matching->outputs = dg_alloc(memory, schedule->n_outputs + 1, sizeof(size_t));
    if (pair(matching->inputs, other->inputs, other->n_inputs, schedule->inputs,
             schedule->n_inputs, dg_is_user_input))
        return dg_fail(
            err, DG_ERR_FORMAT,
            "the program to compare with has %zu inputs, this one %zu",
            count_ios(other->inputs, other->n_inputs, dg_is_user_input),
            count_ios(schedule->inputs, schedule->n_inputs, dg_is_user_input));
    matching->n_users =
        count_ios(schedule->outputs, schedule->n_outputs, dg_is_user_output);
    matching->n_other_users =
        count_ios(other->outputs, other->n_outputs, dg_is_user_output);
    pair(matching->outputs, schedule->outputs, schedule->n_outputs, other->outputs,
         other->n_outputs, dg_is_user_output);
    if (matching->n_users != matching->n_other_users)
        memset(matching->outputs, 0xff, schedule->n_outputs * sizeof(size_t));
    match_steps(matching, schedule, other, memory);
    dg_drop_strangers(matching, schedule, other,
                      memory); /* before it counts as known */
    matching->named = dg_alloc(memory, schedule->n_steps + 1, sizeof(uint32_t));
    if (schedule->n_steps)
        memcpy(matching->named, matching->steps, schedule->n_steps * sizeof(uint32_t));
    match_inside(matching, schedule, other, memory);
    dg_drop_strangers(matching, schedule, other, memory);
    return DG_OK;
}
