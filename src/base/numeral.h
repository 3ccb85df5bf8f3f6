/* Numbers as people write them in options: digits alone, and nothing around them. */
#ifndef DG_BASE_NUMERAL_H
#define DG_BASE_NUMERAL_H

#include <stdbool.h>
#include <stdint.h>

/* "12": digits to the end of the text, of a number that fits. */
bool dg_read_count(int64_t *number, const char *text);

/* "12", "1.5", "1e-3": finite, without a sign, to the end of the text. */
bool dg_read_real(double *number, const char *text);

#endif
