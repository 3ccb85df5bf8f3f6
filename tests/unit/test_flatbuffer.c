#include "unit/suite.h"

#include <string.h>

#include "formats/flatbuffer.h"

enum { NUMBER, NAME, WORDS, CHILD, CHILDREN, CHOICE_TYPE, CHOICE };

static const struct dg_table_type item;
static const struct dg_table_type *const choices[] = {NULL, &item};
static const struct dg_field fields[] = {
    [NUMBER] = {"number", DG_FIELD_SCALAR, .bytes = 4},
    [NAME] = {"name", DG_FIELD_STRING},
    [WORDS] = {"words", DG_FIELD_VECTOR, .bytes = 4},
    [CHILD] = {"child", DG_FIELD_TABLE, .type = &item},
    [CHILDREN] = {"children", DG_FIELD_TABLES, .type = &item},
    [CHOICE_TYPE] = {"choice_type", DG_FIELD_SCALAR, .bytes = 1},
    [CHOICE] = {"choice", DG_FIELD_UNION, .members = choices, .n_members = 2},
};
static const struct dg_table_type item = {"Item", fields, 7};

enum { VTABLE = 4, ROOT = 28 };

static _Alignas(8) uint8_t buffer[4096];

static void put16(size_t at, unsigned value)
{
    buffer[at] = (uint8_t)value;
    buffer[at + 1] = (uint8_t)(value >> 8);
}

static void put32(size_t at, uint32_t value)
{
    put16(at, value);
    put16(at + 2, value >> 16);
}

/* A root table at ROOT with room for `bytes` bytes and no field; its vtable has slots
 * for all seven, and one that is not described. */
static void begin(unsigned bytes)
{
    memset(buffer, 0, sizeof(buffer));
    put32(0, ROOT);
    put16(VTABLE, 20);
    put16(VTABLE + 2, bytes);
    put32(ROOT, ROOT - VTABLE);
}

static void place(unsigned field, unsigned offset)
{
    put16(VTABLE + 4 + 2 * field, offset);
}

/* An offset in the root table's field. */
static void point(unsigned field, unsigned offset, size_t target)
{
    place(field, offset);
    put32(ROOT + offset, (uint32_t)(target - ROOT - offset));
}

static struct dg_error err;
static size_t n_unknown;

static enum dg_status verify(size_t size)
{
    return dg_flatbuffer_verify((struct dg_bytes){buffer, size}, &item, &n_unknown,
                                &err);
}

static void refused(size_t size, const char *why)
{
    err = (struct dg_error){0};
    ck_assert_int_eq(verify(size), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, why), "%s", err.text);
}

static struct dg_flatbuffer_table root(void)
{
    return dg_flatbuffer_root((struct dg_bytes){buffer, sizeof(buffer)}, &item);
}

START_TEST(fields_read_back_as_they_were_stored)
{
    begin(16);
    place(NUMBER, 4);
    put32(ROOT + 4, (uint32_t)-7);
    point(NAME, 8, 64);
    put32(64, 3);
    memcpy(buffer + 68, "abc", 4);
    point(WORDS, 12, 72);
    put32(72, 2);
    put32(80, 9);
    ck_assert_int_eq(verify(84), DG_OK);
    ck_assert_int_eq(dg_table_i32(root(), NUMBER, 1), -7);
    ck_assert(dg_text_is(dg_table_string(root(), NAME), "abc"));
    ck_assert_uint_eq(dg_table_vector(root(), WORDS).n, 2);
    ck_assert_uint_eq(dg_u32(dg_table_vector(root(), WORDS).at + 4), 9);
}

START_TEST(absent_fields_have_their_defaults)
{
    begin(4);
    ck_assert_int_eq(verify(64), DG_OK);
    ck_assert(!dg_table_has(root(), NUMBER));
    ck_assert_int_eq(dg_table_i32(root(), NUMBER, 5), 5);
    ck_assert_ptr_null(dg_table_string(root(), NAME).data);
    ck_assert_ptr_null(dg_table_table(root(), CHILD).at);
    ck_assert_uint_eq(dg_table_vector(root(), CHILDREN).n, 0);
    ck_assert_int_eq(dg_table_i32(dg_table_table(root(), CHILD), NUMBER, 5), 5);
}

START_TEST(a_vector_of_2_31_items_is_refused)
{
    begin(8);
    point(WORDS, 4, 64);
    put32(64, UINT32_C(1) << 31);
    refused(sizeof(buffer), "Item.words has more items");
    put32(64, UINT32_MAX);
    refused(sizeof(buffer), "Item.words has more items");
}

START_TEST(a_vector_may_end_with_the_buffer_and_no_later)
{
    begin(8);
    point(WORDS, 4, 64);
    put32(64, 4);
    ck_assert_int_eq(verify(84), DG_OK);
    refused(83, "Item.words has more items");
}

START_TEST(a_string_must_end_with_nul)
{
    begin(8);
    point(NAME, 4, 64);
    put32(64, 3);
    memcpy(buffer + 68, "abcd", 4);
    refused(sizeof(buffer), "does not end with NUL");
    refused(71, "does not end with NUL");
}

START_TEST(offsets_outside_of_the_buffer_are_refused)
{
    begin(8);
    point(CHILD, 4, 64);
    put32(ROOT + 4, UINT32_MAX - 3);
    refused(sizeof(buffer), "byte 32: Item.child points outside");
    put32(ROOT + 4, 0);
    refused(sizeof(buffer), "byte 32: Item.child points outside");
    put32(0, 4096);
    refused(sizeof(buffer), "Item.root points outside");
}

START_TEST(a_broken_vtable_is_refused)
{
    begin(4);
    put32(ROOT, (uint32_t)-5000);
    refused(sizeof(buffer), "vtable outside");
    put32(ROOT, ROOT - VTABLE);
    put16(VTABLE, 3);
    refused(sizeof(buffer), "vtable of impossible size");
    put16(VTABLE, 20);
    put16(VTABLE + 2, 5000);
    refused(sizeof(buffer), "reaches past the end");
}

START_TEST(a_field_outside_of_its_table_is_refused)
{
    begin(8);
    place(NUMBER, 8);
    refused(sizeof(buffer), "Item.number lies outside of its table");
    place(NUMBER, 2);
    refused(sizeof(buffer), "Item.number lies outside of its table");
}

START_TEST(a_member_that_is_not_described_stays_unread)
{
    begin(12);
    place(CHOICE_TYPE, 4);
    buffer[ROOT + 4] = 9;
    point(CHOICE, 8, 64);
    put32(64, UINT32_MAX);
    ck_assert_int_eq(verify(sizeof(buffer)), DG_OK);
    ck_assert_ptr_null(dg_table_union(root(), CHOICE).at);
    buffer[ROOT + 4] = 1;
    refused(sizeof(buffer), "vtable outside");
}

START_TEST(a_member_of_type_none_or_unknown_is_handed_to_nobody)
{
    static const uint8_t types[] = {0, 2, 255};

    for (size_t i = 0; i < sizeof(types); i++) {
        begin(12);
        place(CHOICE_TYPE, 4);
        buffer[ROOT + 4] = types[i];
        point(CHOICE, 8, 64);
        put32(64, UINT32_MAX);
        ck_assert_int_eq(verify(sizeof(buffer)), DG_OK);
        ck_assert(dg_table_has(root(), CHOICE));
        ck_assert_ptr_null(dg_table_union(root(), CHOICE).at);
    }
}

START_TEST(fields_beyond_the_known_ones_are_counted)
{
    begin(8);
    ck_assert_int_eq(verify(64), DG_OK);
    ck_assert_uint_eq(n_unknown, 0);
    place(7, 4);
    ck_assert_int_eq(verify(64), DG_OK);
    ck_assert_uint_eq(n_unknown, 1);
}

/* A table whose only field, at `offset` 4, is reached from the one 8 bytes before. */
static size_t chain(size_t n, unsigned field)
{
    place(field, 4);
    for (size_t i = 0; i < n; i++) {
        put32(ROOT + 8 * i, (uint32_t)(ROOT + 8 * i - VTABLE));
        put32(ROOT + 8 * i + 4, 4);
    }
    put32(ROOT + 8 * n, (uint32_t)(ROOT + 8 * n - VTABLE));
    put32(ROOT + 8 * n + 4, (uint32_t)(4000 - ROOT - 8 * n - 4));
    put16(4000 - 6, 4);
    put16(4000 - 4, 4);
    put32(4000, 6);
    return sizeof(buffer);
}

START_TEST(tables_may_nest_64_deep)
{
    begin(8);
    ck_assert_int_eq(verify(chain(62, CHILD)), DG_OK);
    begin(8);
    refused(chain(63, CHILD), "nested more than 64 tables deep");
}

/* Each of 40 tables has a list that names the next one twice. */
START_TEST(sharing_that_multiplies_the_contents_is_refused)
{
    enum { STEP = 20 };

    begin(8);
    place(CHILDREN, 4);
    for (size_t i = 0; i < 40; i++) {
        size_t at = ROOT + STEP * i;

        put32(at, (uint32_t)(at - VTABLE));
        put32(at + 4, 4);
        put32(at + 8, i < 39 ? 2 : 0);
        put32(at + 12, 8);
        put32(at + 16, 4);
    }
    refused(sizeof(buffer), "shared too often");
}

START_TEST(the_root_can_be_asked_before_verification)
{
    const struct dg_bytes whole = {buffer, sizeof(buffer)};

    begin(8);
    place(NUMBER, 4);
    ck_assert(dg_flatbuffer_root_has(whole, NUMBER));
    ck_assert(!dg_flatbuffer_root_has(whole, CHILD));
    put32(0, UINT32_MAX);
    ck_assert(!dg_flatbuffer_root_has(whole, NUMBER));
    ck_assert(!dg_flatbuffer_root_has((struct dg_bytes){buffer, 3}, NUMBER));
}

Suite *flatbuffer_suite(void)
{
    Suite *suite = suite_create("flatbuffer");
    TCase *tests = tcase_create("all");

    tcase_add_test(tests, fields_read_back_as_they_were_stored);
    tcase_add_test(tests, absent_fields_have_their_defaults);
    tcase_add_test(tests, a_vector_of_2_31_items_is_refused);
    tcase_add_test(tests, a_vector_may_end_with_the_buffer_and_no_later);
    tcase_add_test(tests, a_string_must_end_with_nul);
    tcase_add_test(tests, offsets_outside_of_the_buffer_are_refused);
    tcase_add_test(tests, a_broken_vtable_is_refused);
    tcase_add_test(tests, a_field_outside_of_its_table_is_refused);
    tcase_add_test(tests, a_member_that_is_not_described_stays_unread);
    tcase_add_test(tests, a_member_of_type_none_or_unknown_is_handed_to_nobody);
    tcase_add_test(tests, fields_beyond_the_known_ones_are_counted);
    tcase_add_test(tests, tables_may_nest_64_deep);
    tcase_add_test(tests, sharing_that_multiplies_the_contents_is_refused);
    tcase_add_test(tests, the_root_can_be_asked_before_verification);
    suite_add_tcase(suite, tests);
    return suite;
}
