#include "unit/suite.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/order.h"
#include "base/output.h"
#include "base/text.h"

START_TEST(a_range_that_wraps_is_not_inside)
{
    ck_assert(dg_inside(0, 0, 0));
    ck_assert(dg_inside(4, 4, 8));
    ck_assert(!dg_inside(4, 5, 8));
    ck_assert(!dg_inside(UINT64_MAX, 2, 8));
    ck_assert(!dg_inside(4, UINT64_MAX - 3, 8));
}

START_TEST(utf8_refuses_overlong_surrogate_and_cut_sequences)
{
    ck_assert(dg_is_utf8(dg_text("plain, \xc3\xa4, \xe2\x82\xac, \xf0\x9f\x98\x80")));
    ck_assert(!dg_is_utf8(dg_text("\xc0\x80")));
    ck_assert(!dg_is_utf8(dg_text("\xed\xa0\x80")));
    ck_assert(!dg_is_utf8(dg_text("cut \xe2\x82")));
    ck_assert(!dg_is_utf8(dg_text("long enough for words \xff")));
    ck_assert(!dg_is_utf8(dg_text("\xf4\x90\x80\x80")));
}

START_TEST(json_text_escapes_what_must_be_and_replaces_what_is_not_utf8)
{
    struct dg_writer out = {0};

    dg_write_json(&out, dg_text("a\"\\\n\x1b\xff\xc3\xa4"));
    ck_assert_str_eq(out.data, "\"a\\\"\\\\\\n\\u001b\xef\xbf\xbd\xc3\xa4\"");
    dg_writer_clear(&out);
}

START_TEST(json_numbers_give_the_number_back_in_few_digits)
{
    struct dg_writer out = {0};

    dg_write_float(&out, 0.1f);
    dg_print(&out, " ");
    dg_write_float(&out, 16777216.0f);
    dg_print(&out, " ");
    dg_write_float(&out, -INFINITY);
    dg_print(&out, " ");
    dg_write_double(&out, 0.1);
    dg_print(&out, " ");
    dg_write_double(&out, 1.0 / 3);
    dg_print(&out, " ");
    dg_write_double(&out, NAN);
    ck_assert_str_eq(out.data,
                     "0.1 16777216.0 \"-Infinity\" 0.1 0.3333333333333333 \"NaN\"");
    dg_writer_clear(&out);
}

START_TEST(plain_text_carries_no_control_characters)
{
    struct dg_writer out = {0};

    dg_write_plain(&out, dg_text("\x1b[31m\xc2\x9b \xc3\xa4"));
    ck_assert_str_eq(out.data, "\\x1b[31m\\xc2\\x9b \xc3\xa4");
    dg_writer_clear(&out);
}

START_TEST(the_nearest_name_is_found_and_a_far_one_is_not)
{
    static const char *const names[] = {"info", "check", "query"};

    ck_assert_str_eq(dg_nearest("chekc", names, 3), "check");
    ck_assert_str_eq(dg_nearest("inof", names, 3), "info");
    ck_assert_ptr_null(dg_nearest("completely", names, 3));
}

START_TEST(growing_keeps_items_and_zeroes_new_ones)
{
    int *items = NULL;
    size_t count = 0;

    for (int i = 0; i < 1000; i++) {
        int *item = DG_APPEND(items, count);

        ck_assert_int_eq(*item, 0);
        *item = i;
    }
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(items[i], i);
    free(items);
}

START_TEST(arena_items_are_zeroed_and_aligned)
{
    struct dg_arena arena = {0};

    for (size_t size = 1; size < 100000; size = size * 3 + 1) {
        char *data = dg_alloc(&arena, size, 1);

        ck_assert_int_eq(data[0] | data[size - 1], 0);
        ck_assert_uint_eq((uintptr_t)data % _Alignof(max_align_t), 0);
        memset(data, 0xff, size);
    }
    dg_arena_clear(&arena);
}

START_TEST(digests_are_those_of_the_standards)
{
    struct dg_arena arena = {0};
    struct dg_bytes abc = {(const uint8_t *)"abc", 3};

    ck_assert_str_eq(
        dg_sha256(abc, &arena).data,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ck_assert_str_eq(dg_sha256_base64(abc, &arena).data,
                     "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    ck_assert_str_eq(dg_xxh3(abc, &arena).data, "06b05ab6733a618578af5f94892f3950");
    dg_arena_clear(&arena);
}

/* More than one stretch, and pages of those before were let go. */
START_TEST(digests_of_what_is_read_by_stretches_are_those_of_the_whole)
{
    enum { SIZE = (20 << 20) + 1 };
    struct dg_arena arena = {0};
    struct dg_text sha256, xxh3;
    struct dg_bytes zeros = {
        mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), SIZE};
    struct dg_mapping mapping = {.file = zeros};

    ck_assert_ptr_ne(zeros.data, MAP_FAILED);
    dg_digest(&sha256, &xxh3, zeros, &mapping, &arena);
    ck_assert_str_eq(
        sha256.data,
        "c443bedc371a412937057335440b956ef28441394e67a3743cf66cc7072d8573");
    ck_assert_str_eq(xxh3.data, "f02d50bb89254dbbf2efff206a4ddd58");
    ck_assert_uint_lt(mapping.read, SIZE);
    ck_assert(!munmap((void *)(uintptr_t)zeros.data, SIZE));
    dg_arena_clear(&arena);
}

START_TEST(the_same_code_means_other_types_in_other_formats)
{
    ck_assert_str_eq(dg_dtype_of_torch(28)->name, "u16");
    ck_assert_str_eq(dg_dtype_of_exir(14)->name, "u16");
    ck_assert_str_eq(dg_dtype_of_c10(15)->name, "bf16");
    ck_assert_ptr_null(dg_dtype_of_c10(-1));
    ck_assert_ptr_null(dg_dtype_of_torch(14));
}

static int64_t key_of(const void *pairs, uint32_t i, unsigned key)
{
    return ((const int64_t(*)[2])pairs)[i][key];
}

START_TEST(things_come_by_each_key_in_turn_and_then_by_number)
{
    const int64_t pairs[][2] = {{0, 5},  {INT64_MAX, 0}, {0, -5},  {INT64_MIN, 9},
                                {0, 5},  {1 << 20, 1},   {-1, 7},  {0, INT64_MIN},
                                {-1, 7}, {2047, 0},      {2048, 0}};
    const uint32_t want[] = {3, 6, 8, 7, 2, 0, 4, 9, 10, 5, 1};
    struct dg_arena memory = {0};
    uint32_t *order = dg_order(11, key_of, 2, pairs, &memory);

    for (uint32_t k = 0; k < 11; k++)
        ck_assert_uint_eq(order[k], want[k]);
    dg_order(0, key_of, 2, NULL, &memory);
    dg_arena_clear(&memory);
}

START_TEST(an_output_appears_whole_or_not_at_all)
{
    char path[] = "output-test-XXXXXX";
    struct dg_output output;
    struct dg_error err = {0};
    char content[16];
    int file = mkstemp(path);

    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, "old", 3), 3);
    close(file);
    ck_assert(!dg_output_begin(&output, path, &err));
    ck_assert_int_eq(dg_output_finish(&output, DG_ERR_IO, &err), DG_ERR_IO);
    ck_assert(!dg_output_write(path, dg_text("new text"), &err));
    file = open(path, O_RDONLY);
    ck_assert_int_eq(read(file, content, sizeof(content)), 8);
    ck_assert(!memcmp(content, "new text", 8));
    close(file);
    unlink(path);
}

START_TEST(who_may_read_an_output_stays_as_it_was)
{
    char path[] = "output-test-XXXXXX";
    struct dg_error err = {0};
    struct stat state;
    int file = mkstemp(path);

    ck_assert_int_ge(file, 0);
    for (mode_t mode = 0600; mode <= 0644; mode += 0044) {
        ck_assert(!fchmod(file, mode));
        ck_assert(!dg_output_write(path, dg_text("new text"), &err));
        ck_assert(!stat(path, &state));
        ck_assert_int_eq(state.st_mode & 07777, mode);
        close(file);
        file = open(path, O_RDWR);
    }
    close(file);
    unlink(path);
}

START_TEST(what_is_open_is_written_behind_what_it_holds)
{
    char path[] = "output-test-XXXXXX", name[40], content[16];
    struct dg_error err = {0};
    int file = mkstemp(path);

    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, "old", 3), 3);
    snprintf(name, sizeof(name), "/dev/fd/%d", file);
    ck_assert(!dg_output_write(name, dg_text(", new"), &err));
    ck_assert_int_eq(write(file, ".", 1), 1);
    ck_assert_int_eq(pread(file, content, sizeof(content), 0), 9);
    ck_assert(!memcmp(content, "old, new.", 9));
    close(file);
    unlink(path);
    ck_assert_int_eq(dg_output_write(name, dg_text("x"), &err), DG_ERR_IO);
}

START_TEST(an_output_that_cannot_be_written_says_where)
{
    struct dg_error err = {0};

    ck_assert_int_eq(dg_output_write("/no/such/folder/x", dg_text("x"), &err),
                     DG_ERR_IO);
    ck_assert_str_eq(err.text,
                     "/no/such/folder/x: cannot write: No such file or directory");
}

/* "hg" among the flags of the mapping that an address is in. */
static bool prefers_large_pages(const void *address)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    uintptr_t start, end, at = (uintptr_t)address;
    bool here = false, found = false;
    char line[512];

    while (maps && fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2)
            here = start <= at && at < end;
        else if (here && strncmp(line, "VmFlags:", 8) == 0)
            found = strstr(line, " hg") != NULL;
    }
    if (maps)
        fclose(maps);
    return found;
}

enum { N_BLOCKS = 200, BLOCK = 100 << 10 };

/* Take 20 MB, in blocks for which malloc() makes no mapping. Whether the one in the
 * midst is in large pages; not where malloc() is a sanitizer's or valgrind's. */
static bool heap_grows_in_large_pages(bool *grew)
{
    char *end = sbrk(0), *blocks[N_BLOCKS], *middle;
    bool large;

    for (int i = 0; i < N_BLOCKS; i++)
        blocks[i] = malloc(BLOCK);
    middle = blocks[N_BLOCKS / 2];
    *grew = middle >= end && middle < (char *)sbrk(0);
    dg_heap_prefer_large_pages();
    large = prefers_large_pages(middle);
    for (int i = 0; i < N_BLOCKS; i++)
        free(blocks[i]);
    return large;
}

START_TEST(a_heap_that_keeps_its_pages_takes_large_ones)
{
    bool grew,
        kernel_has_them = access("/sys/kernel/mm/transparent_hugepage", F_OK) == 0;

    dg_heap_keep_pages();
    ck_assert(heap_grows_in_large_pages(&grew) || !grew || !kernel_has_them);
}

START_TEST(the_heap_of_a_host_process_is_left_as_it_is)
{
    bool grew;

    ck_assert(!heap_grows_in_large_pages(&grew) || !grew);
}

Suite *base_suite(void)
{
    Suite *suite = suite_create("base");
    TCase *all = tcase_create("all");

    tcase_add_test(all, a_range_that_wraps_is_not_inside);
    tcase_add_test(all, utf8_refuses_overlong_surrogate_and_cut_sequences);
    tcase_add_test(all, json_text_escapes_what_must_be_and_replaces_what_is_not_utf8);
    tcase_add_test(all, json_numbers_give_the_number_back_in_few_digits);
    tcase_add_test(all, plain_text_carries_no_control_characters);
    tcase_add_test(all, the_nearest_name_is_found_and_a_far_one_is_not);
    tcase_add_test(all, growing_keeps_items_and_zeroes_new_ones);
    tcase_add_test(all, arena_items_are_zeroed_and_aligned);
    tcase_add_test(all, digests_are_those_of_the_standards);
    tcase_add_test(all, digests_of_what_is_read_by_stretches_are_those_of_the_whole);
    tcase_add_test(all, the_same_code_means_other_types_in_other_formats);
    tcase_add_test(all, things_come_by_each_key_in_turn_and_then_by_number);
    tcase_add_test(all, an_output_appears_whole_or_not_at_all);
    tcase_add_test(all, who_may_read_an_output_stays_as_it_was);
    tcase_add_test(all, what_is_open_is_written_behind_what_it_holds);
    tcase_add_test(all, an_output_that_cannot_be_written_says_where);
    tcase_add_test(all, a_heap_that_keeps_its_pages_takes_large_ones);
    tcase_add_test(all, the_heap_of_a_host_process_is_left_as_it_is);
    suite_add_tcase(suite, all);
    return suite;
}
