/* A .pte with a delegate on a device, in a few words. */
#include "unit/device_plan.h"

#include <stdio.h>

void given_delegate(const char *target)
{
    char sql[512];

    given_pte();
    snprintf(sql, sizeof(sql),
             "INSERT INTO delegate (id, method_id, idx, backend) VALUES"
             " (1, 1, 0, 'CudaBackend');"
             "INSERT INTO compile_spec VALUES (1, 0, 'target_device',"
             "  CAST(%s AS BLOB))",
             target);
    given(sql);
}

void call_delegate(int delegate, const char *reads, const char *writes)
{
    char sql[256];

    call_op("x::delegate", reads, "", writes);
    snprintf(sql, sizeof(sql),
             "UPDATE node SET kind = 'delegate_call', op_id = NULL, op_index = %d,"
             " delegate_id = %d WHERE id = (SELECT max(id) FROM node)",
             delegate - 1, delegate);
    given(sql);
}

void tensor_on(const char *device, int idx)
{
    char sql[128];

    tensor(idx, 32 * idx, 32);
    snprintf(sql, sizeof(sql), "UPDATE value SET device = '%s' WHERE idx = %d", device,
             idx);
    given(sql);
}

void given_copied(void)
{
    given_delegate("'cuda:0'");
    given("INSERT INTO arena VALUES (1, 2, 4096, 'cuda:0')");
    tensor(0, 0, 32);
    tensor_on("cuda:0", 1);
    tensor_on("cuda:0", 2);
    tensor(3, 32, 32);
    goes_in(0);
    comes_out(3);
    call_op("et_copy::_h2d_copy.out", "0", "", "1 1");
    call_delegate(1, "1", "2");
    call_op("et_copy::_d2h_copy.out", "2", "", "3 3");
    given("UPDATE value SET mem_id = 2 WHERE device <> 'cpu';"
          "UPDATE value SET dtype = 'f32', dim_order = '[0]';"
          "INSERT INTO edge VALUES (2, 0, 1, 2), (3, 0, 2, 3)");
}
