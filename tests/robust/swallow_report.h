/* A store taken through all that shows it: every view as a picture, every form of the
 * report. */
#ifndef DG_TESTS_SWALLOW_REPORT_H
#define DG_TESTS_SWALLOW_REPORT_H

#include "store/store.h"

/* The store may be any: what cannot be shown must be refused in words. */
void swallow_report(struct dg_store *store);

#endif
