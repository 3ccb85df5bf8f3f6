/* Small FX programs. */
#include "unit/small_program.h"

#include <stdio.h>
#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/walk.h"

float program_file[PROGRAM_FLOATS];
struct dg_schedule program_plan;
struct dg_machine program_machine;
struct dg_arg program_inputs[8];

static struct {
    char name[40];
    int graph, id, value;
} nodes[64];
static int n_nodes, n_values, n_inputs, n_outputs, n_ops;

void program_begin(void)
{
    n_nodes = n_values = n_inputs = n_outputs = n_ops = 0;
    for (int i = 0; i < PROGRAM_FLOATS; i++)
        program_file[i] = (float)i + 0.5f;
    rules_open();
    given_pt2();
}

void program_branch(int graph, const char *path)
{
    given_format("INSERT INTO \"graph\" VALUES (%d, 1, '%s', 'branch')", graph, path);
}

void program_end(void)
{
    for (size_t i = 0; i < 8; i++)
        dg_arg_drop(&program_inputs[i]);
    dg_machine_close(&program_machine);
    dg_schedule_clear(&program_plan);
    ck_assert_uint_eq(dg_host_memory.used, 0);
    rules_close();
}

static int find(int graph, const char *name, size_t length)
{
    for (int i = 0; i < n_nodes; i++) {
        if (nodes[i].graph == graph && strlen(nodes[i].name) == length &&
            !memcmp(nodes[i].name, name, length))
            return i;
    }
    ck_abort_msg("no node %.*s", (int)length, name);
}

static int add_node(int graph, const char *name, const char *kind, bool value)
{
    int i = n_nodes++;

    snprintf(nodes[i].name, sizeof(nodes[i].name), "%s", name);
    nodes[i].graph = graph;
    nodes[i].id = i + 1;
    nodes[i].value = value ? ++n_values : 0;
    if (value)
        given_format(
            "INSERT INTO value (id, graph_id, idx, name, kind) VALUES (%d, %d, %d,"
            " '%s', 'tensor')",
            n_values, graph, n_values, name);
    given_format(
        "INSERT INTO node (id, graph_id, idx, name, kind, target, value_id) VALUES (%d,"
        " %d, %d, '%s', '%s', '%s', nullif(%d, 0))",
        nodes[i].id, graph, i, name, kind, name, nodes[i].value);
    return i;
}

static void connect(int node, const char *reads)
{
    int pos = 0;

    for (reads += strspn(reads, " "); *reads; reads += strspn(reads, " ")) {
        size_t length = strcspn(reads, " ");
        int from = find(nodes[node].graph, reads, length);

        given_format("INSERT INTO edge VALUES (%d, %d, %d, NULL)", nodes[node].id,
                     pos++, nodes[from].id);
        reads += length;
    }
}

void given_input(int graph, const char *name, const char *dtype, const char *shape)
{
    add_node(graph, name, "placeholder", true);
    given_format("UPDATE value SET dtype = '%s', shape = '%s' WHERE id = %d", dtype,
                 shape, n_values);
    if (graph == 1)
        given_signature("input", name, "user_input", NULL);
}

void given_get_attr(int graph, const char *name)
{
    add_node(graph, name, "get_attr", false);
}

static void add_call(int graph, const char *name, const char *op, const char *args,
                     const char *reads, bool value)
{
    int node = add_node(graph, name, "call_function", value);

    given_format("INSERT INTO op VALUES (%d, '%s', '', NULL, NULL, 0)", ++n_ops, op);
    given_format("UPDATE node SET op_id = %d, args = '%s' WHERE id = %d", n_ops, args,
                 nodes[node].id);
    connect(node, reads);
}

void given_call(int graph, const char *name, const char *op, const char *args,
                const char *reads)
{
    add_call(graph, name, op, args, reads, true);
}

void given_tuple(int graph, const char *name, const char *op, const char *args,
                 const char *reads)
{
    add_call(graph, name, op, args, reads, false);
}

void given_output(int graph, const char *args, const char *reads)
{
    char name[20];
    int node;

    snprintf(name, sizeof(name), "output_%d", graph);
    node = add_node(graph, name, "output", false);
    given_format("UPDATE node SET args = '%s' WHERE id = %d", args, nodes[node].id);
    connect(node, reads);
}

void given_signature(const char *direction, const char *name, const char *spec,
                     const char *target)
{
    int node = find(1, name, strlen(name));
    bool input = !strcmp(direction, "input");

    given_format(
        "INSERT INTO signature (graph_id, direction, pos, name, kind, spec, target,"
        " value_id) VALUES (1, '%s', %d, '%s', 'tensor', '%s', nullif('%s', ''), %d)",
        direction, input ? n_inputs++ : n_outputs++, name, spec, target ? target : "",
        nodes[node].value);
}

void given_weight(const char *name, const char *spec, const char *dtype,
                  const char *shape, int offset, int nbytes)
{
    add_node(1, name, "placeholder", true);
    given_signature("input", name, spec, name);
    given_format(
        "INSERT INTO constant (artifact_id, method_id, idx, fqn, kind, dtype, shape,"
        " storage_offset, file_offset, nbytes) VALUES (1, 1, %d, '%s', 'parameter',"
        " '%s', '%s', 0, %d, %d)",
        n_inputs, name, dtype, shape, offset, nbytes);
}

void plan_program(void)
{
    struct dg_bytes file = {(const uint8_t *)program_file, sizeof(program_file)};

    ck_assert_msg(!dg_schedule_fx(&program_plan, rules_store, file, 1, &rules_err),
                  "%s", rules_err.text);
}

void open_program(enum dg_precision precision)
{
    plan_program();
    ck_assert_msg(!dg_machine_open(&program_machine, &program_plan, NULL, precision, 1,
                                   &rules_err),
                  "%s", rules_err.text);
}

void give_floats(size_t input, int rank, const int64_t *sizes, const float *values)
{
    struct dg_tensor *tensor =
        dg_tensor_new(&dg_host_memory, DG_TYPE_F32, rank, sizes, &rules_err);

    memcpy(dg_tensor_data(tensor), values,
           (size_t)dg_tensor_count(tensor) * sizeof(*values));
    dg_arg_drop(&program_inputs[input]);
    program_inputs[input] = (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}};
}

void give_number(size_t input, float value)
{
    give_floats(input, 0, NULL, &value);
}

void run_program(void)
{
    struct dg_error err = {0};

    ck_assert_msg(!dg_machine_begin(&program_machine, program_inputs, &err), "%s",
                  err.text);
    ck_assert_msg(!dg_machine_run(&program_machine, &err), "%s", err.text);
}

void expect_failure(const char *want)
{
    struct dg_error err = {0};

    if (!dg_machine_begin(&program_machine, program_inputs, &err))
        dg_machine_run(&program_machine, &err);
    ck_assert_str_eq(err.text, want);
}

static void write_value(const struct dg_arg *value, char *text, size_t room)
{
    struct dg_tensor *tensor = value->as.tensor, *in_order;
    struct dg_error err = {0};
    char shape[100];
    size_t at;

    if (value->kind == DG_ARG_UNKNOWN)
        snprintf(text, room, "unknown");
    else if (value->kind == DG_ARG_INT)
        snprintf(text, room, "int %lld", (long long)value->as.integer);
    else if (value->kind != DG_ARG_TENSOR)
        snprintf(text, room, "kind %d", value->kind);
    if (value->kind != DG_ARG_TENSOR)
        return;
    at = (size_t)snprintf(text, room, "%s %s", dg_type_name(tensor->type),
                          dg_shape_text(tensor, shape, sizeof(shape)));
    in_order =
        dg_tensor_new(&dg_host_memory, tensor->type, tensor->rank, tensor->sizes, &err);
    dg_copy_elements(in_order, tensor, 1);
    for (int64_t i = 0; i < dg_tensor_count(tensor); i++)
        at += (size_t)snprintf(text + at, room - at, " %g", dg_get_f64(in_order, i));
    dg_tensor_drop(in_order);
}

void expect_output(size_t output, const char *want)
{
    struct dg_error err = {0};
    struct dg_arg value;
    char text[1000];

    ck_assert_msg(!dg_machine_output(&program_machine, output, &value, &err), "%s",
                  err.text);
    write_value(&value, text, sizeof(text));
    dg_arg_drop(&value);
    ck_assert_str_eq(text, want);
}

const struct dg_step *step_called(const char *name)
{
    for (size_t i = 0; i < program_plan.n_steps; i++) {
        if (!strcmp(program_plan.steps[i].name, name))
            return &program_plan.steps[i];
    }
    ck_abort_msg("no step %s", name);
}

uint32_t slot_called(const char *name)
{
    for (uint32_t i = 0; i < program_plan.n_slots; i++) {
        if (!strcmp(program_plan.slots[i].name, name))
            return i;
    }
    ck_abort_msg("no slot %s", name);
}
