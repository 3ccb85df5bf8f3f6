/* Numbers as people write them in options: digits alone, and nothing around them. */
#include "base/numeral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool dg_read_count(int64_t *number, const char *text)
{
    int64_t value = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *text - '0', &value))
            return false;
    }
    *number = value;
    return true;
}

bool dg_read_real(double *number, const char *text)
{
    char *end;

    /* strtod() also takes blanks, signs, 0x10, inf and nan. */
    if (text[strspn(text, "0123456789.eE+-")] || !strspn(text, "0123456789."))
        return false;
    *number = strtod(text, &end);
    return end > text && !*end && isfinite(*number);
}
