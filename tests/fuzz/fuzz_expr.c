/* Symbolic expressions: any text gives some text. */
#include <stdlib.h>

#include "formats/pt2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dg_arena memory = {0};
    struct dg_text text = {(const char *)data, size};

    text = dg_pt2_expression(text, &memory);
    if (size && !text.size)
        abort();
    dg_arena_clear(&memory);
    return 0;
}
