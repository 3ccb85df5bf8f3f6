/* What the files of device propagation share. */
#ifndef DG_GRAPH_DEVICES_PARTS_H
#define DG_GRAPH_DEVICES_PARTS_H

#include "graph/devices.h"

/* Fills devices->nodes and the failure that the first bad target_device means. Calls
 * have the device that they ask for. */
enum dg_status dg_devices_read(struct dg_devices *devices, struct dg_store *store,
                               struct dg_error *err);

#endif
