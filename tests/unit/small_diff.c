/* Two small programs that are compared. */
#include "unit/small_diff.h"

#include <stdio.h>

#include "base/text.h"

struct dg_store *diff_programs[2];
float diff_bytes[2][64];
unsigned diff_ignored;
enum dg_diff_result diff_result;

static void build(int side, bool one_more)
{
    program_begin();
    diff_programs[side] = rules_store;
    given_weight("w", "parameter", "f32", "[2]", 0, 8);
    given_input(1, "x", "f32", "[2]");
    given_call(1, "relu", "aten::relu.default", SELF("x"), "x");
    if (one_more)
        given_call(1, "relu_1", "aten::relu.default", SELF("relu"), "relu");
    given_call(1, one_more ? "mul_7" : "mul", "aten::mul.Tensor",
               one_more ? TWO("relu_1", "w") : TWO("relu", "w"),
               one_more ? "relu_1 w" : "relu w");
    given_call(1, "softmax", "aten::softmax.int",
               one_more ? LAST("mul_7") : LAST("mul"), one_more ? "mul_7" : "mul");
    given_output(1, ONE("softmax"), "softmax");
    given_signature("output", "softmax", "user_output", NULL);
    given("UPDATE value SET dtype = 'f32', shape = '[2]';"
          "UPDATE constant SET xxh3 = 'one';"
          "INSERT INTO module VALUES (1, 'a', 'A'), (2, 'b', 'B');"
          "INSERT INTO trace VALUES (1, 'line 1');"
          "UPDATE node SET module_id = 1 + (name NOT LIKE 'relu%'), trace_id = 1"
          " WHERE kind = 'call_function'");
}

void diff_open(void)
{
    diff_ignored = 0;
    build(0, false);
    build(1, false);
    for (int i = 0; i < 64; i++)
        diff_bytes[0][i] = diff_bytes[1][i] = 1;
}

void diff_close(void)
{
    dg_store_close(diff_programs[0]);
    dg_store_close(diff_programs[1]);
}

void diff_build_new(bool one_more)
{
    dg_store_close(diff_programs[1]);
    build(1, one_more);
}

static void write_text(struct dg_writer *out, const char *before, struct dg_text text)
{
    if (!text.data)
        return;
    dg_print(out, "%s", before);
    dg_write_text(out, text);
}

static void write_items(struct dg_writer *out, const struct dg_diff *diff)
{
    for (size_t i = 0; i < diff->n_items; i++) {
        const struct dg_difference *item = &diff->items[i];

        dg_print(out, "%s %s", dg_diff_kind_name(item->kind),
                 dg_diff_change_name(item->change));
        write_text(out, " ", item->what);
        write_text(out, " ", item->name);
        write_text(out, ": ", item->old);
        write_text(out, " -> ", item->new);
        write_text(out, ", ", item->note);
        dg_print(out, "\n");
    }
}

void expect_diff(const char *want)
{
    struct dg_diff diff = {.ignored = diff_ignored};
    struct dg_diff_program sides[2];
    struct dg_error err = {0};
    struct dg_writer out = {0};

    for (int s = 0; s < 2; s++)
        sides[s] = (struct dg_diff_program){
            diff_programs[s], {(const uint8_t *)diff_bytes[s], sizeof(diff_bytes[s])}};
    ck_assert_msg(!dg_diff_make(&diff, sides, &err), "%s", err.text);
    diff_result = dg_diff_result(&diff);
    dg_diff_write_sentence(&out, &diff);
    dg_print(&out, "\n");
    write_items(&out, &diff);
    ck_assert_str_eq(out.data, want);
    dg_writer_clear(&out);
    dg_diff_clear(&diff);
}

void build_instructions(int side)
{
    dg_store_close(diff_programs[side]);
    rules_open();
    diff_programs[side] = rules_store;
    given_pte();
    given(
        "INSERT INTO value (id, graph_id, idx, kind, dtype, shape, storage, scalar,"
        " data_index) VALUES (1, 1, 0, 'tensor', 'f32', '[2]', 'planned', NULL, NULL),"
        " (2, 1, 1, 'tensor', 'f32', '[2]', 'constant', NULL, 1),"
        " (3, 1, 2, 'int', NULL, NULL, NULL, 2, NULL),"
        " (4, 1, 3, 'tensor', 'f32', '[2]', 'planned', NULL, NULL),"
        " (5, 1, 4, 'tensor', 'f32', '[2]', 'planned', NULL, NULL);"
        "INSERT INTO constant (id, artifact_id, idx, kind, dtype, shape, nbytes, xxh3)"
        " VALUES (1, 1, 1, 'constant', 'f32', '[2]', 8, 'one');"
        "INSERT INTO op VALUES (1, 'aten::mul.out', 'aten', NULL, NULL, 0),"
        " (2, 'aten::relu.out', 'aten', NULL, NULL, 0);"
        "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
        " (1, 1, 0, 'op_0', 'kernel_call', 1), (2, 1, 1, 'op_1', 'kernel_call', 2);"
        "INSERT INTO operand VALUES (1, 0, 0, 1, 'read'), (1, 1, 1, 2, 'read'),"
        " (1, 2, 2, 3, 'read'), (1, 3, 3, 4, 'write'), (2, 0, 3, 4, 'read'),"
        " (2, 1, 4, 5, 'write');"
        "INSERT INTO signature (graph_id, direction, pos, kind, value_id) VALUES"
        " (1, 'input', 0, 'tensor', 1), (1, 'output', 0, 'tensor', 5)");
}

void build_both_instructions(void)
{
    build_instructions(0);
    build_instructions(1);
}

void build_two_constants(void)
{
    for (int s = 0; s < 2; s++) {
        build_instructions(s);
        given("UPDATE node SET op_id = 1;"
              "INSERT INTO value (id, graph_id, idx, kind, dtype, shape, storage,"
              " data_index) VALUES (6, 1, 5, 'tensor', 'f32', '[2]', 'constant', 2);"
              "INSERT INTO constant (id, artifact_id, idx, kind, dtype, shape, nbytes,"
              " xxh3) VALUES (2, 1, 2, 'constant', 'f32', '[2]', 8, 'two');"
              "INSERT INTO operand VALUES (2, 2, 5, 6, 'read')");
    }
    diff_ignored = DG_DIFF_SIZES | DG_DIFF_FINDINGS;
}
