#include "unit/suite.h"

#include <stdio.h>
#include <string.h>

#include "base/ops.h"

static const struct dg_op *find(const char *name)
{
    return dg_op_find(name, strlen(name));
}

static const struct dg_op *known(const char *name)
{
    const struct dg_op *op = find(name);

    ck_assert_msg(op, "no operator %s", name);
    return op;
}

/* The argument or result number `index` of a schema text. */
static struct dg_op_arg nth(const char *cursor, int index)
{
    struct dg_op_arg arg = {0};

    for (int i = 0; i <= index; i++)
        ck_assert(dg_op_next_arg(&cursor, &arg));
    return arg;
}

static void expect_text(const char *text, size_t length, const char *expected)
{
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(length, strlen(expected));
    ck_assert_mem_eq(text, expected, length);
}

static void expect_arg(const struct dg_op_arg *arg, const char *type, const char *name)
{
    ck_assert_str_eq(arg->type, type);
    expect_text(arg->name, arg->name_length, name);
}

START_TEST(table_is_sorted_and_names_each_overload_once)
{
    for (size_t i = 1; i < dg_n_ops; i++)
        ck_assert_str_lt(dg_ops[i - 1].name, dg_ops[i].name);
}

START_TEST(every_overload_is_found_under_its_name)
{
    char longer[128];

    for (size_t i = 0; i < dg_n_ops; i++) {
        ck_assert_ptr_eq(find(dg_ops[i].name), &dg_ops[i]);
        snprintf(longer, sizeof(longer), "%s.default", dg_ops[i].name);
        ck_assert_ptr_eq(find(longer), &dg_ops[i]);
    }
}

static void expect_end(const char *cursor, bool open)
{
    struct dg_op_arg arg = {0};

    while (dg_op_next_arg(&cursor, &arg)) {
        ck_assert_uint_gt(strlen(arg.type), 0);
        ck_assert_int_eq(arg.is_out, arg.writes && arg.kwarg_only);
    }
    ck_assert_str_eq(cursor, open ? "..." : "");
}

START_TEST(every_schema_is_read_to_its_end)
{
    for (const struct dg_op *op = dg_ops; op < dg_ops + dg_n_ops; op++) {
        expect_end(op->args, op->flags & DG_OP_MORE_ARGS);
        expect_end(op->returns, op->flags & DG_OP_MORE_RETURNS);
    }
}

static bool writes_an_argument(const struct dg_op *op)
{
    struct dg_op_arg arg = {0};

    for (const char *cursor = op->args; dg_op_next_arg(&cursor, &arg);) {
        if (arg.writes)
            return true;
    }
    return false;
}

START_TEST(exactly_the_overloads_that_write_an_argument_mutate)
{
    for (const struct dg_op *op = dg_ops; op < dg_ops + dg_n_ops; op++)
        ck_assert_int_eq(!!(op->flags & DG_OP_MUTATES), writes_an_argument(op));
}

START_TEST(default_overload_is_found_with_and_without_its_name)
{
    ck_assert_str_eq(known("aten::relu")->name, "aten::relu");
    ck_assert_ptr_eq(known("aten::relu.default"), known("aten::relu"));
    ck_assert_ptr_eq(known("executorch_prim::et_view.default"),
                     known("executorch_prim::et_view"));
}

START_TEST(lookup_reads_no_further_than_the_length)
{
    ck_assert_ptr_eq(dg_op_find("aten::relu.out", 10), known("aten::relu"));
    ck_assert_ptr_eq(dg_op_find("aten::relu.default!", 18), known("aten::relu"));
}

START_TEST(unknown_overloads_are_not_found)
{
    ck_assert_ptr_null(find("aten::no_such_op"));
    ck_assert_ptr_null(find("aten::index_fill")); /* has no default overload */
    ck_assert_ptr_null(find("aten::add.Tenso"));
    ck_assert_ptr_null(find("aten::add.Tensors"));
    ck_assert_ptr_null(find("aten::"));
    ck_assert_ptr_null(find(".default"));
    ck_assert_ptr_null(find(""));
}

START_TEST(aten_alone_is_a_known_namespace)
{
    const char *others[] = {"my_ops::add.Tensor", "prims::add", "aten", "aten:add",
                            "atens::add",         "",           "aten."};

    ck_assert(dg_op_known_namespace("aten::no_such_op", 16));
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        ck_assert(!dg_op_known_namespace(others[i], strlen(others[i])));
}

START_TEST(arguments_after_the_star_are_keyword_only)
{
    const struct dg_op *op = known("aten::add.Tensor");
    struct dg_op_arg other = nth(op->args, 1), alpha = nth(op->args, 2);

    ck_assert_uint_eq(dg_op_n_args(op), 3);
    expect_arg(&other, "Tensor", "other");
    ck_assert(!other.kwarg_only && !other.default_text && !other.alias);
    expect_arg(&alpha, "Scalar", "alpha");
    ck_assert(alpha.kwarg_only && !alpha.is_out);
    expect_text(alpha.default_text, alpha.default_length, "1");
}

START_TEST(results_without_a_name_have_length_zero)
{
    struct dg_op_arg sum = nth(known("aten::add.Tensor")->returns, 0);

    ck_assert_uint_eq(dg_op_n_returns(known("aten::add.Tensor")), 1);
    expect_arg(&sum, "Tensor", "");
}

START_TEST(in_place_operators_write_and_return_an_argument)
{
    const struct dg_op *op = known("aten::copy_");
    struct dg_op_arg self = nth(op->args, 0), result = nth(op->returns, 0);

    ck_assert_uint_eq(op->flags & (DG_OP_MUTATES | DG_OP_OUT), DG_OP_MUTATES);
    expect_arg(&self, "Tensor", "self");
    ck_assert(self.writes && !self.is_out);
    expect_text(self.alias, self.alias_length, "a");
    expect_text(result.alias, result.alias_length, "a");
}

START_TEST(out_arguments_are_written_and_returned_in_their_order)
{
    const struct dg_op *op = known("aten::topk.values");
    struct dg_op_arg sorted = nth(op->args, 4), values = nth(op->args, 5),
                     indices = nth(op->args, 6), second = nth(op->returns, 1);

    ck_assert_uint_eq(dg_op_n_args(op), 7);
    ck_assert_uint_eq(dg_op_n_returns(op), 2);
    ck_assert(op->flags & DG_OP_OUT);
    ck_assert(!sorted.is_out && values.is_out && indices.is_out);
    expect_text(values.alias, values.alias_length, "a");
    expect_arg(&second, "Tensor", "indices");
    expect_text(second.alias, second.alias_length, "b");
}

START_TEST(views_share_a_label_between_argument_and_result)
{
    const struct dg_op *op = known("aten::split.Tensor");
    struct dg_op_arg self = nth(op->args, 0), parts = nth(op->returns, 0);

    ck_assert_uint_eq(op->flags & (DG_OP_VIEW | DG_OP_MUTATES), DG_OP_VIEW);
    ck_assert_str_eq(self.type, "Tensor");
    expect_text(self.alias, self.alias_length, "a");
    ck_assert_str_eq(parts.type, "Tensor[]");
    expect_text(parts.alias, parts.alias_length, "a");
    ck_assert(!self.writes && !parts.writes);
}

START_TEST(types_keep_their_brackets_and_lose_their_marks)
{
    struct dg_op_arg pairs = nth(known("aten::items.int")->returns, 0);
    struct dg_op_arg dict = nth(known("aten::popitem.int")->args, 0);
    struct dg_op_arg list = nth(known("aten::_foreach_add_.Scalar")->args, 0);
    struct dg_op_arg stride = nth(known("aten::conv2d")->args, 3);

    ck_assert_str_eq(pairs.type, "(int, t)[]");
    expect_arg(&dict, "Dict(int, t)", "self");
    ck_assert(dict.writes);
    expect_arg(&list, "Tensor[]", "self");
    ck_assert(list.writes);
    expect_arg(&stride, "SymInt[2]", "stride");
}

START_TEST(defaults_may_hold_commas_and_quotes)
{
    struct dg_op_arg padding = nth(known("aten::conv2d")->args, 4);
    struct dg_op_arg approximate = nth(known("aten::gelu")->args, 1);
    struct dg_op_arg odd = nth(known("aten::_test_string_default")->args, 1);

    expect_text(padding.default_text, padding.default_length, "[0, 0]");
    expect_text(approximate.default_text, approximate.default_length, "'none'");
    expect_text(odd.default_text, odd.default_length, "\"\\\"\\'\\\\\"");
}

START_TEST(open_schemas_say_so)
{
    const struct dg_op *cond = known("higher_order::cond");

    ck_assert(cond->flags & DG_OP_MORE_ARGS && cond->flags & DG_OP_MORE_RETURNS);
    ck_assert_uint_eq(dg_op_n_args(cond), 0);
    ck_assert_uint_eq(dg_op_n_args(known("aten::format")), 1);
    ck_assert(known("aten::format")->flags & DG_OP_MORE_ARGS);
}

START_TEST(schemas_count_the_operands_of_runtime_instructions)
{
    const struct dg_op *copy = known("executorch_prim::et_copy_index.tensor");
    const struct dg_op *view = known("executorch_prim::et_view");

    ck_assert_uint_eq(dg_op_n_args(copy) + dg_op_n_returns(copy), 3);
    ck_assert_uint_eq(dg_op_n_args(view) + dg_op_n_returns(view), 3);
}

START_TEST(flags_tell_operators_apart)
{
    ck_assert_uint_eq(known("aten::add.Tensor")->flags, DG_OP_CORE | DG_OP_POINTWISE);
    ck_assert(known("aten::add.out")->flags & DG_OP_PORTABLE);
    ck_assert(known("aten::linear.out")->flags & DG_OP_SHIPPED);
    ck_assert(!(known("aten::linear.out")->flags & DG_OP_PORTABLE));
    ck_assert(known("aten::rand")->flags & DG_OP_NONDETERMINISTIC);
    ck_assert(known("aten::view_copy")->flags & DG_OP_VIEW_COPY);
    ck_assert(known("aten::nonzero")->flags & DG_OP_DYNAMIC_SHAPE);
    ck_assert(known("aten::squeeze_")->flags & DG_OP_INPLACE_VIEW);
    ck_assert(known("aten::add.str")->flags & DG_OP_SCRIPT);
}

static TCase *table_tests(void)
{
    TCase *table = tcase_create("table");

    tcase_add_test(table, table_is_sorted_and_names_each_overload_once);
    tcase_add_test(table, every_overload_is_found_under_its_name);
    tcase_add_test(table, every_schema_is_read_to_its_end);
    tcase_add_test(table, exactly_the_overloads_that_write_an_argument_mutate);
    tcase_add_test(table, flags_tell_operators_apart);
    return table;
}

static TCase *lookup_tests(void)
{
    TCase *lookup = tcase_create("lookup");

    tcase_add_test(lookup, default_overload_is_found_with_and_without_its_name);
    tcase_add_test(lookup, lookup_reads_no_further_than_the_length);
    tcase_add_test(lookup, unknown_overloads_are_not_found);
    tcase_add_test(lookup, aten_alone_is_a_known_namespace);
    return lookup;
}

static TCase *argument_tests(void)
{
    TCase *arguments = tcase_create("arguments");

    tcase_add_test(arguments, arguments_after_the_star_are_keyword_only);
    tcase_add_test(arguments, results_without_a_name_have_length_zero);
    tcase_add_test(arguments, in_place_operators_write_and_return_an_argument);
    tcase_add_test(arguments, out_arguments_are_written_and_returned_in_their_order);
    tcase_add_test(arguments, views_share_a_label_between_argument_and_result);
    tcase_add_test(arguments, types_keep_their_brackets_and_lose_their_marks);
    tcase_add_test(arguments, defaults_may_hold_commas_and_quotes);
    tcase_add_test(arguments, open_schemas_say_so);
    tcase_add_test(arguments, schemas_count_the_operands_of_runtime_instructions);
    return arguments;
}

Suite *ops_suite(void)
{
    Suite *suite = suite_create("ops");

    suite_add_tcase(suite, table_tests());
    suite_add_tcase(suite, lookup_tests());
    suite_add_tcase(suite, argument_tests());
    return suite;
}
