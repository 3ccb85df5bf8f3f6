/* Prediction of devices and copies, against small lowered programs. */
#include "graph/devices.h"

#include <stdio.h>

#include "base/text.h"
#include "unit/small_plan.h"

static int n_delegates;

static void open_program(void)
{
    plan_open();
    n_delegates = 0;
}

/* A call of a new delegate that works on `target` (NULL: it does not say), and the
 * getitem of its only result. */
static void delegate(const char *name, const char *reads, const char *target,
                     const char *item)
{
    char sql[1024];

    n_delegates++;
    plan_call("higher_order::executorch_call_delegate", name, reads, NULL);
    plan_call("_operator.getitem", item, name, NULL);
    snprintf(sql, sizeof(sql),
             "INSERT INTO delegate (id, method_id, idx, name, backend) VALUES"
             " (%d, 1, %d, 'lowered', 'DemoBackend');"
             "UPDATE node SET delegate_id = %d WHERE name = '%s';"
             "UPDATE node SET args = '[{\"name\":\"\",\"tensor\":\"%s\"},"
             "{\"name\":\"\",\"int\":0}]' WHERE name = '%s'",
             n_delegates, n_delegates - 1, n_delegates, name, name, item);
    given(sql);
    if (!target)
        return;
    snprintf(sql, sizeof(sql),
             "INSERT INTO compile_spec VALUES (%d, 0, 'target_device',"
             " CAST('%s' AS BLOB))",
             n_delegates, target);
    given(sql);
}

/* Inputs, and calls but those of delegates, make tensors of 12 bytes. */
static void make_values(void)
{
    given("DELETE FROM value;"
          "INSERT INTO value (id, graph_id, idx, name, kind, dtype, nbytes, shape)"
          " SELECT row_number() OVER (ORDER BY id), 1, row_number() OVER (ORDER BY id)"
          "   - 1, name, 'tensor', 'f32', 12, '[3]' FROM node"
          "  WHERE delegate_id IS NULL AND kind IN ('placeholder', 'call_function');"
          "UPDATE node SET value_id = (SELECT id FROM value WHERE name = node.name);"
          "UPDATE edge SET value_id = (SELECT value_id FROM node WHERE id = src);"
          "UPDATE signature SET value_id = (SELECT id FROM value WHERE value.name ="
          "  signature.name)");
}

static void write_crossings(struct dg_writer *out, const struct dg_devices *devices)
{
    for (size_t i = 0; i < devices->n_crossings; i++) {
        const struct dg_crossing *crossing = &devices->crossings[i];

        dg_print(out, "%s%s %s %s %s\n", crossing->elided ? "no " : "",
                 crossing->to_device ? "up" : "down",
                 devices->nodes[crossing->source].name.data,
                 devices->nodes[crossing->call].name.data,
                 devices->names[crossing->device].data);
        ck_assert_int_eq(crossing->nbytes, 12);
    }
}

/* Copies, then "name device" of what is not on the host. */
static void expect_devices(struct dg_device_options options, const char *want)
{
    struct dg_devices devices;
    struct dg_writer out = {0};

    make_values();
    ck_assert_msg(!dg_devices_find(&devices, rules_store, 1, &options, &rules_err),
                  "%s", rules_err.text);
    if (devices.failure.data) {
        dg_print(&out, "fails: %s\n", devices.failure.data);
    } else {
        write_crossings(&out, &devices);
        for (uint32_t i = 0; i < devices.graph.n_nodes; i++) {
            if (devices.nodes[i].is_tensor && devices.nodes[i].device)
                dg_print(&out, "%s %s\n", devices.nodes[i].name.data,
                         devices.names[devices.nodes[i].device].data);
        }
    }
    ck_assert_str_eq(out.data ? out.data : "", want);
    dg_writer_clear(&out);
    dg_devices_clear(&devices);
}

static const struct dg_device_options plain;

START_TEST(devices_copies_what_a_delegate_takes_and_gives)
{
    plan_input("x", "user_input");
    delegate("call", "x", "cuda", "item");
    plan_call("aten::relu.default", "relu", "item", NULL);
    plan_output("relu");
    expect_devices(plain, "up x call cuda:0\ndown item item cuda:0\nitem cuda:0\n");
}

START_TEST(devices_leaves_delegates_without_a_target_on_the_host)
{
    plan_input("x", "user_input");
    delegate("call", "x", NULL, "item");
    plan_output("item");
    expect_devices(plain, "");
}

START_TEST(devices_leaves_out_a_round_trip)
{
    plan_input("x", "user_input");
    delegate("call", "x", "cuda:0", "item");
    delegate("again", "item", "CUDA", "last");
    plan_output("last");
    expect_devices(plain, "up x call cuda:0\nno down item item cuda:0\n"
                          "no up item again cuda:0\ndown last last cuda:0\n"
                          "item cuda:0\nlast cuda:0\n");
}

START_TEST(devices_goes_through_the_host_to_another_device)
{
    plan_input("x", "user_input");
    delegate("call", "x", "cuda:0", "item");
    delegate("again", "item", "cuda:1", "last");
    plan_output("last");
    expect_devices(plain, "up x call cuda:0\ndown item item cuda:0\n"
                          "up item again cuda:1\ndown last last cuda:1\n"
                          "item cuda:0\nlast cuda:1\n");
}

START_TEST(devices_copies_what_the_host_reads_too)
{
    plan_input("x", "user_input");
    delegate("call", "x", "cuda:0", "item");
    delegate("again", "item", "cuda:0", "last");
    plan_output("item last");
    expect_devices(plain, "up x call cuda:0\ndown item item cuda:0\n"
                          "no up item again cuda:0\ndown last last cuda:0\n"
                          "item cuda:0\nlast cuda:0\n");
}

START_TEST(devices_expects_inputs_on_the_device)
{
    plan_input("x", "user_input");
    delegate("call", "x", "cuda:0", "item");
    plan_output("item");
    expect_devices((struct dg_device_options){.skip_inputs = true},
                   "down item item cuda:0\nx cuda:0\nitem cuda:0\n");
}

START_TEST(devices_fails_where_an_input_has_two_users)
{
    plan_input("x", "user_input");
    delegate("call", "x", "cuda:0", "item");
    plan_output("x item");
    expect_devices((struct dg_device_options){.skip_inputs = true},
                   "fails: skip_h2d_for_method_inputs needs x to have one user, and it"
                   " has 2\n");
}

START_TEST(devices_counts_writing_back_as_a_user)
{
    plan_input("b_k", "buffer");
    delegate("call", "b_k", "cuda:0", "item");
    plan_output("buffer=item");
    given("UPDATE signature SET target = 'k'");
    expect_devices((struct dg_device_options){.skip_inputs = true},
                   "fails: skip_h2d_for_method_inputs needs b_k to have one user, and"
                   " it has 2\n");
}

START_TEST(devices_leaves_outputs_on_the_device)
{
    plan_input("x", "user_input");
    delegate("call", "x", "cuda:0", "item");
    plan_output("item");
    expect_devices((struct dg_device_options){.skip_outputs = true},
                   "up x call cuda:0\nitem cuda:0\n");
}

START_TEST(devices_copies_outputs_that_others_read)
{
    plan_input("x", "user_input");
    delegate("call", "x", "cuda:0", "item");
    plan_call("aten::relu.default", "relu", "item", NULL);
    plan_output("item relu");
    expect_devices((struct dg_device_options){.skip_outputs = true},
                   "up x call cuda:0\ndown item item cuda:0\nitem cuda:0\n");
}

START_TEST(devices_only_marks_without_planning)
{
    plan_input("x", "user_input");
    plan_input("y", "user_input");
    delegate("call", "x", "cuda:0", "item");
    delegate("again", "x item", "cuda:1", "last");
    plan_output("last y");
    expect_devices((struct dg_device_options){.no_planning = true},
                   "x cuda:1\nitem cuda:1\nlast cuda:1\n");
}

START_TEST(devices_fails_without_a_lowered_module)
{
    plan_input("x", "user_input");
    delegate("call", "x", "cuda:0", "item");
    plan_output("item");
    given("UPDATE node SET delegate_id = NULL");
    expect_devices(plain, "fails: call: its first argument is no lowered module\n");
}

START_TEST(devices_fails_at_an_unknown_device)
{
    plan_input("x", "user_input");
    delegate("call", "x", "xpu:0", "item");
    plan_output("item");
    expect_devices(plain, "fails: call: its target_device is no device, see delegraph"
                          " check --select device/spec-parse\n");
}

Suite *devices_suite(void)
{
    Suite *suite = suite_create("devices");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, open_program, rules_close);
    tcase_add_test(all, devices_copies_what_a_delegate_takes_and_gives);
    tcase_add_test(all, devices_leaves_delegates_without_a_target_on_the_host);
    tcase_add_test(all, devices_leaves_out_a_round_trip);
    tcase_add_test(all, devices_goes_through_the_host_to_another_device);
    tcase_add_test(all, devices_copies_what_the_host_reads_too);
    tcase_add_test(all, devices_expects_inputs_on_the_device);
    tcase_add_test(all, devices_fails_where_an_input_has_two_users);
    tcase_add_test(all, devices_counts_writing_back_as_a_user);
    tcase_add_test(all, devices_leaves_outputs_on_the_device);
    tcase_add_test(all, devices_copies_outputs_that_others_read);
    tcase_add_test(all, devices_only_marks_without_planning);
    tcase_add_test(all, devices_fails_without_a_lowered_module);
    tcase_add_test(all, devices_fails_at_an_unknown_device);
    suite_add_tcase(suite, all);
    return suite;
}
