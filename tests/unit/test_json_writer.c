#include "unit/suite.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"

static void is_written(struct dg_json_writer *json, const char *expected)
{
    dg_json_written(json);
    ck_assert_str_eq(json->out->data, expected);
    dg_writer_clear(json->out);
}

START_TEST(commas_and_brackets_come_by_themselves)
{
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_object(&json, NULL);
    dg_put_int(&json, "schema_version", 1);
    dg_put_array(&json, "nodes");
    dg_put_object(&json, NULL);
    dg_put_bool(&json, "yes", true);
    dg_put_bool(&json, "no", false);
    dg_put_end(&json);
    dg_put_array(&json, NULL);
    dg_put_end(&json);
    dg_put_known(&json, NULL, -1);
    dg_put_known(&json, NULL, 7);
    dg_put_end(&json);
    dg_put_null(&json, "rest");
    dg_put_end(&json);
    is_written(&json, "{\"schema_version\":1,\"nodes\":[{\"yes\":true,\"no\":false},[],"
                      "null,7],\"rest\":null}");
}

START_TEST(texts_and_names_are_escaped_and_an_absent_text_is_null)
{
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_object(&json, NULL);
    dg_put_name(&json, dg_text("a\"b"));
    dg_put_text(&json, NULL, dg_text("\n"));
    dg_put_text(&json, "empty", dg_text(""));
    dg_put_text(&json, "absent", (struct dg_text){0});
    dg_print(dg_put_raw(&json, "raw"), "%.1f", 0.5);
    dg_put_end(&json);
    is_written(&json,
               "{\"a\\\"b\":\"\\n\",\"empty\":\"\",\"absent\":null,\"raw\":0.5}");
}

START_TEST(a_line_begins_behind_the_comma_and_documents_follow_one_another)
{
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    for (int i = 0; i < 2; i++) {
        dg_put_array(&json, NULL);
        dg_put_line(&json);
        dg_put_int(&json, NULL, 1);
        dg_put_line(&json);
        dg_put_int(&json, NULL, 2);
        dg_put_end(&json);
    }
    is_written(&json, "[\n1,\n2][\n1,\n2]");
}

START_TEST(a_value_without_a_key_in_an_object_is_a_bug)
{
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_object(&json, NULL);
    dg_put_int(&json, NULL, 1);
}

START_TEST(what_is_left_open_is_a_bug)
{
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_array(&json, NULL);
    dg_json_written(&json);
}

/* Without a process for each test nothing may end one. */
static bool each_has_a_process(void)
{
    const char *fork = getenv("CK_FORK");

    return !fork || strcmp(fork, "no") != 0;
}

Suite *json_writer_suite(void)
{
    Suite *suite = suite_create("json_writer");
    TCase *all = tcase_create("all");

    tcase_add_test(all, commas_and_brackets_come_by_themselves);
    tcase_add_test(all, texts_and_names_are_escaped_and_an_absent_text_is_null);
    tcase_add_test(all,
                   a_line_begins_behind_the_comma_and_documents_follow_one_another);
    if (each_has_a_process()) {
        tcase_add_test_raise_signal(all, a_value_without_a_key_in_an_object_is_a_bug,
                                    SIGABRT);
        tcase_add_test_raise_signal(all, what_is_left_open_is_a_bug, SIGABRT);
    }
    suite_add_tcase(suite, all);
    return suite;
}
