/* Pairing by keys, against a count that looks at every node for every node. */
#include "diff/align.h"
#include "unit/suite.h"
#include "unit/toy.h"

enum { MOST = 40, ROUNDS = 20000 };

static uint64_t keys[2][MOST + 1];
static struct dg_diff_side sides[2];
static struct dg_diff_alignment alignment;
static uint32_t expected[MOST];

static void given(int side, uint64_t key)
{
    if (sides[side].n_nodes < MOST)
        keys[side][sides[side].n_nodes++] = key;
}

/* Key 0 is none. */
static uint64_t random_key(uint32_t n_keys)
{
    return toy_random(n_keys);
}

/* Mostly alike: the new side drops, adds and changes some. Few keys come often, many
 * mostly once. */
static void given_random(void)
{
    uint32_t n = toy_random(MOST), n_keys = 2 + toy_random(60),
             odds = 1 + toy_random(20);

    memset(sides, 0, sizeof(sides));
    for (uint32_t i = 0; i < n; i++) {
        uint64_t key = random_key(n_keys);
        uint32_t change = toy_random(3 * odds);

        given(0, key);
        if (change > 2)
            given(1, key);
        else if (change == 1)
            given(1, random_key(n_keys));
        else if (change == 2) {
            given(1, random_key(n_keys));
            given(1, key);
        }
    }
}

static void begin(void)
{
    alignment = (struct dg_diff_alignment){.sides = {&sides[0], &sides[1]}};
    for (int s = 0; s < 2; s++) {
        uint32_t n = sides[s].n_nodes;

        alignment.others[s] = dg_alloc(&alignment.memory, n + 1, sizeof(uint32_t));
        memset(alignment.others[s], 0xff, n * sizeof(uint32_t));
        alignment.n_alone[s] = n;
    }
    alignment.pairs =
        dg_alloc(&alignment.memory, sides[0].n_nodes + 1, sizeof(uint32_t));
}

/* How many nodes before `end` have that key and had no pair. */
static uint32_t count(int side, uint64_t key, uint32_t end, const bool *paired)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < end; i++)
        n += keys[side][i] == key && !paired[i];
    return n;
}

static uint32_t nth(int side, uint64_t key, uint32_t n, const bool *paired)
{
    for (uint32_t i = 0; i < sides[side].n_nodes; i++) {
        if (keys[side][i] == key && !paired[i] && !n--)
            return i;
    }
    return DG_DIFF_ALONE;
}

static void expect(bool as_many)
{
    bool paired[2][MOST] = {{false}};

    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s].n_nodes; i++)
            paired[s][i] = alignment.others[s][i] != DG_DIFF_ALONE;
    }
    for (uint32_t i = 0; i < sides[0].n_nodes; i++) {
        uint64_t key = keys[0][i];
        bool even = count(0, key, sides[0].n_nodes, paired[0]) ==
                    count(1, key, sides[1].n_nodes, paired[1]);

        expected[i] = alignment.others[0][i];
        if (!paired[0][i] && key && (even || !as_many))
            expected[i] = nth(1, key, count(0, key, i, paired[0]), paired[1]);
    }
}

static void pair(bool as_many)
{
    uint32_t n_pairs = 0;

    expect(as_many);
    dg_diff_pair_by_key(&alignment, (uint64_t *[]){keys[0], keys[1]}, as_many);
    for (uint32_t i = 0; i < sides[0].n_nodes; i++) {
        ck_assert_uint_eq(alignment.others[0][i], expected[i]);
        if (expected[i] == DG_DIFF_ALONE)
            continue;
        ck_assert_uint_eq(alignment.others[1][expected[i]], i);
        n_pairs++;
    }
    ck_assert_uint_eq(alignment.n_pairs, n_pairs);
    ck_assert_uint_eq(alignment.n_alone[0], sides[0].n_nodes - n_pairs);
    ck_assert_uint_eq(alignment.n_alone[1], sides[1].n_nodes - n_pairs);
}

/* The second time some have pairs already, and keys are others. */
START_TEST(the_first_of_a_key_is_paired_with_the_first_the_second_with_the_second)
{
    toy_seed(1);
    for (int round = 0; round < ROUNDS; round++) {
        given_random();
        begin();
        pair(round % 2);
        for (uint32_t i = 0; i < sides[0].n_nodes; i++)
            keys[0][i] /= 2;
        for (uint32_t i = 0; i < sides[1].n_nodes; i++)
            keys[1][i] /= 2;
        pair(round / 2 % 2);
        dg_diff_alignment_clear(&alignment);
    }
}
END_TEST

static void given_texts(const char *old, const char *new)
{
    memset(sides, 0, sizeof(sides));
    for (; *old; old++)
        given(0, (uint64_t)*old);
    for (; *new; new ++)
        given(1, (uint64_t) * new);
    begin();
}

START_TEST(where_one_side_has_more_of_a_key_none_of_it_is_paired_at_first)
{
    given_texts("abcabx", "abcabxa");
    pair(true);
    ck_assert_uint_eq(alignment.n_pairs, 4);
    ck_assert_uint_eq(alignment.others[0][0], DG_DIFF_ALONE);
    pair(false);
    ck_assert_uint_eq(alignment.n_pairs, 6);
    ck_assert_uint_eq(alignment.others[1][6], DG_DIFF_ALONE);
    dg_diff_alignment_clear(&alignment);
}
END_TEST

START_TEST(nodes_behind_an_insertion_are_opposite_each_other_again)
{
    given_texts("abcdefgh", "abcXYdefgh");
    pair(true);
    ck_assert_uint_eq(alignment.n_pairs, 8);
    ck_assert_uint_eq(alignment.others[0][3], 5);
    dg_diff_alignment_clear(&alignment);
}
END_TEST

Suite *align_suite(void)
{
    Suite *suite = suite_create("align");
    TCase *all = tcase_create("all");

    tcase_add_test(
        all, the_first_of_a_key_is_paired_with_the_first_the_second_with_the_second);
    tcase_add_test(all, where_one_side_has_more_of_a_key_none_of_it_is_paired_at_first);
    tcase_add_test(all, nodes_behind_an_insertion_are_opposite_each_other_again);
    suite_add_tcase(suite, all);
    return suite;
}
