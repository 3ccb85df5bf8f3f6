/* Each rule about constants in plans against plans that keep it, and that break it. */
#include <stdio.h>

#include "unit/small_plan.h"

/* w is read by mul, then by cat; b, which add_b updates, by add_b. */
static void given_program(void)
{
    plan_input("w", "parameter");
    plan_input("b", "buffer");
    plan_input("x", "user_input");
    plan_call("aten::mul.Tensor", "mul", "x w", NULL);
    plan_call("aten::cat.default", "cat", "", "mul w");
    plan_call("aten::add.Tensor", "add_b", "b x", NULL);
    plan_call("aten::sin.default", "sin", "add_b", NULL);
    plan_output("buffer=add_b cat");
}

static void expect_all(const char *want)
{
    static const char *const rules[] = {
        "users-share-tag", "will-duplicate",      "list-arg-user",
        "tag-is-min",      "unused-untagged",     "prior-delegate-only",
        "mutable-shared",  "mutable-as-constant", "mutation-also-output"};
    char id[64];

    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
        snprintf(id, sizeof(id), "constant/%s", rules[i]);
        expect(id, want);
    }
}

START_TEST(one_tag_for_all_breaks_no_rule)
{
    given_program();
    plan_tag("A", "w b mul cat add_b sin");
    expect_all("");
}

START_TEST(untagged_constants_break_no_rule)
{
    given_program();
    plan_tag("A", "mul");
    plan_tag("B", "cat add_b");
    expect_all("");
}

START_TEST(a_list_keeps_the_original_from_a_copy)
{
    given_program();
    plan_tag("A", "w mul");
    plan_tag("B", "cat");
    expect("constant/users-share-tag",
           "error lowering fails: constant data node (w) is tagged with (A) but has"
           " user (cat) which has tag (B); cat keeps the original, as lowering puts no"
           " copy into its list\n");
    expect_witness("[\"w\",\"cat\"]");
    expect("constant/will-duplicate", "");
    expect("constant/list-arg-user", "");
}

START_TEST(the_user_named_is_the_one_that_lowering_names)
{
    given_program();
    plan_tag("A", "w cat");
    expect("constant/users-share-tag",
           "error lowering fails: constant data node (w) is tagged with (A) but has"
           " user (mul) which has tag (None); cat keeps the original, as lowering puts"
           " no copy into its list\n");
}

START_TEST(a_returned_constant_cannot_be_shared)
{
    plan_input("w", "parameter");
    plan_call("aten::sin.default", "sin", "w", NULL);
    plan_output("sin w");
    plan_tag("A", "w sin");
    expect("constant/users-share-tag",
           "error lowering fails: constant data node (w) is tagged with (A) but has"
           " user (output) which has tag (None); the output keeps the original, as"
           " lowering puts no copy into the list of outputs\n");
}

START_TEST(a_constant_that_is_only_returned_goes_back_to_the_host)
{
    plan_input("w", "parameter");
    plan_output("w");
    plan_tag("A", "w");
    expect("constant/users-share-tag",
           "warning w is tagged A, but all that read it (output first) have no tag\n");
}

START_TEST(a_constant_without_a_delegate_is_the_hosts)
{
    given_program();
    plan_tag("A", "w mul");
    plan_tag("B", "cat");
    given("UPDATE partition SET declared = 0 WHERE tag = 'A'");
    expect_all("");
}

START_TEST(a_copy_that_nobody_takes_cannot_be_all_of_a_partition)
{
    given_program();
    plan_tag("A", "w");
    plan_tag("B", "mul cat");
    expect("constant/users-share-tag",
           "error lowering fails: cat takes w in its list, so that the copy made for it"
           " is all that is left with tag A: 'Cannot determine insertion point'\n");
}

START_TEST(lowering_repairs_a_tag_that_no_user_has)
{
    given_program();
    plan_tag("A", "w sin");
    plan_tag("B", "mul cat");
    expect("constant/users-share-tag",
           "warning w is tagged A, but all that read it (mul first) have tag B\n");
    expect("constant/will-duplicate",
           "note lowering makes 1 copy of w, 12 bytes more: for cat (B)\n");
    expect("constant/list-arg-user",
           "warning cat takes w in a list, where lowering puts no copy: it works"
           " because it has the tag of the first user, which keeps the original\n");
    expect("constant/tag-is-min",
           "note w is tagged A; tag_constant_data would take B, the least tag of its"
           " users\n");
}

START_TEST(each_user_after_the_first_gets_a_copy)
{
    plan_input("w", "parameter");
    plan_call("aten::sin.default", "a", "w", NULL);
    plan_call("aten::mul.Tensor", "b", "w w", NULL);
    plan_call("aten::sin.default", "c", "w", NULL);
    plan_call("aten::sin.default", "d", "w", NULL);
    plan_call("aten::sin.default", "e", "w", NULL);
    plan_output("a b c d e");
    plan_tag("A", "w a b");
    plan_tag("B", "c");
    expect("constant/will-duplicate",
           "note lowering makes 4 copies of w, 48 bytes more: for b (A), c (B), d (no"
           " tag), ...\n");
    expect("constant/users-share-tag", "");
    expect("constant/list-arg-user", "");
    expect("constant/tag-is-min", "");
}

START_TEST(a_list_of_the_first_user_keeps_the_original)
{
    plan_input("w", "parameter");
    plan_call("aten::cat.default", "cat", "", "w w");
    plan_call("aten::sin.default", "sin", "w", NULL);
    plan_output("cat sin");
    plan_tag("A", "w cat");
    plan_tag("B", "sin");
    expect("constant/users-share-tag", "");
    expect("constant/list-arg-user",
           "warning cat takes w in a list, where lowering puts no copy: it works"
           " because the first user keeps the original\n");
}

START_TEST(tags_compare_as_strings)
{
    plan_input("w", "parameter");
    plan_call("aten::sin.default", "sin", "w", NULL);
    plan_call("aten::cos.default", "cos", "w", NULL);
    plan_output("sin cos");
    plan_tag("aoti_2", "w sin");
    plan_tag("aoti_10", "cos");
    expect("constant/tag-is-min",
           "note w is tagged aoti_2; tag_constant_data would take aoti_10, the least"
           " tag of its users\n");
}

START_TEST(aoti_takes_constants_that_nothing_reads)
{
    plan_input("w", "parameter");
    plan_input("unused", "constant_tensor");
    plan_call("aten::sin.default", "sin", "w", NULL);
    plan_output("sin");
    plan_tag("A", "w sin");
    expect("constant/unused-untagged",
           "warning nothing reads unused, and it has no tag: AOTI's partitioner tags it"
           " A, so that CudaBackend takes it, too\n");
}

START_TEST(other_backends_leave_unused_constants_alone)
{
    plan_input("w", "parameter");
    plan_input("unused", "constant_tensor");
    plan_call("aten::sin.default", "sin", "w", NULL);
    plan_output("sin");
    plan_tag("A", "w sin");
    given("UPDATE partition SET backend = 'XnnpackBackend'");
    expect("constant/unused-untagged", "");
}

START_TEST(constants_of_an_earlier_delegate_have_no_tag)
{
    plan_input("w", "parameter");
    plan_attr("lowered_module_0");
    plan_call("higher_order::executorch_call_delegate", "call", "@lowered_module_0 w",
              NULL);
    plan_call("aten::sin.default", "sin", "call", NULL);
    plan_output("sin");
    plan_tag("A", "w sin");
    expect("constant/prior-delegate-only",
           "warning w is tagged A, but only calls of delegates read it (call first)\n");
    expect("constant/users-share-tag", "");
}

START_TEST(a_buffer_goes_with_its_new_value)
{
    given_program();
    plan_tag("A", "b add_b sin");
    expect("constant/mutable-as-constant", "");
    expect("constant/mutable-shared", "");
    expect("constant/mutation-also-output", "");
}

START_TEST(a_new_value_that_another_makes_has_no_buffer)
{
    plan_input("b", "buffer");
    plan_call("aten::sin.default", "sin", "b", NULL);
    plan_call("aten::cos.default", "cos", "sin", NULL);
    plan_output("buffer=cos");
    plan_tag("A", "b sin");
    expect("constant/mutable-as-constant",
           "error A takes buffer b away, but its new value cos (no tag) is written back"
           " by the host: lowering fails, as the output does not point to a buffer that"
           " exists\n");
    expect_witness("[\"b\",\"cos\"]");
}

START_TEST(no_delegate_may_take_a_parameter_that_changes)
{
    plan_input("p", "parameter");
    plan_call("aten::sin.default", "sin", "p", NULL);
    plan_output("parameter=sin");
    plan_tag("A", "p sin");
    expect("constant/mutable-as-constant",
           "error A takes parameter p away, but its new value sin (A) is written back"
           " by the host: lowering fails, as the output does not point to a parameter"
           " that exists\n");
}

START_TEST(a_buffer_that_changes_has_one_home)
{
    plan_input("b", "buffer");
    plan_call("aten::mul.Scalar", "mul", "b", NULL);
    plan_call("aten::add.Scalar", "add", "b", NULL);
    plan_output("buffer=add mul");
    plan_tag("A", "b add");
    expect("constant/mutable-shared",
           "error mul (no tag) and add (A) both read buffer b, which add updates:"
           " lowering gives each a copy of its own, and only one of them is updated\n");
    expect_witness("[\"b\",\"mul\",\"add\"]");
    expect("constant/mutable-as-constant", "");
}

START_TEST(a_kept_value_cannot_be_an_output)
{
    plan_input("b", "buffer");
    plan_call("aten::add.Scalar", "add", "b", NULL);
    plan_output("buffer=add add");
    plan_tag("A", "b add");
    expect("constant/mutation-also-output",
           "error A keeps add, the new value of buffer b, for itself, but it is another"
           " output of the program, too: lowering fails\n");
}

START_TEST(a_kept_value_cannot_be_read_outside)
{
    given_program();
    plan_tag("A", "b add_b");
    expect("constant/mutation-also-output",
           "error A keeps add_b, the new value of buffer b, for itself, but sin (no"
           " tag) reads it: lowering fails with 'Tried to erase Node getitem'\n");
    expect_witness("[\"b\",\"add_b\",\"sin\"]");
}

START_TEST(a_value_that_the_host_writes_back_is_free)
{
    given_program();
    plan_tag("A", "add_b");
    expect("constant/mutation-also-output", "");
}

Suite *constant_rules_suite(void)
{
    Suite *suite = suite_create("constant rules");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, plan_open, rules_close);
    tcase_add_test(all, one_tag_for_all_breaks_no_rule);
    tcase_add_test(all, untagged_constants_break_no_rule);
    tcase_add_test(all, a_list_keeps_the_original_from_a_copy);
    tcase_add_test(all, the_user_named_is_the_one_that_lowering_names);
    tcase_add_test(all, a_returned_constant_cannot_be_shared);
    tcase_add_test(all, a_constant_that_is_only_returned_goes_back_to_the_host);
    tcase_add_test(all, a_constant_without_a_delegate_is_the_hosts);
    tcase_add_test(all, a_copy_that_nobody_takes_cannot_be_all_of_a_partition);
    tcase_add_test(all, lowering_repairs_a_tag_that_no_user_has);
    tcase_add_test(all, each_user_after_the_first_gets_a_copy);
    tcase_add_test(all, a_list_of_the_first_user_keeps_the_original);
    tcase_add_test(all, tags_compare_as_strings);
    tcase_add_test(all, aoti_takes_constants_that_nothing_reads);
    tcase_add_test(all, other_backends_leave_unused_constants_alone);
    tcase_add_test(all, constants_of_an_earlier_delegate_have_no_tag);
    tcase_add_test(all, a_buffer_goes_with_its_new_value);
    tcase_add_test(all, a_new_value_that_another_makes_has_no_buffer);
    tcase_add_test(all, no_delegate_may_take_a_parameter_that_changes);
    tcase_add_test(all, a_buffer_that_changes_has_one_home);
    tcase_add_test(all, a_kept_value_cannot_be_an_output);
    tcase_add_test(all, a_kept_value_cannot_be_read_outside);
    tcase_add_test(all, a_value_that_the_host_writes_back_is_free);
    suite_add_tcase(suite, all);
    return suite;
}
