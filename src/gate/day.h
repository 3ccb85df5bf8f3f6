/* Days, as people write until when something waits: "2027-01-31". */
#ifndef DG_GATE_DAY_H
#define DG_GATE_DAY_H

#include <stdbool.h>

#include "base/bytes.h"

enum { DG_DAY_SIZE = 16 };

bool dg_is_day(struct dg_text text);

/* In UTC, with NUL. */
void dg_today(char day[DG_DAY_SIZE]);

/* Whether `day`, which ends with NUL, lies before `today`; one that is absent never
 * does. */
bool dg_has_passed(struct dg_text day, const char *today);

#endif
