/* Work that threads share. */
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "base/arena.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/thread_pool.h"
#include "unit/suite.h"

struct nest {
    int64_t *counts;
    int depth;
};

static void count_each(void *data, int64_t from, int64_t to)
{
    const struct nest *nest = data;

    for (int64_t i = from; i < to; i++) {
        struct nest inner = {nest->counts + 8 * i, 0};

        if (nest->depth)
            dg_parallel(4, 8, 1, count_each, &inner);
        else
            nest->counts[i]++;
    }
}

START_TEST(each_part_runs_once_with_a_pool_without_one_and_within_another)
{
    int64_t counts[64] = {0};
    struct nest nest = {counts, 1};

    for (int run = 0; run < 300; run++) {
        if (run == 100)
            dg_thread_pool_begin(4);
        if (run == 200)
            dg_thread_pool_end();
        dg_parallel(1 + run % 9, 8, 1, count_each, &nest);
    }
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(counts[i], 300);
}

enum { ITEMS = 1000 };

struct counted {
    atomic_int times[ITEMS], all, lost;
    int before_first;
};

static void count(void *data, int64_t from, int64_t to)
{
    struct counted *counted = data;

    for (int64_t i = from; i < to; i++) {
        atomic_fetch_add(&counted->times[i], 1);
        atomic_fetch_add(&counted->all, 1);
    }
}

START_TEST(each_index_is_computed_once_whatever_the_grain_and_the_threads)
{
    for (int run = 0; run < 8 * 10; run++) {
        int n_threads = 1 + run % 8, n = run * 37 % ITEMS;
        struct counted counted = {0};

        dg_parallel(n_threads, n, run % 50, count, &counted);
        for (int i = 0; i < ITEMS; i++)
            ck_assert_int_eq(counted.times[i], i < n);
    }
}

enum { FEW = 16, SECONDS_MOST = 20 };

/* Of two shares of eight indices each: the first one ends behind all others, also those
 * of its own share, or in vain. */
static void count_first_last(void *data, int64_t from, int64_t to)
{
    struct counted *counted = data;
    time_t begun = time(NULL);

    while (from == 0 && counted->all < FEW - 1 && time(NULL) - begun < SECONDS_MOST)
        sched_yield();
    if (from == 0)
        counted->before_first = counted->all;
    count(data, from, to);
}

START_TEST(a_thread_that_is_done_takes_of_the_share_of_one_that_is_not)
{
    struct counted counted = {0};

    dg_parallel(2, FEW, 1, count_first_last, &counted);
    ck_assert_int_eq(counted.before_first, FEW - 1);
    ck_assert_int_eq(counted.all, FEW);
}

enum { LENGTH = 64 };

/* Whether nobody else writes into the line meanwhile. */
static void keep_line(void *data, double *line, int64_t from, int64_t to)
{
    struct counted *counted = data;

    for (int64_t i = from; i < to; i++) {
        for (int k = 0; k < LENGTH; k++)
            line[k] = (double)i;
        sched_yield();
        for (int k = 0; k < LENGTH; k++)
            atomic_fetch_add(&counted->lost, line[k] != (double)i);
    }
    count(data, from, to);
}

START_TEST(each_thread_has_a_line_of_its_own)
{
    for (int n_threads = 1; n_threads <= 8; n_threads++) {
        struct dg_arena scratch = {0};
        struct dg_error err = {0};
        struct dg_context context = {
            .memory = &dg_host_memory, .scratch = &scratch, .n_threads = n_threads};
        struct dg_call call = {.context = &context, .err = &err};
        struct counted counted = {0};

        ck_assert(!dg_parallel_lines(&call, ITEMS, 1, LENGTH, keep_line, &counted));
        ck_assert_int_eq(counted.all, ITEMS);
        ck_assert_int_eq(counted.lost, 0);
        dg_arena_clear(&scratch);
    }
}

Suite *parallel_suite(void)
{
    Suite *suite = suite_create("parallel");
    TCase *shares = tcase_create("shares");

    tcase_add_test(shares,
                   each_part_runs_once_with_a_pool_without_one_and_within_another);
    tcase_add_test(shares,
                   each_index_is_computed_once_whatever_the_grain_and_the_threads);
    tcase_add_test(shares, a_thread_that_is_done_takes_of_the_share_of_one_that_is_not);
    tcase_add_test(shares, each_thread_has_a_line_of_its_own);
    suite_add_tcase(suite, shares);
    return suite;
}
