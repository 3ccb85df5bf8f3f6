/* Views that draw many nodes as one box: partitions, modules, devices. */
#include <stdio.h>
#include <string.h>

#include "unit/small_plan.h"
#include "unit/view_case.h"

/* x -> linear -> relu (tagged) -> sin (host) -> add(relu, sin) (tagged) */
static void given_detour(const char *last_tag)
{
    plan_open();
    plan_input("x", "user_input");
    plan_input("weight", "parameter");
    plan_call("aten::linear.default", "linear", "x weight", NULL);
    plan_call("aten::relu.default", "relu", "linear", NULL);
    plan_call("aten::sin.default", "sin", "relu", NULL);
    plan_call("aten::add.Tensor", "add", "relu sin", NULL);
    plan_output("add");
    plan_tag("tag0", "linear relu");
    plan_tag(last_tag, "add");
}

START_TEST(a_partition_is_a_box_and_so_is_what_the_host_does_between)
{
    given_detour("tag1");
    draw_view(&dg_view_partitions);
    ck_assert_uint_eq(count_drawn(DG_BOX_PART), 2);
    ck_assert_uint_eq(count_drawn(DG_BOX_HOST), 1);
    ck_assert_uint_eq(count_drawn(DG_BOX_INPUT), 1);
    ck_assert_uint_eq(count_drawn(DG_BOX_OUTPUT), 1);
    ck_assert(box_says("tag0", "2 ops, weights 12 B"));
    ck_assert(box_says("host", "1 \xc3\x97 sin"));
    link_between("tag0", "host");
    link_between("host", "tag1");
    link_between("tag0", "tag1");
    ck_assert(!link_between("tag0", "tag1")->highlighted);
    erase_view();
}

START_TEST(partitions_that_wait_for_the_host_and_it_for_them_offend)
{
    given_detour("tag0");
    draw_view(&dg_view_partitions);
    ck_assert(link_between("tag0", "host")->highlighted);
    ck_assert(link_between("host", "tag0")->highlighted);
    ck_assert(!link_between("x", "tag0")->highlighted);
    ck_assert(caption_says("2 boxes wait for each other"));
    erase_view();
}

START_TEST(what_can_run_before_a_cycle_is_not_part_of_it)
{
    given_detour("tag0");
    given("INSERT INTO node (id, graph_id, idx, name, kind, op_id, args)"
          " VALUES (90, 1, 90, 'early', 'call_function', 1, '[]')");
    given("UPDATE node SET id = 8 WHERE id = 90");
    draw_view(&dg_view_partitions);
    ck_assert_uint_eq(count_drawn(DG_BOX_HOST), 2);
    erase_view();
}

START_TEST(without_a_plan_all_is_one_step_of_the_host)
{
    plan_open();
    plan_program_loop();
    given("DELETE FROM part_run");
    draw_view(&dg_view_partitions);
    ck_assert_uint_eq(count_drawn(DG_BOX_HOST), 1);
    ck_assert(caption_says("delegraph partition FILE"));
    erase_view();
}

START_TEST(no_plan_means_no_partitions)
{
    given_detour("tag1");
    draw_view_with(&dg_view_partitions, &(struct dg_view_options){.no_plan = true});
    ck_assert_uint_eq(count_drawn(DG_BOX_PART), 0);
    ck_assert_uint_eq(count_drawn(DG_BOX_HOST), 1);
    erase_view();
}

START_TEST(shares_of_flops_beside_an_opaque_delegate_are_the_hosts_alone)
{
    rules_open_pte();
    given("INSERT INTO op VALUES (1, 'aten::add.out', 'aten', NULL, NULL, 4);"
          "INSERT INTO delegate (id, method_id, idx, backend) VALUES (1, 1, 0, 'B');"
          "INSERT INTO node (id, graph_id, idx, name, kind, op_id, delegate_id) VALUES"
          " (1, 1, 0, 'op_0', 'kernel_call', 1, NULL),"
          " (2, 1, 1, 'op_1', 'delegate_call', NULL, 1);"
          "INSERT INTO cost VALUES (1, 8, 96), (2, NULL, 64)");
    draw_view(&dg_view_partitions);
    ck_assert(box_says("host", "100% of host FLOPs"));
    erase_view();
}
END_TEST

START_TEST(a_value_that_two_of_a_partition_read_enters_it_once)
{
    plan_open();
    plan_input("x", "user_input");
    plan_call("aten::relu.default", "a", "x", NULL);
    plan_call("aten::sin.default", "b", "x", NULL);
    plan_output("a b");
    plan_tag("tag0", "a b");
    given("UPDATE edge SET value_id = 1 WHERE src = 1");
    draw_view(&dg_view_partitions);
    ck_assert_str_eq(link_between("x", "tag0")->label.data, "12 B");
    ck_assert_int_eq(link_between("x", "tag0")->nbytes, 12);
    erase_view();
}

static void given_inputs(int count)
{
    char name[16];

    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "x%d", i);
        plan_input(name, "user_input");
    }
    plan_call("aten::relu.default", "relu", "x0 x1 x2 x3 x4 x5 x6 x7", NULL);
    plan_output("relu");
}

START_TEST(eight_inputs_are_drawn_and_nine_are_one_box)
{
    plan_open();
    given_inputs(8);
    draw_view(&dg_view_partitions);
    ck_assert_uint_eq(count_drawn(DG_BOX_INPUT), 8);
    erase_view();
    plan_open();
    given_inputs(9);
    draw_view(&dg_view_partitions);
    ck_assert_uint_eq(count_drawn(DG_BOX_INPUT), 1);
    box_called("9 inputs");
    erase_view();
}

/* Partitions and the host take turns. */
static void given_turns(int times)
{
    char op[16], name[16], before[16] = "x", tag[16];

    plan_open();
    plan_input("x", "user_input");
    for (int i = 0; i < 2 * times; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        snprintf(op, sizeof(op), "aten::%s", i % 2 ? "sin" : "relu");
        plan_call(op, name, before, NULL);
        strcpy(before, name);
    }
    plan_output(before);
    given("UPDATE node SET op_id = 1 + (idx + 1) % 2 WHERE op_id IS NOT NULL;"
          "DELETE FROM op WHERE id > 2");
    for (int i = 0; i < 2 * times; i += 2) {
        snprintf(tag, sizeof(tag), "tag%d", i / 2);
        snprintf(name, sizeof(name), "n%d", i);
        plan_tag(tag, name);
    }
}

START_TEST(rows_that_come_again_are_drawn_once)
{
    given_turns(6);
    draw_view(&dg_view_partitions);
    ck_assert_uint_eq(count_drawn(DG_BOX_PART), 1);
    ck_assert_uint_eq(count_drawn(DG_BOX_HOST), 1);
    ck_assert_uint_eq(count_drawn(DG_BOX_BLOCK), 1);
    ck_assert(box_says("tag1 \xe2\x80\xa6 tag5", "5 times the 2 boxes before"));
    ck_assert(caption_says("10 boxes repeat those before them"));
    ck_assert_uint_eq(view_picture.n_parts, 6);
    erase_view();
}

/* x -> linear -> `count` partitions that do different things -> stack */
static void given_twins(int count)
{
    static const char *const ops[] = {"relu", "sin", "cos", "exp", "tanh"};
    char op[32], all[64] = "";

    plan_open();
    plan_input("x", "user_input");
    plan_call("aten::linear.default", "linear", "x", NULL);
    for (int i = 0; i < count; i++) {
        snprintf(op, sizeof(op), "aten::%s.default", ops[i]);
        plan_call(op, ops[i], "linear", NULL);
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "",
                 ops[i]);
    }
    plan_call("aten::stack.default", "stack", all, NULL);
    plan_output("stack");
    for (int i = 0; i < count; i++)
        plan_tag(ops[i], ops[i]);
}

START_TEST(four_partitions_with_the_same_neighbours_are_one_box)
{
    given_twins(4);
    draw_view(&dg_view_partitions);
    ck_assert_uint_eq(count_drawn(DG_BOX_PART), 0);
    ck_assert_uint_eq(count_drawn(DG_BOX_BLOCK), 1);
    ck_assert(box_says("relu \xe2\x80\xa6 exp", "4 partitions: "));
    ck_assert(caption_says("4 boxes are drawn together with others"));
    erase_view();
}

START_TEST(three_partitions_with_the_same_neighbours_are_three_boxes)
{
    given_twins(3);
    draw_view(&dg_view_partitions);
    ck_assert_uint_eq(count_drawn(DG_BOX_PART), 3);
    erase_view();
}

START_TEST(rows_are_drawn_one_by_one_when_told_so)
{
    given_turns(6);
    draw_view_with(&dg_view_partitions, &(struct dg_view_options){.no_fold = true});
    ck_assert_uint_eq(count_drawn(DG_BOX_PART), 6);
    ck_assert_uint_eq(count_drawn(DG_BOX_HOST), 6);
    erase_view();
}

START_TEST(many_partitions_fit_into_as_many_boxes_as_were_asked_for)
{
    struct dg_view_options options = {.no_fold = true, .max_boxes = 40};
    size_t n_drawn = 0;

    given_turns(60);
    draw_view_with(&dg_view_partitions, &options);
    for (size_t i = 0; i < view_picture.n_boxes; i++)
        n_drawn += view_picture.boxes[i].drawn;
    ck_assert_uint_le(n_drawn, 40);
    erase_view();
}

START_TEST(a_hostile_tag_stays_text_in_names_and_commands)
{
    given_detour("tag1");
    given("UPDATE partition SET tag = 'a\"b<i>', backend = NULL WHERE tag = 'tag0';"
          "UPDATE node SET name = 'x; rm -rf' WHERE name = 'linear'");
    draw_view(&dg_view_partitions);
    ck_assert_str_eq(view_picture.boxes[box_called("a\"b<i>")].command.data,
                     "--around 'x; rm -rf'");
    erase_view();
}

/* Layers of two modules each, then a sum of the model itself. */
static void given_layers(int count)
{
    char name[32], before[32] = "x";
    int row = 1;

    plan_open();
    plan_input("x", "user_input");
    given("INSERT INTO module VALUES (1, '', 'model.Net')");
    for (int i = 0; i < 2 * count; i++) {
        const char *inner = i % 2 ? "down" : "up";

        if (i % 2 == 0)
            given_format("INSERT INTO module VALUES (%d, 'layers.%d', 'model.Layer')",
                         ++row, i / 2);
        given_format("INSERT INTO module VALUES (%d, 'layers.%d.%s', 'nn.Linear')",
                     ++row, i / 2, inner);
        snprintf(name, sizeof(name), "%s%d", inner, i / 2);
        plan_call("aten::linear.default", name, before, NULL);
        given_format("UPDATE node SET module_id = %d WHERE name = '%s'", row, name);
        strcpy(before, name);
    }
    plan_call("aten::sum.default", "sum", before, NULL);
    plan_output("sum");
    given("UPDATE node SET op_id = (SELECT min(same.id) FROM op JOIN op AS same"
          "  ON same.name = op.name WHERE op.id = node.op_id)");
}

START_TEST(the_first_of_equal_layers_is_open_and_the_others_are_one_box)
{
    given_layers(5);
    draw_view(&dg_view_modules);
    box_called("up");
    box_called("down");
    ck_assert(box_says("layers.1 \xe2\x80\xa6 layers.4", "4 times layers.0"));
    link_between("up", "down");
    link_between("down", "layers.1 \xe2\x80\xa6 layers.4");
    ck_assert(caption_says("4 modules are the same"));
    erase_view();
}

START_TEST(a_layer_that_differs_is_shown_apart)
{
    given_layers(5);
    given("UPDATE node SET op_id = (SELECT max(op_id) FROM node) WHERE name = 'up2'");
    draw_view(&dg_view_modules);
    ck_assert_uint_eq(count_drawn(DG_BOX_BLOCK), 2);
    box_called("layers.1");
    box_called("layers.3 \xe2\x80\xa6 layers.4");
    erase_view();
}

START_TEST(depth_closes_modules_below_it)
{
    given_layers(2);
    draw_view_with(&dg_view_modules, &(struct dg_view_options){.depth = 1});
    box_called("layers.0");
    box_called("layers.1");
    ck_assert_uint_eq(count_drawn(DG_BOX_BLOCK), 0);
    ck_assert(caption_says("--depth 2"));
    erase_view();
}

START_TEST(modules_say_which_partition_runs_them)
{
    given_layers(2);
    plan_tag("tag0", "up0 down0");
    plan_tag("tag1", "up1");
    draw_view_with(&dg_view_modules, &(struct dg_view_options){.depth = 1});
    ck_assert(box_says("layers.0", "2 ops in tag0"));
    ck_assert(box_says("layers.1", "1 of 2 ops in tag1"));
    erase_view();
}

START_TEST(without_a_device_there_is_one_lane_and_a_hint)
{
    given_detour("tag1");
    draw_view(&dg_view_devices);
    ck_assert_uint_eq(view_picture.n_frames, 2);
    ck_assert_int_eq(view_picture.frames[1].kind, DG_FRAME_LANE);
    ck_assert(caption_says("all is in host memory"));
    erase_view();
}

START_TEST(a_partition_lies_in_the_lane_that_its_spec_names)
{
    given_detour("tag1");
    given("INSERT INTO partition_spec VALUES (1, 0, 'target_device', 'cuda:0')");
    draw_view(&dg_view_devices);
    ck_assert_uint_eq(view_picture.n_frames, 3);
    ck_assert_uint_ne(view_picture.boxes[box_called("tag0")].frame,
                      view_picture.boxes[box_called("tag1")].frame);
    erase_view();
}

Suite *views_clusters_suite(void)
{
    Suite *suite = suite_create("views_clusters");
    TCase *tests = tcase_create("views_clusters");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_partition_is_a_box_and_so_is_what_the_host_does_between);
    tcase_add_test(tests, partitions_that_wait_for_the_host_and_it_for_them_offend);
    tcase_add_test(tests, what_can_run_before_a_cycle_is_not_part_of_it);
    tcase_add_test(tests, without_a_plan_all_is_one_step_of_the_host);
    tcase_add_test(tests, no_plan_means_no_partitions);
    tcase_add_test(tests,
                   shares_of_flops_beside_an_opaque_delegate_are_the_hosts_alone);
    tcase_add_test(tests, a_value_that_two_of_a_partition_read_enters_it_once);
    tcase_add_test(tests, eight_inputs_are_drawn_and_nine_are_one_box);
    tcase_add_test(tests, rows_that_come_again_are_drawn_once);
    tcase_add_test(tests, four_partitions_with_the_same_neighbours_are_one_box);
    tcase_add_test(tests, three_partitions_with_the_same_neighbours_are_three_boxes);
    tcase_add_test(tests, rows_are_drawn_one_by_one_when_told_so);
    tcase_add_test(tests, many_partitions_fit_into_as_many_boxes_as_were_asked_for);
    tcase_add_test(tests, a_hostile_tag_stays_text_in_names_and_commands);
    tcase_add_test(tests, the_first_of_equal_layers_is_open_and_the_others_are_one_box);
    tcase_add_test(tests, a_layer_that_differs_is_shown_apart);
    tcase_add_test(tests, depth_closes_modules_below_it);
    tcase_add_test(tests, modules_say_which_partition_runs_them);
    tcase_add_test(tests, without_a_device_there_is_one_lane_and_a_hint);
    tcase_add_test(tests, a_partition_lies_in_the_lane_that_its_spec_names);
    suite_add_tcase(suite, tests);
    return suite;
}
