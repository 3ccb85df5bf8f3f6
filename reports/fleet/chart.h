/* The builds of one name as a picture: a small line for each number that changes. */
#ifndef DG_REPORTS_FLEET_CHART_H
#define DG_REPORTS_FLEET_CHART_H

#include "reports/fleet/fleet.h"

/* A whole SVG, without scripts; its size does not grow with the number of builds. */
void dg_fleet_chart(struct dg_writer *out, const struct dg_fleet_name *name);

/* Its rules of CSS, light and dark. */
void dg_fleet_chart_style(struct dg_writer *out);

#endif
