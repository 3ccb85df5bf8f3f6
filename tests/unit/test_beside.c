/* Two readings of a store, in one thread or in two. */
#include "unit/suite.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "store/beside.h"

static struct dg_error err;
static struct dg_store *store;
static const char path[] = "read_by_two.db";

static void open_store(int padding)
{
    struct dg_store *written;
    struct dg_program program = {.kind = "pt2"};
    const struct dg_file file = {
        .path = "x.pt2", .bytes = {(const uint8_t *)"abc", 3}, .hash = DG_HASH_ALL};
    char sql[100];

    unlink(path);
    snprintf(sql, sizeof(sql), "INSERT INTO meta VALUES ('padding', zeroblob(%d))",
             padding);
    ck_assert_msg(!dg_store_create_file(&written, path, &err), "%s", err.text);
    ck_assert_msg(!dg_store_add_program(written, &program, &file, &err), "%s",
                  err.text);
    ck_assert_msg(!dg_store_exec(written, sql, &err), "%s", err.text);
    ck_assert_msg(!dg_store_commit(written, &err), "%s", err.text);
    dg_store_close(written);
    dg_program_clear(&program);
    err = (struct dg_error){0};
    ck_assert_msg(!dg_store_open(&store, path, &err), "%s", err.text);
    ck_assert_int_eq(dg_store_is_large(store), padding > 33 << 20);
}

static void open_large(void)
{
    open_store(34 << 20);
}

static void open_small(void)
{
    open_store(0);
}

static void close_store(void)
{
    dg_store_close(store);
    unlink(path);
}

/* What two readings leave behind. */
struct seen {
    struct dg_store *here, *apart;
    int64_t n_programs;
    atomic_bool ended;
};

static int n_released;

static void release(void *object)
{
    n_released++;
}

static enum dg_status count_programs(void *object, struct dg_store *by,
                                     struct dg_error *error)
{
    struct seen *seen = object;

    seen->here = by;
    return dg_store_int(by, "SELECT count(*) FROM artifact", 0, &seen->n_programs,
                        error);
}

static enum dg_status keep_it(void *object, struct dg_store *by, struct dg_error *error)
{
    struct seen *seen = object;

    seen->apart = by;
    dg_store_keep(by, seen, release);
    return DG_OK;
}

static void expect_both(bool by_two)
{
    struct seen seen = {0};

    n_released = 0;
    ck_assert_msg(!dg_store_read_both(store, count_programs, keep_it, &seen, &err),
                  "%s", err.text);
    ck_assert_int_eq(seen.n_programs, 1);
    ck_assert_ptr_eq(seen.here, store);
    ck_assert_int_eq(seen.apart != store, by_two);
    ck_assert_ptr_eq(dg_store_kept(store, release), &seen);
    ck_assert_int_eq(n_released, 0);
    dg_store_drop(store, release);
    ck_assert_int_eq(n_released, 1);
}

START_TEST(what_the_other_reading_of_a_large_store_keeps_is_the_stores)
{
    open_large();
    expect_both(true);
    close_store();
}
END_TEST

START_TEST(a_small_store_is_read_by_one)
{
    open_small();
    expect_both(false);
    close_store();
}
END_TEST

static enum dg_status fail_here(void *object, struct dg_store *by,
                                struct dg_error *error)
{
    return dg_fail(error, DG_ERR_FORMAT, "broken here");
}

static enum dg_status fail_apart(void *object, struct dg_store *by,
                                 struct dg_error *error)
{
    return dg_fail(error, DG_ERR_FORMAT, "broken there");
}

static enum dg_status never_end(void *object, struct dg_store *by,
                                struct dg_error *error)
{
    int64_t n;

    return dg_store_int(by,
                        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1"
                        " FROM c) SELECT count(*) FROM c",
                        0, &n, error);
}

static void expect_error(dg_reading_fn *here, dg_reading_fn *apart, const char *text)
{
    struct seen seen = {0};

    err = (struct dg_error){0};
    ck_assert_int_eq(dg_store_read_both(store, here, apart, &seen, &err),
                     DG_ERR_FORMAT);
    ck_assert_str_eq(err.text, text);
    dg_store_drop(store, release);
}

START_TEST(whichever_reading_fails_its_error_is_told)
{
    open_large();
    expect_error(fail_here, keep_it, "broken here");
    expect_error(count_programs, fail_apart, "broken there");
    expect_error(fail_here, fail_apart, "broken there");
    close_store();
    open_small();
    expect_error(fail_here, fail_apart, "broken here");
    expect_error(count_programs, fail_apart, "broken there");
    close_store();
}
END_TEST

START_TEST(a_reading_that_may_never_end_ends_where_the_other_fails)
{
    open_large();
    expect_error(never_end, fail_apart, "broken there");
    close_store();
}
END_TEST

static enum dg_status run_out_of_memory(void *object, struct dg_store *by,
                                        struct dg_error *error)
{
    dg_out_of_memory();
    return DG_OK;
}

static enum dg_status end_late(void *object, struct dg_store *by,
                               struct dg_error *error)
{
    usleep(100000);
    ((struct seen *)object)->ended = true;
    return DG_OK;
}

START_TEST(where_memory_runs_out_in_one_reading_the_other_ends_first)
{
    struct seen seen = {0};

    open_large();
    err = (struct dg_error){0};
    ck_assert_int_eq(
        dg_store_read_both(store, run_out_of_memory, end_late, &seen, &err), DG_ERR_IO);
    ck_assert_str_eq(err.text, "out of memory");
    ck_assert(seen.ended);
    close_store();
}
END_TEST

START_TEST(a_file_that_changes_between_two_readings_is_told_of)
{
    struct seen seen = {0};
    FILE *file;

    open_large();
    ck_assert(!count_programs(&seen, store, &err)); /* whose pages are checked then */
    file = fopen(path, "ab");
    ck_assert(file && fputc(0, file) == 0 && !fclose(file));
    expect_error(count_programs, keep_it, "it changed while it was read");
    close_store();
}
END_TEST

Suite *beside_suite(void)
{
    Suite *suite = suite_create("beside");
    TCase *all = tcase_create("all");

    tcase_add_test(all, what_the_other_reading_of_a_large_store_keeps_is_the_stores);
    tcase_add_test(all, a_small_store_is_read_by_one);
    tcase_add_test(all, whichever_reading_fails_its_error_is_told);
    tcase_add_test(all, a_reading_that_may_never_end_ends_where_the_other_fails);
    tcase_add_test(all, where_memory_runs_out_in_one_reading_the_other_ends_first);
    tcase_add_test(all, a_file_that_changes_between_two_readings_is_told_of);
    suite_add_tcase(suite, all);
    return suite;
}
