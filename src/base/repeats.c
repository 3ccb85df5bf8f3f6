/* All maximal repetitions of a row, as Bannai et al. find them ("The runs theorem",
 * 2017): each has a root that is a longest Lyndon word in the order of keys or in its
 * reverse, so that 2 n candidates are extended to both sides. */
#include "base/repeats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sorted.h"

/* Hashes of prefixes: those of two stretches are equal where the stretches are. */
struct row {
    const uint64_t *keys;
    size_t n_keys;
    uint64_t *prefix, *power;
};

struct maximal { /* repetition: keys[i] == keys[i + period] from begin to end - period
                  */
    size_t begin, end, period;
};

struct found {
    struct maximal *items;
    size_t n_items;
};

static void open_row(struct row *row, const uint64_t *keys, size_t n_keys)
{
    *row = (struct row){keys, n_keys, dg_zeroed(n_keys + 1, sizeof(*row->prefix)),
                        dg_zeroed(n_keys + 1, sizeof(*row->power))};
    row->power[0] = 1;
    for (size_t i = 0; i < n_keys; i++) {
        uint64_t key = (keys[i] ^ keys[i] >> 32) * 0x9e3779b97f4a7c15u;

        row->power[i + 1] = row->power[i] * 0xbf58476d1ce4e5b9u;
        row->prefix[i + 1] =
            row->prefix[i] * 0xbf58476d1ce4e5b9u + (key ^ key >> 29) + 1;
    }
}

static bool equal(const struct row *row, size_t a, size_t b, size_t size)
{
    return row->prefix[a + size] - row->prefix[a] * row->power[size] ==
           row->prefix[b + size] - row->prefix[b] * row->power[size];
}

/* How many keys from a and from b on are equal, of at most `most`. Steps double, so
 * that what differs soon costs little. */
static size_t equal_after(const struct row *row, size_t a, size_t b, size_t most)
{
    size_t done = 0, step = 1;

    while (done + step <= most && equal(row, a + done, b + done, step)) {
        done += step;
        step *= 2;
    }
    for (; step; step /= 2)
        if (done + step <= most && equal(row, a + done, b + done, step))
            done += step;
    return done;
}

/* The same for those before a and before b. */
static size_t equal_before(const struct row *row, size_t a, size_t b, size_t most)
{
    size_t done = 0, step = 1;

    while (done + step <= most && equal(row, a - done - step, b - done - step, step)) {
        done += step;
        step *= 2;
    }
    for (; step; step /= 2)
        if (done + step <= most && equal(row, a - done - step, b - done - step, step))
            done += step;
    return done;
}

/* Whether the suffix at a stands before the one at b, which is shorter. */
static bool stands_before(const struct row *row, size_t a, size_t b, bool reverse)
{
    size_t same =
        row->keys[a] == row->keys[b] ? equal_after(row, a, b, row->n_keys - b) : 0;

    return b + same < row->n_keys &&
           (row->keys[a + same] < row->keys[b + same]) != reverse;
}

static void extend(struct found *found, const struct row *row, size_t begin, size_t end,
                   size_t fewest)
{
    size_t period = end - begin;
    size_t before = equal_before(row, begin, end, begin);
    size_t after = equal_after(row, begin, end, row->n_keys - end);

    if (before + period + after >= fewest * period)
        *DG_APPEND(found->items, found->n_items) =
            (struct maximal){begin - before, end + after, period};
}

static void find_maximal(struct found *found, const struct row *row, bool reverse,
                         size_t fewest)
{
    size_t *ends =
        dg_zeroed(row->n_keys + 1, sizeof(*ends)); /* of the longest Lyndon words */

    for (size_t i = row->n_keys; i-- > 0;) {
        ends[i] = i + 1;
        while (ends[i] < row->n_keys && stands_before(row, i, ends[i], reverse))
            ends[i] = ends[ends[i]];
        extend(found, row, i, ends[i], fewest);
    }
    free(ends);
}

static int by_begin(const void *left, const void *right)
{
    const struct maximal *a = left, *b = right;

    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->period > b->period) - (a->period < b->period);
}

/* Each once, by where it begins. */
static void sort(struct found *found)
{
    size_t n_kept = 0;

    dg_sort(found->items, found->n_items, sizeof(*found->items), by_begin);
    for (size_t i = 0; i < found->n_items; i++)
        if (!i || by_begin(&found->items[i - 1], &found->items[i]))
            found->items[n_kept++] = found->items[i];
    found->n_items = n_kept;
}

/* What of a repetition can begin at a place. */
static struct dg_repeat run_at(const struct maximal *of, size_t begin,
                               struct dg_repeat_limits limits)
{
    struct dg_repeat run = {begin, of->period, (of->end - begin) / of->period};

    return run.times >= limits.fewest && run.times * run.period >= limits.shortest
               ? run
               : (struct dg_repeat){.begin = begin};
}

/* Those that have begun and are long enough for one more run, few at any place. */
struct active {
    struct maximal *items;
    size_t n_items;
};

static struct dg_repeat best_run(struct active *active, size_t begin,
                                 struct dg_repeat_limits limits)
{
    struct dg_repeat best = {.begin = begin};
    size_t n_kept = 0;

    for (size_t i = 0; i < active->n_items; i++) {
        const struct maximal of = active->items[i];
        struct dg_repeat run;

        if (of.end < begin + limits.fewest * of.period)
            continue;
        active->items[n_kept++] = of;
        run = run_at(&of, begin, limits);
        if (run.times * run.period > best.times * best.period ||
            (run.times * run.period == best.times * best.period &&
             run.period < best.period))
            best = run;
    }
    active->n_items = n_kept;
    return best;
}

/* Hashes that are equal by chance give no run. */
static bool repeats(const struct dg_repeat *run, const uint64_t *keys)
{
    size_t n_same = run->period * (run->times - 1);

    return !memcmp(keys + run->begin, keys + run->begin + run->period,
                   n_same * sizeof(*keys));
}

static struct dg_repeat *choose(size_t *n_runs, const struct found *found,
                                const uint64_t *keys, struct dg_repeat_limits limits)
{
    struct active active = {0};
    struct dg_repeat *runs = NULL;
    size_t place = 0;

    *n_runs = 0;
    for (size_t i = 0; i < found->n_items || active.n_items;) {
        struct dg_repeat best;

        if (!active.n_items && found->items[i].begin > place)
            place = found->items[i].begin;
        for (; i < found->n_items && found->items[i].begin <= place; i++)
            *DG_APPEND(active.items, active.n_items) = found->items[i];
        best = best_run(&active, place, limits);
        if (best.times && repeats(&best, keys)) {
            *DG_APPEND(runs, *n_runs) = best;
            place += best.period * best.times;
        } else {
            place++;
        }
    }
    free(active.items);
    return runs;
}

struct dg_repeat *dg_repeats_find(size_t *n_runs, const uint64_t *keys, size_t n_keys,
                                  struct dg_repeat_limits limits)
{
    struct found found = {0};
    struct dg_repeat *runs;
    struct row row;

    open_row(&row, keys, n_keys);
    find_maximal(&found, &row, false, limits.fewest);
    find_maximal(&found, &row, true, limits.fewest);
    free(row.prefix);
    free(row.power);
    sort(&found);
    runs = choose(n_runs, &found, keys, limits);
    free(found.items);
    return runs;
}

struct keyed {
    uint64_t key;
    size_t at;
};

static int by_key(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

size_t *dg_first_equal(const uint64_t *keys, size_t n_keys)
{
    struct keyed *keyed = dg_zeroed(n_keys + 1, sizeof(*keyed));
    size_t *first = dg_zeroed(n_keys + 1, sizeof(*first)), head = 0;

    for (size_t i = 0; i < n_keys; i++)
        keyed[i] = (struct keyed){keys[i], i};
    dg_sort(keyed, n_keys, sizeof(*keyed), by_key);
    for (size_t i = 0; i < n_keys; i++) {
        if (!i || keyed[i].key != keyed[i - 1].key)
            head = keyed[i].at;
        first[keyed[i].at] = head;
    }
    free(keyed);
    return first;
}
