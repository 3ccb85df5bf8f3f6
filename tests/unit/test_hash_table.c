#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text_set.h"

enum { MANY = 10000 };

START_TEST(a_text_is_found_by_its_bytes_and_keeps_its_number)
{
    char copy[] = "beta";
    struct dg_text_set set = {0};

    ck_assert_uint_eq(dg_text_set_add(&set, dg_text("alpha")), 0);
    ck_assert_uint_eq(dg_text_set_add(&set, dg_text("beta")), 1);
    ck_assert_uint_eq(dg_text_set_add(&set, dg_text(copy)), 1);
    ck_assert_uint_eq(dg_text_set_add(&set, dg_text("")), 2);
    ck_assert_uint_eq(dg_text_set_find(&set, dg_text("alpha")), 0);
    ck_assert_uint_eq(dg_text_set_find(&set, (struct dg_text){0}), 2);
    ck_assert_uint_eq(set.n_texts, 3);
    dg_text_set_clear(&set);
}

START_TEST(what_was_not_added_is_absent)
{
    struct dg_text_set set = {0};

    ck_assert_uint_eq(dg_text_set_find(&set, dg_text("alpha")), DG_NO_TEXT);
    dg_text_set_add(&set, dg_text("alpha"));
    ck_assert_uint_eq(dg_text_set_find(&set, dg_text("alph")), DG_NO_TEXT);
    ck_assert_uint_eq(dg_text_set_find(&set, dg_text("")), DG_NO_TEXT);
    dg_text_set_clear(&set);
}

START_TEST(growing_keeps_every_number)
{
    struct dg_text_set texts = {0};
    struct dg_int_set ints = {0};
    struct dg_arena memory = {0};

    for (uint32_t i = 0; i < MANY; i++) {
        ck_assert_uint_eq(dg_text_set_add(&texts, dg_format(&memory, "node_%u", i)), i);
        ck_assert_uint_eq(dg_int_set_add(&ints, (uint64_t)i << 40), i);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        ck_assert_uint_eq(dg_text_set_find(&texts, dg_format(&memory, "node_%u", i)),
                          i);
        ck_assert_uint_eq(dg_int_set_add(&ints, (uint64_t)i << 40), i);
    }
    ck_assert_uint_eq(texts.n_texts, MANY);
    ck_assert_uint_eq(ints.n_values, MANY);
    dg_text_set_clear(&texts);
    dg_int_set_clear(&ints);
    dg_arena_clear(&memory);
}

START_TEST(room_that_was_expected_changes_no_number)
{
    static const uint32_t expected[] = {0, 1, 100, MANY, 5 * MANY};
    struct dg_int_set ints = {0};

    for (size_t e = 0; e < sizeof(expected) / sizeof(*expected); e++) {
        dg_hash_table_expect(&ints.table, expected[e]);
        for (uint32_t i = 0; i < MANY; i++)
            ck_assert_uint_eq(dg_int_set_add(&ints, (uint64_t)i << 40), i);
    }
    dg_int_set_clear(&ints);
}

/* Things that are called by the number behind the first character. */
static bool same_number(const void *things, uint32_t number, struct dg_text key)
{
    return ((const int *)things)[number] == atoi(key.data + 1);
}

START_TEST(things_of_equal_hashes_are_told_apart_by_the_caller)
{
    enum { SOME = 100 };
    struct dg_hash_table table = {0};
    int things[SOME];

    /* A size of one byte: to the hash all keys are "n". */
    for (int i = 0; i < SOME; i++) {
        char text[16];

        snprintf(text, sizeof(text), "n%d", i);
        ck_assert_uint_eq(
            dg_hash_table_add(&table, (struct dg_text){text, 1}, same_number, things),
            (uint32_t)i);
        things[i] = i;
    }
    ck_assert_uint_eq(
        dg_hash_table_find(&table, (struct dg_text){"n7", 1}, same_number, things), 7);
    ck_assert_uint_eq(
        dg_hash_table_find(&table, (struct dg_text){"n100", 1}, same_number, things),
        DG_NO_NUMBER);
    dg_hash_table_clear(&table);
}

START_TEST(two_tables_draw_seeds_of_their_own)
{
    struct dg_int_set one = {0}, other = {0};

    dg_int_set_add(&one, 1);
    dg_int_set_add(&other, 1);
    ck_assert_uint_ne(one.table.seed, other.table.seed);
    dg_int_set_clear(&one);
    dg_int_set_clear(&other);
}

START_TEST(an_emptied_table_in_an_arena_forgets_and_fills_again)
{
    struct dg_arena memory = {0};
    struct dg_hash_table table = {.memory = &memory};
    int things[MANY];
    const struct dg_hash_slot *room;

    for (int round = 0; round < 2; round++) {
        ck_assert_uint_eq(
            dg_hash_table_find(&table, dg_text("n0"), same_number, things),
            DG_NO_NUMBER);
        for (int i = 0; i < MANY; i++) {
            struct dg_text key = dg_format(&memory, "n%d", i);

            ck_assert_uint_eq(dg_hash_table_add(&table, key, same_number, things),
                              (uint32_t)i);
            things[i] = i;
        }
        ck_assert(!round || table.slots == room);
        room = table.slots;
        dg_hash_table_empty(&table);
    }
    dg_arena_clear(&memory);
}

Suite *hash_table_suite(void)
{
    Suite *suite = suite_create("hash_table");
    TCase *all = tcase_create("all");

    tcase_add_test(all, a_text_is_found_by_its_bytes_and_keeps_its_number);
    tcase_add_test(all, what_was_not_added_is_absent);
    tcase_add_test(all, growing_keeps_every_number);
    tcase_add_test(all, room_that_was_expected_changes_no_number);
    tcase_add_test(all, things_of_equal_hashes_are_told_apart_by_the_caller);
    tcase_add_test(all, two_tables_draw_seeds_of_their_own);
    tcase_add_test(all, two_tables_draw_seeds_of_their_own);
    tcase_add_test(all, an_emptied_table_in_an_arena_forgets_and_fills_again);
    suite_add_tcase(suite, all);
    return suite;
}
