/* Following inputs through a schedule: which slots hold one, and what was added to it.
 */
#ifndef DG_EXEC_INPUTS_FOLLOW_H
#define DG_EXEC_INPUTS_FOLLOW_H

#include "exec/inputs_use.h"

/* The input that a slot holds, plus a number. */
struct dg_origin {
    uint32_t input; /* index + 1; 0: none */
    bool exact;     /* false: changed in other ways, too */
    int64_t added;
};

struct dg_follow {
    const struct dg_schedule *schedule;
    const struct dg_arg *values;
    struct dg_origin *origins; /* of slots */
    struct dg_integer_use *uses;
};

struct dg_use_rule;
typedef void dg_apply_fn(struct dg_follow *follow, const struct dg_step *step,
                         const struct dg_use_rule *rule);

/* What a use of argument `index` says. */
struct dg_use_rule {
    const char *op; /* without overload */
    dg_apply_fn *apply;
    int index, self, dim; /* arguments; dim < 0: dimension 0 */
};

const struct dg_operand *dg_follow_operand(const struct dg_step *step, int i);
/* The first input among what an operand holds. */
struct dg_origin dg_follow_origin(const struct dg_follow *follow,
                                  const struct dg_operand *operand);
/* An integer that the program fixes. */
bool dg_follow_integer(const struct dg_follow *follow, const struct dg_operand *operand,
                       int64_t *value);

/* The rule for an operator, whatever its overload; NULL: there is none. */
const struct dg_use_rule *dg_find_use_rule(const struct dg_use_rule *table, size_t n,
                                           const char *op);
/* Where the results of a step come from. */
void dg_follow_step(struct dg_follow *follow, const struct dg_step *step);

#endif
