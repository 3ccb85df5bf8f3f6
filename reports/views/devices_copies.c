/* Devices of values and instructions of a .pte, and those to come of a .pt2. */
#include "reports/views/devices_copies.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "graph/devices.h"

uint32_t dg_device_number(struct dg_located *located, struct dg_text name)
{
    for (uint32_t i = 0; i < located->n_names; i++)
        if (dg_text_equal(located->names[i], name))
            return i;
    *DG_APPEND(located->names, located->n_names) =
        (struct dg_text){dg_copy(&located->memory, name), name.size};
    return (uint32_t)(located->n_names - 1);
}

void dg_located_clear(struct dg_located *located)
{
    free(located->names);
    dg_arena_clear(&located->memory);
    *located = (struct dg_located){0};
}

struct copy {          /* that is to come, of a .pt2 */
    uint32_t from, to; /* node and call; to DG_NOWHERE: for all on the host */
    uint32_t device;   /* that it leads to; 0: the host */
    uint32_t node;     /* of its own */
    uint32_t value;
};

struct copies {
    struct copy *items;
    size_t n_items;
};

static int by_ends(const void *left, const void *right)
{
    const struct copy *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static const struct copy *find_copy(const struct copies *copies, uint32_t from,
                                    uint32_t to)
{
    const struct copy wanted = {.from = from, .to = to};

    return dg_search(&wanted, copies->items, copies->n_items, sizeof(wanted), by_ends);
}

static void list_copies(struct copies *copies, struct dg_located *located,
                        const struct dg_skeleton *skeleton,
                        const struct dg_devices *devices)
{
    int64_t first = devices->graph.first_id - 1;

    for (size_t i = 0; i < devices->n_crossings; i++) {
        const struct dg_crossing *crossing = &devices->crossings[i];
        struct copy *copy;

        if (crossing->elided)
            continue;
        copy = DG_APPEND(copies->items, copies->n_items);
        *copy = (struct copy){
            .from = (uint32_t)(first + crossing->source),
            .to = crossing->to_device ? (uint32_t)(first + crossing->call) : DG_NOWHERE,
            .device = crossing->to_device
                          ? dg_device_number(located, devices->names[crossing->device])
                          : 0,
        };
        copy->value = skeleton->nodes[copy->from].value;
    }
}

static void note_devices(struct dg_located *located, const struct dg_devices *devices,
                         size_t n_rows)
{
    for (uint32_t i = 0; i < devices->graph.n_nodes; i++) {
        int64_t node = devices->graph.first_id - 1 + i;

        if (node >= 0 && (size_t)node < n_rows)
            located->device_of[node] =
                dg_device_number(located, devices->names[devices->nodes[i].device]);
    }
}

static enum dg_status predict(struct copies *copies, struct dg_located *located,
                              const struct dg_skeleton *skeleton, int64_t graph,
                              const struct dg_view_input *in)
{
    const struct dg_device_options options = {0};
    struct dg_devices devices;
    enum dg_status status =
        dg_devices_find(&devices, in->store, graph, &options, in->err);

    if (!status && devices.graph.n_nodes &&
        devices.graph.first_id - 1 + devices.graph.n_nodes <=
            (int64_t)skeleton->n_rows) {
        note_devices(located, &devices, skeleton->n_rows);
        list_copies(copies, located, skeleton, &devices);
        if (devices.failure.data)
            located->failure = dg_format(&located->memory, "%s", devices.failure.data);
    }
    dg_devices_clear(&devices);
    return status;
}

static void add_use(struct dg_skeleton *skeleton, uint32_t from,
                    const struct copy *copy)
{
    *DG_APPEND(skeleton->uses, skeleton->n_uses) =
        (struct dg_skeleton_use){from, copy->node, copy->value};
}

/* Whoever read a value reads its copy. */
static void insert_copies(struct copies *copies, struct dg_skeleton *skeleton,
                          const struct dg_located *located)
{
    size_t n_uses = skeleton->n_uses;

    dg_sort(copies->items, copies->n_items, sizeof(*copies->items), by_ends);
    for (size_t i = 0; i < copies->n_items; i++) {
        struct dg_skeleton_node *node = DG_APPEND(skeleton->nodes, skeleton->n_nodes);

        *node = (struct dg_skeleton_node){
            .role = DG_ROLE_CALL,
            .graph = skeleton->nodes[copies->items[i].from].graph,
            .end = DG_NOWHERE};
        copies->items[i].node = (uint32_t)(skeleton->n_nodes - 1);
    }
    for (size_t i = 0; i < n_uses; i++) {
        struct dg_skeleton_use *use = &skeleton->uses[i];
        const struct copy *own = find_copy(copies, use->from, use->to);
        const struct copy *back = find_copy(copies, use->from, DG_NOWHERE);
        bool stays = use->to < skeleton->n_rows &&
                     skeleton->nodes[use->to].role == DG_ROLE_DELEGATE &&
                     located->device_of[use->to] == located->device_of[use->from];

        if (own)
            use->from = own->node;
        else if (back && !stays)
            use->from = back->node;
    }
    for (size_t i = 0; i < copies->n_items; i++) {
        const struct copy *copy = &copies->items[i];
        const struct copy *back = find_copy(copies, copy->from, DG_NOWHERE);

        add_use(skeleton, back && back != copy ? back->node : copy->from, copy);
    }
}

/* Nodes of a .pte that write to a device. */
static enum dg_status read_writers(struct dg_located *located,
                                   const struct dg_skeleton *skeleton,
                                   uint32_t *of_value, const struct dg_view_input *in)
{
    struct dg_rows rows = dg_rows_all(
        in->store,
        "SELECT value.id, value.device, operand.node_id FROM value"
        " LEFT JOIN operand ON operand.value_id = value.id AND access <> 'read'"
        " WHERE storage IS NOT NULL AND device <> 'cpu'",
        in->err);

    while (dg_rows_next(&rows)) {
        int64_t value = dg_rows_int(&rows, 0), node = dg_rows_int_or(&rows, 2, 0);
        uint32_t device = dg_device_number(located, dg_rows_slice(&rows, 1));

        if (value > 0 && (uint64_t)value <= skeleton->n_values)
            of_value[value] = device;
        if (node > 0 && (uint64_t)node <= skeleton->n_rows)
            located->device_of[node - 1] = device;
    }
    return dg_rows_close(&rows, DG_OK, in->err);
}

static void mark_copies(struct dg_located *located, const struct dg_skeleton *skeleton)
{
    for (size_t i = 0; i < skeleton->n_rows; i++)
        located->copies[i] = dg_text_begins(
            skeleton->ops[dg_skeleton_row(skeleton, i)->op], "et_copy::");
}

/* Inputs and outputs are where their values are. */
static void locate_ends(struct dg_located *located, const struct dg_skeleton *skeleton,
                        const uint32_t *of_value)
{
    for (size_t i = skeleton->n_rows; i < skeleton->n_nodes; i++)
        if (skeleton->nodes[i].role == DG_ROLE_INPUT ||
            skeleton->nodes[i].role == DG_ROLE_OUTPUT)
            located->device_of[i] = of_value[skeleton->nodes[i].value];
}

static enum dg_status predict_all(struct copies *copies, struct dg_located *located,
                                  struct dg_skeleton *skeleton,
                                  const struct dg_view_input *in)
{
    enum dg_status status = DG_OK;

    for (size_t g = 0; !status && g < skeleton->n_graphs; g++)
        if (!skeleton->graphs[g].path.size && !skeleton->graphs[g].instructions)
            status = predict(copies, located, skeleton, skeleton->graphs[g].id, in);
    return status;
}

/* Room for a copy of each argument of each call. */
static void make_room(struct dg_located *located, const struct dg_skeleton *skeleton)
{
    size_t most = skeleton->n_nodes + skeleton->n_uses + skeleton->n_rows + 1;

    dg_device_number(located, dg_text("cpu"));
    located->device_of = dg_alloc(&located->memory, most, sizeof(*located->device_of));
    located->copies = dg_alloc(&located->memory, most, sizeof(*located->copies));
}

enum dg_status dg_locate(struct dg_located *located, struct dg_skeleton *skeleton,
                         const struct dg_view_input *in)
{
    uint32_t *of_value = dg_zeroed(skeleton->n_values + 1, sizeof(*of_value));
    struct copies copies = {0};
    enum dg_status status;

    make_room(located, skeleton);
    status = read_writers(located, skeleton, of_value, in);
    if (!status)
        status = predict_all(&copies, located, skeleton, in);
    if (!status) {
        insert_copies(&copies, skeleton, located);
        for (size_t i = 0; i < copies.n_items; i++) {
            located->copies[copies.items[i].node] = true;
            located->device_of[copies.items[i].node] = copies.items[i].device;
        }
        mark_copies(located, skeleton);
        locate_ends(located, skeleton, of_value);
    }
    free(copies.items);
    free(of_value);
    return status;
}
