/* What a .pte keeps outside of its methods: segments, constants, named data, blobs. */
#include <string.h>

#include "base/dtype.h"
#include "formats/pte.h"

/* DG_NONE: not in the file, which format/segment-bounds says; the rest can be read. */
static int64_t place_in_file(struct dg_bytes file, uint64_t base, uint64_t offset,
                             uint64_t size)
{
    uint64_t at;

    if (__builtin_add_overflow(base, offset, &at) || at > INT64_MAX)
        return DG_NONE;
    return !size || dg_inside(at, size, file.size) ? (int64_t)at : DG_NONE;
}

void dg_pte_add_segments(struct dg_program *program, struct dg_vector segments,
                         struct dg_bytes file, uint64_t base, const char *kind)
{
    for (size_t i = 0; i < segments.n; i++) {
        struct dg_flatbuffer_table segment = dg_vector_table(segments, i);
        struct dg_segment_row *row = dg_add_segment(program);

        row->idx = (int64_t)i;
        row->kind = kind;
        row->offset = dg_table_u64(segment, SEGMENT_OFFSET, 0);
        row->size_bytes = dg_table_u64(segment, SEGMENT_SIZE, 0);
        row->stored_bytes = row->size_bytes;
        row->file_offset = place_in_file(file, base, row->offset, row->size_bytes);
    }
}

static void set_kind(struct dg_program *program, uint32_t segment, const char *kind)
{
    if (segment < program->n_segments)
        program->segments[segment].kind = kind;
}

static void mark_delegates(struct dg_program *program, struct dg_flatbuffer_table plan)
{
    struct dg_vector delegates = dg_table_vector(plan, PLAN_DELEGATES);

    for (size_t i = 0; i < delegates.n; i++) {
        struct dg_flatbuffer_table processed =
            dg_table_table(dg_vector_table(delegates, i), DELEGATE_PROCESSED);

        if (dg_table_i8(processed, PROCESSED_LOCATION, 0) == 1)
            set_kind(program, dg_table_u32(processed, PROCESSED_INDEX, 0), "delegate");
    }
}

/* Who refers to a segment names it; of several the last one here. */
static void mark_segments(const struct dg_pte *pte)
{
    struct dg_vector named = dg_table_vector(pte->root, PROGRAM_NAMED_DATA);
    struct dg_vector plans = dg_table_vector(pte->root, PROGRAM_PLANS);
    struct dg_vector mutable = dg_table_vector(pte->root, PROGRAM_MUTABLE_SEGMENTS);
    struct dg_flatbuffer_table constant =
        dg_table_table(pte->root, PROGRAM_CONSTANT_SEGMENT);

    for (size_t i = 0; i < named.n; i++)
        set_kind(pte->program,
                 dg_table_u32(dg_vector_table(named, i), NAMED_DATA_SEGMENT, 0),
                 "named_data");
    for (size_t i = 0; i < plans.n; i++)
        mark_delegates(pte->program, dg_vector_table(plans, i));
    for (size_t i = 0; i < mutable.n; i++)
        set_kind(pte->program,
                 dg_table_u32(dg_vector_table(mutable, i), SUBSEGMENT_INDEX, 0),
                 "mutable");
    if (dg_table_vector(constant, SUBSEGMENT_OFFSETS).n)
        set_kind(pte->program, dg_table_u32(constant, SUBSEGMENT_INDEX, 0), "constant");
}

void dg_pte_read_segments(struct dg_pte *pte)
{
    dg_pte_add_segments(pte->program, dg_table_vector(pte->root, PROGRAM_SEGMENTS),
                        pte->file, pte->base, "unreferenced");
    mark_segments(pte);
}

struct dg_named_data_row *dg_pte_add_named_data(struct dg_program *program,
                                                struct dg_text key, uint32_t segment)
{
    struct dg_named_data_row *row = dg_add_named_data(program);

    row->idx = (int64_t)program->n_named_data - 1;
    row->key = key.data ? key : dg_text("");
    row->segment_idx = segment;
    if (segment < program->n_segments &&
        program->segments[segment].size_bytes <= INT64_MAX)
        row->size_bytes = (int64_t)program->segments[segment].size_bytes;
    return row;
}

void dg_pte_read_named_data(struct dg_pte *pte)
{
    struct dg_vector named = dg_table_vector(pte->root, PROGRAM_NAMED_DATA);

    for (size_t i = 0; i < named.n; i++) {
        struct dg_flatbuffer_table entry = dg_vector_table(named, i);

        dg_pte_add_named_data(pte->program,
                              dg_pte_text(pte->program, entry, NAMED_DATA_KEY),
                              dg_table_u32(entry, NAMED_DATA_SEGMENT, 0));
    }
}

static void point_at_bytes(struct dg_pte *pte, struct dg_delegate_row *row,
                           int64_t offset, uint64_t size)
{
    row->blob_offset = offset;
    row->blob_bytes = size <= INT64_MAX ? (int64_t)size : DG_NONE;
    if (offset != DG_NONE && dg_inside((uint64_t)offset, size, pte->file.size))
        row->blob = dg_slice(pte->file, (size_t)offset, (size_t)size);
}

void dg_pte_find_blob(struct dg_pte *pte, struct dg_flatbuffer_table processed,
                      struct dg_delegate_row *row)
{
    int8_t location = dg_table_i8(processed, PROCESSED_LOCATION, 0);
    uint32_t index = dg_table_u32(processed, PROCESSED_INDEX, 0);
    struct dg_vector all = dg_table_vector(pte->root, PROGRAM_INLINE_DATA), data;

    if (!processed.at)
        return;
    row->location = location == 0 ? "inline" : location == 1 ? "segment" : NULL;
    row->blob_index = index;
    if (location == 1 && index < pte->program->n_segments) {
        struct dg_segment_row *segment = &pte->program->segments[index];

        point_at_bytes(pte, row, segment->file_offset, segment->size_bytes);
    } else if (location == 0 && index < all.n) {
        data = dg_table_vector(dg_vector_table(all, index), 0);
        if (data.at)
            point_at_bytes(pte, row, data.at - pte->file.data, data.n);
    }
}

/* The tensors whose bytes are entry `index` of the constants, or of the mutable data:
 * of several the largest. NULL: none is. */
static const struct dg_value_row **users(struct dg_pte *pte, const char *storage,
                                         size_t n, struct dg_arena *memory)
{
    const struct dg_value_row **found = dg_alloc(memory, n, sizeof(const void *));
    struct dg_program *program = pte->program;

    for (size_t i = 0; i < program->n_values; i++) {
        const struct dg_value_row *value = &program->values[i];
        const struct dg_value_row **user;

        if (!value->type->storage || strcmp(value->type->storage, storage) ||
            value->data_index < 0 || value->data_index >= (int64_t)n)
            continue;
        user = &found[value->data_index];
        if (!*user || (*user)->type->nbytes < value->type->nbytes)
            *user = value;
    }
    return found;
}

static struct dg_constant_row *add_constant(struct dg_pte *pte, size_t index,
                                            const char *kind,
                                            const struct dg_value_row *user)
{
    struct dg_constant_row *row = dg_add_constant(pte->program);

    row->idx = (int64_t)index;
    row->kind = kind;
    if (!user)
        return row;
    row->fqn = user->name;
    row->dtype = user->type->dtype;
    row->shape = user->type->shape;
    row->nbytes = user->type->nbytes;
    return row;
}

void dg_pte_place_constant(struct dg_program *program, struct dg_bytes file,
                           struct dg_constant_row *row, uint32_t index, uint64_t offset)
{
    const struct dg_segment_row *segment;
    uint64_t nbytes = row->nbytes > 0 ? (uint64_t)row->nbytes : 0;

    row->offset.type = DG_INTEGER;
    row->offset.integer = (int64_t)offset;
    if (index >= program->n_segments)
        return;
    segment = &program->segments[index];
    row->segment = index;
    if (segment->file_offset == DG_NONE ||
        !dg_inside(offset, nbytes, segment->size_bytes))
        return;
    row->file_offset = segment->file_offset + (int64_t)offset;
    if (row->nbytes != DG_NONE &&
        dg_inside((uint64_t)row->file_offset, nbytes, file.size))
        row->bytes = dg_slice(file, (size_t)row->file_offset, (size_t)nbytes);
}

static void read_subsegments(struct dg_pte *pte, struct dg_flatbuffer_table table,
                             const char *kind, const char *first_kind, bool in_use)
{
    struct dg_vector offsets = dg_table_vector(table, SUBSEGMENT_OFFSETS);
    uint32_t segment = dg_table_u32(table, SUBSEGMENT_INDEX, 0);
    struct dg_arena memory = {0};
    const struct dg_value_row **used_by =
        users(pte, kind, in_use ? offsets.n : 0, &memory);

    for (size_t i = 0; i < offsets.n; i++) {
        const struct dg_value_row *user = in_use && i ? used_by[i] : NULL;
        const char *own_kind = i ? kind : first_kind;

        dg_pte_place_constant(pte->program, pte->file,
                              add_constant(pte, i, own_kind, user), segment,
                              dg_u64(offsets.at + 8 * i));
    }
    dg_arena_clear(&memory);
}

/* Files from before constant segments keep each constant in the FlatBuffer. */
static void read_inline_constants(struct dg_pte *pte)
{
    struct dg_vector buffers = dg_table_vector(pte->root, PROGRAM_CONSTANT_BUFFER);
    struct dg_arena memory = {0};
    const struct dg_value_row **used_by = users(pte, "constant", buffers.n, &memory);

    for (size_t i = 0; i < buffers.n; i++) {
        struct dg_vector data = dg_table_vector(dg_vector_table(buffers, i), 0);
        struct dg_constant_row *row =
            add_constant(pte, i, i ? "constant" : "reserved", i ? used_by[i] : NULL);

        row->nbytes = (int64_t)data.n;
        if (!data.at)
            continue;
        row->file_offset = data.at - pte->file.data;
        row->bytes = (struct dg_bytes){data.at, data.n};
    }
    dg_arena_clear(&memory);
}

void dg_pte_read_constants(struct dg_pte *pte)
{
    struct dg_vector mutable = dg_table_vector(pte->root, PROGRAM_MUTABLE_SEGMENTS);
    struct dg_flatbuffer_table lasting =
        dg_table_table(pte->root, PROGRAM_CONSTANT_SEGMENT);

    if (!dg_table_vector(lasting, SUBSEGMENT_OFFSETS).n &&
        !dg_table_vector(pte->root, PROGRAM_CONSTANT_BUFFER).n)
        dg_remark(pte->program, "format/constant-deprecated",
                  "the program lists no constants, not even the first, which is always"
                  " there");
    read_inline_constants(pte);
    read_subsegments(pte, lasting, "constant", "reserved", true);
    for (size_t i = 0; i < mutable.n; i++)
        read_subsegments(pte, dg_vector_table(mutable, i), "mutable", "mutable",
                         i == 0);
}
