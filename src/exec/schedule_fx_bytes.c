/* Weights, buffers and constants of a .pt2: tensors over the bytes of the file. */
#include "exec/schedule_fx.h"

#include "base/int_list.h"
#include "formats/stored_tensor.h"

static void missing(struct dg_fx *fx, struct dg_slot *slot, const char *what)
{
    const char *name = slot->missing;

    slot->missing = dg_format(&fx->schedule->memory, "%s %s", name, what).data;
    if (fx->graph->lowered)
        slot->initial.kind = DG_ARG_UNKNOWN;
}

/* What torch.save wrote of an object: not the elements themselves. */
static bool is_pickled(struct dg_bytes bytes, enum dg_type type)
{
    return bytes.size >= 4 && !memcmp(bytes.data, "PK\3\4", 4) &&
           (bytes.size % dg_type_bytes(type) || bytes.size > 400);
}

/* An entry that is compressed and is nothing but these elements. */
static bool inflated(struct dg_fx_method *method, const struct dg_fx_bytes *row,
                     struct dg_bytes *bytes)
{
    struct dg_error err = {0};
    const struct dg_zip_entry *entry;
    bool sound;

    if (!row->entry.data || row->entry_bytes != row->nbytes)
        return false;
    if (!method->zip.file.data && dg_zip_open(&method->zip, method->file, &err))
        return false;
    entry = dg_zip_find(&method->zip, row->entry);
    return entry && !dg_zip_read(&method->zip, entry, bytes, &sound, &err);
}

static bool find_bytes(struct dg_fx *fx, struct dg_slot *slot,
                       const struct dg_fx_bytes *row, struct dg_bytes *bytes)
{
    if (row->file_offset == DG_NONE && inflated(fx->method, row, bytes))
        return true;
    if (row->file_offset == DG_NONE)
        missing(fx, slot, "has no bytes in the file");
    else if (dg_stored_bytes(fx->method->file, row->file_offset, row->nbytes, bytes))
        return true;
    else
        missing(fx, slot, "has bytes outside of the file");
    return false;
}

/* Names of the same bytes of the file have the same number. */
static uint32_t storage_of(struct dg_fx_method *method, const struct dg_fx_bytes *row)
{
    const char *name = row->entry.data ? row->entry.data : "";
    struct dg_text key =
        dg_format(&method->root->memory, "%lld %.*s", (long long)row->file_offset,
                  (int)row->entry.size, name);

    return dg_text_set_add(&method->storages, key) + 1;
}

static void bind_bytes(struct dg_fx *fx, struct dg_slot *slot,
                       const struct dg_fx_bytes *row, enum dg_type type, int rank,
                       const int64_t *sizes, const int64_t *strides)
{
    struct dg_bytes bytes = {0};
    struct dg_tensor *tensor;

    if (!find_bytes(fx, slot, row, &bytes))
        return;
    if (is_pickled(bytes, type)) {
        missing(fx, slot, DG_IS_PICKLED);
        slot->initial.kind = DG_ARG_UNKNOWN;
        return;
    }
    tensor = dg_stored_tensor(type, rank, sizes, strides, row->storage_offset, bytes,
                              &fx->schedule->memory);
    if (!tensor) {
        missing(fx, slot,
                dg_format(&fx->scratch, "of shape %.*s does not fit its %zu bytes",
                          (int)row->shape.size, row->shape.data, bytes.size)
                    .data);
        return;
    }
    slot->missing = NULL;
    slot->storage = storage_of(fx->method, row);
    slot->initial = (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}};
}

void dg_fx_bind(struct dg_fx *fx, struct dg_slot *slot, const struct dg_fx_bytes *row)
{
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
    int rank = dg_int_list(row->shape.data, sizes, DG_RANK_MOST);
    int n_strides = dg_int_list(row->strides.data, strides, DG_RANK_MOST);
    enum dg_type type = dg_type_named(row->dtype);

    slot->missing = row->fqn;
    if (type == DG_TYPE_NONE) {
        missing(fx, slot, "is of a type that does not run here");
        slot->initial.kind = DG_ARG_UNKNOWN;
    } else if (rank < 0 || (row->strides.data && n_strides != rank)) {
        missing(fx, slot, "has no shape of plain numbers");
    } else {
        bind_bytes(fx, slot, row, type, rank, sizes,
                   row->strides.data ? strides : NULL);
    }
}
