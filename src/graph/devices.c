/* Device propagation: tag inputs and outputs of delegates, copy across borders, leave
 * out round trips. */
#include "graph/devices.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "graph/devices_parts.h"

enum { HOST = 0 };

uint32_t dg_device_seen(const struct dg_device_node *node)
{
    return node->is_copied ? HOST : node->device;
}

static struct dg_crossing *cross(struct dg_devices *devices, uint32_t source,
                                 uint32_t call)
{
    struct dg_crossing *crossing = DG_APPEND(devices->crossings, devices->n_crossings);

    *crossing = (struct dg_crossing){
        .source = source,
        .call = call,
        .device = devices->nodes[call].device,
        .nbytes = devices->nodes[source].nbytes,
        .to_device = source != call,
    };
    return crossing;
}

/* Distinct users; the users of a node lie together. */
static uint32_t count_users(const struct dg_devices *devices, uint32_t node)
{
    const struct dg_graph *graph = &devices->graph;
    uint32_t n = devices->nodes[node].is_mutated; /* a copy_ writes it back */

    for (uint32_t u = graph->user_of[node]; u < graph->user_of[node + 1]; u++)
        n += u == graph->user_of[node] || graph->users[u] != graph->users[u - 1];
    return n;
}

static bool is_input_to_skip(const struct dg_devices *devices, uint32_t node,
                             const struct dg_device_options *options)
{
    return options->skip_inputs && devices->nodes[node].role == DG_DEVICE_INPUT;
}

/* The input itself is expected on the device, which its other users would not like. */
static void move_input(struct dg_devices *devices, uint32_t node, uint32_t call)
{
    uint32_t users = count_users(devices, node);

    if (users != 1)
        devices->failure = dg_format(
            &devices->memory,
            "skip_h2d_for_method_inputs needs %.*s to have one user, and it "
            "has %u",
            (int)devices->nodes[node].name.size, devices->nodes[node].name.data, users);
    devices->nodes[node].device = devices->nodes[call].device;
}

static void send_inputs(struct dg_devices *devices, uint32_t call,
                        const struct dg_device_options *options)
{
    const struct dg_graph *graph = &devices->graph;

    for (uint32_t e = graph->input_of[call];
         e < graph->input_of[call + 1] && !devices->failure.data; e++) {
        uint32_t input = graph->inputs[e];

        if (!devices->nodes[input].is_tensor)
            continue;
        if (options->no_planning)
            devices->nodes[input].device = devices->nodes[call].device;
        else if (is_input_to_skip(devices, input, options))
            move_input(devices, input, call);
        else
            cross(devices, input, call);
    }
}

static void tag_items(struct dg_devices *devices, uint32_t call)
{
    const struct dg_graph *graph = &devices->graph;

    for (uint32_t u = graph->user_of[call]; u < graph->user_of[call + 1]; u++) {
        struct dg_device_node *user = &devices->nodes[graph->users[u]];

        if (user->role == DG_DEVICE_ITEM)
            user->device = devices->nodes[call].device;
    }
}

/* Whether only the method's caller gets it. */
static bool only_goes_out(const struct dg_devices *devices, uint32_t node)
{
    const struct dg_graph *graph = &devices->graph;

    if (devices->nodes[node].is_mutated)
        return false;
    for (uint32_t u = graph->user_of[node]; u < graph->user_of[node + 1]; u++) {
        if (devices->nodes[graph->users[u]].role != DG_DEVICE_OUTPUT)
            return false;
    }
    return true;
}

/* Whether nobody but calls on its own device reads it. */
static bool stays(const struct dg_devices *devices, uint32_t node)
{
    const struct dg_graph *graph = &devices->graph;

    if (devices->nodes[node].is_mutated)
        return false;
    for (uint32_t u = graph->user_of[node]; u < graph->user_of[node + 1]; u++) {
        const struct dg_device_node *user = &devices->nodes[graph->users[u]];

        if (user->role != DG_DEVICE_CALL || user->device != devices->nodes[node].device)
            return false;
    }
    return true;
}

static void fetch_items(struct dg_devices *devices,
                        const struct dg_device_options *options)
{
    for (uint32_t i = 0; i < devices->graph.n_nodes; i++) {
        struct dg_device_node *node = &devices->nodes[i];

        if (node->role != DG_DEVICE_ITEM || !node->is_tensor)
            continue;
        if (options->skip_outputs && only_goes_out(devices, i))
            continue;
        node->is_copied = !stays(devices, i);
        cross(devices, i, i)->elided = !node->is_copied;
    }
}

static void elide(struct dg_devices *devices)
{
    for (size_t i = 0; i < devices->n_crossings; i++) {
        struct dg_crossing *crossing = &devices->crossings[i];
        const struct dg_device_node *source = &devices->nodes[crossing->source];

        if (crossing->to_device && source->role == DG_DEVICE_ITEM)
            crossing->elided = source->device == crossing->device;
    }
}

static int compare_crossings(const void *a, const void *b)
{
    const struct dg_crossing *left = a, *right = b;

    if (left->call != right->call)
        return left->call < right->call ? -1 : 1;
    return left->source < right->source ? -1 : left->source > right->source;
}

static void propagate(struct dg_devices *devices,
                      const struct dg_device_options *options)
{
    for (uint32_t i = 0; i < devices->graph.n_nodes && !devices->failure.data; i++) {
        if (devices->nodes[i].role != DG_DEVICE_CALL)
            continue;
        send_inputs(devices, i, options);
        tag_items(devices, i);
    }
    if (options->no_planning || devices->failure.data)
        return;
    fetch_items(devices, options);
    elide(devices);
    dg_sort(devices->crossings, devices->n_crossings, sizeof(*devices->crossings),
            compare_crossings);
}

enum dg_status dg_devices_find(struct dg_devices *devices, struct dg_store *store,
                               int64_t id, const struct dg_device_options *options,
                               struct dg_error *err)
{
    enum dg_status status;

    *devices = (struct dg_devices){0};
    status = dg_graph_load(&devices->graph, store, id, err);
    if (!status)
        status = dg_devices_read(devices, store, err);
    if (!status && !devices->failure.data)
        propagate(devices, options);
    return status;
}

void dg_devices_clear(struct dg_devices *devices)
{
    dg_graph_clear(&devices->graph);
    free(devices->names);
    free(devices->crossings);
    dg_arena_clear(&devices->memory);
}
