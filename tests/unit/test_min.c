/* As few partitions as there can be, with little on their borders: against torch's, and
 * against what a path needs; tests/plans holds it to all plans. */
#include <string.h>

#include "partition/partition.h"
#include "plans/every_plan.h"
#include "unit/suite.h"
#include "unit/toy.h"

enum { ROUNDS = 3000, MANY = 100000 };

static struct dg_graph graph;
static struct dg_arena memory;
static struct dg_partitions partitions;
static uint16_t marks[TOY_NODES];
static int64_t weights[TOY_NODES];

static void clear(void)
{
    dg_partitions_clear(&partitions);
    dg_graph_clear(&graph);
    dg_arena_clear(&memory);
}

static void given_random(uint32_t n_nodes)
{
    uint32_t unsupported = 10 + toy_random(60);

    toy_random_graph(&graph, n_nodes, 10 + toy_random(40));
    for (uint32_t i = 0; i < n_nodes; i++) {
        toy_marks(&marks[i], toy_random(100) < unsupported ? "-" : ".");
        if (!(marks[i] & DG_MARK_SUPPORTED) && !toy_random(6))
            marks[i] |= DG_MARK_CONSTANT;
        weights[i] = 1 + toy_random(9);
    }
}

static int64_t border_of(const uint32_t *part_of, const int64_t *of_value)
{
    return plan_border(&graph, marks, part_of, of_value);
}

static void expect_sound(uint32_t n_parts)
{
    struct dg_partitions_verdict verdict;

    dg_verify_partitions(&verdict, &memory, &graph, marks, &partitions);
    ck_assert(verdict.consistent && verdict.covers && verdict.acyclic);
    ck_assert_uint_eq(partitions.n_parts, n_parts);
}

static uint32_t bound(void)
{
    struct dg_bound bound;

    dg_lower_bound(&bound, &memory, &graph, marks);
    return bound.length;
}

START_TEST(a_branch_goes_where_its_value_is_used)
{
    toy_graph(&graph, 4, "0-1 1-2 0-3");
    toy_marks(marks, ".-..");
    dg_partition_torch(&partitions, &graph, marks, false);
    ck_assert_int_eq(border_of(partitions.part_of, NULL), 3);
    dg_partitions_clear(&partitions);
    dg_partition_min(&partitions, &graph, marks, NULL, false);
    expect_sound(2);
    ck_assert_int_eq(border_of(partitions.part_of, NULL), 2);
    ck_assert_uint_eq(partitions.part_of[0], partitions.part_of[3]);
    clear();
}
END_TEST

/* Any one of them elsewhere gains nothing. */
START_TEST(neighbours_move_together_where_that_gains)
{
    toy_graph(&graph, 8, "0-1 0-3 0-4 1-7 5-6 6-7");
    toy_marks(marks, ".-......");
    dg_partition_min(&partitions, &graph, marks, NULL, false);
    expect_sound(2);
    ck_assert_int_eq(border_of(partitions.part_of, NULL), 2);
    clear();
}
END_TEST

START_TEST(partitions_are_in_the_order_in_which_they_run)
{
    toy_graph(&graph, 5, "0-1 1-2 2-3 3-4");
    toy_marks(marks, ".-.-.");
    dg_partition_min(&partitions, &graph, marks, NULL, false);
    expect_sound(3);
    for (uint32_t p = 0; p < 3; p++) {
        ck_assert_uint_eq(partitions.parts[p].id, p);
        ck_assert_uint_eq(partitions.part_of[2 * p], p);
    }
    clear();
}
END_TEST

START_TEST(without_a_supported_node_there_is_none)
{
    toy_graph(&graph, 2, "0-1");
    toy_marks(marks, "--");
    dg_partition_min(&partitions, &graph, marks, NULL, false);
    expect_sound(0);
    clear();
}
END_TEST

START_TEST(there_are_as_few_as_a_path_needs_and_no_more_on_borders_than_with_torch)
{
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t *of_value = round & 1 ? weights : NULL;
        int64_t torch;

        given_random(2 + toy_random(TOY_NODES - 2));
        dg_partition_torch(&partitions, &graph, marks, false);
        torch = border_of(partitions.part_of, of_value);
        dg_partitions_clear(&partitions);
        dg_partition_min(&partitions, &graph, marks, of_value, false);
        expect_sound(bound());
        ck_assert_int_le(border_of(partitions.part_of, of_value), torch);
        clear();
    }
}
END_TEST

/* Node 0 is read by MANY calls, all of which the next one reads; beside them are a
 * call, a call that is not supported, and another call. */
static void given_wide(uint16_t *of_node)
{
    uint32_t n = MANY + 5, k = 0;

    graph.n_nodes = n;
    graph.input_of = dg_alloc(&graph.memory, n + 1, sizeof(uint32_t));
    graph.inputs = dg_alloc(&graph.memory, 2 * MANY + 2, sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++) {
        of_node[i] = DG_MARK_CALL | (i && i != n - 2 ? DG_MARK_SUPPORTED : 0);
        graph.input_of[i] = k;
        for (uint32_t j = 1; i == MANY + 1 && j <= MANY; j++)
            graph.inputs[k++] = j;
        if (i && i <= MANY)
            graph.inputs[k++] = 0;
        if (i > MANY + 2)
            graph.inputs[k++] = i - 1;
    }
    graph.input_of[n] = k;
    dg_graph_find_users(&graph);
}

START_TEST(a_call_that_reads_many_values_takes_as_long_as_it_has_inputs)
{
    static uint16_t of_node[MANY + 5];

    given_wide(of_node);
    dg_partition_min(&partitions, &graph, of_node, NULL, false);
    ck_assert_uint_eq(partitions.n_parts, 2);
    for (uint32_t i = 1; i <= MANY; i++)
        ck_assert_uint_eq(partitions.part_of[i], partitions.part_of[MANY + 1]);
    clear();
}
END_TEST

Suite *min_suite(void)
{
    Suite *suite = suite_create("min");
    TCase *all = tcase_create("all");

    tcase_set_timeout(all, 240);
    tcase_add_test(all, a_branch_goes_where_its_value_is_used);
    tcase_add_test(all, neighbours_move_together_where_that_gains);
    tcase_add_test(all, partitions_are_in_the_order_in_which_they_run);
    tcase_add_test(all, without_a_supported_node_there_is_none);
    tcase_add_test(all, a_call_that_reads_many_values_takes_as_long_as_it_has_inputs);
    tcase_add_test(
        all, there_are_as_few_as_a_path_needs_and_no_more_on_borders_than_with_torch);
    suite_add_tcase(suite, all);
    return suite;
}
