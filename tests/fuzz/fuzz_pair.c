/* A .pte and a file that belongs to it: 4 bytes of the first one's size, both files. */
#include "base/bytes.h"
#include "robust/swallow_pair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t first;

    if (size < 4)
        return 0;
    first = dg_u32(data);
    data += 4;
    size -= 4;
    if (first <= size)
        swallow_pair((struct dg_bytes){data, first},
                     (struct dg_bytes){data + first, size - first});
    return 0;
}
