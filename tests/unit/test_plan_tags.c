/* Tags of constants and branches, and the copies that lowering makes. */
#include <stdlib.h>

#include "partition/partition.h"
#include "unit/suite.h"
#include "unit/toy.h"

enum { NONE = DG_NO_PART, CONSTANT = DG_MARK_PLACEHOLDER | DG_MARK_CONSTANT };

static struct dg_graph graph;
static uint16_t marks[TOY_NODES];
static uint32_t tag_of[TOY_NODES];
static const uint32_t in_order[] = {0, 1, 2, 3}, reversed[] = {3, 2, 1, 0};

static void clear(void)
{
    dg_graph_clear(&graph);
}

/* Node 0 is read by the others, whose tags are given. */
static void given_shared(uint16_t mark, const char *tags)
{
    char edges[100] = "";

    for (uint32_t i = 1; i <= strlen(tags); i++) {
        char edge[] = {'0', '-', (char)('0' + i), ' ', 0};

        strcat(edges, edge);
        marks[i] = DG_MARK_CALL;
        tag_of[i] = tags[i - 1] == '.' ? NONE : (uint32_t)(tags[i - 1] - 'a');
    }
    toy_graph(&graph, (uint32_t)strlen(tags) + 1, edges);
    marks[0] = mark;
    tag_of[0] = NONE;
}

START_TEST(tags_are_ranked_as_strings)
{
    static const uint32_t ids[] = {0, 1, 2, 9, 10, 11, 100, 20, 4294967295u, 429496729};
    static const uint32_t ranks[] = {0, 1, 5, 9, 2, 4, 3, 6, 8, 7};
    struct dg_part parts[10] = {{0}};
    struct dg_partitions partitions = {.parts = parts, .n_parts = 10};
    uint32_t *rank;

    for (int i = 0; i < 10; i++)
        parts[i].id = ids[i];
    rank = dg_tag_ranks(&partitions);
    for (int i = 0; i < 10; i++)
        ck_assert_uint_eq(rank[i], ranks[i]);
    dg_arena_clear(&partitions.memory);
}

START_TEST(a_constant_takes_the_smallest_tag_of_its_users)
{
    given_shared(CONSTANT, "c.bb");
    dg_tag_constants(tag_of, in_order, &graph, marks);
    ck_assert_uint_eq(tag_of[0], 1);
    dg_tag_constants(tag_of, reversed, &graph, marks);
    ck_assert_uint_eq(tag_of[0], 2);
}

START_TEST(a_mutated_buffer_takes_a_tag_in_the_same_way)
{
    given_shared(CONSTANT | DG_MARK_MUTATED, ".b");
    dg_tag_constants(tag_of, in_order, &graph, marks);
    ck_assert_uint_eq(tag_of[0], 1);
}

START_TEST(user_inputs_and_constants_without_tagged_users_take_none)
{
    given_shared(DG_MARK_PLACEHOLDER, "b");
    dg_tag_constants(tag_of, in_order, &graph, marks);
    ck_assert_uint_eq(tag_of[0], NONE);
    clear();
    given_shared(CONSTANT, "..");
    dg_tag_constants(tag_of, in_order, &graph, marks);
    dg_tag_unused_constants(tag_of, 2, &graph, marks);
    ck_assert_uint_eq(tag_of[0], NONE);
}

START_TEST(an_unused_constant_takes_the_tag_it_is_given)
{
    given_shared(CONSTANT, "");
    dg_tag_unused_constants(tag_of, 2, &graph, marks);
    ck_assert_uint_eq(tag_of[0], 2);
    dg_tag_unused_constants(tag_of, 3, &graph, marks);
    ck_assert_uint_eq(tag_of[0], 2);
    marks[0] = DG_MARK_PLACEHOLDER;
    tag_of[0] = NONE;
    dg_tag_unused_constants(tag_of, 3, &graph, marks);
    ck_assert_uint_eq(tag_of[0], NONE);
}

START_TEST(a_branch_takes_the_tag_of_its_first_tagged_control_flow_user)
{
    given_shared(DG_MARK_GET_ATTR, "a.cb");
    marks[2] = marks[3] = marks[4] = DG_MARK_CALL | DG_MARK_CONTROL;
    dg_tag_branches(tag_of, &graph, marks);
    ck_assert_uint_eq(tag_of[0], 2);
    clear();
    given_shared(DG_MARK_GET_ATTR, "a");
    dg_tag_branches(tag_of, &graph, marks);
    ck_assert_uint_eq(tag_of[0], NONE);
}

static void expect_copy(const struct dg_duplicate *copy, uint32_t number, uint32_t user,
                        uint32_t tag)
{
    ck_assert_uint_eq(copy->constant, 0);
    ck_assert_uint_eq(copy->copy, number);
    ck_assert_uint_eq(copy->user, user);
    ck_assert_uint_eq(copy->tag, tag);
}

START_TEST(each_user_after_the_first_gets_a_copy_of_a_shared_constant)
{
    struct dg_duplicate *copies;

    given_shared(CONSTANT, "bb.c");
    tag_of[0] = 1;
    ck_assert_uint_eq(dg_find_duplicates(&copies, tag_of, &graph, marks), 3);
    expect_copy(&copies[0], 0, 2, 1);
    expect_copy(&copies[1], 1, 3, NONE);
    expect_copy(&copies[2], 2, 4, 2);
    free(copies);
}

START_TEST(a_constant_of_one_partition_or_without_tag_is_not_copied)
{
    struct dg_duplicate *copies;

    given_shared(CONSTANT, "bb");
    tag_of[0] = 1;
    ck_assert_uint_eq(dg_find_duplicates(&copies, tag_of, &graph, marks), 0);
    tag_of[0] = NONE;
    ck_assert_uint_eq(dg_find_duplicates(&copies, tag_of, &graph, marks), 0);
    free(copies);
}

START_TEST(a_user_that_reads_a_constant_twice_gets_one_copy)
{
    struct dg_duplicate *copies;

    toy_graph(&graph, 3, "0-1 0-2 0-2");
    marks[0] = CONSTANT;
    tag_of[0] = tag_of[1] = 0;
    tag_of[2] = 1;
    ck_assert_uint_eq(dg_find_duplicates(&copies, tag_of, &graph, marks), 1);
    expect_copy(&copies[0], 0, 2, 1);
    free(copies);
}

Suite *plan_tags_suite(void)
{
    Suite *suite = suite_create("plan_tags");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, NULL, clear);
    tcase_add_test(all, tags_are_ranked_as_strings);
    tcase_add_test(all, a_constant_takes_the_smallest_tag_of_its_users);
    tcase_add_test(all, a_mutated_buffer_takes_a_tag_in_the_same_way);
    tcase_add_test(all, user_inputs_and_constants_without_tagged_users_take_none);
    tcase_add_test(all, an_unused_constant_takes_the_tag_it_is_given);
    tcase_add_test(all, a_branch_takes_the_tag_of_its_first_tagged_control_flow_user);
    tcase_add_test(all, each_user_after_the_first_gets_a_copy_of_a_shared_constant);
    tcase_add_test(all, a_constant_of_one_partition_or_without_tag_is_not_copied);
    tcase_add_test(all, a_user_that_reads_a_constant_twice_gets_one_copy);
    suite_add_tcase(suite, all);
    return suite;
}
