/* Several backends at once, and taggings that are made whole. */
#include <string.h>

#include "partition/partition.h"
#include "unit/suite.h"
#include "unit/toy.h"

enum { MANY = 100000 };

static struct dg_graph graph;
static struct dg_arena memory;
static struct dg_partitions partitions;
static struct dg_multi told;
static uint16_t marks[TOY_NODES];

static void clear(void)
{
    dg_partitions_clear(&partitions);
    dg_graph_clear(&graph);
    dg_arena_clear(&memory);
}

static void expect_sound(const uint16_t *of_node, uint32_t n_parts)
{
    struct dg_partitions_verdict verdict;

    dg_verify_partitions(&verdict, &memory, &graph, of_node, &partitions);
    ck_assert(verdict.consistent && verdict.covers && verdict.acyclic);
    ck_assert_uint_eq(partitions.n_parts, n_parts);
}

/* Letters of backends: 'a' is taken by the first, 'b' by the second, 'c' by both. */
static void multi(uint32_t n_nodes, const char *edges, const char *backends)
{
    uint32_t takes[TOY_NODES] = {0};

    toy_graph(&graph, n_nodes, edges);
    for (uint32_t i = 0; i < n_nodes; i++) {
        takes[i] = backends[i] == '-' ? 0 : (uint32_t)(backends[i] - 'a' + 1);
        toy_marks(&marks[i], takes[i] ? "." : "-");
    }
    dg_partition_multi(&partitions, &graph, marks, takes, 2, false, &told);
}

START_TEST(one_pass_needs_fewer_than_one_backend_after_another)
{
    multi(5, "0-1 1-4 2-3", "ababa");
    ck_assert_uint_eq(told.n_stacked, 4);
    ck_assert_uint_eq(told.n_joint, 3);
    expect_sound(marks, 3);
    clear();
}
END_TEST

START_TEST(where_both_need_as_many_the_first_backend_goes_first)
{
    multi(3, "0-1 1-2", "c-c");
    ck_assert_uint_eq(told.n_stacked, told.n_joint);
    expect_sound(marks, 2);
    for (uint32_t p = 0; p < 2; p++)
        ck_assert_uint_eq(told.backend_of[partitions.parts[p].id], 0);
    clear();
}
END_TEST

START_TEST(what_both_take_goes_where_it_needs_no_border)
{
    multi(4, "0-1 1-2 2-3", "bccb");
    ck_assert_uint_eq(told.n_joint, 1);
    expect_sound(marks, 1);
    ck_assert_uint_eq(told.backend_of[partitions.parts[0].id], 1);
    clear();
}
END_TEST

START_TEST(partitions_of_several_backends_are_in_the_order_in_which_they_run)
{
    multi(4, "0-1 1-2 2-3", "abab");
    expect_sound(marks, 4);
    for (uint32_t p = 0; p < 4; p++) {
        ck_assert_uint_eq(partitions.part_of[p], p);
        ck_assert_uint_eq(told.backend_of[partitions.parts[p].id], p % 2);
    }
    clear();
}
END_TEST

/* Digits are tags. */
static uint32_t *repair(uint32_t n_nodes, const char *edges, const char *tags)
{
    uint32_t tag_of[TOY_NODES], n_tags = 0, *from;

    toy_graph(&graph, n_nodes, edges);
    for (uint32_t i = 0; i < n_nodes; i++) {
        tag_of[i] = tags[i] == '-' ? DG_NO_PART : (uint32_t)(tags[i] - '0');
        toy_marks(&marks[i], tags[i] == '-' ? "-" : ".");
        if (tags[i] != '-' && tag_of[i] >= n_tags)
            n_tags = tag_of[i] + 1;
    }
    dg_partition_repair(&partitions, &from, &graph, marks, tag_of, n_tags);
    return from;
}

static uint32_t id_of(uint32_t node)
{
    return partitions.parts[partitions.part_of[node]].id;
}

START_TEST(a_tag_that_waits_for_itself_is_split_and_its_larger_piece_keeps_it)
{
    uint32_t *from = repair(5, "0-1 1-2 2-3 3-4", "0-000");

    expect_sound(marks, 2);
    ck_assert_uint_eq(id_of(0), 1);
    ck_assert_uint_eq(from[1], 0);
    for (uint32_t node = 2; node < 5; node++)
        ck_assert_uint_eq(id_of(node), 0);
    clear();
}
END_TEST

START_TEST(of_two_tags_that_wait_for_each_other_one_is_split)
{
    repair(4, "0-1 2-3", "0110");
    expect_sound(marks, 3);
    clear();
}
END_TEST

START_TEST(tags_that_can_run_stay_as_they_are)
{
    uint32_t *from = repair(7, "0-1 1-2 2-3 3-4 4-5 5-6", "00-1-11");

    expect_sound(marks, 3);
    ck_assert_uint_eq(id_of(0), 0);
    ck_assert_uint_eq(id_of(1), 0);
    ck_assert_uint_eq(from[id_of(3)], 1);
    clear();
}
END_TEST

START_TEST(what_is_given_goes_with_who_reads_it)
{
    uint32_t tag_of[] = {0, 0, 0, DG_NO_PART, 0, 0}, *from;

    toy_graph(&graph, 6, "0-2 1-5 2-3 3-4 4-5");
    toy_marks(marks, "...-..");
    marks[0] = marks[1] = DG_MARK_PLACEHOLDER | DG_MARK_CONSTANT;
    dg_partition_repair(&partitions, &from, &graph, marks, tag_of, 1);
    ck_assert_uint_eq(partitions.n_parts, 2);
    ck_assert_uint_eq(id_of(0), id_of(2));
    ck_assert_uint_eq(id_of(1), id_of(5));
    ck_assert_uint_ne(id_of(2), id_of(5));
    clear();
}
END_TEST

/* Chains of two calls whose tags cross, each with the next chain: one knot of as many
 * tags as there are chains. */
static void given_knot(uint32_t *tag_of, uint16_t *of_node)
{
    graph.n_nodes = 2 * MANY;
    graph.input_of = dg_alloc(&graph.memory, graph.n_nodes + 1, sizeof(uint32_t));
    graph.inputs = dg_alloc(&graph.memory, MANY, sizeof(uint32_t));
    for (uint32_t i = 0; i < MANY; i++) {
        of_node[2 * i] = of_node[2 * i + 1] = DG_MARK_CALL | DG_MARK_SUPPORTED;
        tag_of[2 * i] = i;
        tag_of[2 * i + 1] = (i + 1) % MANY;
        graph.input_of[2 * i + 1] = i;
        graph.inputs[i] = 2 * i;
        graph.input_of[2 * i + 2] = i + 1;
    }
    dg_graph_find_users(&graph);
}

START_TEST(a_knot_of_very_many_tags_takes_no_longer_than_a_budget)
{
    static uint32_t tag_of[2 * MANY];
    static uint16_t of_node[2 * MANY];
    uint32_t *from;

    given_knot(tag_of, of_node);
    dg_partition_repair(&partitions, &from, &graph, of_node, tag_of, MANY);
    expect_sound(of_node, partitions.n_parts);
    ck_assert_uint_le(partitions.n_parts, 2 * MANY);
    clear();
}
END_TEST

Suite *multi_suite(void)
{
    Suite *suite = suite_create("multi");
    TCase *all = tcase_create("all");

    tcase_set_timeout(all, 240);
    tcase_add_test(all, one_pass_needs_fewer_than_one_backend_after_another);
    tcase_add_test(all, where_both_need_as_many_the_first_backend_goes_first);
    tcase_add_test(all, what_both_take_goes_where_it_needs_no_border);
    tcase_add_test(all,
                   partitions_of_several_backends_are_in_the_order_in_which_they_run);
    tcase_add_test(all,
                   a_tag_that_waits_for_itself_is_split_and_its_larger_piece_keeps_it);
    tcase_add_test(all, of_two_tags_that_wait_for_each_other_one_is_split);
    tcase_add_test(all, tags_that_can_run_stay_as_they_are);
    tcase_add_test(all, what_is_given_goes_with_who_reads_it);
    tcase_add_test(all, a_knot_of_very_many_tags_takes_no_longer_than_a_budget);
    suite_add_tcase(suite, all);
    return suite;
}
