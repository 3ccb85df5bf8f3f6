/* Least cuts of small networks, against all cuts that there are. */
#include "partition/cut.h"
#include "unit/suite.h"
#include "unit/toy.h"

enum { VERTICES = 8, ROUNDS = 2000, MANY = 1 << 30 };

static struct dg_cut cut;
static int64_t weights[VERTICES][VERTICES];

/* Arcs of random weights between some of the vertices, several between two of them. */
static uint32_t given_random(void)
{
    uint32_t n = 2 + toy_random(VERTICES - 1);

    dg_cut_begin(&cut);
    for (uint32_t v = 2; v < n; v++)
        ck_assert_uint_eq(dg_cut_vertex(&cut), v);
    for (uint32_t i = 0; i < VERTICES; i++) {
        for (uint32_t j = 0; j < VERTICES; j++)
            weights[i][j] = 0;
    }
    for (uint32_t i = 0; i < 3 * n; i++) {
        uint32_t from = toy_random(n), to = toy_random(n);
        int64_t weight = toy_random(10) ? 1 + toy_random(9) : DG_CUT_NEVER;

        if (from == to || weights[from][to] >= DG_CUT_NEVER)
            continue;
        weights[from][to] += weight;
        dg_cut_add(&cut, from, to, weight);
    }
    return n;
}

static int64_t weight_of(uint32_t sources, uint32_t n)
{
    int64_t weight = 0;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            if (sources >> i & 1 && !(sources >> j & 1)) {
                if (weights[i][j] >= DG_CUT_NEVER)
                    return DG_CUT_NEVER;
                weight += weights[i][j];
            }
        }
    }
    return weight;
}

static int64_t least_of_all(uint32_t n)
{
    int64_t least = DG_CUT_NEVER;

    for (uint32_t sources = 0; sources < (uint32_t)1 << n; sources++) {
        int64_t weight = weight_of(sources, n);

        if (sources >> DG_CUT_SOURCE & 1 && !(sources >> DG_CUT_SINK & 1) &&
            weight < least)
            least = weight;
    }
    return least;
}

static uint32_t found(uint32_t n)
{
    uint32_t sources = 0;

    for (uint32_t v = 0; v < n; v++)
        sources |= (uint32_t)dg_cut_is_source(&cut, v) << v;
    return sources;
}

START_TEST(no_cut_weighs_less_than_the_one_that_is_found)
{
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t n = given_random();
        int64_t n_steps = MANY, least = least_of_all(n);

        if (least == DG_CUT_NEVER)
            continue; /* an arc that must not be cut leads from the source to the sink
                       */
        ck_assert(dg_cut_find(&cut, &n_steps));
        ck_assert_int_eq(weight_of(found(n), n), least);
    }
    dg_cut_clear(&cut);
}
END_TEST

START_TEST(a_search_that_takes_too_long_is_given_up)
{
    int64_t n_steps = 3;

    dg_cut_begin(&cut);
    for (uint32_t v = 2; v < 20; v++) {
        dg_cut_vertex(&cut);
        dg_cut_add(&cut, DG_CUT_SOURCE, v, 1);
        dg_cut_add(&cut, v, DG_CUT_SINK, 1);
    }
    ck_assert(!dg_cut_find(&cut, &n_steps));
    dg_cut_clear(&cut);
}
END_TEST

Suite *cut_suite(void)
{
    Suite *suite = suite_create("cut");
    TCase *all = tcase_create("all");

    tcase_add_test(all, no_cut_weighs_less_than_the_one_that_is_found);
    tcase_add_test(all, a_search_that_takes_too_long_is_given_up);
    suite_add_tcase(suite, all);
    return suite;
}
