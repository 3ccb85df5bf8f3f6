#include "unit/suite.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "formats/weight_search.h"

enum { N = 32 };

static struct dg_program program;
static float weight[N], file[4 * N];

static void open_weight(void)
{
    struct dg_constant_row *row;

    program = (struct dg_program){0};
    for (int i = 0; i < N; i++)
        weight[i] = (float)(i * i) / 7;
    row = dg_add_constant(&program);
    row->dtype = "f32";
    row->bytes = (struct dg_bytes){(const uint8_t *)weight, sizeof(weight)};
}

static void close_weight(void)
{
    dg_program_clear(&program);
}

static void look(struct dg_searched *places, size_t n_places)
{
    for (size_t i = 0; i < program.n_constants; i++)
        program.constants[i].found = NULL;
    dg_find_weights(&program, places, n_places);
}

/* What is said of the weight, when `size` bytes at `at` are a tensor or a blob. */
static const char *found(const void *at, size_t size, bool tensor)
{
    struct dg_searched place = {{at, size}, tensor, !tensor};

    look(&place, 1);
    return program.constants[0].found;
}

START_TEST(a_weight_is_found_where_a_tensor_has_its_bytes)
{
    memcpy(file, weight, sizeof(weight));
    ck_assert_str_eq(found(file, sizeof(weight), true), "whole");
    file[3] += 1;
    ck_assert_str_eq(found(file, sizeof(weight), true), "other");
}
END_TEST

START_TEST(a_weight_is_found_where_a_tensor_has_its_elements_in_another_order)
{
    for (int i = 0; i < N; i++)
        file[i] = weight[(i % 4) * (N / 4) + i / 4];
    ck_assert_str_eq(found(file, sizeof(weight), true), "whole");
    file[3] = file[4];
    ck_assert_str_eq(found(file, sizeof(weight), true), "other");
}
END_TEST

/* In another order, too. */
START_TEST(halves_are_found_where_a_tensor_has_them_as_f32)
{
    static uint16_t halves[N];

    for (int i = 0; i < N; i++) {
        halves[i] = (uint16_t)(0x3c00 + 33 * i);
        file[N - 1 - i] = dg_f16_value(halves[i]);
    }
    program.constants[0].dtype = "f16";
    program.constants[0].bytes =
        (struct dg_bytes){(const uint8_t *)halves, sizeof(halves)};
    ck_assert_str_eq(found(file, N * sizeof(float), true), "whole");
    ck_assert_str_eq(found(file, (N + 1) * sizeof(float), true), "no");
    file[3] = nextafterf(file[3], 2);
    ck_assert_str_eq(found(file, N * sizeof(float), true), "no");
}
END_TEST

START_TEST(others_are_tensors_of_the_type_and_size_that_are_no_weight)
{
    struct dg_searched places[] = {
        {{(const uint8_t *)file, sizeof(weight)}, .tensor = true}, {{0}}};
    struct dg_constant_row *second;
    static float zeros[N];

    memset(file, 0, sizeof(file));
    places[0].dtype = dg_dtype_of_name(dg_text("i32"));
    look(places, 1);
    ck_assert_str_eq(program.constants[0].found, "no");
    places[0].dtype = dg_dtype_of_name(dg_text("f32"));
    look(places, 1);
    ck_assert_str_eq(program.constants[0].found, "other");
    second = dg_add_constant(&program);
    second->dtype = "f32";
    second->bytes = (struct dg_bytes){(const uint8_t *)zeros, sizeof(zeros)};
    look(places, 1);
    ck_assert_str_eq(program.constants[0].found, "uniform");
    ck_assert_str_eq(program.constants[1].found, "trivial");
}
END_TEST

START_TEST(as_many_are_other_as_there_are_tensors)
{
    static float more[N];
    struct dg_constant_row *second = dg_add_constant(&program);

    for (int i = 0; i < N; i++)
        file[i] = more[i] = 1.0f / (float)(i + 3);
    file[0] = 0;
    second->dtype = "f32";
    second->bytes = (struct dg_bytes){(const uint8_t *)more, sizeof(more)};
    found(file, sizeof(weight), true);
    ck_assert_int_eq(strcmp(program.constants[0].found, "other") == 0,
                     strcmp(program.constants[1].found, "no") == 0);
}
END_TEST

START_TEST(a_weight_is_found_anywhere_in_a_blob)
{
    char *blob = (char *)file;

    for (size_t at = 0; at < sizeof(file) - sizeof(weight); at += 13) {
        memset(blob, 0, sizeof(file));
        memcpy(blob + at, weight, sizeof(weight));
        ck_assert_str_eq(found(blob, sizeof(file), false), "inside");
        blob[at + sizeof(weight) - 1] ^= 1;
        ck_assert_str_eq(found(blob, sizeof(file), false), "no");
    }
}
END_TEST

START_TEST(what_was_found_already_is_not_looked_for)
{
    struct dg_searched place = {{(const uint8_t *)file, sizeof(weight)},
                                .tensor = true};

    program.constants[0].found = "inside";
    dg_find_weights(&program, &place, 1);
    ck_assert_str_eq(program.constants[0].found, "inside");
}
END_TEST

START_TEST(half_a_weight_is_not_found)
{
    ck_assert_str_eq(found(weight, sizeof(weight) / 2, true), "no");
    ck_assert_str_eq(found(weight, sizeof(weight) - 1, false), "no");
}
END_TEST

START_TEST(equal_elements_and_few_bytes_are_not_looked_for)
{
    for (int i = 0; i < N; i++)
        weight[i] = 1;
    ck_assert_str_eq(found(weight, sizeof(weight), true), "trivial");
    weight[0] = 2;
    program.constants[0].bytes.size = 8;
    ck_assert_str_eq(found(weight, 8, true), "trivial");
}
END_TEST

START_TEST(weights_that_are_alike_up_to_their_end_take_no_longer)
{
    enum { SIZE = 1 << 20 };
    uint8_t *blob = calloc(1, SIZE), *likeness = calloc(1, SIZE / 2);

    likeness[0] = 1;
    likeness[SIZE / 2 - 1] = 2;
    for (size_t i = 0; i < SIZE; i += 16)
        blob[i] = 1;
    for (size_t i = 0; i < SIZE / 2 - 16; i += 16)
        likeness[i] = 1;
    program.constants[0].dtype = "u8";
    program.constants[0].bytes = (struct dg_bytes){likeness, SIZE / 2};
    ck_assert_str_eq(found(blob, SIZE, false), "no");
    free(blob);
    free(likeness);
}
END_TEST

Suite *weight_search_suite(void)
{
    Suite *suite = suite_create("weight_search");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, open_weight, close_weight);
    tcase_add_test(all, a_weight_is_found_where_a_tensor_has_its_bytes);
    tcase_add_test(all,
                   a_weight_is_found_where_a_tensor_has_its_elements_in_another_order);
    tcase_add_test(all, a_weight_is_found_anywhere_in_a_blob);
    tcase_add_test(all, halves_are_found_where_a_tensor_has_them_as_f32);
    tcase_add_test(all, others_are_tensors_of_the_type_and_size_that_are_no_weight);
    tcase_add_test(all, as_many_are_other_as_there_are_tensors);
    tcase_add_test(all, what_was_found_already_is_not_looked_for);
    tcase_add_test(all, half_a_weight_is_not_found);
    tcase_add_test(all, equal_elements_and_few_bytes_are_not_looked_for);
    tcase_add_test(all, weights_that_are_alike_up_to_their_end_take_no_longer);
    suite_add_tcase(suite, all);
    return suite;
}
