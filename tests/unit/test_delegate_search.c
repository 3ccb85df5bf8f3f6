#include "unit/rules.h"

#include <stdlib.h>

#include "base/hash.h"
#include "formats/weight_search.h"

enum { BLOB = 32, DATA_AT = 64, DATA = 64 };

static struct dg_program program;
static struct dg_input input;
static uint8_t file[DATA_AT + DATA], blob[BLOB];
static const float weight[4] = {1, 2, 3, 4};
static struct dg_searched places[2];

/* A delegate of the .pte whose data lies under the hash of its bytes. */
static void given_delegate(void)
{
    struct dg_arena memory = {0};
    const char *key;

    for (size_t i = 0; i < sizeof(file); i++)
        file[i] = (uint8_t)(i * i);
    memcpy(blob, file, BLOB);
    key = dg_sha256((struct dg_bytes){file + DATA_AT, DATA}, &memory).data;
    rules_open_pte();
    given("INSERT INTO delegate (id, method_id, idx, backend, location, blob_offset,"
          " blob_bytes) VALUES (1, 1, 0, 'XnnpackBackend', 'segment', 0, 32);"
          "INSERT INTO segment (id, artifact_id, idx, kind, offset, file_offset,"
          " size_bytes, stored_bytes) VALUES (1, 1, 3, 'named_data', 64, 64, 64, 64)");
    given_format("INSERT INTO delegate_key VALUES (1, 0, '%s', 'weights', 64);"
                 "INSERT INTO named_data (artifact_id, idx, key, segment_idx,"
                 " size_bytes) VALUES (1, 0, '%s', 3, 64)",
                 key, key);
    dg_arena_clear(&memory);
    input = (struct dg_input){.store = rules_store, .file = {file, sizeof(file)}};
    places[0] = (struct dg_searched){.bytes = {file, BLOB}, .blob = true};
    places[1] = (struct dg_searched){.bytes = {file + DATA_AT, DATA}, .tensor = true};
}

/* Graph 0 is the method's, graph 1 that of its delegate, which has the weight. */
static void given_lowered(void)
{
    struct dg_signature_row *state;
    struct dg_delegate_row *delegate;
    struct dg_constant_row *row;

    program = (struct dg_program){0};
    dg_add_graph(&program)->method = 0;
    dg_add_graph(&program)->method = 0;
    delegate = dg_add_delegate(&program);
    delegate->method = 0;
    delegate->graph = 1;
    delegate->blob = (struct dg_bytes){blob, BLOB};
    state = dg_add_signature(&program);
    state->graph = 1;
    state->direction = "input";
    state->spec = "parameter";
    state->target = dg_text("w");
    row = dg_add_constant(&program);
    row->method = 0;
    row->fqn = dg_text("w");
    row->bytes = (struct dg_bytes){(const uint8_t *)weight, sizeof(weight)};
}

static void open_both(void)
{
    given_delegate();
    given_lowered();
}

static void close_both(void)
{
    dg_program_clear(&program);
    rules_close();
}

static void expect_found(bool found)
{
    const char *what;

    program.constants[0].found = NULL;
    places[1].known = false;
    ck_assert_msg(!dg_find_delegates(&program, &input, places, 2, &rules_err), "%s",
                  rules_err.text);
    what = program.constants[0].found;
    ck_assert(found ? what && !strcmp(what, "inside") : !what);
    ck_assert(places[1].known == found);
}

START_TEST(weights_of_a_delegate_that_both_have_are_found)
{
    expect_found(true);
}
END_TEST

START_TEST(weights_of_a_delegate_with_another_blob_are_not)
{
    file[BLOB - 1]++;
    expect_found(false);
}
END_TEST

START_TEST(weights_of_a_delegate_whose_data_has_other_bytes_are_not)
{
    file[DATA_AT + DATA - 1]++;
    expect_found(false);
}
END_TEST

START_TEST(weights_of_a_delegate_whose_data_is_missing_are_not)
{
    given("DELETE FROM named_data");
    expect_found(false);
}
END_TEST

START_TEST(a_name_that_is_no_hash_says_nothing_of_the_data)
{
    given("UPDATE delegate_key SET key = 'w'; UPDATE named_data SET key = 'w'");
    expect_found(false);
}
END_TEST

START_TEST(a_delegate_of_unknown_names_says_all_where_nothing_is_named)
{
    given("DELETE FROM delegate_key");
    expect_found(false);
    given("DELETE FROM named_data");
    program.constants[0].found = NULL;
    ck_assert(!dg_find_delegates(&program, &input, places, 2, &rules_err));
    ck_assert_str_eq(program.constants[0].found, "inside");
}
END_TEST

START_TEST(a_weight_that_the_host_has_too_is_not_found_by_its_delegate)
{
    struct dg_signature_row *state = dg_add_signature(&program);

    state->graph = 0;
    state->direction = "input";
    state->spec = "parameter";
    state->target = dg_text("w");
    ck_assert(!dg_find_delegates(&program, &input, places, 2, &rules_err));
    ck_assert_ptr_null(program.constants[0].found);
}
END_TEST

Suite *delegate_search_suite(void)
{
    Suite *suite = suite_create("delegate_search");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, open_both, close_both);
    tcase_add_test(all, weights_of_a_delegate_that_both_have_are_found);
    tcase_add_test(all, weights_of_a_delegate_with_another_blob_are_not);
    tcase_add_test(all, weights_of_a_delegate_whose_data_has_other_bytes_are_not);
    tcase_add_test(all, weights_of_a_delegate_whose_data_is_missing_are_not);
    tcase_add_test(all, a_name_that_is_no_hash_says_nothing_of_the_data);
    tcase_add_test(all, a_delegate_of_unknown_names_says_all_where_nothing_is_named);
    tcase_add_test(all, a_weight_that_the_host_has_too_is_not_found_by_its_delegate);
    suite_add_tcase(suite, all);
    return suite;
}
