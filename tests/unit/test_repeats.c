/* Repetition in rows of keys: against a search that tries all there is. */
#include <stdlib.h>

#include "base/repeats.h"
#include "unit/suite.h"

enum { MOST = 40 };

/* Of what begins at a key the run that covers most, of equals that of the shortest
 * period. */
static struct dg_repeat best_by_trying(const uint64_t *keys, size_t n_keys, size_t begin,
                                    struct dg_repeat_limits limits)
{
    struct dg_repeat best = {.begin = begin};

    for (size_t period = 1; period <= n_keys - begin; period++) {
        size_t same = 0, times;

        while (begin + same + period < n_keys &&
               keys[begin + same] == keys[begin + same + period])
            same++;
        times = same / period + 1;
        if (times >= limits.fewest && times * period >= limits.shortest &&
            times * period > best.times * best.period)
            best = (struct dg_repeat){begin, period, times};
    }
    return best;
}

static void check(const uint64_t *keys, size_t n_keys, struct dg_repeat_limits limits)
{
    size_t n_runs, at = 0;
    struct dg_repeat *runs = dg_repeats_find(&n_runs, keys, n_keys, limits);

    for (size_t i = 0; i < n_keys;) {
        struct dg_repeat best = best_by_trying(keys, n_keys, i, limits);

        if (!best.times) {
            i++;
            continue;
        }
        ck_assert_uint_lt(at, n_runs);
        ck_assert_uint_eq(runs[at].begin, best.begin);
        ck_assert_uint_eq(runs[at].period, best.period);
        ck_assert_uint_eq(runs[at].times, best.times);
        i += best.period * best.times;
        at++;
    }
    ck_assert_uint_eq(at, n_runs);
    free(runs);
}

START_TEST(runs_are_those_that_trying_all_finds)
{
    uint64_t keys[MOST];

    srand(7);
    for (int round = 0; round < 30000; round++) {
        size_t n_keys = (size_t)rand() % (MOST + 1), n_kinds = 1 + (size_t)rand() % 3;
        size_t copied = (size_t)rand() % 7; /* much repeats */
        struct dg_repeat_limits limits = {2 + (size_t)rand() % 3, (size_t)rand() % 9};

        for (size_t i = 0; i < n_keys; i++)
            keys[i] = copied && i > copied && rand() % 12
                          ? keys[i - copied]
                          : (uint64_t)rand() % n_kinds << 40;
        check(keys, n_keys, limits);
    }
}

START_TEST(runs_of_a_million_keys_take_a_moment)
{
    enum { MANY = 1000000 };
    uint64_t *keys = calloc(MANY, sizeof(*keys));
    size_t n_runs;
    struct dg_repeat *runs;

    for (size_t i = 0; i < MANY; i++)
        keys[i] = i % 1000;
    runs = dg_repeats_find(&n_runs, keys, MANY, (struct dg_repeat_limits){3, 0});
    ck_assert_uint_eq(n_runs, 1);
    ck_assert_uint_eq(runs[0].period, 1000);
    ck_assert_uint_eq(runs[0].times, MANY / 1000);
    free(runs);
    for (size_t i = 0; i < MANY; i++)
        keys[i] = 0;
    runs = dg_repeats_find(&n_runs, keys, MANY, (struct dg_repeat_limits){3, 0});
    ck_assert_uint_eq(runs[0].times, MANY);
    free(runs);
    free(keys);
}

START_TEST(first_equal_is_the_first_of_each_key)
{
    const uint64_t keys[] = {5, 9, 5, 7, 9, 5};
    const size_t expected[] = {0, 1, 0, 3, 1, 0};
    size_t *first = dg_first_equal(keys, 6);

    for (size_t i = 0; i < 6; i++)
        ck_assert_uint_eq(first[i], expected[i]);
    free(first);
    free(dg_first_equal(keys, 0));
}

Suite *repeats_suite(void)
{
    Suite *suite = suite_create("repeats");
    TCase *tcase = tcase_create("repeats");

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, runs_are_those_that_trying_all_finds);
    tcase_add_test(tcase, runs_of_a_million_keys_take_a_moment);
    tcase_add_test(tcase, first_equal_is_the_first_of_each_key);
    suite_add_tcase(suite, tcase);
    return suite;
}
