/* The graph of a case: nodes by name, compressed rows of inputs and users. */
#include <stdlib.h>

#include "cases/case.h"

struct node_text {
    struct dg_text inputs, users;
};

struct edges {
    uint32_t *items; /* reader, input, reader, input... */
    size_t n_items;
};

void case_json(struct dg_json *json, struct dg_text text, const char *member,
               struct test_case *test, const struct case_source *source)
{
    struct dg_text place = dg_format(&test->memory, "%s: %s", source->place, member);

    dg_json_begin(json, text, place.data, &test->memory, source->err);
}

static uint16_t marks_of(struct dg_text op, struct dg_text target)
{
    if (dg_text_is(op, "placeholder"))
        return DG_MARK_PLACEHOLDER;
    if (dg_text_is(op, "get_attr"))
        return DG_MARK_GET_ATTR;
    if (dg_text_is(op, "output"))
        return DG_MARK_OUTPUT;
    if (!dg_text_is(op, "call_function"))
        return 0;
    if (dg_text_is(target, "_operator.getitem"))
        return DG_MARK_CALL | DG_MARK_GETITEM;
    if (dg_text_is(target, "torch.ops.higher_order.executorch_call_delegate"))
        return DG_MARK_CALL | DG_MARK_DELEGATE;
    if (dg_text_is(target, "torch.ops.higher_order.cond") ||
        dg_text_is(target, "torch.ops.higher_order.map_impl") ||
        dg_text_is(target, "torch.ops.higher_order.while_loop") ||
        dg_text_is(target, "torch.ops.higher_order.scan"))
        return DG_MARK_CALL | DG_MARK_CONTROL;
    return DG_MARK_CALL;
}

static void read_node(struct dg_json *json, struct test_case *test, uint32_t node,
                      struct node_text *text)
{
    struct dg_text key, op = {0};

    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "name"))
            test->names[node] = dg_json_string(json);
        else if (dg_text_is(key, "op"))
            op = dg_json_string(json);
        else if (dg_text_is(key, "target"))
            test->targets[node] = dg_json_string(json);
        else if (dg_text_is(key, "inputs"))
            text->inputs = dg_json_skip(json);
        else if (dg_text_is(key, "users"))
            text->users = dg_json_skip(json);
        else
            dg_json_skip(json);
    }
    if (!test->names[node].data || !op.data || !text->inputs.data)
        dg_json_fail(json, "expected a node with name, op and inputs");
    test->marks[node] = marks_of(op, test->targets[node]);
}

static uint32_t count_items(struct dg_text list, struct test_case *test,
                            const struct case_source *source)
{
    struct dg_json json;
    uint32_t n_items = 0;

    case_json(&json, list, "nodes", test, source);
    dg_json_array(&json);
    for (; dg_json_item(&json); n_items++)
        dg_json_skip(&json);
    return n_items;
}

static int compare_texts(struct dg_text a, struct dg_text b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;

    return order ? order : (a.size > b.size) - (a.size < b.size);
}

struct named {
    struct dg_text name;
    uint32_t node;
};

static int by_name(const void *a, const void *b)
{
    return compare_texts(((const struct named *)a)->name,
                         ((const struct named *)b)->name);
}

static enum dg_status sort_names(struct test_case *test,
                                 const struct case_source *source)
{
    uint32_t n_nodes = test->graph.n_nodes;
    struct named *list = dg_alloc(&test->memory, n_nodes, sizeof(*list));

    test->by_name = dg_alloc(&test->memory, n_nodes, sizeof(*test->by_name));
    for (uint32_t node = 0; node < n_nodes; node++)
        list[node] = (struct named){test->names[node], node};
    qsort(list, n_nodes, sizeof(*list), by_name);
    for (uint32_t i = 0; i < n_nodes; i++) {
        test->by_name[i] = list[i].node;
        if (i && !by_name(&list[i - 1], &list[i]))
            return dg_fail(source->err, DG_ERR_FORMAT, "%s: two nodes are named '%.*s'",
                           source->place, (int)list[i].name.size, list[i].name.data);
    }
    return DG_OK;
}

uint32_t case_find(const struct test_case *test, struct dg_text name)
{
    uint32_t low = 0, high = test->graph.n_nodes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_texts(test->names[test->by_name[middle]], name);

        if (!order)
            return test->by_name[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return DG_NO_PART;
}

uint32_t case_node(const struct test_case *test, struct dg_json *json)
{
    struct dg_text name = dg_json_string(json);
    uint32_t node = name.data ? case_find(test, name) : DG_NO_PART;

    if (name.data && node == DG_NO_PART)
        dg_json_fail(json, "expected the name of a node, not '%.*s'", (int)name.size,
                     name.data);
    return node == DG_NO_PART ? 0 : node;
}

/* Lines name their inputs; the document counts them. */
static uint32_t read_input(const struct test_case *test, struct dg_json *json,
                           uint32_t reader)
{
    int64_t input;

    if (dg_json_peek(json) == DG_JSON_STRING)
        input = case_node(test, json);
    else
        input = dg_json_int(json);
    if (!json->failed && (input < 0 || input >= reader)) {
        dg_json_fail(json, "expected an input that comes before '%.*s'",
                     (int)test->names[reader].size, test->names[reader].data);
        return 0;
    }
    return (uint32_t)input;
}

static enum dg_status read_inputs(struct edges *edges, struct test_case *test,
                                  const struct node_text *texts,
                                  const struct case_source *source)
{
    struct dg_json json;
    enum dg_status status = DG_OK;

    for (uint32_t node = 0; node < test->graph.n_nodes && !status; node++) {
        case_json(&json, texts[node].inputs, "inputs", test, source);
        dg_json_array(&json);
        while (dg_json_item(&json)) {
            uint32_t input = read_input(test, &json, node);

            *DG_APPEND(edges->items, edges->n_items) = node;
            *DG_APPEND(edges->items, edges->n_items) = input;
        }
        status = dg_json_end(&json);
    }
    return status;
}

static void compress(uint32_t *begins, uint32_t *items, uint32_t n_nodes,
                     const struct edges *edges, int side)
{
    for (size_t i = 0; i < edges->n_items; i += 2)
        begins[edges->items[i + side] + 1]++;
    for (uint32_t i = 0; i < n_nodes; i++)
        begins[i + 1] += begins[i];
    for (size_t i = 0; i < edges->n_items; i += 2)
        items[begins[edges->items[i + side]]++] = edges->items[i + !side];
    for (uint32_t i = n_nodes; i > 0; i--)
        begins[i] = begins[i - 1];
    begins[0] = 0;
}

static void build(struct test_case *test, const struct edges *edges)
{
    struct dg_graph *graph = &test->graph;

    graph->n_edges = (uint32_t)(edges->n_items / 2);
    graph->input_of = dg_alloc(&graph->memory, graph->n_nodes + 1, sizeof(uint32_t));
    graph->user_of = dg_alloc(&graph->memory, graph->n_nodes + 1, sizeof(uint32_t));
    graph->inputs = dg_alloc(&graph->memory, graph->n_edges, sizeof(uint32_t));
    graph->users = dg_alloc(&graph->memory, graph->n_edges, sizeof(uint32_t));
    compress(graph->input_of, graph->inputs, graph->n_nodes, edges, 0);
    compress(graph->user_of, graph->users, graph->n_nodes, edges, 1);
}

static bool is_user(const struct dg_graph *graph, uint32_t user, uint32_t node)
{
    for (uint32_t k = graph->input_of[user]; k < graph->input_of[user + 1]; k++) {
        if (graph->inputs[k] == node)
            return true;
    }
    return false;
}

static void read_users(struct dg_json *json, struct test_case *test, uint32_t node)
{
    uint32_t at = test->graph.user_of[node], end = test->graph.user_of[node + 1];

    dg_json_array(json);
    while (dg_json_item(json)) {
        uint32_t user = case_node(test, json);

        if (at == end || !is_user(&test->graph, user, node))
            dg_json_fail(json, "expected the nodes that read '%.*s'",
                         (int)test->names[node].size, test->names[node].data);
        else
            test->graph.users[at++] = user;
    }
    if (!json->failed && at != end)
        dg_json_fail(json, "expected all %u nodes that read '%.*s'",
                     end - test->graph.user_of[node], (int)test->names[node].size,
                     test->names[node].data);
}

static enum dg_status read_all_users(struct test_case *test,
                                     const struct node_text *texts,
                                     const struct case_source *source)
{
    struct dg_json json;
    enum dg_status status = DG_OK;

    for (uint32_t node = 0; node < test->graph.n_nodes && !status; node++) {
        if (!texts[node].users.data)
            continue;
        case_json(&json, texts[node].users, "users", test, source);
        read_users(&json, test, node);
        status = dg_json_end(&json);
    }
    return status;
}

static void mark_delegate_items(struct test_case *test)
{
    const struct dg_graph *graph = &test->graph;

    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        uint32_t first = graph->input_of[node];

        if (test->marks[node] & DG_MARK_GETITEM &&
            graph->input_of[node + 1] == first + 1 &&
            test->marks[graph->inputs[first]] & DG_MARK_DELEGATE)
            test->marks[node] |= DG_MARK_DELEGATE_ITEM;
    }
}

enum dg_status case_read_graph(struct test_case *test, struct dg_text nodes,
                               const struct case_source *source)
{
    uint32_t n_nodes = count_items(nodes, test, source);
    struct node_text *texts = dg_alloc(&test->memory, n_nodes, sizeof(*texts));
    struct edges edges = {0};
    struct dg_json json;
    enum dg_status status;

    test->graph.n_nodes = n_nodes;
    test->names = dg_alloc(&test->memory, n_nodes, sizeof(*test->names));
    test->targets = dg_alloc(&test->memory, n_nodes, sizeof(*test->targets));
    test->marks = dg_alloc(&test->memory, n_nodes + 1, sizeof(*test->marks));
    case_json(&json, nodes, "nodes", test, source);
    dg_json_array(&json);
    for (uint32_t node = 0; dg_json_item(&json); node++)
        read_node(&json, test, node, &texts[node]);
    status = dg_json_end(&json);
    if (!status)
        status = sort_names(test, source);
    if (!status)
        status = read_inputs(&edges, test, texts, source);
    if (!status) {
        build(test, &edges);
        mark_delegate_items(test);
        status = read_all_users(test, texts, source);
    }
    free(edges.items);
    return status;
}
