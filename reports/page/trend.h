/* A number over builds: its unit, how it changed, and which of its values are drawn. */
#ifndef DG_REPORTS_TREND_H
#define DG_REPORTS_TREND_H

#include <stdbool.h>

#include "base/text.h"

enum dg_trend_unit {
    DG_TREND_BYTES,
    DG_TREND_SHARE,  /* of 1 */
    DG_TREND_FEW,    /* a count that changes by ones: +2 */
    DG_TREND_AMOUNT, /* a count that changes by parts: +2.1 % */
    DG_TREND_TIME,   /* nanoseconds */
};

struct dg_trend {
    double *values; /* the oldest first; NAN: not known */
    size_t n;
    enum dg_trend_unit unit;
    bool more_is_better;
};

/* "8.3 KiB", "90.9 %", "7.4 k", "1.2 ms" */
void dg_write_quantity(struct dg_writer *out, enum dg_trend_unit unit, double value);
/* With more digits: for values that are the same in fewer. */
void dg_write_exact(struct dg_writer *out, enum dg_trend_unit unit, double value);
/* "+3.6 %", "-5.1 points", "+2"; "as before" where nothing changed. */
void dg_write_change(struct dg_writer *out, enum dg_trend_unit unit, double old,
                     double new);

/* By how much `new` is the worse one, in parts of the old one, of 1, or by number as
 * the unit has it; below 0: better. 0 where one of them is not known. */
double dg_trend_worse(const struct dg_trend *trend, double old, double new);

/* The newest value, and the known one before it; NAN: there is none. */
double dg_trend_newest(const struct dg_trend *trend);
double dg_trend_before(const struct dg_trend *trend);

struct dg_value_range {
    double least, most; /* NAN: nothing is known */
};
struct dg_value_range dg_trend_range(const struct dg_trend *trend);
/* 0 to 1, of a value in a range that is not empty. */
double dg_range_height(const struct dg_value_range *range, double value);

/* Which values are drawn, at most `most` (at least 4): all, or of equal stretches
 * between both ends the lowest and the highest. Returns how many. */
size_t dg_trend_sample(size_t *picked, const struct dg_trend *trend, size_t most);

/* At most so many characters of eight heights; nothing where the value never changes.
 */
enum { DG_TREND_COLUMNS = 12 };
void dg_write_trend_line(struct dg_writer *out, const struct dg_trend *trend);

#endif
