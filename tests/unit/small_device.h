/* A device whose memory lies beside that of the host, and its kernels are the host's.
 */
#ifndef DG_TESTS_SMALL_DEVICE_H
#define DG_TESTS_SMALL_DEVICE_H

#include "exec/device.h"
#include "exec/schedule.h"

/* Fails the test where the host is taken for the device, or the reverse. */
extern struct dg_device small_device;
extern int small_uploads, small_downloads, small_checks; /* of guard zones */

/* Counts from 0; kernels of the schedule are there on the device, too. */
void small_device_begin(struct dg_schedule *schedule);

#endif
