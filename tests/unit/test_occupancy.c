#include "unit/rules.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "formats/input.h"
#include "graph/allocator_sql.h"
#include "graph/lifetime.h"

static void expect_rows(const char *sql, const char *want)
{
    struct dg_writer got = {0};
    struct dg_rows rows;

    ck_assert_msg(!dg_lifetimes_store(rules_store, &rules_err), "%s", rules_err.text);
    ck_assert(!dg_rows_open(&rows, rules_store, sql, &rules_err));
    while (dg_rows_next(&rows)) {
        for (int i = 0; i < dg_rows_columns(&rows); i++)
            dg_print(&got, "%s%s", i ? " " : "",
                     dg_rows_null(&rows, i) ? "-" : dg_rows_text(&rows, i));
        dg_print(&got, "\n");
    }
    ck_assert(!dg_rows_close(&rows, DG_OK, &rules_err));
    ck_assert_str_eq(got.data ? got.data : "", want);
    dg_writer_clear(&got);
}

static const char lifetimes[] =
    "SELECT value_id - 1, via_id - 1, first, last FROM lifetime ORDER BY 1, 3";
static const char occupied[] = "SELECT arena, idx, bytes FROM occupancy ORDER BY 1, 2";

START_TEST(lifetime_begins_before_and_ends_behind_for_inputs_and_outputs)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 64, 16);
    goes_in(0);
    call("0", "1");
    call("1", "2");
    call("2", "0");
    comes_out(2);
    expect_rows(lifetimes, "0 - -1 0\n0 - 2 2\n1 - 0 1\n2 - 1 3\n");
    expect_rows(occupied, "1 0 64\n1 1 48\n1 2 48\n");
}

START_TEST(occupancy_counts_shared_bytes_once)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 32, 32);
    goes_in(0);
    call("0", "1");
    call("1 2", "0");
    comes_out(0);
    expect_rows(occupied, "1 0 64\n1 1 64\n");
}

/* Value 2 shows the bytes of value 1; value 4 is written there later on. */
static void given_shown(const char *written)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 32, 32);
    tensor(3, 64, 32);
    tensor(4, 32, 32);
    goes_in(0);
    call("0", "1");
    call("2", "3");
    call("3", written);
    call("4", "3");
    comes_out(3);
}

START_TEST(lifetime_of_what_is_shown_has_no_write_of_others_that_nobody_reads)
{
    given_shown("4");
    expect_rows("SELECT first, last FROM lifetime WHERE value_id = 3", "0 1\n");
}

START_TEST(lifetime_has_its_own_write_beside_that_of_another_at_one_byte)
{
    given_shown("2 4");
    expect_rows("SELECT first, last FROM lifetime WHERE value_id = 3 ORDER BY 1",
                "0 1\n2 2\n");
}

START_TEST(lifetime_goes_on_through_a_move)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 64, 32);
    goes_in(0);
    call("0", "1");
    move(1, 2);
    call("0", "0");
    call("2", "0");
    comes_out(0);
    expect_rows(lifetimes, "0 - -1 2\n0 - 2 2\n0 - 3 4\n1 - 0 1\n1 2 1 3\n");
}

START_TEST(lifetime_covers_a_loop)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    given("INSERT INTO value (id, graph_id, idx, kind) VALUES (3, 1, 2, 'bool')");
    goes_in(0);
    goes_in(2);
    call("0", "1");
    jump(2, 0);
    comes_out(1);
    expect_rows(lifetimes, "0 - -1 1\n1 - 0 2\n");
}

/* Of 0, a cache, nothing reads what it holds between nodes 0 and 2. */
START_TEST(state_lives_through_the_whole_method_though_nothing_reads_it_for_a_while)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    tensor(2, 64, 16);
    call("0", "1");
    call("1", "2");
    call_op("aten::copy_", "2", "0", "");
    call("0", "1");
    comes_out(1);
    expect_rows(lifetimes, "0 - -1 4\n1 - 0 1\n1 - 3 4\n2 - 1 2\n");
    expect_rows(occupied, "1 0 64\n1 1 80\n1 2 48\n1 3 64\n");
    expect_rows("SELECT value_id - 1 FROM lifetime JOIN value ON value.id = value_id"
                " WHERE " DG_SQL_IS_STATE,
                "0\n");
}

/* What a MemoryAllocator of ExecuTorch 1.5.1 counted while the method was loaded; the
 * XNNPACK backend takes 272 bytes more for each of its delegates. */
START_TEST(loading_takes_as_much_as_the_runtime_took)
{
    static const struct {
        const char *file, *method;
        int64_t bytes;
    } counted[] = {
        {"control_flow_cond.pte", "forward", 4690},
        {"dynamic_rows.pte", "forward", 1639},
        {"list_arguments.pte", "forward", 1677},
        {"mobilenet_v3_xnnpack.pte", "forward", 8489 - 272},
        {"portable.pte", "forward", 3877},
        {"portable.pte", "get_name", 64},
        {"several_methods.pte", "reset", 1156},
        {"training.pte", "forward", 7794},
    };

    for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++) {
        struct dg_writer path = {0};
        struct dg_input input = {0};
        struct dg_rows rows;

        dg_print(&path, "%s/tests/data/%s", getenv("top_srcdir"), counted[i].file);
        ck_assert(!dg_input_open(&input, path.data, DG_HASH_NONE, &rules_err));
        ck_assert(!dg_rows_open(
            &rows, input.store,
            "SELECT " DG_SQL_METHOD_ALLOCATOR(
                "method.id",
                "graph.id") " FROM method"
                            " JOIN graph ON method_id = method.id WHERE name = ?1",
            &rules_err));
        dg_rows_bind_text(&rows, 1, dg_text(counted[i].method));
        ck_assert(dg_rows_next(&rows));
        ck_assert_int_eq(dg_rows_int(&rows, 0), counted[i].bytes);
        ck_assert(!dg_rows_close(&rows, DG_OK, &rules_err));
        dg_input_close(&input);
        dg_writer_clear(&path);
    }
}

/* Bytes that any range covers, counted one by one. */
static int count_bytes(const int (*ranges)[4], int n, int node)
{
    bool covered[256] = {false};
    int count = 0;

    for (int i = 0; i < n; i++) {
        if (node < ranges[i][0] || node > ranges[i][1])
            continue;
        for (int byte = ranges[i][2]; byte < ranges[i][3]; byte++)
            covered[byte] = true;
    }
    for (int byte = 0; byte < 256; byte++)
        count += covered[byte];
    return count;
}

/* Values that one instruction makes and a later one reads. */
static int invent(int (*ranges)[4])
{
    char number[16];

    for (int i = 0; i < 20; i++) {
        ranges[i][0] = i;
        ranges[i][1] = i + 1 + rand() % (20 - i);
        ranges[i][2] = rand() % 200;
        ranges[i][3] = ranges[i][2] + 1 + rand() % 50;
        tensor(i, ranges[i][2], ranges[i][3] - ranges[i][2]);
    }
    for (int node = 0; node <= 20; node++) {
        char reads[128] = "";
        size_t length = 0;

        for (int i = 0; i < 20; i++) {
            if (ranges[i][1] == node)
                length += (size_t)snprintf(reads + length, sizeof(reads) - length,
                                           "%s%d", length ? " " : "", i);
        }
        snprintf(number, sizeof(number), "%d", node);
        call(reads, node < 20 ? number : "");
    }
    return 20;
}

START_TEST(occupancy_agrees_with_a_plain_count)
{
    srand(11);
    for (int round = 0; round < 20; round++) {
        struct dg_writer want = {0};
        int ranges[20][4], n;

        rules_close();
        rules_open_pte();
        n = invent(ranges);
        for (int node = 0; node <= 20; node++)
            dg_print(&want, "1 %d %d\n", node,
                     count_bytes((const int(*)[4])ranges, n, node));
        expect_rows(occupied, want.data);
        dg_writer_clear(&want);
    }
}

/* Takes minutes where each move looks at all the others. */
START_TEST(lifetime_of_handles_moved_to_and_fro_is_found_in_linear_time)
{
    tensor(0, 0, 32);
    tensor(1, 32, 32);
    goes_in(0);
    given(
        "WITH k AS (SELECT value FROM (WITH RECURSIVE n (value) AS (SELECT 0 UNION ALL"
        "   SELECT value + 1 FROM n WHERE value < 39999) SELECT value FROM n))"
        "INSERT INTO node (id, graph_id, idx, name, kind) SELECT value, 1, value,"
        "   'op_' || value, 'move_call' FROM k");
    given("INSERT INTO operand SELECT id, pos, (id + pos) % 2, 1 + (id + pos) % 2,"
          "   iif(pos, 'write', 'read') FROM node, (SELECT 0 AS pos UNION SELECT 1)");
    comes_out(0);
    expect_rows("SELECT count(DISTINCT value_id) FROM lifetime", "2\n");
}

Suite *occupancy_suite(void)
{
    Suite *suite = suite_create("occupancy");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, rules_open_pte, rules_close);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, lifetime_begins_before_and_ends_behind_for_inputs_and_outputs);
    tcase_add_test(all, occupancy_counts_shared_bytes_once);
    tcase_add_test(all,
                   lifetime_of_what_is_shown_has_no_write_of_others_that_nobody_reads);
    tcase_add_test(all, lifetime_has_its_own_write_beside_that_of_another_at_one_byte);
    tcase_add_test(all, lifetime_goes_on_through_a_move);
    tcase_add_test(all, lifetime_covers_a_loop);
    tcase_add_test(
        all, state_lives_through_the_whole_method_though_nothing_reads_it_for_a_while);
    tcase_add_test(all, loading_takes_as_much_as_the_runtime_took);
    tcase_add_test(all, lifetime_of_handles_moved_to_and_fro_is_found_in_linear_time);
    tcase_add_test(all, occupancy_agrees_with_a_plain_count);
    suite_add_tcase(suite, all);
    return suite;
}
