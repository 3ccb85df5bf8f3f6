/* Rows of a table, from a program in memory and from the database: one and the same. */
#include "unit/programs.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "formats/input.h"
#include "graph/model.h"
#include "graph/model_names.h"
#include "graph/model_values.h"
#include "graph/runnable.h"
#include "store/scan.h"
#include "store/schema.h"
#include "store/tables.h"

static struct dg_error err;

/* Words for all that the model of a program holds. */

static void tell_nodes(struct dg_writer *out, const struct dg_model *model)
{
    for (uint32_t i = 0; i < model->n_ops; i++)
        dg_print(out, "op %s %u\n", model->ops[i].name.data, model->ops[i].flags);
    for (uint32_t i = 0; i < model->n_graphs; i++)
        dg_print(out, "graph %u %u\n", model->graphs[i].first,
                 model->graphs[i].n_nodes);
    for (uint32_t i = 0; i < model->n_nodes; i++) {
        const struct dg_model_node *node = &model->nodes[i];

        dg_print(out, "node %u %u %u %u %u %u %d", node->graph, node->op,
                 node->delegate, node->module, node->value, node->jump, node->kind);
        dg_print(out, " %u %u\n", model->use_of[i + 1], model->operand_of[i + 1]);
    }
}

static void tell_uses(struct dg_writer *out, const struct dg_model *model)
{
    for (uint32_t i = 0; i < model->n_uses; i++)
        dg_print(out, "use %u %u %u\n", model->uses[i].node, model->uses[i].value,
                 model->uses[i].pos);
    for (uint32_t i = 0; i < model->n_operands; i++) {
        const struct dg_model_operand *operand = &model->operands[i];

        dg_print(out, "operand %lld %u %u %u\n", (long long)operand->idx,
                 operand->value, operand->pos, operand->access);
    }
}

static void tell_calls(struct dg_writer *out, struct dg_store *store)
{
    struct dg_called_ops called = {0};

    ck_assert_msg(!dg_called_ops_read(&called, store, &err), "%s", err.text);
    for (size_t i = 0; i < called.n_ops; i++)
        dg_print(out, "%lld calls %s %lld times\n", (long long)called.ops[i].method,
                 called.ops[i].op.data, (long long)called.ops[i].n);
    dg_arena_clear(&called.memory);
}

static void tell_numbers(struct dg_writer *out, const struct dg_model_values *values,
                         struct dg_numbers numbers)
{
    const int64_t *at = dg_numbers_of(values, numbers);

    dg_print(out, " (%lld:", (long long)numbers.n);
    for (int64_t i = 0; i < numbers.n; i++)
        dg_print(out, " %lld", (long long)at[i]);
    dg_print(out, ")");
}

/* Who prints names counts on it. */
static void expect_end(struct dg_text name)
{
    ck_assert_msg(!name.data || strlen(name.data) == name.size,
                  "no NUL ends the name %.60s", name.data ? name.data : "");
}

static void tell_item(struct dg_writer *out, const struct dg_model_values *values,
                      const struct dg_model_value *value)
{
    expect_end(value->name);
    dg_print(out, "item %lld %lld %lld %lld %lld %lld %s", (long long)value->id,
             (long long)value->idx, (long long)value->mem_id, (long long)value->offset,
             (long long)value->nbytes, (long long)value->data_index,
             value->dtype ? value->dtype->name : "-");
    tell_numbers(out, values, value->content);
    tell_numbers(out, values, value->order);
    dg_print(out, " %d %d %d%d%d%d%d %s", value->kind, value->storage, value->said,
             value->bounded, value->unbounded, value->displaced, value->sparse,
             value->name.data ? value->name.data : "-");
    if (value->kind == DG_VALUE_STRING)
        dg_print(out, " %s\n", value->as.string);
    else
        dg_print(out, " %lld\n", (long long)value->as.integer);
}

static void tell_values(struct dg_writer *out, const struct dg_model_values *values)
{
    for (size_t i = 0; i < values->n_types; i++) {
        const struct dg_model_type *type = &values->types[i];

        dg_print(out, "type %d %d %s %s %s", type->kind, type->symbolic,
                 type->dtype ? type->dtype->name : "-",
                 type->name.data ? type->name.data : "-",
                 type->sizes.data ? type->sizes.data : "-");
        tell_numbers(out, values, type->content);
        dg_print(out, "\n");
    }
    for (size_t i = 0; i < values->n_graphs; i++)
        dg_print(out, "values %lld %zu %zu %d\n", (long long)values->graphs[i].id,
                 values->graphs[i].first, values->graphs[i].n,
                 values->graphs[i].is_pte);
    for (size_t i = 0; i < values->n_rows; i++) {
        dg_print(out, "value %lld %u %u\n", (long long)values->nbytes[i],
                 values->type_of[i], values->graph_of[i]);
        if (values->items && values->items[i].id)
            tell_item(out, values, &values->items[i]);
    }
}

static void tell_names(struct dg_writer *out, const struct dg_model_names *names)
{
    for (size_t i = 0; i < names->n_items; i++) {
        expect_end(names->items[i]);
        dg_print(out, "%s\n", names->items[i].data ? names->items[i].data : "-");
    }
}

static void tell_range(struct dg_writer *out, struct dg_store *store, int64_t first,
                       size_t n)
{
    struct dg_scan scan = dg_scan_range(store, "node", "id, args", first, n, &err);
    size_t n_found = 0;

    dg_print(out, "range");
    for (; dg_scan_next(&scan); n_found++) {
        struct dg_text args = dg_scan_text(&scan, 1);

        ck_assert_int_eq(dg_scan_int(&scan, 0), first + (int64_t)n_found);
        dg_print(out, " %.*s", (int)args.size, args.data ? args.data : "");
    }
    ck_assert_uint_le(n_found, n);
    dg_print(out, " %zu\n", n_found);
    ck_assert_int_eq(dg_scan_close(&scan, DG_OK, &err), DG_OK);
}

static void tell_model(struct dg_writer *out, struct dg_store *store)
{
    const struct dg_model *model;
    const struct dg_model_names *names;
    const struct dg_model_values *values;

    ck_assert_msg(!dg_model_read(&model, store, &err), "%s", err.text);
    ck_assert_msg(!dg_model_names_read(&names, store, &err), "%s", err.text);
    ck_assert_msg(!dg_model_values_read(&values, store, &err), "%s", err.text);
    tell_nodes(out, model);
    tell_uses(out, model);
    tell_calls(out, store);
    tell_names(out, names);
    tell_values(out, values);
    tell_range(out, store, 2, 3);
    tell_range(out, store, model->n_nodes, 2); /* one is there */
    tell_range(out, store, (int64_t)model->n_nodes + 2, 1);
    tell_range(out, store, 1, 0);
}

static void expect_one_model(const char *path)
{
    struct dg_input input;
    struct dg_writer resident = {0}, stored = {0};

    ck_assert_msg(!dg_input_open(&input, path, DG_HASH_NONE, &err), "%s", err.text);
    tell_model(&resident, input.store);
    dg_store_forget(input.store);
    tell_model(&stored, input.store);
    ck_assert_msg(dg_text_equal(dg_written(&resident), dg_written(&stored)),
                  "%s: the program and its rows have two models", path);
    dg_writer_clear(&resident);
    dg_writer_clear(&stored);
    dg_input_close(&input);
}

START_TEST(the_model_of_a_program_in_memory_is_that_of_its_rows)
{
    each_program("*.pt[2e]", 1, expect_one_model);
}
END_TEST

START_TEST(columns_of_a_program_are_called_as_in_the_schema)
{
    struct dg_text rest = dg_text(dg_store_schema()), token;
    struct dg_entry entry;

    while (dg_schema_next(&rest, &entry)) {
        char name[40];
        enum dg_table table;
        int n = 0;

        snprintf(name, sizeof(name), "%.*s", (int)entry.name.size, entry.name.data);
        table = dg_table_find(name);
        if (table == DG_N_TABLES || !dg_text_is(entry.type, "table"))
            continue;
        while ((token = dg_sql_token(&entry.sql)).size) {
            if (!dg_text_is(token, "(") && !dg_text_is(token, ","))
                continue;
            token = dg_sql_token(&entry.sql);
            if (dg_text_is(token, "PRIMARY"))
                break;
            ck_assert_msg(dg_table_column_at(table, token) == n, "%s.%.*s", name,
                          (int)token.size, token.data);
            n++;
        }
        ck_assert_int_ge(n, 2);
    }
    ck_assert_int_eq(dg_table_column_at(DG_TABLE_nodes, dg_text("graph_i")), -1);
}
END_TEST

/* Two programs of one node and two edges to it, in the order of `positions`. */
static void add_edges(struct dg_program *program, const int64_t *positions)
{
    program->kind = "pt2";
    dg_add_method(program)->name = dg_text("forward");
    program->methods[0].ir = "aten";
    *dg_add_graph(program) = (struct dg_graph_row){0, dg_text(""), "method"};
    dg_add_node(program)->name = dg_text("x");
    program->nodes[0].kind = "placeholder";
    program->nodes[0].idx = 0;
    for (int i = 0; i < 2; i++)
        *dg_add_edge(program) = (struct dg_edge_row){0, positions[i], 0, DG_NONE};
}

static void take(struct dg_store *store, const int64_t *positions)
{
    struct dg_program program = {0};
    struct dg_file file = {.path = "x.pt2"};

    add_edges(&program, positions);
    ck_assert_msg(!dg_store_take_program(store, &program, &file, &err), "%s", err.text);
    ck_assert_uint_eq(program.n_edges + program.n_nodes, 0);
    dg_program_clear(&program);
}

static void expect_scan(struct dg_store *store, bool resident, const int64_t *want,
                        size_t n)
{
    struct dg_scan scan =
        dg_scan_all(store, "edge", "pos, src, value_id", "dst, pos", &err);

    ck_assert_int_eq(scan.resident != NULL, resident);
    for (size_t i = 0; i < n; i++) {
        ck_assert(dg_scan_next(&scan));
        ck_assert_int_eq(dg_scan_int(&scan, 0), want[i]);
        ck_assert_int_ge(dg_scan_int(&scan, 1), 1);
        ck_assert_int_eq(dg_scan_int_or(&scan, 2, 7), 7);
    }
    ck_assert(!dg_scan_next(&scan));
    ck_assert_int_eq(dg_scan_close(&scan, DG_OK, &err), DG_OK);
}

START_TEST(rows_in_the_order_of_their_key_are_read_where_they_are)
{
    struct dg_store *store = NULL;

    ck_assert(!dg_store_create(&store, &err));
    take(store, (int64_t[]){0, 1});
    expect_scan(store, true, (int64_t[]){0, 1}, 2);
    dg_store_close(store);
}
END_TEST

START_TEST(rows_of_a_program_that_was_not_taken_are_read_from_the_database)
{
    struct dg_store *store = NULL;
    struct dg_program program = {0};
    struct dg_file file = {.path = "x.pt2"};

    ck_assert(!dg_store_create(&store, &err));
    add_edges(&program, (int64_t[]){0, 1});
    ck_assert(!dg_store_add_program(store, &program, &file, &err));
    ck_assert_uint_eq(program.n_edges, 2);
    dg_program_clear(&program);
    expect_scan(store, false, (int64_t[]){0, 1}, 2);
    dg_store_close(store);
}
END_TEST

START_TEST(rows_in_another_order_are_read_from_the_database)
{
    struct dg_store *store = NULL;

    ck_assert(!dg_store_create(&store, &err));
    take(store, (int64_t[]){1, 0});
    expect_scan(store, false, (int64_t[]){0, 1}, 2);
    dg_store_close(store);
}
END_TEST

START_TEST(a_second_program_is_read_from_the_database_with_the_first)
{
    struct dg_store *store = NULL;

    ck_assert(!dg_store_create(&store, &err));
    take(store, (int64_t[]){0, 1});
    take(store, (int64_t[]){0, 1});
    expect_scan(store, false, (int64_t[]){0, 1, 0, 1}, 4);
    dg_store_close(store);
}
END_TEST

START_TEST(a_scan_of_what_is_not_there_says_so_when_it_ends)
{
    struct dg_store *store = NULL;
    struct dg_scan scan;

    ck_assert(!dg_store_create(&store, &err));
    scan = dg_scan_all(store, "node", "id, colour", "id", &err);
    ck_assert(!dg_scan_next(&scan));
    ck_assert_int_ne(dg_scan_close(&scan, DG_OK, &err), DG_OK);
    ck_assert_ptr_nonnull(strstr(err.text, "colour"));
    dg_store_close(store);
}
END_TEST

Suite *scan_suite(void)
{
    Suite *suite = suite_create("scan");
    TCase *all = tcase_create("all");

    tcase_set_timeout(all, 120);
    tcase_add_test(all, the_model_of_a_program_in_memory_is_that_of_its_rows);
    tcase_add_test(all, columns_of_a_program_are_called_as_in_the_schema);
    tcase_add_test(all, rows_in_the_order_of_their_key_are_read_where_they_are);
    tcase_add_test(all,
                   rows_of_a_program_that_was_not_taken_are_read_from_the_database);
    tcase_add_test(all, rows_in_another_order_are_read_from_the_database);
    tcase_add_test(all, a_second_program_is_read_from_the_database_with_the_first);
    tcase_add_test(all, a_scan_of_what_is_not_there_says_so_when_it_ends);
    suite_add_tcase(suite, all);
    return suite;
}
