/* The partitioner of one partition, and the check of what any partitioner returns. */
#include <string.h>

#include "partition/partition.h"
#include "unit/suite.h"
#include "unit/toy.h"

static struct dg_graph graph;
static struct dg_arena memory;
static struct dg_partitions partitions;
static uint16_t marks[TOY_NODES];

static void given(const char *edges, const char *kinds)
{
    toy_graph(&graph, (uint32_t)strlen(kinds), edges);
    toy_marks(marks, kinds);
}

static void clear(void)
{
    dg_partitions_clear(&partitions);
    dg_graph_clear(&graph);
    dg_arena_clear(&memory);
}

static struct dg_partitions_verdict verdict(void)
{
    struct dg_partitions_verdict verdict;

    dg_verify_partitions(&verdict, &memory, &graph, marks, &partitions);
    return verdict;
}

START_TEST(single_takes_every_supported_node)
{
    given("0-1 1-2", ".-.");
    dg_partition_single(&partitions, &graph, marks);
    ck_assert_uint_eq(partitions.parts[0].end, 2);
    ck_assert(verdict().covers && !verdict().acyclic);
    ck_assert_uint_eq(verdict().n_cycle, 3);
}

START_TEST(single_of_nothing_is_no_partition)
{
    given("0-1", "--");
    dg_partition_single(&partitions, &graph, marks);
    ck_assert_uint_eq(partitions.n_parts, 0);
    ck_assert(verdict().covers && verdict().acyclic);
}

START_TEST(the_check_sees_a_node_that_is_left_out)
{
    given("0-1 1-2", ".-.");
    dg_partition_single(&partitions, &graph, marks);
    partitions.part_of[2] = DG_NO_PART;
    ck_assert(!verdict().consistent);
    partitions.parts[0].end--;
    ck_assert(verdict().consistent && !verdict().covers);
}

START_TEST(the_check_sees_a_node_that_is_not_supported)
{
    given("0-1", "..");
    dg_partition_single(&partitions, &graph, marks);
    marks[0] &= (uint16_t)~DG_MARK_SUPPORTED;
    ck_assert(verdict().consistent && !verdict().covers);
}

START_TEST(the_check_sees_a_node_that_is_listed_twice)
{
    given("0-1", "..");
    dg_partition_single(&partitions, &graph, marks);
    partitions.nodes[1] = 0;
    ck_assert(!verdict().consistent);
}

START_TEST(the_check_forgives_what_torch_moves_or_filters)
{
    given("0-1 2-3", ".i-I");
    dg_partition_torch(&partitions, &graph, marks, false);
    ck_assert_uint_eq(partitions.part_of[1], partitions.part_of[0]);
    ck_assert_uint_eq(partitions.part_of[3], DG_NO_PART);
    ck_assert(verdict().consistent && verdict().covers);
    clear();
    given("0-1 1-2 2-3", "..-.");
    dg_partition_torch(&partitions, &graph, marks, true);
    ck_assert_uint_eq(partitions.part_of[3], DG_NO_PART);
    ck_assert(verdict().consistent && verdict().covers);
}

Suite *verify_suite(void)
{
    Suite *suite = suite_create("verify");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, NULL, clear);
    tcase_add_test(all, single_takes_every_supported_node);
    tcase_add_test(all, single_of_nothing_is_no_partition);
    tcase_add_test(all, the_check_sees_a_node_that_is_left_out);
    tcase_add_test(all, the_check_sees_a_node_that_is_not_supported);
    tcase_add_test(all, the_check_sees_a_node_that_is_listed_twice);
    tcase_add_test(all, the_check_forgives_what_torch_moves_or_filters);
    suite_add_tcase(suite, all);
    return suite;
}
