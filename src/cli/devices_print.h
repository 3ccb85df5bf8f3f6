/* Predicted devices, for people and as JSON. */
#ifndef DG_CLI_DEVICES_PRINT_H
#define DG_CLI_DEVICES_PRINT_H

#include "base/text.h"
#include "graph/devices.h"

struct dg_devices_report {
    const struct dg_devices *devices;
    struct dg_text method;
    const struct dg_device_differences *differences; /* NULL: not compared */
};

void dg_write_devices_text(struct dg_writer *out,
                           const struct dg_devices_report *report);
void dg_write_devices_json(struct dg_writer *out,
                           const struct dg_devices_report *report);

#endif
