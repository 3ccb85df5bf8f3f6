#include "unit/rules.h"

/* Artifact 1, a .pte, and artifact 2, the program that it was made from: both take
 * f32 [2,"n"] and give f32 [2]; n is 9 at most. */
static void open_pair(void)
{
    rules_open_pte();
    given(
        "INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of, role)"
        " VALUES (2, 'x.pt2', 'pt2', 9, '{}', 1, 'program');"
        "INSERT INTO method (id, artifact_id, idx, name, ir)"
        " VALUES (2, 2, 0, 'forward', 'edge');"
        "INSERT INTO \"graph\" VALUES (2, 2, '', 'method');"
        "INSERT INTO range_constraint VALUES (2, 'n', 1, 9);"
        "INSERT INTO value (id, graph_id, idx, name, kind, dtype, shape) VALUES"
        " (1, 1, 0, NULL, 'tensor', 'f32', '[2,9]'),"
        " (2, 1, 1, NULL, 'tensor', 'f32', '[2]'),"
        " (3, 2, 0, 'x', 'tensor', 'f32', '[2,\"n\"]'),"
        " (4, 2, 1, 'y', 'tensor', 'f32', '[2]'),"
        " (5, 2, 2, 'b', 'tensor', 'f32', '[3]');"
        "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target,"
        "  literal, value_id) VALUES"
        " (1, 'input', 0, NULL, 'tensor', NULL, NULL, NULL, 1),"
        " (1, 'output', 0, NULL, 'tensor', NULL, NULL, NULL, 2),"
        " (2, 'input', 0, 'b', 'tensor', 'buffer', 'b', NULL, 5),"
        " (2, 'input', 1, 'x', 'tensor', 'user_input', NULL, NULL, 3),"
        " (2, 'output', 0, 'y', 'tensor', 'user_output', NULL, NULL, 4)");
}

START_TEST(signature_user_io_stable_accepts_upper_bounds_in_place_of_symbols)
{
    expect("signature/user-io-stable", "");
}
END_TEST

START_TEST(signature_user_io_stable_reports_another_bound)
{
    given("UPDATE value SET shape = '[2,8]' WHERE id = 1");
    expect(
        "signature/user-io-stable",
        "warning input 0, x of the program, holds at most 8 in dimension 1, not 9\n");
}
END_TEST

START_TEST(signature_user_io_stable_reports_another_type)
{
    given("UPDATE value SET dtype = 'f16' WHERE id = 2");
    expect("signature/user-io-stable",
           "error output 0, y of the program, is f16, not f32\n");
}
END_TEST

START_TEST(signature_user_io_stable_warns_of_inputs_that_were_quantized)
{
    given("UPDATE value SET dtype = 'i8' WHERE id = 1");
    expect("signature/user-io-stable",
           "warning input 0, x of the program, is i8, not f32: right if inputs and"
           " outputs were quantized on purpose\n");
}
END_TEST

START_TEST(signature_user_io_stable_reports_a_missing_output)
{
    given("DELETE FROM signature WHERE graph_id = 1 AND direction = 'output'");
    expect("signature/user-io-stable",
           "error the .pte has 0 outputs, the program has 1\n");
}
END_TEST

START_TEST(signature_user_io_stable_takes_none_for_a_string)
{
    given("INSERT INTO signature (graph_id, direction, pos, kind, spec, literal) VALUES"
          " (1, 'input', 1, 'null', NULL, NULL),"
          " (2, 'input', 2, 'string', 'user_input', 'relu')");
    expect("signature/user-io-stable", "");
}
END_TEST

START_TEST(signature_user_io_stable_is_not_checked_without_the_program)
{
    given("DELETE FROM artifact WHERE id = 2");
    expect_not_checked("signature/user-io-stable",
                       "the program it was made from is not given (--program FILE)");
}
END_TEST

static void given_a_written_buffer(void)
{
    given(
        "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target,"
        " value_id) VALUES (2, 'output', 1, 'b2', 'tensor', 'buffer_mutation', 'b', 5);"
        "INSERT INTO value (id, graph_id, idx, kind, dtype, shape) VALUES"
        " (9, 1, 8, 'tensor', 'f32', '[3]');"
        "INSERT INTO node (id, graph_id, idx, name, kind) VALUES"
        " (1, 1, 0, 'op_0', 'kernel_call')");
}

START_TEST(signature_mutation_written_back_accepts_a_buffer_written_in_place)
{
    given_a_written_buffer();
    given("INSERT INTO operand VALUES (1, 0, 8, 9, 'both')");
    expect("signature/mutation-written-back", "");
}
END_TEST

START_TEST(signature_mutation_written_back_reports_a_buffer_that_is_only_read)
{
    given_a_written_buffer();
    given("INSERT INTO operand VALUES (1, 0, 8, 9, 'read')");
    expect("signature/mutation-written-back",
           "error the program writes 1 buffer of type f32 and shape [3] (b), the .pte"
           " writes 0 in place\n");
}
END_TEST

START_TEST(signature_mutation_written_back_leaves_buffers_to_delegates)
{
    given_a_written_buffer();
    given("INSERT INTO delegate (id, method_id, idx, backend) VALUES (1, 1, 0, 'X')");
    expect("signature/mutation-written-back", "");
}
END_TEST

START_TEST(signature_mutation_written_back_reports_an_input_that_is_not_written)
{
    given("INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target,"
          " value_id) VALUES (2, 'output', 1, 'x2', 'tensor', 'user_input_mutation',"
          " 'x', 3)");
    expect(
        "signature/mutation-written-back",
        "error the program writes its input 0, x; no instruction of the .pte does\n");
}
END_TEST

/* Weight 1 of the program, a matrix of 64 bytes that a linear reads, and in the .ptd
 * what has its name. */
static void given_weights(const char *digest)
{
    given(
        "INSERT INTO artifact (id, path, kind, size_bytes, version, companion_of, role)"
        " VALUES (3, 'x.ptd', 'ptd', 9, '{}', 1, 'data');"
        "INSERT INTO segment (id, artifact_id, idx, kind, offset, size_bytes,"
        " stored_bytes, xxh3) VALUES (1, 3, 0, 'named_data', 0, 64, 64, 'aa');"
        "INSERT INTO named_data (artifact_id, idx, key, segment_idx, size_bytes, dtype,"
        " shape, dim_order) VALUES (3, 0, 'lin.weight', 0, 64, 'f32', '[4,4]',"
        " '[0,1]');"
        "INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind, dtype, "
        "shape,"
        " nbytes) VALUES (1, 2, 2, 0, 'lin.weight', 'parameter', 'f32', '[4,4]', 64);"
        "INSERT INTO value (id, graph_id, idx, name, kind, dtype, shape) VALUES"
        " (6, 2, 3, 'w', 'tensor', 'f32', '[4,4]');"
        "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target,"
        "  value_id) VALUES (2, 'input', 9, 'w', 'tensor', 'parameter', 'lin.weight', "
        "6);"
        "INSERT INTO op (id, name, namespace, flags) VALUES (1, 'aten::linear', "
        "'aten', 0),"
        " (2, 'aten::batch_norm', 'aten', 0), (3, 'aten::permute', 'aten', 0),"
        " (4, 'aten::mul.Tensor', 'aten', 0);"
        "INSERT INTO node (id, graph_id, idx, name, kind, op_id, value_id) VALUES"
        " (11, 2, 0, 'w', 'placeholder', NULL, 6),"
        " (12, 2, 1, 'x', 'placeholder', NULL, 3),"
        " (13, 2, 2, 'linear', 'call_function', 1, 4),"
        " (19, 2, 9, 'output', 'output', NULL, NULL);"
        "INSERT INTO edge VALUES (13, 0, 12, 3), (13, 1, 11, 6), (19, 0, 13, 4)");
    if (*digest == 'a')
        given("UPDATE constant SET xxh3 = 'aa', found = 'whole'");
    else
        given("UPDATE constant SET xxh3 = 'bb', found = 'other'");
}

/* The same, and the data has no name: what a delegate keeps. */
static void given_nameless(const char *digest)
{
    given_weights(digest);
    given("UPDATE named_data SET key = 'c0ffee', dtype = NULL");
}

/* A bias of the same linear, of which the search says `found`. */
static void given_bias(const char *found)
{
    given("INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind, dtype,"
          " shape, nbytes, xxh3) VALUES"
          " (2, 2, 2, 1, 'lin.bias', 'parameter', 'f32', '[4]', 16, 'cc');"
          "INSERT INTO value (id, graph_id, idx, name, kind, dtype, shape) VALUES"
          " (7, 2, 4, 'bias', 'tensor', 'f32', '[4]');"
          "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target,"
          "  value_id) VALUES"
          " (2, 'input', 10, 'bias', 'tensor', 'parameter', 'lin.bias', 7);"
          "INSERT INTO node (id, graph_id, idx, name, kind, value_id) VALUES"
          " (15, 2, 3, 'bias', 'placeholder', 7);"
          "INSERT INTO edge VALUES (13, 2, 15, 7)");
    if (*found == 'o')
        given("UPDATE constant SET found = 'other' WHERE id = 2");
    else
        given("UPDATE constant SET found = 'uniform' WHERE id = 2");
}

#define KEPT                                                                           \
    "that lowering keeps have other bytes of their type and size in their place"
#define OTHER "error found 0 of 1 weights of the program; 1 " KEPT ": lin.weight\n"
#define NOTED " not judged: quantized, folded, or of another checkpoint\n"
#define NONE "note found 0 of 1 weights of the program; 1" NOTED

START_TEST(constant_program_data_accepts_the_bytes_of_the_program)
{
    given_weights("aa");
    expect("constant/program-data", "");
}
END_TEST

START_TEST(constant_program_data_reports_other_bytes_of_one_name)
{
    given_weights("bb");
    expect(
        "constant/program-data",
        "error 1 of the 1 weights that have a name, type and size of the program have"
        " other bytes: lin.weight\n");
}
END_TEST

START_TEST(constant_program_data_accepts_the_elements_of_a_name_in_another_order)
{
    given_weights("bb");
    given("UPDATE constant SET found = 'whole'");
    expect("constant/program-data", "");
}
END_TEST

START_TEST(constant_program_data_reports_other_bytes_in_the_place_of_a_weight)
{
    given_nameless("bb");
    expect("constant/program-data", OTHER);
    given("UPDATE node SET op_id = 3 WHERE id = 13; DELETE FROM edge WHERE dst = 19");
    given("INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (14, 2, 3, 'mul', 'call_function', 4);"
          "INSERT INTO edge VALUES (14, 0, 13, 4), (14, 1, 12, 3), (19, 1, 14, 4);"
          "DELETE FROM edge WHERE dst = 13 AND src = 12");
    expect("constant/program-data", OTHER);
}
END_TEST

START_TEST(constant_program_data_reports_a_bias_alone)
{
    given_nameless("aa");
    given_bias("other");
    expect("constant/program-data",
           "error found 1 of 2 weights of the program; 1 " KEPT ": lin.bias\n");
}
END_TEST

START_TEST(constant_program_data_only_notes_a_bias_beside_what_was_quantized)
{
    given_nameless("bb");
    given("UPDATE constant SET found = 'no'");
    given_bias("other");
    expect("constant/program-data",
           "note found 0 of 2 weights of the program; 2" NOTED);
}
END_TEST

START_TEST(constant_program_data_accepts_a_bias_beside_dequantized_operands)
{
    given_nameless("aa");
    given_bias("other");
    given("INSERT INTO op (id, name, namespace, flags) VALUES"
          " (5, 'quantized_decomposed::dequantize_per_tensor', 'x', 0);"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (16, 2, 4, 'dequantize', 'call_function', 5);"
          "UPDATE edge SET src = 16 WHERE dst = 13 AND src = 12;"
          "INSERT INTO edge VALUES (16, 0, 12, 3)");
    expect("constant/program-data", "");
}
END_TEST

START_TEST(constant_program_data_reports_weights_beside_a_bias_that_may_be_zero)
{
    given_nameless("bb");
    given_bias("uniform");
    expect("constant/program-data",
           "error found 0 of 2 weights of the program; 2 " KEPT ": lin.bias, ...\n");
}
END_TEST

START_TEST(constant_program_data_only_notes_where_folded_weights_have_the_places)
{
    given_nameless("bb");
    given("UPDATE constant SET found = 'no';"
          "INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind, dtype,"
          " shape, nbytes, xxh3, found) VALUES (3, 2, 2, 2, 'folded', 'parameter',"
          " 'f32', '[4,4]', 64, 'dd', 'other')");
    expect("constant/program-data",
           "note found 0 of 2 weights of the program; 2" NOTED);
}
END_TEST

START_TEST(constant_program_data_accepts_that_a_weight_no_output_needs_is_gone)
{
    given_nameless("aa");
    given_bias("other");
    given("INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (16, 2, 4, 'mul', 'call_function', 4);"
          "UPDATE edge SET dst = 16 WHERE src = 15");
    expect("constant/program-data", "");
}
END_TEST

START_TEST(constant_program_data_reports_other_bytes_of_a_weight_that_a_delegate_has)
{
    given_nameless("bb");
    given("UPDATE \"graph\" SET kind = 'lowered', path = 'lowered_module_0'"
          " WHERE id = 2");
    expect("constant/program-data", OTHER);
    given("UPDATE constant SET found = 'inside'");
    expect("constant/program-data", "");
}
END_TEST

START_TEST(constant_program_data_accepts_weights_inside_a_blob)
{
    given_nameless("bb");
    given("UPDATE constant SET found = 'inside'");
    expect("constant/program-data", "");
}
END_TEST

START_TEST(constant_program_data_only_notes_weights_that_were_quantized)
{
    given_nameless("bb");
    given("UPDATE constant SET found = 'no'");
    expect("constant/program-data", NONE);
}
END_TEST

/* Which are stored as f32, of the size of others. */
START_TEST(constant_program_data_only_notes_halves_that_xnnpack_widens)
{
    given_nameless("bb");
    given("UPDATE constant SET dtype = 'f16'");
    expect("constant/program-data", OTHER);
    given("INSERT INTO delegate (id, method_id, idx, backend) VALUES"
          " (1, 1, 0, 'XnnpackBackend')");
    expect("constant/program-data", NONE);
    given("UPDATE constant SET dtype = 'f32'");
    expect("constant/program-data", OTHER);
}
END_TEST

START_TEST(constant_program_data_only_notes_weights_that_a_batch_norm_scales)
{
    given_nameless("bb");
    given("INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (14, 2, 3, 'bn', 'call_function', 2);"
          "INSERT INTO edge VALUES (14, 0, 13, 4), (19, 1, 14, 4)");
    expect("constant/program-data", NONE);
    given("INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
          " (1, 1, 0, 'op_0', 'kernel_call', 2)");
    expect("constant/program-data", OTHER);
}
END_TEST

START_TEST(constant_program_data_only_notes_weights_that_are_computed_ahead)
{
    given_nameless("bb");
    given("DELETE FROM edge WHERE src = 12");
    expect("constant/program-data", NONE);
}
END_TEST

START_TEST(constant_program_data_waits_for_the_ptd)
{
    given_nameless("bb");
    given("UPDATE segment SET size_bytes = 16;"
          "UPDATE artifact SET companion_of = NULL WHERE id = 3;"
          "INSERT INTO constant (id, artifact_id, idx, kind, nbytes, xxh3) VALUES"
          " (2, 1, 1, 'constant', 8, 'cc');"
          "UPDATE value SET storage = 'external' WHERE id = 1");
    expect("constant/program-data", "");
}
END_TEST

Suite *pair_rules_suite(void)
{
    Suite *suite = suite_create("pair_rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, open_pair, rules_close);
    tcase_add_test(all,
                   signature_user_io_stable_accepts_upper_bounds_in_place_of_symbols);
    tcase_add_test(all, signature_user_io_stable_reports_another_bound);
    tcase_add_test(all, signature_user_io_stable_reports_another_type);
    tcase_add_test(all, signature_user_io_stable_warns_of_inputs_that_were_quantized);
    tcase_add_test(all, signature_user_io_stable_reports_a_missing_output);
    tcase_add_test(all, signature_user_io_stable_takes_none_for_a_string);
    tcase_add_test(all, signature_user_io_stable_is_not_checked_without_the_program);
    tcase_add_test(all,
                   signature_mutation_written_back_accepts_a_buffer_written_in_place);
    tcase_add_test(all,
                   signature_mutation_written_back_reports_a_buffer_that_is_only_read);
    tcase_add_test(all, signature_mutation_written_back_leaves_buffers_to_delegates);
    tcase_add_test(
        all, signature_mutation_written_back_reports_an_input_that_is_not_written);
    tcase_add_test(all, constant_program_data_accepts_the_bytes_of_the_program);
    tcase_add_test(all, constant_program_data_reports_other_bytes_of_one_name);
    tcase_add_test(
        all, constant_program_data_accepts_the_elements_of_a_name_in_another_order);
    tcase_add_test(all,
                   constant_program_data_reports_other_bytes_in_the_place_of_a_weight);
    tcase_add_test(all, constant_program_data_reports_a_bias_alone);
    tcase_add_test(all,
                   constant_program_data_only_notes_a_bias_beside_what_was_quantized);
    tcase_add_test(all,
                   constant_program_data_accepts_a_bias_beside_dequantized_operands);
    tcase_add_test(
        all, constant_program_data_reports_weights_beside_a_bias_that_may_be_zero);
    tcase_add_test(
        all, constant_program_data_only_notes_where_folded_weights_have_the_places);
    tcase_add_test(all,
                   constant_program_data_accepts_that_a_weight_no_output_needs_is_gone);
    tcase_add_test(
        all, constant_program_data_reports_other_bytes_of_a_weight_that_a_delegate_has);
    tcase_add_test(all, constant_program_data_accepts_weights_inside_a_blob);
    tcase_add_test(all, constant_program_data_only_notes_weights_that_were_quantized);
    tcase_add_test(all, constant_program_data_only_notes_halves_that_xnnpack_widens);
    tcase_add_test(all,
                   constant_program_data_only_notes_weights_that_a_batch_norm_scales);
    tcase_add_test(all,
                   constant_program_data_only_notes_weights_that_are_computed_ahead);
    tcase_add_test(all, constant_program_data_waits_for_the_ptd);
    suite_add_tcase(suite, all);
    return suite;
}
