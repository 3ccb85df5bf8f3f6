/* Rules on what instructions of a plan take and give. */
#include "unit/rules.h"

#include <string.h>

#include "formats/pte_schema.h"
#include "unit/pte_file.h"

/* The place of the table whose only offset to a list of operands leads to `list`. */
static uint8_t *operator_of_call(size_t list)
{
    for (size_t at = list - 5; at > 16; at--) {
        if (at + dg_u32(pte.bytes + at) != list - 4)
            continue;
        for (size_t near = at - 8; near <= at + 8; near += 4) {
            if (dg_u32(pte.bytes + near) == 1)
                return pte.bytes + near;
        }
    }
    ck_abort_msg("no such call");
    return NULL;
}

/* Reads the open .pte as it was changed. */
static void expect_one_remark(const char *rule, const char *text)
{
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_uint_eq(pte_count_remarks(rule), 1);
    ck_assert(dg_text_is(pte.program.remarks[0].text, text));
    pte_close();
}

static void expect_no_remark(const char *rule)
{
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_uint_eq(pte_count_remarks(rule), 0);
    pte_close();
}

/* The method that the bytes of the open .pte describe. */
static struct dg_flatbuffer_table the_plan(void)
{
    struct dg_bytes bytes = {pte.bytes, pte.size};
    size_t n_unknown;

    ck_assert_int_eq(dg_flatbuffer_verify(bytes, &dg_pte_program, &n_unknown, &pte.err),
                     DG_OK);
    return dg_vector_table(
        dg_table_vector(dg_flatbuffer_root(bytes, &dg_pte_program), PROGRAM_PLANS), 0);
}

static uint8_t *bytes_of_field(struct dg_flatbuffer_table table, unsigned field)
{
    size_t at = (size_t)(table.at - pte.bytes);
    size_t vtable = at - (size_t)(int32_t)dg_u32(table.at);

    return pte.bytes + at + dg_u16(pte.bytes + vtable + 4 + 2 * field);
}

static uint8_t *bytes_of_tensor(size_t value, unsigned field)
{
    struct dg_vector values = dg_table_vector(the_plan(), PLAN_VALUES);

    return bytes_of_field(dg_table_union(dg_vector_table(values, value), EVALUE_VALUE),
                          field);
}

static uint8_t *bytes_of_instruction(size_t index, unsigned field)
{
    struct dg_vector chains = dg_table_vector(the_plan(), PLAN_CHAINS);
    struct dg_flatbuffer_table chain = dg_vector_table(chains, 0);
    struct dg_vector all = dg_table_vector(chain, CHAIN_INSTRUCTIONS);

    return bytes_of_field(dg_table_union(dg_vector_table(all, index), INSTRUCTION_ARGS),
                          field);
}

START_TEST(plan_op_arity_and_op_unused_accept_a_real_program)
{
    pte_load("data/portable.pte");
    ck_assert_uint_eq(pte_count_remarks("plan/op-arity"), 0);
    ck_assert_uint_eq(pte_count_remarks("plan/op-unused"), 0);
    ck_assert_uint_eq(pte_count_remarks("plan/instruction-kind"), 0);
    ck_assert_uint_eq(pte_count_remarks("control-flow/single-chain"), 0);
    pte_close();
}

/* The second call becomes one of aten::add.out, and aten::mul.out has none any more. */
START_TEST(plan_op_arity_and_op_unused_report_a_call_of_another_operator)
{
    static const int32_t args[] = {2, 1, 4, 4};

    pte_open("data/tiny.pte");
    *operator_of_call(pte_find_list(args, 4)) = 0;
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_uint_eq(pte_count_remarks("plan/op-arity"), 1);
    ck_assert_uint_eq(pte_count_remarks("plan/op-unused"), 1);
    ck_assert(
        dg_text_is(pte.program.remarks[0].text,
                   "aten::add.out has 4 operands; it takes 5, its result included"));
    ck_assert(dg_text_is(pte.program.remarks[1].text,
                         "no instruction calls operator 1, \"aten::mul.out\""));
    pte_close();
}

START_TEST(delegate_io_operands_accepts_a_real_program)
{
    pte_load("data/xnnpack.pte");
    ck_assert_uint_eq(pte_count_remarks("delegate/io-operands"), 0);
    pte_close();
}

START_TEST(delegate_io_operands_reports_a_call_without_one)
{
    static const int32_t args[] = {1, 2};

    pte_open("data/xnnpack.pte");
    pte.bytes[pte_find_list(args, 2) - 4] = 1; /* its length */
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_uint_eq(pte_count_remarks("delegate/io-operands"), 1);
    pte_close();
}

START_TEST(delegate_io_operands_reports_a_call_with_one_too_many)
{
    static const int32_t args[] = {1, 2};

    pte_open("data/xnnpack.pte");
    pte.bytes[pte_find_list(args, 2) - 4] = 3; /* its length: and what lies behind it */
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_uint_eq(pte_count_remarks("delegate/io-operands"), 1);
    pte_close();
}

/* The payload writes 4 bytes for each element of value 2. */
START_TEST(delegate_io_operands_reports_a_result_of_narrower_elements)
{
    pte_open("data/xnnpack.pte");
    *bytes_of_tensor(2, TENSOR_SCALAR_TYPE) = 5; /* f16 */
    expect_one_remark("delegate/io-operands",
                      "operand 1 is value 2 of the plan, of type f16; the blob of"
                      " delegate 0 has 4 bytes for an element of it");
}

/* Indices are computed in 32 bits, and widened by the runtime. */
START_TEST(delegate_io_operands_accepts_a_result_that_the_runtime_widens)
{
    pte_open("data/xnnpack.pte");
    *bytes_of_tensor(2, TENSOR_SCALAR_TYPE) = 4; /* i64 */
    expect_no_remark("delegate/io-operands");
}

/* Nothing narrows what it is given. */
START_TEST(delegate_io_operands_reports_an_input_of_wider_elements)
{
    pte_open("data/xnnpack.pte");
    *bytes_of_tensor(1, TENSOR_SCALAR_TYPE) = 4; /* i64 */
    expect_one_remark("delegate/io-operands",
                      "operand 0 is value 1 of the plan, of type i64; the blob of"
                      " delegate 0 has 4 bytes for an element of it");
}

START_TEST(value_move_kind_accepts_a_real_program)
{
    pte_load("data/control_flow_cond.pte");
    ck_assert_uint_eq(pte_count_remarks("value/move-kind"), 0);
    pte_close();
}

/* Value 16 is a tensor, and value 3 is a list. */
START_TEST(value_move_kind_reports_a_list_in_the_place_of_a_tensor)
{
    pte_open("data/control_flow_cond.pte");
    *bytes_of_instruction(13, MOVE_FROM) = 3;
    expect_one_remark("value/move-kind",
                      "moves value 3, of kind int_list, to value 16, of kind"
                      " tensor");
}

/* Value 12 is the bool `keepdim` of a sum, and value 7 an int. */
START_TEST(value_move_kind_reports_a_number_that_a_reader_of_its_place_refuses)
{
    pte_open("data/control_flow_cond.pte");
    *bytes_of_instruction(13, MOVE_FROM) = 7;
    *bytes_of_instruction(13, MOVE_TO) = 12;
    expect_one_remark("value/move-kind",
                      "moves value 7, of kind int, to value 12, of kind bool");
}

/* Value 7 is compared to: any number will do. */
START_TEST(value_move_kind_accepts_a_number_that_any_may_be)
{
    pte_open("data/control_flow_cond.pte");
    *bytes_of_instruction(13, MOVE_FROM) = 12;
    *bytes_of_instruction(13, MOVE_TO) = 7;
    expect_no_remark("value/move-kind");
}

/* Value 17 is declared an int, and a comparison makes it the bool that value 32 is. */
START_TEST(value_move_kind_accepts_a_number_that_its_writer_makes_another)
{
    pte_open("data/control_flow_symbolic.pte");
    *bytes_of_instruction(15, MOVE_FROM) = 17;
    *bytes_of_instruction(15, MOVE_TO) = 32;
    expect_no_remark("value/move-kind");
}

START_TEST(plan_op_arg_kind_accepts_a_real_program)
{
    pte_load("data/portable.pte");
    ck_assert_uint_eq(pte_count_remarks("plan/op-arg-kind"), 0);
    pte_close();
}

/* The alpha of aten::add.out is a Scalar; here it is the tensor that is added. */
START_TEST(plan_op_arg_kind_reports_a_tensor_where_a_number_is_taken)
{
    static const int32_t args[] = {2, 1, 4, 4};
    uint8_t *first;

    pte_open("data/tiny.pte");
    first = pte.bytes + pte_find_list(args, 4);
    first[0] = 3;
    expect_one_remark("plan/op-arg-kind",
                      "argument 0 of aten::mul.out, self, is value 3, of kind int;"
                      " it takes Tensor");
}

START_TEST(plan_op_arg_kind_reports_a_view_that_is_no_tensor)
{
    static const int32_t args[] = {9, 15, 16};

    pte_open("data/dynamic_rows.pte");
    pte.bytes[pte_find_list(args, 3) + 8] = 3;
    expect_one_remark("plan/op-arg-kind",
                      "the result of executorch_prim::et_view.default is value 3, of"
                      " kind int; it gives a tensor");
}

/* aten::sym_size.int is computed by the runtime itself: value 9 would be a number. */
START_TEST(plan_op_arg_kind_reports_a_size_in_the_place_of_a_tensor)
{
    static const int32_t args[] = {2, 3, 4};

    pte_open("data/dynamic_rows.pte");
    pte.bytes[pte_find_list(args, 3) + 8] = 9;
    expect_one_remark("plan/op-arg-kind",
                      "the result of aten::sym_size.int is value 9, of kind tensor; it"
                      " gives a number");
}

Suite *plan_rules_operands_suite(void)
{
    Suite *suite = suite_create("plan rules operands");
    TCase *all = tcase_create("all");

    tcase_add_test(all, delegate_io_operands_accepts_a_real_program);
    tcase_add_test(all, delegate_io_operands_reports_a_call_without_one);
    tcase_add_test(all, delegate_io_operands_reports_a_call_with_one_too_many);
    tcase_add_test(all, delegate_io_operands_reports_a_result_of_narrower_elements);
    tcase_add_test(all, delegate_io_operands_accepts_a_result_that_the_runtime_widens);
    tcase_add_test(all, delegate_io_operands_reports_an_input_of_wider_elements);
    tcase_add_test(all, value_move_kind_accepts_a_real_program);
    tcase_add_test(all, value_move_kind_reports_a_list_in_the_place_of_a_tensor);
    tcase_add_test(all,
                   value_move_kind_reports_a_number_that_a_reader_of_its_place_refuses);
    tcase_add_test(all, value_move_kind_accepts_a_number_that_any_may_be);
    tcase_add_test(all, value_move_kind_accepts_a_number_that_its_writer_makes_another);
    tcase_add_test(all, plan_op_arg_kind_accepts_a_real_program);
    tcase_add_test(all, plan_op_arg_kind_reports_a_view_that_is_no_tensor);
    tcase_add_test(all, plan_op_arg_kind_reports_a_size_in_the_place_of_a_tensor);
    tcase_add_test(all, plan_op_arg_kind_reports_a_tensor_where_a_number_is_taken);
    tcase_add_test(all, plan_op_arity_and_op_unused_accept_a_real_program);
    tcase_add_test(all, plan_op_arity_and_op_unused_report_a_call_of_another_operator);
    suite_add_tcase(suite, all);
    return suite;
}
