/* The pickle machine, and a walk over all it made. */
#include <stdlib.h>

#include "formats/pickle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t visit(const struct dg_pickle_value *value, int depth)
{
    int64_t sum = value->tensor && value->tensor->rank
                      ? value->tensor->sizes[value->tensor->rank - 1]
                      : (int64_t)value->text.size;

    if (depth > 128)
        abort();
    if (value->tensor && value->tensor->rank && value->tensor->strides[0] < 0)
        abort();
    for (size_t i = 0; i < value->n_items; i++)
        sum ^= visit(value->items[i], depth + 1);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dg_arena memory = {0};
    struct dg_pickle_value *value;
    struct dg_error err = {0};

    if (!dg_pickle_read(&value, (struct dg_bytes){data, size}, "fuzz", &memory, &err)) {
        visit(value, 0);
        dg_pickle_get(value, "weight");
    }
    dg_arena_clear(&memory);
    return 0;
}
