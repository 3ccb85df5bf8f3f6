/* Bytes read as an ETDump; what loads is stored and held to every rule. */
#include "robust/swallow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (dg_reader_etdump.recognises((struct dg_bytes){data, size}))
        swallow_program(&dg_reader_etdump, (struct dg_bytes){data, size});
    return 0;
}
