/* A stored program taken through partitioners, rules of plans, explanations and
 * pictures; and a plan file on top of it. */
#ifndef DG_TESTS_SWALLOW_PLAN_H
#define DG_TESTS_SWALLOW_PLAN_H

#include "base/bytes.h"
#include "store/store.h"

/* Every mode plans artifact 1, and each plan is checked, explained, drawn, written and
 * read back. Aborts when a step fails without saying why, or when a plan that was
 * written cannot be read. */
void swallow_partitions(struct dg_store *store);

/* The bytes as a plan file for artifact 1: checked, explained, drawn, written again,
 * and lowered as a prior plan. */
void swallow_plan_file(struct dg_store *store, struct dg_bytes bytes);

/* Bytes in a file that has no name elsewhere; the path lives until the next call. */
const char *swallow_path(struct dg_bytes bytes);

#endif
