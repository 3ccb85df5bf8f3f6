#include "unit/rules.h"

#include <stdio.h>
#include <string.h>

static void segments(const char *rows)
{
    char sql[1024] = "INSERT INTO segment (id, artifact_id, idx, kind, offset,"
                     " file_offset, size_bytes, stored_bytes) VALUES ";

    given(strcat(sql, rows));
}

/* Segments that fill the file from byte 1024 to 4096. */
static void given_segments(void)
{
    given_pte();
    segments("(1, 1, 0, 'constant', 0, 1024, 1024, 1024),"
             "(2, 1, 1, 'delegate', 1024, 2048, 1024, 1024),"
             "(3, 1, 2, 'mutable', 2048, 3072, 1024, 1024)");
}

START_TEST(a_sound_file_breaks_no_rule_about_formats)
{
    static const char *const rules[] = {
        "format/file-size",
        "format/segment-bounds",
        "format/segment-order",
        "format/segment-alignment",
        "format/segment-gap",
        "format/segment-unreferenced",
        "format/segments-without-base",
        "format/version",
        "format/constant-exclusive",
        "format/constant-deprecated",
        "format/constant-segment-empty",
        "format/constant-segment-index",
        "format/mutable-segment-index",
        "format/string-utf8",
        "format/unknown-field",
    };

    given_segments();
    given("INSERT INTO constant (id, artifact_id, idx, kind, segment_id, file_offset,"
          " nbytes) VALUES (1, 1, 0, 'reserved', 1, 1024, 0),"
          " (2, 1, 1, 'constant', 1, 1024, 8), (3, 1, 0, 'mutable', 3, 3072, 8)");
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
        expect(rules[i], "");
}

START_TEST(format_file_size_reports_a_file_that_was_cut_off)
{
    given_segments();
    given("UPDATE artifact SET size_bytes = 4000");
    expect("format/file-size", "error the header promises 4096 bytes (segments at 1024,"
                               " 3072 long), the file has 4000\n");
}

START_TEST(format_file_size_notes_bytes_behind_the_end)
{
    given_segments();
    given("UPDATE artifact SET size_bytes = 5000");
    expect("format/file-size", "note the header promises 4096 bytes (segments at 1024,"
                               " 3072 long), the file has 5000\n");
}

START_TEST(format_segment_bounds_reports_a_segment_outside_of_the_file)
{
    given_segments();
    given("UPDATE segment SET file_offset = NULL, offset = 9000 WHERE id = 2");
    expect("format/segment-bounds",
           "error segment 1 (delegate) spans 9000..10024 behind"
           " byte 1024; the file has 4096 bytes\n");
}

START_TEST(format_segment_bounds_tells_of_a_file_that_is_cut_off_once)
{
    given_segments();
    given(
        "UPDATE artifact SET size_bytes = 2000, version ="
        " json_set(version, '$.segment_base_offset', 1024, '$.segment_data_size', 3072)"
        " WHERE id = 1;"
        "UPDATE segment SET file_offset = NULL");
    expect(
        "format/segment-bounds",
        "error the file ends at byte 2000: 3 of 3 segments end behind it, the first is"
        " segment 0 (constant), 0..1024 behind byte 1024\n");
    given("UPDATE segment SET offset = 9000 WHERE id = 2");
    expect(
        "format/segment-bounds",
        "error the file ends at byte 2000: 2 of 3 segments end behind it, the first is"
        " segment 0 (constant), 0..1024 behind byte 1024\n"
        "error segment 1 (delegate) spans 9000..10024 behind byte 1024; the file has"
        " 2000 bytes\n");
}

START_TEST(format_segment_order_reports_an_overlap)
{
    given_segments();
    given("UPDATE segment SET offset = 1000 WHERE id = 2");
    expect("format/segment-order",
           "error segment 0 spans 0..1024, segment 1 spans 1000..2024\n");
    given("UPDATE segment SET size_bytes = 0 WHERE id = 2");
    expect("format/segment-order", "");
}

START_TEST(format_segment_order_warns_of_another_order)
{
    given_segments();
    given("UPDATE segment SET offset = 8192 WHERE id = 1");
    expect("format/segment-order",
           "warning segment 1 starts at 1024, segment 0 before it at 8192\n");
}

START_TEST(format_segment_alignment_warns_of_the_odd_one_out)
{
    given_pte();
    segments("(1, 1, 0, 'constant', 0, 1024, 64, 64),"
             "(2, 1, 1, 'delegate', 64, 1088, 64, 64),"
             "(3, 1, 2, 'delegate', 130, 1154, 64, 64)");
    expect("format/segment-alignment", "warning segment 2 (delegate) starts at byte"
                                       " 1154, which is no multiple of 16\n");
}

START_TEST(format_segment_alignment_accepts_two_segments_at_multiples_of_16)
{
    given_pte();
    segments("(1, 1, 0, 'constant', 0, 1024, 64, 64),"
             "(2, 1, 1, 'delegate', 80, 1104, 64, 64)");
    expect("format/segment-alignment", "");
}

START_TEST(format_segment_alignment_warns_of_one_of_two)
{
    given_pte();
    segments("(1, 1, 0, 'constant', 0, 1024, 64, 64),"
             "(2, 1, 1, 'delegate', 65, 1089, 64, 64)");
    expect("format/segment-alignment", "warning segment 1 (delegate) starts at byte"
                                       " 1089, which is no multiple of 16\n");
    given("UPDATE artifact SET version ="
          " replace(version, '\"segment_base_offset\":1024',"
          "  '\"segment_base_offset\":1023')");
    expect("format/segment-alignment", "");
}

START_TEST(format_segment_gap_notes_unused_bytes)
{
    given_pte();
    segments("(1, 1, 0, 'constant', 0, 1024, 64, 64),"
             "(2, 1, 1, 'delegate', 1056, 2080, 64, 64)");
    expect("format/segment-gap", "note 992 unused bytes lie before segment 1\n");
}

START_TEST(format_segment_unreferenced_warns_of_one)
{
    given_segments();
    given("UPDATE segment SET kind = 'unreferenced' WHERE id = 2");
    expect("format/segment-unreferenced",
           "warning nothing refers to segment 1 of 1024 bytes\n");
    given("UPDATE segment SET size_bytes = 0 WHERE id = 2");
    expect("format/segment-unreferenced", "");
}

START_TEST(format_segments_without_base_reports_a_header_without_offset)
{
    given_segments();
    given("UPDATE artifact SET version = '{\"program\":0,\"segment_base_offset\":0}'");
    expect("format/segments-without-base",
           "error 3 segments have bytes, and the header gives no offset for them\n");
    given("UPDATE segment SET size_bytes = 0");
    expect("format/segments-without-base", "");
}

START_TEST(format_segments_without_base_reports_segments_inside_of_the_program)
{
    given_segments();
    given("UPDATE artifact SET version ="
          " '{\"segment_base_offset\":1024,\"program_size\":1024}'");
    expect("format/segments-without-base", "");
    given("UPDATE artifact SET version ="
          " '{\"segment_base_offset\":8,\"program_size\":1024}'");
    expect("format/segments-without-base",
           "error the segments start at byte 8, inside of the program, which has 1024"
           " bytes\n");
}

START_TEST(format_version_reports_another_than_0)
{
    given_pte();
    given("UPDATE artifact SET version = '{\"program\":1}'");
    expect("format/version", "error the schema version is 1, the runtime knows 0\n");
}

START_TEST(format_constant_exclusive_reports_constants_in_both_places)
{
    given_segments();
    given("INSERT INTO constant (id, artifact_id, idx, kind, segment_id, file_offset)"
          " VALUES (1, 1, 0, 'constant', 1, 1024), (2, 1, 1, 'constant', NULL, 100)");
    expect("format/constant-exclusive",
           "error 1 constants lie in the program, 1 in a segment\n");
}

START_TEST(format_constant_deprecated_warns_of_constants_in_the_program)
{
    given_pte();
    given("INSERT INTO constant (id, artifact_id, idx, kind, file_offset) VALUES"
          " (1, 1, 0, 'reserved', 96), (2, 1, 1, 'constant', 100)");
    expect("format/constant-deprecated",
           "warning 1 constants lie in the program itself\n");
}

START_TEST(format_constant_deprecated_accepts_an_empty_list_of_constants)
{
    given_pte();
    given("INSERT INTO constant (id, artifact_id, idx, kind) VALUES"
          " (1, 1, 0, 'reserved')");
    expect("format/constant-deprecated", "");
}

START_TEST(format_constant_deprecated_warns_of_no_list_of_constants)
{
    given_pte();
    expect("format/constant-deprecated",
           "warning constant_segment lists nothing, not even the reserved constant 0:"
           " runtimes then look into the program\n");
}

static void given_a_constant_tensor(const char *sql)
{
    given_segments();
    given("INSERT INTO value (id, graph_id, idx, kind, storage) VALUES"
          " (1, 1, 0, 'tensor', 'constant')");
    given(sql);
}

START_TEST(format_constant_segment_empty_accepts_bytes_and_what_nobody_uses)
{
    given_a_constant_tensor("SELECT 1");
    expect("format/constant-segment-empty", "");
    given("UPDATE segment SET size_bytes = 0; UPDATE value SET storage = 'planned'");
    expect("format/constant-segment-empty", "");
}

START_TEST(format_constant_segment_empty_reports_constants_without_elements)
{
    given_a_constant_tensor("UPDATE segment SET size_bytes = 0");
    expect("format/constant-segment-empty",
           "error a constant in a segment without bytes\n");
}

START_TEST(format_segment_indices_report_segments_that_do_not_exist)
{
    given_pte();
    given("INSERT INTO constant (id, artifact_id, idx, kind) VALUES"
          " (1, 1, 0, 'reserved'), (2, 1, 1, 'constant'), (3, 1, 2, 'mutable')");
    expect("format/constant-segment-index",
           "error 1 constants lie in a segment that does not exist\n");
    expect("format/mutable-segment-index",
           "error 1 initial states lie in a segment that does not exist\n");
}

START_TEST(format_constant_segment_index_reports_a_segment_of_another_use)
{
    given_segments();
    given("INSERT INTO constant (id, artifact_id, idx, kind, segment_id, file_offset)"
          " VALUES (1, 1, 0, 'reserved', 2, 2048), (2, 1, 1, 'constant', 2, 2048)");
    expect("format/constant-segment-index", "");
    given("INSERT INTO delegate (id, method_id, idx, backend, location, blob_index)"
          " VALUES (1, 1, 0, 'XnnpackBackend', 'segment', 1)");
    expect("format/constant-segment-index",
           "error constants lie in segment 1, which is the blob of delegate 0"
           " (XnnpackBackend)\n");
    given("UPDATE delegate SET location = 'inline';"
          "INSERT INTO named_data (artifact_id, idx, key, segment_idx) VALUES"
          " (1, 0, 'w', 1)");
    expect("format/constant-segment-index",
           "error constants lie in segment 1, which holds named data w\n");
}

START_TEST(format_string_utf8_notes_a_key_with_a_control_character)
{
    given_pte();
    given("INSERT INTO named_data (artifact_id, idx, key, segment_idx) VALUES"
          " (1, 0, 'plain', 0), (1, 1, 'a' || char(7), 0)");
    expect("format/string-utf8",
           "note the key of named data 1 holds a control character\n");
}

START_TEST(format_rules_pass_on_what_the_reader_saw)
{
    given_pt2();
    expect("format/pt2-archive", "");
    given("INSERT INTO remark VALUES (1, 1, 'format/pt2-archive', NULL, NULL, NULL,"
          " NULL, 'data/weights/w is missing'),"
          " (2, 1, 'format/unknown-field', NULL, NULL, NULL, NULL, '3 fields'),"
          " (3, 1, 'format/pt2-crc-absent', NULL, NULL, NULL, NULL, 'no CRC')");
    expect("format/pt2-archive", "warning data/weights/w is missing\n");
    expect("format/pt2-crc-absent", "note no CRC\n");
    expect("format/unknown-field", "note 3 fields\n");
}

START_TEST(plan_and_value_rules_pass_on_what_the_reader_saw)
{
    static const char *const rules[] = {"plan/name",
                                        "plan/fields",
                                        "value/present",
                                        "value/kind-known",
                                        "value/scalar-type",
                                        "value/sizes",
                                        "device/buffer-index-range"};
    char sql[256];

    given_pte();
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
        expect(rules[i], "");
        snprintf(sql, sizeof(sql),
                 "INSERT INTO remark VALUES (%zu, 1, '%s', 1, NULL,"
                 " NULL, NULL, 'seen')",
                 i + 1, rules[i]);
        given(sql);
        expect(rules[i], "error seen\n");
    }
}

START_TEST(what_a_reader_finds_odd_is_a_warning_or_a_note)
{
    given_pte();
    expect("format/mutable-index-ignored", "");
    expect("format/lists-repeated", "");
    given("INSERT INTO remark VALUES (1, 1, 'format/mutable-index-ignored', 1, NULL,"
          " NULL, NULL, 'index 1'),"
          " (2, 1, 'format/lists-repeated', 1, NULL, NULL, NULL, 'often')");
    expect("format/mutable-index-ignored", "warning index 1\n");
    expect("format/lists-repeated", "note often\n");
}

START_TEST(memory_reserved_zero_reports_a_used_arena_0_and_negative_sizes)
{
    given_pte();
    expect("memory/reserved-zero", "");
    given("UPDATE arena SET size_bytes = 8 WHERE idx = 0");
    expect("memory/reserved-zero", "warning arena 0 has 8 bytes\n");
    given("UPDATE arena SET size_bytes = -8 WHERE idx = 0");
    expect("memory/reserved-zero", "error arena 0 has -8 bytes\n");
}

static void given_delegate_call(void)
{
    given_pte();
    given("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
          " (1, 1, 0, 'CudaBackend');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_index, delegate_id)"
          " VALUES (1, 1, 0, 'op_0', 'delegate_call', 0, 1)");
}

START_TEST(delegate_index_range_reports_a_call_of_none)
{
    given_delegate_call();
    expect("delegate/index-range", "");
    given("UPDATE node SET op_index = 1, delegate_id = NULL");
    expect("delegate/index-range", "error calls delegate 1 of 1\n");
}

static void given_nested(const char *path)
{
    char sql[512];

    given_chain();
    snprintf(sql, sizeof(sql),
             "INSERT INTO \"graph\" VALUES (2, 1, 'lowered_module_0', 'lowered'),"
             " (3, 1, '%s', 'branch');"
             "INSERT INTO op VALUES (2, 'higher_order::executorch_call_delegate',"
             " 'higher_order', NULL, NULL, 0);"
             "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
             " (4, 1, 3, 'outer', 'call_function', 2),"
             " (5, 3, 0, 'inner', 'call_function', 2)",
             path);
    given(sql);
}

START_TEST(delegate_no_nested_accepts_a_delegate_in_a_branch)
{
    given_nested("true_graph_0");
    expect("delegate/no-nested", "");
}

START_TEST(delegate_no_nested_reports_a_delegate_inside_of_a_delegate)
{
    given_nested("lowered_module_0.true_graph_0");
    expect("delegate/no-nested",
           "error inner calls a delegate inside of lowered_module_0\n");
    expect_witness("[\"lowered_module_0\",\"inner\"]");
}

Suite *format_rules_suite(void)
{
    Suite *suite = suite_create("format rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open, rules_close);
    tcase_add_test(all, what_a_reader_finds_odd_is_a_warning_or_a_note);
    tcase_add_test(all, memory_reserved_zero_reports_a_used_arena_0_and_negative_sizes);
    tcase_add_test(all, a_sound_file_breaks_no_rule_about_formats);
    tcase_add_test(all, format_file_size_reports_a_file_that_was_cut_off);
    tcase_add_test(all, format_file_size_notes_bytes_behind_the_end);
    tcase_add_test(all, format_segment_bounds_reports_a_segment_outside_of_the_file);
    tcase_add_test(all, format_segment_bounds_tells_of_a_file_that_is_cut_off_once);
    tcase_add_test(all, format_segment_order_reports_an_overlap);
    tcase_add_test(all, format_segment_order_warns_of_another_order);
    tcase_add_test(all, format_segment_alignment_warns_of_the_odd_one_out);
    tcase_add_test(all,
                   format_segment_alignment_accepts_two_segments_at_multiples_of_16);
    tcase_add_test(all, format_segment_alignment_warns_of_one_of_two);
    tcase_add_test(all, format_segment_gap_notes_unused_bytes);
    tcase_add_test(all, format_segment_unreferenced_warns_of_one);
    tcase_add_test(all, format_segments_without_base_reports_a_header_without_offset);
    tcase_add_test(all,
                   format_segments_without_base_reports_segments_inside_of_the_program);
    tcase_add_test(all, format_constant_segment_index_reports_a_segment_of_another_use);
    tcase_add_test(all, format_version_reports_another_than_0);
    tcase_add_test(all, format_constant_exclusive_reports_constants_in_both_places);
    tcase_add_test(all, format_constant_deprecated_warns_of_constants_in_the_program);
    tcase_add_test(all, format_constant_deprecated_accepts_an_empty_list_of_constants);
    tcase_add_test(all, format_constant_deprecated_warns_of_no_list_of_constants);
    tcase_add_test(all,
                   format_constant_segment_empty_accepts_bytes_and_what_nobody_uses);
    tcase_add_test(all,
                   format_constant_segment_empty_reports_constants_without_elements);
    tcase_add_test(all, format_segment_indices_report_segments_that_do_not_exist);
    tcase_add_test(all, format_string_utf8_notes_a_key_with_a_control_character);
    tcase_add_test(all, format_rules_pass_on_what_the_reader_saw);
    tcase_add_test(all, plan_and_value_rules_pass_on_what_the_reader_saw);
    tcase_add_test(all, delegate_index_range_reports_a_call_of_none);
    tcase_add_test(all, delegate_no_nested_accepts_a_delegate_in_a_branch);
    tcase_add_test(all, delegate_no_nested_reports_a_delegate_inside_of_a_delegate);
    suite_add_tcase(suite, all);
    return suite;
}
