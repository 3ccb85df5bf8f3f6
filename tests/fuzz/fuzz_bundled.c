/* Bundled programs: every element of their test sets can be read. */
#include <stdlib.h>

#include "formats/tensor_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void touch(const struct dg_value_set *set)
{
    static volatile unsigned char seen;

    for (size_t i = 0; i < set->n_values; i++) {
        const struct dg_arg *value = &set->values[i].value;
        const struct dg_tensor *tensor = value->as.tensor;

        if (value->kind != DG_ARG_TENSOR || !dg_tensor_count(tensor))
            continue;
        seen =
            tensor->storage
                ->bytes[(size_t)dg_tensor_count(tensor) * dg_type_bytes(tensor->type) -
                        1];
    }
    (void)seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dg_bundle bundle;
    struct dg_error err = {0};

    if (dg_bundle_read(&bundle, (struct dg_bytes){data, size}, &err) && !err.text[0])
        abort();
    for (size_t i = 0; i < bundle.n_cases; i++) {
        touch(&bundle.cases[i].inputs);
        touch(&bundle.cases[i].outputs);
    }
    dg_bundle_clear(&bundle);
    return 0;
}
