/* Two programs whose symbols and graphs have other numbers. */
#include "unit/small_diff.h"

/* x and all that comes of it has the size s77 in the old program. */
static void open_symbolic(void)
{
    diff_open();
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given(
            "UPDATE value SET shape = '[\"s77\",\"2*s77\"]', strides = '[\"2*s77\",1]'"
            " WHERE name <> 'w';"
            "INSERT INTO range_constraint VALUES (1, 's77', 2, 8),"
            " (1, '2*s77', 4, 16), (1, 'u0', 1, NULL)");
    }
}

#define RENAMED(from, to)                                                              \
    "UPDATE value SET shape = replace(shape, '" from "', '" to "'),"                   \
    " strides = replace(strides, '" from "', '" to "');"                               \
    "UPDATE range_constraint SET symbol = replace(symbol, '" from "', '" to "')"

START_TEST(diff_accepts_other_numbers_of_symbols)
{
    given(RENAMED("s77", "s123"));
    given(RENAMED("u0", "u3"));
    expect_diff("no difference\n");
}
END_TEST

START_TEST(diff_accepts_exchanged_numbers_of_symbols)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given("UPDATE value SET shape = '[\"s77\",\"s5\"]' WHERE name IN ('x', 'mul')");
    }
    given(RENAMED("s77", "s1"));
    given(RENAMED("s5", "s77"));
    given(RENAMED("s1", "s5"));
    expect_diff("no difference\n");
}
END_TEST

/* mul has the size of x in the old program, and another one in the new. */
START_TEST(diff_tells_a_symbol_that_stands_for_two)
{
    given("UPDATE value SET shape = '[\"s5\",\"2*s77\"]' WHERE name = 'mul'");
    expect_diff("1 shape or dtype changed\n"
                "value changed type mul: f32 [\"s77\",\"2*s77\"] -> "
                "f32 [\"s5\",\"2*s77\"]\n"
                "flops changed FLOPs: 256 -> 128\n");
}
END_TEST

START_TEST(diff_tells_two_symbols_that_became_one)
{
    rules_store = diff_programs[0];
    given("UPDATE value SET shape = '[\"s5\",\"2*s77\"]' WHERE name = 'mul'");
    expect_diff("1 shape or dtype changed\n"
                "value changed type mul: f32 [\"s5\",\"2*s77\"] -> "
                "f32 [\"s77\",\"2*s77\"]\n"
                "flops changed FLOPs: 128 -> 256\n");
}
END_TEST

/* s77 of the new program is s5 of the old one, and s123 is s77. */
START_TEST(diff_tells_types_in_symbols_of_the_old_program)
{
    given(RENAMED("s77", "s123"));
    given("UPDATE value SET shape = '[\"s123\",\"3*s77\"]' WHERE name = 'mul'");
    expect_diff("1 shape or dtype changed\n"
                "value changed type mul: f32 [\"s77\",\"2*s77\"] -> "
                "f32 [\"s77\",\"3*s77'\"]\n"
                "flops changed FLOPs: 256 -> 128\n");
}
END_TEST

START_TEST(diff_tells_another_range_of_a_symbol_with_another_number)
{
    given(RENAMED("s77", "s123"));
    given("UPDATE range_constraint SET max = 9 WHERE symbol = 's123'");
    expect_diff("other signature\n"
                "signature changed range s77: 2..8 -> 2..9\n"
                "flops changed FLOPs: 256 -> 288\n");
}
END_TEST

START_TEST(diff_tells_a_symbol_that_became_a_number)
{
    given("UPDATE value SET shape = '[4,8]', strides = '[8,1]' WHERE name = 'mul'");
    expect_diff("1 shape or dtype changed\n"
                "value changed type mul: f32 [\"s77\",\"2*s77\"] -> f32 [4,8]\n"
                "flops changed FLOPs: 256 -> 160\n");
}
END_TEST

START_TEST(diff_tells_a_backed_symbol_from_an_unbacked_one)
{
    given("UPDATE value SET shape = '[\"u77\",\"2*u77\"]' WHERE name = 'mul'");
    expect_diff("1 shape or dtype changed\n"
                "value changed type mul: f32 [\"s77\",\"2*s77\"] -> "
                "f32 [\"u77\",\"2*u77\"]\n"
                "flops changed FLOPs: 256 -> 128\n");
}
END_TEST

/* A dtype looks like a symbol. */
START_TEST(diff_takes_no_dtype_for_a_symbol)
{
    given("UPDATE value SET dtype = 'u8' WHERE name = 'mul'");
    rules_store = diff_programs[0];
    given("UPDATE value SET dtype = 'u16' WHERE name = 'mul'");
    expect_diff("1 shape or dtype changed\n"
                "value changed type mul: u16 [\"s77\",\"2*s77\"] -> "
                "u8 [\"s77\",\"2*s77\"]\n");
}
END_TEST

START_TEST(diff_accepts_assertions_that_name_other_symbols_and_nodes)
{
    for (int s = 0; s < 2; s++) {
        rules_store = diff_programs[s];
        given_format(
            "UPDATE node SET args = '[{\"name\":\"self\",\"tensor\":\"mul\"},"
            "{\"name\":\"assert_msg\",\"string\":\"Runtime assertion failed for "
            "expression u%d >= 0 on node ''ge_%d''\"}]' WHERE name = 'softmax'",
            s, s + 4);
    }
    expect_diff("no difference\n");
}
END_TEST

/* Delegates 0 to `n` - 1, called one behind the other; each has one operator. */
static void give_lowered(int side, int n, const char *const *ops)
{
    rules_store = diff_programs[side];
    for (int i = 0; i < n; i++) {
        given_format("INSERT INTO \"graph\" VALUES (%d, 1, 'lowered_module_%d',"
                     " 'lowered')",
                     i + 2, i);
        given_format("INSERT OR IGNORE INTO op VALUES (%d, 'aten::%s.default', 'aten',"
                     " NULL, NULL, 0)",
                     100 + i, ops[i]);
        given_format("INSERT INTO node (id, graph_id, idx, name, kind, op_id) VALUES"
                     " (%d, %d, 0, '%s', 'call_function', %d)",
                     100 + i, i + 2, ops[i], 100 + i);
        given_format("INSERT INTO node (id, graph_id, idx, name, kind, target) VALUES"
                     " (%d, 1, %d, 'lowered_module_%d', 'get_attr',"
                     " 'lowered_module_%d')",
                     200 + i, 50 + 2 * i, i, i);
        given_format("INSERT INTO op VALUES (%d, 'higher_order::call_%s',"
                     " 'higher_order', NULL, NULL, 0)",
                     200 + i, ops[i]);
        given_format("INSERT INTO node (id, graph_id, idx, name, kind, op_id, args)"
                     " VALUES (%d, 1, %d, 'call_%d', 'call_function', %d,"
                     " '[{\"name\":\"lowered_module_%d\",\"graph\":"
                     "\"lowered_module_%d\"}]');"
                     "INSERT INTO edge VALUES (%d, 0, %d, NULL)",
                     300 + i, 51 + 2 * i, i, 200 + i, i, i, 300 + i, 200 + i);
    }
}

START_TEST(diff_tells_one_delegate_where_one_is_inserted)
{
    give_lowered(0, 3, (const char *[]){"tanh", "sin", "cos"});
    give_lowered(1, 4, (const char *[]){"exp", "tanh", "sin", "cos"});
    expect_diff("1 graph added, 1 op added\n"
                "graph added lowered_module_0 -> lowered\n"
                "op added higher_order::call_exp call_0\n");
}
END_TEST

START_TEST(diff_tells_what_changed_in_a_delegate_with_another_number)
{
    give_lowered(0, 3, (const char *[]){"tanh", "sin", "cos"});
    give_lowered(1, 4, (const char *[]){"exp", "tanh", "sin", "cos"});
    given("UPDATE node SET args = '[{\"name\":\"dim\",\"int\":1}]' WHERE id = 102");
    rules_store = diff_programs[0];
    given("UPDATE node SET args = '[{\"name\":\"dim\",\"int\":0}]' WHERE id = 101");
    expect_diff("1 graph added, 1 op added, 1 changed\n"
                "graph added lowered_module_0 -> lowered\n"
                "op changed arguments sin: dim=0 -> dim=1\n"
                "op added higher_order::call_exp call_0\n");
}
END_TEST

START_TEST(diff_accepts_graphs_whose_numbers_are_exchanged)
{
    give_lowered(0, 2, (const char *[]){"tanh", "sin"});
    give_lowered(1, 2, (const char *[]){"tanh", "sin"});
    given(
        "UPDATE \"graph\" SET path = 'lowered_module_9' WHERE id = 2;"
        "UPDATE node SET target = 'lowered_module_9', name = 'lowered_module_9'"
        " WHERE id = 200;"
        "UPDATE node SET args = replace(args, 'module_0', 'module_9') WHERE id = 300");
    expect_diff("no difference\n");
}
END_TEST

Suite *diff_symbols_suite(void)
{
    Suite *suite = suite_create("diff_symbols");
    TCase *symbols = tcase_create("symbols"), *graphs = tcase_create("graphs");

    tcase_add_checked_fixture(symbols, open_symbolic, diff_close);
    tcase_add_test(symbols, diff_accepts_other_numbers_of_symbols);
    tcase_add_test(symbols, diff_accepts_exchanged_numbers_of_symbols);
    tcase_add_test(symbols, diff_tells_a_symbol_that_stands_for_two);
    tcase_add_test(symbols, diff_tells_two_symbols_that_became_one);
    tcase_add_test(symbols, diff_tells_types_in_symbols_of_the_old_program);
    tcase_add_test(symbols, diff_tells_another_range_of_a_symbol_with_another_number);
    tcase_add_test(symbols, diff_tells_a_symbol_that_became_a_number);
    tcase_add_test(symbols, diff_tells_a_backed_symbol_from_an_unbacked_one);
    tcase_add_test(symbols, diff_takes_no_dtype_for_a_symbol);
    tcase_add_test(symbols, diff_accepts_assertions_that_name_other_symbols_and_nodes);
    suite_add_tcase(suite, symbols);
    tcase_add_checked_fixture(graphs, diff_open, diff_close);
    tcase_add_test(graphs, diff_tells_one_delegate_where_one_is_inserted);
    tcase_add_test(graphs, diff_tells_what_changed_in_a_delegate_with_another_number);
    tcase_add_test(graphs, diff_accepts_graphs_whose_numbers_are_exchanged);
    suite_add_tcase(suite, graphs);
    return suite;
}
