/* A .pte with a delegate on a device, in a few words. */
#ifndef DG_TESTS_DEVICE_PLAN_H
#define DG_TESTS_DEVICE_PLAN_H

#include "unit/rules.h"

/* Delegate 1, of CudaBackend; its target_device is a SQL expression. */
void given_delegate(const char *target);

void call_delegate(int delegate, const char *reads, const char *writes);

/* A tensor of 32 bytes there. */
void tensor_on(const char *device, int idx);

/* h2d of 0 to 1, a delegate from 1 to 2, d2h of 2 to 3; 0 and 3 are in arena 1, the
 * others in arena 2, which is on cuda:0. */
void given_copied(void);

#endif
