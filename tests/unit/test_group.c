/* Partitioners that take groups. */
#include <stdio.h>
#include <string.h>

#include "partition/partition.h"
#include "unit/suite.h"
#include "unit/toy.h"

enum { NONE = DG_NO_PART, ROUNDS = 1000 };

static struct dg_graph graph;
static struct dg_arena memory;
static struct dg_partitions partitions;
static uint16_t marks[TOY_NODES];
static uint32_t group_of[TOY_NODES];
static struct dg_groups groups;

static void clear(void)
{
    dg_partitions_clear(&partitions);
    dg_graph_clear(&graph);
    dg_arena_clear(&memory);
}

/* As toy_marks() says; a small letter before i also names the group. */
static void given(const char *edges, const char *kinds)
{
    groups = (struct dg_groups){0, group_of};
    toy_graph(&graph, (uint32_t)strlen(kinds), edges);
    toy_marks(marks, kinds);
    for (uint32_t i = 0; kinds[i]; i++) {
        bool grouped = kinds[i] >= 'a' && kinds[i] < 'i';

        group_of[i] = grouped ? (uint32_t)(kinds[i] - 'a') : NONE;
        if (grouped && group_of[i] >= groups.n_groups)
            groups.n_groups = group_of[i] + 1;
    }
}

static void given_random(uint32_t max_nodes)
{
    uint32_t n_nodes = 1 + toy_random(max_nodes - 1), chance = toy_random(100);
    uint32_t unsupported = toy_random(50);

    toy_random_graph(&graph, n_nodes, 3 + toy_random(30));
    groups = (struct dg_groups){1 + toy_random(5), group_of};
    for (uint32_t i = 0; i < n_nodes; i++) {
        toy_marks(&marks[i], toy_random(100) < unsupported ? "-" : ".");
        group_of[i] = toy_random(100) < chance ? toy_random(groups.n_groups) : NONE;
        if (graph.input_of[i] == graph.input_of[i + 1] && toy_random(2))
            marks[i] |= DG_MARK_PLACEHOLDER;
    }
}

/* As backends have them: of a few nodes that stand together. */
static void given_small_groups(void)
{
    uint32_t size = 2 + toy_random(4);

    given_random(TOY_NODES);
    groups.n_groups = 1 + graph.n_nodes / size;
    for (uint32_t i = 0; i < graph.n_nodes; i++)
        group_of[i] = toy_random(4) ? i / size : NONE;
}

/* Placeholders stay where they are. */
static uint32_t binds(uint32_t node, uint32_t part)
{
    return marks[node] & DG_MARK_PLACEHOLDER ? NONE : part;
}

/* "1: 0 2 3; 4: 5": ids and nodes. */
static void expect_parts(const char *expected)
{
    char text[500] = "";

    for (uint32_t p = 0; p < partitions.n_parts; p++) {
        const struct dg_part *part = &partitions.parts[p];

        snprintf(text + strlen(text), 20, p ? "; %u:" : "%u:", part->id);
        for (uint32_t i = part->begin; i < part->end; i++)
            snprintf(text + strlen(text), 20, " %u", partitions.nodes[i]);
    }
    ck_assert_str_eq(text, expected);
}

static struct dg_partitions_verdict verdict(void)
{
    struct dg_partitions_verdict verdict;

    dg_verify_partitions(&verdict, &memory, &graph, marks, &partitions);
    return verdict;
}

START_TEST(the_known_group_that_makes_a_cycle_does_so)
{
    given("0-2 1-4 1-5 2-3 2-4 3-5", "..a.a.");
    dg_partition_group(&partitions, &graph, marks, &groups, false);
    expect_parts("0: 1 3 5; 1: 0 2 4");
    ck_assert(!verdict().acyclic);
    ck_assert_uint_eq(verdict().n_cycle, 4);
}

START_TEST(the_valid_partitioner_keeps_that_group_in_one_partition)
{
    uint32_t n_dissolved;

    given("0-2 1-4 1-5 2-3 2-4 3-5", "..a.a.");
    dg_partition_valid(&partitions, &graph, marks, &groups, false, &n_dissolved);
    expect_parts("0: 0 1 2 3 4 5");
    ck_assert_uint_eq(n_dissolved, 0);
    ck_assert(verdict().acyclic && verdict().covers && verdict().consistent);
}

START_TEST(a_group_around_an_unsupported_node_is_dissolved)
{
    uint32_t n_dissolved;

    given("0-1 1-2", "a-a");
    dg_partition_valid(&partitions, &graph, marks, &groups, false, &n_dissolved);
    expect_parts("0: 0; 1: 2");
    ck_assert_uint_eq(n_dissolved, 1);
}

START_TEST(a_group_beside_an_unsupported_node_is_not_dissolved)
{
    uint32_t n_dissolved;

    given("0-1 0-2", "a-a");
    dg_partition_valid(&partitions, &graph, marks, &groups, false, &n_dissolved);
    expect_parts("0: 0 2");
    ck_assert_uint_eq(n_dissolved, 0);
}

/* As a weight that an embedding reads outside, and a product in the partition. */
START_TEST(a_placeholder_that_is_read_outside_holds_its_group_up_no_more_than_others)
{
    uint32_t n_dissolved;

    given("0-1 1-2 0-2", "a-a");
    marks[0] |= DG_MARK_PLACEHOLDER;
    dg_partition_group(&partitions, &graph, marks, &groups, false);
    expect_parts("0: 0 2");
    ck_assert(verdict().acyclic);
    dg_partitions_clear(&partitions);
    dg_partition_valid(&partitions, &graph, marks, &groups, false, &n_dissolved);
    expect_parts("0: 0 2");
    ck_assert_uint_eq(n_dissolved, 0);
    marks[0] &= (uint16_t)~DG_MARK_PLACEHOLDER;
    ck_assert(!verdict().acyclic);
}

/* 0 is read by 1 outside and by 4; 1 -> 2 -> 3 -> 4, where 3 is outside, too. */
START_TEST(a_placeholder_of_a_dissolved_group_goes_with_who_reads_it)
{
    uint32_t n_dissolved;

    given("0-1 1-2 2-3 3-4 0-4", "a-a-a");
    marks[0] |= DG_MARK_PLACEHOLDER;
    dg_partition_valid(&partitions, &graph, marks, &groups, false, &n_dissolved);
    expect_parts("0: 2; 1: 0 4");
    ck_assert_uint_eq(n_dissolved, 1);
    ck_assert(verdict().acyclic && verdict().covers && verdict().consistent);
}

/* 1 takes an item of 0 and is not supported: it must not go where 0 goes. */
START_TEST(an_item_of_a_placeholder_does_not_follow_it)
{
    uint32_t n_dissolved;

    given("0-1 1-2 2-3 3-4", ".i.-.");
    marks[0] |= DG_MARK_PLACEHOLDER;
    dg_partition_valid(&partitions, &graph, marks, NULL, false, &n_dissolved);
    ck_assert_uint_eq(partitions.part_of[1], DG_NO_PART);
    ck_assert(verdict().acyclic && verdict().covers && verdict().consistent);
}

START_TEST(of_two_groups_that_only_together_bridge_a_node_the_first_stays)
{
    uint32_t n_dissolved;

    given("0-1 1-2 3-4", "a-bba");
    dg_partition_valid(&partitions, &graph, marks, &groups, false, &n_dissolved);
    ck_assert_uint_eq(n_dissolved, 1);
    ck_assert_uint_eq(partitions.part_of[0], partitions.part_of[4]);
    ck_assert(verdict().acyclic && verdict().covers);
}

START_TEST(a_group_follows_its_getitem_to_the_producer)
{
    uint32_t n_dissolved;

    given("0-1 0-2 2-3 3-4", ".II-.");
    group_of[1] = group_of[4] = 0;
    groups.n_groups = 1;
    dg_partition_valid(&partitions, &graph, marks, &groups, false, &n_dissolved);
    ck_assert_uint_eq(n_dissolved, 1);
    expect_parts("0: 0 1 2; 1: 4");
}

START_TEST(getitems_move_to_and_fro_with_their_producer)
{
    uint32_t n_dissolved;

    given("0-1 2-3", ".i-I");
    dg_partition_valid(&partitions, &graph, marks, NULL, false, &n_dissolved);
    expect_parts("0: 0 1");
    ck_assert(verdict().covers);
    dg_partitions_clear(&partitions);
    dg_partition_group(&partitions, &graph, marks, &groups, false);
    expect_parts("0: 0 3");
}

START_TEST(a_group_leaves_single_nodes_out_when_asked)
{
    given("0-1 1-2 2-3", "..-.");
    dg_partition_group(&partitions, &graph, marks, NULL, true);
    expect_parts("1: 0 1");
    ck_assert(verdict().covers);
}

/* Whether no way leads out of the nodes of `set` and back. */
static bool is_convex(const struct toy_pairs *pairs, const bool *set)
{
    for (uint32_t x = 0; x < graph.n_nodes; x++) {
        bool before = false, behind = false;

        for (uint32_t i = 0; i < graph.n_nodes && !set[x]; i++) {
            before |= set[i] && pairs->length[i][x] < TOY_NEVER;
            behind |= set[i] && pairs->length[x][i] < TOY_NEVER;
        }
        if (before && behind)
            return false;
    }
    return true;
}

/* Numbers in the reversed walk. */
static uint32_t start_naively(uint32_t *id_of)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < graph.n_nodes; i++)
        id_of[i] = NONE;
    for (uint32_t i = graph.n_nodes; i-- > 0;) {
        if (!(marks[i] & DG_MARK_SUPPORTED) || id_of[i] != NONE)
            continue;
        for (uint32_t j = 0; j < graph.n_nodes; j++) {
            bool same = i == j || (group_of[i] != NONE && group_of[i] == group_of[j]);

            if (same && marks[j] & DG_MARK_SUPPORTED)
                id_of[j] = n;
        }
        n++;
    }
    return n;
}

static void merge_naively(uint32_t *id_of)
{
    static struct toy_pairs pairs;
    uint32_t n = start_naively(id_of);

    toy_all_pairs(&pairs, &graph, id_of, 0);
    for (uint32_t p1 = 0; p1 < n; p1++) {
        for (uint32_t p2 = p1 + 1; p2 < n; p2++) {
            bool set[TOY_NODES], first = false, second = false;

            for (uint32_t i = 0; i < graph.n_nodes; i++) {
                set[i] = id_of[i] == p1 || id_of[i] == p2;
                first |= id_of[i] == p1;
                second |= id_of[i] == p2;
            }
            for (uint32_t i = 0; i < graph.n_nodes; i++) {
                if (first && second && is_convex(&pairs, set) && id_of[i] == p2)
                    id_of[i] = p1;
            }
        }
    }
}

static void expect_pairwise(void)
{
    uint32_t id_of[TOY_NODES] = {0};

    merge_naively(id_of);
    dg_partition_group(&partitions, &graph, marks, &groups, false);
    for (uint32_t i = 0; i < graph.n_nodes; i++) {
        uint32_t part = partitions.part_of[i];

        ck_assert_uint_eq(part == NONE ? NONE : partitions.parts[part].id, id_of[i]);
    }
    ck_assert(verdict().consistent && verdict().covers);
}

START_TEST(groups_merge_as_pair_by_pair_tests_say)
{
    for (int round = 0; round < ROUNDS; round++) {
        given_random(TOY_NODES);
        expect_pairwise();
        clear();
    }
}

START_TEST(small_groups_merge_as_pair_by_pair_tests_say)
{
    for (int round = 0; round < 10 * ROUNDS; round++) {
        given_small_groups();
        expect_pairwise();
        clear();
    }
}

START_TEST(nodes_without_groups_merge_as_pair_by_pair_tests_say)
{
    for (int round = 0; round < ROUNDS; round++) {
        given_random(TOY_NODES);
        for (uint32_t i = 0; i < graph.n_nodes; i++)
            group_of[i] = NONE;
        expect_pairwise();
        clear();
    }
}

/* Whether some unsupported node is on a cycle once groups are contracted. */
static bool groups_are_impossible(void)
{
    static struct toy_pairs pairs;
    uint32_t part_of[TOY_NODES];

    for (uint32_t i = 0; i < graph.n_nodes; i++)
        part_of[i] = marks[i] & DG_MARK_SUPPORTED ? binds(i, group_of[i]) : NONE;
    toy_all_pairs(&pairs, &graph, part_of, groups.n_groups);
    for (uint32_t i = 0; i < graph.n_nodes; i++) {
        uint32_t vertex = groups.n_groups + i;

        if (!(marks[i] & DG_MARK_SUPPORTED) && pairs.length[vertex][vertex] < TOY_NEVER)
            return true;
    }
    return false;
}

static uint32_t count_torn_groups(void)
{
    uint32_t n_torn = 0;

    for (uint32_t g = 0; g < groups.n_groups; g++) {
        uint32_t part = NONE;
        bool torn = false;

        for (uint32_t i = 0; i < graph.n_nodes; i++) {
            if (group_of[i] != g || !(marks[i] & DG_MARK_SUPPORTED))
                continue;
            torn |= part != NONE && part != partitions.part_of[i];
            part = partitions.part_of[i];
        }
        n_torn += torn;
    }
    return n_torn;
}

START_TEST(valid_results_are_acyclic_and_keep_the_groups_that_can_be_kept)
{
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t n_dissolved, part_of[TOY_NODES];

        given_random(TOY_NODES);
        dg_partition_valid(&partitions, &graph, marks, &groups, false, &n_dissolved);
        for (uint32_t i = 0; i < graph.n_nodes; i++)
            part_of[i] = binds(i, partitions.part_of[i]);
        ck_assert_uint_eq(toy_shortest_cycle(&graph, part_of, partitions.n_parts),
                          TOY_NEVER);
        ck_assert(verdict().consistent && verdict().covers && verdict().acyclic);
        ck_assert_uint_le(count_torn_groups(), n_dissolved);
        ck_assert(groups_are_impossible() == (n_dissolved > 0));
        clear();
    }
}

START_TEST(valid_results_have_no_more_partitions_than_executorch)
{
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t n_dissolved, n_valid;

        given_random(TOY_NODES);
        dg_partition_valid(&partitions, &graph, marks, &groups, false, &n_dissolved);
        n_valid = partitions.n_parts;
        dg_partitions_clear(&partitions);
        dg_partition_group(&partitions, &graph, marks, &groups, false);
        if (verdict().acyclic)
            ck_assert_uint_le(n_valid, partitions.n_parts);
        clear();
    }
}

START_TEST(without_groups_valid_results_are_those_of_torch)
{
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t n_dissolved, part_of[TOY_NODES], n_parts;

        given_random(TOY_NODES);
        for (uint32_t i = 0; i < graph.n_nodes; i++)
            marks[i] &= (uint16_t)~DG_MARK_PLACEHOLDER;
        dg_partition_torch(&partitions, &graph, marks, false);
        memcpy(part_of, partitions.part_of, graph.n_nodes * sizeof(*part_of));
        n_parts = partitions.n_parts;
        dg_partitions_clear(&partitions);
        dg_partition_valid(&partitions, &graph, marks, NULL, false, &n_dissolved);
        ck_assert_uint_eq(partitions.n_parts, n_parts);
        for (uint32_t i = 0; i < graph.n_nodes; i++) {
            for (uint32_t j = 0; j < graph.n_nodes; j++)
                ck_assert((part_of[i] == part_of[j]) ==
                          (partitions.part_of[i] == partitions.part_of[j]));
        }
        clear();
    }
}

Suite *group_suite(void)
{
    Suite *suite = suite_create("group");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, NULL, clear);
    tcase_add_test(all, the_known_group_that_makes_a_cycle_does_so);
    tcase_add_test(all, the_valid_partitioner_keeps_that_group_in_one_partition);
    tcase_add_test(all, a_group_around_an_unsupported_node_is_dissolved);
    tcase_add_test(all, a_group_beside_an_unsupported_node_is_not_dissolved);
    tcase_add_test(
        all, a_placeholder_that_is_read_outside_holds_its_group_up_no_more_than_others);
    tcase_add_test(all, a_placeholder_of_a_dissolved_group_goes_with_who_reads_it);
    tcase_add_test(all, an_item_of_a_placeholder_does_not_follow_it);
    tcase_add_test(all, of_two_groups_that_only_together_bridge_a_node_the_first_stays);
    tcase_add_test(all, a_group_follows_its_getitem_to_the_producer);
    tcase_add_test(all, getitems_move_to_and_fro_with_their_producer);
    tcase_add_test(all, a_group_leaves_single_nodes_out_when_asked);
    tcase_add_test(all, groups_merge_as_pair_by_pair_tests_say);
    tcase_add_test(all, small_groups_merge_as_pair_by_pair_tests_say);
    tcase_add_test(all, nodes_without_groups_merge_as_pair_by_pair_tests_say);
    tcase_add_test(all, valid_results_are_acyclic_and_keep_the_groups_that_can_be_kept);
    tcase_add_test(all, valid_results_have_no_more_partitions_than_executorch);
    tcase_add_test(all, without_groups_valid_results_are_those_of_torch);
    suite_add_tcase(suite, all);
    return suite;
}
