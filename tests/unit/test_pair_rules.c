#include "unit/rules.h"

/* Artifact 1, a .pte, and artifact 2, the program that it was made from: both take
 * f32 [2,"n"] and give f32 [2]; n is 9 at most. */
static void open_pair(void)
{
    rules_open();
    given_pte();
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
        "INSERT INTO constant (id, artifact_id, method_id, idx, fqn, kind, dtype,"
        " nbytes) VALUES (1, 2, 2, 0, 'lin.weight', 'parameter', 'f32', 64)");
    if (*digest == 'a')
        given("UPDATE constant SET xxh3 = 'aa'");
    else
        given("UPDATE constant SET xxh3 = 'bb'");
}

START_TEST(constant_program_data_accepts_the_bytes_of_the_program)
{
    given_weights("aa");
    expect("constant/program-data", "");
}
END_TEST

START_TEST(constant_program_data_reports_other_bytes_of_one_name)
{
    given_weights("bb");
    expect("constant/program-data",
           "warning lin.weight has the type and size (f32, 64 bytes) of the program's"
           " weight of that name, and other bytes\n");
}
END_TEST

START_TEST(constant_program_data_notes_constants_that_lowering_made)
{
    given_weights("aa");
    given("INSERT INTO constant (id, artifact_id, idx, kind, nbytes, xxh3) VALUES"
          " (2, 1, 1, 'constant', 8, 'cc'), (3, 1, 2, 'constant', 64, 'aa')");
    expect("constant/program-data",
           "note 1 of 2 constants (8 of 72 bytes) have bytes that no weight of the"
           " program has: folded, quantized or laid out anew\n");
    given("UPDATE constant SET nbytes = 9223372036854775807 WHERE artifact_id = 1");
    expect("constant/program-data",
           "note 1 of 2 constants (9223372036854775807 of 9223372036854775807 bytes)"
           " have bytes that no weight of the program has: folded, quantized or laid"
           " out anew\n");
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
    tcase_add_test(all, constant_program_data_notes_constants_that_lowering_made);
    suite_add_tcase(suite, all);
    return suite;
}
