/* Where the bytes of a file go: every byte counts once. */
#include "unit/section_case.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/input.h"
#include "reports/sections/stretches.h"

START_TEST(what_lies_in_a_segment_takes_its_bytes)
{
    struct dg_stretch stretches[] = {{0, 100, DG_STRETCH_SEGMENT, 0},
                                     {10, 30, DG_STRETCH_DATA, 0},
                                     {50, 60, DG_STRETCH_DATA, 0}};

    ck_assert_int_eq(dg_stretches_divide(stretches, 3, 128), 28);
    ck_assert_int_eq(stretches[0].own, 70);
    ck_assert_int_eq(stretches[1].own, 20);
    ck_assert_int_eq(stretches[2].own, 10);
}
END_TEST

START_TEST(bytes_that_two_share_count_once)
{
    struct dg_stretch stretches[] = {{0, 40, DG_STRETCH_DATA, 0},
                                     {0, 40, DG_STRETCH_DATA, 0},
                                     {30, 60, DG_STRETCH_DATA, 0},
                                     {35, 38, DG_STRETCH_DATA, 0}};
    int64_t nobody = dg_stretches_divide(stretches, 4, 64);

    ck_assert_int_eq(nobody, 4);
    ck_assert_int_eq(
        stretches[0].own + stretches[1].own + stretches[2].own + stretches[3].own, 60);
}
END_TEST

START_TEST(what_reaches_beyond_the_file_counts_up_to_its_end)
{
    struct dg_stretch stretches[] = {{60, INT64_MAX, DG_STRETCH_DATA, 0},
                                     {-1, 20, DG_STRETCH_DATA, 0},
                                     {500, 600, DG_STRETCH_SEGMENT, 0},
                                     {30, 10, DG_STRETCH_SEGMENT, 0}};

    ck_assert_int_eq(dg_stretches_divide(stretches, 4, 64), 60);
    ck_assert_int_eq(stretches[0].own, 4);
    ck_assert_int_eq(stretches[1].own, 0);
    ck_assert_int_eq(stretches[2].own, 0);
    ck_assert_int_eq(stretches[3].own, 0);
}
END_TEST

START_TEST(a_file_of_nobody_is_all_headers)
{
    ck_assert_int_eq(dg_stretches_divide(NULL, 0, 64), 64);
    ck_assert_int_eq(dg_stretches_divide(NULL, 0, 0), 0);
}
END_TEST

static void given_weights(void)
{
    given_pt2();
    given("UPDATE artifact SET size_bytes = 1000;"
          "INSERT INTO segment (id, artifact_id, idx, name, kind, offset, file_offset,"
          "  size_bytes, stored_bytes) VALUES"
          " (1, 1, 0, 'w', 'weight', 100, 100, 500, 500),"
          " (2, 1, 1, 'model.json', 'model', 700, 700, 200, 200);"
          "INSERT INTO constant (id, artifact_id, idx, fqn, kind, dtype, nbytes,"
          "  file_offset, xxh3) VALUES"
          " (1, 1, 0, 'layers.0.weight', 'parameter', 'f32', 200, 100, 'a'),"
          " (2, 1, 1, 'layers.1.weight', 'parameter', 'f32', 200, 300, 'a'),"
          " (3, 1, 2, 'norm', 'buffer', 'f16', 60, 500, 'b')");
}

START_TEST(parts_of_a_file_add_up_to_it)
{
    given_weights();
    expect_in_section(&dg_section_size, DG_FORM_HTML,
                      "table size-parts: Part | Items | Bytes | Share\n"
                      "  Weights, buffers, constants | 3 | 460 | 46\n"
                      "  Headers and alignment | - | 300 | 30\n"
                      "  Graphs (JSON) | 1 | 200 | 20\n"
                      "  Around weights: alignment, what nothing names | 1 | 40 | 4\n");
}
END_TEST

START_TEST(constants_are_mapped_by_module)
{
    given_weights();
    expect_in_section(&dg_section_size, DG_FORM_HTML,
                      "  Weights, buffers, constants 460\n"
                      "    layers 400\n"
                      "      layers.0 200\n"
                      "        weight 200\n"
                      "      layers.1 200\n"
                      "        weight 200\n"
                      "    norm 60\n");
}
END_TEST

START_TEST(equal_bytes_at_two_places_could_be_saved)
{
    given_weights();
    expect_in_section(&dg_section_size, DG_FORM_MARKDOWN,
                      "fact Stored more than once = 200 bytes could be saved "
                      "(1 content) [20 %]\n");
    expect_in_section(&dg_section_size, DG_FORM_HTML,
                      "  layers.0.weight,layers.1.weight | 2 | 200 | 200\n");
}
END_TEST

START_TEST(equal_bytes_at_one_place_are_stored_once)
{
    given_weights();
    given("UPDATE constant SET file_offset = 100 WHERE id = 2");
    expect_not_in_section(&dg_section_size, DG_FORM_ALL, "Stored more than once");
}
END_TEST

static double sum_of_parts(const struct dg_page *page)
{
    double sum = 0;

    for (size_t i = 0; i < page->n_blocks; i++) {
        const struct dg_sheet *sheet = &page->blocks[i].sheet;

        if (!dg_text_is(page->blocks[i].id, "size-parts"))
            continue;
        for (size_t k = 2; k < sheet->n_cells; k += sheet->n_columns)
            sum += sheet->cells[k].number;
    }
    return sum;
}

static void check_file(const char *path)
{
    struct dg_input input = {0};
    struct dg_report_input report = {.path = path, .artifact = 1};
    struct dg_page page = {0};
    int64_t size;

    if (!dg_input_open(&input, path, DG_HASH_NONE, &rules_err)) {
        report.store = input.store;
        ck_assert_msg(!dg_section_size.write(&page, &report, &rules_err), "%s: %s",
                      path, rules_err.text);
        ck_assert(!dg_store_int(input.store, "SELECT size_bytes FROM artifact", 0,
                                &size, &rules_err));
        ck_assert_msg(sum_of_parts(&page) == (double)size, "%s: %g of %lld", path,
                      sum_of_parts(&page), (long long)size);
    }
    dg_page_clear(&page);
    dg_input_close(&input);
}

START_TEST(parts_of_every_kept_file_add_up_to_it)
{
    const char *top = getenv("top_srcdir");
    char folder[4096], path[8192];
    struct dirent *entry;
    DIR *files;
    int n = 0;

    snprintf(folder, sizeof(folder), "%s/tests/data", top ? top : ".");
    files = opendir(folder);
    ck_assert_ptr_nonnull(files);
    while ((entry = readdir(files))) {
        const char *ending = strrchr(entry->d_name, '.');

        if (!ending || (strcmp(ending, ".pte") != 0 && strcmp(ending, ".pt2") != 0))
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        check_file(path);
        n++;
    }
    closedir(files);
    ck_assert_int_gt(n, 50);
}
END_TEST

Suite *sections_size_suite(void)
{
    Suite *suite = suite_create("sections_size");
    TCase *tcase = tcase_create("size");

    tcase_add_checked_fixture(tcase, rules_open, rules_close);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, what_lies_in_a_segment_takes_its_bytes);
    tcase_add_test(tcase, bytes_that_two_share_count_once);
    tcase_add_test(tcase, what_reaches_beyond_the_file_counts_up_to_its_end);
    tcase_add_test(tcase, a_file_of_nobody_is_all_headers);
    tcase_add_test(tcase, parts_of_a_file_add_up_to_it);
    tcase_add_test(tcase, constants_are_mapped_by_module);
    tcase_add_test(tcase, equal_bytes_at_two_places_could_be_saved);
    tcase_add_test(tcase, equal_bytes_at_one_place_are_stored_once);
    tcase_add_test(tcase, parts_of_every_kept_file_add_up_to_it);
    suite_add_tcase(suite, tcase);
    return suite;
}
