#include "unit/suite.h"

#include <libdeflate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/json.h"

static struct dg_arena memory;
static struct dg_error err;
static struct dg_json json;

static void begin(const char *text)
{
    err = (struct dg_error){0};
    dg_json_begin(&json, dg_text(text), "model.json", &memory, &err);
}

static void clear(void)
{
    dg_arena_clear(&memory);
}

static void expect_skipped(const char *text)
{
    begin(text);
    dg_json_skip(&json);
    ck_assert_msg(dg_json_end(&json) == DG_OK, "%s: %s", text, err.text);
}

static void expect_refused(const char *text, const char *message)
{
    begin(text);
    dg_json_skip(&json);
    ck_assert_int_eq(dg_json_end(&json), DG_ERR_FORMAT);
    ck_assert_str_eq(err.text, message);
}

static void expect_string(const char *text, const char *value)
{
    struct dg_text string;

    begin(text);
    string = dg_json_string(&json);
    ck_assert_msg(dg_json_end(&json) == DG_OK, "%s: %s", text, err.text);
    ck_assert_msg(dg_text_is(string, value), "%s", text);
}

static bool read_int(const char *text, int64_t *value)
{
    begin(text);
    *value = dg_json_int(&json);
    return dg_json_end(&json) == DG_OK;
}

static double read_double(const char *text)
{
    double value;

    begin(text);
    value = dg_json_double(&json);
    ck_assert_msg(dg_json_end(&json) == DG_OK, "%s: %s", text, err.text);
    return value;
}

/* Walk one object of any values; whether all keys were accepted. */
static bool walk_object(struct dg_text text)
{
    struct dg_text key;

    err = (struct dg_error){0};
    dg_json_begin(&json, text, "model.json", &memory, &err);
    dg_json_object(&json);
    while (dg_json_key(&json, &key))
        dg_json_skip(&json);
    return dg_json_end(&json) == DG_OK;
}

START_TEST(objects_and_arrays_are_walked_in_order)
{
    struct dg_text key;
    int64_t sum = 0;

    begin(" {\"a\" : [1, 2,3], \"b\": null, \"c\": {}, \"d\": true} ");
    dg_json_object(&json);
    while (dg_json_key(&json, &key)) {
        if (dg_text_is(key, "a")) {
            dg_json_array(&json);
            while (dg_json_item(&json))
                sum = sum * 10 + dg_json_int(&json);
        } else if (dg_text_is(key, "b")) {
            ck_assert(dg_json_null(&json));
        } else if (dg_text_is(key, "d")) {
            ck_assert(!dg_json_null(&json) && dg_json_bool(&json));
        } else {
            ck_assert_int_eq(dg_json_peek(&json), DG_JSON_OBJECT);
            ck_assert(dg_text_is(dg_json_skip(&json), "{}"));
        }
    }
    ck_assert_int_eq(dg_json_end(&json), DG_OK);
    ck_assert_int_eq(sum, 123);
}

START_TEST(strings_are_unescaped)
{
    expect_string("\"plain\"", "plain");
    expect_string("\"\"", "");
    expect_string("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    expect_string("\"File \\\"m.py\\\", line 3\\n    return x\\n\"",
                  "File \"m.py\", line 3\n    return x\n");
    expect_string("\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac");
    expect_string("\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!");
    expect_string("\"caf\xc3\xa9 and more\"", "caf\xc3\xa9 and more");
}

START_TEST(half_of_a_surrogate_pair_becomes_the_replacement_character)
{
    expect_string("\"\\udc80\"", "\xef\xbf\xbd");
    expect_string("\"\\ud83d\\u0041\"", "\xef\xbf\xbd"
                                        "A");
    expect_string("\"\\ud83d\"", "\xef\xbf\xbd");
}

START_TEST(strings_without_escapes_are_not_copied)
{
    const char *text = "\"a long name without any escapes\"";

    begin(text);
    ck_assert_ptr_eq(dg_json_string(&json).data, text + 1);
    ck_assert_ptr_null(memory.blocks);
}

START_TEST(raw_strings_can_be_unescaped_later)
{
    struct dg_text raw;

    begin("\"a\\nb\"");
    raw = dg_json_raw_string(&json);
    ck_assert(dg_text_is(raw, "a\\nb"));
    ck_assert(dg_text_is(dg_json_unescape(&json, raw), "a\nb"));
}

START_TEST(broken_strings_are_refused)
{
    expect_refused("\"a\\u0000\"", "model.json: byte 2, $: expected text without NUL "
                                   "(\\u0000)");
    expect_refused("\"\xc0\x80\"", "model.json: byte 1, $: expected UTF-8 in a string");
    expect_refused("\"12345678\xff\"",
                   "model.json: byte 1, $: expected UTF-8 in a string");
    expect_refused("\"a\nb\"", "model.json: byte 2, $: expected no control character "
                               "(0x0a) in a string");
    expect_refused("\"\\x\"",
                   "model.json: byte 1, $: expected an escape that JSON knows");
    expect_refused("\"\\u12g4\"", "model.json: byte 1, $: expected four hexadecimal "
                                  "digits after \\u");
    expect_refused("\"abc", "model.json: byte 4, $: expected '\"' at the end of the "
                            "string");
}

START_TEST(integers_are_exact_to_the_ends_of_64_bits)
{
    int64_t value;

    ck_assert(read_int("9223372036854775807", &value) && value == INT64_MAX);
    ck_assert(read_int("-9223372036854775808", &value) && value == INT64_MIN);
    ck_assert(read_int("-0", &value) && value == 0);
    ck_assert(!read_int("9223372036854775808", &value));
    ck_assert_str_eq(err.text,
                     "model.json: byte 0, $: expected a 64-bit integer, found "
                     "9223372036854775808");
    ck_assert(!read_int("-9223372036854775809", &value));
    ck_assert(!read_int("1.0", &value));
    ck_assert(!read_int("1e3", &value));
    ck_assert(!read_int("Infinity", &value));
}

START_TEST(doubles_may_be_bare_or_quoted_when_not_finite)
{
    ck_assert_double_eq(read_double("-2.5e3"), -2500);
    ck_assert_double_eq(read_double("7"), 7);
    ck_assert(isinf(read_double("Infinity")) && isinf(read_double("\"Infinity\"")));
    ck_assert(read_double("-Infinity") < 0 && read_double("\"-Infinity\"") < 0);
    ck_assert(isnan(read_double("NaN")) && isnan(read_double("\"NaN\"")));
    begin("\"nan\"");
    dg_json_double(&json);
    ck_assert_int_eq(dg_json_end(&json), DG_ERR_FORMAT);
}

START_TEST(malformed_numbers_are_refused)
{
    static const char *const wrong[] = {"01",  "1.",  "-",   ".5",  "+1",
                                        "1e",  "1e+", "0x1", "Inf", "-NaN",
                                        "--1", "1 2", "1a",  "nan"};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        begin(wrong[i]);
        dg_json_skip(&json);
        ck_assert_msg(dg_json_end(&json) == DG_ERR_FORMAT, "%s", wrong[i]);
    }
}

START_TEST(numbers_have_at_most_64_characters)
{
    char text[66];

    memset(text, '1', 65);
    text[64] = text[65] = '\0';
    expect_skipped(text);
    text[64] = '1';
    expect_refused(text, "model.json: byte 0, $: expected a number of at most 64 "
                         "characters");
}

START_TEST(containers_nest_at_most_128_deep)
{
    for (int depth = 128; depth <= 129; depth++) {
        char text[2 * 129 + 1] = "";

        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        begin(text);
        dg_json_skip(&json);
        ck_assert_int_eq(dg_json_end(&json), depth == 128 ? DG_OK : DG_ERR_FORMAT);
    }
}

START_TEST(duplicate_keys_of_a_walked_object_are_refused)
{
    ck_assert(walk_object(dg_text("{\"a\": 1, \"b\": 2, \"aa\": 3}")));
    ck_assert(!walk_object(dg_text("{\"a\": 1, \"b\": 2, \"\\u0061\": 3}")));
    ck_assert_str_eq(err.text, "model.json: byte 17, $.a: expected each key once");
}

/* An object of `count` keys, the last one as given. */
static char *many_keys(int count, const char *last)
{
    char *text = malloc((size_t)count * 24 + 64), *at = text;

    at += sprintf(at, "{");
    for (int i = 0; i < count; i++)
        at += sprintf(at, "\"k%s%d\":0,", i % 7 ? "" : "\\n", i);
    sprintf(at, "\"%s\":0}", last);
    return text;
}

START_TEST(duplicate_keys_are_found_among_many)
{
    static const int counts[] = {7, 8, 9, 24, 25, 1000, 300000};
    char name[32];

    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        char *text = many_keys(counts[i], "new");

        ck_assert_msg(walk_object(dg_text(text)), "%s", err.text);
        free(text);
        for (int twin = 0; twin < 2; twin++) {
            sprintf(name, "k%s%d", twin % 7 ? "" : "\\u000a", twin);
            text = many_keys(counts[i], name);
            ck_assert(!walk_object(dg_text(text)));
            free(text);
        }
    }
}

START_TEST(objects_side_by_side_may_have_the_same_keys)
{
    struct dg_text key;

    begin("[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2}]");
    dg_json_array(&json);
    while (dg_json_item(&json)) {
        dg_json_object(&json);
        while (dg_json_key(&json, &key))
            dg_json_skip(&json);
    }
    ck_assert_int_eq(dg_json_end(&json), DG_OK);
}

START_TEST(skipped_values_are_checked_for_syntax)
{
    expect_skipped("{\"a\": [1, {\"b\": \"\\n\"}, []], \"c\": -1.5}");
    expect_refused("{\"a\" 1}", "model.json: byte 5, $.a: expected ':' after the key");
    expect_refused("[1,]",
                   "model.json: byte 3, $[0]: expected another value after ','");
    expect_refused("[1 2]", "model.json: byte 3, $[0]: expected ',' or ']'");
    expect_refused("[}", "model.json: byte 1, $[0]: expected a value");
    expect_refused("{1: 2}", "model.json: byte 1, $: expected a key in quotes");
    expect_refused("[tru]", "model.json: byte 1, $[0]: expected true");
    expect_refused("{\"a\": [", "model.json: byte 7, $.a[0]: expected a value");
}

START_TEST(a_value_that_is_written_as_one_before_is_stepped_over)
{
    struct dg_text first;

    begin("[{\"a\": [1]},  {\"a\": [1]}, {\"a\": [12]}, {\"a\": [1]}]");
    dg_json_array(&json);
    ck_assert(dg_json_item(&json));
    first = dg_json_skip(&json);
    ck_assert(dg_json_item(&json));
    ck_assert(dg_json_skip_same(&json, first));
    ck_assert(dg_json_item(&json));
    ck_assert(!dg_json_skip_same(&json, first));
    dg_json_skip(&json);
    ck_assert(dg_json_item(&json));
    ck_assert(dg_json_skip_same(&json, first));
    ck_assert(!dg_json_item(&json));
    ck_assert(!dg_json_skip_same(&json, first));
    ck_assert_int_eq(dg_json_end(&json), DG_OK);
}

START_TEST(the_crc_is_that_of_the_whole_text_wherever_the_walk_ends)
{
    char *text = many_keys(100000, "}"), *broken = many_keys(100000, "]");
    char *texts[] = {text, broken};

    for (int i = 0; i < 2; i++) {
        struct dg_text key;
        uint32_t crc = libdeflate_crc32(0, texts[i], strlen(texts[i]));

        for (int n_keys = 0; n_keys <= 100000; n_keys += 50000) {
            begin(texts[i]);
            dg_json_sum(&json);
            dg_json_object(&json);
            for (int k = 0; k < n_keys && dg_json_key(&json, &key); k++)
                dg_json_skip(&json);
            ck_assert_uint_eq(dg_json_crc(&json), crc);
            ck_assert_uint_eq(dg_json_crc(&json), crc);
        }
        free(texts[i]);
    }
}

START_TEST(nothing_may_follow_the_outermost_value)
{
    expect_refused("", "model.json: byte 0, $: expected a value");
    expect_refused("{} x", "model.json: byte 3, $: expected the end of the text");
    expect_refused("1 2", "model.json: byte 2, $: expected the end of the text");
}

START_TEST(failures_name_byte_path_and_both_sides)
{
    struct dg_text key;

    begin("{\"graph\": {\"nodes\": [{}, {\"x.weight\": 7}]}}");
    for (dg_json_object(&json); dg_json_key(&json, &key);)
        for (dg_json_object(&json); dg_json_key(&json, &key);)
            for (dg_json_array(&json); dg_json_item(&json);)
                for (dg_json_object(&json); dg_json_key(&json, &key);)
                    dg_json_string(&json);
    ck_assert_int_eq(dg_json_end(&json), DG_ERR_FORMAT);
    ck_assert_str_eq(err.text, "model.json: byte 38, $.graph.nodes[1][\"x.weight\"]: "
                               "expected a string, found a number");
}

START_TEST(the_first_failure_sticks)
{
    begin("[1, 2]");
    dg_json_array(&json);
    ck_assert(dg_json_item(&json));
    dg_json_fail(&json, "expected %s", "something else");
    ck_assert(!dg_json_item(&json));
    ck_assert_int_eq(dg_json_int(&json), 0);
    ck_assert_int_eq(dg_json_end(&json), DG_ERR_FORMAT);
    ck_assert_str_eq(err.text, "model.json: byte 1, $[0]: expected something else");
}

static void add_values(TCase *values)
{
    tcase_add_test(values, strings_are_unescaped);
    tcase_add_test(values, half_of_a_surrogate_pair_becomes_the_replacement_character);
    tcase_add_test(values, strings_without_escapes_are_not_copied);
    tcase_add_test(values, raw_strings_can_be_unescaped_later);
    tcase_add_test(values, broken_strings_are_refused);
    tcase_add_test(values, integers_are_exact_to_the_ends_of_64_bits);
    tcase_add_test(values, doubles_may_be_bare_or_quoted_when_not_finite);
    tcase_add_test(values, malformed_numbers_are_refused);
    tcase_add_test(values, numbers_have_at_most_64_characters);
}

Suite *json_suite(void)
{
    Suite *suite = suite_create("json");
    TCase *walk = tcase_create("walk"), *values = tcase_create("values");

    tcase_add_checked_fixture(walk, NULL, clear);
    tcase_add_test(walk, objects_and_arrays_are_walked_in_order);
    tcase_add_test(walk, containers_nest_at_most_128_deep);
    tcase_add_test(walk, duplicate_keys_of_a_walked_object_are_refused);
    tcase_add_test(walk, duplicate_keys_are_found_among_many);
    tcase_add_test(walk, objects_side_by_side_may_have_the_same_keys);
    tcase_add_test(walk, skipped_values_are_checked_for_syntax);
    tcase_add_test(walk, a_value_that_is_written_as_one_before_is_stepped_over);
    tcase_add_test(walk, the_crc_is_that_of_the_whole_text_wherever_the_walk_ends);
    tcase_add_test(walk, nothing_may_follow_the_outermost_value);
    tcase_add_test(walk, failures_name_byte_path_and_both_sides);
    tcase_add_test(walk, the_first_failure_sticks);
    suite_add_tcase(suite, walk);
    tcase_add_checked_fixture(values, NULL, clear);
    add_values(values);
    suite_add_tcase(suite, values);
    return suite;
}
