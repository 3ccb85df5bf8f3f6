/* FlatBuffers are verified before anything is read. */
#include "formats/flatbuffer.h"

enum { DEPTH = 64, LEAST_BUDGET = 1 << 20 };

struct verifier {
    struct dg_bytes buffer;
    uint64_t budget; /* bytes that may still be visited: shared parts count each time */
    size_t n_unknown;
    int depth;
    size_t before; /* bytes before the buffer, from which alignment counts */
    struct dg_error *err;
};

/* What is being verified, for messages. */
struct place {
    const char *type, *field;
};

static enum dg_status fail(struct verifier *v, struct place place, size_t at,
                           const char *what)
{
    const char *field = place.field ? place.field : "table";

    return dg_fail(v->err, DG_ERR_FORMAT, "byte %zu: %s.%s %s", at, place.type, field,
                   what);
}

static enum dg_status spend(struct verifier *v, struct place place, size_t at,
                            uint64_t bytes)
{
    if (bytes > v->budget)
        return fail(v, place, at,
                    "is shared too often: the contents are larger than the file");
    v->budget -= bytes;
    return DG_OK;
}

/* Follow the offset at `at`, which lies inside. */
static enum dg_status follow(struct verifier *v, struct place place, size_t at,
                             size_t *target)
{
    uint32_t offset = dg_u32(v->buffer.data + at);

    *target = at + offset;
    if (!offset || !dg_inside((uint64_t)at + offset, 4, v->buffer.size))
        return fail(v, place, at, "points outside of the FlatBuffer");
    if (*target % 4)
        return fail(v, place, at, "points to a place that is not aligned to 4 bytes");
    return DG_OK;
}

/* The vector at the end of the offset at `at`: *first is its first item. */
static enum dg_status check_vector(struct verifier *v, struct place place, size_t at,
                                   unsigned item_bytes, size_t *first, size_t *n)
{
    size_t target;
    enum dg_status status = follow(v, place, at, &target);
    uint64_t bytes;

    if (status)
        return status;
    *n = dg_u32(v->buffer.data + target);
    *first = target + 4;
    bytes = (uint64_t)*n * item_bytes;
    if (!dg_inside(*first, bytes, v->buffer.size))
        return fail(v, place, target,
                    "has more items than the FlatBuffer has room for");
    return spend(v, place, target, bytes + 4);
}

static enum dg_status check_string(struct verifier *v, struct place place, size_t at)
{
    size_t first, n;
    enum dg_status status = check_vector(v, place, at, 1, &first, &n);

    if (status)
        return status;
    if (first + n >= v->buffer.size || v->buffer.data[first + n])
        return fail(v, place, first, "is a string that does not end with NUL");
    return DG_OK;
}

static enum dg_status check_table(struct verifier *v, const struct dg_table_type *type,
                                  size_t at);

static enum dg_status check_tables(struct verifier *v, struct place place, size_t at,
                                   const struct dg_table_type *type)
{
    size_t first, n;
    enum dg_status status = check_vector(v, place, at, 4, &first, &n);

    for (size_t i = 0; i < n && !status; i++) {
        size_t target;

        status = follow(v, place, first + 4 * i, &target);
        if (!status)
            status = check_table(v, type, target);
    }
    return status;
}

static enum dg_status check_strings(struct verifier *v, struct place place, size_t at)
{
    size_t first, n;
    enum dg_status status = check_vector(v, place, at, 4, &first, &n);

    for (size_t i = 0; i < n && !status; i++)
        status = check_string(v, place, first + 4 * i);
    return status;
}

static enum dg_status check_union(struct verifier *v, struct place place,
                                  const struct dg_field *field, size_t at, uint8_t type)
{
    size_t target;
    enum dg_status status = follow(v, place, at, &target);

    if (status || type >= field->n_members || !field->members[type])
        return status;
    return check_table(v, field->members[type], target);
}

/* A table whose frame was checked. */
struct frame {
    const uint8_t *vtable;
    size_t at, vtable_size, table_size;
};

static size_t field_at(const struct frame *frame, size_t id)
{
    size_t slot = 4 + 2 * id;

    return slot + 2 <= frame->vtable_size ? dg_u16(frame->vtable + slot) : 0;
}

static enum dg_status check_field(struct verifier *v, const struct frame *frame,
                                  const struct dg_table_type *type, size_t id)
{
    const struct dg_field *field = &type->fields[id];
    struct place place = {type->name, field->name};
    unsigned bytes = field->kind == DG_FIELD_SCALAR ? field->bytes : 4;
    size_t offset = field_at(frame, id), at = frame->at + offset, first, n, target;
    enum dg_status status;

    if (!offset)
        return DG_OK;
    if (offset < 4 || offset + bytes > frame->table_size)
        return fail(v, place, frame->at, "lies outside of its table");
    if ((at + v->before) % bytes)
        return fail(v, place, at, "is not aligned");
    switch (field->kind) {
    case DG_FIELD_STRING:
        return check_string(v, place, at);
    case DG_FIELD_VECTOR:
        return check_vector(v, place, at, field->bytes, &first, &n);
    case DG_FIELD_TABLE:
        status = follow(v, place, at, &target);
        return status ? status : check_table(v, field->type, target);
    case DG_FIELD_TABLES:
        return check_tables(v, place, at, field->type);
    case DG_FIELD_STRINGS:
        return check_strings(v, place, at);
    case DG_FIELD_UNION:
        offset = field_at(frame, id - 1);
        return check_union(v, place, field, at,
                           offset ? v->buffer.data[frame->at + offset] : 0);
    default:
        return DG_OK;
    }
}

static enum dg_status check_frame(struct verifier *v, struct place place, size_t at,
                                  struct frame *frame)
{
    size_t size = v->buffer.size;
    int64_t vtable = (int64_t)at - (int32_t)dg_u32(v->buffer.data + at);

    if (vtable < 0 || vtable % 2 || !dg_inside((uint64_t)vtable, 4, size))
        return fail(v, place, at, "has its vtable outside of the FlatBuffer");
    frame->at = at;
    frame->vtable = v->buffer.data + vtable;
    frame->vtable_size = dg_u16(frame->vtable);
    frame->table_size = dg_u16(frame->vtable + 2);
    if (frame->vtable_size < 4 || frame->vtable_size % 2 ||
        !dg_inside((uint64_t)vtable, frame->vtable_size, size))
        return fail(v, place, (size_t)vtable, "has a vtable of impossible size");
    if (frame->table_size < 4 || !dg_inside(at, frame->table_size, size))
        return fail(v, place, at, "reaches past the end of the FlatBuffer");
    return spend(v, place, at, frame->table_size);
}

static enum dg_status count_unknown(struct verifier *v, const struct frame *frame,
                                    const struct dg_table_type *type)
{
    size_t n_slots = (frame->vtable_size - 4) / 2;
    struct place place = {type->name, NULL};

    for (size_t id = type->n_fields; id < n_slots; id++)
        v->n_unknown += field_at(frame, id) != 0;
    return n_slots <= type->n_fields
               ? DG_OK
               : spend(v, place, frame->at, 2 * (n_slots - type->n_fields));
}

static enum dg_status check_table(struct verifier *v, const struct dg_table_type *type,
                                  size_t at)
{
    struct place place = {type->name, NULL};
    struct frame frame;
    enum dg_status status;

    if (v->depth == DEPTH)
        return fail(v, place, at, "is nested more than 64 tables deep");
    status = check_frame(v, place, at, &frame);
    if (!status)
        status = count_unknown(v, &frame, type);
    v->depth++;
    for (size_t id = 0; id < type->n_fields && !status; id++)
        status = check_field(v, &frame, type, id);
    v->depth--;
    return status;
}

static enum dg_status verify(struct dg_bytes buffer, size_t before,
                             const struct dg_table_type *root, size_t *n_unknown,
                             struct dg_error *err)
{
    /* Nothing shared needs the size of the buffer; shared strings and unknown fields
     * are charged more than once, so there is some slack. */
    struct verifier v = {.buffer = buffer,
                         .budget = buffer.size + buffer.size / 4 + LEAST_BUDGET,
                         .before = before,
                         .err = err};
    struct place place = {root->name, "root"};
    enum dg_status status;
    size_t target;

    *n_unknown = 0;
    if (buffer.size < 8)
        return fail(&v, place, 0, "needs 8 bytes");
    status = follow(&v, place, 0, &target);
    if (!status)
        status = check_table(&v, root, target);
    *n_unknown = v.n_unknown;
    return status;
}

enum dg_status dg_flatbuffer_verify(struct dg_bytes buffer,
                                    const struct dg_table_type *root, size_t *n_unknown,
                                    struct dg_error *err)
{
    return verify(buffer, 0, root, n_unknown, err);
}

enum dg_status dg_flatbuffer_verify_sized(struct dg_bytes buffer,
                                          const struct dg_table_type *root,
                                          size_t *n_unknown, struct dg_error *err)
{
    return verify(buffer, 4, root, n_unknown, err);
}

bool dg_flatbuffer_root_has(struct dg_bytes buffer, unsigned field)
{
    struct dg_error err;
    struct verifier v = {.buffer = buffer, .budget = LEAST_BUDGET, .err = &err};
    struct place place = {"root", NULL};
    struct frame frame;
    size_t target;

    return buffer.size >= 8 && !follow(&v, place, 0, &target) &&
           !check_frame(&v, place, target, &frame) && field_at(&frame, field);
}
