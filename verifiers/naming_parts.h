/* The rules about names that are written in C. */
#ifndef DG_VERIFIERS_NAMING_PARTS_H
#define DG_VERIFIERS_NAMING_PARTS_H

#include "verifiers/planned.h"

enum dg_status dg_check_placeholder_collision(const struct dg_findings *found,
                                              struct dg_error *err);

#endif
