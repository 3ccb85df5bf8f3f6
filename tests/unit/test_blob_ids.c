/* What a blob is about and does not have: slots, ids, names, in every format of those
 * that run nowhere here. */
#include "unit/suite.h"

#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "unit/pte_file.h"

static bool has_words(const uint8_t *at, const uint32_t *words, size_t n)
{
    size_t i = 0;

    while (i < n && dg_u32(at + 4 * i) == words[i])
        i++;
    return i == n;
}

/* The blob has the words `was` once; word `i` of them is `now`. */
static void put_word(const uint32_t *was, size_t n, size_t i, uint32_t now)
{
    uint8_t *found = NULL;

    for (size_t at = 0; at + 4 * n <= pte.size; at += 4) {
        if (!has_words(pte.bytes + at, was, n))
            continue;
        ck_assert_ptr_null(found);
        found = pte.bytes + at;
    }
    ck_assert_ptr_nonnull(found);
    for (size_t byte = 0; byte < 4; byte++)
        found[4 * i + byte] = (uint8_t)(now >> 8 * byte);
}

/* Of the strings `was` in the blob the one with that number begins with q. */
static void rename_string(const char *was, size_t number)
{
    size_t size = strlen(was) + 1, n = 0;

    for (size_t at = 1; at + size <= pte.size; at++) {
        if (!pte.bytes[at - 1] && !memcmp(pte.bytes + at, was, size) && n++ == number) {
            pte.bytes[at] = 'q';
            return;
        }
    }
    ck_abort_msg("no string %zu %s", number, was);
}

/* All remarks for rules about blobs: "rule text" on a line each. */
static void expect_told(const char *want)
{
    struct dg_writer out = {0};

    for (size_t i = 0; i < pte.program.n_remarks; i++) {
        const struct dg_remark_row *row = &pte.program.remarks[i];

        if (!strncmp(row->rule, "blob/", strlen("blob/")))
            dg_print(&out, "%s %.*s\n", row->rule, (int)row->text.size, row->text.data);
    }
    dg_write(&out, "", 1);
    ck_assert_str_eq(out.data, want);
    dg_writer_clear(&out);
}

/* Operands of the nodes for which there are no values: "node operand value". */
static void expect_missing(const char *want)
{
    struct dg_writer out = {0};

    for (size_t i = 0; i < pte.program.n_delegate_operands; i++) {
        const struct dg_delegate_operand_row *row = &pte.program.delegate_operands[i];

        if (row->value != DG_NONE)
            continue;
        dg_print(&out, "%s %s ", pte.program.delegate_nodes[row->node].name.data,
                 row->name.data);
        if (row->missing.data)
            dg_print(&out, "%.*s\n", (int)row->missing.size, row->missing.data);
        else
            dg_print(&out, "%d\n", (int)row->value_idx);
    }
    dg_write(&out, "", 1);
    ck_assert_str_eq(out.data, want);
    dg_writer_clear(&out);
}

/* How many slots mlx-chains has. */
enum { CONSTANTS, INPUTS, OUTPUTS, TEMPORARIES, NUMBERS, N_COUNTS };
static const uint32_t counts[N_COUNTS] = {1, 1, 1, 5, 1};

START_TEST(a_slot_of_mlx_behind_the_last_one_is_no_value)
{
    pte_open_blob("mlx-chains");
    put_word(counts, N_COUNTS, TEMPORARIES, 4);
    pte_read_blob("MLXBackend");
    expect_missing("TanhNode_4 out 7\nSigmoidNode_5 out 7\nScanNode_6 originals 7\n");
    expect_told("");
    pte_close();
}

START_TEST(a_number_of_mlx_behind_the_last_one_has_its_name)
{
    pte_open_blob("mlx-chains");
    put_word(counts, N_COUNTS, NUMBERS, 0);
    pte_read_blob("MLXBackend");
    expect_missing("SymSizeNode_2 out v0\nIfNode_3 cond v0\n");
    expect_told("");
    pte_close();
}

static void count_no_tensors(void)
{
    for (size_t i = CONSTANTS; i <= TEMPORARIES; i++) {
        uint32_t now[N_COUNTS] = {0};

        memcpy(now + i, counts + i, (N_COUNTS - i) * sizeof(*now));
        put_word(now, N_COUNTS, i, 0);
    }
}

START_TEST(what_mlx_maps_and_names_are_slots_that_there_are)
{
    pte_open_blob("mlx-chains");
    count_no_tensors();
    pte_read_blob("MLXBackend");
    expect_told(
        "blob/value-defined delegate_0: what it names w is value 0, and the"
        " blob defines none of that number\n"
        "blob/external-id delegate_0: operand 0 of its calls is value 1, and the"
        " blob defines none of that number\n"
        "blob/external-id delegate_0: operand 1 of its calls is value 2, and the"
        " blob defines none of that number\n");
    pte_close();
}

/* The table that says where fields of the graph lie has two bytes for each; here what
 * maps outputs maps mutable buffers, which come next. */
static void take_outputs_for_buffers(void)
{
    enum { INIT_CHAIN = 32, INPUT_MAP = 36, OUTPUT_MAP = 40, NAMED = 44, META = 48 };
    static const uint32_t fields[] = {INIT_CHAIN | INPUT_MAP << 16, OUTPUT_MAP,
                                      NAMED | META << 16};

    put_word(fields, 3, 1, OUTPUT_MAP << 16);
}

START_TEST(a_mutable_buffer_of_mlx_has_a_slot)
{
    pte_open_blob("mlx-chains");
    take_outputs_for_buffers();
    pte_read_blob("MLXBackend");
    expect_told("");
    count_no_tensors();
    pte_read_blob("MLXBackend");
    expect_told(
        "blob/value-defined delegate_0: what it names w is value 0, and the"
        " blob defines none of that number\n"
        "blob/value-defined delegate_0: mutable buffer 0 is value 2, and the"
        " blob defines none of that number\n"
        "blob/external-id delegate_0: operand 0 of its calls is value 1, and the"
        " blob defines none of that number\n");
    pte_close();
}

START_TEST(blob_format_reports_chains_of_mlx_that_are_run_and_are_none)
{
    static const uint32_t init[] = {5, 1, 0xec, 1}, branches[] = {0x18, 3, 2},
                          body[] = {0x2c, 0x20, 0x14, 8, 4};

    pte_open_blob("mlx-chains");
    pte_read_blob("MLXBackend");
    expect_told(""); /* though what no call runs names chain 99 */
    put_word(init, 4, 3, 6);
    put_word(branches, 3, 1, 7);
    put_word(body, 5, 4, UINT32_MAX);
    pte_read_blob("MLXBackend");
    expect_told("blob/format delegate_0: init_chain_idx is 6, and the blob has 6 "
                "chains of instructions\n"
                "blob/format delegate_0: then_chain_idx of an IfNode is 7, and the "
                "blob has 6 chains of instructions\n"
                "blob/format delegate_0: body_chain_idx of a ScanNode is -1, and the "
                "blob has 6 chains of instructions\n");
    pte_close();
}

START_TEST(blob_constant_reports_one_of_mlx_that_has_no_name)
{
    pte_open_blob("mlx-chains");
    put_word(counts, N_COUNTS, CONSTANTS, 2);
    pte_read_blob("MLXBackend");
    expect_told("blob/constant delegate_0: it has 2 constants, and names 1 of them\n");
    pte_close();
}

START_TEST(blob_external_id_reports_ids_of_vulkan_that_are_no_values)
{
    static const uint32_t inputs[] = {2, 0, 6}, outputs[] = {1, 10};

    pte_open_blob("vulkan-lists");
    put_word(inputs, 3, 2, 15);
    put_word(outputs, 2, 1, UINT32_MAX);
    pte_read_blob("VulkanBackend");
    expect_told("blob/external-id delegate_0: operand 1 of its calls is value 15, and"
                " the blob defines none of that number\n"
                "blob/external-id delegate_0: operand 2 of its calls is value"
                " 4294967295, and the blob defines none of that number\n");
    pte_close();
}

/* What a call passes there the runtime knows before. */
START_TEST(blob_external_id_accepts_a_value_of_vulkan_that_is_no_tensor)
{
    static const uint32_t inputs[] = {2, 0, 6};
    int n = 0;

    pte_open_blob("vulkan-lists");
    put_word(inputs, 3, 1, 2);
    pte_read_blob("VulkanBackend");
    expect_told("");
    for (size_t i = 0; i < pte.program.n_delegate_values; i++)
        n += pte.program.delegate_values[i].external_id == 1;
    ck_assert_int_eq(n, 1);
    pte_close();
}

static void load_renamed(const char *name, const char *backend, const char *was,
                         size_t number)
{
    pte_open_blob(name);
    rename_string(was, number);
    pte_read_blob(backend);
}

START_TEST(blob_external_id_reports_names_that_are_no_values)
{
    load_renamed("tosa-f16", "TOSABackend", "tosa_clamp_default", 2);
    expect_missing("");
    expect_told("blob/external-id delegate_0: operand 1 of its calls is value"
                " qosa_clamp_default, and the blob defines none of that name\n");
    pte_close();
    load_renamed("native-bodies", "NativeBackend", "cond", 1);
    expect_missing("");
    expect_told("blob/external-id delegate_0: operand 2 of its calls is value qond, and"
                " the blob defines none of that name\n");
    pte_close();
}

START_TEST(what_is_missing_has_the_name_that_the_blob_calls_it_by)
{
    load_renamed("tosa-f16", "TOSABackend", "x", 2);
    expect_missing("CLAMP_0 input0 q\n");
    expect_told("");
    pte_close();
    load_renamed("native-bodies", "NativeBackend", "size", 0);
    expect_missing("higher_order::cond_2 arg3 qize\n");
    expect_told("");
    pte_close();
}

START_TEST(what_a_native_branch_takes_and_gives_is_a_value_of_it)
{
    load_renamed("native-bodies", "NativeBackend", "full", 1);
    expect_told("blob/value-defined delegate_0: a branch's output 0 is value qull, and"
                " the blob defines none of that name\n");
    pte_close();
    load_renamed("native-bodies", "NativeBackend", "n", 0);
    expect_told("blob/value-defined delegate_0: a branch's input 0 is value q, and the"
                " blob defines none of that name\n");
    pte_close();
}

START_TEST(what_is_there_is_not_missing)
{
    static const struct {
        const char *name, *backend;
    } blobs[] = {{"vulkan-lists", "VulkanBackend"},
                 {"mlx-chains", "MLXBackend"},
                 {"native-bodies", "NativeBackend"},
                 {"tosa-f16", "TOSABackend"}};

    for (size_t i = 0; i < sizeof(blobs) / sizeof(*blobs); i++) {
        pte_load_blob(blobs[i].name, blobs[i].backend);
        expect_missing("");
        expect_told("");
        pte_close();
    }
}

Suite *blob_ids_suite(void)
{
    Suite *suite = suite_create("blob ids");
    TCase *all = tcase_create("all");

    tcase_add_test(all, a_slot_of_mlx_behind_the_last_one_is_no_value);
    tcase_add_test(all, a_number_of_mlx_behind_the_last_one_has_its_name);
    tcase_add_test(all, what_mlx_maps_and_names_are_slots_that_there_are);
    tcase_add_test(all, a_mutable_buffer_of_mlx_has_a_slot);
    tcase_add_test(all, blob_format_reports_chains_of_mlx_that_are_run_and_are_none);
    tcase_add_test(all, blob_constant_reports_one_of_mlx_that_has_no_name);
    tcase_add_test(all, blob_external_id_reports_ids_of_vulkan_that_are_no_values);
    tcase_add_test(all, blob_external_id_accepts_a_value_of_vulkan_that_is_no_tensor);
    tcase_add_test(all, blob_external_id_reports_names_that_are_no_values);
    tcase_add_test(all, what_is_missing_has_the_name_that_the_blob_calls_it_by);
    tcase_add_test(all, what_a_native_branch_takes_and_gives_is_a_value_of_it);
    tcase_add_test(all, what_is_there_is_not_missing);
    suite_add_tcase(suite, all);
    return suite;
}
