/* The store of rules.h. */
#include "unit/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct dg_store *rules_store;
struct dg_error rules_err;

static int n_calls;

void rules_open(void)
{
    n_calls = 0;
    ck_assert_msg(!dg_store_create(&rules_store, &rules_err), "%s", rules_err.text);
}

void rules_close(void)
{
    dg_store_close(rules_store);
}

void given(const char *sql)
{
    dg_store_forget(rules_store);
    ck_assert_msg(!dg_store_exec(rules_store, sql, &rules_err), "%s in %s",
                  rules_err.text, sql);
}

void given_format(const char *format, ...)
{
    char sql[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(sql, sizeof(sql), format, args);
    va_end(args);
    given(sql);
}

void given_pte(void)
{
    given("INSERT INTO artifact (id, path, kind, size_bytes, sha256, xxh3, version, "
          "container) VALUES (1, 'a.pte', 'pte', 4096, NULL, NULL,"
          " '{\"program\":0,\"program_size\":1024,\"segment_base_offset\":1024,"
          "\"segment_data_size\":3072}', 'extended header');"
          "INSERT INTO method VALUES (1, 1, 0, 'forward', 'pte', NULL, NULL);"
          "INSERT INTO \"graph\" VALUES (1, 1, '', 'method');"
          "INSERT INTO arena VALUES (1, 0, 0, 'cpu'), (1, 1, 4096, 'cpu')");
}

void rules_open_pte(void)
{
    rules_open();
    given_pte();
}

void given_pt2(void)
{
    given("INSERT INTO artifact (id, path, kind, size_bytes, sha256, xxh3, version, "
          "container) VALUES (1, 'a.pt2', 'pt2', 4096, NULL, NULL,"
          " '{\"schema\":\"8.20\",\"torch\":\"2.13.0\"}', NULL);"
          "INSERT INTO method VALUES (1, 1, 0, 'forward', 'aten', NULL, NULL);"
          "INSERT INTO \"graph\" VALUES (1, 1, '', 'method')");
}

void given_chain(void)
{
    given_pt2();
    given("INSERT INTO op VALUES (1, 'aten::relu.default', 'aten', 'Tensor self',"
          " 'Tensor', 5);"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id, args) VALUES"
          " (1, 1, 0, 'x', 'placeholder', NULL, NULL),"
          " (2, 1, 1, 'relu', 'call_function', 1, NULL),"
          " (3, 1, 2, 'output', 'output', NULL,"
          "  '[{\"name\":\"\",\"as_tensor\":{\"name\":\"relu\"}}]');"
          "INSERT INTO edge VALUES (2, 0, 1, NULL), (3, 0, 2, NULL);"
          "INSERT INTO signature (graph_id, direction, pos, name, kind, spec) VALUES"
          " (1, 'input', 0, 'x', 'tensor', 'user_input'),"
          " (1, 'output', 0, 'relu', 'tensor', 'user_output')");
}

static void must_be_checked(void *context, const char *id, double seconds,
                            const char *not_checked)
{
    ck_assert_msg(!not_checked, "%s did not run: %s", id, not_checked);
    ck_assert_double_ge(seconds, 0);
    ++*(int *)context;
}

void expect(const char *rule, const char *want)
{
    const struct dg_selection selection = {.select = &rule, .n_select = 1};
    struct dg_writer got = {0};
    struct dg_rows rows;
    int n_run = 0;

    given("DELETE FROM finding");
    ck_assert_msg(
        !dg_verify(rules_store, &selection, must_be_checked, &n_run, &rules_err), "%s",
        rules_err.text);
    ck_assert_msg(n_run == 1, "no rule %s", rule);
    ck_assert(!dg_rows_open(&rows, rules_store,
                            "SELECT severity, message FROM finding ORDER BY id",
                            &rules_err));
    while (dg_rows_next(&rows))
        dg_print(&got, "%s %s\n", dg_rows_text(&rows, 0), dg_rows_text(&rows, 1));
    ck_assert(!dg_rows_close(&rows, DG_OK, &rules_err));
    ck_assert_str_eq(got.data ? got.data : "", want);
    dg_writer_clear(&got);
}

static void keep_reason(void *context, const char *id, double seconds,
                        const char *not_checked)
{
    (void)id;
    (void)seconds;
    snprintf(context, 256, "%s", not_checked ? not_checked : "it ran");
}

void expect_not_checked(const char *rule, const char *want)
{
    const struct dg_selection selection = {.select = &rule, .n_select = 1};
    char got[256] = "no such rule";

    ck_assert_msg(!dg_verify(rules_store, &selection, keep_reason, got, &rules_err),
                  "%s", rules_err.text);
    ck_assert_str_eq(got, want);
}

void expect_witness(const char *want)
{
    struct dg_rows rows;

    ck_assert(!dg_rows_open(&rows, rules_store,
                            "SELECT witness FROM finding ORDER BY id", &rules_err));
    ck_assert(dg_rows_next(&rows));
    ck_assert_str_eq(dg_rows_text(&rows, 0), want);
    ck_assert(!dg_rows_close(&rows, DG_OK, &rules_err));
}

void tensor(int idx, int offset, int nbytes)
{
    given_format("INSERT INTO value (id, graph_id, idx, kind, storage, mem_id,"
                 " mem_offset, nbytes, device) VALUES (%d, 1, %d, 'tensor', 'planned',"
                 " 1, %d, %d, 'cpu')",
                 idx + 1, idx, offset, nbytes);
}

void unplanned(int idx, const char *name)
{
    tensor(idx, 0, 32);
    given("UPDATE value SET storage = 'runtime', mem_id = NULL, mem_offset = NULL"
          " WHERE id = (SELECT max(id) FROM value)");
    if (name)
        given_format("UPDATE value SET name = '%s' WHERE id ="
                     " (SELECT max(id) FROM value)",
                     name);
}

static void in_signature(const char *direction, int value)
{
    given_format("INSERT INTO signature (graph_id, direction, pos, kind, value_id,"
                 " value_idx) SELECT 1, '%s', count(*), 'tensor', %d, %d FROM signature"
                 " WHERE direction = '%s'",
                 direction, value + 1, value, direction);
}

void goes_in(int value)
{
    in_signature("input", value);
}

void comes_out(int value)
{
    in_signature("output", value);
}

static int instruction(const char *kind, int target)
{
    given_format("INSERT INTO node (id, graph_id, idx, name, kind, jump) VALUES"
                 " (%d, 1, %d, 'op_%d', '%s', %d)",
                 n_calls + 1, n_calls, n_calls, kind, target);
    return ++n_calls;
}

static void operands(int node, const char *values, const char *access)
{
    char *end;

    for (const char *at = values; *at; at = end + (*end == ' ')) {
        int value = (int)strtol(at, &end, 10);

        ck_assert(end > at);
        given_format(
            "INSERT INTO operand SELECT %d, count(*), %d, %d, '%s' FROM operand"
            " WHERE node_id = %d",
            node, value, value + 1, access, node);
    }
}

void call_op(const char *op, const char *reads, const char *both, const char *writes)
{
    int node = instruction("kernel_call", -1);
    const char *namespace_end = strstr(op, "::");

    given_format("INSERT INTO op SELECT coalesce(max(id), 0) + 1, '%s', '%.*s',"
                 " 'Tensor self', 'Tensor', 0 FROM op",
                 op, (int)(namespace_end - op), op);
    given_format("UPDATE node SET op_id = (SELECT max(id) FROM op) WHERE id = %d",
                 node);
    operands(node, both, "both");
    operands(node, reads, "read");
    operands(node, writes, "write");
}

void call(const char *reads, const char *writes)
{
    call_op("aten::mm.out", reads, "", writes);
}

void move(int from, int to)
{
    char value[16];
    int node = instruction("move_call", -1);

    snprintf(value, sizeof(value), "%d", from);
    operands(node, value, "read");
    snprintf(value, sizeof(value), "%d", to);
    operands(node, value, "write");
}

void jump(int condition, int target)
{
    char value[16];

    snprintf(value, sizeof(value), "%d", condition);
    operands(instruction("jump_false_call", target), value, "read");
}
