/* Bytes read as a .pt2; what loads is stored and held to every rule. */
#include "robust/swallow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    swallow_program(&dg_pt2_with_weights, (struct dg_bytes){data, size});
    return 0;
}
