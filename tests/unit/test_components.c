/* Strongly connected components, held to who reaches whom. */
#include "graph/components.h"
#include "unit/suite.h"
#include "unit/toy.h"

enum { VERTICES = 16, ROUNDS = 2000 };

static bool edge[VERTICES][VERTICES], reaches[VERTICES][VERTICES];
static uint32_t out_of[VERTICES + 1], out[VERTICES * VERTICES];

/* Loops and edges in both directions, too. */
static void given_random_graph(uint32_t n, uint32_t percent)
{
    uint32_t n_edges = 0;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            edge[i][j] = toy_random(100) < percent;
            reaches[i][j] = edge[i][j] || i == j;
            if (edge[i][j])
                out[n_edges++] = j;
        }
        out_of[i + 1] = n_edges;
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                reaches[i][j] |= reaches[i][k] && reaches[k][j];
}

START_TEST(components_are_what_reaches_each_other_and_sinks_come_first)
{
    uint32_t component_of[VERTICES];

    toy_seed(1);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t n = toy_random(VERTICES + 1), n_components, most = 0;

        given_random_graph(n, toy_random(25));
        n_components = dg_components(component_of, n, out_of, out);
        for (uint32_t i = 0; i < n; i++) {
            most = component_of[i] >= most ? component_of[i] + 1 : most;
            for (uint32_t j = 0; j < n; j++) {
                ck_assert_int_eq(component_of[i] == component_of[j],
                                 reaches[i][j] && reaches[j][i]);
                ck_assert(!edge[i][j] || component_of[j] <= component_of[i]);
            }
        }
        ck_assert_uint_eq(n_components, most);
    }
}
END_TEST

Suite *components_suite(void)
{
    Suite *suite = suite_create("components");
    TCase *all = tcase_create("all");

    tcase_add_test(all, components_are_what_reaches_each_other_and_sinks_come_first);
    suite_add_tcase(suite, all);
    return suite;
}
