/* Shapes, strides and dimension orders as rows hold them: "[2,3]". */
#ifndef DG_BASE_INT_LIST_H
#define DG_BASE_INT_LIST_H

#include <stdint.h>
#include <stdlib.h>

/* How many numbers `json` holds, put into `values`; -1: more than `room`, or not only
 * numbers. NULL is a list of none. */
static inline int dg_int_list(const char *json, int64_t *values, int room)
{
    const char *at = json;
    char *end;
    int n = 0;

    if (!json)
        return 0;
    if (*at++ != '[')
        return -1;
    for (; *at && *at != ']'; at += *at == ',') {
        int64_t value = strtoll(at, &end, 10);

        if (end == at || n == room)
            return -1;
        values[n++] = value;
        at = end;
    }
    return *at == ']' ? n : -1;
}

#endif
