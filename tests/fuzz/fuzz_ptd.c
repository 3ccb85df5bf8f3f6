/* Bytes read as a .ptd; what loads is stored and held to every rule. */
#include "robust/swallow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    swallow_program(&dg_reader_ptd, (struct dg_bytes){data, size});
    return 0;
}
