/* Calls of one operator in a plan, and what a rule says of each. */
#ifndef DG_TESTS_INFER_CASE_H
#define DG_TESTS_INFER_CASE_H

#include "unit/rules.h"

struct sample {
    const char *op, *operands, *want;
    bool first_is_moved;
};

void hold(const char *rule, const struct sample *sample);

#define HOLD(rule, samples)                                                            \
    for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)                    \
        hold(rule, &samples[i]);

#endif
