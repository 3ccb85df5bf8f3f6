/* Partitioners on small graphs. */
#include "unit/suite.h"
#include "unit/toy.h"

#include "base/text.h"
#include "graph/quotient.h"
#include "partition/partition.h"

static struct dg_graph graph;
static struct dg_partitions partitions;
static uint16_t marks[TOY_NODES];

/* A letter per node: s supported, u not; g, h a getitem that is supported, or not; v, w
 * a call of no compute likewise; p a placeholder; o output; a a supported call that may
 * be alone. */
static void given_nodes(const char *letters, const char *edges)
{
    static const struct {
        char letter;
        uint16_t marks;
    } kinds[] = {
        {'s', DG_MARK_CALL | DG_MARK_SUPPORTED},
        {'u', DG_MARK_CALL},
        {'g', DG_MARK_CALL | DG_MARK_SUPPORTED | DG_MARK_GETITEM | DG_MARK_TRANSPARENT},
        {'h', DG_MARK_CALL | DG_MARK_GETITEM | DG_MARK_TRANSPARENT},
        {'v',
         DG_MARK_CALL | DG_MARK_SUPPORTED | DG_MARK_NON_COMPUTE | DG_MARK_TRANSPARENT},
        {'p', DG_MARK_PLACEHOLDER},
        {'o', DG_MARK_OUTPUT},
        {'a', DG_MARK_CALL | DG_MARK_SUPPORTED | DG_MARK_ALLOWED_SINGLE},
    };

    for (size_t i = 0; letters[i]; i++) {
        for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
            if (kinds[k].letter == letters[i])
                marks[i] = kinds[k].marks;
        }
    }
    toy_graph(&graph, (uint32_t)strlen(letters), edges);
}

static void clear(void)
{
    dg_partitions_clear(&partitions);
    dg_graph_clear(&graph);
}

/* "1: 2 3, 4: 0": the nodes of partition 1, then those of partition 4. */
static void expect_parts(const char *want)
{
    struct dg_writer out = {0};

    for (uint32_t p = 0; p < partitions.n_parts; p++) {
        const struct dg_part *part = &partitions.parts[p];

        dg_print(&out, "%s%u:", p ? ", " : "", part->id);
        for (uint32_t i = part->begin; i < part->end; i++) {
            dg_print(&out, " %u", partitions.nodes[i]);
            ck_assert_uint_eq(partitions.part_of[partitions.nodes[i]], p);
        }
    }
    ck_assert_str_eq(out.data ? out.data : "", want);
    dg_writer_clear(&out);
}

static void expect_torch(const char *want)
{
    dg_partition_torch(&partitions, &graph, marks, false);
    expect_parts(want);
    ck_assert(!partitions.endless);
    clear();
}

static bool is_acyclic(void)
{
    struct dg_quotient quotient = {.graph = &graph,
                                   .part_of = partitions.part_of,
                                   .n_parts = partitions.n_parts,
                                   .memory = &partitions.memory};

    return dg_quotient_acyclic(&quotient);
}

START_TEST(a_graph_without_nodes_has_no_partitions)
{
    given_nodes("", "");
    expect_torch("");
}

START_TEST(a_graph_without_support_has_no_partitions)
{
    given_nodes("puo", "0-1 1-2");
    expect_torch("");
}

START_TEST(what_an_unsupported_node_separates_is_two_partitions)
{
    given_nodes("pssuso", "0-1 1-2 2-3 3-4 4-5");
    expect_torch("0: 4, 2: 1 2");
}

START_TEST(independent_nodes_share_a_partition)
{
    given_nodes("sss", "");
    expect_torch("1: 0 1 2");
}

START_TEST(a_node_goes_to_the_last_partition_that_it_can_be_in)
{
    given_nodes("ssusso", "0-1 1-2 2-3 0-4 3-5 4-5");
    expect_torch("1: 3 4, 3: 0 1");
}

START_TEST(partitions_are_listed_by_their_numbers_and_not_by_level)
{
    given_nodes("susss", "0-1 1-3");
    expect_torch("1: 2 3 4, 3: 0");
    given_nodes("ssus", "0-2 2-3");
    expect_torch("1: 1 3, 2: 0");
    given_nodes("sssus", "0-3 1-3 3-4");
    expect_torch("1: 2 4, 3: 0 1");
    given_nodes("ssusu", "0-2 1-2 2-3 3-4");
    expect_torch("0: 3, 2: 0 1");
    given_nodes("ssuss", "1-2 2-3");
    expect_torch("1: 0 3 4, 2: 1");
}

START_TEST(placeholders_and_outputs_that_are_claimed_are_nodes_like_others)
{
    given_nodes("psuso", "0-1 1-2 2-3 3-4");
    marks[0] |= DG_MARK_SUPPORTED;
    marks[4] |= DG_MARK_SUPPORTED;
    expect_torch("1: 3 4, 3: 0 1");
}

START_TEST(an_input_that_is_read_twice_changes_nothing)
{
    given_nodes("sus", "0-1 0-1 1-2 1-2");
    expect_torch("0: 2, 1: 0");
}

START_TEST(getitems_join_their_producer_at_the_end)
{
    given_nodes("shhs", "0-1 0-2 1-3 2-3");
    expect_torch("0: 3, 1: 0 1 2");
}

START_TEST(getitems_of_an_unsupported_producer_are_dropped)
{
    given_nodes("uggs", "0-1 0-2 1-3");
    expect_torch("1: 3");
}

START_TEST(a_partition_that_loses_its_getitems_disappears)
{
    given_nodes("ugus", "0-1 1-2 2-3");
    expect_torch("0: 3");
}

START_TEST(getitems_of_getitems_follow_round_by_round)
{
    given_nodes("shhhs", "0-1 1-2 2-3 3-4");
    expect_torch("0: 4, 1: 0 1 2 3");
    given_nodes("shhshh", "0-1 1-2 3-4 3-5 2-5");
    marks[5] = DG_MARK_CALL;
    expect_torch("1: 0 3 1 2");
}

START_TEST(a_getitem_stays_where_one_user_of_its_producer_is_no_getitem)
{
    given_nodes("shu", "0-1 0-2");
    expect_torch("0: 0");
}

START_TEST(a_getitem_of_two_partitions_makes_the_pass_endless)
{
    given_nodes("psuh", "0-1 0-2 1-3 2-3");
    dg_partition_torch(&partitions, &graph, marks, false);
    ck_assert(partitions.endless);
    expect_parts("0: 1");
    ck_assert(is_acyclic());
    clear();
}

START_TEST(a_getitem_with_two_producers_in_one_partition_follows_them)
{
    given_nodes("pssh", "0-1 0-2 1-3 2-3");
    expect_torch("1: 1 2 3");
}

START_TEST(an_endless_pass_elsewhere_keeps_other_getitems_with_their_producer)
{
    given_nodes("psuhsh", "0-1 0-2 1-3 2-3 0-4 4-5");
    dg_partition_torch(&partitions, &graph, marks, false);
    ck_assert(partitions.endless);
    expect_parts("1: 1 4 5");
    clear();
}

START_TEST(a_partition_of_one_compute_node_is_too_small)
{
    given_nodes("pvsg", "0-1 1-2 2-3");
    dg_partition_torch(&partitions, &graph, marks, true);
    expect_parts("");
    ck_assert_uint_eq(partitions.part_of[2], DG_NO_PART);
    clear();
    given_nodes("pssuag", "0-1 1-2 2-3 3-4 4-5");
    dg_partition_torch(&partitions, &graph, marks, true);
    expect_parts("1: 4 5, 3: 1 2");
    clear();
}

START_TEST(bookends_go_from_both_borders_and_not_from_within)
{
    given_nodes("pvvsvsvvo", "0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8");
    dg_partition_torch(&partitions, &graph, marks, false);
    dg_remove_bookends(&partitions, &graph, marks);
    expect_parts("1: 3 4 5");
    ck_assert_uint_eq(partitions.part_of[7], DG_NO_PART);
    clear();
}

START_TEST(bookends_leave_a_partition_without_compute_empty)
{
    given_nodes("pvvo", "0-1 1-2 2-3");
    dg_partition_torch(&partitions, &graph, marks, false);
    dg_remove_bookends(&partitions, &graph, marks);
    expect_parts("1:");
    clear();
}

START_TEST(skipping_horizontal_fusion_joins_only_readers)
{
    given_nodes("pssus", "0-1 0-2 1-3 3-4");
    dg_partition_skip_horizontal(&partitions, &graph, marks, false);
    expect_parts("0: 4, 1: 2, 2: 1");
    clear();
    given_nodes("sss", "0-1 1-2");
    dg_partition_skip_horizontal(&partitions, &graph, marks, false);
    expect_parts("1: 0 1 2");
    clear();
}

START_TEST(skipping_horizontal_fusion_overlooks_a_cycle_as_torch_does)
{
    given_nodes("sssuss", "0-1 2-3 0-4 2-4 0-5 1-5 2-5 3-5");
    dg_partition_skip_horizontal(&partitions, &graph, marks, false);
    expect_parts("2: 2 4, 3: 0 1 5");
    ck_assert(!is_acyclic());
    clear();
}

static bool reads(uint32_t user, uint32_t node)
{
    for (uint32_t k = graph.input_of[user]; k < graph.input_of[user + 1]; k++) {
        if (graph.inputs[k] == node)
            return true;
    }
    return false;
}

/* Supported nodes with an unsupported one between them need different partitions. */
static void expect_proof(const struct dg_bound *bound)
{
    uint32_t length = bound->n_path > 0;

    for (size_t i = 1; i < bound->n_path; i++) {
        ck_assert(reads(bound->path[i], bound->path[i - 1]));
        if (marks[bound->path[i]] & DG_MARK_SUPPORTED &&
            !(marks[bound->path[i - 1]] & DG_MARK_SUPPORTED))
            length++;
    }
    ck_assert_uint_eq(length, bound->length);
    if (bound->n_path) {
        ck_assert(marks[bound->path[0]] & DG_MARK_SUPPORTED);
        ck_assert(marks[bound->path[bound->n_path - 1]] & DG_MARK_SUPPORTED);
    }
}

START_TEST(results_on_random_graphs_are_acyclic_and_as_few_as_can_be)
{
    for (int i = 0; i < 3000; i++) {
        uint32_t n_nodes = 1 + toy_random(TOY_NODES), percent = 5 + toy_random(60);
        struct dg_bound bound;

        toy_random_graph(&graph, n_nodes, percent);
        for (uint32_t node = 0; node < n_nodes; node++)
            marks[node] =
                toy_random(3) ? DG_MARK_CALL | DG_MARK_SUPPORTED : DG_MARK_CALL;
        dg_partition_torch(&partitions, &graph, marks, false);
        dg_lower_bound(&bound, &partitions.memory, &graph, marks);
        ck_assert_uint_eq(partitions.n_parts, bound.length);
        ck_assert(is_acyclic());
        expect_proof(&bound);
        for (uint32_t node = 0; node < n_nodes; node++)
            ck_assert_int_eq(partitions.part_of[node] != DG_NO_PART,
                             (marks[node] & DG_MARK_SUPPORTED) != 0);
        clear();
    }
}

START_TEST(a_witness_is_the_short_way_past_unsupported_nodes)
{
    struct dg_bound bound;
    struct dg_arena memory = {0};

    given_nodes("pssuuspo", "0-1 1-2 1-3 2-3 3-4 4-5 5-7");
    dg_lower_bound(&bound, &memory, &graph, marks);
    ck_assert_uint_eq(bound.length, 2);
    ck_assert_uint_eq(bound.n_path, 4);
    ck_assert_uint_eq(bound.path[0], 2);
    ck_assert_uint_eq(bound.path[3], 5);
    dg_arena_clear(&memory);
    clear();
}

START_TEST(a_placeholder_that_is_claimed_needs_no_partition)
{
    struct dg_bound bound;
    struct dg_arena memory = {0};

    given_nodes("puso", "0-1 1-2 0-2 2-3");
    marks[0] |= DG_MARK_SUPPORTED;
    dg_lower_bound(&bound, &memory, &graph, marks);
    ck_assert_uint_eq(bound.length, 1);
    dg_arena_clear(&memory);
    clear();
}

START_TEST(without_support_nothing_is_needed)
{
    struct dg_bound bound;
    struct dg_arena memory = {0};

    given_nodes("puo", "0-1 1-2");
    dg_lower_bound(&bound, &memory, &graph, marks);
    ck_assert_uint_eq(bound.length, 0);
    ck_assert_uint_eq(bound.n_path, 0);
    dg_arena_clear(&memory);
    clear();
}

static void add_default_tests(TCase *all)
{
    tcase_add_test(all, a_graph_without_nodes_has_no_partitions);
    tcase_add_test(all, a_graph_without_support_has_no_partitions);
    tcase_add_test(all, what_an_unsupported_node_separates_is_two_partitions);
    tcase_add_test(all, independent_nodes_share_a_partition);
    tcase_add_test(all, a_node_goes_to_the_last_partition_that_it_can_be_in);
    tcase_add_test(all, partitions_are_listed_by_their_numbers_and_not_by_level);
    tcase_add_test(all,
                   placeholders_and_outputs_that_are_claimed_are_nodes_like_others);
    tcase_add_test(all, an_input_that_is_read_twice_changes_nothing);
    tcase_add_test(all, getitems_join_their_producer_at_the_end);
    tcase_add_test(all, getitems_of_an_unsupported_producer_are_dropped);
    tcase_add_test(all, a_partition_that_loses_its_getitems_disappears);
    tcase_add_test(all, getitems_of_getitems_follow_round_by_round);
    tcase_add_test(all, a_getitem_stays_where_one_user_of_its_producer_is_no_getitem);
    tcase_add_test(all, a_getitem_of_two_partitions_makes_the_pass_endless);
    tcase_add_test(all, a_getitem_with_two_producers_in_one_partition_follows_them);
    tcase_add_test(all,
                   an_endless_pass_elsewhere_keeps_other_getitems_with_their_producer);
    tcase_add_test(all, a_partition_of_one_compute_node_is_too_small);
}

Suite *partition_suite(void)
{
    Suite *suite = suite_create("partition");
    TCase *all = tcase_create("all");

    add_default_tests(all);
    tcase_add_test(all, bookends_go_from_both_borders_and_not_from_within);
    tcase_add_test(all, bookends_leave_a_partition_without_compute_empty);
    tcase_add_test(all, skipping_horizontal_fusion_joins_only_readers);
    tcase_add_test(all, skipping_horizontal_fusion_overlooks_a_cycle_as_torch_does);
    tcase_add_test(all, results_on_random_graphs_are_acyclic_and_as_few_as_can_be);
    tcase_add_test(all, a_witness_is_the_short_way_past_unsupported_nodes);
    tcase_add_test(all, a_placeholder_that_is_claimed_needs_no_partition);
    tcase_add_test(all, without_support_nothing_is_needed);
    suite_add_tcase(suite, all);
    return suite;
}
