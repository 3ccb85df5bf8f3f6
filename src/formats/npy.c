/* Arrays of numpy: .npy files, and entries of an .npz. */
#include "formats/tensor_file_parts.h"

static const char magic[] = "\x93NUMPY";

enum { MAGIC = 6, PREFIX_1 = 10, PREFIX_2 = 12 };

struct header {
    enum dg_type type;
    bool swapped, fortran;
    int rank;
    int64_t sizes[DG_RANK_MOST];
    unsigned keys; /* bits of those seen */
};

enum { KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, ALL_KEYS = 7 };

/* The Python literal that describes the array. */
struct literal {
    const char *begin, *at, *end;
    struct dg_error *err;
};

static bool expected(struct literal *in, const char *what)
{
    dg_fail(in->err, DG_ERR_FORMAT, "offset %zu of the .npy header: expected %s",
            (size_t)(in->at - in->begin), what);
    return false;
}

static bool accept(struct literal *in, const char *word)
{
    size_t size = strlen(word);

    while (in->at < in->end && (*in->at == ' ' || *in->at == '\n'))
        in->at++;
    if ((size_t)(in->end - in->at) < size || memcmp(in->at, word, size) != 0)
        return false;
    in->at += size;
    return true;
}

static bool read_string(struct literal *in, struct dg_text *text)
{
    const char *end;
    char quote;

    if (!accept(in, "'") && !accept(in, "\""))
        return expected(in, "a quoted string");
    quote = in->at[-1];
    end = memchr(in->at, quote, (size_t)(in->end - in->at));
    if (!end)
        return expected(in, "a closing quote");
    *text = (struct dg_text){in->at, (size_t)(end - in->at)};
    in->at = end + 1;
    return true;
}

static bool read_size(struct literal *in, int64_t *size)
{
    const char *begin = in->at;

    *size = 0;
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
        if (__builtin_mul_overflow(*size, 10, size) ||
            __builtin_add_overflow(*size, *in->at - '0', size))
            return expected(in, "a size below 2^63");
        in->at++;
    }
    return in->at > begin || expected(in, "a size");
}

static bool read_shape(struct literal *in, struct header *header)
{
    if (!accept(in, "("))
        return expected(in, "a shape in parentheses");
    while (!accept(in, ")")) {
        if (header->rank == DG_RANK_MOST)
            return expected(in, "at most 16 dimensions");
        if (!read_size(in, &header->sizes[header->rank++]))
            return false;
        accept(in, "L"); /* of Python 2 */
        if (!accept(in, ",") && !(in->at < in->end && *in->at == ')'))
            return expected(in, "\",\" or \")\" behind a size");
    }
    return true;
}

/* "<f4": byte order, kind, bytes. */
static bool read_descr(struct literal *in, struct header *header)
{
    static const struct {
        const char *code;
        enum dg_type type;
    } types[] = {
        {"b1", DG_TYPE_BOOL}, {"u1", DG_TYPE_U8},    {"i1", DG_TYPE_I8},
        {"i2", DG_TYPE_I16},  {"i4", DG_TYPE_I32},   {"i8", DG_TYPE_I64},
        {"f2", DG_TYPE_F16},  {"f4", DG_TYPE_F32},   {"f8", DG_TYPE_F64},
        {"u2", DG_TYPE_U16},  {"u4", DG_TYPE_U32},   {"u8", DG_TYPE_U64},
        {"c8", DG_TYPE_C64},  {"c16", DG_TYPE_C128},
    };
    struct dg_text descr;

    if (accept(in, "["))
        return expected(in, "a plain dtype; arrays of records are not supported");
    if (!read_string(in, &descr))
        return false;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        if (descr.size < 1 || !memchr("<>|=", descr.data[0], 4) ||
            !dg_text_is((struct dg_text){descr.data + 1, descr.size - 1},
                        types[i].code))
            continue;
        header->type = types[i].type;
        header->swapped = descr.data[0] == '>' && dg_type_bytes(header->type) > 1;
        return true;
    }
    dg_fail(
        in->err, DG_ERR_FORMAT,
        "dtype %.*s is not supported: expected bool, integers, f2, f4, f8, c8 or c16; "
        "other floats go as raw bits in unsigned integers, named NAME__bf16",
        descr.size < 40 ? (int)descr.size : 40, descr.data);
    return false;
}

static bool read_order(struct literal *in, struct header *header)
{
    header->fortran = accept(in, "True");
    return header->fortran || accept(in, "False") || expected(in, "True or False");
}

static bool read_member(struct literal *in, struct header *header)
{
    static const struct {
        const char *name;
        unsigned key;
        bool (*read)(struct literal *, struct header *);
    } members[] = {
        {"descr", KEY_DESCR, read_descr},
        {"fortran_order", KEY_ORDER, read_order},
        {"shape", KEY_SHAPE, read_shape},
    };
    struct dg_text name;

    if (!read_string(in, &name))
        return false;
    if (!accept(in, ":"))
        return expected(in, "\":\"");
    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
        if (!dg_text_is(name, members[i].name) || header->keys & members[i].key)
            continue;
        header->keys |= members[i].key;
        return members[i].read(in, header);
    }
    return expected(in, "descr, fortran_order and shape, each once");
}

static bool read_header(struct dg_bytes text, struct header *header,
                        struct dg_error *err)
{
    const char *begin = (const char *)text.data;
    struct literal in = {begin, begin, begin + text.size, err};

    if (!accept(&in, "{"))
        return expected(&in, "\"{\"");
    while (!accept(&in, "}")) {
        if (!read_member(&in, header))
            return false;
        if (!accept(&in, ",") && !(in.at < in.end && *in.at == '}'))
            return expected(&in, "\",\" or \"}\"");
    }
    return header->keys == ALL_KEYS ||
           expected(&in, "descr, fortran_order and shape before the end");
}

/* Where the array begins; 0: failed. */
static size_t find_array(struct dg_bytes file, struct dg_bytes *text,
                         struct dg_error *err)
{
    size_t prefix, size;

    if (file.size < PREFIX_2 || !dg_npy_recognises(file)) {
        dg_fail(err, DG_ERR_FORMAT,
                "expected a .npy array, which begins with "
                "\\x93NUMPY");
        return 0;
    }
    if (file.data[MAGIC] < 1 || file.data[MAGIC] > 3) {
        dg_fail(err, DG_ERR_FORMAT, "version %d of the .npy format; expected 1 to 3",
                file.data[MAGIC]);
        return 0;
    }
    prefix = file.data[MAGIC] == 1 ? PREFIX_1 : PREFIX_2;
    size = file.data[MAGIC] == 1 ? dg_u16(file.data + 8) : dg_u32(file.data + 8);
    if (!dg_inside(prefix, size, file.size)) {
        dg_fail(err, DG_ERR_FORMAT, "the .npy header takes %zu bytes of %zu", size,
                file.size - prefix);
        return 0;
    }
    *text = dg_slice(file, prefix, size);
    return prefix + size;
}

static bool check_size(const struct header *header, struct dg_bytes array,
                       struct dg_error *err)
{
    struct dg_tensor shape = {.type = header->type, .rank = header->rank};
    int64_t count;
    char text[200];

    memcpy(shape.sizes, header->sizes, sizeof(shape.sizes));
    dg_shape_text(&shape, text, sizeof(text));
    if (!dg_shape_count(shape.rank, shape.sizes, shape.type, &count)) {
        dg_fail(err, DG_ERR_FORMAT, "no array can have the shape %s", text);
        return false;
    }
    if ((uint64_t)count * dg_type_bytes(shape.type) == array.size)
        return true;
    dg_fail(err, DG_ERR_FORMAT, "%s %s takes %llu bytes, but %zu follow the header",
            dg_type_name(shape.type), text,
            (unsigned long long)count * dg_type_bytes(shape.type), array.size);
    return false;
}

static struct dg_tensor *transposed(struct dg_tensor *array, const int64_t *sizes)
{
    int64_t strides[DG_RANK_MOST];
    struct dg_tensor *view;

    for (int i = 0; i < array->rank; i++)
        strides[i] = array->strides[array->rank - 1 - i];
    view = dg_tensor_view(array, array->rank, sizes, strides, 0);
    dg_tensor_drop(array);
    return view;
}

bool dg_npy_recognises(struct dg_bytes file)
{
    return file.size >= MAGIC && !memcmp(file.data, magic, MAGIC);
}

/* The array's bytes in the order and at the alignment of this machine. What was
 * inflated is ours: it is swapped where it lies, over its header. */
static const void *settle(struct dg_bytes array, size_t size, bool swapped, bool ours,
                          struct dg_arena *memory)
{
    uint8_t *to = (uint8_t *)array.data - (uintptr_t)array.data % size;

    if (!ours)
        return swapped ? dg_swapped_bytes(array, size, memory)
                       : dg_aligned_bytes(array, size, memory);
    memmove(to, array.data, array.size);
    for (uint8_t *at = to; swapped && at < to + array.size; at += size) {
        for (size_t i = 0; i < size / 2; i++) {
            uint8_t byte = at[i];

            at[i] = at[size - 1 - i];
            at[size - 1 - i] = byte;
        }
    }
    return to;
}

struct dg_tensor *dg_npy_read(struct dg_bytes content, bool ours,
                              struct dg_arena *memory, struct dg_error *err)
{
    struct header header = {0};
    struct dg_bytes text, array;
    struct dg_tensor *tensor;
    int64_t reversed[DG_RANK_MOST];
    size_t begin = find_array(content, &text, err);

    if (!begin || !read_header(text, &header, err))
        return NULL;
    array = dg_slice(content, begin, content.size - begin);
    if (!check_size(&header, array, err))
        return NULL;
    for (int i = 0; i < header.rank; i++)
        reversed[i] = header.sizes[header.rank - 1 - i];
    array.data = settle(array, dg_type_bytes(dg_type_part(header.type)), header.swapped,
                        ours, memory);
    tensor = dg_tensor_over(
        header.type, header.rank, header.fortran ? reversed : header.sizes,
        dg_aligned_bytes(array, dg_type_alignment(header.type), memory));
    return header.fortran ? transposed(tensor, header.sizes) : tensor;
}
