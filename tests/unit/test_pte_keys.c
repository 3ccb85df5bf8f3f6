/* The keys that delegates of real programs look up, and what damage does to them. */
#include "unit/suite.h"

#include <string.h>

#include "unit/pte_file.h"

static const struct dg_delegate_key_row *key(size_t i)
{
    ck_assert_uint_lt(i, pte.program.n_delegate_keys);
    return &pte.program.delegate_keys[i];
}

static bool is_stored(struct dg_text text)
{
    for (size_t i = 0; i < pte.program.n_named_data; i++) {
        if (dg_text_equal(pte.program.named_data[i].key, text))
            return true;
    }
    return false;
}

START_TEST(keys_of_xnnpack_are_in_its_graph)
{
    pte_load("data/xnnpack.pte");
    ck_assert_uint_eq(pte.program.n_delegate_keys, pte.program.n_named_data);
    for (size_t i = 0; i < pte.program.n_delegate_keys; i++) {
        ck_assert(is_stored(key(i)->key));
        ck_assert_str_eq(key(i)->kind, "weights");
        ck_assert_int_gt(key(i)->nbytes, 0);
    }
    pte_close();
}

START_TEST(keys_of_aoti_are_two_lines)
{
    pte_load("data/aoti_blobs.pte");
    ck_assert_uint_eq(pte.program.n_delegate_keys, 2);
    ck_assert_str_eq(key(0)->kind, "library");
    ck_assert_str_eq(key(1)->kind, "weights");
    ck_assert(is_stored(key(0)->key));
    ck_assert(is_stored(key(1)->key));
    ck_assert_int_eq(key(1)->nbytes, DG_NONE);
    pte_close();
}

START_TEST(keys_of_an_empty_payload_are_made_of_the_method_name)
{
    pte_load("data/aoti_by_method.pte");
    ck_assert_uint_eq(pte.program.n_delegate_keys, 2);
    ck_assert(dg_text_is(key(0)->key, "forward_so_blob"));
    ck_assert(dg_text_is(key(1)->key, "forward_weights_blob"));
    pte_close();
}

/* The payload of aoti_blobs.pte, which has 150 bytes. */
static uint8_t *payload(void)
{
    pte_load("data/aoti_blobs.pte");
    ck_assert_int_eq(pte.program.delegates[0].blob_bytes, 150);
    return pte.bytes + pte.program.delegates[0].blob_offset;
}

static uint8_t *put(uint8_t *at, const void *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

static uint8_t *put_text(uint8_t *at, const char *text)
{
    uint32_t size = (uint32_t)strlen(text);
    uint8_t bytes[4] = {(uint8_t)size, (uint8_t)(size >> 8)};

    return put(put(at, bytes, 4), text, size);
}

/* A list of one weight that fills the payload, as CUDA's weight collector writes it. */
static void put_weight_list(uint8_t *at)
{
    static const uint8_t one[] = {1, 0, 0, 0}, nbytes[8] = {64}, view[20] = {6};
    char library[73];

    memcpy(library, at, 72);
    library[72] = '\0';
    at = put_text(put(at, "ETCUDAFQN3", 10), library);
    at = put_text(put_text(put(at, one, 4), "w"), "cuda_fqn_weight:cuda:ww");
    put(put(at, nbytes, 8), view, 20);
}

START_TEST(keys_of_a_list_of_weights_come_with_their_bytes)
{
    put_weight_list(payload());
    ck_assert(!pte_read(pte.size));
    ck_assert_uint_eq(pte_count_remarks("data/aoti-key-format"), 0);
    ck_assert_uint_eq(pte.program.n_delegate_keys, 2);
    ck_assert(is_stored(key(0)->key));
    ck_assert_str_eq(key(0)->kind, "library");
    ck_assert(dg_text_is(key(1)->key, "cuda_fqn_weight:cuda:ww"));
    ck_assert_int_eq(key(1)->nbytes, 64);
    pte_close();
}

START_TEST(data_aoti_key_format_reports_a_list_of_weights_that_is_cut_off)
{
    uint8_t *at = payload();

    put_weight_list(at);
    at[10 + 4 + 72] = 2; /* weights */
    ck_assert(!pte_read(pte.size));
    ck_assert_uint_eq(pte_count_remarks("data/aoti-key-format"), 1);
    ck_assert_uint_eq(pte.program.n_delegate_keys, 2);
    at[10] = 0xff; /* bytes of the library's key */
    ck_assert(!pte_read(pte.size));
    ck_assert_uint_eq(pte_count_remarks("data/aoti-key-format"), 1);
    ck_assert_uint_eq(pte.program.n_delegate_keys, 0);
    pte_close();
}

START_TEST(data_aoti_key_format_reports_a_payload_of_one_line)
{
    uint8_t *at = payload(), *newline = memchr(at, '\n', 150);

    ck_assert_ptr_nonnull(newline);
    *newline = '_';
    ck_assert(!pte_read(pte.size));
    ck_assert_uint_eq(pte_count_remarks("data/aoti-key-format"), 1);
    pte_close();
}

START_TEST(a_list_of_weights_of_another_generation_stays_unread)
{
    put(payload(), "ETCUDAFQN4", 10);
    ck_assert(!pte_read(pte.size));
    ck_assert_uint_eq(pte_count_remarks("format/unknown-field"), 1);
    ck_assert_uint_eq(pte.program.n_delegate_keys, 0);
    pte_close();
}

Suite *pte_keys_suite(void)
{
    Suite *suite = suite_create("pte keys");
    TCase *all = tcase_create("all");

    tcase_add_test(all, keys_of_xnnpack_are_in_its_graph);
    tcase_add_test(all, keys_of_aoti_are_two_lines);
    tcase_add_test(all, keys_of_an_empty_payload_are_made_of_the_method_name);
    tcase_add_test(all, keys_of_a_list_of_weights_come_with_their_bytes);
    tcase_add_test(all, data_aoti_key_format_reports_a_list_of_weights_that_is_cut_off);
    tcase_add_test(all, data_aoti_key_format_reports_a_payload_of_one_line);
    tcase_add_test(all, a_list_of_weights_of_another_generation_stays_unread);
    suite_add_tcase(suite, all);
    return suite;
}
