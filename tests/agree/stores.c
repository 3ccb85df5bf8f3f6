/* Random methods of a .pte, and random graphs with a plan. */
#include "agree/stores.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

struct maker {
    struct dg_writer sql;
    uint64_t state;
    bool broken; /* anything goes; else mistakes are rare */
};

static int draw(struct maker *maker, int limit)
{
    maker->state ^= maker->state << 13;
    maker->state ^= maker->state >> 7;
    maker->state ^= maker->state << 17;
    return (int)((maker->state >> 11) % (uint64_t)limit);
}

/* Whether to make a mistake here. */
static bool errs(struct maker *maker)
{
    return draw(maker, maker->broken ? 3 : 60) == 0;
}

static const char *pick(struct maker *maker, const char *const *from, int n)
{
    return from[draw(maker, n)];
}

#define PICK(maker, ...)                                                               \
    pick(maker, (const char *const[]){__VA_ARGS__},                                    \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void begin(struct maker *maker, const char *kind, const char *ir)
{
    dg_print(&maker->sql,
             "INSERT INTO artifact (id, path, kind, size_bytes, version) VALUES"
             " (1, 'a', '%s', 4096, '{}');"
             "INSERT INTO method VALUES (1, 1, 0, 'forward', '%s', NULL, NULL);"
             "INSERT INTO \"graph\" VALUES (1, 1, '', 'method');",
             kind, ir);
}

static void add_numbers(struct maker *maker, int n, int limit)
{
    for (int i = 0; i < n; i++)
        dg_print(&maker->sql, "%s%d", i ? "," : "", draw(maker, limit + 2) - 1);
}

static void add_dim_order(struct maker *maker, int idx, int rank)
{
    bool last = rank == 4 && idx % 2;

    if (errs(maker) && draw(maker, 4) == 0) {
        dg_print(&maker->sql, "%s", PICK(maker, "NULL", "'[0,2,3,1]'", "'[]'"));
        return;
    }
    dg_print(&maker->sql, "'[");
    if (errs(maker))
        add_numbers(maker, draw(maker, 2) ? rank : draw(maker, 6), rank);
    else
        for (int i = 0; i < rank; i++)
            dg_print(&maker->sql, "%s%d", i ? "," : "", last ? "0231"[i] - '0' : i);
    dg_print(&maker->sql, "]'");
}

static void add_place(struct maker *maker, int n_arenas)
{
    if (errs(maker) && draw(maker, 2))
        dg_print(&maker->sql, "NULL, NULL);");
    else if (errs(maker))
        dg_print(&maker->sql, "%s, %s);", PICK(maker, "0", "1", "2", "3", "4294967295"),
                 PICK(maker, "NULL", "4294967296", "8589934592", "-16", "12", "100",
                      "9223372036854775807"));
    else
        dg_print(&maker->sql, "%d, %d);", 1 + draw(maker, n_arenas - 1),
                 16 * draw(maker, 8));
}

static void add_tensor(struct maker *maker, int idx, int n_arenas)
{
    int rank = errs(maker) ? draw(maker, 19) : draw(maker, 6);

    dg_print(&maker->sql,
             "INSERT INTO value (id, graph_id, idx, kind, dtype, device, shape,"
             " dim_order, storage, dynamism, layout, storage_offset, nbytes, mem_id,"
             " mem_offset) VALUES (%d, 1, %d, 'tensor', 'f32', 'cpu', '[",
             idx + 1, idx);
    for (int i = 0; i < rank; i++)
        dg_print(&maker->sql, "%s%d", i ? "," : "", 1 + draw(maker, 4));
    dg_print(&maker->sql, "]', ");
    add_dim_order(maker, idx, rank);
    dg_print(&maker->sql, ", 'planned', '%s', '%s', %d, %d, ",
             errs(maker) ? PICK(maker, "bounded", "unbounded", "7") : "static",
             errs(maker) ? "1" : "strided", errs(maker) ? draw(maker, 3) : 0,
             4 * draw(maker, 16));
    add_place(maker, n_arenas);
}

static void add_list(struct maker *maker, int idx, int n_values)
{
    const char *kind = PICK(maker, "int_list", "tensor_list", "optional_tensor_list",
                            "int", "null", "bool_list", "string");

    dg_print(&maker->sql,
             "INSERT INTO value (id, graph_id, idx, kind, scalar, items) VALUES"
             " (%d, 1, %d, '%s', %s, ",
             idx + 1, idx, kind, errs(maker) ? "NULL" : "'1'");
    if (errs(maker)) {
        dg_print(&maker->sql, "NULL);");
        return;
    }
    dg_print(&maker->sql, "'[");
    add_numbers(maker, draw(maker, 5), errs(maker) ? n_values + 2 : idx);
    dg_print(&maker->sql, "]');");
}

static void add_calls(struct maker *maker, int n_values)
{
    int n = draw(maker, 6);

    dg_print(&maker->sql, "INSERT INTO op VALUES (1, 'aten::add.out', 'aten',"
                          " 'Tensor self', 'Tensor', 0);");
    for (int i = 0; i < n; i++) {
        dg_print(&maker->sql,
                 "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
                 " (%d, 1, %d, 'op_%d', 'kernel_call', 1);",
                 i + 1, i, i);
        for (int pos = 0; pos < 3; pos++) {
            int value = draw(maker, n_values);

            dg_print(&maker->sql, "INSERT INTO operand VALUES (%d, %d, %d, %d, '%s');",
                     i + 1, pos, value, value + 1, pos < 2 ? "read" : "write");
        }
    }
}

static void make_pte(struct maker *maker)
{
    int n = 1 + draw(maker, 12), n_arenas = 2 + draw(maker, 2);

    begin(maker, "pte", "pte");
    for (int i = 0; i < n_arenas; i++)
        dg_print(&maker->sql, "INSERT INTO arena VALUES (1, %d, %s, 'cpu');", i,
                 !i            ? "0"
                 : errs(maker) ? "8589934592"
                               : "192");
    for (int i = 0; i < n; i++) {
        if (draw(maker, 3))
            add_tensor(maker, i, n_arenas);
        else
            add_list(maker, i, n);
    }
    add_calls(maker, n);
}

static void add_graph(struct maker *maker, int n_inputs, int n)
{
    for (int i = 0; i < n; i++) {
        const char *kind = i < n_inputs ? "placeholder" : "call_function";

        dg_print(&maker->sql,
                 "INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
                 " (%d, 1, %d, 'n%d', '%s', %s);",
                 i + 1, i, errs(maker) ? draw(maker, n) : i,
                 i == n - 1 ? "output" : kind,
                 i < n_inputs || i == n - 1 ? "NULL" : "1");
        if (i < n_inputs)
            dg_print(
                &maker->sql,
                "INSERT INTO signature (graph_id, direction, pos, name, kind,"
                " spec) VALUES (1, 'input', %d, 'n%d', 'tensor', '%s');",
                i, i,
                PICK(maker, "user_input", "parameter", "buffer", "constant_tensor"));
        for (int pos = 0; i >= n_inputs && pos < 2; pos++)
            dg_print(&maker->sql, "INSERT INTO edge VALUES (%d, %d, %d, NULL);", i + 1,
                     pos, 1 + draw(maker, maker->broken ? n : i));
    }
}

static void add_plan(struct maker *maker, int n_inputs, int n, int run)
{
    int n_tags = 1 + draw(maker, 3);

    dg_print(&maker->sql, "INSERT INTO part_run VALUES (%d, 1, 'plan', NULL, NULL);",
             run);
    for (int i = 0; i < n_tags; i++)
        dg_print(&maker->sql,
                 "INSERT INTO partition VALUES (%d, %d, 1, %d, NULL, 't%d', %s, '%s');",
                 run * 10 + i, run, i, i, errs(maker) ? "0" : "1",
                 PICK(maker, "NeutronBackend", "XnnpackBackend"));
    for (int i = 0; i < n; i++) {
        bool call = i >= n_inputs && i < n - 1;

        if (call ? draw(maker, 3) == 0 : !errs(maker))
            continue;
        dg_print(&maker->sql, "INSERT INTO partition_node VALUES (%d, %d, %d);",
                 run * 10 + draw(maker, n_tags), i, i + 1);
    }
}

static void make_planned(struct maker *maker)
{
    int n_inputs = 1 + draw(maker, 3), n = n_inputs + 2 + draw(maker, 8);

    begin(maker, "pt2", "edge");
    dg_print(&maker->sql, "INSERT INTO op VALUES (1, 'aten::add.Tensor', 'aten',"
                          " 'Tensor self, Tensor other', 'Tensor', 5);");
    add_graph(maker, n_inputs, n);
    if (draw(maker, 4) == 0)
        add_plan(maker, n_inputs, n, 1);
    if (draw(maker, 8))
        add_plan(maker, n_inputs, n, 2);
}

static const char empty[] =
    "DELETE FROM artifact; DELETE FROM method; DELETE FROM \"graph\"; DELETE FROM op;"
    "DELETE FROM arena; DELETE FROM value; DELETE FROM node; DELETE FROM operand;"
    "DELETE FROM edge; DELETE FROM signature; DELETE FROM part_run;"
    "DELETE FROM partition; DELETE FROM partition_node; DELETE FROM finding;";

enum dg_status stores_fill(struct dg_store *store, uint64_t number,
                           struct dg_error *err)
{
    struct maker maker = {.state = (number + 1) * UINT64_C(0x9e3779b97f4a7c15),
                          .broken = number / 2 % 2};
    enum dg_status status;

    for (int i = 0; i < 8; i++)
        draw(&maker, 2);
    dg_print(&maker.sql, "%s", empty);
    if (number % 2)
        make_planned(&maker);
    else
        make_pte(&maker);
    dg_store_forget(store);
    status = dg_store_exec(store, maker.sql.data, err);
    dg_writer_clear(&maker.sql);
    return status;
}
