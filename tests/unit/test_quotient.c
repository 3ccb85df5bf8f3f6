/* Quotient graphs, held to what all pairs of vertices say of them. */
#include <stdio.h>
#include <string.h>

#include "graph/quotient.h"
#include "unit/suite.h"
#include "unit/toy.h"

enum { NONE = DG_NO_VERTEX, MANY = TOY_NEVER, ROUNDS = 1000 };

static struct dg_graph graph;
static struct dg_arena memory;
static uint32_t part_of[TOY_NODES];
static struct dg_quotient quotient;

static void make_quotient(uint32_t n_parts)
{
    quotient = (struct dg_quotient){&graph, part_of, n_parts, &memory};
}

/* Tags as letters in node order; '.' is a node outside. */
static void given_plan(const char *edges, const char *tags)
{
    uint32_t n_parts = 0;

    toy_graph(&graph, (uint32_t)strlen(tags), edges);
    for (uint32_t i = 0; tags[i]; i++) {
        part_of[i] = tags[i] == '.' ? NONE : (uint32_t)(tags[i] - 'a');
        if (part_of[i] != NONE && part_of[i] >= n_parts)
            n_parts = part_of[i] + 1;
    }
    make_quotient(n_parts);
}

static void given_random_plan(void)
{
    uint32_t n_nodes = 1 + toy_random(TOY_NODES - 1), n_parts = 1 + toy_random(6);
    uint32_t outside = toy_random(100), near = toy_random(2);

    toy_random_graph(&graph, n_nodes, 3 + toy_random(30));
    for (uint32_t i = 0; i < n_nodes; i++) {
        part_of[i] = near ? i * n_parts / n_nodes : toy_random(n_parts);
        if (toy_random(100) < outside)
            part_of[i] = NONE;
        else if (near && toy_random(4) == 0)
            part_of[i] = toy_random(n_parts);
    }
    make_quotient(n_parts);
}

static void clear(void)
{
    dg_graph_clear(&graph);
    dg_arena_clear(&memory);
}

static bool joined(uint32_t from, uint32_t to)
{
    for (uint32_t k = graph.user_of[from]; k < graph.user_of[from + 1]; k++) {
        if (graph.users[k] == to)
            return true;
    }
    return false;
}

static bool same_part(uint32_t a, uint32_t b, const uint32_t *parts)
{
    return parts[a] != NONE && parts[a] == parts[b];
}

/* How many vertices the cycle passes; fails when it is none. */
static uint32_t length_of(const struct dg_route *route, const uint32_t *parts)
{
    uint32_t length = 0;

    for (size_t i = 0; i < route->n_nodes; i++) {
        uint32_t from = route->nodes[i], to = route->nodes[(i + 1) % route->n_nodes];

        ck_assert(from != to);
        ck_assert(same_part(from, to, parts) || joined(from, to));
        length += !same_part(from, to, parts);
    }
    return length;
}

static void expect_route(const struct dg_route *route, const char *expected)
{
    char text[200] = "";

    for (size_t i = 0; i < route->n_nodes; i++)
        snprintf(text + strlen(text), 8, i ? " %u" : "%u", route->nodes[i]);
    ck_assert_str_eq(text, expected);
}

START_TEST(a_partition_that_waits_for_itself_makes_a_cycle)
{
    struct dg_route route;

    given_plan("0-1 1-2", "a.a");
    ck_assert(!dg_quotient_acyclic(&quotient));
    dg_quotient_cycle(&quotient, &route);
    expect_route(&route, "0 1 2");
    dg_quotient_nonconvex(&quotient, 0, &route);
    expect_route(&route, "0 1 2");
    ck_assert_uint_eq(dg_quotient_first_failing(&quotient), 0);
}

START_TEST(a_side_branch_that_does_not_come_back_makes_no_cycle)
{
    struct dg_route route;

    given_plan("0-1 0-2", "a.a");
    ck_assert(dg_quotient_acyclic(&quotient));
    dg_quotient_cycle(&quotient, &route);
    ck_assert_uint_eq(route.n_nodes, 0);
    dg_quotient_nonconvex(&quotient, 0, &route);
    ck_assert_uint_eq(route.n_nodes, 0);
    ck_assert_uint_eq(dg_quotient_first_failing(&quotient), 1);
}

START_TEST(convex_partitions_that_wait_for_each_other_are_mutual)
{
    struct dg_cyclic_dependency *mutual;
    struct dg_route route;

    given_plan("0-3 1-2", "abab");
    dg_quotient_nonconvex(&quotient, 0, &route);
    ck_assert_uint_eq(route.n_nodes, 0);
    dg_quotient_cycle(&quotient, &route);
    expect_route(&route, "0 3 1 2");
    ck_assert_uint_eq(dg_quotient_cyclic_dependencies(&quotient, &mutual), 1);
    ck_assert_uint_eq(mutual[0].n_parts, 2);
    ck_assert_uint_eq(mutual[0].parts[0], 0);
    ck_assert_uint_eq(mutual[0].parts[1], 1);
    expect_route(&mutual[0].route, "0 3 1 2");
    ck_assert_uint_eq(dg_quotient_first_failing(&quotient), 1);
}

START_TEST(what_convexity_explains_is_not_mutual)
{
    struct dg_cyclic_dependency *mutual;
    struct dg_nonconvex *nonconvex;

    given_plan("0-1 1-2", "aba");
    ck_assert_uint_eq(dg_quotient_cyclic_dependencies(&quotient, &mutual), 0);
    ck_assert_uint_eq(dg_quotient_nonconvex_parts(&quotient, &nonconvex), 1);
    ck_assert_uint_eq(nonconvex[0].part, 0);
    expect_route(&nonconvex[0].route, "0 1 2");
}

START_TEST(each_component_is_reported_once)
{
    struct dg_cyclic_dependency *mutual;

    given_plan("0-3 1-2 4-7 5-6 3-4", "ababcdcd");
    ck_assert_uint_eq(dg_quotient_cyclic_dependencies(&quotient, &mutual), 2);
    expect_route(&mutual[0].route, "0 3 1 2");
    expect_route(&mutual[1].route, "4 7 5 6");
    ck_assert_uint_eq(mutual[1].parts[0], 2);
}

START_TEST(the_shorter_of_two_cycles_is_found)
{
    struct dg_route route;

    given_plan("0-1 1-2 2-3 4-5 5-6", "a..ab.b");
    dg_quotient_cycle(&quotient, &route);
    expect_route(&route, "4 5 6");
}

START_TEST(a_cycle_of_the_graph_itself_is_found_without_partitions)
{
    struct dg_route route;

    given_plan("0-1 1-2 2-1", "...");
    ck_assert(!dg_quotient_acyclic(&quotient));
    dg_quotient_cycle(&quotient, &route);
    expect_route(&route, "1 2");
    ck_assert_uint_eq(dg_quotient_first_failing(&quotient), 0);
}

START_TEST(empty_graphs_and_empty_partitions_are_acyclic)
{
    struct dg_cyclic_dependency *mutual;
    struct dg_route route;

    given_plan("", "");
    make_quotient(3);
    ck_assert(dg_quotient_acyclic(&quotient));
    dg_quotient_cycle(&quotient, &route);
    ck_assert_uint_eq(route.n_nodes, 0);
    ck_assert_uint_eq(dg_quotient_cyclic_dependencies(&quotient, &mutual), 0);
    dg_quotient_nonconvex(&quotient, 2, &route);
    ck_assert_uint_eq(route.n_nodes, 0);
    ck_assert_uint_eq(dg_quotient_first_failing(&quotient), 3);
}

START_TEST(random_plans_are_cyclic_exactly_when_all_pairs_say_so)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct dg_route route;
        uint32_t expected;

        given_random_plan();
        expected = toy_shortest_cycle(&graph, part_of, quotient.n_parts);
        ck_assert(dg_quotient_acyclic(&quotient) == (expected == MANY));
        dg_quotient_cycle(&quotient, &route);
        ck_assert_uint_eq(length_of(&route, part_of), expected == MANY ? 0 : expected);
        clear();
    }
}

static uint32_t first_failing_step_by_step(void)
{
    uint32_t k = 0;

    while (k < quotient.n_parts && toy_shortest_cycle(&graph, part_of, k + 1) == MANY)
        k++;
    return k;
}

START_TEST(the_failing_partition_is_that_of_step_by_step_contraction)
{
    for (int round = 0; round < ROUNDS; round++) {
        given_random_plan();
        ck_assert_uint_eq(dg_quotient_first_failing(&quotient),
                          first_failing_step_by_step());
        clear();
    }
}

/* Edges of the shortest path that leaves `part` and comes back. */
static uint32_t shortest_detour(const struct toy_pairs *nodes, uint32_t part)
{
    uint32_t best = MANY;

    for (uint32_t i = 0; i < graph.n_nodes; i++) {
        if (part_of[i] != part)
            continue;
        for (uint32_t k = graph.user_of[i]; k < graph.user_of[i + 1]; k++) {
            uint32_t user = graph.users[k];

            for (uint32_t j = 0; part_of[user] != part && j < graph.n_nodes; j++) {
                if (part_of[j] == part && 1 + nodes->length[user][j] < best)
                    best = 1 + nodes->length[user][j];
            }
        }
    }
    return best;
}

static void check_detour(const struct dg_route *route, uint32_t part, uint32_t expected)
{
    if (expected == MANY) {
        ck_assert_uint_eq(route->n_nodes, 0);
        return;
    }
    ck_assert_uint_eq(route->n_nodes, expected + 1);
    for (size_t i = 0; i < route->n_nodes; i++) {
        bool end = !i || i + 1 == route->n_nodes;

        ck_assert((part_of[route->nodes[i]] == part) == end);
        ck_assert(end || joined(route->nodes[i - 1], route->nodes[i]));
    }
    ck_assert(joined(route->nodes[expected - 1], route->nodes[expected]));
}

START_TEST(detours_are_the_shortest)
{
    static struct toy_pairs nodes;

    for (int round = 0; round < ROUNDS; round++) {
        struct dg_nonconvex *nonconvex;
        size_t n_nonconvex, n_seen = 0;

        given_random_plan();
        toy_all_pairs(&nodes, &graph, part_of, 0);
        n_nonconvex = dg_quotient_nonconvex_parts(&quotient, &nonconvex);
        for (uint32_t part = 0; part < quotient.n_parts; part++) {
            uint32_t expected = shortest_detour(&nodes, part);
            struct dg_route route;

            dg_quotient_nonconvex(&quotient, part, &route);
            check_detour(&route, part, expected);
            if (expected == MANY)
                continue;
            ck_assert_uint_lt(n_seen, n_nonconvex);
            ck_assert_uint_eq(nonconvex[n_seen].part, part);
            check_detour(&nonconvex[n_seen++].route, part, expected);
        }
        ck_assert_uint_eq(n_seen, n_nonconvex);
        clear();
    }
}

/* Partitions that are not convex become nodes outside. */
static void dissolve(uint32_t *rest)
{
    static struct toy_pairs nodes;

    toy_all_pairs(&nodes, &graph, part_of, 0);
    for (uint32_t i = 0; i < graph.n_nodes; i++) {
        bool keep = part_of[i] != NONE && shortest_detour(&nodes, part_of[i]) == MANY;

        rest[i] = keep ? part_of[i] : NONE;
    }
}

START_TEST(mutual_cycles_are_components_of_convex_partitions)
{
    static struct toy_pairs pairs;

    for (int round = 0; round < ROUNDS; round++) {
        uint32_t rest[TOY_NODES], n_cyclic = 0;
        struct dg_cyclic_dependency *mutual;
        size_t n_mutual;

        given_random_plan();
        dissolve(rest);
        toy_all_pairs(&pairs, &graph, rest, quotient.n_parts);
        n_mutual = dg_quotient_cyclic_dependencies(&quotient, &mutual);
        for (uint32_t p = 0; p < quotient.n_parts; p++)
            n_cyclic += pairs.length[p][p] < MANY;
        for (size_t m = 0; m < n_mutual; m++) {
            uint32_t best = MANY;

            ck_assert_uint_ge(mutual[m].n_parts, 2);
            n_cyclic -= (uint32_t)mutual[m].n_parts;
            for (size_t i = 0; i < mutual[m].n_parts; i++) {
                uint32_t part = mutual[m].parts[i];

                ck_assert(pairs.length[mutual[m].parts[0]][part] < MANY);
                ck_assert(pairs.length[part][mutual[m].parts[0]] < MANY);
                best =
                    pairs.length[part][part] < best ? pairs.length[part][part] : best;
            }
            ck_assert_uint_eq(length_of(&mutual[m].route, rest), best);
        }
        ck_assert_uint_eq(n_cyclic, 0);
        clear();
    }
}

Suite *quotient_suite(void)
{
    Suite *suite = suite_create("quotient");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, NULL, clear);
    tcase_add_test(all, a_partition_that_waits_for_itself_makes_a_cycle);
    tcase_add_test(all, a_side_branch_that_does_not_come_back_makes_no_cycle);
    tcase_add_test(all, convex_partitions_that_wait_for_each_other_are_mutual);
    tcase_add_test(all, what_convexity_explains_is_not_mutual);
    tcase_add_test(all, each_component_is_reported_once);
    tcase_add_test(all, the_shorter_of_two_cycles_is_found);
    tcase_add_test(all, a_cycle_of_the_graph_itself_is_found_without_partitions);
    tcase_add_test(all, empty_graphs_and_empty_partitions_are_acyclic);
    tcase_add_test(all, random_plans_are_cyclic_exactly_when_all_pairs_say_so);
    tcase_add_test(all, the_failing_partition_is_that_of_step_by_step_contraction);
    tcase_add_test(all, detours_are_the_shortest);
    tcase_add_test(all, mutual_cycles_are_components_of_convex_partitions);
    suite_add_tcase(suite, all);
    return suite;
}
