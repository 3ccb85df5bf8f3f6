/* Lets libFuzzer make mutants that keep the structure of a format. */
#include <string.h>

#include "fuzz/mutate.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct mutation m = {seed};
    struct dg_writer file = {0};

    if (!mutate_random(&m, 4) || !size)
        return LLVMFuzzerMutate(data, size, most);
    dg_write(&file, (const char *)data, size);
    mutate(&m, &file);
    size = file.size < most ? file.size : most;
    memcpy(data, file.data, size);
    dg_writer_clear(&file);
    return size;
}
