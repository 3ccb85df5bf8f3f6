/* Names of a body of NativeBackend's graph as rows. */
#include "formats/native_names.h"

#include "formats/flatbuffer_json.h"
#include "formats/native_schema.h"
#include "formats/pte.h"

int64_t dg_native_number(struct dg_native_reading *reading,
                         struct dg_native_scope *scope, struct dg_text name)
{
    uint32_t n = scope->names.n_texts, number = dg_text_set_add(&scope->names, name);

    if (number == n)
        *DG_APPEND(scope->idx, n) = reading->n_values++;
    return scope->idx[number];
}

struct dg_blob_ref dg_native_ref(struct dg_native_reading *reading,
                                 struct dg_native_scope *scope, struct dg_text name)
{
    return (struct dg_blob_ref){dg_native_number(reading, scope, name), name};
}

/* ScalarType of the schema: ExecuTorch's, and numbers of its own. */
static const struct dg_dtype *dtype_of(int8_t type)
{
    enum { U16 = 16, U32, U64 };

    switch (type) {
    case U16:
        return dg_dtype_of_name(dg_text("u16"));
    case U32:
        return dg_dtype_of_name(dg_text("u32"));
    case U64:
        return dg_dtype_of_name(dg_text("u64"));
    default:
        return dg_dtype_of_c10(type);
    }
}

static struct dg_text quantization_of(struct dg_native_reading *reading,
                                      struct dg_flatbuffer_table scheme)
{
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_object(&json, NULL);
    dg_put_text(&json, "type",
                dg_text(scheme.type == &affine   ? "affine_group"
                        : scheme.type == &packed ? "packed"
                                                 : "unknown"));
    dg_put_fields(&json, scheme);
    dg_put_end(&json);
    return dg_blob_keep(&reading->rows, &json);
}

static void set_type(struct dg_native_reading *reading,
                     struct dg_delegate_value_row *row, struct dg_flatbuffer_table from)
{
    struct dg_vector sizes = dg_table_vector(from, META_SIZES);
    struct dg_flatbuffer_table spec = dg_table_table(from, META_QUANT);
    int8_t type = dg_table_i8(from, META_DTYPE, 0);
    const struct dg_dtype *dtype = dtype_of(type);
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};
    int64_t n_elements = spec.at ? -1 : 1; /* packed: the key has as many as it has */

    dg_put_array(&json, NULL);
    for (size_t i = 0; i < sizes.n; i++)
        dg_blob_put_size(&json, &n_elements,
                         dg_table_i64(dg_vector_table(sizes, i), DIM_MAX, -1));
    dg_put_end(&json);
    row->shape = dg_blob_keep(&reading->rows, &json);
    dg_blob_set_torch_type(&reading->rows, row, dtype, type, n_elements);
    if (spec.at)
        row->quantization = quantization_of(reading, dg_table_union(spec, 1));
}

void dg_native_add_value(struct dg_native_reading *reading,
                         struct dg_native_scope *scope, struct dg_text name,
                         struct dg_flatbuffer_table meta)
{
    struct dg_delegate_value_row *row =
        dg_blob_add_value(&reading->rows, dg_native_number(reading, scope, name));

    row->name = dg_pte_utf8(reading->rows.program, name);
    if (meta.at)
        set_type(reading, row, meta);
}

void dg_native_read(struct dg_native_reading *reading, struct dg_native_scope *scope,
                    struct dg_text key, struct dg_text name)
{
    dg_blob_read(&reading->rows, key, dg_native_ref(reading, scope, name));
}

void dg_native_read_list(struct dg_native_reading *reading,
                         struct dg_native_scope *scope, struct dg_text key,
                         struct dg_vector names, struct dg_vector there)
{
    for (size_t i = 0; i < names.n && dg_blob_spend(&reading->rows, 1); i++) {
        struct dg_text name = dg_vector_string(names, i);

        if (there.at && i < there.n ? there.at[i] : name.size != 0)
            dg_native_read(reading, scope, key, name);
    }
}

void dg_native_know(struct dg_native_reading *reading, struct dg_native_scope *scope,
                    struct dg_text name, uint8_t kind)
{
    static const char *const words[] = {"tensor", "tensor", "int", "bool", "float"};
    int64_t idx = dg_native_number(reading, scope, name);
    struct dg_delegate_value_row *row;

    if (dg_blob_value(&reading->rows, idx) != DG_NONE)
        return;
    row = dg_blob_add_value(&reading->rows, idx);
    row->name = dg_pte_utf8(reading->rows.program, name);
    if (kind < sizeof(words) / sizeof(*words))
        row->datatype = dg_text(words[kind]);
}

void dg_native_write(struct dg_native_reading *reading, struct dg_native_scope *scope,
                     struct dg_text name, uint8_t kind)
{
    dg_native_know(reading, scope, name, kind);
    dg_blob_write(&reading->rows, dg_text("out"), dg_native_ref(reading, scope, name));
}

void dg_native_add_key(struct dg_native_reading *reading, struct dg_text key,
                       int64_t nbytes)
{
    struct dg_delegate_constant_row *row = dg_blob_add_constant(
        &reading->rows, reading->n_constants++, (struct dg_bytes){0});

    row->key = dg_pte_utf8(reading->rows.program, key);
    row->nbytes = nbytes;
}
