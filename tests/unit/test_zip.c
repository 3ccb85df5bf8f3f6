#include "unit/suite.h"

#include <libdeflate.h>

#include "base/text.h"
#include "formats/zip.h"

/* An archive in the making; tests spoil single fields of it. */
struct archive {
    struct dg_writer file, central;
    unsigned count;
    size_t local, listed, end; /* offsets: last header, its record, end record */
};

static struct archive archive;
static struct dg_zip zip;
static struct dg_error err;

static void put(struct dg_writer *out, unsigned long long value, int size)
{
    for (int i = 0; i < size; i++) {
        char byte = i < 8 ? (char)(value >> 8 * i) : 0;

        dg_write(out, &byte, 1);
    }
}

static void patch(struct dg_writer *out, size_t at, unsigned long long value, int size)
{
    for (int i = 0; i < size; i++)
        out->data[at + (size_t)i] = (char)(value >> 8 * i);
}

/* What local and central headers share, from the flags on. */
static void put_common(struct dg_writer *out, int method, uint32_t crc,
                       struct dg_text stored, size_t size)
{
    put(out, 0, 2);
    put(out, (unsigned)method, 2);
    put(out, 0, 4);
    put(out, crc, 4);
    put(out, stored.size, 4);
    put(out, size, 4);
}

static void add(struct dg_text name, struct dg_text stored, int method,
                struct dg_text content)
{
    uint32_t crc = libdeflate_crc32(0, content.data, content.size);

    archive.local = archive.file.size;
    archive.listed = archive.central.size;
    archive.count++;
    dg_write(&archive.file, "PK\3\4\24\0", 6);
    put_common(&archive.file, method, crc, stored, content.size);
    put(&archive.file, name.size, 2);
    put(&archive.file, 5, 2);
    dg_write_text(&archive.file, name);
    dg_write(&archive.file, "FB\1\0Z", 5);
    dg_write_text(&archive.file, stored);
    dg_write(&archive.central, "PK\1\2\24\0\24\0", 8);
    put_common(&archive.central, method, crc, stored, content.size);
    put(&archive.central, name.size, 2);
    put(&archive.central, 0, 12);
    put(&archive.central, archive.local, 4);
    dg_write_text(&archive.central, name);
}

static void add_stored(const char *name, const char *content)
{
    add(dg_text(name), dg_text(content), 0, dg_text(content));
}

static void add_deflated(const char *name, struct dg_text content, size_t more)
{
    static char packed[1 << 16];
    struct libdeflate_compressor *packer = libdeflate_alloc_compressor(9);
    size_t size = libdeflate_deflate_compress(packer, content.data, content.size,
                                              packed, sizeof(packed));

    libdeflate_free_compressor(packer);
    ck_assert_uint_gt(size, 0);
    add(dg_text(name), (struct dg_text){packed, size}, 8, content);
    patch(&archive.central, archive.listed + 24, content.size + more, 4);
}

static void put_end64(size_t directory)
{
    size_t at = archive.file.size;

    dg_write(&archive.file, "PK\6\6\x2c\0\0\0\0\0\0\0", 12);
    put(&archive.file, 0, 12);
    put(&archive.file, archive.count, 8);
    put(&archive.file, archive.count, 8);
    put(&archive.file, archive.central.size, 8);
    put(&archive.file, directory, 8);
    dg_write(&archive.file, "PK\6\7", 4);
    put(&archive.file, 0, 4);
    put(&archive.file, at, 8);
    put(&archive.file, 1, 4);
}

static void finish(bool zip64)
{
    size_t directory = archive.file.size;

    dg_write(&archive.file, archive.central.data, archive.central.size);
    if (zip64)
        put_end64(directory);
    archive.end = archive.file.size;
    dg_write(&archive.file, "PK\5\6\0\0\0\0", 8);
    put(&archive.file, zip64 ? 0xffff : archive.count, 2);
    put(&archive.file, zip64 ? 0xffff : archive.count, 2);
    put(&archive.file, zip64 ? 0xffffffff : archive.central.size, 4);
    put(&archive.file, zip64 ? 0xffffffff : directory, 4);
    put(&archive.file, 0, 2);
}

static enum dg_status open_archive(void)
{
    struct dg_bytes file = {(const uint8_t *)archive.file.data, archive.file.size};

    dg_zip_clear(&zip);
    err = (struct dg_error){0};
    return dg_zip_open(&zip, file, &err);
}

static void expect_opened(void)
{
    ck_assert_msg(open_archive() == DG_OK, "%s", err.text);
}

static void expect_refused(const char *part)
{
    ck_assert_int_eq(open_archive(), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, part) != NULL, "%s", err.text);
}

static enum dg_status read_entry(const char *name, struct dg_bytes *content, bool *crc)
{
    const struct dg_zip_entry *entry = dg_zip_find(&zip, dg_text(name));

    return dg_zip_read(&zip, entry, content, crc, &err);
}

static void expect_unreadable(const char *name, const char *part)
{
    struct dg_bytes content;
    bool crc;

    ck_assert_int_eq(read_entry(name, &content, &crc), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, part) != NULL, "%s", err.text);
}

static void expect_content(const char *name, const char *text)
{
    struct dg_bytes content;
    bool crc;

    ck_assert_msg(read_entry(name, &content, &crc) == DG_OK, "%s", err.text);
    ck_assert(crc && content.size == strlen(text));
    ck_assert_mem_eq(content.data, text, content.size);
}

static void clear(void)
{
    dg_writer_clear(&archive.file);
    dg_writer_clear(&archive.central);
    dg_zip_clear(&zip);
    archive = (struct archive){0};
}

START_TEST(stored_entries_are_read_in_place)
{
    add_stored("model/b", "bytes");
    add_stored("model/a", "more");
    finish(false);
    expect_opened();
    ck_assert_uint_eq(zip.n_entries, 2);
    ck_assert(dg_text_is(zip.entries[0].name, "model/b"));
    expect_content("model/b", "bytes");
    expect_content("model/a", "more");
    ck_assert_ptr_null(dg_zip_find(&zip, dg_text("model/")));
    ck_assert_ptr_eq(zip.entries[0].stored.data, zip.file.data + 30 + 7 + 5);
}

START_TEST(zip64_records_are_read)
{
    add_stored("a", "bytes");
    patch(&archive.central, archive.listed + 20, 0xffffffffffffffff, 8);
    patch(&archive.central, archive.listed + 42, 0xffffffff, 4);
    patch(&archive.central, archive.listed + 30, 28, 2);
    put(&archive.central, 1 | 24 << 16, 4);
    put(&archive.central, 5, 8);
    put(&archive.central, 5, 8);
    put(&archive.central, 0, 8);
    finish(true);
    expect_opened();
    expect_content("a", "bytes");
}

START_TEST(sizes_that_need_zip64_must_have_it)
{
    add_stored("a", "bytes");
    patch(&archive.central, archive.listed + 42, 0xffffffff, 4);
    finish(false);
    expect_refused("entry a has no room for its size");
}

START_TEST(a_comment_may_contain_an_end_record)
{
    add_stored("a", "bytes");
    finish(false);
    patch(&archive.file, archive.end + 20, 30, 2);
    dg_write(&archive.file, "PK\5\6 and 26 more bytes follow", 30);
    expect_opened();
    expect_content("a", "bytes");
}

START_TEST(truncated_archives_are_refused)
{
    add_stored("a", "bytes");
    finish(false);
    while (archive.file.size) {
        archive.file.size--;
        ck_assert_int_eq(open_archive(), DG_ERR_FORMAT);
    }
}

START_TEST(deflated_entries_are_inflated)
{
    add_deflated("a", dg_text("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), 0);
    add_deflated("empty", dg_text(""), 0);
    finish(false);
    expect_opened();
    expect_content("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
    expect_content("empty", "");
}

START_TEST(deflated_entries_must_have_the_size_declared)
{
    add_deflated("more", dg_text("aaaaaaaaaaaaaaaaaaaaaaaaa"), 1);
    add_deflated("less", dg_text("aaaaaaaaaaaaaaaaaaaaaaaaa"), (size_t)-1);
    finish(false);
    expect_opened();
    expect_unreadable("more", "do not inflate to the 26 bytes declared");
    expect_unreadable("less", "do not inflate to the 24 bytes declared");
}

START_TEST(bombs_are_refused_before_they_grow)
{
    static const char zeros[9 << 20];
    struct dg_bytes content;
    char name[] = "a";
    bool crc;

    for (int i = 0; i < 8; i++, name[0]++)
        add_deflated(name, (struct dg_text){zeros, sizeof(zeros)}, 0);
    finish(false);
    expect_opened();
    for (name[0] = 'a'; name[0] < 'f'; name[0]++)
        ck_assert_int_eq(read_entry(name, &content, &crc), DG_OK);
    expect_unreadable("f", "expected all of the archive to take");
}

START_TEST(a_wrong_crc_is_told_and_no_error)
{
    struct dg_bytes content;
    bool crc = true;

    add_stored("a", "bytes");
    patch(&archive.central, archive.listed + 16, 0, 4);
    finish(false);
    expect_opened();
    ck_assert(!read_entry("a", &content, &crc) && !crc);
}

START_TEST(unknown_methods_are_refused_when_read)
{
    add(dg_text("a"), dg_text("bytes"), 12, dg_text("bytes"));
    finish(false);
    expect_opened();
    expect_unreadable("a", "method 12; expected 0 (stored) or 8 (deflate)");
}

START_TEST(duplicate_names_are_refused)
{
    add_stored("a", "one");
    add_stored("b", "two");
    add_stored("a", "three");
    finish(false);
    expect_refused("the archive has two entries named a");
}

START_TEST(names_with_nul_are_refused)
{
    add((struct dg_text){"a\0b", 3}, dg_text("x"), 0, dg_text("x"));
    finish(false);
    expect_refused("the name of entry a?b contains NUL");
}

START_TEST(entries_that_share_bytes_are_refused)
{
    add_stored("a", "PK\3\4 and what looks like an entry inside of it and is not ");
    add_stored("b", "bytes");
    patch(&archive.file, 18, 67, 4);
    patch(&archive.central, 20, 67 | 67ull << 32, 8);
    finish(false);
    expect_refused("entries a and b share bytes");
}

START_TEST(data_must_end_before_the_directory)
{
    add_stored("a", "bytes");
    patch(&archive.central, archive.listed + 20, 6 | 6ull << 32, 8);
    finish(false);
    expect_refused("expected them to end before the central directory");
}

START_TEST(local_headers_must_agree)
{
    add_stored("abc", "bytes");
    archive.file.data[archive.local + 30] = 'x';
    finish(false);
    expect_refused("byte 0: the header of entry abc has another name or method");
    archive.file.data[archive.local + 30] = 'a';
    expect_opened();
    archive.file.data[archive.local + 8] = 8;
    expect_refused("has another name or method");
    archive.file.data[archive.local] = 'x';
    expect_refused("byte 0: expected the header of entry abc");
}

START_TEST(stored_entries_have_one_size)
{
    add_stored("a", "bytes");
    patch(&archive.central, archive.listed + 24, 4, 4);
    finish(false);
    expect_refused("entry a is stored in 5 bytes, but says that it has 4");
}

START_TEST(encryption_and_other_disks_are_refused)
{
    add_stored("a", "bytes");
    finish(false);
    archive.file.data[archive.end + 4] = 1;
    expect_refused("spans several disks");
    archive.file.data[archive.end + 4] = 0;
    expect_opened();
    archive.file.data[archive.end - archive.central.size + 8] = 1;
    expect_refused("entry a is encrypted");
}

START_TEST(entry_counts_must_be_true)
{
    add_stored("a", "one");
    add_stored("b", "two");
    finish(false);
    patch(&archive.file, archive.end + 8, 1 | 1 << 16, 4);
    expect_refused("has more entries than the 1 declared");
    patch(&archive.file, archive.end + 8, 3 | 3 << 16, 4);
    expect_refused("has no room for them");
}

static void add_refusals(TCase *refusals)
{
    tcase_add_test(refusals, truncated_archives_are_refused);
    tcase_add_test(refusals, duplicate_names_are_refused);
    tcase_add_test(refusals, names_with_nul_are_refused);
    tcase_add_test(refusals, entries_that_share_bytes_are_refused);
    tcase_add_test(refusals, data_must_end_before_the_directory);
    tcase_add_test(refusals, local_headers_must_agree);
    tcase_add_test(refusals, stored_entries_have_one_size);
    tcase_add_test(refusals, encryption_and_other_disks_are_refused);
    tcase_add_test(refusals, entry_counts_must_be_true);
    tcase_add_test(refusals, sizes_that_need_zip64_must_have_it);
}

Suite *zip_suite(void)
{
    Suite *suite = suite_create("zip");
    TCase *content = tcase_create("content"), *refusals = tcase_create("refusals");

    tcase_add_checked_fixture(content, NULL, clear);
    tcase_add_test(content, stored_entries_are_read_in_place);
    tcase_add_test(content, zip64_records_are_read);
    tcase_add_test(content, a_comment_may_contain_an_end_record);
    tcase_add_test(content, deflated_entries_are_inflated);
    tcase_add_test(content, deflated_entries_must_have_the_size_declared);
    tcase_add_test(content, bombs_are_refused_before_they_grow);
    tcase_add_test(content, a_wrong_crc_is_told_and_no_error);
    tcase_add_test(content, unknown_methods_are_refused_when_read);
    suite_add_tcase(suite, content);
    tcase_add_checked_fixture(refusals, NULL, clear);
    add_refusals(refusals);
    suite_add_tcase(suite, refusals);
    return suite;
}
