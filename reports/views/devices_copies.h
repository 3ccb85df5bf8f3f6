/* On which device each node of a program is, and the copies between devices. */
#ifndef DG_REPORTS_VIEWS_DEVICES_COPIES_H
#define DG_REPORTS_VIEWS_DEVICES_COPIES_H

#include "reports/views/placement.h"

struct dg_located {
    struct dg_text *names; /* of devices; 0 is cpu */
    size_t n_names;
    uint32_t *device_of;    /* by node; of a copy the device that it leads to */
    bool *copies;           /* by node: it is a copy */
    struct dg_text failure; /* why there will be no copies; NULL: nothing fails */
    struct dg_arena memory;
};

/* Of a .pte as its values and instructions say. Of a lowered .pt2 what ExecuTorch's
 * device pass will do: the copies to come are added to `skeleton` as nodes. Clear
 * *located in any case. */
enum dg_status dg_locate(struct dg_located *located, struct dg_skeleton *skeleton,
                         const struct dg_view_input *in);
void dg_located_clear(struct dg_located *located);

/* The number of a device; new names are added. */
uint32_t dg_device_number(struct dg_located *located, struct dg_text name);

#endif
