/* Words of strings, types, constants and delegates of a .pte, once for each. */
#include <inttypes.h>

#include "base/hash.h"
#include "diff/side_scan.h"

void dg_diff_list_add(struct dg_diff_list *rows, uint32_t item)
{
    rows->csr->items = dg_grow(rows->csr->items, rows->n, sizeof(uint32_t));
    rows->csr->items[rows->n++] = item;
}

/* A text of a file may be long, and stand in each node: its beginning and a digest. */
static void write_bounded(struct dg_writer *out, struct dg_text text)
{
    enum { WHOLE = 96, BEGINNING = 48 };
    bool cut = text.size > WHOLE;

    for (size_t i = 0; i < (cut ? BEGINNING : text.size); i++) {
        if (text.data[i] == ';') /* it ends an operand */
            dg_print(out, "\\x3b");
        else
            dg_write(out, text.data + i, 1);
    }
    if (cut)
        dg_print(out, "... (%zu bytes, %016" PRIx64 ")", text.size, dg_xxh3_64(text));
}

uint32_t dg_diff_scan_string(struct dg_diff_scan *scan, size_t row)
{
    struct dg_text text = dg_text(scan->side->values->items[row].as.string);

    if (!scan->strings[row]) {
        scan->text.size = 0;
        dg_print(&scan->text, "'");
        write_bounded(&scan->text, text);
        dg_print(&scan->text, "'");
        scan->strings[row] = dg_diff_word(scan->side->words, dg_written(&scan->text));
    }
    return scan->strings[row];
}

void dg_diff_scan_types(struct dg_diff_scan *scan)
{
    const struct dg_model_values *values = scan->side->values;

    scan->types = dg_zeroed(values->n_types, sizeof(uint32_t));
    for (size_t i = 0; i < values->n_types; i++) {
        const struct dg_model_type *type = &values->types[i];

        scan->text.size = 0;
        write_bounded(&scan->text, type->name);
        dg_write(&scan->text, " ", type->name.size > 0);
        if (type->kind == DG_VALUE_TENSOR)
            write_bounded(&scan->text, type->sizes);
        scan->types[i] = dg_diff_word(scan->side->words, dg_written(&scan->text));
    }
}

/* The number of a resource; `id` is unique among those of its kind. */
static uint32_t resource_of(struct dg_diff_scan *scan, enum dg_diff_resource_kind kind,
                            int64_t id)
{
    struct dg_diff_side *side = scan->side;
    uint32_t number = dg_int_set_add(&scan->keys, (uint64_t)id * 4 + kind);

    if (number == side->n_resources)
        *DG_APPEND(side->resources, side->n_resources) =
            (struct dg_diff_resource){.kind = kind};
    return number;
}

/* The digest may be long, and named by many calls. */
static void name_resource(struct dg_diff_scan *scan, uint32_t number)
{
    struct dg_diff_resource *resource = &scan->side->resources[number];

    if (!resource->hash)
        resource->hash = dg_xxh3_64(dg_diff_text(scan->side, resource->digest));
    dg_diff_list_add(&scan->named, number);
    dg_print(&scan->weights, "%016" PRIx64 " ", resource->hash);
}

void dg_diff_scan_name(struct dg_diff_scan *scan, enum dg_diff_resource_kind kind,
                       size_t row)
{
    const struct dg_model_value *value = &scan->side->values->items[row];
    bool constant = kind == DG_DIFF_CONSTANT;
    uint32_t number =
        resource_of(scan, kind, constant ? value->data_index : (int64_t)row);
    struct dg_diff_resource *resource = &scan->side->resources[number];

    if (!constant && !resource->name)
        resource->name = resource->digest =
            dg_diff_word(scan->side->words, value->name);
    name_resource(scan, number);
}

void dg_diff_scan_call(struct dg_diff_scan *scan, uint32_t node)
{
    uint32_t delegate = scan->side->model->nodes[node].delegate, number;

    if (!delegate)
        return;
    number = resource_of(scan, DG_DIFF_CALLED, delegate);
    scan->side->nodes[node].name = scan->side->resources[number].name;
    name_resource(scan, number);
}

/* Of several constants with one number the first counts. */
static enum dg_status read_constants(struct dg_diff_scan *scan, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(scan->side->store,
                                      "SELECT idx, coalesce(xxh3, fqn), fqn"
                                      "  FROM constant WHERE kind = 'constant'"
                                      " ORDER BY id",
                                      err);

    while (dg_rows_next(&rows)) {
        uint32_t number = resource_of(scan, DG_DIFF_CONSTANT, dg_rows_int(&rows, 0));
        struct dg_diff_resource *resource = &scan->side->resources[number];

        if (resource->digest)
            continue;
        resource->digest = dg_diff_word(scan->side->words, dg_rows_slice(&rows, 1));
        resource->name = dg_diff_word(scan->side->words, dg_rows_slice(&rows, 2));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* Equal blobs are told apart by their compile specs. */
static enum dg_status read_delegates(struct dg_diff_scan *scan, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        scan->side->store,
        "SELECT id, backend, blob_xxh3 || ' ' || coalesce(backend, '') || ' ' ||"
        "  coalesce((SELECT group_concat(key || '=' || hex(value), ' ') FROM"
        "   (SELECT key, value FROM compile_spec WHERE delegate_id = delegate.id"
        "     ORDER BY pos)), '') FROM delegate",
        err);

    while (dg_rows_next(&rows)) {
        uint32_t number = resource_of(scan, DG_DIFF_CALLED, dg_rows_int(&rows, 0));

        scan->side->resources[number].name =
            dg_diff_word(scan->side->words, dg_rows_slice(&rows, 1));
        scan->side->resources[number].digest =
            dg_diff_word(scan->side->words, dg_rows_slice(&rows, 2));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_diff_scan_resources(struct dg_diff_scan *scan, struct dg_error *err)
{
    enum dg_status status = read_constants(scan, err);

    return status ? status : read_delegates(scan, err);
}
