/* Predicted devices and copies against those of an emitted method. */
#include "graph/devices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

/* Copies that are alike. */
struct kind {
    bool to_device;
    const char *device;
    int64_t nbytes;
    int64_t predicted, emitted;
};

struct kinds {
    struct kind *items;
    size_t n_items;
};

static const char emitted_copies_sql[] =
    "SELECT op.name = 'et_copy::_h2d_copy.out',"
    "   iif(op.name = 'et_copy::_h2d_copy.out', out.device, src.device),"
    "   coalesce(src.nbytes, -1), count(*)"
    "  FROM op CROSS JOIN node ON node.op_id = op.id"
    "  JOIN \"graph\" AS g ON g.id = node.graph_id"
    "  JOIN method ON method.id = g.method_id AND method.name = ?1"
    "  JOIN operand AS reads ON reads.node_id = node.id AND reads.pos = 0"
    "  JOIN operand AS writes ON writes.node_id = node.id AND writes.pos = 1"
    "  JOIN value AS src ON src.id = reads.value_id"
    "  JOIN value AS out ON out.id = writes.value_id"
    " WHERE op.name IN ('et_copy::_h2d_copy.out', 'et_copy::_d2h_copy.out')"
    " GROUP BY 1, 2, 3";

static const char emitted_signature_sql[] =
    "SELECT value.device FROM signature JOIN \"graph\" AS g ON g.id = "
    "signature.graph_id"
    "  JOIN method ON method.id = g.method_id AND method.name = ?1"
    "  LEFT JOIN value ON value.id = signature.value_id"
    " WHERE direction = ?2 ORDER BY pos";

/* What a caller passes and gets, in order, with the node that makes it; of an input
 * that is written, that input. */
static const char predicted_signature_sql[] =
    "SELECT node.id, value.kind = 'tensor', given.name FROM signature AS given"
    "  LEFT JOIN signature AS written ON given.spec = 'user_input_mutation'"
    "   AND written.graph_id = given.graph_id AND written.direction = 'input'"
    "   AND written.name = given.target"
    "  LEFT JOIN value ON value.id = coalesce(written.value_id, given.value_id)"
    "  LEFT JOIN node ON node.value_id = value.id AND node.graph_id = given.graph_id"
    " WHERE given.graph_id = ?1 AND given.direction = ?2"
    "   AND given.spec IN ('user_input', 'user_output', 'user_input_mutation')"
    " ORDER BY given.pos";

static void add_difference(struct dg_device_differences *differences,
                           struct dg_text text)
{
    *DG_APPEND(differences->items, differences->n_items) = text;
}

static int compare_kinds(const void *a, const void *b)
{
    const struct kind *left = a, *right = b;
    int order = strcmp(left->device, right->device);

    if (left->to_device != right->to_device)
        return left->to_device ? -1 : 1;
    if (order)
        return order;
    return left->nbytes < right->nbytes ? -1 : left->nbytes > right->nbytes;
}

static void add_predicted(struct kinds *kinds, const struct dg_devices *devices)
{
    for (size_t i = 0; i < devices->n_crossings; i++) {
        const struct dg_crossing *crossing = &devices->crossings[i];

        if (crossing->elided)
            continue;
        *DG_APPEND(kinds->items, kinds->n_items) = (struct kind){
            .to_device = crossing->to_device,
            .device = devices->names[crossing->device].data,
            .nbytes = crossing->nbytes,
            .predicted = 1,
        };
    }
}

static enum dg_status add_emitted(struct kinds *kinds, struct dg_arena *memory,
                                  struct dg_store *emitted, struct dg_text method,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(emitted, emitted_copies_sql, err);

    dg_rows_bind_text(&rows, 1, method);
    while (dg_rows_next(&rows))
        *DG_APPEND(kinds->items, kinds->n_items) = (struct kind){
            .to_device = dg_rows_int(&rows, 0) != 0,
            .device = dg_copy(memory, dg_rows_slice(&rows, 1)),
            .nbytes = dg_rows_int(&rows, 2),
            .emitted = dg_rows_int(&rows, 3),
        };
    return dg_rows_close(&rows, DG_OK, err);
}

static void compare_kind(struct dg_device_differences *differences,
                         const struct kind *kind)
{
    char bytes[32] = "an unknown number of";

    if (kind->predicted == kind->emitted)
        return;
    if (kind->nbytes >= 0)
        snprintf(bytes, sizeof(bytes), "%" PRId64, kind->nbytes);
    add_difference(differences,
                   dg_format(&differences->memory,
                             "copies of %s bytes %s %s: %" PRId64 " predicted, %" PRId64
                             " emitted",
                             bytes, kind->to_device ? "to" : "from", kind->device,
                             kind->predicted, kind->emitted));
}

static enum dg_status compare_copies(struct dg_device_differences *differences,
                                     const struct dg_devices *devices,
                                     struct dg_store *emitted, struct dg_text method,
                                     struct dg_error *err)
{
    struct kinds kinds = {0};
    enum dg_status status;

    add_predicted(&kinds, devices);
    status = add_emitted(&kinds, &differences->memory, emitted, method, err);
    dg_sort(kinds.items, kinds.n_items, sizeof(*kinds.items), compare_kinds);
    for (size_t i = 0; i < kinds.n_items && !status; i++) {
        struct kind sum = kinds.items[i];

        while (i + 1 < kinds.n_items && !compare_kinds(&sum, &kinds.items[i + 1])) {
            i++;
            sum.predicted += kinds.items[i].predicted;
            sum.emitted += kinds.items[i].emitted;
        }
        compare_kind(differences, &sum);
    }
    free(kinds.items);
    return status;
}

static void compare_place(struct dg_device_differences *differences,
                          const struct dg_devices *devices, const char *direction,
                          int64_t pos, const struct dg_rows *predicted,
                          const struct dg_rows *emitted)
{
    int64_t node = dg_rows_int_or(predicted, 0, 0) - devices->graph.first_id;
    struct dg_text name = dg_rows_slice(predicted, 2), device = devices->names[0];

    if (!dg_rows_int_or(predicted, 1, 0) || dg_rows_null(emitted, 0))
        return;
    if (node >= 0 && node < devices->graph.n_nodes)
        device = devices->names[dg_device_seen(&devices->nodes[node])];
    if (dg_text_equal(device, dg_rows_slice(emitted, 0)))
        return;
    add_difference(differences, dg_format(&differences->memory,
                                          "%s %" PRId64 ", %.*s: %s predicted, %s"
                                          " emitted",
                                          direction, pos, (int)name.size, name.data,
                                          device.data, dg_rows_text(emitted, 0)));
}

static enum dg_status compare_signature(struct dg_device_differences *differences,
                                        const struct dg_devices *devices,
                                        struct dg_store *store,
                                        struct dg_store *emitted, struct dg_text method,
                                        const char *direction, struct dg_error *err)
{
    struct dg_rows predicted, found;
    enum dg_status status =
        dg_rows_open(&predicted, store, predicted_signature_sql, err);

    if (status)
        return status;
    status = dg_rows_open(&found, emitted, emitted_signature_sql, err);
    if (status)
        return dg_rows_close(&predicted, status, err);
    dg_rows_bind_int(&predicted, 1, devices->graph.id);
    dg_rows_bind_text(&predicted, 2, dg_text(direction));
    dg_rows_bind_text(&found, 1, method);
    dg_rows_bind_text(&found, 2, dg_text(direction));
    for (int64_t pos = 0; dg_rows_next(&predicted) && dg_rows_next(&found); pos++)
        compare_place(differences, devices, direction, pos, &predicted, &found);
    status = dg_rows_close(&predicted, status, err);
    return dg_rows_close(&found, status, err);
}

enum dg_status dg_devices_compare(struct dg_device_differences *differences,
                                  const struct dg_devices *devices,
                                  struct dg_store *store, struct dg_store *emitted,
                                  struct dg_text method, struct dg_error *err)
{
    enum dg_status status;

    *differences = (struct dg_device_differences){0};
    status = compare_copies(differences, devices, emitted, method, err);
    if (!status)
        status = compare_signature(differences, devices, store, emitted, method,
                                   "input", err);
    if (!status)
        status = compare_signature(differences, devices, store, emitted, method,
                                   "output", err);
    return status;
}

void dg_device_differences_clear(struct dg_device_differences *differences)
{
    free(differences->items);
    dg_arena_clear(&differences->memory);
}
