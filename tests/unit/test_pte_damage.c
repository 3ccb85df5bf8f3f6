#include "unit/suite.h"

#include <string.h>

#include "formats/pte_schema.h"
#include "unit/pte_file.h"

static void put32(size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        pte.bytes[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

static uint8_t *find_text(const char *text)
{
    size_t size = strlen(text) + 1;

    for (size_t at = 0; at + size <= pte.size; at++) {
        if (!memcmp(pte.bytes + at, text, size))
            return pte.bytes + at;
    }
    return NULL;
}

static bool is_text(struct dg_text text, const char *expected)
{
    return dg_text_is(text, expected);
}

START_TEST(other_versions_are_refused_by_name)
{
    pte_open("data/tiny.pte");
    pte.bytes[7] = '3';
    ck_assert(dg_reader_pte.recognises((struct dg_bytes){pte.bytes, pte.size}));
    ck_assert_int_eq(pte_read(pte.size), DG_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(pte.err.text, "ET13"));
    ck_assert_ptr_nonnull(strstr(pte.err.text, "ET12"));
    pte_close();
}

START_TEST(a_file_that_is_cut_off_says_where)
{
    pte_open("data/portable.pte");
    ck_assert_int_eq(pte_read(5000), DG_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(pte.err.text, "byte 16"));
    ck_assert_int_eq(pte_read(20), DG_ERR_FORMAT);
    ck_assert_int_eq(pte_read(0), DG_ERR_FORMAT);
    pte_close();
}

START_TEST(a_segment_outside_of_the_file_has_no_place_in_it)
{
    pte_open("data/portable.pte");
    ck_assert_int_eq(pte_read(5700), DG_OK);
    ck_assert_int_eq(pte.program.segments[0].file_offset, DG_NONE);
    ck_assert_uint_eq(pte.program.segments[0].size_bytes, 216);
    ck_assert_int_eq(pte.program.constants[1].file_offset, DG_NONE);
    ck_assert_ptr_null(pte.program.constants[1].bytes.data);
    pte_close();
}

START_TEST(an_operand_out_of_range_keeps_its_number)
{
    static const int32_t args[] = {0, 1, 3, 2, 2};

    pte_open("data/tiny.pte");
    put32(pte_find_list(args, 5), 9999);
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_str_eq(pte_operands(0), "9999 1 3 2w 2w");
    ck_assert_int_eq(pte.program.operands[0].value, DG_NONE);
    pte_close();
}

START_TEST(an_output_out_of_range_keeps_its_number)
{
    static const int32_t outputs[] = {5, 2};

    pte_open("data/tiny.pte");
    put32(pte_find_list(outputs, 2), (uint32_t)-2);
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_str_eq(pte.program.signatures[2].direction, "output");
    ck_assert_int_eq(pte.program.signatures[2].value_idx, -2);
    ck_assert_int_eq(pte.program.signatures[2].value, DG_NONE);
    ck_assert_str_eq(pte.program.signatures[2].kind, "unknown");
    pte_close();
}

/* The place of a field that the table has. */
static uint8_t *field_of(struct dg_flatbuffer_table table, unsigned field)
{
    const uint8_t *fields = table.at - (int32_t)dg_u32(table.at);

    return pte.bytes + (table.at - pte.bytes) + dg_u16(fields + 4 + 2 * field);
}

static struct dg_flatbuffer_table first_value(void)
{
    struct dg_bytes file = {pte.bytes, pte.size};
    struct dg_vector plans =
        dg_table_vector(dg_flatbuffer_root(file, &dg_pte_program), PROGRAM_PLANS);

    return dg_vector_table(dg_table_vector(dg_vector_table(plans, 0), PLAN_VALUES), 0);
}

START_TEST(value_kind_known_is_told_of_a_type_0_with_a_content)
{
    pte_open("data/tiny.pte");
    *field_of(first_value(), EVALUE_TYPE) = 0;
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_uint_eq(pte_count_remarks("value/kind-known"), 1);
    ck_assert_str_eq(pte.program.values[0].kind, "unknown");
    pte_close();
}

static struct dg_flatbuffer_table first_instruction(void)
{
    struct dg_bytes file = {pte.bytes, pte.size};
    struct dg_flatbuffer_table root = dg_flatbuffer_root(file, &dg_pte_program);
    struct dg_flatbuffer_table plan =
        dg_vector_table(dg_table_vector(root, PROGRAM_PLANS), 0);
    struct dg_flatbuffer_table chain =
        dg_vector_table(dg_table_vector(plan, PLAN_CHAINS), 0);

    return dg_vector_table(dg_table_vector(chain, CHAIN_INSTRUCTIONS), 0);
}

START_TEST(an_instruction_of_type_none_or_unknown_is_not_followed)
{
    static const uint8_t types[] = {0, N_INSTRUCTION_TYPES, 255};

    for (size_t i = 0; i < sizeof(types); i++) {
        struct dg_flatbuffer_table instruction;

        pte_open("data/tiny.pte");
        instruction = first_instruction();
        put32((size_t)(dg_table_union(instruction, INSTRUCTION_ARGS).at - pte.bytes),
              INT32_MAX);
        *field_of(instruction, INSTRUCTION_TYPE) = types[i];
        ck_assert_int_eq(pte_read(pte.size), DG_OK);
        ck_assert_str_eq(pte.program.nodes[0].kind, "unknown");
        pte_close();
    }
}

START_TEST(value_kind_known_is_told_of_bytes_in_a_place_that_no_runtime_knows)
{
    struct dg_flatbuffer_table tensor;

    pte_open("data/external_tagged.pte");
    tensor = dg_table_union(first_value(), EVALUE_VALUE);
    *field_of(dg_table_table(tensor, TENSOR_EXTRA), EXTRA_LOCATION) = 7;
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_uint_eq(pte_count_remarks("value/kind-known"), 1);
    pte_close();
}

START_TEST(absent_parts_leave_rows_and_remarks)
{
    pte_load("fuzz/corpus/pte/absent-parts");
    ck_assert_uint_eq(pte.program.n_methods, 2);
    ck_assert_uint_eq(pte_count_remarks("plan/name"), 1);
    ck_assert_uint_eq(pte_count_remarks("value/present"), 2);
    ck_assert_str_eq(pte.program.values[0].kind, "unknown");
    ck_assert_str_eq(pte.program.nodes[0].kind, "unknown");
    ck_assert(is_text(pte.program.nodes[0].meta, "{\"instr_args_type\":0}"));
    ck_assert_int_eq(pte.program.nodes[1].op_index, 5);
    ck_assert_int_eq(pte.program.nodes[1].op, DG_NONE);
    ck_assert_int_eq(pte.program.nodes[2].op_index, UINT32_MAX);
    ck_assert_int_eq(pte.program.nodes[2].delegate, DG_NONE);
    ck_assert_int_eq(pte.program.nodes[3].jump, -3);
    ck_assert_int_eq(pte.program.segments[1].file_offset, DG_NONE);
    ck_assert_int_eq(pte.program.delegates[1].blob_index, 9);
    ck_assert_ptr_null(pte.program.delegates[0].location);
    ck_assert_int_eq(pte.program.constants[2].segment, DG_NONE);
    pte_close();
}

START_TEST(names_that_are_not_utf8_are_replaced_with_a_remark)
{
    uint8_t *name;

    pte_open("data/tiny.pte");
    name = find_text("forward");
    ck_assert_ptr_nonnull(name);
    name[0] = 0xff;
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert(is_text(pte.program.methods[0].name, "\xef\xbf\xbdorward"));
    ck_assert_uint_eq(pte_count_remarks("format/string-utf8"), 1);
    pte_close();
}

/* Only that it ends, and with a reason where it fails: sanitizers see the rest. */
static void damage(const char *name)
{
    pte_open(name);
    for (size_t i = 0; i < pte.size; i++) {
        uint8_t byte = pte.bytes[i];

        pte.bytes[i] = (uint8_t)~byte;
        ck_assert(!pte_read(pte.size) || pte.err.text[0]);
        pte.bytes[i] = byte;
        ck_assert(!pte_read(i) || pte.err.text[0]);
    }
    pte_close();
}

START_TEST(damage_ends_in_rows_or_in_a_reason)
{
    damage("data/tiny.pte");
    damage("data/control_flow_scan.pte");
    damage("data/external_tagged_weights.ptd");
}

static TCase *damage_tests(void)
{
    TCase *tests = tcase_create("damage");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, an_instruction_of_type_none_or_unknown_is_not_followed);
    tcase_add_test(tests, other_versions_are_refused_by_name);
    tcase_add_test(tests, a_file_that_is_cut_off_says_where);
    tcase_add_test(tests, a_segment_outside_of_the_file_has_no_place_in_it);
    tcase_add_test(tests, an_operand_out_of_range_keeps_its_number);
    tcase_add_test(tests, an_output_out_of_range_keeps_its_number);
    tcase_add_test(tests, absent_parts_leave_rows_and_remarks);
    tcase_add_test(tests, an_instruction_of_type_none_or_unknown_is_not_followed);
    tcase_add_test(tests, value_kind_known_is_told_of_a_type_0_with_a_content);
    tcase_add_test(tests,
                   value_kind_known_is_told_of_bytes_in_a_place_that_no_runtime_knows);
    tcase_add_test(tests, names_that_are_not_utf8_are_replaced_with_a_remark);
    tcase_add_test(tests, damage_ends_in_rows_or_in_a_reason);
    return tests;
}

Suite *pte_damage_suite(void)
{
    Suite *suite = suite_create("pte_damage");

    suite_add_tcase(suite, damage_tests());
    return suite;
}
