#include "unit/suite.h"

#include "formats/pt2.h"

static struct dg_names names;
static struct dg_arena memory;

static void expect_name(const char *candidate, const char *expected)
{
    struct dg_text name = dg_fx_name(&names, dg_text(candidate), &memory);

    ck_assert_msg(dg_text_is(name, expected), "%s: expected %s, got %.*s", candidate,
                  expected, (int)name.size, name.data);
}

static void clear(void)
{
    dg_names_clear(&names);
    dg_arena_clear(&memory);
}

START_TEST(a_free_name_stays_as_it_is)
{
    expect_name("add", "add");
    expect_name("add_7", "add_7");
    clear();
}
END_TEST

START_TEST(a_taken_name_counts_on_from_the_last_of_its_base)
{
    expect_name("add", "add");
    expect_name("add", "add_1");
    expect_name("add_5", "add_5");
    expect_name("add", "add_6");
    expect_name("add_5", "add_7");
    clear();
}
END_TEST

START_TEST(words_of_python_get_a_number)
{
    expect_name("sum", "sum_1");
    expect_name("input", "input_1");
    expect_name("sum", "sum_2");
    expect_name("None", "None_1");
    clear();
}
END_TEST

START_TEST(what_is_no_identifier_is_made_one)
{
    expect_name("topk.default", "topk_default");
    expect_name("a.-b", "a_b");
    expect_name("1x", "_1x");
    expect_name("", "_unnamed");
    expect_name("\xc3\xa4", "_");
    clear();
}
END_TEST

START_TEST(functions_are_spelled_in_snake_case)
{
    struct dg_text name = dg_fx_snake_case(dg_text("myFunction_HTTP"), &memory);

    ck_assert(dg_text_is(name, "my_function_http"));
    clear();
}
END_TEST

#define S "Symbol('s0', positive=True, integer=True)"
#define T "Symbol('s77', positive=True, integer=True)"

static const struct {
    const char *stored, *printed;
} expressions[] = {
    {S, "s0"},
    {"Integer(7)", "7"},
    {"Add(Mul(Integer(2), " S "), Integer(1))", "2*s0 + 1"},
    {"Add(" S ", Mul(Integer(-1), " T "))", "s0 - s77"},
    {"Mul(Integer(-1), Integer(2), " S ")", "-2*s0"},
    {"Mul(Rational(1, 2), " S ", Pow(" T ", Integer(-1)))", "s0/(2*s77)"},
    {"Pow(" S ", Integer(-2))", "s0**(-2)"},
    {"Pow(" S ", Rational(1, 2))", "sqrt(s0)"},
    {"Pow(Add(" S ", Integer(1)), Integer(2))", "(s0 + 1)**2"},
    {"Add(FloorDiv(" S ", Integer(2)), Integer(1))", "((s0//2)) + 1"},
    {"Mul(Integer(2), Mod(" S ", Integer(3)))", "2*(Mod(s0, 3))"},
    {"Max(" T ", " S ", Integer(3))", "Max(3, s0, s77)"},
    {"Equality(" S ", Integer(2))", "Eq(s0, 2)"},
    {"And(StrictLessThan(" S ", Integer(3)), GreaterThan(" T ", Integer(2)))",
     "(s0 < 3) & (s77 >= 2)"},
    {"TruncToInt(Mul(Float('2.5', precision=53), " S "))", "TruncToInt(2.5*s0)"},
    {"true", "True"},
    {"2*s77 + 1", "2*s77 + 1"},
    {"Add(" S, "Add(" S},
    {"Integer(1) and more", "Integer(1) and more"},
    {"Add()", "Add()"},
    {"", ""},
};

START_TEST(expressions_read_as_sympy_prints_them)
{
    struct dg_text text = dg_pt2_expression(dg_text(expressions[_i].stored), &memory);

    ck_assert_msg(dg_text_is(text, expressions[_i].printed), "%s: got %.*s",
                  expressions[_i].stored, (int)text.size, text.data);
    clear();
}
END_TEST

Suite *pt2_names_suite(void)
{
    Suite *suite = suite_create("pt2_names");
    TCase *tests = tcase_create("pt2_names");

    tcase_add_test(tests, a_free_name_stays_as_it_is);
    tcase_add_test(tests, a_taken_name_counts_on_from_the_last_of_its_base);
    tcase_add_test(tests, words_of_python_get_a_number);
    tcase_add_test(tests, what_is_no_identifier_is_made_one);
    tcase_add_test(tests, functions_are_spelled_in_snake_case);
    tcase_add_loop_test(tests, expressions_read_as_sympy_prints_them, 0,
                        sizeof(expressions) / sizeof(*expressions));
    suite_add_tcase(suite, tests);
    return suite;
}
