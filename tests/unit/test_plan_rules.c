/* Rules about whole methods: names, pytrees, getters, results. */
#include "unit/rules.h"

static void given_method(void)
{
    rules_open_pte();
    given("UPDATE method SET in_spec = 'in', out_spec = 'out'");
}

START_TEST(plan_name_unique_accepts_one_name_in_two_files)
{
    given("INSERT INTO artifact (id, path, kind, size_bytes, version) VALUES"
          " (2, 'b.pte', 'pte', 4096, '{}');"
          "INSERT INTO method VALUES (2, 2, 0, 'forward', 'pte', 'in', 'out')");
    expect("plan/name-unique", "");
}

START_TEST(plan_name_unique_reports_two_methods_of_one_name)
{
    given("INSERT INTO method VALUES (2, 1, 1, 'forward', 'pte', 'in', 'out')");
    expect("plan/name-unique", "error 2 methods are named forward, numbers 0, 1\n");
}

START_TEST(plan_name_accepts_one_character)
{
    given("UPDATE method SET name = 'f'");
    expect("plan/name", "");
}

START_TEST(plan_name_reports_one_that_is_empty)
{
    given("UPDATE method SET name = ''");
    expect("plan/name", "error the name of method 0 is empty\n");
}

START_TEST(plan_method_set_is_not_checked_without_methods)
{
    expect_not_checked("plan/method-set", "no methods are given (--methods NAMES)");
}

START_TEST(plan_method_set_accepts_a_file_with_more_methods)
{
    given("INSERT INTO method VALUES (2, 1, 1, 'encode', 'pte', 'in', 'out');"
          "INSERT INTO setting VALUES ('method', 'encode')");
    expect("plan/method-set", "");
}

START_TEST(plan_method_set_reports_a_missing_method)
{
    given("INSERT INTO setting VALUES ('method', 'forward'), ('method', 'decode')");
    expect("plan/method-set",
           "error there is no method decode; the file has forward\n");
}

START_TEST(plan_method_set_takes_the_model_of_an_archive_for_forward)
{
    rules_close();
    rules_open();
    given_pt2();
    given("UPDATE method SET name = 'model';"
          "INSERT INTO setting VALUES ('method', 'forward')");
    expect("plan/method-set", "");
    given("INSERT INTO setting VALUES ('method', 'encode')");
    expect("plan/method-set", "error there is no method encode; the file has model\n");
}

START_TEST(plan_container_meta_accepts_empty_pytrees)
{
    given("UPDATE method SET in_spec = '', out_spec = ''");
    expect("plan/container-meta", "");
}

START_TEST(plan_container_meta_warns_of_a_pytree_that_is_missing)
{
    given("UPDATE method SET out_spec = NULL");
    expect("plan/container-meta", "warning forward has no encoded_out_str\n");
    given("UPDATE method SET in_spec = NULL");
    expect("plan/container-meta",
           "warning forward has no container_meta_type, or an empty one\n");
}

static void given_getter(const char *name, int value)
{
    rules_close();
    given_method();
    tensor(0, 0, 16);
    given("UPDATE value SET shape = '[1,8]'");
    call("0", "0");
    given("INSERT INTO method VALUES (2, 1, 1, '', 'pte', '', '');"
          "INSERT INTO \"graph\" VALUES (2, 2, '', 'method');"
          "INSERT INTO arena VALUES (2, 0, 0, 'cpu');"
          "INSERT INTO signature (graph_id, direction, pos, kind, literal) VALUES"
          " (2, 'output', 0, 'int', 0)");
    dg_store_set(rules_store, "getter", dg_text(name), &rules_err);
    given("UPDATE method SET name = (SELECT value FROM setting) WHERE id = 2;"
          "DELETE FROM setting");
    given(value == 8 ? "UPDATE signature SET literal = 8"
                     : "UPDATE signature SET literal = 512");
}

START_TEST(plan_value_getter_accepts_a_constant_method)
{
    given_getter("get_bos_id", 8);
    expect("plan/value-getter", "");
}

START_TEST(plan_value_getter_notes_a_getter_of_two_values_with_memory)
{
    given_getter("get_bos_id", 8);
    given("INSERT INTO signature (graph_id, direction, pos, kind, literal) VALUES"
          " (2, 'output', 1, 'int', 1);"
          "INSERT INTO arena VALUES (2, 1, 64, 'cpu')");
    expect("plan/value-getter", "note get_bos_id has no instructions; it gives 2 values"
                                " and plans 64 bytes\n");
    given("UPDATE arena SET size_bytes = 9223372036854775807 WHERE method_id = 2");
    expect("plan/value-getter", "note get_bos_id has no instructions; it gives 2 values"
                                " and plans 9223372036854775807 bytes\n");
}

START_TEST(plan_metadata_consistent_accepts_a_size_that_tensors_have)
{
    given_getter("get_max_seq_len", 8);
    expect("plan/metadata-consistent", "");
    given_getter("get_bos_id", 512);
    expect("plan/metadata-consistent", "");
}

START_TEST(plan_metadata_consistent_notes_a_size_that_no_tensor_has)
{
    given_getter("get_max_seq_len", 512);
    expect("plan/metadata-consistent",
           "note get_max_seq_len says 512, but no tensor of the other methods has that"
           " size in any dimension\n");
}

static void given_result(const char *ir)
{
    rules_close();
    rules_open();
    given_chain();
    dg_store_set(rules_store, "ir", dg_text(ir), &rules_err);
    given("UPDATE method SET ir = (SELECT value FROM setting); DELETE FROM setting;"
          "INSERT INTO signature (graph_id, direction, pos, kind, spec, literal) VALUES"
          " (1, 'output', 1, 'string', 'user_output', 'label')");
}

START_TEST(plan_returns_supported_accepts_numbers_and_none)
{
    given_result("edge");
    given("UPDATE signature SET kind = 'int', literal = 3 WHERE pos = 1");
    expect("plan/returns-supported", "");
    given("UPDATE signature SET kind = 'none', literal = NULL WHERE pos = 1");
    expect("plan/returns-supported", "");
}

START_TEST(plan_returns_supported_reports_a_string_before_emission)
{
    given_result("edge");
    expect("plan/returns-supported", "error output 1 is a string, 'label'\n");
}

START_TEST(plan_returns_supported_reports_a_string_if_an_aten_program_is_lowered)
{
    given_result("aten");
    expect("plan/returns-supported", "");
    given("INSERT INTO setting VALUES ('for', 'executorch')");
    expect("plan/returns-supported", "error output 1 is a string, 'label'\n");
}

Suite *plan_rules_suite(void)
{
    Suite *suite = suite_create("plan rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, given_method, rules_close);
    tcase_add_test(all, plan_name_unique_accepts_one_name_in_two_files);
    tcase_add_test(all, plan_name_unique_reports_two_methods_of_one_name);
    tcase_add_test(all, plan_name_accepts_one_character);
    tcase_add_test(all, plan_name_reports_one_that_is_empty);
    tcase_add_test(all, plan_method_set_is_not_checked_without_methods);
    tcase_add_test(all, plan_method_set_accepts_a_file_with_more_methods);
    tcase_add_test(all, plan_method_set_reports_a_missing_method);
    tcase_add_test(all, plan_method_set_takes_the_model_of_an_archive_for_forward);
    tcase_add_test(all, plan_container_meta_accepts_empty_pytrees);
    tcase_add_test(all, plan_container_meta_warns_of_a_pytree_that_is_missing);
    tcase_add_test(all, plan_value_getter_accepts_a_constant_method);
    tcase_add_test(all, plan_value_getter_notes_a_getter_of_two_values_with_memory);
    tcase_add_test(all, plan_metadata_consistent_accepts_a_size_that_tensors_have);
    tcase_add_test(all, plan_metadata_consistent_notes_a_size_that_no_tensor_has);
    tcase_add_test(all, plan_returns_supported_accepts_numbers_and_none);
    tcase_add_test(all, plan_returns_supported_reports_a_string_before_emission);
    tcase_add_test(
        all, plan_returns_supported_reports_a_string_if_an_aten_program_is_lowered);
    suite_add_tcase(suite, all);
    return suite;
}
