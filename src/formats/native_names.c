/* Names of a body of NativeBackend's graph as rows. */
#include "formats/native_names.h"

#include "formats/pte.h"

int64_t dg_native_number(struct dg_native_reading *reading,
                         struct dg_native_scope *scope, struct dg_text name)
{
    uint32_t n = scope->names.n_texts, number = dg_text_set_add(&scope->names, name);

    if (number == n)
        *DG_APPEND(scope->idx, n) = reading->n_values++;
    return scope->idx[number];
}

void dg_native_read(struct dg_native_reading *reading, struct dg_native_scope *scope,
                    struct dg_text key, struct dg_text name)
{
    dg_blob_read(&reading->rows, key, dg_native_number(reading, scope, name));
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

void dg_native_write(struct dg_native_reading *reading, struct dg_native_scope *scope,
                     struct dg_text name, uint8_t kind)
{
    static const char *const words[] = {"tensor", "tensor", "int", "bool", "float"};
    int64_t idx = dg_native_number(reading, scope, name);

    if (dg_blob_value(&reading->rows, idx) == DG_NONE) {
        struct dg_delegate_value_row *row = dg_blob_add_value(&reading->rows, idx);

        row->name = dg_pte_utf8(reading->rows.program, name);
        if (kind < sizeof(words) / sizeof(*words))
            row->datatype = dg_text(words[kind]);
    }
    dg_blob_write(&reading->rows, dg_text("out"), idx);
}

void dg_native_add_key(struct dg_native_reading *reading, struct dg_text key,
                       int64_t nbytes)
{
    struct dg_delegate_constant_row *row = dg_blob_add_constant(
        &reading->rows, reading->n_constants++, (struct dg_bytes){0});

    row->key = dg_pte_utf8(reading->rows.program, key);
    row->nbytes = nbytes;
}
